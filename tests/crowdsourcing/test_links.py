"""Personal links: who has one, in links.csv."""

from urllib.parse import parse_qsl, urlsplit

import pytest

from parlai_spotbot.crowdsourcing.platforms.in_house import InHouseDoor
from parlai_spotbot.crowdsourcing.platforms.personal_links import known_names, wanted_names, write_links
from parlai_spotbot.errors import UserError
from tests.crowdsourcing.asking import SECRET

BASE = "http://127.0.0.1:1234"


def test_names_are_no_formulas_and_stay_the_same_annotators(tmp_path):
    path, names = tmp_path / "links.csv", ["=HYPERLINK(1)", "+1 ann", "'quoted", "Zoë, the second"]
    first = write_links(path, names, BASE, SECRET)
    assert not any(line.startswith(("=", "+", '"=')) for line in path.read_text().splitlines())
    assert known_names(path) == names
    more = write_links(path, ["bob"], BASE, SECRET)
    assert more == {**first, "bob": more["bob"]}
    assert path.stat().st_mode & 0o777 == 0o600
    visitor = InHouseDoor(SECRET).enter(dict(parse_qsl(urlsplit(more["bob"]).query)))
    assert visitor.worker == "bob"


@pytest.mark.parametrize("text", ["", "x,y\n1,2\n", "annotator,link\n,http://x\n", "\ufffe"])
def test_what_is_no_list_of_links_is_named(tmp_path, text):
    (tmp_path / "links.csv").write_bytes(text.encode("utf-16-le" if text == "\ufffe" else "utf-8"))
    with pytest.raises(UserError, match="not the list of links"):
        known_names(tmp_path / "links.csv")


def test_names_come_from_a_number_or_a_file(tmp_path):
    assert wanted_names(None, 2) == ["annotator-1", "annotator-2"]
    assert wanted_names("1", 5, "lab") == ["annotator-lab-1"]
    (tmp_path / "names.txt").write_text("# our people\nZoë\n\n  Ben  \n", encoding="utf-8")
    assert wanted_names(str(tmp_path / "names.txt"), 5) == ["Zoë", "Ben"]
    (tmp_path / "twice.txt").write_text("Ann\nAnn\n")
    for wrong in ("0", "10001", "none.txt", str(tmp_path / "twice.txt"), str(tmp_path)):
        with pytest.raises(UserError):
            wanted_names(wrong, 1)
