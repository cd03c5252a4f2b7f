"""Win rates and labels by the length of the segment."""

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
    ends = [lengths[k] for k in sorted(lengths, key=int)[:: max(1, len(lengths) - 1)]]
    shares = [[own["human_share"] for name, own in end["systems"].items() if name != HUMAN] for end in ends]
    if len(ends) < 2 or not all(own and None not in own for own in shares):
        return []
    short, long = (percent(sum(own) / len(own)) for own in shares)
    first, *_, last = sorted(lengths, key=int)
    return [f"On average bots are called human in {short} of segments of {first} exchanges, in {long} at {last}."]


FINDING = declared(__file__, FORM, compute, summarise)
