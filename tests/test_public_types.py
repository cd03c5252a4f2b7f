"""The types of the public names: the stubs name every room, and pyright finds no error in code that uses them."""

import ast
import json
import pkgutil
import shutil
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


def test_pyright_finds_no_error_in_code_that_uses_them(tmp_path):
    pytest.importorskip("pyright")
    shutil.copy(HERE / "public_types.py", tmp_path)
    # As a user's project has it: with pandas' own types in place of those in typings/.
    (tmp_path / "pyrightconfig.json").write_text(json.dumps({"extraPaths": [str(HERE.parent)]}))
    command = [sys.executable, "-m", "pyright", "--pythonpath", sys.executable, "public_types.py"]
    outcome = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert outcome.returncode == 0, outcome.stdout
