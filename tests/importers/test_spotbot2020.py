"""The released data: counts as the notes on the release have them, every oddity, and bad files."""

import json

import numpy as np
import pytest
import yaml

from parlai_spotbot.analysis.frames import COLUMNS
from parlai_spotbot.findings.analyze import analyze
from parlai_spotbot.projects.spot_the_bot_2020.dump import DOMAINS, read_dump, select
from parlai_spotbot.projects.spot_the_bot_2020.import_format import spotbot2020
from parlai_spotbot.projects.spot_the_bot_2020.oddities import oddities
from parlai_spotbot.records import HUMAN
from parlai_spotbot.report.page import build_report
from parlai_spotbot.study import Study
from tests.annotated import annotations_frame
from tests.outside_data import REFERENCE, SPOT_THE_BOT, released_data

# Counted in the release: bot and human conversations, humans used, annotations and annotators (raw, complete HITs),
# workers with more than 3 packages, worker-conversation pairs with 2-3 segments, repeats, segments by annotations.
RELEASE = yaml.safe_load("""
dailydialog: [[270, 300, 90], [2136, 2086], [46, 33], 12, 193, 0, {2: 1043}]
empathetic: [[450, 300, 114], [2958, 2946], [37, 32], 16, 239, 46, {2: 1404, 3: 46}]
convai2: [[675, 300, 171], [5123, 5000], [47, 40], 21, 490, 6, {1: 107, 2: 2403, 3: 25, 4: 3}]
""")


@pytest.fixture
def released():
    path = released_data(SPOT_THE_BOT)
    return path


def count(table, words: str) -> int:
    rows = table[table["what"].str.contains(words, regex=False)]
    assert len(rows) == 1, words
    return int(rows["count"].iloc[0])


@pytest.mark.parametrize("domain", list(DOMAINS))
def test_the_release_is_counted(released, domain):
    dump = read_dump(released, domain)
    (bots, people, used), annotations, annotators, many, again, repeats, sizes = RELEASE[domain]
    human = [HUMAN in c.entities for c in dump.conversations]
    assert [len(human) - sum(human), sum(human)] == [bots, people]
    kept = select(dump)
    assert [len(dump.annotations), len(kept)] == annotations
    assert [dump.annotations["worker_id"].nunique(), kept["worker_id"].nunique()] == annotators
    table = oddities(dump)
    assert people - count(table, "people in no package") == used
    assert count(table, "more than 3 packages") == many
    assert count(table, "with 2 or 3 segments") == again
    assert count(table, "answered before") == repeats
    for size in (1, 2, 3, 4):
        assert count(table, f"segments with {size} annotation") == sizes.get(size, 0)
    assert {c.pair: 0 for c in dump.conversations if HUMAN not in c.pair}.keys() == {
        (a, b) for i, a in enumerate(dump.domain.bots) for b in dump.domain.bots[i + 1 :]
    }
    assert all(
        len([c for c in dump.conversations if c.pair == pair]) == 45
        for pair in {c.pair for c in dump.conversations} - {(HUMAN, HUMAN)}
    )


def test_oddities_of_the_release(released):
    table = oddities(read_dump(released, "empathetic"))
    assert count(table, "too short for 3 exchanges") == 140  # 31 % of 450
    assert count(table, "accounts of the developers") == 2
    personachat = oddities(read_dump(released, "convai2"))
    assert count(personachat, "special tokens") == 1192
    assert count(personachat, "start_time -1") == 2
    daily = oddities(read_dump(released, "dailydialog"))
    assert count(daily, "greatest difference") == 15  # GPT–DR 30 : 15


def test_the_frame_is_the_one_that_analysis_makes(dump):
    path = dump()
    ours = select(read_dump(path, "dailydialog"), ["incomplete", "repeats"])[list(COLUMNS)].sort_values(
        "annotation_id", ignore_index=True
    )
    imported = spotbot2020(path, "dailydialog")
    theirs = annotations_frame(imported.judgements, imported.conversations).frame
    columns = [c for c in COLUMNS if c != "unit_id"]  # a unit is a package and which annotator of it
    np.testing.assert_array_equal(ours[columns].fillna(-1).to_numpy(), theirs[columns].fillna(-1).to_numpy())


