"""Old ParlAI checkpoints on today's libraries: each kind fails without its fix, and plays with it.

The checkpoints are tiny, trained for one epoch, and then aged: the ways in which files of 2018 to 2020 differ from what
ParlAI writes now.
"""

import json
import os
import pickle
import shutil
import subprocess
import sys
import types
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest
import torch

from parlai_spotbot import compat
from parlai_spotbot.errors import UserError
from parlai_spotbot.records import Contestant

EXAMPLES = [("hello there", "hi , how are you"), ("what do you like", "i like dogs"), ("any news", "no , none")] * 4
TINY = {
    "gen": {"model": "transformer/generator", "n_layers": 1, "n_heads": 2, "embedding_size": 8, "ffn_size": 8},
    "s2s": {"model": "seq2seq", "hiddensize": 8, "embeddingsize": 8, "numlayers": 1, "attention": "general"},
}
LOAD = """
import json, sys
from parlai_spotbot import compat
compat.FIXES = compat.FIXES[:4]
compat.install()
from parlai_spotbot.records import Contestant
from parlai_spotbot.selfplay.agent_server import AgentServer
for path in sys.argv[1:]:
    try:
        AgentServer(Contestant("old", model_file=path), 1)
        why = "loaded"
    except Exception as err:
        why = f"{type(err).__name__}: {err}"
    print("RESULT", json.dumps([path, why]), flush=True)
"""


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    """Checkpoints as ParlAI writes them now."""
    compat.install()
    from parlai.scripts.train_model import TrainModel

    folder = tmp_path_factory.mktemp("trained")
    data = folder / "data.txt"
    data.write_text("".join(f"text:{a}\tlabels:{b}\tepisode_done:True\n" for a, b in EXAMPLES))
    for name, options in TINY.items():
        TrainModel.main(
            task="fromfile:parlaiformat",
            fromfile_datapath=str(data),
            fromfile_datatype_extension=False,
            num_epochs=1,
            batchsize=4,
            validation_every_n_epochs=-1,
            no_cuda=True,
            loglevel="error",
            model_file=str(folder / name),
            optimizer="adam",
            label_truncate=12,
            **options,
        )
    return folder


def _stand_in(module: str, name: str, base: type = dict) -> type:
    """A class of a module that this machine doesn't have, for long enough to be pickled."""
    kind = type(name, (base,), {"__module__": module})
    parts = module.split(".")
    for depth in range(1, len(parts) + 1):
        sys.modules.setdefault(".".join(parts[:depth]), types.ModuleType(".".join(parts[:depth])))
    setattr(sys.modules[module], name, kind)
    return kind


def _forget(*modules: str) -> None:
    for name in modules:
        sys.modules.pop(name, None)


def old_opt_in_states(states, options):
    states["opt"] = _stand_in("parlai.core.utils", "Opt")(options)


def numbers_in_states(states, options):
    states["best_valid"] = np.float64(0.5)
    states["history"] = np.arange(3)
    states["counts"] = defaultdict(int, {"a": 1})


def class_of_a_laboratory(states, options):
    states["extra"] = _stand_in("laboratory.things", "Thing", list)(["a"])


def before_inference(states, options):
    for key in ("inference", "beam_size", "topk", "topp"):
        options.pop(key, None)


def _pickled(options):
    return pickle.dumps(_stand_in("parlai.core.utils", "Opt")(options), protocol=2)


def _json(options):
    return json.dumps(options).encode()


LEGACY = {"_use_new_zipfile_serialization": False}
# name -> (checkpoint, what is done to it, how options are written, how weights are written, what is said without fixes)
AGED = {
    "gen_old_opt": ("gen", old_opt_in_states, _json, {}, "'Opt' object has no attribute 'history'"),
    "gen_before_inference": ("gen", before_inference, _json, {}, "AssertionError"),
    "s2s_old_opt": ("s2s", old_opt_in_states, _json, {}, "Weights only load failed"),
    "s2s_numbers": ("s2s", numbers_in_states, _json, {}, "Weights only load failed"),
    "s2s_all": ("s2s", old_opt_in_states, _pickled, LEGACY, "No module named 'parlai.core.utils'"),
    "s2s_class": ("s2s", class_of_a_laboratory, _json, {}, "Weights only load failed"),
}


@pytest.fixture(scope="module")
def aged(trained, tmp_path_factory):
    """The aged checkpoints' paths by name."""
    paths = {}
    for name, (kind, change, write, how, _) in AGED.items():
        path = tmp_path_factory.mktemp(name) / "model"
        shutil.copy(trained / f"{kind}.dict", f"{path}.dict")
        states = torch.load(trained / kind, weights_only=False)
        options = {**json.loads((trained / f"{kind}.opt").read_text()), "dict_file": "/gone/model.dict"}
        change(states, options)
        torch.save(states, path, pickle_protocol=2, **how)
        Path(f"{path}.opt").write_bytes(write(options))
        _forget("parlai.core.utils", "laboratory.things", "laboratory")
        paths[name] = path
    return paths


