"""Win rates and labels by the length of the segment."""

from statistics import fmean

from parlai_spotbot.analysis import segments
from parlai_spotbot.analysis.frames import matches_frame
from parlai_spotbot.findings.finding import Result, declared
from parlai_spotbot.findings.spotting import FORM, Annotations
from parlai_spotbot.records import HUMAN
from parlai_spotbot.wording import percent


def compute(answers: Annotations) -> dict:
    """By length win rates and labels."""
    return {
        "segments": segments.by_length(matches_frame(answers.rows), answers.entities, answers.bots, answers.crossed)
    }


def summarise(result: Result) -> list[str]:
    """Return how often bots are called human where least and where most is shown; "" with one length."""
    lengths = result.data["segments"]
    if len(lengths) < 2:
        return []
    ordered = sorted(lengths, key=int)
    ends = (ordered[0], ordered[-1])
    shares = [[own["human_share"] for bot, own in lengths[k]["systems"].items() if bot != HUMAN] for k in ends]
    if not all(own and None not in own for own in shares):
        return []
    short, long = (percent(fmean(own)) for own in shares)
    return [f"On average bots are called human in {short} of segments of {ends[0]} exchanges, in {long} at {ends[1]}."]


FINDING = declared(__file__, FORM, compute, summarise)
