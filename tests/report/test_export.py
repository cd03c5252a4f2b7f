"""A copy of a study for publication: nothing that leads to people, machines or accounts is in any byte of it."""

import hashlib
import json
import sqlite3
from pathlib import Path
from string import Template

import pytest
import yaml

from parlai_spotbot import checksums, files
from parlai_spotbot.errors import UserError
from parlai_spotbot.records import Judgement, indexed
from parlai_spotbot.report.export import CopyOptions, checking, export_study
from parlai_spotbot.report.export.rows import NOT_FREE
from parlai_spotbot.report.export.scrub import private, scrub
from parlai_spotbot.study import Study

SURVEY = "spot_the_bot"
KEY = bytes(range(32))
PRIVATE = Path(__file__).with_suffix(".yaml").read_text(encoding="utf-8")
PLANTED = yaml.safe_load(PRIVATE)["planted"]


def plant(study):
    """Put something private into every file of the study that may hold it."""
    where = study.survey_path(SURVEY)
    rows = [row.to_json() for row in study.judgements(SURVEY)]
    for row in rows:
        # As collecting makes them; those of the made-up study hold the annotator's id.
        row["annotation_id"] = hashlib.sha256(row["annotation_id"].encode()).hexdigest()[:16]
        row["presentation"] = {"entity:0": "Entity A", "side:0": "left", "client": PLANTED["host"]}
        if row["source"] == "human":
            row["started_at"] = row["submitted_at"] = PLANTED["time"] + ".123+00:00"
    told = yaml.safe_load(Template(PRIVATE).substitute(PLANTED))
    human = next(r for r in rows if r["source"] == "human")
    checksums.write_jsonl(study.judgements_path(SURVEY), rows + [human | answer for answer in told["answers"]])
    for name, content in told["rows"].items():
        checksums.write_jsonl(where / name, content)
    for name, content in told["texts"].items():
        checksums.write_text(where / "crowdsourcing" / name, content)
    with sqlite3.connect(where / "crowdsourcing" / "ledger.db") as ledger:
        ledger.execute("create table t (worker text)")
        ledger.execute("insert into t values (?)", (PLANTED["worker"],))
    for name, content in told["provenance"].items():
        study.record(name, content)
    judge = files.read_json(where / "judges" / "spotter.json")
    judge["variants"]["words"] |= told["words"]
    checksums.write_json(where / "judges" / "spotter.json", judge | told["judge"])
    checksums.write_jsonl(study.failures_path, told["failures"])
    text = study.plan_path.read_text(encoding="utf-8")
    changed = text.replace("    model: spotbot:minilm\n", told["plan"])
    assert changed != text
    changed = changed.replace("  alice:\n", f"  alice:\n    code: {PLANTED['home']}/my bots\n")
    checksums.write_text(study.plan_path, changed)
    return Study.open(study.path)


@pytest.fixture(scope="module")
def planted(tmp_path_factory):
    from tests.report.conftest import make_study

    return plant(make_study(tmp_path_factory.mktemp("export") / "study", analyze=False))


@pytest.fixture(scope="module")
def copy(planted, tmp_path_factory):
    folder = tmp_path_factory.mktemp("copies") / "copy"
    export_study(planted, folder, key=KEY)
    return Study.open(folder)


def everything(folder):
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


@pytest.mark.parametrize("what", PLANTED)
def test_nothing_private_stands_in_any_byte(planted, copy, what):
    needle = PLANTED[what].encode()
    assert any(needle in content for content in everything(planted.path).values()), "not planted"
    found = [path.name for path, content in everything(copy.path).items() if needle in content]
    assert found == []


def test_no_old_id_no_time_and_no_other_file(planted, copy):
    old, new = planted.judgements(SURVEY), copy.judgements(SURVEY)
    for name in ("judgement_id", "annotation_id", "unit_id"):
        assert not {getattr(row, name) for row in old} & {getattr(row, name) for row in new}
    people = {row.worker_id for row in new if row.source == "human"}
    assert len(people) == len({row.worker_id for row in old if row.source == "human"}) == 5
    assert {row.worker_id for row in new if row.source != "human"} == {"words", "coherence"}
    assert all(row.started_at == row.submitted_at == "" for row in new)
    assert all(row.seconds is None or row.seconds == int(row.seconds) for row in new)
    assert {key for row in new for key in row.presentation} == {"entity:0", "side:0"}
    names = {path.relative_to(copy.path).as_posix() for path in everything(copy.path)}
    assert names == {
        "study.yaml",
        "provenance.json",
        "conversations.jsonl",
        "SHA256SUMS",
        "README.md",
        "repeat.sh",
        "instructions.md",
        "surveys/spot_the_bot/units.jsonl",
        "surveys/spot_the_bot/controls.jsonl",
        "surveys/spot_the_bot/judgements.jsonl",
        "surveys/spot_the_bot/judges/spotter.json",
        "surveys/spot_the_bot/training.jsonl",
    }
    [row] = files.read_jsonl(copy.survey_path(SURVEY) / "training.jsonl", lambda row, where: row)
    assert row["annotator"].startswith("annotator-")
    assert {key: row[key] for key in row if key != "annotator"} == {
        "task": "empathy",
        "attempt": 1,
        "round": 3,
        "passed": True,
    }
    assert copy.provenance()["crowdsourcing"][SURVEY]["tasks"]["empathy"]["settings"]["pay"] == 4.5
    plan = {"needed": 34, "workers": 5, "options": {"domain": "talks.jsonl"}, "design": {"bots": 4, "of": "matches"}}
    assert copy.provenance()["plan"] == {SURVEY: plan}


