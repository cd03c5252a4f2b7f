"""Ask a judge again about the items of its certificate, until they show that it has changed or all are answered.

Verdicts are kept in ``judges/NAME/rechecks.jsonl``, a row an item and run, what a server said in the folder
``rechecks/RUN``; a run that was stopped goes on. Runs below 0 are verdicts repeated for the certificate.
"""

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
from parlai_spotbot.judges.certificate.of_study import bound_of, certificate_path, decisive, stale
from parlai_spotbot.study import SurveyFiles
from parlai_spotbot.wording import counted, filled, listed

FEWEST = 40
MOST = 200
ENDED = ""
"""In place of an item: the run was tested after all its items, and a further recheck is another one."""

SAME = "Judge {judge} has not been found to have changed, after {n:recheck}."
CHANGED = "Judge {judge} has changed: found after {found:recheck}. Its certificate is stale."
BELOW = (
    "  {changed} of {n:verdict} differ from those that were certified; they agree with {0.then:percent} of people's "
    "labels before and {0.now:percent} now; false alarms: 5% over all rechecks"
)


FORESEEN = (
    "A recheck of {0} items finds a judge that agreed with 85% of people's labels, and now does with 70%, in {1} of "
    "100 cases or more; after --certify --repeats 4, in {2} or more."
)
FOUND = {40: (38, 60), 60: (55, 77), 80: (66, 87), 100: (75, 92), 150: (90, 98), 200: (95, 99)}
"""Of 100 such judges those that the first recheck of so many items finds, in simulations: with one verdict before, and
with five."""


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
        lines = [filled(line, self.test, **values) for line in (text, BELOW)]
        if not self.changed:
            lines.append(f"  {foreseen(n)}")
        return "\n".join(lines)


def foreseen(items: int) -> str:
    """Return how often a recheck of so many items, `FEWEST` or more, or of fewer of them finds a drift."""
    simulated = max(size for size in FOUND if size <= max(items, FEWEST))
    return FORESEEN.format(simulated, *FOUND[simulated])


def recheck(data: SurveyFiles, judge: Judge, count: int, progress: bool = True, repeat: int = 0) -> Recheck:
    """Ask the judge again about `count` items of its certificate, and test whether it has changed.

    The caller holds the study. Where it has changed, the certificate says so from then on. With `repeat`, a number from
    1 up, nothing is tested: the verdicts of a judge just certified are kept, as those before which later ones are held.

    Raises
    ------
    UserError
        Where there is no certificate, or one of too few items.
    """
    path = certificate_path(data.study.path, data.survey, judge.name)
    certificate = read_certificate(path)
    items = _chosen(certificate, count, judge.seed, path)
    try:
        judge.open(data)
        changed = stale(certificate, {**bound_of(data, judge.name), "options": decisive(judge.options())})
        if changed:
            outcome = Recheck(judge.name, stale=listed(changed))
        else:
            outcome = _new_verdicts(data, judge, certificate, items, progress, repeat)
    finally:
        judge.close()
    if outcome.changed:
        replace(certificate, changed=str(outcome).partition("\n")[0]).write(path)
    return outcome


def _chosen(certificate: Certificate, count: int, seed: int, path: Path) -> list[dict[str, Any]]:
    """Return the items to ask about, in a drawn order that is the same for every run."""
    if not FEWEST <= count <= MOST:
        raise UserError(f"--recheck {count}: expected {FEWEST} to {MOST}.", "Leave N out for 150.")
    frozen = certificate.frozen
    if len(frozen) < FEWEST:
        raise UserError(
            f"{path}: {counted(len(frozen), 'item')} with labels; a recheck takes {FEWEST}.",
            "Let people label more, and certify the judge again.",
        )
    return [frozen[place] for place in generator(seed, "recheck").permutation(len(frozen))[:count]]


def _new_verdicts(
    data: SurveyFiles, judge: Judge, certificate: Certificate, items: Sequence[Mapping], progress: bool, repeat: int
) -> Recheck:
    """Ask the judge about the items, as far as this run has not yet, until a change is shown."""
    bound = certificate.bound
    folder = certificate_path(data.study.path, data.survey, judge.name).parent
    runs = _runs(folder / "rechecks.jsonl", bound["digest"])
    run = _next_run(runs, items, repeat)
    given = runs.pop(run, {})
    judge.anew(folder / "rechecks" / f"{bound['digest'][:12]}-{run}")
    judge.prepare(data, progress)
    open_ = [row for row in items if row["item"] not in given]
    with checksums.RecordedJournal(folder / "rechecks.jsonl") as journal:
        for name, verdict in _answers(data, judge, bound["question"], open_):
            journal.append({"certificate": bound["digest"], "run": run, "item": name, "verdict": verdict})
            given[name] = verdict
            if not repeat and _tested(items, runs, run, given, whole=False).found_after:
                break
    served = sorted((judge.describe().get("model") or {}).get("served", {}))
    if served and served != bound["served"]:
        return Recheck(judge.name, run, stale=f"the server now answers by {listed(served)}")
    if judge.stopped:
        raise UserError(f"judge {judge.name} stopped: {judge.stopped}.", "Run the same command again: it goes on.")
    if repeat:
        return Recheck(judge.name, run)
    with checksums.RecordedJournal(folder / "rechecks.jsonl") as journal:
        journal.append({"certificate": bound["digest"], "run": run, "item": ENDED, "verdict": ""})
    return Recheck(judge.name, run, _tested(items, runs, run, given))


def _next_run(runs: Mapping[int, Mapping[str, str]], items: Sequence[Mapping], repeat: int) -> int:
    """Return the run that goes on, or the next one where that is over."""
    if repeat:
        return -repeat
    run = max([1, *runs])
    if ENDED in runs.get(run, {}) or runs.get(run, {}).keys() >= {row["item"] for row in items}:
        return run + 1
    return run


def _runs(path: Path, digest: str) -> dict[int, dict[str, str]]:
    """Return the verdicts of each recheck of a certificate, by item; repeats have numbers below 0."""
    runs: dict[int, dict[str, str]] = {}
    for row in checksums.read_journal(path, lambda row, where: row):
        if row["certificate"] == digest:
            runs.setdefault(row["run"], {})[row["item"]] = row["verdict"]
    return runs


def _tested(
    items: Sequence[Mapping],
    runs: Mapping[int, Mapping[str, str]],
    run: int,
    given: Mapping[str, str],
    whole: bool = True,
) -> DriftTest:
    repeated = [row for row in items if row["item"] in given]
    verdicts = []
    for row in repeated:
        before = [verdict_by_item[row["item"]] for verdict_by_item in runs.values() if row["item"] in verdict_by_item]
        verdicts.append([row["verdict"], *before, given[row["item"]]])
    return drift_test(verdicts, [row["labels"] for row in repeated], run, whole)


def _answers(data: SurveyFiles, judge: Judge, question: str, items: Sequence[Mapping]) -> Iterator[tuple[str, str]]:
    """Yield the judge's new verdict on each item, as far as it gives one."""
    shown = {}
    for unit in data.units:
        for item in unit.items:
            shown.setdefault((item.item_id, judge.worker_of(unit)), (unit, item))
    for row in items:
        item_id, target = row["item"].split("\t")
        unit, item = shown[item_id, row["variant"]]
        alone = replace(unit, unit_id=f"recheck-{item_id}", items=(item,))
        judge.ask([alone])
        for one in judge.answer(alone):
            if (one.target, one.question) == (target, question):
                yield row["item"], str(one.answer)
        if judge.stopped:
            return