def test_every_oddity_by_its_rule(dump):
    read = read_dump(dump(), "dailydialog")
    table = oddities(read)
    expected = yaml.safe_load("""
        did not finish: 1
        annotations in them: 2
        accounts of the developers: 1
        annotations by them: 2
        answered before: 4
        start_time -1: 1
        too short for 5 exchanges: 1
        people in no package: 1
        exchange_nr does not count: 2
        seed exchange is not in the dump: 3
        end within an exchange: 3
        as another: 1
        greatest difference: 1
        special tokens: 1
        segments with 3 annotations: 4
    """)
    assert {words: count(table, words) for words in expected} == expected
    assert len(select(read)) == 12
    assert len(select(read, ["incomplete", "repeats"])) == 8
    assert len(select(read, [])) == 14
    assert len(select(read, ["developers"])) == 12
    unknown = select(read)["seconds"].isna()
    assert unknown.sum() == 1
    assert (select(read)["seconds"].dropna() == 20.5).all()


def test_answers_are_read_as_the_paper_encodes_them(dump):
    row = select(read_dump(dump(), "dailydialog")).set_index("conversation_id").loc[f"{1:024x}"].iloc[0]
    assert (row["a"], row["b"], row["k"]) == ("GPT", "BR", 5)
    assert (row["nature0"], row["nature1"]) == ("human", "bot")
    assert (row["fluency"], row["sensibleness"], row["specificity"]) == (0, 1, -1)


def test_names_depend_on_the_domain(rows, dump):
    path = dump(folder=True)
    for file in (path / "inner").iterdir():
        file.write_text(file.read_text().replace("seq2seq_att", "lost_in_conversation"))
        file.rename(file.with_name(file.name.replace("dailydialog", "convai2")))
    read = read_dump(path, "convai2")
    assert {name for c in read.conversations for name in c.entities} == {"HF", "BR", "DR", "LC", HUMAN}
    assert {c.pair for c in read.conversations} == {("HF", "BR"), ("LC", "DR"), (HUMAN, HUMAN)}


def test_a_study_and_the_same_again(dump, run, tmp_path, fingerprint):
    words = ["--format", "spotbot2020", "--data", dump(), "--domain", "dailydialog", "--study", tmp_path / "study"]
    code, out, _ = run(*words)
    assert code == 0
    assert "5 conversations of GPT, BR, S2, DR; 2 units; 12 annotations, 2 annotators" in out
    study = Study.open(tmp_path / "study")
    assert list(study.plan.contestants) == ["GPT", "BR", "S2", "DR"]
    assert len(study.judgements("spot_the_bot")) == 60
    assert {u.unit_id for u in study.units("spot_the_bot")} == {j.unit_id for j in study.judgements("spot_the_bot")}
    item = study.units("spot_the_bot")[0].items[1]
    assert (item.exchanges, [u.text for u in item.transcripts[0]]) == (2, ["t0 .", "t1 .", "t2 .", "t3 ."])
    assert "A1AAAAAAAAAAA" not in json.dumps([j.to_json() for j in study.judgements("spot_the_bot")])
    before = fingerprint(tmp_path / "study")
    code, out, _ = run(*words)
    assert (code, "nothing changed" in out) == (0, True)
    assert fingerprint(tmp_path / "study") == before
    code, _, err = run(*words, "--leave-out", "none")
    assert code == 2
    assert "there is a study already" in err
    assert fingerprint(tmp_path / "study") == before


def spoil(kind, index, change):
    def apply(rows):
        change(rows[kind][index])

    return apply


def both(row, **values):
    for entity in (0, 1):
        row[f"entity{entity}_annotation"].update(values)


