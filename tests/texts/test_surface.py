"""The surface form: what the rule mends, that it is stable, and that the check finds what is planted."""

import itertools
import re
import time
import unicodedata

import numpy as np
import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GroupKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

from parlai_spotbot.records import HUMAN, Conversation, Turn
from parlai_spotbot.texts import surface
from parlai_spotbot.texts.characters import STOPS
from parlai_spotbot.texts.surface import normalise
from parlai_spotbot.texts.surface_check import FEATURES, THRESHOLD, auc, features, surface_report, warnings
from tests.case_tables import cases

WORDS = yaml.safe_load(r"""
[hello, 'Yes', i, do, n't, like, '''', s, <pad>, __unk__, < /s >, '?', '!', ',', ., ..., “, ”, '"',
’, '``', '''''', (, ), ':)', 😂, é, İ, ß, ﬁ, ½, "\u200b", "\xa0", —, '3', gon, na,
。, ？, ﹗, 、, ：, です, 我, 「, 」, ｶﾞ, "\u3000", ۔, ؟, ،, مرحبا, ।, है, ။, 한국]
""")


def every_pattern(text):
    """The rule once, without a look whether a pattern has anything to find."""
    text = unicodedata.normalize("NFKC", text).translate(surface.PLAIN)
    text = surface.WORD_QUOTES.sub('"', surface.SPECIAL_TOKEN.sub(" ", text))
    text = " ".join(text.lower().split())
    text = surface.SPLIT_CONTRACTION.sub(lambda match: "'" if "'" in match.group() else "", text)
    text = surface.INNER_QUOTES.sub(r'"\1"', surface.SPLIT_WORD.sub(r"\1", text))
    text = surface._in_forms_of_script(surface.ONE_SPACE_BEFORE_PUNCTUATION.sub("", text))
    text = surface.NO_SPACE_AFTER_PUNCTUATION.sub(r"\1 ", text)
    return re.sub(rf"(?<![{STOPS}\s])[{STOPS}]$", "", surface.BRACKETS.sub("", text))


@given(st.one_of(st.text(), st.lists(st.sampled_from([*WORDS, "wan", "[sep]", " "])).map(" ".join)))
@settings(deadline=None, max_examples=1000, database=None)
def test_a_pattern_is_passed_over_only_where_it_finds_nothing(text):
    assert surface._once(text) == every_pattern(text)


@cases(
    "said shown",
    r"""
- ['Hello ,  how are you ?', 'hello, how are you?']
- ['i do n''t know , it ''s fine', 'i don''t know, it''s fine']
- ['i don '' t know , i '' m new', 'i don''t know, i''m new']
- [I don’t know…, i don't know...]
- [you 're gon na see, you're gonna see]
- [i like blue . < /s > <pad> <pad>, i like blue]
- [my name is __unk__ ., my name is]
- [“Yes” — she said, '"yes" - she said']
- ['`` yes '''' he said', '"yes" he said']
- ['hi,how are you?fine', 'hi, how are you? fine']
- ['it is 3,000 at 10:30 :)', 'it is 3,000 at 10:30 :)']
- ["NO WAY\n\tman", no way man]
- [so funny 😂, so funny 😂]
- [look ( here ), look (here)]
- [<pad>, ...]
- ['', ...]
- [これは とても 美味しい です 。, これはとても美味しいです]
- ['これはとても美味しいです! 行きましょう?', これはとても美味しいです！行きましょう？]
- [今日は雨です｡傘は？, 今日は雨です。傘は？]
- ['我 喜欢 Python 语言 , 你呢 ?', 我喜欢python语言，你呢？]
- [我喜欢Python语言，你呢？, 我喜欢python语言，你呢？]
- [好的... 明天见。, 好的...明天见]
- ['كيف حالك?أنا بخير ,شكرا .', كيف حالك؟ أنا بخير، شكرا]
- ['आप कैसे हैं ?मैं ठीक हूँ ।', 'आप कैसे हैं? मैं ठीक हूँ']
- [डॉ. शर्मा ठीक हैं।, डॉ. शर्मा ठीक हैं]
- ['Das ist schön . Und dir ?', 'das ist schön. und dir?']
- [آپ کیسے ہیں ؟ میں ٹھیک ہوں۔, آپ کیسے ہیں؟ میں ٹھیک ہوں]
- ['안녕하세요 . 반가워요 !', '안녕하세요. 반가워요!']
""",
)
def test_the_rule(said, shown):
    assert normalise(said) == shown


