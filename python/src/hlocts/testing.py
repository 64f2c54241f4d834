# SPDX-License-Identifier: Apache-2.0
"""Tests of JAX functions: the decorator, and the engine that the pytest option names."""

from __future__ import annotations

import functools
import unittest
from collections.abc import Callable
from typing import Any

from hlocts import api, lowering
from hlocts.errors import HloctsError, NotJudgedError

_session: dict[str, str | None] = {"engine": None}


def set_engine(name: str | None) -> None:
    """Sets the engine that `conforms` checks where the test names none."""
    _session["engine"] = name


def engine() -> str | None:
    return _session["engine"]


def _arguments(f: Callable[..., Any], given: tuple[Any, ...]) -> tuple[Any, ...]:
    """For `return f, (x, y)`: the tuple is f's single argument where f takes it, else all of
    them."""
    try:
        lowering.lower(f, (given,))
    except (TypeError, AttributeError):
        return given
    return (given,)


def conforms(
    test: Callable[..., Any] | None = None, *, engine: str | None = None, profile: str = "default",
    mesh: Any = None, in_specs: Any = None, out_specs: Any = None,
) -> Callable[..., Any]:  # fmt: skip
    """mesh, in_specs and out_specs as for check; a callable is called for the mesh when the test
    runs. The test returns a function and its arguments, `return f, x, y`; it passes when HLO allows
    the engine's result. A result that cannot be judged (unsupported, inconclusive) is a skip,
    with its reason."""
    if test is None:
        return functools.partial(conforms, engine=engine, profile=profile, mesh=mesh,
                                 in_specs=in_specs, out_specs=out_specs)  # fmt: skip

    @functools.wraps(test)
    def wrapper(*args: Any, **kwargs: Any) -> None:
        __tracebackhide__ = True
        made = test(*args, **kwargs)
        if not isinstance(made, tuple) or not made or not callable(made[0]):
            raise HloctsError("a test that conforms returns a function and its arguments")
        if len(made) == 2 and type(made[1]) is tuple:
            made = (made[0], *_arguments(made[0], made[1]))
        chosen = engine if engine is not None else _session["engine"]
        try:
            api.check(made[0], *made[1:], engine=chosen, profile=profile,
                      mesh=mesh() if callable(mesh) else mesh, in_specs=in_specs,
                      out_specs=out_specs).raise_for_failure()  # fmt: skip
        except NotJudgedError as error:
            reason = str(error).split("\n")[1].strip()  # after the headline: one sentence
            raise unittest.SkipTest(reason) from None

    return wrapper
