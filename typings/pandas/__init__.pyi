# What pyright takes for pandas when it checks this repository; users have pandas' own types. Without it pyright infers
# types from pandas' code: nearly every frame, column and number becomes a union, of which all but one part are wrong.
# With pandas-stubs it runs for ten minutes. So a frame, a column and an index are told from each other and from other
# objects, and what their methods return is Any.
from collections.abc import Iterator
from typing import Any

class _Data:
    def __init__(self, *args: Any, **options: Any) -> None: ...
    def __getattr__(self, name: str) -> Any: ...
    def __getitem__(self, key: Any) -> Any: ...
    def __setitem__(self, key: Any, value: Any) -> None: ...
    def __delitem__(self, key: Any) -> None: ...
    def __iter__(self) -> Iterator[Any]: ...
    def __len__(self) -> int: ...
    def __contains__(self, key: object) -> bool: ...
    def __array__(self, dtype: Any = None, copy: Any = None) -> Any: ...
    __eq__: Any
    __ne__: Any
    __lt__: Any
    __le__: Any
    __gt__: Any
    __ge__: Any
    __add__: Any
    __radd__: Any
    __sub__: Any
    __rsub__: Any
    __mul__: Any
    __rmul__: Any
    __truediv__: Any
    __rtruediv__: Any
    __pow__: Any
    __and__: Any
    __or__: Any
    __xor__: Any
    __invert__: Any
    __neg__: Any

class DataFrame(_Data):
    from_dict: Any

class Series(_Data): ...
class Index(_Data): ...

def __getattr__(name: str) -> Any: ...
