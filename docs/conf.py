"""Sphinx's configuration for `make docs`. READMEs of rooms are pages as they are; public names make the API's page."""

import inspect
import os
import re
from pathlib import Path

import parlai_spotbot

DOCS = Path(__file__).parent
ROOT = DOCS.parent
MADE = DOCS / "made"
READMES = {
    "your_own_bots": "parlai_spotbot/pools/README.md",
    "plain_python": "agents/plain_python/README.md",
    "behind_a_server": "agents/openai_chat/README.md",
    "language_models": "agents/causal_lm/README.md",
    "people_annotate": "crowdsourcing/README.md",
    "judges": "parlai_spotbot/judges/README.md",
    "methods": "parlai_spotbot/surveys/README.md",
    "next_utterance_classification": "parlai_spotbot/nuc/README.md",
    "reading_the_report": "parlai_spotbot/report/README.md",
    "ranking": "parlai_spotbot/analysis/ranking/README.md",
    "survival": "parlai_spotbot/analysis/survival/README.md",
    "trust_in_judges": "parlai_spotbot/analysis/trust/README.md",
    "metrics": "parlai_spotbot/analysis/metrics/README.md",
    "other_data": "parlai_spotbot/importers/README.md",
    "for_other_programs": "parlai_spotbot/exporters/README.md",
    "domains": "parlai_spotbot/domains/README.md",
    "paper_spot_the_bot": "projects/spot_the_bot_2020/README.md",
    "paper_abc_eval": "projects/abc_eval/README.md",
    "paper_acute_eval": "projects/acute_eval_2019/README.md",
    "paper_nuc": "projects/next_utterance_classification/README.md",
    "contributing": "CONTRIBUTING.md",
    "glossary": "GLOSSARY.md",
    "changelog": "CHANGELOG.md",
}
"""The pages that stand elsewhere in the sources, by their name here."""

project = "parlai_spotbot"
version = parlai_spotbot.__version__
extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
html_theme = "pydata_sphinx_theme"
html_title = "parlai_spotbot"
html_theme_options = {"navbar_center": [], "show_prev_next": False}
html_sidebars = {"**": ["globaltoc.html"]}
html_show_copyright = False
exclude_patterns = ["_build"]
myst_heading_anchors = 3
nb_execution_mode = "force"
nb_execution_raise_on_error = True
nb_execution_in_temp = True
nb_merge_streams = True
autodoc_typehints = "signature"
napoleon_google_docstring = False
suppress_warnings = ["myst.header", "misc.highlighting_failure"]

LINK = re.compile(r"(!?)\[([^\]]*)\]\((?!https?:|mailto:|#)([^)#\s]+)(#[^)\s]*)?\)")


def linked(text: str, folder: Path, page: Path) -> str:
    """A text of `folder` as it is in the file `page`: links to pages lead there, others are their words."""
    places = {(ROOT / source).resolve(): MADE / f"{name}.md" for name, source in READMES.items()}

    def corrected(match: re.Match) -> str:
        image, words, link = match[1], match[2], match[3]
        target = (folder / link).resolve()
        if image:
            return f"![{words}]({os.path.relpath(target, page.parent)})"
        target = places.get(target / "README.md" if target.is_dir() else target, target)
        if target.parent not in (DOCS, MADE) or target.suffix not in (".md", ".ipynb"):
            return words
        return f"[{words}]({os.path.relpath(target, page.parent)})"

    return LINK.sub(corrected, text)


def api() -> str:
    """The page of the public names, each by its docstring."""
    lines = ["API", "===", "", "Everything is to be had from ``parlai_spotbot`` itself.", ""]
    for name in parlai_spotbot.__all__:
        member = getattr(parlai_spotbot, name)
        if inspect.ismodule(member):
            continue
        kind = "autoclass" if inspect.isclass(member) else "autofunction"
        lines += [f".. {kind}:: {member.__module__}.{name}"]
        lines += ["   :members:", "   :inherited-members:", ""] if kind == "autoclass" else [""]
    return "\n".join(lines)


def make_pages(app) -> None:
    MADE.mkdir(exist_ok=True)
    for name, source in READMES.items():
        path = ROOT / source
        page = linked(path.read_text(encoding="utf-8"), path.parent, MADE / f"{name}.md")
        write(MADE / f"{name}.md", page)
    write(MADE / "api.rst", api())


def write(path: Path, text: str) -> None:
    """Only what has changed, so that Sphinx makes again only what must be."""
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        path.write_text(text, encoding="utf-8")


def setup(app) -> None:
    app.connect("builder-inited", make_pages)
    app.connect("source-read", read)


def read(app, name: str, source: list[str]) -> None:
    page = DOCS / f"{name}.md"
    if page.exists() and page.parent == DOCS:
        source[0] = linked(source[0], DOCS, page)
