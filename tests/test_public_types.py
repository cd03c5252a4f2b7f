"""The types of the public names: the stubs name every room, and pyright finds no error in code that uses them."""

import ast
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import parlai_spotbot
from parlai_spotbot import analysis

HERE = Path(__file__).parent


def test_every_public_name_is_found():
    assert {"Study", "analysis", "pack", "rank", "report", "selfplay"} <= set(parlai_spotbot.__all__)
    assert all(callable(getattr(parlai_spotbot, name)) for name in parlai_spotbot.__all__ if name != "analysis")


def test_the_stub_has_every_room_of_the_statistics():
    stub = ast.parse(Path(analysis.__file__).with_suffix(".pyi").read_text(encoding="utf-8"))
    named = {alias.asname for node in stub.body if isinstance(node, ast.ImportFrom) for alias in node.names}
    assert named == {module.name for module in pkgutil.iter_modules(analysis.__path__)}


def test_pyright_finds_no_error_in_code_that_uses_them():
    pytest.importorskip("pyright")
    command = [sys.executable, "-m", "pyright", "--pythonpath", sys.executable, "public_types.py"]
    outcome = subprocess.run(command, cwd=HERE, capture_output=True, text=True, check=False)
    assert outcome.returncode == 0, outcome.stdout
