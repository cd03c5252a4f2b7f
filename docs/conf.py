"""Sphinx's configuration for `make docs`.

READMEs of rooms are pages as they are; public names make the API's page, findings the tables', parsers the commands'.
"""

import inspect
import os
import re
import shutil
import tempfile
from pathlib import Path

from docutils import nodes
from jupyter_client import KernelManager

import parlai_spotbot
from parlai_spotbot import scripts
from parlai_spotbot.findings import findings_of
from parlai_spotbot.findings.finding import csv_tables
from parlai_spotbot.reading import parse_yaml, whole_text
from parlai_spotbot.report.page import build_report
from parlai_spotbot.surveys import get_survey, survey_names

DOCS = Path(__file__).parent
ROOT = DOCS.resolve().parent
MADE = DOCS / "made"
READMES = {name: ROOT / place for name, place in parse_yaml(whole_text(DOCS / "readmes.yaml")).items()}
"""The pages that stand elsewhere in the sources, by their name here."""

project = "parlai_spotbot"
extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
html_theme = "pydata_sphinx_theme"
html_title = project
html_theme_options = {"navbar_center": [], "show_prev_next": False}
html_sidebars = {"**": ["globaltoc.html"]}
html_show_copyright = False
html_static_path = ["static"]
html_css_files = ["pages.css"]
exclude_patterns = ["_build"]
myst_heading_anchors = 3
nb_execution_mode = "force"
nb_execution_raise_on_error = True
nb_execution_in_temp = True
nb_merge_streams = True
KernelManager.transport_encryption.default_value = "auto"  # else kernels warn of those who can listen
napoleon_google_docstring = False
suppress_warnings = ["myst.header", "misc.highlighting_failure"]

LINK = re.compile(r"(!?)\[([^\]]*)\]\((?!https?:|mailto:|#)([^)#\s]+)(?:#[^)\s]*)?\)")


def linked(text: str, folder: Path, there: Path) -> str:
    """A text of `folder` as it is in the folder `there`: links to pages lead there, others are their words."""
    places = {path: MADE / f"{name}.md" for name, path in READMES.items()}

    def corrected(match: re.Match) -> str:
        image, words, link = match.groups()
        target = (folder / link).resolve()
        if not image:
            target = places.get(target / "README.md" if target.is_dir() else target, target)
            if target.parent not in (DOCS, MADE) or target.suffix not in (".md", ".ipynb"):
                return words
        return f"{image}[{words}]({os.path.relpath(target, there)})"

    return LINK.sub(corrected, text)


API_BEGINS = """\
API
===

Five calls, from a study that comes with the package to a plan of one's own; each has more below.

.. code-block:: python

   import parlai_spotbot as sb

   study = sb.demo()                                     # or sb.Study.open("studies/mine")
   answers = study.answers("spot_the_bot").of("spotter")  # of one source: people are "human"
   ranking = sb.rank(answers)                            # .sentences, .tables, .plot()
   votes = sb.read_votes("votes.csv").rank()             # an arena's votes, without a study
   needed = sb.plan(bots=4, difference=0.2)              # conversations, annotations, hours

A study from start to end: ``sb.selfplay``, ``sb.pack``, ``sb.judge_study``, ``sb.analyze``, ``sb.report``; of two bots
in one call ``sb.compare``; of other people's data ``sb.import_study``. The columns of all ``.tables``: :doc:`tables`.
The same on the command line: :doc:`commands`.

"""
ORDER = (
    "demo Study rank finding survival agreement trust read_votes certify plan compare selfplay openai pack judge_study "
    "analyze report"
)


TABLES_BEGIN = """\
What `.tables` of `sb.rank` and its like holds, and each CSV file in a study's folder `analysis`: a table a heading,
under the name of its file; `.tables` leaves the finding's name out (`ranking_pairs` is `sb.rank(…).tables["pairs"]`).
Each has a column `source` too, "human" or "judge:NAME". An interval is two columns, `_low` and `_high`, at 95%; it
takes answers about one conversation or by one annotator as correlated, if the table doesn't say otherwise. A value that
is not known is missing.
"""


def api() -> str:
    """The page of the public names, each by its docstring."""
    lines = [API_BEGINS]
    for name in [*ORDER.split(), "import_study", "PlanRequest"]:
        member = getattr(parlai_spotbot, name)
        kind = "autoclass" if inspect.isclass(member) else "autofunction"
        lines += [f".. {kind}:: {member.__module__}.{name}"]
        lines += ["   :members:", "   :inherited-members:", ""] if name == "Study" else [""]
    return "\n".join(lines)


