"""Win rates, labels and ties by the length of the segment (appendix F, Table 8)."""

from parlai_spotbot.analysis import segments
from parlai_spotbot.analysis.frames import matches_frame
from parlai_spotbot.findings.finding import Result, declared
from parlai_spotbot.findings.frames import Found
from parlai_spotbot.findings.spotting import FORM, Annotations
from parlai_spotbot.records import HUMAN
from parlai_spotbot.wording import percent


def compute(answers: Annotations) -> Found:
    """By length win rates and labels, and ties (Table 8)."""
    matches = matches_frame(answers.rows)
    return {
        "segments": segments.by_length(matches, answers.entities, answers.bots, answers.crossed),
        "tied": segments.ties_by_length(matches, answers.crossed),
    }


def summarise(result: Result) -> list[str]:
    """Return how often bots are called human where least and where most is shown; "" with one length."""
    rows = result.frames["segments"]
    bots = rows[rows["bot"] != HUMAN].astype({"human_share": float})
    means = bots.groupby("exchanges")["human_share"].mean()
    least = min(rows["exchanges"])
    most = max(rows["exchanges"])
    if least == most or not {least, most} <= set(means.index):
        return []
    text = "On average bots are called human in {} of segments of {} exchanges, in {} at {}."
    return [text.format(percent(means[least]), least, percent(means[most]), most)]


FINDING = declared(__file__, FORM, compute, summarise)
