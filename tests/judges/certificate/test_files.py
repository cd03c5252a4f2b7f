"""Certificates of judges by verdicts and labels that were made elsewhere: files, frames, sequences."""

import json
import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import parlai_spotbot as sb
from parlai_spotbot.analysis.certificate import USES
from parlai_spotbot.errors import UserError
from parlai_spotbot.judges.certificate import read_certificate
from tests.analysis.certificate.labelled_talks import made_up
from tests.case_tables import cases
from tests.in_process import spotbot
from tests.outside_data import ABC_EVAL, released_data


@pytest.fixture
def folder(tmp_path, monkeypatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def frame(**shape) -> pd.DataFrame:
    return made_up(np.random.default_rng(3), 75, 14, 2, **{"judge": 0.3, "noise": 0.3, **shape})


def test_two_columns_are_one_command(folder):
    frame()[["verdict", "label"]].to_csv("labels.csv", index=False)
    out, _ = spotbot("judge", "--certify", "labels.csv")
    assert out.splitlines()[0] == "The judge may screen and rank: people vouch for it."
    assert "  150 labels, agreement 0.64 [0.49, 0.75] (Krippendorff's alpha)" in out
    assert len(out.splitlines()) <= 10
    assert "no column says who labelled (of one person's labels it could screen at most), or which rows are" in out
    assert "gate: not known: its agreement may lie on either side of 0.60; about 4," in out
    certificate = read_certificate(folder)
    assert certificate.figures["accuracy"]["estimate"] == pytest.approx(0.82, abs=0.005)
    assert str(certificate) == out.rpartition("\n\nwritten")[0]


def test_a_file_a_frame_and_sequences_say_the_same(folder):
    rows = frame()
    rows.rename(columns={"verdict": "GPT says", "label": "Human label"}).to_csv("a.tsv", sep=";", index=False)
    by_file = sb.certify("a.tsv", columns={"verdict": "GPT says"})
    beside = {name: rows[name].tolist() for name in ("item", "conversation", "annotator", "bot")}
    by_lists = sb.certify(rows["verdict"].tolist(), rows["label"].tolist(), beside=beside)
    assert by_file == sb.certify(rows) == by_lists
    assert sb.certify(rows.sample(frac=1, random_state=1)).bound == by_file.bound
    out, _ = spotbot("judge", "--certify", "a.tsv", "--columns", "verdict=GPT says", "--json")
    told = json.loads(out)
    assert told["figures"]["agreement"] == by_file.figures["agreement"]
    assert told["written"] == {"certificate": "certificate.json"}


def test_what_was_judged_and_not_labelled_is_not_covered(folder):
    rows = frame()
    rows.loc[rows["bot"] == "b2", "label"] = ""
    found = sb.certify(rows)
    assert (found.covered["bot"].keys(), found.not_covered["bot"]) == ({"b0", "b1"}, ["b2"])
    assert "  no labels of bots: b2" in str(found)
    rows.loc[rows["bot"] == "b1", "verdict"] = None
    assert sb.certify(rows).figures["without_verdict"] == (rows["bot"] == "b1").sum()


@pytest.mark.parametrize(
    ("spelt", "plain"),
    [
        ("PASS", "pass"),
        ("True ", "true"),
        ("Not good", "not_good"),
        ("STRASSE", "straße"),
        ("Ｂ", "b"),
        ("好。", "好"),
        ("−1", "-1"),
        ("1,5", "1.5"),
        ("TRUE", "1"),
        ("85%", "0.85"),
    ],
)
def test_answers_that_differ_in_spelling_alone_are_one(spelt, plain):
    rows = frame()[["verdict", "label"]]
    other = sorted(set(rows["label"]))[0]
    once = rows.replace(other, plain)
    mixed = once.assign(verdict=once["verdict"].replace(plain, spelt))
    assert sb.certify(mixed).figures == sb.certify(once).figures
    assert sb.certify(mixed).figures["unlike_labels"] == {}


def test_a_comma_leaves_a_number_its_sign():
    rows = frame()[["verdict", "label"]]
    words = sorted(set(rows["label"]))[:2]
    point = rows.replace(dict(zip(words, ["-1.5", "1.5"], strict=True)))
    comma = rows.replace(dict(zip(words, ["−1,5", "1,5"], strict=True)))
    assert sb.certify(comma).figures == sb.certify(point).figures


def test_rows_left_out_and_answers_that_nobody_labels_are_told(folder):
    rows = frame()[["verdict", "label"]]
    rows.loc[:9, "label"] = ""
    rows.loc[10:14, "verdict"] = None
    rows.loc[15:17, "verdict"] = "can't parse"
    said = str(sb.certify(rows))
    assert "10 verdicts without a label left out" in said
    assert "5 labels without a verdict left out" in said
    assert "3 verdicts that no label is: can't parse" in said
    assert "left out" not in str(sb.certify(frame()))


@pytest.mark.parametrize("numbers", [[1, 2, 3, 4, 5], [1.0, 2.0, 3.0, 4.0, 5.0], [0.5, 1.0, 1.5, 2.0, 10.0]])
def test_numbers_are_a_scale(numbers):
    label = np.random.default_rng(1).integers(0, 5, 80)
    values = np.array(numbers)
    found = sb.certify(values[np.clip(label + 1, 0, 4)], values[label])
    assert (found.figures["measure"], found.figures["answers"][-1]) == ("ordinal", f"{values[-1]:g}")
    assert found.figures["agreement"]["estimate"] > 0.5
    assert sb.certify(values[label] > values[1], values[label] > values[2]).figures["measure"] == "nominal"
    assert f"answers in order from {values[0]:g} to {values[-1]:g}; --scale - if they have none" in str(found)
    assert sb.certify(values[label], values[label], scale="-").figures["measure"] == "nominal"


def test_a_conversation_is_the_item_where_nobody_labels_it_twice():
    rows = frame()
    without = rows.drop(columns="item")
    assert sb.certify(without).figures["people_agreement"]["items"] == 75
    turns = pd.concat([without, without])
    assert sb.certify(turns).figures["people_agreement"]["alpha"]["estimate"] is None


@pytest.mark.parametrize("name", ["question_id", "item", "conversation"])
@pytest.mark.parametrize("rows", [1, 3])
def test_what_has_several_verdicts_is_not_what_was_labelled(name, rows):
    pairs = made_up(np.random.default_rng(3), 50, 150, 1, rows=rows, noise=0.3, judge=0.3)
    given = pairs.rename(columns={"conversation": "talk"}).drop(columns=["item", "bot"])
    found = sb.certify(given.rename(columns={"talk": name}))
    assert found.figures["people_agreement"]["items"] == 0
    assert found.figures["twice"] == 0
    same = sb.certify(given.rename(columns={"talk": "conversation"}))
    assert found.figures["agreement"] == same.figures["agreement"]
    line = f"{name} has several verdicts for one value: taken as conversations, not as what was labelled"
    assert (line in str(found)) == (rows > 1 and name != "conversation")


def test_sentences_agree_with_the_intervals_beside_them():
    reasons = set()
    for seed in range(60):
        rng = np.random.default_rng(seed)
        shape = {"judge": rng.uniform(0.2, 3), "noise": rng.uniform(0.1, 1.5), "cut": rng.choice([0, 1.5])}
        found = sb.certify(made_up(rng, int(rng.choice([30, 100, 600])), int(rng.integers(3, 20)), 2, **shape))
        low, high = (found.figures["agreement"][end] for end in ("low", "high"))
        for row in found.uses:
            said = found.explained(row["use"])
            reasons.add(row["reason"])
            for words, is_true in SENTENCES.items():
                for limit in re.findall(words, said):
                    assert is_true(low, float(limit), high), (seed, said, low, high)
    assert {"above", "as_people", "below", "unclear", "unclear_people", "few_people"} <= reasons


SENTENCES = {
    r"its agreement is surely above (\d\.\d\d)": lambda low, limit, high: limit - 0.005 <= low,
    r"its agreement is surely below (\d\.\d\d)": lambda low, limit, high: high <= limit + 0.005,
    r"either side of (\d\.\d\d)": lambda low, limit, high: low - 0.005 <= limit <= high + 0.005,
}


@cases(
    "head taken",
    """
- [llm_verdict human_label, llm_verdict human_label]
- [judge_score human_score model_a model_b judge_order, judge_score human_score]
- [verdict labels, verdict labels]
- [gpt4_winner expert_winner question, gpt4_winner expert_winner]
- ['x human_preference LLM', LLM human_preference]
- [claude rater_1, claude rater_1]
- [score human, score human]
- [question grade gold, grade gold]
- [score llm_score human, llm_score human]
""",
)
def test_columns_that_say_whose_they_are_need_no_option(folder, head, taken):
    rows = frame()
    names = head.split()
    verdict, label = taken.split()
    columns = {name: [f"{name} {row}" for row in range(len(rows))] for name in names}
    columns |= {verdict: rows["verdict"], label: rows["label"]}
    pd.DataFrame(columns).to_csv("a.csv")  # with the column without a name that pandas writes
    out, _ = spotbot("judge", "--certify", "a.csv")
    assert f"taken as verdict: {verdict}, as label: {label} " in out
    assert sb.certify("a.csv").figures["confusion"] == sb.certify(rows[["verdict", "label"]]).figures["confusion"]


@pytest.mark.parametrize("columns", ["human{}", "annotator_{} label", "Rater {}"])
def test_people_with_a_column_each_are_rows_each(columns):
    rows = frame()
    wide = rows.pivot_table(
        index=["item", "verdict"], columns=rows.groupby("item").cumcount(), values="label", aggfunc="first"
    )
    wide = wide.rename(columns=lambda person: columns.format(person + 1)).reset_index().drop(columns="item")
    wide.iloc[:4, -1] = None
    found = sb.certify(wide)
    long = wide.assign(item=range(len(wide))).melt(["item", "verdict"], var_name="annotator", value_name="label")
    assert found.figures["agreement"] == sb.certify(long.dropna()).figures["agreement"]
    assert (found.figures["people"], found.figures["labels"]) == (2, len(rows) - 4)
    assert found.figures["without_label"] == 0
    named = "+".join(columns.format(person) for person in (1, 2))
    assert sb.certify(wide, columns={"label": named}).uses == found.uses
    assert "let 5 people or more label" in str(found)


@pytest.mark.parametrize(
    ("judge", "own", "others"),
    [
        ("gpt-4o-2024-08-06", "openai/gpt-4.1-mini", "DialoGPT"),
        ("anthropic/claude-3", "Claude Haiku", "metaclaude"),
        ("Llama-3.3-70B", "meta-llama/Llama-2", "qwen2.5"),
        ("o3-mini", "chatgpt", "phi-4"),
    ],
)
def test_a_judge_that_favours_its_own_family_is_told_by_names(judge, own, others):
    rows = frame(bias=3.0, noise=0.2, taste=0.0)
    rows["bot"] = np.where(rows["bot"] == "b1", own, others)
    found = sb.certify(pd.concat([rows.assign(item=rows["item"] + str(time)) for time in range(4)]), judge=judge)
    told = {row["group"] for row in found.figures["favours"] if row["kind"] == "family"}
    assert told == {"its own"}
    assert re.search(r"family its own: it says 0 \d+ points less often \(−", str(found))
    given = sb.certify(rows.assign(family=rows["bot"] == own), judge="parrot")
    assert given.figures["favours"][-1]["kind"] == "family"
    for unknown in ("parrot", ""):
        assert "family" not in str(sb.certify(rows, judge=unknown))
    assert "family" not in str(sb.certify(rows.assign(bot=own), judge=judge))


@pytest.mark.parametrize("rows_of_bot", [2, 40])
def test_a_favour_of_which_nothing_is_known_has_no_number(rows_of_bot):
    bot = np.array(["ada"] * rows_of_bot + ["bob"] * 78)
    labels = np.arange(len(bot)) % 2
    verdicts = np.where(np.arange(len(bot)) % 7 < 2, 1 - labels, labels)
    told = [line for line in str(sb.certify(pd.DataFrame({"judge": verdicts, "human": labels, "bot": bot}))).split("\n")
            if "bot ada" in line]  # fmt: skip
    assert len(told) == 1
    assert ("is not known" in told[0]) == (rows_of_bot == 2)
    assert ("points" in told[0]) == (rows_of_bot > 2)


def test_rows_that_are_there_twice_count_once():
    rows = frame()
    names = ["verdict", "label"]
    for one in (rows, rows[names], rows[names].assign(text=[f"text {row}" for row in range(len(rows))])):
        found = sb.certify(pd.concat([one, one]))
        assert found.figures["twice"] == len(rows)
        assert found.figures["agreement"] == sb.certify(one).figures["agreement"]
        assert f"{len(rows)} rows that stand in it before left out" in str(found)
    natural = pd.concat([rows[names].assign(bot="b")] * 2)  # nothing tells rows apart
    assert sb.certify(natural).figures["twice"] == 0
    assert sb.certify(["y", "n"] * 40, ["y", "n"] * 40).figures["labels"] == 80
    assert sb.certify(["y"] * 40, ["y"] * 40).figures["labels"] == 40


def test_words_of_a_scale_are_in_order(folder):
    code = np.random.default_rng(1).integers(0, 5, 80)
    words = np.array(["Strongly disagree", "disagree", "Neutral", "agree", "strongly  agree"])
    judge = np.clip(code + 1, 0, 4)
    found = sb.certify(words[judge], words[code])
    assert found.figures["measure"] == "ordinal"
    assert found.figures["agreement"] == sb.certify(judge, code).figures["agreement"]
    own = np.array(["eins", "zwei", "drei", "vier", "fünf"])
    pd.DataFrame({"judge": own[judge], "human": own[code]}).to_csv("a.csv", index=False)
    assert sb.certify("a.csv").figures["measure"] == "nominal"
    spotbot("judge", "--certify", "a.csv", "--scale", ", ".join(own))
    assert read_certificate(folder).figures["agreement"] == found.figures["agreement"]
    assert sb.certify("a.csv", scale="eins,zwei,drei,vier,fünf").uses == found.uses


@cases(
    "labels rare",
    """
- [1, 0]
- [60, 0]
- [9, 3]
- [150, 3]
- [150, 7]
""",
)
def test_too_few_labels_say_how_many_are_needed(labels, rare):
    given = ["y"] * (labels - rare) + ["n"] * rare
    found = sb.certify(given, given)
    more = found.use("gate")["labels"]
    assert (found.use("gate")["status"], more >= 60 - labels) == ("not known", True)
    if rare:
        assert rare + more * rare / labels >= 8
    else:
        assert more >= 8
    assert f"{more} label" in found.explained("gate")


@cases(
    "text words says",
    """
- ['', [], 'holds no rows']
- ["verdict,label\\n", [], 'holds no rows']
- ["verdict,result\\na,b\\n", [], 'no column is known to hold label (there are verdict, result)']
- ["verdict,label\\na,\\n", [], 'no row has both a verdict and a label']
- ["a,b\\n1,2\\n", [], 'no column is known to hold verdict and label']
- ["Urteil,die Leute\\n1,2\\n", [], "--columns 'verdict=Urteil,label=die Leute';"]
- ["gpt4_winner,claude_winner,expert_winner\\na,b,c\\n", [], '--columns verdict=THEIR_COLUMN,label=expert_winner;']
- ["x,human preference,human choice,LLM\\n1,2,3,4\\n", [], '--columns verdict=LLM,label=THEIR_COLUMN; label=A+B where']
- ["gpt,human_1,human_2,rater_1\\na,b,a,c\\n", [], '--columns verdict=gpt,label=THEIR_COLUMN; label=A+B where each']
- ["x,y\\na,b\\n", [--columns, 'verdict=x,label=y+z'], "has no column 'y+z'"]
- ["judge,human\\nlow,high\\nhigh,low\\n", [--scale, 'low,middle'], "--scale: lacks the answer 'high'"]
- ["llm,human\\nA,1st\\nB,2nd\\nA,1st\\nB,2nd\\nA,1st\\nB,tie\\ntie,tie\\nA,1st\\n", [], 'few in common']
- ["judge,human\\n1,0\\n2,1\\n1,0\\n2,1\\n1,0\\n2,1\\n1,0\\n2,1\\n", [], "from 1 to 2, labels from 0 to 1: two scales"]
- ["judge,human\\n50,1\\n99,2\\n14,3\\n60,4\\n71,5\\n8,4\\n4,1\\n0,1\\n", [], "0 to 99, labels from 1 to 5: two scales"]
- ["judge,human\\n9,1\\n10,2\\n7,3\\n6,4\\n5,5\\n8,4\\n4,1\\n2,1\\n", [], "2 to 10, labels from 1 to 5: two scales"]
- ["judge,human\\nyes,1\\nno,0\\n", [--answers, 'yse=1'], "Did you mean 'yes'?"]
- ["judge,human\\ny,1\\nn,0\\nn,0\\nn,0\\nn,0\\nn,0\\nn,0\\nn,0\\n", [], 'are y and n, labels are 1 and 0: none in']
- ["judge,human\\n0.1,1\\n.2,0\\n0.3,1\\n0,0\\n1,1\\n0.4,1\\n0.5,1\\n0.6,1\\n0.7,1\\n", [], 'a score is no verdict']
- ["judge,human\\n1,2\\n", [--columns, label=humna], "Did you mean 'human'?"]
- ["judge,human\\n1,2\\n", [--columns, lable=human], "Did you mean 'label'?"]
- ["judge,human\\n1,2\\n", [--columns, label], "'label' is not of the form A=B"]
- ["judge,human\\n1,2\\n", [--columns, 'label=judge,verdict=judge'], "one column, 'judge', for verdict and label"]
- ["judge,human,length\\n1,2,x\\n", [], "length is 'x', expected a number"]
- ["judge,human,rater\\n1,2,x\\n1,2,\\n", [], 'annotator is empty in row 2']
""",
)
def test_what_is_wrong_is_one_error(folder, text, words, says):
    (folder / "labels.csv").write_text(text)
    _, err = spotbot("judge", "--certify", "labels.csv", *words, code=2)
    assert says in err
    assert not (folder / "certificate.json").exists()


SAME_ANSWERS = """
- [yes no, "1 0", "yes=1,no=0"]
- [good bad, "1 0", "good=1,bad=0"]
- [FAIL PASS, no yes, "FAIL=no,PASS=yes"]
- [model_a model_b tie, a b tie, "model_a=a,model_b=b"]
- ["1 2", "0 1", "1=0,2=1"]
- ["A_wins B_wins tie", "A B tie", "A_wins=A,B_wins=B"]
- ["bad poor good excellent", "1 2 3 4", "bad=1,poor=2,good=3,excellent=4"]
- ["1 2 3 4 5", "0 1 2 3 4", "1=0,2=1,3=2,4=3,5=4"]
"""


@cases("verdicts labels named", SAME_ANSWERS)
def test_other_words_for_an_answer_are_an_error_whose_option_works(folder, verdicts, labels, named):
    rng = np.random.default_rng(2)
    theirs, ours = verdicts.split(), labels.split()
    code = np.arange(80) % len(ours)
    judge = np.where(rng.random(80) < 0.2, rng.permutation(code), code)
    pd.DataFrame({"judge": np.array(theirs)[judge], "human": np.array(ours)[code]}).to_csv("a.csv", index=False)
    _, err = spotbot("judge", "--certify", "a.csv", code=2)
    told = re.search(r"--answers (\S+?)[.;]?\s", err).group(1)
    assert set(told.split(",")) == set(named.split(","))
    spotbot("judge", "--certify", "a.csv", "--answers", told)
    same = sb.certify(np.array(ours)[judge], np.array(ours)[code]).figures
    assert read_certificate(folder).figures["agreement"] == same["agreement"]


@pytest.mark.parametrize(
    "signs", [["A>B", "A<B"], ["A>>B", "A>B"], ["A=B", "A>B"], ["A+", "A-"], ["yes", "yes?"], ["<1", ">1"]]
)
def test_signs_tell_answers_apart(signs):
    code = np.arange(80) % 2
    found = sb.certify(np.array(signs)[code], np.array(signs)[1 - code])
    assert found.figures["agreement"]["estimate"] < -0.9
    assert set(found.figures["answers"]) == set(signs)


@pytest.mark.parametrize("word", ["none", "N/A", "-", "?"])
def test_a_word_that_both_have_is_an_answer_and_else_means_nothing(word):
    answers = np.array(["A", "B", word])
    code = np.random.default_rng(1).permutation(np.arange(90) % 3)
    found = sb.certify(answers[code], answers[(code + (np.arange(90) < 9)) % 3])
    assert (found.figures["labels"], word in found.figures["answers"]) == (90, True)
    assert f"taken as an answer, since verdicts and labels have it: {word.lower()} (empty" in str(found)
    once = sb.certify(answers[code], answers[code % 2])
    assert (once.figures["labels"], once.figures["without_verdict"]) == (60, 30)
    nothing = sb.certify([None if one == word else one for one in answers[code]], answers[code % 2])
    assert nothing.figures["labels"] == 60


@pytest.mark.parametrize(("write", "plain"), [("{:.1f}", [1, 2.5, 4]), ("{:,}", [1000, 2500, 4000])])
def test_numbers_with_a_comma_are_numbers(write, plain):
    code = np.arange(90) % 3
    written = np.array([write.format(number).replace(".", ",") for number in plain])
    other = np.array(plain)[(code + (np.arange(90) < 9)) % 3]
    found = sb.certify(written[code], other)
    assert (found.figures["measure"], found.figures["answers"]) == ("ordinal", [f"{number:g}" for number in plain])
    assert found.figures["agreement"] == sb.certify(np.array(plain)[code], other).figures["agreement"]


@pytest.mark.parametrize("column", ["judge", "judge_model", "evaluator"])
def test_of_several_judges_one_is_named(folder, column):
    rows = frame()[["item", "annotator", "verdict", "label"]]
    other = rows.assign(verdict=rows["verdict"].sample(frac=1, random_state=1).to_numpy())
    both = pd.concat([rows.assign(**{column: "gpt-4o"}), other.assign(**{column: "claude"})])
    both.to_csv("a.csv", index=False)
    _, err = spotbot("judge", "--certify", "a.csv", code=2)
    assert f"verdicts of gpt-4o and claude, in the column {column}" in err
    assert "--judge-name gpt-4o" in err
    out, _ = spotbot("judge", "--certify", "a.csv", "--judge-name", "gpt-4o")
    assert read_certificate(folder).figures["confusion"] == sb.certify(rows).figures["confusion"]
    assert out.startswith("Judge gpt-4o ")


def test_a_judge_may_be_an_annotator_among_people(folder):
    rows = frame()
    people = rows[["item", "annotator", "label"]]
    judge = rows.drop_duplicates("item").assign(annotator="gpt-4", label=lambda one: one["verdict"])
    long = pd.concat([people, judge[[*people]]]).rename(columns={"label": "rating", "annotator": "rater"})
    found = sb.certify(long)
    assert (
        found.figures["agreement"] == sb.certify(rows[["item", "annotator", "verdict", "label"]]).figures["agreement"]
    )
    assert "verdicts are those of the annotator gpt-4 " in str(found)
    named = sb.certify(long.replace("gpt-4", "parrot"), judge="parrot")
    assert named.figures["confusion"] == found.figures["confusion"]
    with pytest.raises(ValueError, match="no column is known to hold verdict"):
        sb.certify(long.replace("gpt-4", "parrot"))


def test_answers_of_a_judge_among_people_are_about_the_same_pair(folder):
    """Several pairs of one question: what is compared is the label and the verdict on one pair, or nothing."""
    rows = frame()
    about = rows["item"].astype("category").cat.codes
    pairs = rows.assign(question_id=about // 3, model_a="x", model_b=(about % 3).astype(str))
    people = pairs[["question_id", "model_a", "model_b", "annotator", "label"]]
    judge = pairs.drop_duplicates("item").assign(annotator="gpt-4", label=lambda one: one["verdict"])[[*people]]
    found = sb.certify(pd.concat([people, judge]))
    alone = sb.certify(rows[["item", "annotator", "verdict", "label"]])
    assert found.figures["confusion"] == alone.figures["confusion"]
    assert found.figures["people"] == alone.figures["people"]
    assert "aren't read" not in str(found)
    short = pd.concat([people, judge])[["question_id", "annotator", "label"]]
    for lacking in (short, short.assign(note=[f"{n}" for n in range(len(short))])):
        with pytest.raises(ValueError, match="gpt-4 answers several times where question_id is the same"):
            sb.certify(lacking)


@pytest.mark.parametrize(
    ("encoding", "answers"), [("cp1252", ["genügend", "ungenügend"]), ("gb18030", ["正确", "错误"])]
)
def test_a_file_in_another_encoding_takes_the_option_that_the_error_names(folder, encoding, answers):
    code = np.arange(80) % 2
    rows = pd.DataFrame({"judge": np.array(answers)[code], "human": np.array(answers)[code]})
    rows.to_csv("a.csv", index=False, encoding=encoding)
    _, err = spotbot("judge", "--certify", "a.csv", code=2)
    assert f"{encoding} of" in err
    assert "take it as --encoding" in err
    spotbot("judge", "--certify", "a.csv", "--encoding", encoding)
    assert set(read_certificate(folder).figures["answers"]) == set(answers)


@pytest.mark.parametrize("write", ["{}%", "{}.5", "{}e-7"])
def test_numbers_are_in_order_however_they_are_written(write):
    code = np.random.default_rng(1).integers(0, 100, 80)
    written = np.array([write.format(number) for number in range(100)])
    found = sb.certify(written[np.minimum(code + 1, 99)], written[code])
    assert found.figures["agreement"] == sb.certify(np.minimum(code + 1, 99), code).figures["agreement"]
    assert found.figures["unlike_labels"] == {}


@pytest.mark.parametrize(
    "write",
    [
        '{{"reason": "It is so; [1]", "verdict": "{}"}}',
        '```json\n{{"score": "{}", "why": "pass or fail"}}\n```',
        "{} - the answer is so",
        "Rating: [[{}]]",
        "It may be pass.\nBut no.\nVerdict: {}",
    ],
)
@pytest.mark.parametrize("answers", [["pass", "fail"], ["1", "2", "3", "4"], ["好", "差"]])
def test_verdicts_are_read_out_of_longer_texts(write, answers):
    rows = np.random.default_rng(2).integers(0, len(answers), 80)
    verdicts = np.array(answers)[np.where(np.arange(80) % 7, rows, rows[::-1])]
    found = sb.certify([write.format(one) for one in verdicts], np.array(answers)[rows])
    assert found.figures["confusion"] == sb.certify(verdicts, np.array(answers)[rows]).figures["confusion"]
    assert "verdicts are read out of longer texts: “" in str(found)


def test_a_number_that_no_label_is_is_read_out_too():
    verdicts = np.random.default_rng(1).permutation([1, 2, 3, 4, 5] * 8)
    found = sb.certify([f"Score: {one}" for one in verdicts], np.minimum(verdicts, 4))
    assert (found.figures["measure"], found.figures["unlike_labels"]) == ("ordinal", {"5": 8})


def test_texts_that_name_no_label_are_an_error():
    with pytest.raises(ValueError, match="Write each verdict as one of the labels, in a column of its own"):
        sb.certify([f"It is neither pass nor fail, as {row} says" for row in range(40)], ["pass", "fail"] * 20)


def test_each_sentence_on_answers_names_what_to_do():
    code = np.arange(80) % 3
    third = sb.certify(np.array(["A", "B", "C"])[code], np.array(["A", "B", "tie"])[code])
    assert "26 verdicts that no label is: C (--answers C=tie says which they are)" in str(third)
    opposite = sb.certify(["yes", "no"] * 40, ["no", "yes"] * 40)
    assert "less than by guessing: if its answers mean the opposite, --answers no=yes,yes=no" in str(opposite)
    seven = sb.certify(np.arange(80) % 7 + 1, np.arange(80) % 6 + 1)
    assert "11 verdicts that no label is: 7" in str(seven)


def test_columns_that_are_not_read_are_named():
    rows = frame()[["verdict", "label"]].assign(note="x", annotator_2="y")
    assert "columns that aren't read (--columns OURS=THEIRS names them): note and annotator_2" in str(sb.certify(rows))


def test_people_with_a_sequence_each_are_a_column_each():
    rows = frame().sort_values(["item", "annotator"])
    people = [rows["label"][start::2].tolist() for start in (0, 1)]
    verdicts = rows["verdict"][::2].tolist()
    named = dict(zip(["ann", "bob"], people, strict=True))
    found = sb.certify(verdicts, named)
    assert (found.figures["people"], found.figures["labels"]) == (2, 150)
    assert found.uses == sb.certify(verdicts, pd.DataFrame(named)).uses
    assert found.figures["people_agreement"]["items"] == 75


def test_words_whose_order_is_not_known_are_said_to_have_none():
    words = np.array(["eins", "zwei", "drei", "vier"])
    code = np.arange(80) % 4
    assert "answers are taken without an order: --scale LOW" in str(sb.certify(words[code], words[code]))
    assert "without an order" not in str(sb.certify(words[code], words[code], scale="-"))
    german = np.array(["trifft nicht zu", "trifft eher nicht zu", "teils/teils", "trifft zu"])
    assert sb.certify(german[code], german[code]).figures["measure"] == "ordinal"


def test_verdicts_that_name_a_place_are_told_by_the_order():
    code = np.arange(80) % 2
    order = np.repeat([0, 1], 80)
    both = {"item": [*range(80)] * 2, "order": order, "label": np.array(["first", "second"])[[*code] * 2]}
    places = np.array(["first", "second"])[(np.array([*code] * 2) + order) % 2]
    assert "unless they name the place" in str(sb.certify(pd.DataFrame({**both, "verdict": places})))


def test_a_missing_file_and_a_changed_certificate_are_errors(folder):
    _, err = spotbot("judge", "--certify", "nowhere.csv", code=2)
    assert "nowhere.csv: no such file" in err
    _, err = spotbot("judge", code=2)
    assert "--study missing" in err
    sb.certify(frame()).write(folder / "c.json")
    changed = json.loads((folder / "c.json").read_text())
    changed["bound"]["labels_sha256"] = "0"
    (folder / "c.json").write_text(json.dumps(changed))
    with pytest.raises(UserError, match="what it is bound to was changed"):
        read_certificate(folder / "c.json")
    with pytest.raises(ValueError, match="labels: missing"):
        sb.certify(["a"])
    with pytest.raises(ValueError, match="label: has 1 entries, expected one for each of 2 verdicts"):
        sb.certify(["a", "b"], ["a"])


@pytest.mark.parametrize("behaviour", ["empathetic", "self contradiction", "irrelevant"])
def test_language_models_of_abc_eval_beside_two_people(behaviour):
    dialogues = json.loads((released_data(ABC_EVAL) / "behavior-classification-results.json").read_text())
    rows = []
    for name, turns in dialogues.items():
        for number, turn in enumerate(turns):
            given = turn["behaviors"][behaviour]
            for person, label in enumerate(given["human"]):
                about = {"conversation": name, "item": f"{name} {number}", "annotator": f"{name} {person}"}
                rows.append({**about, "bot": name.partition("_")[2], "verdict": given["gpt"], "label": label})
    frame = pd.DataFrame(rows)
    found = sb.certify(frame, judge="gpt")
    expected = [((frame["verdict"] == frame["label"])[frame["label"] == label]).mean() for label in (0, 1)]
    assert found.figures["accuracy"]["estimate"] == pytest.approx(np.mean(expected))
    assert found.use("gate")["status"] != "valid"
    assert set(USES) == {row["use"] for row in found.uses}
