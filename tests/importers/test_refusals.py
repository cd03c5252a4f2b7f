"""Bad input is one error that names file, line and field, and nothing is written."""

import json

from tests.case_tables import case_table

WIDE = "conversation_id,exchanges,worker_id,nature0,nature1,fluency,sensibleness,specificity"
PAIR = "conversation_ids,worker_id,question,target,answer"
CHAT = {"messages": [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"}]}


def text_of(chat, talk, wide, pair, text):
    """The text of a file from the short forms of a case."""
    if chat is not None:
        return json.dumps(CHAT | chat)
    if talk:
        return json.dumps({"dialog": [[{"id": who, "text": "x"} for who in talk]] * 3})
    head, row = (WIDE, wide) if wide is not None else (PAIR, pair)
    return text if text is not None else f"{head}\n{row or 'c0,2,w,human,bot,entity:0,entity:1,entity:0'}\n"


@case_table(__file__, "refused")
def test_refused(format, text, name, chat, talk, wide, pair, words, says, run, tmp_path, judged_study, fingerprint):
    path = tmp_path / (name or ("given.jsonl" if chat is not None or talk else "given.csv"))
    path.write_text(text_of(chat, talk, wide, pair, text))
    study = judged_study.path if format == "judgements" else tmp_path / "new"
    before = fingerprint(study)
    survey = ["--survey", "acute_eval"] if pair else []
    code, _, err = run("--format", format, "--data", path, "--study", study, *survey, *(words or ()))
    assert (code, says in err) == (2, True), err
    assert fingerprint(study) == before
