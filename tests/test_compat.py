"""Each fix of compat.py against the real libraries: the symptom shows without the fix and is gone with it."""

import dataclasses
import os
import subprocess
import sys
from pathlib import Path

import pytest

from parlai_spotbot import compat


def run(script: str, *args: str) -> subprocess.CompletedProcess:
    """Run `script` in a fresh interpreter."""
    return subprocess.run(
        [sys.executable, "-c", script, *args],
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, "OMP_NUM_THREADS": "1"},
    )


# Where one process can show both, it does: importing torch takes seconds.
SCHEDULER_AND_CHECKPOINT = """
import os, pickle, sys
import torch
from parlai.nn.lr_scheduler import ParlAILRScheduler
from parlai_spotbot import compat
optimizer = torch.optim.SGD([torch.nn.Parameter(torch.zeros(1))], lr=1.0)
opt = {"lr_scheduler": "reduceonplateau", "lr_scheduler_patience": 0, "lr_scheduler_decay": 0.5}
class Custom:
    pass
torch.save({"model": {"w": torch.ones(1)}, "extra": Custom()}, sys.argv[1])
def refused():
    try:
        torch.load(sys.argv[1])
    except pickle.UnpicklingError as err:
        return getattr(err, "__notes__", [])
try:
    ParlAILRScheduler.lr_scheduler_factory(opt, optimizer, {})
except TypeError as err:
    print("verbose" in str(err))
print(refused())
compat.install()
scheduler = ParlAILRScheduler.lr_scheduler_factory(opt, optimizer, {})
for loss in (1.0, 2.0):
    scheduler.valid_step({"loss": loss})
print(optimizer.param_groups[0]["lr"])
print(refused() == [compat.CHECKPOINT_HINT])  # explained, and still refused
os.environ["TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD"] = "1"
print(torch.load(sys.argv[1])["model"]["w"].item())
"""


def test_learning_rate_scheduler_and_checkpoint_hint(tmp_path):
    outcome = run(SCHEDULER_AND_CHECKPOINT, str(tmp_path / "model"))
    unfixed, no_hint, rate, hint, loaded = outcome.stdout.split() or [outcome.stderr] * 5
    assert (unfixed, rate) == ("True", "0.5")  # refused; then it decays, as a scheduler does
    assert (no_hint, hint, loaded) == ("[]", "True", "1.0")
    assert "TORCH_FORCE_NO_WEIGHTS_ONLY_LOAD=1" in compat.CHECKPOINT_HINT


MEPHISTO = """
import mephisto
from mephisto.operations.hydra_config import MephistoConfig
from parlai.crowdsourcing.utils.mturk import MTurkRunScriptConfig
one, other = MephistoConfig(), MephistoConfig()
one.task.task_name = "changed"
print("shared" if other.task.task_name == "changed" else "apart")
"""


def test_dataclass_defaults():
    without, fixed = run(MEPHISTO), run("from parlai_spotbot import compat\ncompat.install()\n" + MEPHISTO)
    assert "ValueError: mutable default" in without.stderr
    assert fixed.stdout.strip() == "apart", fixed.stderr


def test_dataclass_defaults_spare_all_other_classes():
    script = """
import dataclasses
from parlai_spotbot import compat
compat.install()
@dataclasses.dataclass
class Inner:
    x: int = 0
try:
    @dataclasses.dataclass
    class Outer:
        inner: Inner = Inner()
except ValueError as err:
    print("refused", err)
"""
    assert run(script).stdout.startswith("refused mutable default")


GPT2 = """
import sys
from pathlib import Path
import torch
from parlai_spotbot import compat
compat.install()
sys.path.append(sys.argv[2])
from tests.agents.tiny_models import parlais_gpt2
from parlai.core.agents import create_agent
from parlai.core.params import ParlaiParser

folder = parlais_gpt2(Path(sys.argv[1]))
options = f"-m hugging_face/gpt2 --model-name {folder} --inference beam --beam-size 3 --text-truncate 30"
options += " --label-truncate 12 --optimizer sgd --lr-scheduler none --no-cuda --loglevel error"
agent = create_agent(ParlaiParser(True, True).parse_args(options.split()))
model = agent.model.eval()
context = torch.tensor([[5, 6, 7], [8, 9, 10]])
start = torch.full((2, 1), agent.START_IDX)
swap = torch.tensor([1, 0])
with torch.no_grad():
    # Two rows whose order is swapped after the first step go on as if they had been in that order from the start.
    _, state = model.decoder(start, context)
    try:
        type(model).reorder_decoder_incremental_state.__wrapped__(model, state, swap)
    except TypeError as err:
        print("without", err)
    state = model.reorder_decoder_incremental_state(state, swap)
    swapped, _ = model.decoder(torch.cat([start, start], 1), context[swap], state)
    _, state = model.decoder(start, context[swap])
    straight, _ = model.decoder(torch.cat([start, start], 1), context[swap], state)
print("same", torch.allclose(swapped, straight, atol=1e-5), "differ", not torch.allclose(swapped[0], swapped[1]))
agent.observe({"id": "someone", "text": "hello there", "episode_done": False})
print("answer", len(agent.act()["text"]) > 0)
"""


@pytest.mark.slow
def test_gpt2_cache(tmp_path):
    outcome = run(GPT2, str(tmp_path), str(Path(__file__).parent / "agents"))
    without, *fixed = outcome.stdout.splitlines()[-3:]
    assert without.startswith("without expected Tensor"), outcome.stderr
    assert fixed == ["same True differ True", "answer True"], outcome.stderr


def test_install_is_lazy_and_idempotent():
    script = """
import sys, dataclasses
from parlai_spotbot import compat
compat.install()
first = dataclasses._get_field
compat.install()
heavy = ("torch", "transformers", "parlai", "mephisto")
print(first is dataclasses._get_field, *(name in sys.modules for name in heavy))
"""
    outcome = run(script)
    assert outcome.stdout.split() == ["True", "False", "False", "False", "False"], outcome.stderr


def test_the_locked_setuptools_keeps_parlai_quiet():
    """ParlAI imports pkg_resources at every start, and later versions of setuptools warn of it before all output."""
    outcome = run("import parlai.core.opt")
    assert outcome.returncode == 0
    assert outcome.stderr == ""


@pytest.mark.parametrize("name", ["mephisto", "parlai", "parlai_internal"])
def test_a_field_with_a_dataclass_default_gets_a_copy(name):
    compat.install()

    @dataclasses.dataclass
    class Inner:
        words: list = dataclasses.field(default_factory=list)

    shared = Inner(["a"])
    fields = {"__annotations__": {"plain": Inner, "field": Inner}, "__module__": f"{name}.thing"}
    fields |= {"plain": shared, "field": dataclasses.field(default=shared, metadata={"help": "kept"})}
    outer = dataclasses.dataclass(type("Outer", (), fields))
    one, other = outer(), outer()
    one.plain.words.append("b")
    one.field.words.append("c")
    assert (other.plain.words, other.field.words, shared.words) == (["a"], ["a"], ["a"])
    assert dataclasses.fields(outer)[1].metadata == {"help": "kept"}
