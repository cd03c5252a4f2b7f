"""Cleaning and bounding of input from outside (files, servers, contestants) before it is kept or shown.

Every string goes through `cleaned` before it reaches the terminal, a log, JSON or a page, every turn of a bot also
through `without_reasoning` and `without_calls`, and every number through `bounded`.
"""

import re
from typing import Any

MOST_OF_A_TURN = 400_000
"""Characters that are kept of a turn."""

MOST_OF_A_NUMBER = 1e15
"""No count, time or price from outside is larger."""

ESCAPE_SEQUENCE = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]{0,99}[ -/]{0,9}[@-~]|"
    r"(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)?|"
    r"\x1b[ -/]{0,9}[0-~]?"
)
"""Commands to a terminal (ECMA-48): colours, titles, movements of the cursor."""
CONTROL = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x84\x86-\x9f\u202a-\u202e\u2066-\u2069]")
"""Control characters but tab and line ends, and marks that show a text in another order than it has."""
HALF = re.compile("[\ud800-\udfff]")
"""Half of a character (a lone surrogate), which no file can hold."""

MARK = re.compile("[<\\[◁&]")
"""How every mark of reasoning begins."""
_WORD = (
    r"[\w:.-]{0,20}(?:think|thought|reason(?!able)|reflect|scratch_?pad|analysis|monologue|inner_prefix|思考|思维)"
    r"[\w-]{0,16}"
)
REASONING = re.compile(
    rf"(?P<opens>(?:<|&lt;)\s?\|?\s?(?!end){_WORD}(?:\s[^<>\n]{{0,200}})?\|?\s?(?:>|&gt;)|\[THINK\]|◁think▷|<unused94>(?:thought)?|"
    r"<details\s[^<>]{0,99}type=\W{0,2}reasoning[^<>]{0,99}>|"
    r"<\|channel\|?>\s?(?:analysis|commentary|thought)\b[^<]{0,99}(?:<\|message\|>)?)|"
    rf"(?P<closes>(?:<|&lt;)\s?(?:\|?\s?/|\|end_?(?:of_)?)\s?\|?{_WORD}\|?\s?(?:>|&gt;)|\[/THINK\]|◁/think▷|<unused95>|<\|inner_suffix\|>|"
    r"<channel\|>|<\|channel\|?>\s?final\b[^<]{0,99}<\|message\|>)|"
    r"(?P<ends></details>|<\|end\|>\s?(?:<\|start\|>\s?assistant)?)",
    re.IGNORECASE,
)
"""Where models' reasoning begins and ends: tags, marks of Mistral, Kimi, Cohere, MedGemma, Apertus, boxes of Open
WebUI, channels of gpt-oss and Gemma."""
AROUND_ANSWER = re.compile(
    r"<\|(?:(?:begin|end)_of_solution|(?:START|END)_RESPONSE|return|end)\|>|"
    r"\A\s*<(?:final_?)?(?:answer|output|response|result)>|</(?:final_?)?(?:answer|output|response|result)>\s*\Z",
    re.IGNORECASE,
)
"""What stands around an answer after reasoning."""

CALL = re.compile(
    r"<(?P<tag>tool_(?:calls?|response)|function_calls?)>.*?(?:</(?P=tag)>|\Z)|<function=[^<>\n]{1,99}>"
    r"[^<]*(?:<(?!/?function\b)[^<]*)*</function>|"
    r"\[TOOL_CALLS\].*\Z",
    re.DOTALL | re.IGNORECASE,
)
"""Calls of tools that models write into their text (Hermes, Qwen, Llama, Mistral)."""

STOP = re.compile(
    r"(?<!#)#{2,9}\s?(?:STOP|END|TRANSFER|OUT-OF-SCOPE)\s?#{2,9}|"
    r"(?:\[(?:END|STOP|DONE|EXIT)\]|\[(?:END|STOP)[ _]OF[ _](?:THE[ _])?(?:CONVERSATION|DIALOG(?:UE)?|CHAT)\]|"
    r"<{1,2}\|?(?:END|STOP|END_OF_CONVERSATION|end_of_conversation)\|?>{1,2}|\bTERMINATE)[\s.!]*\Z"
)
"""Marks by which simulators of users (tau2-bench: ###STOP###) and agents (AutoGen: TERMINATE) end a conversation."""
STOP_HOLDS = ("##", "]", ">", "TERMINATE")
"""Every such mark holds one of these; every turn of a study is asked when it is read, and nearly all hold none."""


def before_stop(text: str) -> str | None:
    """Return what a turn says before a mark that ends the conversation; None of a turn without one."""
    for part in STOP_HOLDS:
        if part in text:
            break
    else:
        return None
    stop_token = STOP.search(text)
    if stop_token is None:
        return None
    return text[: stop_token.start()].strip()


def cleaned(text: str, most: int = MOST_OF_A_TURN) -> str:
    """Return at most `most` characters of `text`, without commands to a terminal, control characters and halves."""
    if len(text) > most:
        text = text[: most + 1]
    if not text.isprintable():
        text = ESCAPE_SEQUENCE.sub("", text.replace("\r\n", "\n").replace("\r", "\n"))
        text = HALF.sub("\ufffd", CONTROL.sub("", text))
    return text[:most]


def without_reasoning(text: str) -> str:
    """Return `text` without the reasoning that a model wrote before or between the parts of its answer.

    A closing mark alone ends reasoning that began in the prompt of the server's chat template. An opening mark alone at
    the beginning of a line is reasoning that was cut; elsewhere it is a word of the answer.
    """
    if not MARK.search(text):
        return text
    kept: list[str] = []
    position = 0
    opened = -1
    for mark in REASONING.finditer(text):
        kind = mark.lastgroup
        start = mark.start()
        if kind == "opens" and opened < 0:
            opened = start
        elif kind != "opens" and opened >= 0:
            kept.append(text[position:opened])
            position = mark.end()
            opened = -1
        elif kind == "closes":
            kept.clear()
            position = mark.end()
    cut = opened >= 0 and text[:opened].rpartition("\n")[2].strip() == ""
    if not (kept or position or cut):
        return text
    kept.append(text[position : opened if cut else len(text)])
    return AROUND_ANSWER.sub("", "".join(kept)).strip()


def without_calls(text: str) -> str:
    """Return `text` without the calls of tools that a model wrote into it."""
    if not MARK.search(text):
        return text
    kept = CALL.sub("", text)
    if kept == text:
        return text
    return kept.strip()


def bounded(number: Any) -> float | None:
    """Return a number from outside; None where it is none, negative, not finite or beyond `MOST_OF_A_NUMBER`."""
    if isinstance(number, bool) or not isinstance(number, (int, float)):
        return None
    return number if 0 <= number <= MOST_OF_A_NUMBER else None  # no comparison with NaN holds
