"""Work of people whom the platform doesn't know is left out of what is collected, and kept in the ledger."""

import pytest

from parlai_spotbot import checksums
from parlai_spotbot.errors import UserError
from tests.crowdsourcing.test_collect import Collection

ANNA, BOB, MADE_UP = (digit * 24 for digit in "ab0")


@pytest.fixture
def collection(tmp_path):
    """Two workers whom MTurk lists and one who made up an id did a unit each."""
    made = Collection(tmp_path / "study")
    checksums.write_json(made.paths.launch, {"settings": {"provider": "mturk_sandbox"}})
    for worker in (ANNA, BOB, MADE_UP):
        made.work(worker)
    listed(made, (ANNA, "approved"), (BOB, "active"))
    return made


def listed(collection, *rows):
    rows = [{"worker": worker, "registration": "", "status": status} for worker, status in rows]
    checksums.write_jsonl(collection.paths.platform, rows)


def test_unknown_and_rejected_people_are_left_out_kept_and_counted(collection):
    found = collection.collect()
    assert (found.units, found.unknown, found.strangers, found.rejected) == (2, 1, 1, 0)
    assert {row.worker_id for row in collection.rows()} == {found.names[ANNA], found.names[BOB]}
    assert len(list(collection.desk.ledger.submissions())) == 3
    listed(collection, (ANNA, "approved"), (BOB, "rejected"), (MADE_UP, "active"))
    found = collection.collect()
    assert (found.units, found.unknown, found.rejected, found.added, found.removed) == (2, 0, 1, 40, 40)


DAMAGED = {
    "the platform's list": ("platform", lambda text: text.replace(ANNA, MADE_UP)),
    "the whole list": ("platform", None),
    "the platform": ("launch", lambda text: text.replace("mturk_sandbox", "in_house", 1)),
}


@pytest.mark.parametrize("what", DAMAGED)
def test_nobody_unknown_counts_as_a_file_is_damaged(collection, what):
    collection.collect()
    name, change = DAMAGED[what]
    path = getattr(collection.paths, name)
    if change:
        path.write_text(change(path.read_text()))
    else:
        path.unlink()
    with pytest.raises(UserError, match="changed since it was written"):
        collection.collect()
    assert len(collection.rows()) == 80
