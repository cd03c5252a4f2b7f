"""Small made-up data sets, laid out as ParlAI's build scripts leave them, so that ParlAI's own teachers read them."""

import json
from pathlib import Path

import pytest
from parlai.core import build_data

from parlai_spotbot import compat, plugin

compat.install()
plugin.register()


def talk(name: str, turns: int) -> list[str]:
    """A made-up conversation, no turn of which occurs in another."""
    return [f"{name} says thing {i} , you know ." for i in range(turns)]


SPLITS = {"train": 6, "valid": 12, "test": 5}


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def _dailydialog(folder: Path) -> None:
    for split, count in SPLITS.items():
        lines = []
        for n in range(count):
            turns = [{"emotion": "no_emotion", "act": "inform", "text": t} for t in talk(f"{split}{n}", 4 + n % 3)]
            lines.append(json.dumps({"fold": split, "topic": "work", "dialogue": turns}))
        _write(folder / "dailydialog" / f"{split}.json", "\n".join(lines) + "\n")
    build_data.mark_done(str(folder / "dailydialog"), version_string="None")


def _empathetic(folder: Path) -> None:
    for split, count in SPLITS.items():
        lines = ["conv_id,utterance_idx,context,prompt,speaker_idx,utterance,selfeval,tags"]
        for n in range(count):
            for i, text in enumerate(talk(f"{split}{n}", 4 + n % 3), start=1):
                text = text.replace(",", "_comma_")
                lines.append(f"hit:{n}_conv:{n},{i},proud,I won once,{n * 2 + i % 2},{text},5|5|5_2|2|5,")
        _write(folder / "empatheticdialogues" / "empatheticdialogues" / f"{split}.csv", "\n".join(lines) + "\n")
    build_data.mark_done(str(folder / "empatheticdialogues"), version_string="1.0")


def _convai2(folder: Path) -> None:
    for split in ("train", "valid"):
        lines = []
        for n in range(SPLITS[split]):
            turns = talk(f"{split}{n}", 6)
            for side, spoken in enumerate((["__SILENCE__", *turns], turns)):
                # the label's persona comes first: the one who begins answers the silence
                personas = [f"i am {split}{n} who {'begins' if side == 0 else 'answers'} .", "i like tests ."]
                others = [f"i am {split}{n} who {'answers' if side == 0 else 'begins'} ."]
                rows = [f"your persona: {p}" for p in personas] + [f"partner's persona: {p}" for p in others]
                rows += [f"{spoken[i]}\t{spoken[i + 1]}" for i in range(0, len(spoken) - 1, 2)]
                lines += [f"{number} {row}" for number, row in enumerate(rows, start=1)]
        _write(folder / "ConvAI2" / f"{split}_both_original_no_cands.txt", "\n".join(lines) + "\n")
    build_data.mark_done(str(folder / "ConvAI2"), "v5.0")


@pytest.fixture(scope="session")
def datapath(tmp_path_factory) -> str:
    """A ParlAI data folder with the three made-up data sets."""
    folder = tmp_path_factory.mktemp("parlai-data")
    for write in (_dailydialog, _empathetic, _convai2):
        write(folder)
    return str(folder)


@pytest.fixture
def made_up():
    """`talk`: what a made-up conversation says."""
    return talk
