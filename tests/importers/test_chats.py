"""Chats of roles (messages, ShareGPT): who is who, what becomes a turn, what is left out and counted, bad files."""

import json

import pytest

from parlai_spotbot import files
from parlai_spotbot.errors import UserError
from parlai_spotbot.importers.chats import ChatReader
from parlai_spotbot.importers.conversations import SIMULATED, ConversationReader
from parlai_spotbot.importers.import_request import ImportRequest
from parlai_spotbot.study import Study
from parlai_spotbot.surveys.packing.pack_study import pack_study
from tests.case_tables import case_table

READERS = {"messages": ChatReader, "sharegpt": ChatReader, "conversations": ConversationReader}


def read(name, data, **more):
    """The study that a format reads, by way of what the command calls."""
    return READERS[name](ImportRequest(str(data), **more)).study(name)


def said(*texts, first="user"):
    roles = ("user", "assistant") if first == "user" else ("assistant", "user")
    return [{"role": roles[i % 2], "content": text} for i, text in enumerate(texts)]


@pytest.fixture
def write(tmp_path):
    def lines(*rows, name="chats.jsonl"):
        path = tmp_path / name
        if name.endswith(".json"):
            path.write_text(json.dumps(rows))
        else:
            path.write_text("".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows))
        return path

    return lines


def test_who_is_who(write):
    path = write(
        {"messages": said("hi", "hello"), "model": "org|gpt  4o", "id": 7},
        {"messages": said("hello", "hi", first="assistant"), "metadata": {"model": "m2"}},
        {"messages": said("a", "b")},
    )
    made = read("messages", path)
    assert [(c.conversation_id if c.conversation_id == "7" else "", c.entities) for c in made.conversations] == [
        ("", ("human", "chats")),
        ("", ("m2", "human")),
        ("7", ("human", "org-gpt 4o")),
    ]
    assert made.about["notes"] == ["names as they may be: org|gpt  4o is org-gpt 4o"]
    named = read("messages", f"mine={path}", names="user=sim", columns="conversation_id=-")
    assert {c.entities for c in named.conversations} == {("sim", "mine"), ("mine", "sim")}
    one = read("messages", path, names="m2=second,chats=third")
    assert set(one.plan.contestants) == {"org-gpt 4o", "second", "third"}
    itself = read("messages", f"mine={path}", names="user=mine")
    assert {c.kind for c in itself.conversations} == {"self"}


@case_table(__file__, "read")
def test_formats_and_faults_of_chats(format, name, text, rows, words, talks, left, odd, says, bots, tmp_path):
    """Each row is read, and what it lacks is counted; all else is refused with the place."""
    path = tmp_path / (name or "chats.jsonl")
    path.write_text(text if text is not None else "".join(json.dumps(row) + "\n" for row in rows))
    request = ImportRequest(f"mine={path}" if words is None else str(path), **(words or {}))
    if says:
        with pytest.raises(UserError) as error:
            READERS[format](request).study(format)
        assert says in str(error.value)
        return
    made = READERS[format](request).study(format)
    found = [" / ".join([*filter(None, c.context), *(t.text for t in c.turns)]) for c in made.conversations]
    assert sorted(found) == sorted(talks)
    assert dict(request.left_out.counts) == (left or {})
    assert {row["what"]: row["count"] for row in made.about["oddities"]} == (odd or {})
    assert not bots or sorted(made.plan.contestants) == bots


def test_files_that_are_called_alike_are_not_one_bot(write, tmp_path):
    """A bot without a name is called as its file is, without the file's endings alone."""
    files = []
    for name in ("m-0.4.jsonl", "m-0.7.jsonl", "other/m-0.7.bst.jsonl"):
        (tmp_path / "other").mkdir(exist_ok=True)
        files.append(str(write({"messages": said("hi", name)}, name=name)))
    assert set(read("messages", ",".join(files[:2])).plan.contestants) == {"m-0.4", "m-0.7"}
    with pytest.raises(UserError, match=r"would be called 'm-0\.7' in both"):
        read("messages", ",".join(files))
    assert set(read("messages", f"{files[0]},one={files[1]},two={files[2]}").plan.contestants) == {
        "m-0.4",
        "one",
        "two",
    }


def test_rows_of_unknown_columns_end_after_some(write):
    path = write(*[{"x": n, "y": "z"} for n in range(1500)])
    with pytest.raises(UserError, match="the first 1,000 rows: 1000 of 1,000 rows can't be used"):
        read("messages", path)


