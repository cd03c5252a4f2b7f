"""The console script `spotbot`: the same commands as under `parlai`, for those whose own parlai_internal hides ours."""

from __future__ import annotations

import sys


def main(args: list[str] | None = None) -> None:
    """Run ``spotbot NAME …``; NAME with or without the prefix ``spotbot_``."""
    import parlai_spotbot.scripts as scripts  # noqa: F401
    from parlai.core import script
    from parlai.core.loader import SCRIPT_REGISTRY

    args = list(sys.argv[1:] if args is None else args)
    ours = {name: entry for name, entry in SCRIPT_REGISTRY.items() if name.startswith("spotbot_")}
    SCRIPT_REGISTRY.clear()
    SCRIPT_REGISTRY.update(ours)
    if args and f"spotbot_{args[0]}" in ours:
        args[0] = f"spotbot_{args[0]}"
    sys.argv[1:] = args
    script.setup_script_registry = lambda: None  # only our commands
    script.superscript_main(args)
