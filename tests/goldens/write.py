"""Write the goldens anew, or what this code makes of the stored studies somewhere else.

    python -m tests.goldens.write
    python -m tests.goldens.write --out DIR

The first command replaces tests/goldens/expected; only where a finding is new, or a
change of published wording or figures is announced. The
second leaves the goldens alone: DIR/made has analyses, pages and copies as they are written, DIR/held what the goldens
would hold, so that `diff -r` compares two revisions byte by byte.
"""

import argparse
import os
import shutil
import sys
import tempfile
from pathlib import Path

from tests.goldens import golden_runs


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", type=Path, default=None, metavar="DIR", help="write there, not to the goldens")
    out = parser.parse_args().out
    # As in an active environment, where hints say `parlai` without its folder.
    os.environ["PATH"] = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    with tempfile.TemporaryDirectory() as folder:
        made = Path(folder)
        if out is not None:
            made, held = out / "made", out / "held"
            for old in (made, held):
                shutil.rmtree(old, ignore_errors=True)
            made.mkdir(parents=True)
        else:
            held = golden_runs.EXPECTED
        for name, own in golden_runs.made(made.resolve()):
            texts = golden_runs.results(own)
            golden_runs.write(texts, held / name)
            print(f"{held / name}: {len(texts)} files")


if __name__ == "__main__":
    main()
