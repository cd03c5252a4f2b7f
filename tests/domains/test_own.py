"""A user's own domain: files and descriptions, folds, errors by file, line and field, and a study's own copy."""

import random
import shutil
from collections import Counter

import pytest
import yaml

from parlai_spotbot import files
from parlai_spotbot.domains import FOLDS, custom, domain_of, get_domain, keep_domain
from parlai_spotbot.domains.folding import SHARES
from parlai_spotbot.errors import UserError
from tests.case_tables import case_table


def lines(count, **more):
    rows = []
    for n in range(count):
        row = {"turns": [f"thing {n} of {i}" for i in range(8)]}
        rows.append({**row, **{key: value(n) for key, value in more.items()}})
    return rows


def write(path, rows):
    files.write_jsonl(path, rows)
    return str(path)


def describe(path, **row):
    path.write_text(yaml.safe_dump({"name": "cafe", **row}))
    return str(path)


def folds(domain):
    return {fold: domain.episodes(fold) for fold in FOLDS}


# -- files ------------------------------------------------------------------------------------------------------------
def test_a_file_of_conversations_is_a_domain(tmp_path):
    domain = get_domain(write(tmp_path / "my chats.jsonl", lines(400)))
    assert (domain.name, domain.segments, domain.contexts) == ("my-chats", (2, 3, 5), False)
    found = folds(domain)
    turns = [episode.turns for episodes in found.values() for episode in episodes]
    assert len(turns) == len(set(turns)) == 400
    for fold, part in SHARES.items():
        assert len(found[fold]) == pytest.approx(400 * part, abs=30)
    assert "hash of the turns" in domain.fold_note
    assert {e.episode_id for e in found["bots"]} <= {f"my-chats:{n:06d}" for n in range(400)}


def test_a_fold_by_hash_does_not_depend_on_the_other_lines(tmp_path):
    few = folds(get_domain(write(tmp_path / "a.jsonl", lines(100)[::-1])))
    many = folds(get_domain(write(tmp_path / "b.jsonl", lines(200))))
    for fold in FOLDS:
        assert {e.turns for e in few[fold]} <= {e.turns for e in many[fold]}


def test_contexts_are_told_as_personas(tmp_path):
    told = [["I sell tea.\nI am tall.", ""], [["your persona: I run."], ["I  am\told.", "I knit."]]]
    domain = get_domain(write(tmp_path / "c.jsonl", lines(2, context=lambda n: told[n], split=lambda n: "test")))
    assert domain.contexts
    assert [e.context for e in domain.episodes("seeds")] == [
        ("your persona: I sell tea.\nyour persona: I am tall.", ""),
        ("your persona: I run.", "your persona: I am old.\nyour persona: I knit."),
    ]


def test_parlais_conversations_format(tmp_path):
    acts = [{"id": who, "text": f"{who} says\n{n}"} for n in range(3) for who in ("ann", "ben")]
    row = {
        "dialog": [acts[i : i + 2] for i in range(0, 6, 2)],
        "split": "test",
        "conversation_id": "x1",
        "context": [{"id": "ben", "text": "I am Ben."}],
    }
    episode = get_domain(write(tmp_path / "c.jsonl", [row])).episodes("seeds")[0]
    assert episode.turns[:2] == ("ann says 0", "ben says 0")
    assert episode.context == ("", "your persona: I am Ben.")
    assert episode.episode_id == "x1"


def test_the_same_conversation_counts_once(tmp_path):
    domain = get_domain(write(tmp_path / "c.jsonl", lines(60) + lines(60)))
    assert sum(map(len, folds(domain).values())) == 60
    assert "60 that stood there before count once" in domain.fold_note


@case_table(__file__, "bad_lines")
def test_a_bad_line_is_named_with_its_field(tmp_path, line, error):
    path = tmp_path / "c.jsonl"
    write(path, [{"turns": ["a", "b"], "id": "one"}, {"turns": ["c", "d"]}])
    path.write_text(path.read_text() + line + "\n")
    with pytest.raises(UserError, match=error) as error:
        get_domain(str(path))
    assert error.value.remedy


def test_files_that_are_not_there_or_empty(tmp_path):
    with pytest.raises(UserError, match=r"no\.jsonl: no such file of conversations"):
        get_domain(str(tmp_path / "no.jsonl"))
    with pytest.raises(UserError, match=r"no\.yaml: no such file"):
        get_domain(str(tmp_path / "no.yaml"))
    (tmp_path / "e.jsonl").write_text("")
    with pytest.raises(UserError, match="holds no conversation"):
        get_domain(str(tmp_path / "e.jsonl"))
    with pytest.raises(UserError, match=r"no conversation is left for seeds \(bots 9"):
        get_domain(write(tmp_path / "t.jsonl", lines(9, split=lambda n: "train")))


