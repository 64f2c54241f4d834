# SPDX-License-Identifier: Apache-2.0
"""`python3 -m hlocts.check script.py` and `pytest -p hlocts.check`: see hlocts.checking.

Importing this module rebinds `check` in the package to the module. The module can therefore also be
called like the function `hlocts.check`.
"""

from __future__ import annotations

import importlib
import os
import sys
import types
from typing import Any

from hlocts import api, checking
from hlocts.errors import HloctsError


class _Callable(types.ModuleType):
    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return api.check(*args, **kwargs)


sys.modules[__name__].__class__ = _Callable
_checked: checking.Session


def pytest_addoption(parser: Any) -> None:
    """Runs the tests with the checking plugin and prints a report: `pytest -p hlocts.check`.

    HLOCTS_CHECK has the settings. JAX reads its platform when a test first uses it. The judge
    prints to the original standard error, because pytest captures that of the tests. The workers of
    pytest-xdist inherit the environment; the process that started them determines the exit status.
    """
    global _checked
    try:
        _checked = checking.Session(checking.settings(os.environ.get("HLOCTS_CHECK", "")))
    except HloctsError as problem:
        raise importlib.import_module("pytest").UsageError(f"hlocts check: {problem}") from None
    os.environ.update(_checked.environment)
    os.environ["HLOCTS_CHECK_STDERR"] = str(os.dup(2))


def pytest_sessionstart(session: Any) -> None:
    session.config.hlocts_session = session


def pytest_unconfigure(config: Any) -> None:
    session = getattr(config, "hlocts_session", None)
    if session and not hasattr(config, "workerinput") and _checked.status():
        session.exitstatus = session.exitstatus or 1


if __name__ == "__main__":
    try:
        sys.exit(checking.main())
    except HloctsError as problem:
        print(f"hlocts check: {problem}", file=sys.stderr)
        sys.exit(2)
