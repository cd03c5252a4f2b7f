"""Annotators in every survey but Spot The Bot: who they are, who is left out and why, and what changes with them in."""

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from functools import partial

import pandas as pd

from parlai_spotbot.analysis.annotators.controls import compare_everybody, controls_summary, silent_annotators
from parlai_spotbot.findings.answers import Answers
from parlai_spotbot.findings.finding import Result, declared
from parlai_spotbot.findings.frames import Found, one_row
from parlai_spotbot.findings.rankings import Ranking
from parlai_spotbot.findings.render import Caution, Fact
from parlai_spotbot.findings.source_accounts import account
from parlai_spotbot.surveys.controls.exclusion import allowed_mistakes
from parlai_spotbot.surveys.controls.flags import flags_by_task
from parlai_spotbot.wording import NAMED, counted, listed

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
            kept, every = (ranked(answers, part.to(question)) for part in (answers, answers.whole))
            changes.append({"question": question, **what_changes(kept, every, "With everybody's answers")})
        result["with_everybody"] = pd.DataFrame(changes)
    return result


def what_changes(kept: Ranking, every: Ranking, who: str) -> dict:
    """Return what changes in a ranking with everybody's answers, in numbers and in a sentence that begins with
    `who`."""
    compared = compare_everybody(_compared(kept), _compared(every))
    return compared | {"sentence": everybody_sentence(compared, who)}


def _compared(ranking: Ranking) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return the contestants and the pairs of a ranking."""
    contestants = pd.DataFrame(list(ranking.contestants.values()), columns=["bot", "score"])
    return contestants, pd.DataFrame(ranking.pairs, columns=["a", "b", "p_adjusted"])


def about_annotators(answers: Answers) -> Found:
    """Return what is said in every survey: one row an annotator, all together, and their controls."""
    return {
        "annotators": annotators_table(answers),
        "account": account(answers),
        "summary": one_row(sentence=annotators_sentence(answers)),
        "controls": told_of_controls(answers, allowed_mistakes(answers.facts.survey)),
    }


def told_of_controls(answers: Answers, allowed: int | None) -> pd.DataFrame:
    """Return how controls were answered, of which so many may be missed, in numbers and a sentence."""
    controls = controls_summary(answers.controls, allowed, answers.failed)
    return one_row(**controls, sentence=controls_sentence(controls))


def controls_sentence(data: Mapping) -> str:
    """Return how many controls annotators missed, and whether anybody is left out for it."""
    answered, missed, allowed = (data[key] for key in ("answered", "missed", "allowed"))
    if not answered:
        return "There were no controls."
    who = counted(data["annotators"], "annotator")
    text = f"{who} answered {answered} controls, whose right answer is known, and missed {missed}."
    if allowed is not None:
        text += f" Left out of the main figures, as they missed more than {allowed}: {len(data['failed']) or 'nobody'}."
    return text


def flagged_sentence(annotators: Iterable[Mapping], called: Callable[[str], str]) -> str:
    """Return who is flagged, and for what; nobody is left out of a figure for it."""
    flagged = {called(row["worker_id"]): row["flags"] for row in annotators if row["flags"]}
    if not flagged:
        return ""
    named = [f"{who} ({listed(flags)})" for who, flags in list(flagged.items())[:NAMED]]
    more = len(flagged) - len(named)
    text = "; ".join([*named, *([f"{more} more"] if more else [])])
    them = "them" if len(flagged) > 1 else "this one"
    return f"Flagged: {text}. Look at {them} first; flags leave nobody out."


def everybody_sentence(data: Mapping, who: str) -> str:
    """Return what changes by `compare_everybody`; `who` begins the sentence, as "With everybody's answers"."""
    order = "is the same" if data["same_order"] else "is another: " + " > ".join(data["order"])
    text = f"{who} the order {order}"
    if data["largest"] is not None:
        text += f"; scores differ by {data['largest']:.2g} at most"
    verdicts = [f"{c['a']} and {c['b']} ({_ahead(c['before'])}, then {_ahead(c['after'])})" for c in data["changed"]]
    return text + (f". Other verdicts: {'; '.join(verdicts)}." if verdicts else ", and every pair's verdict stays.")


def _ahead(name: str | None) -> str:
    return f"{name} ahead" if name else "not told apart"


def annotators_table(answers: Answers) -> pd.DataFrame:
    """One row an annotator: annotations, units, seconds, controls, why left out, and what else is noted."""
    annotations = answers.everyone.drop_duplicates("annotation_id")
    flags: dict[str, list[str]] = {}
    if answers.crossed:
        flags = flags_by_task(answers.judgements, answers.facts.conversations, answers.facts.survey)
        for worker in silent_annotators(answers.judgements):
            flags[worker] = [*flags.get(worker, ()), NO_REASON]
    by_worker = annotations.groupby("worker_id", sort=True)
    seconds = by_worker["seconds"]
    table = pd.DataFrame(
        {
            "n": by_worker.size(),
            "units": by_worker["unit_id"].nunique(),
            "median_seconds": seconds.median(),
            "hours": seconds.agg(lambda own: own.sum(min_count=1)) / 3600,
        }
    )
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
    workers = set(answers.everyone["worker_id"])
    out = Counter(answers.failed[worker] for worker in sorted(workers & answers.failed.keys()))
    reasons = "; ".join(f"{n} {why}" for why, n in out.items())
    tail = f", of whom are left out: {reasons}." if reasons else "; none is left out."
    return f"{counted(len(workers), 'annotator')}{tail}"


def summarise(result: Result) -> list[str]:
    """Return who annotated, who missed controls, who is flagged, and what changes with everybody in; [] of judges."""
    if not result.people:
        return []
    frames = result.frames
    summary = frames.one("summary")
    controls = frames.one("controls")
    text: list[str] = [Fact.of("Annotators", summary["sentence"])] if "sentence" in summary else []
    if controls["answered"]:
        text.append(Fact.of("Controls", controls["sentence"]))
    text.append(Caution(flagged_sentence(frames.rows("annotators"), result.called)))
    text += [row["sentence"] for row in frames.rows("with_everybody")[:1]]
    return text


finding = partial(declared, __file__, summarise=summarise)
"""The finding of a form of answers, from the form and what computes it."""
