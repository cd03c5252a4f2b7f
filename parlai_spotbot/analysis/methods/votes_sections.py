"""The report of votes, as sections of data: the order and its places, what became of votes, pairs, whose votes."""

from __future__ import annotations

from parlai_spotbot.analysis.methods import shared_sections as shared
from parlai_spotbot.analysis.methods.choice_sections import PAIR_HEAD, win_grid
from parlai_spotbot.analysis.sections import Chart, Name, Section, Table
from parlai_spotbot.wording import interval, listed, p_said, percent, span

GRID = 25
"""Of more contestants a grid of all pairs is no help: then neighbours in the order are shown, and all in the CSV."""
NAMED = 5
"""So many are named in a sentence."""
SEEN = {"won": "won", "tie": "tie", "both_bad": "both bad", "lost": "lost"}
BAD = (
    "A vote for both bad says that both failed, not who is better: it counts neither as decided nor as a tie, and the "
    "ranking leaves it out."
)


def sections(analysis: dict[str, dict], source: str) -> list[Section]:
    """Who is preferred, who beats whom, and whose votes these are."""
    own, votes = analysis["ranking"], analysis["votes"]
    main = own["criteria"][own["question"]]
    return [_order(own, main), _outcomes(main), _pairs(main), _votes(votes)]


def _order(own: dict, main: dict) -> Section:
    chart = shared.score_chart("order", "Who is preferred?", own, True, 0.5)
    rows = [
        (span(main["clusters"][name]), Name(name), percent(main["score"][name], 1), interval(main["score_ci"][name], 1),
         f"{main['shares'][name]['n']:,}")
        for name in main["order"]
    ]  # fmt: skip
    table = Table(
        "Order",
        "The first place is 1 + how many are surely better, the last leaves those below who are surely worse. Places "
        "hold for all contestants at once.",
        ("places", "contestant", "share of points", "95 % interval", "votes"), rows, folded=len(rows) > shared.LONG,
        method=f"{own['criterion']}. {main['test']}.", cite=("chiang2024", "davidson1970", "cameron2011", "holm1979"),
    )  # fmt: skip
    text = _leaders(main)
    if other := main["otherwise"].get("other_prompts"):
        text.append(f"This holds for these prompts. For others like them, with prompts as what votes share, "
                    f"{other['clear']:,} of {len(main['pairs']):,} pairs differ clearly.")  # fmt: skip
    return Section("preferred", "Who is preferred?", text, [chart], [table])


def _leaders(main: dict) -> list[str]:
    """Who may come first, and how many pairs are clear."""
    if main["score"][main["order"][0]] is None:
        return [f"There is no order: {main.get('why', 'nothing is known')}."]
    best = [name for name in main["order"] if main["clusters"][name][0] == 1]
    if len(best) == 1:
        text = [f"First, apart from all others: {best[0]}."]
    else:
        more = f" and {len(best) - NAMED} others" if len(best) > NAMED else ""
        named = f"{', '.join(best[:NAMED])}{more}" if more else listed(best)
        text = [f"{len(best)} contestants may come first, as none is surely better than they: {named}."]
    clear = sum(pair["p_adjusted"] is not None and pair["p_adjusted"] < 0.05 for pair in main["pairs"])
    text.append(f"{clear:,} of {len(main['pairs']):,} pairs differ clearly (adjusted for as many tests).")
    return text + ([f"Note: {main['why']}."] if "why" in main else [])


def _outcomes(main: dict) -> Section:
    parts = [name for name in SEEN if any(main["shares"][bot][name]["share"] for bot in main["order"])]
    rows = [{"label": Name(name), "shares": [main["shares"][name][part]["share"] for part in parts],
             "n": main["shares"][name]["n"]} for name in main["order"]]  # fmt: skip
    said = f"Of {main['n']:,} votes {percent(main['ties'], 1)} were ties"
    said += f" and {percent(main['both_bad'], 1)} found both bad." if main["both_bad"] else "; none found both bad."
    chart = Chart("outcomes", "bars", "What became of each contestant's votes",
                  "Over all votes that a contestant was in.",
                  {"rows": rows, "parts": [SEEN[part] for part in parts], "x": "share of votes"}, said)  # fmt: skip
    table = Table(
        "Wins, ties, both bad, losses", "Shares of all votes that a contestant was in, with 95 % intervals.",
        ("contestant", *(SEEN[part] for part in parts), "votes"),
        [(Name(name), *(f"{percent(main['shares'][name][part]['share'], 1)} "
                        f"({interval(main['shares'][name][part]['ci'], 1)})" for part in parts),
          f"{main['shares'][name]['n']:,}") for name in main["order"]],
        folded=len(rows) > shared.LONG, cite=("clopper1934", "korn1998"),
    )  # fmt: skip
    text = []
    if other := main["otherwise"].get("both_bad_as_ties"):
        text = [BAD, f"Counted as ties, {other['clear']:,} of {len(main['pairs']):,} pairs would differ clearly, and "
                f"{other['reversed']:,} would stand in the other order."]  # fmt: skip
    return Section("outcomes", "Wins, ties, both bad", text, [chart], [table])


def _pairs(main: dict) -> Section:
    few = len(main["order"]) <= GRID
    charts = [win_grid("votes", main)] if few and main["pairs"] else []
    shown, title = main["pairs"], "All pairs"
    how = "The share is of the votes that favour one of the two, by the model; votes of others count for it, too."
    if not few:
        place = {name: i for i, name in enumerate(main["order"])}
        shown = [pair for pair in shown if abs(place[pair["a"]] - place[pair["b"]]) == 1]
        shown = sorted(shown, key=lambda pair: min(place[pair["a"]], place[pair["b"]]))
        title = "Neighbours in the order"
        how += f" All {len(main['pairs']):,} pairs stand in ranking_pairs.csv."
    table = Table(title, how, PAIR_HEAD, shared.pair_rows({**main, "pairs": shown}, True),
                  folded=len(shown) > shared.LONG, method=main["test"],
                  cite=("davidson1970", "cameron2011", "holm1979"),
                  sentence=shared.clearest(main, True))  # fmt: skip
    met = sum(pair["n"] > 0 for pair in main["pairs"])
    text = [f"{met:,} of {len(main['pairs']):,} pairs met; the others are compared by whom both met."]
    return Section("grid", "Who beats whom?", text if met < len(main["pairs"]) else [], charts, [table])


def _votes(own: dict) -> Section:
    text = [own["sentence"]]
    if own["first"]:
        test = own["first"]
        clear = "more than chance explains" if test["p"] < 0.05 else "as chance would have it"
        text.append(f"Of {test['n']:,} decided votes {percent(test['estimate'], 1)} ({interval(test['ci'], 1)}) were "
                    f"for the contestant that the file names first, {clear} ({p_said(test['p'])}).")  # fmt: skip
    if own["days"]:
        text.append(f"They were given from {own['days'][0]} to {own['days'][-1]}.")
    tables = []
    if len(own["languages"]) > 1:
        rows = [(row["language"], f"{row['n']:,}", percent(row["ties"], 1), percent(row["both_bad"], 1))
                for row in own["languages"]]  # fmt: skip
        tables = [Table("Languages", "Shares of the votes in a language.", ("language", "votes", "ties", "both bad"),
                        rows, folded=len(rows) > shared.LONG)]  # fmt: skip
    return Section("votes", "Whose votes?", text, [], tables)
