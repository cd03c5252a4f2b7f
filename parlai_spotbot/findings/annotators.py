"""Annotators in every survey but Spot The Bot: who they are, who is left out and why, and what changes with them in."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import partial

import pandas as pd

from parlai_spotbot.analysis.annotators.controls import controls_summary, silent_annotators
from parlai_spotbot.findings.answers import Answers
from parlai_spotbot.findings.finding import Result, declared
from parlai_spotbot.findings.frames import Found
from parlai_spotbot.findings.rankings import Ranking
from parlai_spotbot.findings.render import Caution, Fact
from parlai_spotbot.findings.schema import clear
from parlai_spotbot.findings.source_accounts import account
from parlai_spotbot.records import is_named
from parlai_spotbot.surveys.controls.flags import flags_by_task
from parlai_spotbot.wording import NAMED, counted, filled, listed
from parlai_spotbot.wording import who as contestant_said

Ranked = Callable[[Answers, pd.DataFrame], Ranking]
"""The ranking by one question from its rows."""

NO_REASON = "never gave a reason"


def annotators(answers: Answers, ranked: Ranked, main: str = "") -> Found:
    """One row an annotator, who is left out and why; and by question what changes with everybody in. `main` is the
    question told first, by default the first.
    """
    result = about_annotators(answers)
    if set(answers.everyone["worker_id"]) & answers.failed.keys():
        changes = []
        for question in sorted(answers.questions, key=lambda question: question != main):
            kept = ranked(answers, answers.to(question))
            every = ranked(answers, answers.whole.to(question))
            changes.append({"question": question, **what_changes(kept, every, "With everybody's answers")})
        result["with_everybody"] = changes
    return result


def what_changes(kept: Ranking, every: Ranking, who: str) -> dict:
    """Return what changes in a ranking if annotators who are left out of the main figures are in.

    Returns
    -------
    dict
        `order` with everybody; `same_order`; `changed` [{a, b, before, after}], the pairs of which another is ahead, or
        None where they can't be told apart; `largest`, the largest change of a score; and a `sentence` that begins with
        `who`.
    """
    before = _ahead_of_pairs(kept)
    after = _ahead_of_pairs(every)
    changed = []
    for pair in dict.fromkeys([*before, *after]):
        if before.get(pair) != after.get(pair):
            changed.append({"a": pair[0], "b": pair[1], "before": before.get(pair), "after": after.get(pair)})
    changes = (_scores(every) - _scores(kept)).abs().dropna()
    compared = {"order": every.order, "same_order": every.order == kept.order, "changed": changed, "largest": None}
    if len(changes):
        compared["largest"] = changes.max()
    return compared | {"sentence": everybody_sentence(compared, who)}


def _scores(ranking: Ranking) -> pd.Series:
    return pd.Series({bot: row["score"] for bot, row in ranking.contestants.items()}, dtype=float)


def _ahead_of_pairs(ranking: Ranking) -> dict[tuple[str, ...], str | None]:
    """Return who is clearly ahead of every two, in the order of their names; None where they can't be told apart."""
    scores = _scores(ranking).fillna(0.0)
    ahead: dict[tuple[str, ...], str | None] = {}
    for row in ranking.pairs:
        pair = tuple(sorted((row["a"], row["b"])))
        ahead[pair] = None
        if clear(row):
            ahead[pair] = max(row["a"], row["b"], key=lambda bot: scores.get(bot, 0.0))
    return ahead


def about_annotators(answers: Answers) -> Found:
    """Return the tables of every survey: one row an annotator, a summary, and their controls."""
    return {
        "annotators": annotators_table(answers),
        "account": account(answers),
        "summary": {"sentence": annotators_sentence(answers)},
        "controls": told_of_controls(answers, answers.facts.survey.limits.control_mistakes),
    }


def told_of_controls(answers: Answers, allowed: int | None) -> dict:
    """Return how controls were answered, of which so many may be missed, in numbers and a sentence."""
    controls = controls_summary(answers.controls, allowed, answers.failed)
    return {**controls, "sentence": controls_sentence(controls)}


def controls_sentence(data: Mapping) -> str:
    """Return how many controls annotators missed, and whether anybody is left out for it."""
    if not data["answered"]:
        return "There were no controls."
    text = "{annotators:annotator} answered {answered} controls, whose right answer is known, and missed {missed}."
    if data["allowed"] is not None:
        text += " Left out of the main figures, as they missed more than {allowed}: {0}."
    return filled(text, len(data["failed"]) or "nobody", **data)


