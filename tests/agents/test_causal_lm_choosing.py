"""A draw follows the distribution that it claims, no loops are said, and packed layers compute what plain ones do."""

import pytest
import torch
from torch import nn

from parlai_spotbot.models.choosing import EchoMemory, draw
from parlai_spotbot.models.linear import pack, packable, unpack


def test_draws_follow_the_tempered_nucleus():
    logits = torch.full((1, 300), -50.0)
    logits[0, [5, 17, 40, 41]] = torch.log(torch.tensor([0.5, 0.3, 0.15, 0.05]))
    chances = torch.rand(4000, dtype=torch.float64, generator=torch.Generator().manual_seed(3))
    tokens = draw(logits.expand(4000, -1), chances, temperature=1.0, top_p=0.9, top_k=200)
    share = torch.bincount(tokens, minlength=300) / len(tokens)
    # The nucleus of 0.9 holds the first three, whose probabilities are scaled to sum to 1.
    assert torch.allclose(share[[5, 17, 40]], torch.tensor([0.5, 0.3, 0.15]) / 0.95, atol=0.03)
    assert share[[5, 17, 40]].sum() == 1
    hot = draw(logits.expand(4000, -1), chances, temperature=2.0, top_p=1.0, top_k=0)
    expected = torch.tensor([0.5, 0.3, 0.15, 0.05]).sqrt()
    assert torch.allclose(
        (torch.bincount(hot, minlength=300) / 4000)[[5, 17, 40, 41]], expected / expected.sum(), atol=0.03
    )


def test_no_phrase_of_the_conversation_is_said_again():
    echo = EchoMemory([[1, 2, 3, 4]], size=3)
    assert echo.banned() == set()
    echo.add(1)
    echo.add(2)
    assert echo.banned() == {3}
    own = EchoMemory([], size=3)
    for token in (5, 4, 3, 5, 4):
        own.add(token)
    assert own.banned() == {3}


@pytest.mark.parametrize("dtype", [torch.float32, torch.bfloat16])
def test_packed_layers_compute_the_same_and_can_be_put_back(dtype):
    torch.manual_seed(0)
    model = nn.Sequential(nn.Linear(96, 160), nn.GELU(), nn.Linear(160, 64, bias=False)).to(dtype)
    if not packable(model):
        pytest.skip("this processor's kernels take no packed weights")
    x = torch.randn(45, 96).to(dtype)
    with torch.inference_mode():
        plain = model(x)
        replaced = pack(model)
        packed = model(x)
        assert len(replaced) == 2
        assert torch.allclose(packed.float(), plain.float(), atol=1e-5 if dtype == torch.float32 else 0.02)
        for rows in (1, 2, 7):  # a row's result doesn't depend on how many there are
            assert torch.equal(model(x[:rows]), packed[:rows])
        assert model(x.view(9, 5, 96)).shape == (9, 5, 64)
        unpack(replaced)
        assert torch.equal(model(x), plain)