def tables() -> str:
    """The page of the findings' tables: every column, its unit and what it holds, and how a table is computed."""
    about = parse_yaml(whole_text(ROOT / "parlai_spotbot" / "findings" / "columns.yaml"))
    lines = ["# Tables", "", TABLES_BEGIN]
    for survey in map(get_survey, survey_names()):
        lines += [f"## {survey.about.title or survey.name} (`{survey.name}`)", ""]
        for finding in findings_of(survey):
            for stem, table in csv_tables(finding).items():
                lines += [f"### {stem}", "", f"{table.title or 'Only in the files'}. {table.method}", ""]
                lines += ["| column | unit | holds |", "| --- | --- | --- |"]
                for name, column in table.columns.items():
                    unit, ends = about["kinds"][column.kind], f", `{name}_low`, `{name}_high`" if column.ci else ""
                    title = f"{column.title}: " if column.title else ""
                    lines.append(f"| `{name}`{ends} | {unit} | {title}{about['columns'][name]} |")
                lines.append("")
    return "\n".join(lines)


def commands() -> str:
    """The page of the commands, each with all its options."""
    lines = ["# Commands", "", "Each is ``spotbot NAME`` and, where ParlAI is installed, ``parlai spotbot_NAME``."]
    for name, command in scripts.load(scripts.COMMANDS).items():
        parser = command.setup_args()
        parser.prog = name.replace("_", " ")
        lines += ["", f"## {parser.prog}", "", "```text", parser.format_help().rstrip(), "```"]
    return "\n".join(lines) + "\n"


def make_pages(app) -> None:
    MADE.mkdir(exist_ok=True)
    pages = {f"{name}.md": linked(whole_text(path), path.parent, MADE) for name, path in READMES.items()}
    for name, page in {**pages, "api.rst": api(), "tables.md": tables(), "commands.md": commands()}.items():
        (MADE / name).write_text(page, encoding="utf-8")


def list_pages(app) -> tuple:
    """Write llms.txt: the pages in order, each with its title and its first sentence."""
    lines = ["# parlai_spotbot\n"]
    for name in app.env.toctree_includes["index"]:
        text = next(app.env.get_doctree(name).findall(nodes.paragraph)).astext().replace("\n", " ")
        lines.append(f"- [{app.env.titles[name].astext()}]({name}.html): {text.split('. ')[0]}")
    Path(app.outdir, "llms.txt").write_text("\n".join(lines), encoding="utf-8")
    return ()


GALLERY = {
    "judge": ("spot_the_bot", ROOT / "tests" / "goldens" / "studies" / "rules"),
    "people": ("spot_the_bot", ROOT / "tests" / "goldens" / "studies" / "people"),
    "behaviours": ("abc_eval", ROOT / "tests" / "goldens" / "studies" / "surveys"),
}
"""Stored studies whose reports are pages of their own, by name, with the survey that leads."""


def build_reports(app, error: Exception | None) -> None:
    """Write the reports of the gallery, each from a copy of its study."""
    if error or app.builder.name != "html":
        return
    folder = Path(app.outdir, "reports")
    folder.mkdir(exist_ok=True)
    for name, (survey, path) in GALLERY.items():
        with tempfile.TemporaryDirectory() as copies:
            study = parlai_spotbot.Study.open(shutil.copytree(path, Path(copies, name)))
            parlai_spotbot.analyze(study, survey, bootstraps=200)
            report = build_report(study, survey)
            shutil.copy(report, folder / f"{name}.html")


def keep_options(app, name: str, template: str, context: dict, page: object) -> None:
    """Mark the options of commands, in which no line ends."""

    def marked(code: re.Match) -> str:
        return re.sub(r"(?<![\w-])--[a-z][a-z-]*", r'<span class="option">\g<0></span>', code[0])

    context["body"] = re.sub(r"<pre>.*?</pre>", marked, context.get("body", ""), flags=re.DOTALL)


def setup(app) -> None:
    app.connect("html-page-context", keep_options)
    app.connect("build-finished", build_reports)
    app.connect("builder-inited", make_pages)
    app.connect("source-read", read)
    app.connect("html-collect-pages", list_pages)


def read(app, name: str, source: list[str]) -> None:
    if "/" not in name:
        source[0] = linked(source[0], DOCS, DOCS)
