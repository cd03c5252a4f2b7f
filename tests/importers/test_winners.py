"""Winners by name or by side, where systems are called like sides: never read the wrong way round unsaid."""

import itertools

import pytest

import parlai_spotbot as sb

HEADS = {"a": ("model_a", "model_b"), "1": ("system1", "system2"), "left": ("left", "right")}
NAMES = [("A", "B"), ("1", "2"), ("left", "right"), ("model_a", "model_b"), ("A", "B", "C"), ("1", "2", "3")]
STRENGTH = (9, 5, 2)


def sides_of(head):
    """The words by which rows of these columns name sides."""
    return {"model_a": ("A", "B"), "system1": ("1", "2"), "left": ("left", "right")}[head[0]]


def file_of(path, names, head, by):
    """Every two of the names in both orders, the stronger winning mostly; the winner by name or by side."""
    sides = sides_of(head)
    rows = [",".join((*head, "winner"))]
    for (first, second), number in itertools.product(itertools.permutations(range(len(names)), 2), range(14)):
        won = number % (STRENGTH[first] + STRENGTH[second]) >= STRENGTH[first]
        word = (names[first], names[second])[won] if by == "name" else sides[won]
        rows.append(f"{names[first]},{names[second]},{word}")
    path.write_text("\n".join(rows))
    return path


def order_of(votes):
    return votes.rank(bootstraps=20).tables["ranking"]["bot"].tolist()


@pytest.mark.parametrize("by", ["name", "side"])
@pytest.mark.parametrize("names", NAMES, ids=" ".join)
@pytest.mark.parametrize("head", HEADS.values(), ids=" ".join)
def test_names_like_sides(head, names, by, tmp_path):
    path = file_of(tmp_path / "votes.csv", names, head, by)
    assert order_of(sb.read_votes(path, winner_is=by)) == list(names)
    if len(names) == 2 and (by == "name" or names == sides_of(head)):
        with pytest.raises(ValueError, match="Say which: winner_is name, or winner_is side"):
            sb.read_votes(path)
    else:
        assert order_of(sb.read_votes(path)) == list(names)


def test_what_fits_every_row_is_taken_and_said(tmp_path, capsys):
    path = file_of(tmp_path / "votes.csv", ("A", "B", "C"), HEADS["a"], "name")
    found = sb.import_study("votes", path, study=tmp_path / "s")
    assert "each word is a contestant's name" in capsys.readouterr().out
    assert len(found.answers("votes")) == 84


def test_ties_and_words_of_ones_own(tmp_path):
    path = tmp_path / "votes.csv"
    rows = ["A,B,A", "B,A,A", "B,A,tie", "A,B,both_bad", "B,A,same here"] * 6
    path.write_text("model_a,model_b,winner\n" + "\n".join(rows))
    votes = sb.read_votes(path, winner_is="name", answers={"same here": "tie"})
    assert votes.frame["answer"].value_counts().to_dict() == {"tie": 12, "a": 6, "b": 6, "both_bad": 6}
    with pytest.raises(ValueError, match=r"winner_is sides: not known\. Write name or side\."):
        sb.read_votes(path, winner_is="sides")


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("CLAUDE", "a"),
        ("Llama 3", "b"),
        ("Model A is better", "a"),
        ("model B is slightly better.", "b"),
        ("System A wins!", "a"),
        ("Both are good", "tie"),
        ("Both are bad", "both_bad"),
        ("👈", "a"),
        ("👉", "b"),
        ("🤝", "tie"),
    ],
)
@pytest.mark.parametrize("turned", [False, True])
def test_words_of_forms(word, meant, turned, tmp_path):
    """Names in other letters, sentences on a side, and hands; sides as shown are turned, names aren't."""
    path = tmp_path / "votes.csv"
    path.write_text(f"model_a,model_b,winner,swapped\nclaude,llama-3,{word},{turned}\nllama-3,claude,tie,False\n")
    rows = sb.read_votes(path, columns={"swapped": "swapped"}).frame
    expected = meant
    if turned and word not in ("CLAUDE", "Llama 3"):
        expected = {"a": "b", "b": "a"}.get(meant, meant)
    assert rows["answer"].tolist() == [expected, "tie"]


@pytest.mark.parametrize("word", ["Model A is not better", "model C is better", "better", "claude 2", "both"])
def test_other_sentences_are_refused(word, tmp_path):
    path = tmp_path / "votes.csv"
    path.write_text(f"model_a,model_b,winner\nclaude,llama-3,{word}\nllama-3,claude,tie\n")
    with pytest.raises(ValueError, match="which is no contestant and no known word"):
        sb.read_votes(path)


@pytest.mark.parametrize("word", ["model_a", "left", "Model A is better"])
def test_a_side_is_no_name_where_words_are_said_to_be_names(word, tmp_path):
    path = tmp_path / "votes.csv"
    path.write_text(f"model_a,model_b,winner\nclaude,llama-3,{word}\nllama-3,claude,tie\n")
    with pytest.raises(ValueError, match="which is no contestant and no known word"):
        sb.read_votes(path, winner_is="name")