def test_a_column_of_another_name_and_a_seed(write):
    path = write({"talk": said("a", "b", "c", "d"), "by": {"name": "m"}, "hash": "h1"})
    made = read("messages", path, columns="messages=talk,model=by.name,conversation_id=hash", seed_exchanges=1)
    (talk,) = made.conversations
    assert (talk.conversation_id, talk.entities, [t.text for t in talk.shown]) == ("h1", ("human", "m"), ["c", "d"])


def test_the_command_makes_a_study_and_the_same_again_changes_nothing(write, run, tmp_path, fingerprint):
    rows = [{"messages": said("hi", f"hello {n}", "ok", "bye"), "model": f"m{n % 2}"} for n in range(6)]
    words = ["--format", "messages", "--data", write(*rows), "--study", tmp_path / "study"]
    code, out, _ = run(*words)
    assert (code, "6 conversations of m0, m1" in out) == (0, True)
    study = Study.open(tmp_path / "study")
    assert [c.kind for c in study.conversations()] == ["human_model"] * 6
    before = fingerprint(study.path)
    assert "nothing changed" in run(*words)[1]
    assert fingerprint(study.path) == before


def test_a_change_of_one_of_two_files_with_one_name_is_imported(write, run, tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    first = write({"messages": said("hi", "one")}, name="a/chats.jsonl")
    second = write({"messages": said("hi", "two")}, name="b/chats.jsonl")
    words = ["--format", "messages", "--data", f"mine={first},theirs={second}", "--study", tmp_path / "study"]
    run(*words)
    write({"messages": said("hi", "one")}, {"messages": said("hi", "new")}, name="a/chats.jsonl")
    assert "written: " in run(*words)[1]
    study = Study.open(tmp_path / "study")
    assert len(study.conversations()) == 3
    first_import, _ = study.provenance()["import"]["imports"]
    assert first_import["source"] == ["chats.jsonl", "chats.jsonl-2"]


def added(run, study, *paths):
    """Import files into one study; returns the exit codes and messages."""
    formats = {".json": "sharegpt", ".jsonl": "messages"}
    return [run("--format", formats[path.suffix], "--data", f"mine={path}", "--study", study)[::2] for path in paths]


@pytest.fixture
def two_files(write):
    turns = [{"from": "human", "value": "hi"}, {"from": "gpt", "value": "hello"}]
    rows = [{"id": f"b{n}", "conversations": turns * (n + 1)} for n in range(3)]
    return write(*({"messages": said("hi", f"yo {n}"), "id": f"a{n}"} for n in range(3))), write(*rows, name="b.json")


def test_a_second_import_adds_conversations(two_files, write, run, tmp_path, fingerprint):
    path, (first, second) = tmp_path / "study", two_files
    assert added(run, path, first, second, first, second) == [(0, "")] * 4
    study = Study.open(path)
    assert sorted(c.conversation_id for c in study.conversations()) == ["a0", "a1", "a2", "b0", "b1", "b2"]
    assert (study.plan.exchanges, len(study.provenance()["import"]["imports"])) == (3, 2)
    assert study.provenance()["import"]["source"] == ["chats.jsonl", "b.json"]
    before = fingerprint(path)
    clash = write({"messages": said("hi", "other"), "metadata": {}, "id": "a1"}, name="clash.jsonl")
    ((code, err),) = added(run, path, clash)
    assert (code, "line 1: field 'id' is 'a1', as of another conversation with other contents" in err) == (2, True)
    code, _, err = run("--format", "messages", "--data", first, "--domain", "x", "--study", path)
    assert (code, "Imported conversations grow" in err) == (2, True)
    assert fingerprint(path) == before
    pack_study(study, "dialogue_likert")
    ((code, err),) = added(run, path, write({"messages": said("a", "b")}, name="more.jsonl"))
    assert (code, "until units are packed" in err) == (2, True)


@pytest.mark.parametrize("writes", range(8))
def test_a_second_import_that_is_killed_goes_on(two_files, run, tmp_path, fingerprint, monkeypatch, writes):
    whole, cut = tmp_path / "whole", tmp_path / "cut"
    added(run, whole, *two_files)
    added(run, cut, two_files[0])
    real, left = files.write_bytes, [writes]

    def stops(path, pieces):
        if not left[0]:
            raise KeyboardInterrupt
        left[0] -= 1
        real(path, pieces)

    monkeypatch.setattr(files, "write_bytes", stops)
    added(run, cut, two_files[1])
    monkeypatch.setattr(files, "write_bytes", real)
    assert added(run, cut, two_files[1]) == [(0, "")]
    assert fingerprint(cut) == fingerprint(whole)


def test_parquet_files_are_the_same_rows(write, tmp_path):
    pyarrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    rows = [{"messages": said("hi", f"hello {n}"), "model": f"m{n % 2}", "id": f"c{n}"} for n in range(2500)]
    folder = tmp_path / "saved"
    folder.mkdir()
    parquet.write_table(pyarrow.Table.from_pylist(rows), folder / "chats.parquet")
    plain = read("messages", write(*rows)).conversations
    assert read("messages", folder).conversations == plain
    (tmp_path / "cut.parquet").write_bytes((folder / "chats.parquet").read_bytes()[:-100])
    with pytest.raises(UserError, match="not a valid Parquet file"):
        read("messages", tmp_path / "cut.parquet")


def test_without_pyarrow_it_is_said_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "pyarrow", None)
    (tmp_path / "x.parquet").write_bytes(b"PAR1")
    with pytest.raises(UserError, match="pip install pyarrow"):
        read("messages", tmp_path / "x.parquet")


