"""Is it the side? A bot against itself, and how often the left conversation is chosen of all."""

from parlai_spotbot.analysis.choices import same_test, share_test
from parlai_spotbot.findings.answers import Answers
from parlai_spotbot.findings.choices import FORM
from parlai_spotbot.findings.finding import Result, declared
from parlai_spotbot.wording import filled, plainly, to

LEVEL = 0.05


def compute(answers: Answers) -> dict:
    """Contestants against themselves, and how often the left conversation is chosen."""
    tests, sides = {}, {}
    for question in answers.questions:
        rows = answers.to(question)
        tests[question] = same_test(rows, crossed=answers.crossed)
        sided = rows[rows["left"].notna()]
        if len(sided):
            sides[question] = share_test((sided["left"] > 0).to_numpy(), answers.clusters(sided))
    result: dict = {"tests": tests, "left": sides}
    if not any(tests.values()):
        result["why"] = "no contestant was compared with itself"
    return result


def summarise(result: Result) -> list[str]:
    """Return how often the left conversation is chosen of all; [] where no sides are known."""
    text = []
    for question, found in result.data["left"].items():
        clear = "more than chance explains" if found["p"] < LEVEL else "as chance would have it"
        got = "{0}: of all {n} choices the left conversation got {estimate:percent}{ends}, {1}."
        text.append(filled(got, plainly(question).capitalize(), clear, **found, ends=to(found["ci"])))
    return text


FINDING = declared(__file__, FORM, compute, summarise)
