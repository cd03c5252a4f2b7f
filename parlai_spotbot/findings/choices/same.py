"""Is it the side? A bot against itself, and how often the left conversation is chosen of all."""

from parlai_spotbot.analysis.choices import same_test, share_test
from parlai_spotbot.findings.answers import Answers
from parlai_spotbot.findings.choices import FORM
from parlai_spotbot.findings.finding import Result, declared
from parlai_spotbot.findings.frames import Found
from parlai_spotbot.wording import filled, in_brackets, plainly

LEVEL = 0.05


def compute(answers: Answers) -> Found:
    """Contestants against themselves, and how often the left conversation is chosen."""
    tests = []
    sides = []
    for question in answers.questions:
        rows = answers.to(question)
        tests += [{"question": question, **test} for test in same_test(rows, crossed=answers.crossed)]
        sided = rows[rows["left"].notna()]
        if len(sided):
            sides.append({"question": question, **share_test((sided["left"] > 0).to_numpy(), answers.clusters(sided))})
    tables: Found = {"same": tests, "left": sides}
    if not tests:
        tables["whole"] = {"why": "no contestant was compared with itself"}
    return tables


def summarise(result: Result) -> list[str]:
    """Return how often the left conversation is chosen of all; [] where no sides are known."""
    text = []
    for row in result.rows("left"):
        clear = "more than chance explains" if row["p"] < LEVEL else "as chance would have it"
        got = "{0}: of all {n} choices the left conversation got {estimate:percent}{1}, {2}."
        text.append(filled(got, plainly(row["question"]).capitalize(), in_brackets(row["ci"]), clear, **row))
    return text


FINDING = declared(__file__, FORM, compute, summarise)
