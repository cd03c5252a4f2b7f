"""Time of annotations by the exchanges shown, and effort compared with chats of people with bots (section 5.3)."""

import math
from dataclasses import asdict

from parlai_spotbot.analysis.time import Effort, compare_effort, seconds_table, time_summary
from parlai_spotbot.findings import costs
from parlai_spotbot.findings.finding import Result, declared
from parlai_spotbot.findings.frames import Found
from parlai_spotbot.findings.spotting import FORM, Annotations
from parlai_spotbot.records import HUMAN


def compute(answers: Annotations) -> Found:
    """Seconds over all and by length, hours and cost; the effort against people who talk to the bots."""
    rows = answers.rows
    time = time_summary(rows, answers.options.wage)
    result = {"time": time, "by_length": seconds_table(rows, answers.together)}
    talks = rows[rows["a"] != HUMAN]
    if time["n"] and len(answers.bots) > 1 and len(talks) and not answers.one_side:
        conversations = talks["conversation_id"].nunique()
        pairs = len(answers.bots) * (len(answers.bots) - 1) / 2
        effort = compare_effort(
            len(answers.bots),
            seconds=time["mean"],
            conversations_per_pair=conversations / pairs,
            annotations_per_conversation=len(talks) / conversations,
            human_annotations=len(rows) - len(talks),
        )
        result["effort"] = {**asdict(effort), "sentence": effort_sentence(len(answers.bots), effort)}
    return result


def effort_sentence(systems: int, effort: Effort) -> str:
    """Compute how long annotating this number of systems takes, compared with talking to them."""
    text = f"For {systems} systems annotating takes {effort.hours:.1f} hours, talking to them {effort.other_hours:.1f}"
    if not math.isnan(effort.break_even):
        text += f"; with more than {effort.break_even:.0f} systems it takes longer"
    return f"{text}."


def summarise(result: Result) -> list[str]:
    """Return how long annotating took, and the effort beside people who talk to the bots."""
    return [*costs.summarise_time(result), *(row["sentence"] for row in result.rows("effort"))]


FINDING = declared(__file__, FORM, compute, summarise)
