"""Control segments in languages other than English, with and without spaces between words."""

import pytest
import yaml

from parlai_spotbot.records import HUMAN, Item, indexed
from parlai_spotbot.surveys.controls.segments import (
    KNOWN_BOTS,
    KNOWN_HUMAN,
    Draw,
    SegmentControl,
    everyday_words,
    fits,
    segments_like,
    telling_words,
)
from parlai_spotbot.surveys.controls.whole_controls import varied
from parlai_spotbot.surveys.packing.blocks import PackOptions, as_shown, make_item
from parlai_spotbot.surveys.scripted_bots import WORD, shape_of
from parlai_spotbot.texts.surface import normalise
from tests.case_tables import cases
from tests.spoken import spoken

OPTIONS = PackOptions(segments=(2, 3), seed=3)

LANGUAGES = yaml.safe_load("""
japanese:
  topics: [動物園, 図書館, レストラン, 自転車, ピアノ, 誕生日, ケーキ, 新幹線, 温泉, サッカー]
  says: ["昨日{}に行きました。とても楽しかったですよ", "{}ですか？いいですね、私も好きなんです"]
  bot: [とても面白いですね。もっと教えてください。, そうなんですか。私は映画が大好きです。]
chinese:
  topics: [动物园, 图书馆, 自行车, 钢琴, 生日, 蛋糕, 火车, 温泉, 足球, 咖啡]
  says: ["我昨天看到{}了，真的很开心", "{}啊？很好，我们也想去看看"]
  bot: [这个问题很有意思，我想多听听。, 我平时喜欢看电影和听音乐。]
arabic:
  topics: [المكتبة, الحديقة, المطعم, الدراجة, البيانو, المدرسة, القطار, الكعكة, السفينة, البرتقال]
  says: ["أمس كنت مع أخي عند {} طوال اليوم", "{}؟ هذا جميل جدا وأنا أيضا أحب ذلك"]
  bot: [هذا سؤال مثير للاهتمام حقا., أنا أحب الأفلام والموسيقى كثيرا.]
hindi:
  topics: [पुस्तकालय, चिड़ियाघर, रेस्तरां, साइकिल, पियानो, जन्मदिन, मिठाई, रेलगाड़ी, फुटबॉल, बगीचा]
  says: ["कल मैं {} के पास गया था और अच्छा लगा", "{}? बहुत बढ़िया, मुझे भी वहाँ जाना है"]
  bot: [यह बहुत दिलचस्प सवाल है।, मुझे फिल्में और संगीत पसंद हैं।]
german:
  topics: [Bücherei, Tiergarten, Fahrrad, Klavier, Geburtstag, Kuchen, Eisenbahn, Fußball, Kaffee, Garten]
  says: ["gestern war ich mit meinem Bruder wegen {} unterwegs", "{}? das finde ich auch schön, erzähl mal"]
  bot: [Das ist eine sehr interessante Frage., Ich mag Filme und Musik sehr gern.]
thai:
  topics: [สวนสัตว์, ห้องสมุด, ร้านอาหาร, จักรยาน, เปียโน, วันเกิด, ขนมเค้ก, รถไฟฟ้า, ฟุตบอล, สวนดอกไม้]
  says: ["เมื่อวานไปดู{}มาสนุกมาก", "{}เหรอ ดีจังเลยนะ"]
  bot: [น่าสนใจมากเลยครับ ช่วยเล่าให้ฟังหน่อย, ผมชอบดูหนังและฟังเพลงมากครับ]
mixed:
  topics: [Tokyo, コンサート, Python, 图书馆, festival, 新幹線, Instagram, ケーキ, camping, 自転車]
  says: ["昨日は{}のことをずっと調べてた", "{}！いいね、I like it too"]
  bot: [That is very interesting ですね。, 我也喜欢 music と映画。]
""")


LETTERS = {"chinese": 3, "japanese": 9, "thai": 21, "mixed": 30}
"""Letters of one word for each length that words have there: 1 + 2, 1 + 2 + 1 + 2 + 3, 1 + … + 6."""


