# SPDX-License-Identifier: Apache-2.0
"""pytest: --hlocts-engine, and what it tests in the report's head."""

from __future__ import annotations

from typing import Any

from hlocts import testing


def pytest_addoption(parser: Any) -> None:
    parser.getgroup("hlocts").addoption(
        "--hlocts-engine",
        metavar="ENGINE",
        default=None,
        help="engine of tests marked @hlocts.conforms: jax (default), xla, cpu, pjrt:PATH, ...",
    )


def pytest_configure(config: Any) -> None:
    testing.set_engine(config.getoption("--hlocts-engine"))


def pytest_report_header() -> str | None:
    name = testing.engine()
    return f"hlocts: engine {name}" if name else None