@settings(max_examples=300, deadline=None, derandomize=True, database=None)
@given(
    st.one_of(
        st.text(max_size=40),
        st.builds(lambda words, glue: glue.join(words), st.lists(st.sampled_from(WORDS)), st.sampled_from(["", " "])),
    )
)
def test_twice_is_once_and_no_trace_of_casing_or_spacing_stays(text):
    shown = normalise(text)
    assert normalise(shown) == shown
    assert shown
    seen = dict(zip(FEATURES, features(shown), strict=True))
    for name in (
        "space before punctuation",
        "no space after punctuation",
        "split contractions",
        "special tokens",
        "needless white space",
        "ends with a full stop",
    ):
        assert seen[name] == 0, (name, shown)
    assert shown == shown.lower()


def speak(styles):
    """Turns of random words in the style of their speaker."""
    rng = np.random.default_rng(0)

    def say(speaker, turn):
        words = " ".join(rng.choice(["apple", "river", "train", "music", "winter"], size=rng.integers(3, 9)))
        return styles.get(speaker, str)(words)

    return say


def conversation(name, entities, say):
    """Five exchanges after the seed."""
    turns = [Turn(HUMAN, "opening"), Turn(HUMAN, "opening")]
    turns += [Turn(entities[i % 2], say(entities[i % 2], f"{i} of {name}")) for i in range(10)]
    return Conversation(name, "chitchat", tuple(sorted(entities)), 0, entities, tuple(turns), 1, f"seed of {name}")


def pool(bots, per_pair, people=50, say=lambda speaker, turn: f"turn {turn}"):
    """Every pair of `bots` contestants `per_pair` times, who speaks first in turn, and `people` human conversations."""
    made = [
        conversation(f"{a}-{b}-{number}", (a, b) if number % 2 else (b, a), say)
        for a, b in itertools.combinations([f"bot{i}" for i in range(bots)], 2)
        for number in range(per_pair)
    ]
    return made + [conversation(f"people-{number}", (HUMAN, HUMAN), say) for number in range(people)]


def test_planted_casing_is_found_and_normalised_away():
    styles = {"bot0": str.capitalize, "bot1": lambda text: text + " ?", HUMAN: lambda text: text + "?"}
    conversations = pool(bots=3, per_pair=20, people=40, say=speak({**styles, "bot2": styles[HUMAN]}))
    report = surface_report(conversations, (2, 3, 5), "normalise")
    before = {name: row["before"] for name, row in report["contestants"].items()}
    after = {name: row["after"] for name, row in report["contestants"].items()}
    assert before["bot0"] > 0.99
    assert before["bot1"] > 0.99
    assert before["bot2"] == pytest.approx(0.5, abs=0.01)
    # The space before bot1's question mark goes away; that bot0 ends without punctuation stays, and is warned about.
    assert after["bot1"] == pytest.approx(0.5, abs=0.01)
    assert after["bot2"] == pytest.approx(0.5, abs=0.01)
    assert after["bot0"] > THRESHOLD
    assert [g["feature"] for g in report["contestants"]["bot0"]["given_away_by"]] == ["ends with punctuation"]
    (warning,) = warnings(report)
    assert "bot0" in warning
    assert "ends with punctuation (0%, people 100%)" in warning


LANGUAGES = yaml.safe_load(
    """
japanese: {mark: 。, asks: ？, narrow: '?', said: [今日は雨です, 映画を見ました, 猫が好きです, 駅まで歩きます]}
chinese: {mark: 。, asks: ？, narrow: '?', said: [我喜欢吃苹果, 今天下雨了, 他在学校工作, 我们去看电影]}
arabic: {mark: ., asks: ؟, narrow: '?', said: [أنا أحب القهوة, الجو جميل اليوم, ذهبت إلى السوق, لدي قطة صغيرة]}
hindi: {mark: ।, asks: '?', narrow: '?', said: [मुझे चाय पसंद है, आज बारिश हो रही है, मैं स्कूल जाता हूँ, मेरे पास एक बिल्ली है]}
german: {mark: ., asks: '?', narrow: '?', said: [Ich mag Äpfel sehr, heute regnet es, er wohnt in Köln]}
mixed: {mark: 。, asks: ？, narrow: '?', said: [我用 Python 写代码, Tokyo は楽しい, こんにちは hello, I live in 北京]}
"""
)


