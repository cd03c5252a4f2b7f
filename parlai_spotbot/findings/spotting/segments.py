"""Win rates and labels by the length of the segment."""

from parlai_spotbot.analysis import segments
from parlai_spotbot.analysis.frames import matches_frame
from parlai_spotbot.findings.finding import Finding, Result
from parlai_spotbot.findings.schema import Chart, Column, Table
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


TABLE = Table(
    "segments/{exchanges}/systems/{bot}",
    {
        "exchanges": Column("count", "Exchanges"),
        "bot": Column("name", "Bot"),
        "win_rate": Column("share", "Win rate", ci="win_rate_ci"),
        "human_share": Column("share", "Taken for human", ci="human_share_ci"),
        "unsure_share": Column("share"),
        "n": Column("count", "Labels"),
    },
    "By length of the segment",
    "Win rates are of decided matches; intervals take answers about one conversation or by one annotator as dependent.",
    ("deriu2020",),
)
CAPTION = "Share taken for human by the exchanges shown, with 95 % intervals."

FINDING = Finding(
    "segments",
    FORM,
    compute,
    tables={"segments": TABLE},
    summarise=summarise,
    heading="Segments",
    chart=Chart("curve", "segments", x="exchanges", y="human_share", group="bot", caption=CAPTION),
    place=40,
    surveys=("spot_the_bot",),
)