def flagged_sentence(annotators: Iterable[Mapping], called: Callable[[str], str]) -> str:
    """Return who is flagged, and for what; nobody is left out of a figure for it."""
    flagged = {called(row["worker_id"]): row["flags"] for row in annotators if row["flags"]}
    if not flagged:
        return ""
    named = [f"{who} ({listed(flags)})" for who, flags in list(flagged.items())[:NAMED]]
    if len(flagged) > NAMED:
        named.append(f"{len(flagged) - NAMED} more")
    them = "this one" if len(flagged) == 1 else "them"
    return f"Flagged: {'; '.join(named)}. Look at {them} first; flags leave nobody out."


def everybody_sentence(data: Mapping, who: str) -> str:
    """Return what changes by `what_changes`; `who` begins the sentence, as "With everybody's answers"."""
    text = f"{who} the order differs: {' > '.join(map(contestant_said, data['order']))}"
    if data["same_order"]:
        text = f"{who} the order is the same"
    if data["largest"] is not None:
        text += f"; scores differ by {data['largest']:.2g} at most"
    verdicts = []
    for change in data["changed"]:
        two = f"{contestant_said(change['a'])} and {contestant_said(change['b'])}"
        verdicts.append(f"{two} ({_ahead(change['before'])}, then {_ahead(change['after'])})")
    if not verdicts:
        return f"{text}, and every pair's verdict stays."
    return f"{text}. Other verdicts: {'; '.join(verdicts)}."


def _ahead(name: str | None) -> str:
    if not name:
        return "not told apart"
    return f"{contestant_said(name)} ahead"


def annotators_table(answers: Answers) -> pd.DataFrame:
    """One row an annotator: annotations, units, seconds, controls, why left out, and what else is noted."""
    annotations = answers.everyone.drop_duplicates("annotation_id")
    annotations = annotations.loc[[*map(is_named, annotations["worker_id"])]]
    flags: dict[str, list[str]] = {}
    if answers.crossed:
        flags = flags_by_task(answers.judgements, answers.facts.conversations, answers.facts.survey)
        for worker in silent_annotators(answers.judgements):
            flags[worker] = [*flags.get(worker, ()), NO_REASON]
    by_worker = annotations.groupby("worker_id", sort=True)
    table = by_worker.agg(n=("unit_id", "size"), units=("unit_id", "nunique"), median_seconds=("seconds", "median"))
    table["hours"] = by_worker["seconds"].sum(min_count=1) / 3600
    table = with_controls(table, answers)
    table["flags"] = [flags.get(worker, []) for worker in table.index]
    return table.reset_index()


def with_controls(table: pd.DataFrame, answers: Answers) -> pd.DataFrame:
    """Return a table of annotators with how they answered controls, and why they are left out."""
    numbers = [answers.controls.get(worker, {"answered": 0, "missed": 0}) for worker in table.index]
    return table.assign(
        controls=[row["answered"] for row in numbers],
        missed_controls=[row["missed"] for row in numbers],
        left_out=[answers.failed.get(worker, "") for worker in table.index],
    )


def annotators_sentence(answers: Answers) -> str:
    """Return how many annotators there are, and how many are left out for each reason."""
    everyone = set(answers.everyone["worker_id"])
    workers = {*filter(is_named, everyone)}
    if not workers:
        return "It isn't known who answered."
    out = Counter(answers.failed[worker] for worker in sorted(workers & answers.failed.keys()))
    text = counted(len(workers), "annotator")
    if workers < everyone:
        text += f", and {counted(len(everyone - workers), 'answer')} by others who aren't named"
    if not out:
        return f"{text}; none is left out."
    return f"{text}, of whom are left out: {'; '.join(f'{n} {why}' for why, n in out.items())}."


def summarise(result: Result) -> list[str]:
    """Return who annotated, who missed controls, who is flagged, and what changes with everybody in; [] of judges."""
    if not result.people:
        return []
    text: list[str] = []
    summary = result.one("summary")
    if "sentence" in summary:
        text.append(Fact.from_text("Annotators", summary["sentence"]))
    controls = result.one("controls")
    if controls["answered"]:
        text.append(Fact.from_text("Controls", controls["sentence"]))
    text.append(Caution(flagged_sentence(result.rows("annotators"), result.called)))
    return text + [row["sentence"] for row in result.rows("with_everybody")[:1]]


finding = partial(declared, __file__, summarise=summarise)
"""The finding of a form of answers, from the form and what computes it."""