def test_pseudonyms_come_in_no_order_and_differ_between_copies(planted, copy, tmp_path):
    first = list(dict.fromkeys(r.worker_id for r in copy.judgements(SURVEY) if r.source == "human"))
    assert first != sorted(first)
    export_study(planted, tmp_path / "other")
    second = {r.worker_id for r in Study.open(tmp_path / "other").judgements(SURVEY) if r.source == "human"}
    assert not second & set(first)


def test_units_answers_and_conversations_still_fit_together(planted, copy):
    items = {item.item_id: item for unit in copy.units(SURVEY) for item in unit.items}
    units = {unit.unit_id for unit in copy.units(SURVEY)}
    known = indexed(copy.conversations())
    rows = copy.judgements(SURVEY)
    assert {row.item_id for row in rows} <= set(items)
    assert {row.unit_id for row in rows} <= units
    assert all(name in known for row in rows for name in row.conversation_ids)
    assert [c.turns for c in copy.conversations()] == [c.turns for c in planted.conversations()]
    assert copy.plan.contestants["minilm"].opt == {"topk": 10, "model_file": "tiny.bin", "note": "see (removed)"}


def test_comments_and_free_texts_only_when_asked_for_and_with_a_warning(planted, tmp_path):
    made = export_study(planted, tmp_path / "with", CopyOptions(texts=True), key=KEY)
    assert "read every one" in made.said()
    everything_in = b"".join(everything(tmp_path / "with").values())
    assert PLANTED["comment"].encode() in everything_in
    assert PLANTED["free"].encode() in everything_in
    for what in ("worker", "pseudonym", "secret", "contact", "time"):
        assert PLANTED[what].encode() not in everything_in


def test_without_human_turns_nothing_that_people_said_is_left(planted, tmp_path):
    made = export_study(planted, tmp_path / "bots", CopyOptions(human_turns=False), key=KEY)
    copy = Study.open(tmp_path / "bots")
    for before, after in zip(planted.conversations(), copy.conversations(), strict=True):
        for place, (old, new) in enumerate(zip(before.turns, after.turns, strict=True)):
            human = old.speaker == "human" or place < 2 * before.seed_exchanges
            assert new.text == (NOT_FREE if human else old.text)
    known = indexed(copy.conversations())
    for unit in copy.units(SURVEY):
        for item in unit.items:
            shown = known[item.conversation_ids[0]].segment(item.exchanges)
            assert [u.text for u in item.transcripts[0]] == [turn.text for turn in shown]
    everything_in = b"".join(everything(tmp_path / "bots").values())
    assert b"SEED OPENING" not in everything_in
    assert b"bicyclebell" not in everything_in
    account = files.read_json(copy.survey_path(SURVEY) / "judges" / "spotter.json")
    assert account["variants"].keys() == {"words", "coherence"}
    assert made.removed["turns of people"] > 0


def test_a_folder_with_something_in_it_is_refused_and_left_alone(planted, tmp_path):
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "mine.txt").write_text("mine")
    with pytest.raises(UserError, match="something there already"):
        export_study(planted, tmp_path / "there")
    assert [path.name for path in tmp_path.rglob("*")] == ["there", "mine.txt"]
    (tmp_path / "empty").mkdir()
    export_study(planted, tmp_path / "empty")
    assert (tmp_path / "empty" / "study.yaml").exists()


def test_an_annotators_id_in_a_conversation_stops_the_copy_and_leaves_nothing(new_study, tmp_path):
    study = new_study(tmp_path / "leaky", text="my id is PLATFORM-ID-3, find me", analyze=False)
    with pytest.raises(UserError, match=r"conversations.jsonl: the copy would hold an annotator's id"):
        export_study(study, tmp_path / "out")
    assert not [path for path in tmp_path.iterdir() if path.name != "leaky"]


def leaves(value, path=()):
    """Yield the way to each text of a JSON value."""
    if isinstance(value, (dict, list)):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from leaves(inner, (*path, key))
    elif isinstance(value, str):
        yield path


