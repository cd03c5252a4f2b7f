"""The game of appendix B as a survey: its points, what it says of them, and packing each conversation once."""

from parlai_spotbot.surveys.game import points
from parlai_spotbot.surveys.packing.blocks import PackOptions, pack
from parlai_spotbot.surveys.packing.units_file import blocks_of
from parlai_spotbot.surveys.survey import GameRules
from tests.case_tables import cases

NAME = "spot_the_bot_game"


@cases(
    "truth answer opened earned",
    """
- [bot, bot, 1, 10]
- [bot, bot, 4, 7]
- [human, human, 2, 9]
- [bot, human, 1, -10]
- [human, bot, 5, -14]
- [human, unsure, 5, -4]
- [bot, unsure, 1, 0]
""",
)
def test_points(truth, answer, opened, earned):
    assert points(GameRules(), truth, answer, opened) == earned


def test_each_conversation_is_packed_once_at_its_longest_segment(pool, make_conversation):
    conversations = pool(bots=4, per_pair=10, people=20)
    conversations += [make_conversation(f"short{k}", ("bot0", "bot1"), f"short{k}", k) for k in (1, 2, 4)]
    options = PackOptions(survey=NAME, longest=True)
    units = pack(conversations, options)
    fills = {c.conversation_id: c.exchanges for c in conversations}
    longest = {name: max((k for k in (2, 3, 5) if k <= n), default=0) for name, n in fills.items()}
    shown = [(u.block_id, u.replicate, i.conversation_ids[0], i.exchanges) for u in units for i in u.items]
    assert all(k == longest[name] for _, _, name, k in shown)
    assert len(shown) == len(set(shown))
    assert {u.rotation for u in units} == {0}
    assert {name for _, _, name, _ in shown if not name.startswith("people")} == {
        name for name in fills if longest[name] and not name.startswith("people")
    }
    assert len(units) == 2 * len(blocks_of(units))
