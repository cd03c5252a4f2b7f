"""The recipe of ABC-Eval's pool: a pool that can be read, of models that ParlAI's zoo names."""

from pathlib import Path

from parlai.zoo.model_list import model_list

from parlai_spotbot.selfplay.pool import read_pool

POOL = Path(__file__).parents[2] / "projects" / "abc_eval" / "pools" / "abc_eval.yaml"


def test_every_entry_is_right_and_stands_in_the_zoo():
    pool = read_pool(str(POOL))
    assert list(pool) == ["Blender2", "BART-FiD-RAG", "Blender"]
    zoo = {entry["path"] for entry in model_list}
    for contestant in pool.values():
        assert contestant.model_file in zoo
    assert pool["BART-FiD-RAG"].opt["path_to_index"] in zoo
    # The two options that appendix B of the paper names.
    assert (
        pool["BART-FiD-RAG"].opt["compressed_indexer_nprobe"],
        pool["BART-FiD-RAG"].opt["beam_context_block_ngram"],
    ) == (128, 3)
