"""Drawing with one generator a row draws from the distribution that it claims, and no loops are said."""

import torch

from parlai_spotbot.agents.smollm2.agents import ConversationChances, NoEcho


def test_draws_follow_the_tempered_nucleus():
    logits = torch.full((1, 300), -50.0)
    logits[0, [5, 17, 40, 41]] = torch.log(torch.tensor([0.5, 0.3, 0.15, 0.05]))
    draw = ConversationChances([3], temperature=1.0, top_p=0.9)
    tokens = torch.tensor([draw(None, logits).argmax().item() for _ in range(4000)])
    share = torch.bincount(tokens, minlength=300) / len(tokens)
    # The nucleus of 0.9 holds the first three, whose probabilities are scaled to sum to 1.
    assert torch.allclose(share[[5, 17, 40]], torch.tensor([0.5, 0.3, 0.15]) / 0.95, atol=0.03)
    assert share[[5, 17, 40]].sum() == 1


def test_rows_draw_independently_of_each_other():
    logits = torch.randn(2, 300, generator=torch.Generator().manual_seed(0))
    both = ConversationChances([1, 2], 1.0, 0.9)(None, logits)
    alone = ConversationChances([2], 1.0, 0.9)(None, logits[1:])
    assert torch.equal(both[1:], alone)


def test_no_phrase_of_the_conversation_is_said_again():
    no_echo = NoEcho([[[1, 2, 3, 4]], []], prompt_length=2, size=3)
    scores = no_echo(torch.tensor([[9, 9, 1, 2], [9, 9, 1, 2]]), torch.zeros(2, 6))
    assert scores[0].tolist() == [0, 0, 0, float("-inf"), 0, 0]
    assert scores[1].tolist() == [0] * 6
    own = NoEcho([[]], prompt_length=1, size=3)
    scores = own(torch.tensor([[9, 5, 4, 3, 5, 4]]), torch.zeros(1, 6))
    assert scores[0].tolist() == [0, 0, 0, float("-inf"), 0, 0]
