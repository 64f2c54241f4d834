# SPDX-License-Identifier: Apache-2.0
"""Tests of JAX functions: the decorator, and the engine that the pytest option names."""

from __future__ import annotations

import functools
import unittest
from collections.abc import Callable
from typing import Any

from hlocts import api
from hlocts.errors import HloctsError, NotJudgedError

_session: dict[str, str | None] = {"engine": None}


def set_engine(name: str | None) -> None:
    """What `conforms` checks where the test names no engine."""
    _session["engine"] = name


def engine() -> str | None:
    return _session["engine"]


def conforms(
    test: Callable[..., Any] | None = None, *, engine: str | None = None, profile: str = "default"
) -> Callable[..., Any]:
    """The test returns a function and its arguments, `return f, x, y`; it passes when what the
    engine computes is what HLO allows. What cannot be judged is a skip, with its reason."""
    if test is None:
        return functools.partial(conforms, engine=engine, profile=profile)

    @functools.wraps(test)
    def wrapper(*args: Any, **kwargs: Any) -> None:
        __tracebackhide__ = True
        made = test(*args, **kwargs)
        if not isinstance(made, tuple) or not made or not callable(made[0]):
            raise HloctsError("a test that conforms returns a function and its arguments")
        chosen = engine if engine is not None else _session["engine"]
        try:
            api.check(made[0], *made[1:], engine=chosen, profile=profile).raise_for_failure()
        except NotJudgedError as error:
            reason = str(error).split("\n")[1].strip()  # behind the headline: one sentence
            raise unittest.SkipTest(reason) from None

    return wrapper