def chat(language: str, number: int, name: str):
    """Two people of whom the second takes up what the first names; both say the same about all topics."""
    made = LANGUAGES[language]
    said = ["1", "2"]
    for turn in range(6):
        topic = made["topics"][number % 10]
        if turn > 1:
            topic = str(number * 10 + turn)
        said.append(made["says"][turn % 2].format(topic))
    return spoken(name, (HUMAN, HUMAN), said, number, seed_exchanges=1, seed_id=name)


def bots(language: str, number: int):
    lines = LANGUAGES[language]["bot"]
    said = ["1", "2", *(f"{lines[(turn + number) % 2]}{lines[turn % 2]}" for turn in range(6))]
    return spoken(f"talk-{number}", ("b0", "b1"), said, number, seed_exchanges=1, seed_id=f"t{number}")


def texts(item: Item) -> list[str]:
    return [utterance.text for utterance in item.transcripts[0]]


@pytest.mark.parametrize("language", LANGUAGES)
def test_people_and_scripts_are_controls_in_every_language(language):
    talks = [bots(language, n) for n in range(9)] + [chat(language, n, f"shown-{n}") for n in range(3)]
    items = [make_item(talk, k, OPTIONS, as_shown(talk, k, OPTIONS)) for talk in talks for k in (2, 3)]
    people = [chat(language, n, f"spare-{n}") for n in range(20)]
    controls = SegmentControl().items(people, Draw(OPTIONS, 24, [()], items, indexed(talks)))
    marks = [item.control for item in controls]
    assert marks.count(KNOWN_HUMAN) == 6
    assert marks.count(KNOWN_BOTS) == 18
    shown = {text for item in items for text in texts(item)}
    for item in controls:
        if item.control == KNOWN_BOTS:
            assert shown.isdisjoint(texts(item))
            for seat in (0, 1):
                words = {word for turn in texts(item)[seat::2] for word in WORD.findall(turn)}
                if language in LETTERS:
                    assert len(set("".join(words))) <= LETTERS[language]
                else:
                    assert len(words) == len({shape_of(word) for word in words})


@pytest.mark.parametrize("language", LANGUAGES)
def test_what_everybody_says_is_no_sign_that_one_takes_up_the_others_words(language):
    made = LANGUAGES[language]
    talks = [chat(language, n, f"c{n}") for n in range(20)]
    everyday = everyday_words([normalise(turn.text) for talk in talks for turn in talk.shown])
    phrase = [normalise(made["says"][0].format("x")), normalise(made["says"][0].format("y"))]
    assert not fits(phrase, everyday)


def test_where_everything_is_everyday_controls_are_made_all_the_same():
    talks = [spoken(f"c{n}", (HUMAN, HUMAN), [f"xunter yander {n} {t}" for t in range(8)], n) for n in range(9)]
    assert not fits(["xunter yander 1", "xunter yander 2"], everyday_words(["xunter yander"] * 9))
    assert all(segments_like([["x" * 9] * 4], talks, OPTIONS))


def test_english_has_its_own_everyday_words():
    assert everyday_words(["we went past the harbour and I like it"] * 9) == set()


@cases(
    "turn telling",
    """
- [我去图书馆了, [我去, 去图, 图书, 书馆, 馆了]]
- [レストランです, [レスト, ストラ, トラン]]
- [そうですか, []]
- [पुस्तकालय में, [पुस्तक]]
- [der Tiergarten, [Tierga]]
- [我喜欢 Python 吗, [我喜, 喜欢, Python]]
""",
)
def test_telling_words(turn, telling):
    assert telling_words(turn) == set(telling)


@cases(
    "said holds", "[[[我今天去图书馆看书, x], true], [[好的好的好的好的好的好的, x], false], [[मैं घर जाता हूँ, x], true]]"
)
def test_half_of_the_words_differ_where_there_are_no_spaces(said, holds):
    assert varied(said, 0) is holds
