"""What is written as LaTeX: any text comes out as itself, no word is too long for a column, and a paper compiles."""

import re
import shutil
import subprocess
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from parlai_spotbot.findings.survey_data import surveys_of
from parlai_spotbot.names import LONGEST
from parlai_spotbot.records import HUMAN
from parlai_spotbot.report import appendix
from parlai_spotbot.report.appendix.text_formats import WORDS, latex, other_scripts
from parlai_spotbot.report.citations import publications
from tests.case_tables import cases

ESCAPES = {said: sign for sign, said in WORDS["latex"].items()}
BREAK = r"\allowbreak{}"
SIGNS = "".join(sorted(set(WORDS["latex"]) - {"\u200b", "‘", "’"})) + "-!?abcxyzäéñßж小 \u0301"
ESCAPE = re.compile("|".join(map(re.escape, sorted(ESCAPES, key=len, reverse=True))))


def read_back(text: str) -> str:
    """Return the text that LaTeX sets."""
    parts = [ESCAPE.sub(lambda said: ESCAPES[said[0]], part) for part in text.split(BREAK)]
    return "".join(parts)


@given(st.text(alphabet=SIGNS, max_size=60))
def test_any_text_comes_out_as_itself(text):
    said = latex(text)
    assert read_back(said) == unicodedata.normalize("NFC", text)
    bare = ESCAPE.sub("", said.replace(BREAK, ""))
    assert not re.search(r"[\\{}$&#^_%~]", bare)


@pytest.mark.parametrize("count", [1, 2, 3, 4])
def test_hyphens_are_no_dash(count):
    said = latex(f"gpt{'-' * count}4")
    assert said.replace(BREAK, "") == f"gpt{'-' * count}4"
    assert "--" not in said
    assert latex("2–3—4") == "2--3---4"


@given(st.text(alphabet="aW1_-/.:+@()é小ж", min_size=1, max_size=LONGEST), st.sampled_from([8, 20]))
def test_a_line_may_break_within_any_name(name, longest):
    """Between two places where it may, there are so many letters at most."""
    for piece in re.split(r"\\allowbreak\{\}| ", latex(name, longest)):
        assert len(piece.replace("\\", "")) <= max(longest, 9) + 1


@cases(
    "text other",
    r"""
- [plain, false]
- [Zoë Ĵürgen Łukasz ñ ß œ Şț “q” „q‟ – — … € ™, true]
- [Zoë Ĵürgen Łukasz ñ ß œ Şț “q” „q“ – — … € ™, false]
- [Ħamrun, true]
- [Nguyễn, true]
- [бот, true]
- [小冰, true]
- [روبوت, true]
- ["x\u0304", true]
- ["e\u0301", false]
- [≥ ≤ ± α χ², false]
- [θ, true]
""",
)
def test_letters_that_pdflatex_lacks_are_told_with_what_to_do(text, other):
    said = other_scripts(latex(text))
    assert bool(said) is other
    assert all(line.startswith("% ") for line in said.splitlines())


@cases(
    "text languages",
    """
- [Zoë بوت बोट, [arabic, hindi]]
- ["בוט 小冰 ボット 봇 бот", [hebrew, chinese, japanese, korean]]
- ["ರೋ బో ബോ", [kannada, malayalam, telugu]]
- ["ব த ગ ਗ", [bengali, gujarati, punjabi, tamil]]
- [бот 小冰, [chinese]]
- [бот θ ไทย, []]
""",
)
def test_scripts_with_fonts_of_their_own_have_a_line_each(text, languages):
    said = other_scripts(latex(text))
    assert re.findall(r"ids fonts\]\{(\w+)\}", said) == languages
    assert "LuaLaTeX" in said
    assert all(line.startswith("% ") for line in said.splitlines())


def test_entries_are_of_types_that_every_style_has():
    assert {re.match(r"@(\w+)", work.bibtex)[1] for work in publications().values()} <= {
        *("article", "book", "inproceedings", "incollection", "misc", "phdthesis", "techreport")
    }


PAPER = r"""\documentclass[11pt,a4paper,twocolumn]{article}
\usepackage{times}
\usepackage[T1]{fontenc}
\usepackage{natbib,booktabs,graphicx}
\setlength{\textwidth}{16cm}\setlength{\textheight}{24.7cm}\setlength{\columnsep}{0.6cm}\setlength{\topmargin}{-2cm}
\begin{document}
%s
\bibliographystyle{plainnat}
\bibliography{references}
\end{document}
"""


JOINED = r"""\documentclass[11pt,a4paper,twocolumn]{article}
%s
\usepackage{natbib,booktabs,graphicx}
\begin{document}
%s
\end{document}
"""


@pytest.mark.slow
def test_a_paper_with_joined_scripts_compiles_with_the_lines_that_it_names(new_study, tmp_path):
    if not shutil.which("lualatex") or subprocess.run(["kpsewhich", "luatexbase.sty"], check=False).returncode:
        pytest.skip("no LaTeX here")
    study = new_study(tmp_path / "study", bots=("روبوت", "चैटबॉट", "உரையாடல்", "alice"), sources=(HUMAN,))
    texts = appendix.appendix_of(surveys_of(study))
    appendix.write(tmp_path, texts)
    files = [name for name in texts if name.endswith(".tex")]
    lines = dict.fromkeys(line[2:] for name in files for line in texts[name].splitlines() if line.startswith("% \\"))
    paper = JOINED % ("\n".join(lines), "\n".join(rf"\input{{{name}}}" for name in files))
    (tmp_path / "paper.tex").write_text(paper, encoding="utf-8")
    command = ["lualatex", "-interaction=nonstopmode", "paper"]
    subprocess.run(command, cwd=tmp_path, capture_output=True, timeout=500, check=True)
    log = (tmp_path / "paper.log").read_text(encoding="utf-8", errors="replace")
    assert not re.findall(r"^! .*|^Missing character.*", log, re.M)


@pytest.mark.slow
def test_a_paper_in_two_columns_compiles_without_overfull_boxes(new_study, tmp_path):
    if not (shutil.which("pdflatex") and shutil.which("bibtex")):
        pytest.skip("no LaTeX here")
    names = ("abc_def_ghi_jkl_mno_pqr_stu_vwx_yz0_123_456_789_abc_def_ghi_x", "W" * 61, "gpt--4o (a+b) @c.d", "Zoë")
    study = new_study(tmp_path / "study", bots=names, sources=(HUMAN,))
    study.record(
        "participants", {"spot_the_bot": {"came": 9, "practice": 2, "training": 0, "controls": 1, "withdrew": 1}}
    )
    texts = appendix.appendix_of(surveys_of(study))
    appendix.write(tmp_path, texts)
    files = [name for name in texts if name.endswith(".tex")]
    (tmp_path / "paper.tex").write_text(PAPER % "\n".join(rf"\input{{{name}}}" for name in files), encoding="utf-8")
    tex = ["pdflatex", "-interaction=nonstopmode", "paper"]
    for command in (tex, ["bibtex", "paper"], tex, tex):
        subprocess.run(command, cwd=tmp_path, capture_output=True, timeout=300, check=True)
    log = (tmp_path / "paper.log").read_text(encoding="utf-8", errors="replace")
    assert not re.findall(r"^! .*|^.*undefined.*|^Missing character.*|^Overfull .*|^.*Float too large.*", log, re.M)
    assert "Warning" not in (tmp_path / "paper.blg").read_text(encoding="utf-8")
    assert len(files) == 5
