"""Ask a judge again about the items of its certificate, until they show that it has changed or all are answered.

Verdicts are kept in ``judges/NAME/rechecks.jsonl``, a row an item and run, what a server said in the folder
``rechecks/RUN``; a run that was stopped goes on.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from parlai_spotbot import checksums
from parlai_spotbot.analysis.certificate.drift import DriftTest, drift_test
from parlai_spotbot.analysis.values import generator
from parlai_spotbot.errors import UserError
from parlai_spotbot.judges import Judge
from parlai_spotbot.judges.certificate import Certificate, read_certificate
from parlai_spotbot.judges.certificate.of_study import bound_of, certificate_path, stale
from parlai_spotbot.study import Study
from parlai_spotbot.wording import counted, filled, listed, upper_first

FEWEST = 40
MOST = 200

SAME = "Judge {judge} has not been found to have changed, after {n:recheck}."
CHANGED = "Judge {judge} has changed: found after {found:recheck}. Its certificate is stale."
BELOW = (
    "  {changed} of {n:verdict} differ from those that were certified; they agree with {0.then:percent} of people's "
    "labels before and {0.now:percent} now; false alarms: 5% over all rechecks"
)


@dataclass(frozen=True)
class Recheck:
    """Outcome of a recheck: the `test` of run `run`, or why the certificate is `stale` without any answer."""

    judge: str
    run: int = 0
    test: DriftTest | None = None
    stale: str = ""

    @property
    def changed(self) -> bool:
        return bool(self.stale) or (self.test is not None and self.test.found_after > 0)

    def __str__(self) -> str:
        if self.stale or self.test is None:
            return f"The certificate of judge {self.judge} is stale: {self.stale}."
        text = SAME
        if self.changed:
            text = CHANGED
        n = len(self.test.wealth)
        values = {"judge": self.judge, "n": n, "found": self.test.found_after, "changed": self.test.changed}
        return "\n".join(filled(line, self.test, **values) for line in (text, BELOW))


def recheck(study: Study, survey: str, judge: Judge, count: int, progress: bool = True) -> Recheck:
    """Ask the judge again about `count` items of its certificate, and test whether it has changed.

    The caller holds the study. Where it has changed, the certificate says so from then on.

    Raises
    ------
    UserError
        Where there is no certificate, or one of too few items.
    """
    path = certificate_path(study, survey, judge.name)
    certificate = read_certificate(path)
    items = _chosen(certificate, count, judge.seed, path)
    journal = path.with_name("rechecks.jsonl")
    try:
        judge.open(study, survey)
        now = {**bound_of(study, survey, judge.name), "options": judge.options()}
        now["options"] = {name: value for name, value in now["options"].items() if name != "seed"}
        if changed := stale(certificate, now):
            return _noted(certificate, path, Recheck(judge.name, stale=listed(changed)))
        rows = checksums.read_journal(journal, _checked)
        run, earlier, given = _state(rows, items)
        judge.anew(path.with_name("rechecks") / str(run))
        judge.prepare(study, survey, progress)
        with checksums.RecordedJournal(journal) as written:
            for name, verdict in _answers(study, survey, judge, certificate, items[len(given) :]):
                written.append({"run": run, "item": name, "verdict": verdict})
                given[name] = verdict
                test = _test(items, earlier, given)
                if test.found_after:
                    break
        served = sorted((judge.describe().get("model") or {}).get("served", {}))
    finally:
        judge.close()
    if len(given) < FEWEST and not _test(items, earlier, given).found_after:
        raise UserError(
            f"{journal}: judge {judge.name} answered {counted(len(given), 'item')}: {judge.stopped or 'some failed'}.",
            "Correct the judge or its server, then run the same command again: what was answered is kept.",
        )
    outcome = Recheck(judge.name, run, _test(items, earlier, given))
    if served and served != certificate.bound["served"]:
        outcome = replace(outcome, stale=f"the server now answers by {listed(served)}")
    return _noted(certificate, path, outcome)


def _chosen(certificate: Certificate, count: int, seed: int, path: Path) -> list[dict[str, Any]]:
    """Return the items to ask about, in a drawn order that is the same for every run."""
    if not FEWEST <= count <= MOST:
        raise UserError(
            f"--recheck {count}: expected {FEWEST} to {MOST}.", f"Write --recheck {FEWEST}, or leave N out."
        )
    if len(certificate.frozen) < FEWEST:
        raise UserError(
            f"{path}: {counted(len(certificate.frozen), 'item')} with labels; a recheck takes {FEWEST}.",
            "Let people label more, and certify the judge again.",
        )
    order = generator(seed, "recheck").permutation(len(certificate.frozen))
    return [certificate.frozen[place] for place in order[:count]]


def _checked(row: dict, where: str) -> dict:
    if not {"run", "item", "verdict"} <= row.keys():
        raise UserError(f"{where}: expected run, item and verdict.", "Put a copy back.")
    return row


def _state(rows: Sequence[Mapping], items: Sequence[Mapping]) -> tuple[int, dict[str, list[str]], dict[str, str]]:
    """Return the number of the run to go on with, the verdicts of complete runs by item, and those of this one."""
    by_run: dict[int, dict[str, str]] = {}
    for row in rows:
        by_run.setdefault(row["run"], {})[row["item"]] = row["verdict"]
    run = max(by_run, default=1)
    if by_run.get(run, {}).keys() >= {row["item"] for row in items}:
        run += 1
    given = by_run.pop(run, {})
    earlier = {row["item"]: [row["verdict"]] for row in items}
    for verdicts in by_run.values():
        for name, verdict in verdicts.items():
            earlier.setdefault(name, []).append(verdict)
    return run, earlier, given


def _answers(
    study: Study, survey: str, judge: Judge, certificate: Certificate, items: Sequence[Mapping]
) -> Iterator[tuple[str, str]]:
    """Yield the judge's new verdict on each item, as far as it gives one."""
    shown = {}
    for unit in study.load(survey).units:
        for item in unit.items:
            shown.setdefault((item.item_id, judge.worker_of(unit)), (unit, item))
    question = certificate.bound["question"]
    for row in items:
        item_id, target = row["item"].split("\t")
        unit, item = shown[item_id, row["variant"]]
        alone = replace(unit, unit_id=f"recheck-{item_id}", items=(item,))
        answers = [one for one in judge.answer(alone) if (one.target, one.question) == (target, question)]
        if judge.stopped:
            return
        if answers:
            yield row["item"], str(answers[0].answer)


def _test(items: Sequence[Mapping], earlier: Mapping[str, list[str]], given: Mapping[str, str]) -> DriftTest:
    answered = [row for row in items if row["item"] in given]
    runs = min((len(earlier[row["item"]]) for row in answered), default=1)
    verdicts = [[*earlier[row["item"]][:runs], given[row["item"]]] for row in answered]
    return drift_test(verdicts, [row["labels"] for row in answered])


def _noted(certificate: Certificate, path: Path, outcome: Recheck) -> Recheck:
    """Write into the certificate that the judge has changed, where it has."""
    if outcome.changed:
        replace(certificate, changed=upper_first(str(outcome).splitlines()[0])).write(path)
    return outcome
