"""What comes from outside: texts without reasoning, commands and halves of characters; numbers with bounds."""

import math

import pytest

from parlai_spotbot.outside import bounded, cleaned, without_reasoning


@pytest.mark.parametrize(
    "text",
    [
        "<think>Hm. What?</think>\n\nYes, a cat.",
        "<Thinking>\nHm.\n</Thinking>Yes, a cat.",
        "Hm, the user doubts.\n</think>\n\nYes, a cat.",
        "[THINK]Hm.[/THINK]Yes, a cat.",
        "◁think▷Hm.◁/think▷Yes, a cat.",
        "<|channel|>analysis<|message|>Hm.<|end|><|start|>assistant<|channel|>final<|message|>Yes, a cat.<|return|>",
        "<|channel|>analysis<|message|>Hm.<|end|>Yes, a cat.",
        "<|channel|>final<|message|>Yes, a cat.",
        "<|channel>thought\nHm.\n<channel|>Yes, a cat.",
        "<|begin_of_thought|>Hm.<|end_of_thought|><|begin_of_solution|>Yes, a cat.<|end_of_solution|>",
        "<|START_THINKING|>Hm.<|END_THINKING|><|START_RESPONSE|>Yes, a cat.<|END_RESPONSE|>",
        "<think>one</think>Yes, <think>two <think>three</think>a cat.",
        "Yes, a cat.\n<think>And now",
        "<think></think>Yes, a cat.",
        '<think time="3">Hm.</think>Yes, a cat.',
        "<mm:think>Hm.</mm:think>Yes, a cat.",
        "< think >Hm.< / think >Yes, a cat.",
        "&lt;think&gt;Hm.&lt;/think&gt;Yes, a cat.",
        "<|thinking|>Hm.<|/thinking|>Yes, a cat.",
        "<antThinking>Hm.</antThinking>Yes, a cat.",
        "<thought_process>Hm.</thought_process><answer>Yes, a cat.</answer>",
        "<scratchpad>Hm.</scratchpad>\n<final_answer>Yes, a cat.</final_answer>",
        "<inner_monologue>Hm.</inner_monologue>Yes, a cat.",
        "<思考>Hm.</思考>Yes, a cat.",
        "<unused94>thought\nHm.<unused95>Yes, a cat.",
        "<|inner_prefix|>Hm.<|inner_suffix|>Yes, a cat.",
        '<details type="reasoning" done="true">\n<summary>3 s</summary>\n> Hm.\n</details>\nYes, a cat.',
    ],
)
def test_reasoning_is_no_part_of_a_turn(text):
    assert without_reasoning(text) == "Yes, a cat."


@pytest.mark.parametrize(
    "text",
    [
        "",
        "I think so.",
        " x <3 ",
        "what does <think> mean?",
        "bye<|end|>",
        "a </details>",
        "a <thinker>",
        "<answer>a</answer>",
    ],
)
def test_other_text_stays(text):
    assert without_reasoning(text) == text


def test_reasoning_that_was_cut_leaves_nothing():
    assert without_reasoning("<think>Well, let me see") == ""


@pytest.mark.parametrize(
    ("text", "clean"),
    [
        ("plain, with ü and 🙂\tand\nlines", "plain, with ü and 🙂\tand\nlines"),
        ("\x1b[31mred\x1b[0m \x1b]0;title\x07bot\x1b[2J", "red bot"),
        ("\x9b31mred \x1b]8;;http://x\x1b\\link\x1b]8;;\x1b\\", "red link"),
        ("a\x00b\x08c\r\nd\re\x85", "abc\nd\ne\x85"),
        ("half \ud83d of one", "half \ufffd of one"),
        ("a\u202eb\u2066c", "abc"),
        ("x" * 50, "x" * 20),
    ],
)
def test_cleaned(text, clean):
    assert cleaned(text, 20 if len(text) == 50 else 1000) == clean
    cleaned(text).encode()


def test_long_texts_take_linear_time():
    for mark in (
        "<think>",
        "</think>",
        "\x1b[",
        "\x1b]",
        "<|channel|>analysis",
        "<|end|>",
        "<",
        "<|",
        "<details ",
        "&lt;thin",
    ):
        without_reasoning(mark * 60_000)
        cleaned(mark * 100_000)


@pytest.mark.parametrize("number", [-1, math.nan, math.inf, 10**400, True, "7", None, 1e16])
def test_no_number(number):
    assert bounded(number) is None
    assert bounded(7) == 7
    assert bounded(0.5) == 0.5