@pytest.fixture(scope="module")
def unfixed(aged):
    """What loading each says without the fixes for checkpoints."""
    done = subprocess.run(
        [sys.executable, "-c", LOAD, *map(str, aged.values())],
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )
    rows = [json.loads(line[7:]) for line in done.stdout.splitlines() if line.startswith("RESULT ")]
    assert len(rows) == len(aged), done.stderr
    return {name: dict(rows)[str(path)] for name, path in aged.items()}


@pytest.mark.parametrize("name", AGED)
def test_without_its_fix_an_old_checkpoint_fails(unfixed, name):
    assert AGED[name][4] in unfixed[name]


def answer(path):
    from parlai_spotbot.selfplay.agent_server import AgentServer

    server = AgentServer(Contestant("old", model_file=str(path)), 1)
    message = {"id": "x", "text": "hello there", "episode_done": False}
    return [result for _, result in server.act([("s", [("open", 1), ("observe", message)], 1)], 1)]


@pytest.mark.parametrize("name", [name for name in AGED if name != "s2s_class"])
def test_an_old_checkpoint_says_what_a_new_one_says(aged, trained, name):
    assert answer(aged[name]) == answer(trained / AGED[name][0])


def test_code_of_others_is_not_run_by_torchs_safe_loader(aged):
    with pytest.raises(pickle.UnpicklingError) as caught:
        answer(aged["s2s_class"])
    assert caught.value.__notes__ == [compat.CHECKPOINT_HINT]


def test_a_refused_checkpoint_is_one_line_with_its_remedy(aged, tmp_path):
    from parlai_spotbot.selfplay.process import ContestantProcess
    from parlai_spotbot.selfplay.remedies import short

    process = ContestantProcess(Contestant("old", model_file=str(aged["s2s_class"])), tmp_path / "log")
    try:
        with pytest.raises(UserError) as caught:
            process.load().result()
    finally:
        process.end()
    assert caught.value.problem == (
        "contestant 'old' could not be loaded: torch refuses the checkpoint (Weights only load failed): "
        "it holds a laboratory.things.Thing."
    )
    assert short(caught.value.problem) == caught.value.problem
    assert caught.value.remedy.startswith(compat.CHECKPOINT_HINT)


def test_hugging_face_buffers():
    """What GPT-2 stored up to transformers 4.26 is left out; what is really foreign is still refused."""
    compat.install()
    from parlai.agents.transformer.transformer import TransformerGeneratorAgent as Generator
    from parlai.core.torch_agent import TorchAgent

    agent = Generator.__new__(Generator)
    agent.model = weights = torch.nn.Linear(2, 2)
    old = {**weights.state_dict(), "h.0.attn.bias": torch.ones(1), "h.0.attn.masked_bias": torch.tensor(-1e4)}
    with pytest.raises(RuntimeError, match="Unexpected key"):
        TorchAgent.load_state_dict.__wrapped__(agent, old)
    agent.load_state_dict(old)
    with pytest.raises(RuntimeError, match="Unexpected key"):
        agent.load_state_dict({**old, "h.0.foreign": torch.ones(1)})


def test_prefix_space(tmp_path):
    """A byte-level turn may begin within a word, or go on without a space after a special token."""
    compat.install()
    from parlai.core.dict import DictionaryAgent
    from parlai.core.params import ParlaiParser
    from parlai.utils.bpe import BPEHelper
    from tokenizers import ByteLevelBPETokenizer

    tokenizer = ByteLevelBPETokenizer()
    tokenizer.train_from_iterator(["hello there how are you"] * 5, vocab_size=280)
    tokenizer.save_model(str(tmp_path))
    parser = ParlaiParser(True, False)
    DictionaryAgent.add_cmdline_args(parser, None)
    options = {"bpe_vocab": tmp_path / "vocab.json", "bpe_merge": tmp_path / "merges.txt", "dict_file": tmp_path / "d"}
    words = DictionaryAgent(
        parser.parse_kwargs(
            dict_tokenizer="bytelevelbpe", bpe_add_prefix_space=True, **{k: str(v) for k, v in options.items()}
        )
    )
    whole = words.txt2vec("hello there")
    assert words.vec2txt(whole) == "hello there"
    within = whole[1:] if words.ind2tok[whole[0]] == "Ġ" else whole
    within = [index for index in within if not words.ind2tok[index].startswith("Ġ")]
    tokens = [words.ind2tok[index] for index in within]
    with pytest.raises(AssertionError):
        BPEHelper.decode.__wrapped__(words.bpe, tokens, within, " ")
    assert words.vec2txt(within)
    assert words.bpe.add_prefix_space is True