@pytest.mark.parametrize(
    ("last", "names", "told"), [("###STOP###", "", 1), ("###STOP###", "user=sim", 0), ("bye", "", 0)]
)
def test_users_of_logs_that_programs_end_are_told_to_be_read_as_people(last, names, told, write):
    made = read("messages", write({"messages": said("a", "b", "c", last)}), names=names)
    assert [note for note in made.about["notes"] if "users are read as people" in note] == [SIMULATED] * told


@pytest.mark.parametrize(
    ("key", "says"),
    [
        ("question_id", ""),
        ("other", "questions.csv has no column 'other'"),
        ("kind", "share a 'kind'"),
        ("text", "3 × row without messages"),
    ],
)
def test_what_was_asked_stands_in_another_file(key, says, run, tmp_path):
    """A column of another file is that of its row with the same id; an answer without one is left out and counted."""
    questions = tmp_path / "questions.csv"
    questions.write_text("question_id,text,kind\n1,how,k\n2,why,k\n")
    answers = tmp_path / "answers.jsonl"
    answers.write_text("".join(f'{{"question_id": {n}, "text": "so {n}"}}\n' for n in (2, 1, 3)))
    words = ["--columns", f"question={questions}:{key}:text,answer=text", "--study", tmp_path / "study"]
    code, out, err = run("--format", "messages", "--data", answers, *words)
    if says:
        assert (code, says in err) == (2, True), err
        return
    assert (code, "1 × row without messages" in out) == (1, True), err
    talks = Study.open(tmp_path / "study").conversations()
    assert sorted(turn.text for talk in talks for turn in talk.turns) == ["how", "so 1", "so 2", "why"]
    assert "nothing changed" in run("--format", "messages", "--data", answers, *words)[1]
    questions.write_text("question_id,text\n1,how\n2,what\n")
    code, _, err = run("--format", "messages", "--data", answers, *words)
    assert (code, "when one that --columns joins to it held something else" in err) == (2, True), err


def test_columns_that_are_not_read_are_named(write):
    rows = [{"Question": "how are you", "answer": "so so", "Mood": 3, "by": {"name": "m"}}] * 2
    rows.append({"messages": said("hi", "hello"), "judged": ["good"]})
    notes = read("messages", write(*rows), columns="model=by.name").about["notes"]
    unread = "columns that aren't read (--columns OURS=THEIRS names them): Mood and judged"
    assert notes == ["read by the names of columns: answer from answer", unread]
    assert read("messages", write(*rows[2:], name="b.jsonl"), columns="task=judged.0").about["notes"] == []


LABELS = ["positive", "negative", "very positive"]


def labelled(shape, value, number):
    """A row whose column holds what may be a label, by the shape of the file."""
    asked = {"question": f"How do they feel in text {number}?"}
    shapes = {
        "answer": {**asked, "Answer": value},
        "part": {"user_query": f"What is it in {number}?", "model_response": value},
        "list": {"conversation": [value, value]},
        "numbered": {"turn_1": value, "turn_2": value, "turn_3": "very positive"},
    }
    return shapes[shape]


