"""Remedies for contestants that fail: one line, chosen by their message."""

from __future__ import annotations

import re

from parlai_spotbot.compat import CHECKPOINT_HINT

NETWORK = re.compile(
    r"Connection broken|Connection refused|ConnectionError|ConnectError|Max retries|Failed to resolve|NameResolution|"
    r"Name or service not known|Temporary failure in name resolution|Network is unreachable|LocalEntryNotFound|"
    r"couldn't connect|Couldn't reach|offline mode|outgoing traffic has been disabled",
    re.IGNORECASE,
)

RULES: tuple[tuple[re.Pattern, str], ...] = (
    (re.compile(r"weights.only", re.IGNORECASE), CHECKPOINT_HINT),
    (
        re.compile(r"ChatError: .{0,200}?(refused|no connection|broke off|no whole answer|unreachable)", re.IGNORECASE),
        "Start its server, or correct 'openai_url' (it ends in /v1 as a rule).",
    ),
    (
        NETWORK,
        "It needs the network: connect this machine, or load it once where there is one and copy what that left "
        "(ParlAI's data folder, which PARLAI_DATAPATH names, or Hugging Face's, HF_HOME).",
    ),
    (re.compile(r"No module named '?([\w.]+)'?"), r"Install what defines '\1', or put its folder on PYTHONPATH."),
    (
        re.compile(r"encode_candidates"),
        "It scores each candidate with the context: give it the option 'encode_candidate_vecs: false'.",
    ),
    (
        re.compile(r"datapath not specified|fixed_candidates|candidates? (file|source)|no candidates", re.IGNORECASE),
        "A ranker needs candidates to choose from: give it the option 'fixed_candidates_path: FILE', a reply a line.",
    ),
    (
        re.compile(r"CUDA out of memory|OutOfMemoryError|DefaultCPUAllocator|MemoryError", re.IGNORECASE),
        "It does not fit into memory: try it alone (--at-once 1), in a smaller type or size, or on a larger machine.",
    ),
    (
        re.compile(r"size mismatch"),
        "The weights don't fit the options in its .opt, or the dictionary: fetch the .opt and the .dict that were "
        "saved with this model file.",
    ),
    (
        re.compile(r"(Unexpected|Missing) key"),
        "The weights belong to another agent, or another version of it: give the right one as 'model'.",
    ),
    (
        re.compile(r"invalid load key|PytorchStreamReader|unexpected EOF|Ran out of input|corrupt", re.IGNORECASE),
        "The file is damaged or no model: fetch it again.",
    ),
    (
        re.compile(r"signal 9\b"),
        "The system killed it, most likely for want of memory: try it alone (--at-once 1), or on a larger machine.",
    ),
)

REFUSAL = "torch refuses the checkpoint"

REFUSED = re.compile(r"GLOBAL (\S+?)[,.]? (?:was not|is not)|Unsupported (?:class|global): (?:GLOBAL )?(\S+)")

BY_KIND = {
    "memory": "Raise its 'memory_limit' (GiB), or take a smaller model.",
    "hang": "Give it more time by 'turn_timeout' (or 'load_timeout') in seconds, or take it out of the pool.",
    "empty": "In self-play an empty turn ends the conversation: mend the agent, or its options (beam_min_length).",
}


def remedy(kind: str, message: str, log: str = "") -> str:
    """Return the remedy for a failure of `kind` with `message`; `log` is the file of what it printed."""
    for pattern, text in RULES:
        if match := pattern.search(message):
            return match.expand(text) if match.groups() and "\\1" in text else text
    if kind in BY_KIND:
        return BY_KIND[kind]
    return "Mend its entry or take it out of the pool." + (f" What it printed: {log}" if log else "")


def short(message: str, most: int = 300) -> str:
    """An error message in one line: torch's page about a refused checkpoint becomes what it refused."""
    text = " ".join(re.sub(r"\x1b\[[0-9;]*m", "", message).split())
    if "Weights only load failed" in text and REFUSAL not in text:
        refused = REFUSED.search(text)
        held = next((name for name in refused.groups() if name), "") if refused else ""
        text = f"{REFUSAL} (Weights only load failed)" + (f": it holds a {held}" if held else "")
    return text if len(text) <= most else text[: most - 1] + "…"