BAD = [
    (spoil("sampled", 0, lambda r: r.pop("convo")), "full-dailydialog.json, line 1: not as released: KeyError"),
    (spoil("sampled", 1, lambda r: r.update(system_type0="bert_rang")), "line 2: not as released"),
    (spoil("annotated", 2, lambda r: r.update(package_id="x")), "line 3: not as released: KeyError: 'x'"),
    (spoil("annotated", 2, lambda r: both(r, fluencyValue=False)), "KeyError: (False, False)"),
    (spoil("annotated", 2, lambda r: both(r, decision_turn=8)), "but the package shows 4 turns"),
]


@pytest.mark.parametrize(("change", "says"), BAD, ids=[says[-40:] for _, says in BAD])
def test_bad_files_are_one_error_and_leave_nothing(rows, dump, run, tmp_path, change, says):
    change(rows)
    words = ["--format", "spotbot2020", "--data", dump(), "--domain", "dailydialog", "--study", tmp_path / "study"]
    code, _, err = run(*words)
    assert code == 2
    assert says in err
    assert not (tmp_path / "study").exists()


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--domain", "dailydialogue"], "Did you mean 'dailydialog'?"),
        ([], "--domain missing. Name one of dailydialog, empathetic, convai2."),
        (["--domain", "dailydialog", "--data", __file__], "not a zip file"),
        (["--domain", "dailydialog", "--leave-out", "incompletes"], "Did you mean 'incomplete'?"),
        (["--format", "spotbot2021"], "Did you mean 'spotbot2020'?"),
    ],
)
def test_bad_options_are_one_error(dump, run, tmp_path, words, says):
    code, _, err = run("--format", "spotbot2020", "--data", dump(), "--study", tmp_path / "study", *words)
    assert code == 2
    assert says in err
    assert not (tmp_path / "study").exists()


@pytest.mark.parametrize("findings", [("ranking", "survival"), pytest.param((), marks=pytest.mark.slow, id="all")])
def test_analysis_and_report_work_as_on_own_data(released, run, only, findings, tmp_path):
    """The command's study goes through analysis and report; the win rates are the paper's definition's."""
    words = ["--format", "spotbot2020", "--data", released, "--domain", "dailydialog", "--study", tmp_path / "study"]
    assert run(*words)[0] == 0
    study = Study.open(tmp_path / "study")
    only(*findings)
    result = analyze(study, bootstraps=50, backend="native")
    rates = {row["bot"]: row["win_rate"] for row in result["ranking"]["by_source"]["human"].rows("ranking")}
    known = json.loads((REFERENCE / "paper_tables/dailydialog.json").read_text())
    assert rates == pytest.approx(known["table1"]["win_rate_mean_of_pairs"], abs=5.1e-5)
    curves = result["survival"]["by_source"]["human"]["curves"].set_index("bot")
    exact = json.loads((REFERENCE / "survival/reference_dailydialog.json").read_text())["npmle"]
    for bot in ("GPT", "BR", "S2", "DR"):
        assert curves.loc[bot, "survival"].tolist() == pytest.approx(exact[bot]["S_exact_pava"], abs=1e-9)
    page = build_report(study, "spot_the_bot").read_text()
    assert page.lower().startswith("<!doctype html>")
    assert "GPT" in page


def test_an_import_that_was_stopped_is_run_again(dump, run, tmp_path, monkeypatch):
    words = ["--format", "spotbot2020", "--data", dump(), "--domain", "dailydialog", "--study", tmp_path / "study"]
    with monkeypatch.context() as broken:
        broken.setattr(Study, "create", lambda path, plan: (_ for _ in ()).throw(KeyboardInterrupt))
        assert run(*words)[0] == 130
    assert not Study.exists(tmp_path / "study")
    code, out, _ = run(*words)
    assert (code, "written: " in out) == (0, True)
    assert len(Study.open(tmp_path / "study").judgements("spot_the_bot")) == 60
