"""The types of the public names: the stubs name what there is, and pyright, where it is installed, finds no fault."""

import ast
import pkgutil
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import parlai_spotbot
from parlai_spotbot import analysis

HERE = Path(__file__).parent
PYRIGHT = shutil.which("pyright")


def told(package):
    """The names in a package's stub, and the module that each is imported from."""
    stub = Path(package.__file__).with_suffix(".pyi")
    found = ast.walk(ast.parse(stub.read_text(encoding="utf-8")))
    return {alias.asname: node.module for node in found if isinstance(node, ast.ImportFrom) for alias in node.names}


def test_the_stub_has_every_public_name_from_where_it_stands():
    public = {name: f"parlai_spotbot.{module}" for name, module in parlai_spotbot.PUBLIC.items()}
    assert told(parlai_spotbot) == {**public, "analysis": "parlai_spotbot"}


def test_the_stub_has_every_room_of_the_statistics():
    rooms = {module.name for module in pkgutil.iter_modules(analysis.__path__)}
    assert told(analysis) == dict.fromkeys(rooms, "parlai_spotbot.analysis")


@pytest.mark.skipif(PYRIGHT is None, reason="needs pyright")
def test_pyright_finds_nothing_in_what_uses_them():
    words = [PYRIGHT, "--pythonpath", sys.executable, "public_types.py"]
    done = subprocess.run(words, cwd=HERE, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
