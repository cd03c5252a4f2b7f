# What pyright takes for transformers when it checks this repository: reading its types is half of the whole run.
from typing import Any

def __getattr__(name: str) -> Any: ...
