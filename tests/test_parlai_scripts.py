"""What is ours works in ParlAI's own scripts, and what is trained there is a contestant here."""

import json

import pytest

from tests.in_process import parlai


def test_display_data_shows_our_task():
    out, _ = parlai("display_data", "-t", "spotbot:chitchat", "-dt", "valid", "-n", 5)
    assert "loaded 1502 episodes" in out  # both sides of the 751 conversations of judges and humans


def test_eval_model_measures_our_agents():
    out, _ = parlai("eval_model", "-m", "spotbot:tfidf", "-t", "spotbot:chitchat", "-dt", "valid", "-ne", 20)
    assert "accuracy" in out


def test_interactive_talks_with_our_agents():
    out, _ = parlai("interactive", "-m", "spotbot:eliza", typed="my mother is from spain\n[EXIT]\n")
    assert "[eliza]" in out


def test_self_chat_plays_our_agents(tmp_path):
    parlai("self_chat", "-m", "spotbot:alice", "--num-self-chats", 2, "--outfile", tmp_path / "chats")
    lines = (tmp_path / "chats.jsonl").read_text().splitlines()
    assert len(lines) == 2
    assert json.loads(lines[0])["dialog"]


@pytest.fixture(scope="module")
def checkpoint(tmp_path_factory):
    """A model as a user would have it: trained by ``parlai train_model``, here for a few steps only."""
    model = tmp_path_factory.mktemp("checkpoint") / "model"
    size = ["--hiddensize", 16, "--embeddingsize", 16, "--numlayers", 1, "--dict-maxtokens", 200]
    length = [
        "--max-train-steps",
        20,
        "-bs",
        16,
        "--validation-max-exs",
        20,
        "--text-truncate",
        32,
        "--skip-generation",
        "true",
    ]
    size += ["--dict-maxexs", 500, "--short-final-eval", "true"]
    parlai("train_model", "-m", "seq2seq", "-t", "spotbot:chitchat", "-mf", model, *size, *length)
    return model


def test_a_checkpoint_of_ones_own_is_a_contestant_by_its_model_file(checkpoint, tmp_path):
    parlai(
        "spotbot_selfchat",
        "-mf",
        checkpoint,
        "--contestant",
        "fixed_response=fixed_response,fixed_response=i see",
        "--conversations-per-pair",
        4,
        "--study",
        tmp_path / "study",
        "--human-conversations",
        0,
    )
    rows = [json.loads(line) for line in (tmp_path / "study" / "conversations.jsonl").read_text().splitlines()]
    assert len(rows) == 4
    said = {act["id"]: act["text"] for act in rows[0]["dialog"][1]}
    assert said["fixed_response"] == "i see"
    about = json.loads((tmp_path / "study" / "provenance.json").read_text())["selfplay"]["contestants"]
    own = next(entry for name, entry in about.items() if name != "fixed_response")
    assert own["agent"].endswith("Seq2seqAgent")
    assert own["batched"]
    assert len(own["model_sha256"]) == 64
