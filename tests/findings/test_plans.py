"""Plans as functions of the library: what is taken where nothing is said, and no need of ParlAI."""

import subprocess
import sys

import pytest

from parlai_spotbot.errors import UserError
from parlai_spotbot.findings.plans import PlanRequest, plan
from parlai_spotbot.surveys import planned

WITHOUT_PARLAI = """
import sys

sys.modules["parlai"] = None
from parlai_spotbot.findings.plans import PlanRequest, plan

print(plan(PlanRequest(bots=3, simulations=0)).text)
"""


def test_it_needs_no_parlai():
    done = subprocess.run([sys.executable, "-c", WITHOUT_PARLAI], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert "corrected for tests of 3 pairs" in done.stdout


@pytest.mark.parametrize("survey", sorted(planned()))
def test_what_is_not_said_is_the_survey_s(survey):
    known = planned()[survey]
    asked = PlanRequest(survey, bots=2).with_defaults(planned()[survey])[0]
    assert asked.difference == known.difference
    assert asked.annotations_per_worker == known.annotations_per_worker
    assert PlanRequest(survey, annotations_per_worker=7).with_defaults(known)[0].annotations_per_worker == 7
    made = plan(PlanRequest(survey, bots=2, simulations=0))
    assert made.to_json()["made_by"]["options"]["difference"] == known.difference
    assert made.path is None


def test_what_the_arithmetic_refuses_is_an_option():
    with pytest.raises(UserError, match=r"power is 2\.0"):
        plan(PlanRequest(bots=2, power=2.0))
