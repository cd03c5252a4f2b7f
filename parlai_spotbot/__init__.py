"""Spot The Bot (Deriu et al., EMNLP 2020) as a ParlAI plugin: find out which chatbot passes longest as human."""

import contextlib
import os
import sys
from types import ModuleType
from typing import Any

__version__ = "0.1.0"


class _Package(ModuleType):
    """The package itself; `report` and `selfplay` stay functions when the subpackages of these names are imported."""

    def __setattr__(self, name: str, value: Any) -> None:
        if name not in ("report", "selfplay"):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package
# PyTorch's threads that wait by spinning take the cores from contestants and judges. It is read when torch is imported.
os.environ.setdefault("OMP_WAIT_POLICY", "PASSIVE")
# The installer runs before lazy_loader is installed, and needs none of the public names.
with contextlib.suppress(ImportError):
    import lazy_loader

    __getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
