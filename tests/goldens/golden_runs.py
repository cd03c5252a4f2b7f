"""What the commands make of the stored studies: analyses, reports, a comparison, copies for publication."""

import contextlib
import hashlib
import io
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from unittest import mock

from parlai_spotbot.scripts.spotbot_analyze import SpotbotAnalyze
from parlai_spotbot.scripts.spotbot_report import SpotbotReport
from parlai_spotbot.study import Study
from tests.goldens.golden_compare import differences
from tests.goldens.golden_text import normal, page_text

HERE = Path(__file__).parent
STUDIES = HERE / "studies"
EXPECTED = HERE / "expected"
OPTIONS: dict[str, dict] = {
    "rules": {"bootstraps": 100, "stability": True},
    "people": {"bootstraps": 200, "wage": 12.0},
    "surveys": {"bootstraps": 60},
}
"""How each study is analysed, beside the native backend."""
SEVERAL = "compared"
"""The table of all studies."""
KEY = bytes(range(32))
"""In the place of the key that a copy for publication draws."""


def copied(name: str, folder: Path, analysis: bool = False) -> Study:
    """A stored study in `folder`, with its stored analysis only if asked for."""
    shutil.copytree(STUDIES / name, folder / name)
    if not analysis:
        for path in [folder / name / "analysis", *(folder / name).glob("surveys/*/analysis")]:
            shutil.rmtree(path, ignore_errors=True)
    return Study.open(folder / name)


def judged(study: Study) -> list[str]:
    """The surveys with answers."""
    return sorted(path.parent.name for path in study.path.glob("surveys/*/judgements.jsonl"))


def run(name: str, folder: Path) -> None:
    """Analyse a stored study in `folder`, and write its report and its copy for publication."""
    study = copied(name, folder)
    with contextlib.chdir(folder):
        said = io.StringIO()
        with contextlib.redirect_stdout(said):
            for survey in judged(study):
                options = OPTIONS[name]
                if survey in ("nuc", "votes"):
                    options = {key: value for key, value in options.items() if key == "bootstraps"}
                native = {} if survey in WITHOUT_BACKEND else {"backend": "native"}
                SpotbotAnalyze.main(study=name, survey=survey, **native, **options)
            SpotbotReport.main(study=name)
            if name != "surveys":
                _exported(name)
        Path(name, "terminal.txt").write_text(said.getvalue(), encoding="utf-8")


WITHOUT_BACKEND = ("acute_eval", "comparative", "dialogue_likert", "turn_likert", "abc_eval", "nuc", "votes")


def _exported(name: str) -> None:
    with mock.patch("secrets.token_bytes", return_value=KEY):
        SpotbotReport.main(study=name, export=f"{name}/exported")


def run_several(folder: Path) -> None:
    """Compare the studies in `folder`, which are analysed."""
    with contextlib.chdir(folder), contextlib.redirect_stdout(io.StringIO()):
        SpotbotReport.main(compare=list(OPTIONS), out=SEVERAL, survey="spot_the_bot")


# -- what is held ----------------------------------------------------------------------------------------------------
def results(folder: Path) -> dict[str, str]:
    """Everything to hold of what stands in a study's folder after `run`, or in that of `run_several`: text by path."""
    return dict(_results(folder))


def _results(folder: Path) -> Iterator[tuple[str, str]]:
    for path in sorted(folder.rglob("*")):
        where = path.relative_to(folder)
        read = next((read for fits, read in HELD if fits(where)), None)
        if path.is_file() and read is not None:
            yield where.as_posix() + (".txt" if path.suffix == ".html" else ""), read(path)


def _as_it_is(path: Path) -> str:
    return normal(path.read_text(encoding="utf-8"))


def _page(path: Path) -> str:
    return page_text(path.read_text(encoding="utf-8"))


def _short(path: Path) -> str:
    """Of a long file: how many lines, their checksum, and the first."""
    text = path.read_text(encoding="utf-8")
    digest = hashlib.sha256(text.encode()).hexdigest()
    return f"{len(text.splitlines())} lines, SHA-256 {digest}\n{(text.splitlines() or [''])[0]}\n"


def _exports(where: Path) -> bool:
    return where.parts[0] == "exported"


def _analyses(where: Path) -> bool:
    return where.suffix in (".json", ".csv") and "analysis" in where.parts


def _in_report(where: Path) -> bool:
    return where.parts[0] == "report" and where.suffix in (".csv", ".md", ".tex", ".bib")


HELD: list[tuple[Callable[[Path], bool], Callable[[Path], str]]] = [
    (lambda where: _exports(where) and where.suffix == ".jsonl", _short),
    (lambda where: _exports(where) and where.name not in ("LICENSE", "SHA256SUMS"), _as_it_is),
    (lambda where: where.suffix == ".html", _page),
    (lambda where: where.name == "studies.csv", _as_it_is),
    (lambda where: _analyses(where) or _in_report(where) or where.name == "terminal.txt", _as_it_is),
]
"""Which files are held, by their path in the folder, and how each is read."""


def made(folder: Path) -> Iterator[tuple[str, Path]]:
    """Run everything in `folder`; the name and folder of each study, then of the comparison."""
    for name in OPTIONS:
        run(name, folder)
        yield name, folder / name
    run_several(folder)
    yield SEVERAL, folder / SEVERAL


def write(texts: dict[str, str], folder: Path) -> None:
    """The texts as files of `folder`, which holds nothing else then; a file that counts as the same stays as it is."""
    before = stored(folder)
    shutil.rmtree(folder, ignore_errors=True)
    for name, text in texts.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        same = name in before and not differences({name: before[name]}, {name: text})
        path.write_text(before[name] if same else text, encoding="utf-8")


def stored(folder: Path) -> dict[str, str]:
    """What `write` wrote."""
    paths = sorted(path for path in folder.rglob("*") if path.is_file())
    return {path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8") for path in paths}
