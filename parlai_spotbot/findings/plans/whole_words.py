"""What a plan of a survey of whole conversations says, as tables and sentences for the terminal."""

from __future__ import annotations

from parlai_spotbot.analysis.planning.design import Design
from parlai_spotbot.analysis.planning.surveys import SETTLED, Rating, Wish
from parlai_spotbot.wording import p_value, part_of

COLUMN = 15


def points(choices: bool, difference: float) -> str:
    """A difference in words: 60%:40%, or 0.50 points."""
    if choices:
        return f"{0.5 + difference / 2:.0%}:{0.5 - difference / 2:.0%}"
    return f"{difference:.2f} points"


def told(choices: bool, difference: float) -> str:
    """Two bots that differ by so much, in words."""
    if choices:
        return f"two bots of which one gets {0.5 + difference / 2:.0%} of their decided choices"
    return f"two bots whose means are {difference:.2f} points apart"


def units(choices: bool) -> tuple[str, str]:
    """What is counted a pair or a bot, and in all."""
    return ("choices a pair", "choices") if choices else ("talks a bot", "conversations")


def said_before(result: dict, wish: Wish, like: Design | Rating) -> str:
    """The need for several differences as a table, and a sentence on the one that is asked for."""
    asked, choices = result["asked"], isinstance(like, Design)
    head = ("apart by", units(choices)[0], "annotations", "hours", "cost")
    lines = ["".join(f"{cell:>{COLUMN}}" for cell in head)]
    for row in result["differences"]:
        cells = [points(choices, row["difference"])]
        if row["needed"] is None:
            cells.append("out of reach")
        else:
            cost = "-" if row["cost"] is None else f"{row['cost']:,.0f}"
            cells += [f"{row['needed']:,}", f"{row['annotations']:,}", f"{row['hours']:,.1f}", cost]
        mark = "  <-" if row["difference"] == asked["difference"] else ""
        lines.append("".join(f"{cell:>{COLUMN}}" for cell in cells) + mark)
    return "\n".join([*lines, "", _asked(asked, wish, like)])


def _asked(asked: dict, wish: Wish, like: Design | Rating) -> str:
    bots = told(isinstance(like, Design), asked["difference"])
    if asked["needed"] is None:
        return f"{bots.capitalize()} can't be told apart with {wish.power:.0%} power by any number up to a million."
    cost = "" if asked["cost"] is None else f", {asked['cost']:,.0f} in wages"
    each = f" for each of {wish.questions} questions" if wish.questions > 1 else ""
    if isinstance(like, Design):
        what = f"{asked['needed']} choices a pair ({asked['items']:,} pairs of conversations{each}"
        own = asked["items"] * 2 // wish.bots
        talks = f" Where no conversation is to come twice, each bot has {own} of its own."
        if wish.pairs > 1 and asked["alone"] is not None:
            talks += f" All choices tell of every pair; by its own alone each would need {asked['alone']}."
        hang = f"; {like.ties:.0%} of choices for neither" if like.ties else ""
        hang += f"; design effect {like.design_effect:.2f}"
    else:
        what = f"{asked['needed']} conversations of each bot ({asked['items']:,}{each}"
        talks = " Each conversation counts in every pair of its bot."
        hang = (
            f"; annotators a conversation: {like.per_conversation:g}; standard deviations {like.conversations:.2f} of "
            f"conversations, {like.annotators:.2f} of annotators, {like.tastes:.2f} of their liking for one bot, "
            f"{like.rest:.2f} of the rest"
        )
    people = f" {asked['people']:,} people give {like.annotations_per_worker:.0f} each on average"
    if like.annotations_per_worker > 1:
        people += (
            f"; since some give far more, annotations hang together as if each gave {like.effective_per_worker:.0f}"
        )
    return (
        f"With {what}, {asked['annotations']:,} annotations, {asked['hours']:,.1f} hours{cost}) {bots} "
        f"are told apart with {asked['power']:.0%} power, though {wish.pairs} "
        f"{'pair is' if wish.pairs == 1 else 'pairs are'} tested{hang}.{talks}{people}. Controls come on top."
    )


def said_after(result: dict, choices: bool) -> str:
    """What each pair of a pilot of choices, or else of ratings, needs, and a sentence."""
    what = units(choices)[0]
    lines = [f"{'pair':<32}{'found':>12}{'p (Holm)':>10}{'power':>8}{'had':>7}{'needed':>8}{'more':>7}  {what}: status"]
    for row in result["pairs"]:
        needed, more = ("-" if row[key] is None else row[key] for key in ("needed", "more"))
        found = "-" if row["estimate"] is None else f"{row['estimate']:{'.0%' if choices else '+.2f'}}"
        p = "-" if row["p_adjusted"] is None else p_value(row["p_adjusted"])
        lines.append(
            f"{row['a'] + ' / ' + row['b']:<32}{found:>12}{p:>10}{row['power']:>8.0%}{row['had']:>7}{needed:>8}"
            f"{more:>7}  {row['status']}"
        )
    lines += ["", *result["first"]] if result["first"] else []
    opened = [row for row in result["pairs"] if row["status"] != SETTLED]
    if not opened:
        settled = "Every pair that met is settled" + ("." if result["first"] else ": nothing more is needed.")
        return "\n".join([*lines, "", settled])
    more, power = result["more"], result["wish"]["power"]
    hours = "" if more["hours"] is None else f", {more['hours']:.1f} hours"
    cost = "" if more["cost"] is None else f", {more['cost']:,.0f} in wages"
    lines += [
        "",
        f"{part_of(len(opened), len(result['pairs']), 'pair', 'is', 'are')} not settled; for {power:.0%} power they "
        f"need {more['annotations']:,} more annotations{hours}{cost}. A pilot's differences are rough, so are these "
        "numbers; 'close' pairs are planned for the least difference of interest.",
    ]
    return "\n".join(lines)
