"""Planning, packing, judging, analysing and reporting of a study are functions that need no ParlAI."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
STUDY = ROOT / "tests" / "goldens" / "studies" / "people"

PROGRAM = """
import re, sys
from pathlib import Path

for name in ("parlai", "transformers", "mephisto"):
    sys.modules[name] = None
path, text = sys.argv[1:]
from parlai_spotbot import Study, analyze, judge_study, pack, plan, report

study = Study.open(path)
print(plan(survey="spot_the_bot", bots=3, simulations=0).text)
pack(study, "comparative")
judge = {}
exec(re.search(r"# parlai_spotbot/judges/talkative.py\\n(.*?)```", Path(text).read_text(), re.S)[1], judge)
judge_study(study, "spot_the_bot", judge=judge["JUDGE"](0), progress=False)
found = analyze(study, bootstraps=20, backend="native", progress=False)
assert set(found["ranking"]["by_source"]) == {"human", "judge:spotter", "judge:talkative"}
print(report(study, without=("spotter", "talkative")))
assert "torch" not in sys.modules
"""


@pytest.mark.slow
def test_none_of_it_needs_parlai(tmp_path):
    shutil.copytree(STUDY, tmp_path / "study")
    told = [sys.executable, "-c", PROGRAM, str(tmp_path / "study"), str(ROOT / "CONTRIBUTING.md")]
    done = subprocess.run(told, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip().endswith("index.html")
