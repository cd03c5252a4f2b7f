"""Our portion of ``parlai.zoo``: `parlai_spotbot.plugin` appends this folder to its path."""