def styles(mark, asks, narrow):
    """Ways in which a bot and people write: name -> (bot's way, people's way); each takes a random number."""
    return {
        "stops": (lambda text, chance: text + mark, lambda text, chance: text),
        "questions": (lambda text, chance: text + mark, lambda text, chance: text + (asks if chance < 0.4 else mark)),
        "forms": (lambda text, chance: text + asks, lambda text, chance: text + narrow),
        "spaces": (lambda text, chance: " ".join(text) + " " + asks, lambda text, chance: text + asks),
        "full stops": (lambda text, chance: text + ".", lambda text, chance: text + (mark if chance < 0.5 else "")),
    }


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("style", styles("", "", ""))
def test_normalising_makes_no_bot_easier_to_tell(language, style):
    made = LANGUAGES[language]
    bot, people = styles(made["mark"], made["asks"], made["narrow"])[style]
    rng = np.random.default_rng(1)

    def say(speaker, turn):
        written = bot if speaker == "bot0" else people
        return written(made["said"][int(turn.split()[0]) // 2 % 3], rng.random())  # both say the same

    row = surface_report(pool(bots=2, per_pair=30, people=30, say=say), (5,), "normalise")["contestants"]["bot0"]
    assert row["after"] <= row["before"] + 0.02
    if style == "questions":
        assert row["before"] > 0.8
    elif not (style == "spaces" and language in ("arabic", "hindi", "german", "mixed")):
        assert row["after"] < 0.6


def test_lengths_and_words_are_not_seen():
    conversations = pool(
        bots=2, per_pair=20, people=40, say=speak({"bot0": lambda text: f"{text} banana " * 6 + "end"})
    )
    assert surface_report(conversations, (2, 3), "keep")["contestants"]["bot0"]["before"] < 0.6


def test_of_a_long_turn_the_ends_are_read():
    long = "Word and, so 'we 'll be . " * 80_000
    conversations = pool(bots=2, per_pair=10, people=10, say=lambda speaker, turn: long if speaker == "bot0" else turn)
    began = time.process_time()
    assert surface_report(conversations, (2,), "normalise")["contestants"]["bot0"]["before"] > 0.99
    assert time.process_time() - began < 8


@pytest.mark.parametrize("seed", range(4))
def test_the_area_is_that_of_scikit_learn(seed):
    rng = np.random.default_rng(seed)
    sides, folds = [], []
    for n, shift in ((60, 0.1), (200, 0.0)):
        x = np.round(rng.random((n, 12)) * (np.arange(12) > seed) + shift, 1)
        sides.append((x, rng.integers(n // 2, size=n)))
        folds.append(GroupKFold(5, shuffle=True, random_state=0).split(x, groups=sides[-1][1]))
    x, y = np.concatenate([x for x, _ in sides]), np.repeat([1, 0], [60, 200])
    tests = [np.r_[bots, 60 + people] for (_, bots), (_, people) in zip(*folds, strict=True)]
    model = make_pipeline(StandardScaler(), LogisticRegression(class_weight="balanced", tol=1e-8))
    splits = [(np.setdiff1d(np.arange(260), test), test) for test in tests]
    assert auc(*sides) == pytest.approx(cross_val_score(model, x, y, cv=splits, scoring="roc_auc").mean(), abs=5.1e-5)


def test_no_conversation_is_in_two_folds():
    # Noise, the same ten times in each of 15 conversations a side: folds that leak would know it by heart.
    rng = np.random.default_rng(1)
    sides = [(np.repeat(rng.normal(size=(15, 60)), 10, axis=0), np.repeat(np.arange(15), 10)) for _ in range(2)]
    assert 0.2 < auc(*sides) < 0.8
    leaking = [(x, np.arange(len(x))) for x, _ in sides]
    assert auc(*leaking) > 0.99
