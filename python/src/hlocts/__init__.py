# SPDX-License-Identifier: Apache-2.0
"""Checks whether the result that an engine computed is one that HLO allows."""

from hlocts.accepted import AcceptedSet
from hlocts.api import allowed, check, evaluate, judge
from hlocts.bounds import Allowed
from hlocts.digits import Digits, digits
from hlocts.errors import ConformanceError, HloctsError, NotJudgedError
from hlocts.result import Failure, Operand, Result, Sentence
from hlocts.testing import conforms

__all__ = [
    "AcceptedSet",
    "Allowed",
    "ConformanceError",
    "Digits",
    "Failure",
    "HloctsError",
    "NotJudgedError",
    "Operand",
    "Result",
    "Sentence",
    "allowed",
    "check",
    "conforms",
    "digits",
    "evaluate",
    "judge",
]


def __getattr__(name: str) -> str:
    if name != "__version__":
        raise AttributeError(f"module 'hlocts' has no attribute {name!r}")
    import importlib.metadata
    import pathlib

    checkout = pathlib.Path(__file__).resolve().parents[3]
    if (checkout / "CONTRACT.md").is_file():
        return (checkout / "VERSION").read_text().strip()
    return importlib.metadata.version("hlocts")