def documents_of(path):
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".jsonl":
        return [json.loads(line) for line in text.splitlines()]
    if path.suffix in (".yaml", ".json"):
        return [yaml.safe_load(text)]
    return [text.splitlines()]


def write_documents(path, documents):
    path.parent.mkdir(parents=True, exist_ok=True)
    if path.suffix == ".yaml":
        path.write_text(yaml.safe_dump(documents[0]), encoding="utf-8")
    elif path.suffix not in (".json", ".jsonl"):
        path.write_text("\n".join(documents[0]), encoding="utf-8")
    else:
        path.write_text("".join(json.dumps(document) + "\n" for document in documents), encoding="utf-8")


FIELDS = {"conversations.jsonl": 7, "judgements.jsonl": 8, "units.jsonl": 5, "study.yaml": 6, "provenance.json": 6}
"""At least so many different fields with texts are in these files."""


@pytest.mark.parametrize("planted_string", ["A2WORKER9XYZ1", "/home/pen haligon/studies/mine", 'C:\\x "q" é', "anna"])
def test_what_is_planted_in_any_field_of_any_file_is_found(copy, tmp_path, planted_string):
    private = {planted_string: "something private"}
    for path in everything(copy.path):
        name = path.relative_to(copy.path)
        if name.name == "SHA256SUMS":
            continue
        documents = documents_of(path)
        fields = {}
        for number, document in enumerate(documents):
            for way in leaves(document):
                fields.setdefault(tuple(key for key in way if isinstance(key, str)), (number, way))
        assert len(fields) >= FIELDS.get(name.name, 1)
        for number, way in fields.values():
            if planted_string == "anna" and way[-1] in ("text", "answer"):
                continue  # people may say a name
            planted_document = json.loads(json.dumps(documents[number]))
            place = planted_document
            for key in way[:-1]:
                place = place[key]
            place[way[-1]] = planted_string if planted_string == "anna" else f"x-{planted_string}, y {'z ' * 60}"
            write_documents(tmp_path / name, [planted_document])
            with pytest.raises(UserError, match=f"{name}: the copy would hold something private"):
                checking.check(tmp_path, private)
            write_documents(tmp_path / name, documents[:1])
        checking.check(tmp_path, private)


@pytest.mark.parametrize("key", ["sk-live0123456789abcdef", "hf_abcdefghijklmnopqrst", "AKIAIOSFODNN7EXAMPLE"])
def test_keys_are_found_where_nobody_has_said_them(tmp_path, key):
    write_documents(tmp_path / "a.jsonl", [{"dialog": [[{"text": f"my key is {key}"}]]}])
    checking.check(tmp_path, {})
    write_documents(tmp_path / "a.jsonl", [{"presentation": {"client": f"by {key}"}}])
    with pytest.raises(UserError, match="what looks like a key"):
        checking.check(tmp_path, {})


def test_the_studys_paths_and_keys_of_the_environment_are_private(planted, monkeypatch):
    monkeypatch.setenv("MY_API_KEY", "plain words, 17 of them")
    private = checking.private_strings(planted, {SURVEY: planted.judgements(SURVEY)})
    assert private["plain words, 17 of them"] == "the value of MY_API_KEY"
    for path in (planted.path, planted.path.parent, PLANTED["home"], PLANTED["home"] + "/my bots"):
        assert private[str(path)] == "a path of this machine"


def test_private_fields_go_and_harmless_ones_stay():
    assert all(
        private(key) for key in ("api_key", "openai_url", "key_variable", "started_at", "host", "work dir", "token")
    )
    harmless = (
        "max_new_tokens",
        "prompt_tokens",
        "turn_timeout",
        "temperature",
        "topk",
        "units",
        "annotators_per_segment",
    )
    assert not [key for key in harmless if private(key)]
    assert scrub({"a": [{"password": 1, "b": "/x/y"}], "/p/q": 1}) == {"a": [{"b": "y"}], "q": 1}


def test_a_survey_that_is_not_known_keeps_no_texts(new_study, tmp_path):
    study = new_study(tmp_path / "odd", sources=("human",), analyze=False)
    row = study.judgements(SURVEY)[0].to_json() | {"survey": "odd", "question": "why", "answer": "well, it felt right"}
    plain = row | {"judgement_id": "2", "question": "which", "answer": "entity:1"}
    checksums.write_jsonl(study.judgements_path("odd"), [row, plain])
    export_study(study, tmp_path / "out")
    lines = (tmp_path / "out" / "surveys" / "odd" / "judgements.jsonl").read_text(encoding="utf-8").splitlines()
    answers = [Judgement.from_json(json.loads(line), "row").answer for line in lines]
    assert answers == ["", "entity:1"]
