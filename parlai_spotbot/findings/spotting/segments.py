"""Win rates and labels by the length of the segment."""

from statistics import fmean

from parlai_spotbot.analysis import segments
from parlai_spotbot.analysis.frames import matches_frame
from parlai_spotbot.findings.finding import Result, declared
from parlai_spotbot.findings.frames import Found
from parlai_spotbot.findings.spotting import FORM, Annotations
from parlai_spotbot.records import HUMAN
from parlai_spotbot.wording import percent


def compute(answers: Annotations) -> Found:
    """By length win rates and labels."""
    return {
        "segments": segments.by_length(matches_frame(answers.rows), answers.entities, answers.bots, answers.crossed)
    }


def summarise(result: Result) -> list[str]:
    """Return how often bots are called human where least and where most is shown; "" with one length."""
    shares: dict[int, list[float]] = {}
    for row in result.rows("segments"):
        shares.setdefault(row["exchanges"], [])
        if row["bot"] != HUMAN:
            shares[row["exchanges"]].append(row["human_share"])
    least, most = min(shares), max(shares)
    if least == most or not (shares[least] and shares[most]):
        return []
    short, long = (percent(fmean(shares[exchanges])) for exchanges in (least, most))
    return [f"On average bots are called human in {short} of segments of {least} exchanges, in {long} at {most}."]


FINDING = declared(__file__, FORM, compute, summarise)
