"""Each file of a study is opened once by a command that only reads it, whatever its size."""

import os
import shutil
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import pytest

STUDIES = Path(__file__).parent / "goldens" / "studies"
COUNTED = """
import sys

def noted(event, arguments):
    if event == "open" and isinstance(arguments[0], str) and not (isinstance(arguments[2], int) and arguments[2] & 3):
        print("opened", arguments[0], file=sys.stderr)

from parlai_spotbot.scripts.main import main
sys.addaudithook(noted)
main(sys.argv[1:])
"""


def opened(study, *words):
    """How often a command opens each file of the study to read it."""
    code = [sys.executable, "-c", COUNTED, *words, "--study", study]
    done = subprocess.run(code, capture_output=True, text=True, check=True)
    names = [line.removeprefix("opened ") for line in done.stderr.splitlines() if line.startswith("opened ")]
    return Counter(name for name in names if name.startswith(str(study)) and Path(name).is_file())


@pytest.mark.parametrize("survey", ["spot_the_bot", "comparative", "votes", "nuc"])
def test_a_file_is_opened_once(tmp_path, survey):
    golden = next(
        path for path in sorted(STUDIES.iterdir()) if (path / "surveys" / survey / "judgements.jsonl").exists()
    )
    study = shutil.copytree(golden, tmp_path / "study")
    analyze = ("analyze", "--survey", survey, "--bootstraps", "20")
    subprocess.run([Path(sys.executable).with_name("spotbot"), *analyze, "--study", study], check=True)
    for path in study.rglob("*"):
        os.utime(path)
    time.sleep(0.1)  # what was written this moment is read again, as it may change without a sign
    for words in (analyze, ("report", "--survey", survey)):
        counts = opened(study, *words)
        assert {"study.yaml", "manifest.json", "judgements.jsonl"} <= {Path(name).name for name in counts}
        assert set(counts.values()) == {1}, counts
