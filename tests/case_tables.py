"""Tables of test cases in YAML, in the test file or beside it: input, change and expected result or error."""

from pathlib import Path

import pytest
import yaml


def case_table(test_file: str, name: str):
    """Parametrize a test with the rows of list ``name`` of the YAML file next to ``test_file`` (no key: None)."""
    rows = yaml.safe_load(Path(test_file).with_suffix(".yaml").read_text(encoding="utf-8"))[name]
    keys = list(dict.fromkeys(key for row in rows for key in row))
    return pytest.mark.parametrize(keys, [[row.get(key) for key in keys] for row in rows])


def cases(names: str, rows: str):
    """Parametrize a test with YAML: a list of values for the arguments ``names`` (of lists, where it has several)."""
    return pytest.mark.parametrize(names.split() if " " in names else names, yaml.safe_load(rows))
