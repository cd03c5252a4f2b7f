"""The ParlAI teacher of spotbot:chitchat: ParlAI's own regression test of teachers, and what its datatypes hold."""

from parlai.core.params import ParlaiParser
from parlai.core.teachers import create_task_agent_from_taskname
from parlai.utils.testing import AutoTeacherTest

from parlai_spotbot.tasks.chitchat import data
from tests.case_tables import cases


class TestChitchatTeacher(AutoTeacherTest):
    task = "spotbot:chitchat"


def _teacher(**options):
    opt = ParlaiParser(True, False).parse_kwargs(task="spotbot:chitchat", **options)
    return create_task_agent_from_taskname(opt)[0]


@cases(
    "datatype fold expected",
    """
- [train:evalmode, null, [bots]]
- [valid, null, [judges, humans]]
- [test, null, [seeds]]
- [valid, humans, [humans]]
- [train:evalmode, judges, [judges]]
""",
)
def test_datatypes_are_folds_and_every_turn_is_a_label_once(datatype, fold, expected):
    teacher = _teacher(datatype=datatype, **({"chitchat_fold": fold} if fold else {}))
    chats = [chat for name in expected for chat in data.conversations(name)]
    assert teacher.num_episodes() == 2 * len(chats)
    assert teacher.num_examples() == sum(len(chat.turns) for chat in chats)
    labels = []
    while not teacher.epoch_done():
        act = teacher.act()
        labels += act.get("labels") or act["eval_labels"]
        assert act["fold"] in expected
    assert sorted(labels) == sorted(turn for chat in chats for turn in chat.turns)


def test_stream_mode_leaves_no_file_behind_in_the_folder_one_is_in(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    opt = ParlaiParser(True, False).parse_kwargs(
        task="spotbot:chitchat", datatype="train:stream", chitchat_fold="seeds"
    )
    teacher = create_task_agent_from_taskname(opt)[0]
    assert teacher.num_examples() > 700
    assert list(tmp_path.iterdir()) == []