@pytest.mark.parametrize(
    ("shape", "option"),
    [
        ("answer", "answer=Answer"),
        ("part", "answer=model_response"),
        ("list", "messages=conversation"),
        ("numbered", "messages=turn_1"),
    ],
)
def test_labels_are_not_read_as_what_was_said(shape, option, write):
    """Few short values of a column that only its name makes a turn are refused; the option reads them, and few rows,
    and sentences, are read with a note."""
    rows = [labelled(shape, LABELS[number % 3], number) for number in range(12)]
    with pytest.raises(UserError, match=f"column '{option.partition('=')[2]}' holds few short values") as error:
        read("messages", write(*rows))
    assert f"where it is this: --columns {option}." in str(error.value)
    told = read("messages", write(*rows), columns=option)
    assert len(told.conversations) == 12
    note = f"read by the names of columns: {option.replace('=', ' from ')}"
    assert note not in told.about["notes"]
    assert note in read("messages", write(*rows[:1])).about["notes"]
    sentences = [labelled(shape, f"It is {LABELS[number % 3]}, I think.", number) for number in range(12)]
    assert note in read("messages", write(*sentences)).about["notes"]


@pytest.mark.parametrize(
    ("columns", "words"),
    [
        ({"bot_version": ["v1", "v2"]}, {}),
        ({"condition": ["empathic", "neutral"]}, {"columns": "model=condition"}),
        ({"info": [{"chatbot": "v1"}, {"chatbot": "v2"}]}, {"columns": "model=info.chatbot"}),
    ],
)
@pytest.mark.parametrize("size", [2, 8])
def test_several_bots_never_stand_under_one_name(columns, words, size, write):
    """A column that may say which bot it was is asked about where it holds several; one, and what is no name, isn't."""
    ((name, values),) = columns.items()
    rows = [{"messages": said(f"hi {n}", f"hello {n}"), name: values[n % 2]} for n in range(size)]
    with pytest.raises(UserError, match="may say which bot it was: ") as error:
        read("messages", write(*rows))
    assert "; model=- where all are one bot" in str(error.value)
    assert len(read("messages", write(*rows), columns="model=-").plan.contestants) == 1
    if words:
        assert len(read("messages", write(*rows), **words).plan.contestants) == 2
    with pytest.raises(UserError, match="may say which bot it was: "):
        read("messages", write(*rows, {"messages": said("a", "b"), name: None}))
    assert len(read("messages", write(*rows[::2])).plan.contestants) == 1
    (one, other) = (write(*rows[side::2], name=f"{side}.jsonl") for side in range(2))
    assert set(read("messages", f"{one},{other}").plan.contestants) == {"0", "1"}
    text = [{**row, name: f"It is {n}. Not a name." if n % 2 else "Nor is this one."} for n, row in enumerate(rows)]
    assert len(read("messages", write(*text)).plan.contestants) == 1


def test_who_takes_part_and_words_for_roles_name_the_bot(write):
    def kinds(bot):
        return {
            "participant1_id": {"class": "Bot", "user_id": bot},
            "participant2_id": {"class": "User", "user_id": "u"},
        }

    dialog = [{"text": "hi", "sender_class": "User"}, {"text": "hello", "sender_class": "Bot"}]
    rows = [{"dialog": dialog, **kinds(f"bot{n % 2}"), "dialog_id": n} for n in range(4)]
    users = [{"id": "u", "userType": "Human"}, {"id": "b", "userType": "Bot"}]
    rows.append({"users": users, "thread": [{"userId": "u", "text": "hi"}, {"userId": "b", "text": "hello"}], "id": 9})
    turns = [{"from": "human", "value": "hi"}, {"from": "claude", "value": "hello"}]
    rows.append({"conversations": turns, "id": 10})
    assert set(read("messages", write(*rows)).plan.contestants) == {"bot0", "bot1", "b", "claude"}


def test_a_list_of_a_report_and_one_of_an_unknown_name_are_read_and_queries_with_intents_are_no_chat(write):
    report = {"accuracy": 0.5, "details": [{"query": f"is it {n}?", "response": f"It is {n}."} for n in range(3)]}
    assert len(read("messages", write(report, name="report.json")).conversations) == 3
    talk = {"Chat Hist": [{"role": "User", "text": "hi"}, {"role": "Bot", "text": "hello"}], "notes": [{"text": "x"}]}
    assert [t.text for t in read("messages", write(talk)).conversations[0].turns] == ["hi", "hello"]
    queries = [{"text": f"show table {n}", "intent": f"show_{n // 2}"} for n in range(6)]
    with pytest.raises(UserError, match=r"field 'role' is None\. Name the field that says whose a message is"):
        read("messages", write({"queries": queries}, name="queries.json"))