# -- folds ------------------------------------------------------------------------------------------------------------
def test_folds_by_split_as_with_parlais_tasks(tmp_path):
    rows = lines(90, split=lambda n: ("train", "valid", "test")[n % 3])
    domain = get_domain(write(tmp_path / "c.jsonl", rows))
    found = folds(domain)
    assert {e.turns for e in found["bots"]} == {tuple(r["turns"]) for r in rows if r["split"] == "train"}
    assert {e.turns for e in found["seeds"]} == {tuple(r["turns"]) for r in rows if r["split"] == "test"}
    assert len(found["judges"]) + len(found["humans"]) == 30
    assert "may share people" in domain.fold_note
    hidden = get_domain(describe(tmp_path / "h.yaml", conversations="c.jsonl", folds="split", hidden_test=True))
    assert len(hidden.episodes("seeds")) > 30
    assert len(hidden.episodes("judges")) + len(hidden.episodes("humans")) < 30


def test_splits_in_files_of_their_own_or_named_after_folds(tmp_path):
    write(tmp_path / "a.jsonl", lines(20)[:10])
    write(tmp_path / "b.jsonl", lines(20)[10:])
    found = folds(get_domain(describe(tmp_path / "d.yaml", conversations={"bots": "a.jsonl", "seeds": "b.jsonl"})))
    assert {fold: len(e) for fold, e in found.items()} == {"bots": 10, "judges": 0, "humans": 0, "seeds": 10}


@pytest.mark.parametrize("persons", [12, 400])
def test_nobody_is_in_two_folds_by_people(persons, tmp_path):
    rng = random.Random(3)
    rows = lines(120, people=lambda n: rng.sample([f"p{i}" for i in range(persons)], 2))
    domain = get_domain(write(tmp_path / "c.jsonl", rows))
    own = {fold: {p for e in episodes for p in e.people} for fold, episodes in folds(domain).items()}
    assert all(own.values())
    assert max(Counter(p for people in own.values() for p in people).values()) == 1
    kept = sum(map(len, folds(domain).values()))
    assert ("are left out" in domain.fold_note) == (kept < 120)
    assert domain.counts()["bots"]["people"] == len(own["bots"])


# -- descriptions -----------------------------------------------------------------------------------------------------
@case_table(__file__, "bad_descriptions")
def test_a_wrong_description_is_named_with_its_field(tmp_path, change, error):
    write(tmp_path / "c.jsonl", lines(60))
    with pytest.raises(UserError, match=error) as error:
        get_domain(describe(tmp_path / "d.yaml", **change))
    assert error.value.remedy


def test_a_description_of_a_task(datapath, tmp_path):
    described = describe(
        tmp_path / "d.yaml",
        task="empathetic_dialogues",
        options={"train_experiencer_only": True},
        segments=[1, 2],
        situation="emotion",
        description="How people feel.",
    )
    domain = get_domain(described)
    assert domain.segments == (1, 2)
    assert {e.context for e in domain.episodes("seeds", datapath)} == {("your persona: proud", "")}
    plain = get_domain(describe(tmp_path / "p.yaml", task="convai2:both:no_cands", contexts=False, hidden_test=True))
    assert {e.context for e in plain.episodes("humans", datapath)} == {("", "")}
    assert plain.episodes("seeds", datapath)
    assert plain.about(datapath)["folds"]["seeds"]["conversations"] == len(plain.episodes("seeds", datapath))


# -- a study's own copy -----------------------------------------------------------------------------------------------
def test_a_study_knows_its_domain_when_the_file_has_gone(tmp_path):
    path = write(tmp_path / "cafe.jsonl", lines(80, context=lambda n: ["I am n.", ""]))
    domain = get_domain(path)
    keep_domain(domain, tmp_path / "study")
    (tmp_path / "cafe.jsonl").unlink()
    shutil.move(tmp_path / "study", tmp_path / "elsewhere")
    again = domain_of(tmp_path / "elsewhere", "cafe")
    assert folds(again) == folds(domain)
    assert (again.segments, again.contexts, again.fold_note) == (domain.segments, domain.contexts, domain.fold_note)
    assert again.about() == domain.about()
    assert custom.differences(again, domain) == []


def test_a_copy_that_was_changed_or_lost_is_named(tmp_path):
    domain = get_domain(write(tmp_path / "cafe.jsonl", lines(80)))
    keep_domain(domain, tmp_path / "study")
    copy = tmp_path / "study" / "domain" / "conversations.jsonl"
    copy.write_text(copy.read_text().replace("thing 3", "other 3"))
    with pytest.raises(UserError, match=r"conversations\.jsonl: has changed since"):
        domain_of(tmp_path / "study", "cafe")
    shutil.rmtree(tmp_path / "study" / "domain")
    with pytest.raises(UserError, match="its domain 'cafe' is none that is known"):
        domain_of(tmp_path / "study", "cafe")


def test_who_may_appear_where_is_printed(tmp_path):
    said = get_domain(write(tmp_path / "cafe.jsonl", lines(40, people=lambda n: [f"a{n}", f"b{n}"]))).table()
    assert "domain cafe" in said
    assert "  bots                24      48\n" in said
    assert "The folds share no person and no conversation." in said
