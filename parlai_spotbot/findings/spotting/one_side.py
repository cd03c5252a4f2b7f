"""How often simulated users are taken for people, where the user's side alone is judged, beside people on that side."""

from dataclasses import replace

from parlai_spotbot.analysis.uncertainty.shares import share_interval
from parlai_spotbot.findings.finding import Result
from parlai_spotbot.findings.methods import CLUSTERED
from parlai_spotbot.findings.spotting import Annotations, ranking
from parlai_spotbot.records import HUMAN
from parlai_spotbot.wording import between, percent


def compute(answers: Annotations) -> dict | None:
    """Return how often each contestant is taken for human, and all `together`; None where people alone were judged."""
    if not answers.bots:
        return None
    users = (answers.entities["name"] != HUMAN).to_numpy()
    taken = (answers.entities["nature"] == HUMAN).to_numpy()[users]
    ci = share_interval(taken, answers.together.take(answers.pages[users]))
    return ranking.compute(answers) | {"together": {"human_share": taken.mean(), "ci": list(ci)}}


def summarise(result: Result) -> list[str]:
    """Return how often simulated users are taken for people, and people; then what the ranking says."""
    data, further = result.data, ranking.summarise(result)
    sides = (data["together"], data["human_reference"])
    users, people = (f"{percent(side['human_share'])}{between(side['ci'])}" for side in sides)
    text = f"Simulated users are taken for people in {users} of judgements, people in {people}."
    return [text, *(further if len(data["order"]) > 1 else further[1:2])]


COLUMNS = {name: ranking.TABLES["ranking"].columns[name] for name in ("bot", "cluster", "human_share", "p_people")}
METHOD = f"Shares of judgements of the user's side; people who began a conversation are the reference. {CLUSTERED}"

FINDING = replace(
    ranking.FINDING,
    compute=compute,
    tables={"ranking": replace(ranking.TABLES["ranking"], columns=COLUMNS, method=METHOD)},
    summarise=summarise,
    heading="Simulated users",
    chart=None,
    bars=("human_share",),
    surveys=("spot_the_user",),
)
