# SPDX-License-Identifier: Apache-2.0
"""Adds the option --hlocts-engine to pytest, and the tested engine to the header of the report."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import pytest

from hlocts import testing
from hlocts.errors import ConformanceError, HloctsError, NotJudgedError


def pytest_addoption(parser: Any) -> None:
    parser.getgroup("hlocts").addoption(
        "--hlocts-engine",
        metavar="ENGINE",
        default=None,
        help="engine of tests marked @hlocts.conforms: jax, xla, cpu, pjrt:PATH, ... (default: JAX itself)",
    )


def pytest_configure(config: Any) -> None:
    testing.set_engine(config.getoption("--hlocts-engine"))


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: Any, call: Any) -> Generator[None, Any, None]:
    """Omits the line about hidden frames, because the message explains the failure. The location of
    a skip is that of its test."""
    raised = call.excinfo and call.excinfo.value  # pytest replaces a SkipTest
    outcome = yield
    own = (ConformanceError, HloctsError)
    report = outcome.get_result()
    if report.skipped and isinstance(getattr(raised, "__context__", None), NotJudgedError):
        path, line, _ = item.location
        report.longrepr = (path, (line or 0) + 1, report.longrepr[2])
    if call.excinfo is None or not isinstance(call.excinfo.value, own):
        return
    traceback = getattr(report.longrepr, "reprtraceback", None)
    if traceback is not None:
        traceback.extraline = None


def pytest_report_header() -> str | None:
    return (name := testing.engine()) and f"hlocts: engine {name}"
