# SPDX-License-Identifier: Apache-2.0
"""Helps to test JAX functions: the decorator `conforms`, and the engine of the pytest option."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable, Sequence
from typing import Any

from hlocts import api, lowering
from hlocts.errors import HloctsError, NotJudgedError, explains
from hlocts.result import Result, nan_text

__unittest = True  # see errors.py
_session: dict[str, str | None] = {"engine": None}


def set_engine(name: str | None) -> None:
    """Sets the engine that `conforms` checks if the test does not name one."""
    _session["engine"] = name


def engine() -> str | None:
    return _session["engine"]


def _arguments(f: Callable[..., Any], given: tuple[Any, ...]) -> tuple[Any, ...]:
    """Returns the arguments of `return f, (x, y)`: the tuple if f accepts it as its only argument,
    else the elements of the tuple."""
    try:
        lowering.lower(f, (given,))
    except (TypeError, AttributeError):
        return given
    return (given,)


def conforms(
    test: Callable[..., Any] | None = None, *, engine: str | None = None, profile: str = "default",
    facts: str | Sequence[str] | None = None, mesh: Any = None, in_specs: Any = None,
    out_specs: Any = None,
) -> Callable[..., Any]:  # fmt: skip
    """Makes a test of a function that returns a function and its arguments, as `return f, x, y`.
    The test passes if HLO allows the engine's result. It is skipped, with the reason, if a result
    cannot be judged (unsupported, inconclusive, probable, suspect). facts, mesh, in_specs and out_specs: see check. If
    the pytest option names an engine, this engine declares its own facts. mesh is a Mesh, or a
    function that returns a Mesh and is called when the test runs."""
    if test is None:
        return functools.partial(conforms, engine=engine, profile=profile, facts=facts, mesh=mesh,
                                 in_specs=in_specs, out_specs=out_specs)  # fmt: skip

    @functools.wraps(test)
    def wrapper(*args: Any, **kwargs: Any) -> None:
        __tracebackhide__ = explains
        made = test(*args, **kwargs)
        if not isinstance(made, tuple) or not made or not callable(made[0]):
            raise HloctsError("a test that conforms returns a function and its arguments")
        if len(made) == 2 and type(made[1]) is tuple:
            made = (made[0], *_arguments(made[0], made[1]))
        chosen = engine if engine is not None else _session["engine"]
        given = facts if engine is not None or chosen is None else None
        is_mesh = mesh is None or hasattr(mesh, "axis_names")  # a Mesh is callable, like a function
        result = api.check(made[0], *made[1:], engine=chosen, profile=profile, facts=given,
                           mesh=mesh if is_mesh else mesh(), in_specs=in_specs,
                           out_specs=out_specs)  # fmt: skip
        try:
            result.raise_for_failure()
        except NotJudgedError:
            _warn_of_nan(test.__name__, result)
            import unittest  # it would add a tenth to the time of `import hlocts`

            unused = facts is not None and given is None
            note = f"; facts= of the test are not used: the engine {chosen} declares its own" if unused else ""
            raise unittest.SkipTest(result._not_judged() + note) from None
        _warn_of_nan(test.__name__, result)

    return wrapper


def _warn_of_nan(test: str, result: Result) -> None:
    if nan := result.record.get("nan"):
        warnings.warn(f"{test}: {nan_text(nan)}", stacklevel=3)
