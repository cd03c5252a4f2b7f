"""Verdicts of a survey that was served until settled, which hold however often somebody looked, and its plan."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import UTC, datetime

from parlai_spotbot.analysis.values import with_ends
from parlai_spotbot.analysis.verdict.probe import AMBER, RED, Probe
from parlai_spotbot.findings.answers import Form
from parlai_spotbot.findings.audit import of_level, rows_of
from parlai_spotbot.findings.finding import Finding, declared
from parlai_spotbot.findings.frames import Found, Frames
from parlai_spotbot.findings.rankings import Ranking
from parlai_spotbot.findings.render import Caution, Fact
from parlai_spotbot.findings.result import Result
from parlai_spotbot.findings.sections import Step
from parlai_spotbot.reading import own_data
from parlai_spotbot.records import HUMAN
from parlai_spotbot.wording import NAMED, counted, filled, names_or_number, question_subject, who

ENDS = {
    "settled": "Settled after {answers:answer}: {first}.",
    "budget": "{0} when the budget of {budget:answer} was used up: {first}.",
    "used up": "{0} after {answers:answer}, and no conversation of an open pair is left: {first}.",
    "deadline": "Ended at its deadline after {answers:answer}, {settled} of {pairs:pair} settled: {first}.",
    "": "Not settled yet after {answers:answer} of at most {budget:,}: {first}.",
}
PART = "Settled in part"
NONE = "Nothing was settled"
NOTHING = "Too little was answered to settle anything: no answer counts yet, of at most {budget:,}."
PLAN = "the plan fixed before the first answer ({0}, level {level:percent}, {1}budget {budget:,}{rest})"
ELSE = "that the plan was kept doesn't show that what the verdicts take for granted holds"
MEANS = (
    "Whoever is better has {0}, over all people and conversations like these. The null hypothesis is that two {1}. "
    "Units that aren't back count as the worst possible."
)
POINTS = ("more points", "score alike against each other and against every third one")
MEAN_RATINGS = ("the better mean", "have the same mean")
"""What better is, and the null hypothesis, of matches and of ratings."""

WORDS: dict[str, dict] = own_data(__file__)

PROBES: dict[str, dict[str, str]] = WORDS["probes"]
"""Words of each probe of the account."""

ERROR = (
    "The chance that any verdict is wrong is at most {error:percent}, however often one looked, if people and "
    "conversations are independent of each other and the bots stayed the same."
)
WITHHELD = "No verdict is given after {answers:answer}. {0}"

KINDS = {"better": "told apart", "equal": "equal within {margin:percent}", "open": "open"}
LINKS = {"better": "over"}

OF_CONTESTANTS = ("order", "clusters", "score", "score_ci", "matches")
"""What the account says of each contestant."""


def frames_of(data: Mapping) -> Found | None:
    """Return the frames of the account of a source that decided what was shown; None of another one."""
    if not data:
        return None
    contestants = []
    for bot in data["order"]:
        first, last = data["clusters"][bot]
        row = {"bot": bot, "score": data["score"][bot], "n": int(data["matches"][bot])}
        row |= {"cluster_first": first, "cluster_last": last, "ci": data["score_ci"][bot]}
        contestants.append(with_ends(row, "score"))
    pairs = [with_ends(row, "difference") for row in data["pairs"]]
    lists = {name: data[name] for name in ("path", "draws", "departures", "probes")}
    whole = {name: value for name, value in data.items() if name not in (*lists, *OF_CONTESTANTS, "pairs")}
    return {"ranking": contestants, "pairs": pairs, **lists, "whole": whole | {"matches": data["answers"]}}


def summarise(result: Result) -> list[str]:
    """Return what is settled, of how many pairs, and what departs from the registered plan."""
    data = result.one("whole")
    ranking = Ranking(result.frames)
    pairs = ranking.pairs
    checked = [_checked(result, data)]
    if not ranking.order:
        return [filled(NOTHING, **data), *checked]
    audit = audit_of(result.frames)
    withheld = [row["text"] for row in of_level(audit, RED)]
    if withheld:
        return [Caution(filled(WITHHELD, " ".join(withheld), **data)), *checked]
    checked += [row["text"] for row in of_level(audit, AMBER)]
    sentence = _of_pairs(pairs, data)
    open_ = sum(row["verdict"] == "open" for row in pairs)
    numbers = {**data, "settled": len(pairs) - open_, "pairs": len(pairs), "open": open_}
    ended = data["ended"]
    first = filled(ENDS[ended], NONE if open_ == len(pairs) else PART, **numbers, first=_first(ranking))
    if data["out"] and open_:
        ended = "out"
    step = Step.from_text(filled(WORDS["next"][ended], **numbers), plan=False, go_on=not ended)
    better = MEANS.format(*(MEAN_RATINGS if data["rated"] else POINTS))
    return [first, sentence, *checked, Fact.from_text("Better", better), step]


def _checked(result: Result, data: Mapping) -> str:
    """Return what departs from the plan, or that nothing does."""
    plan = _plan(data)
    departed = [f"{row['departure']}: {row['count']}" for row in result.rows("departures")]
    if departed:
        return Caution(f"Departures from {plan}: {'; '.join(departed)}.")
    return Fact.from_text("Plan", f"No departure from {plan}, by {counted(len(data['checks']), 'check')}; {ELSE}.")


def _plan(data: Mapping) -> str:
    """Return the plan that was fixed before the first answer."""
    rest = ""
    if data.get("deadline"):
        deadline = datetime.fromisoformat(data["deadline"]).astimezone(UTC)
        rest += f", deadline {deadline:%Y-%m-%d %H:%M} UTC"
    if data.get("control_mistakes") is not None:
        rest += f", without people who missed more than {counted(data['control_mistakes'], 'control')}"
    margin = filled("margin {margin:percent}, ", **data) if data["margin"] else ""
    return filled(PLAN, question_subject(data["question"]), margin, rest=rest, **data)


def audit_of(frames: Frames) -> list[dict]:
    """Return the probes of a survey that was served until settled as rows of an audit."""
    probes = [Probe(row["probe"], row["level"], row["figures"]) for row in frames.rows("probes")]
    return rows_of(probes, PROBES)


def _of_pairs(pairs: Sequence[Mapping], data: Mapping) -> str:
    """Return how many pairs have which verdict, and how sure that is."""
    verdicts = "; ".join(filter(None, (_pairs(pairs, kind, data) for kind in KINDS)))
    text = f"Of {counted(len(pairs), 'pair')}: {verdicts}."
    if {row["verdict"] for row in pairs} != {"open"}:
        text += f" {filled(ERROR, error=1 - data['level'])}"
    return text


def _pairs(pairs: Sequence[Mapping], kind: str, data: Mapping) -> str:
    """Return how many pairs have this verdict, and which where they are few; "" where none has."""
    link = LINKS.get(kind, "and")
    names = [f"{who(row['a'])} {link} {who(row['b'])}" for row in pairs if row["verdict"] == kind]
    if not names:
        return ""
    text = f"{len(names)} {filled(KINDS[kind], **data)}"
    if len(names) <= NAMED:
        text += f" ({', '.join(names)})"
    return text


def _first(ranking: Ranking) -> str:
    """Return who is better than all others; else who may be."""
    best = [name for name in ranking.order if ranking.places[name][0] == 1]
    if len(best) == 1:
        others = "all others"
        if len(ranking.order) == 2:
            others = who(ranking.order[1])
        verb = "are" if best[0] == HUMAN else "is"
        return f"{who(best[0])} {verb} better than {others}"
    among = {row["verdict"] for row in ranking.pairs if {row["a"], row["b"]} <= set(best)}
    names = names_or_number(list(map(who, best)), "contestants")
    if among == {"equal"}:
        return f"{names} are equal at the top"
    return f"who is first among {names} is open"


def finding(form: Form, part: str = "matches") -> Finding:
    """Return the finding of a form of answers, of `matches` or of `ratings`; it leads where a survey was served until
    settled."""
    return declared(__file__, form, lambda answers: frames_of(answers.settled), summarise, part=part)
