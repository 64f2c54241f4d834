# SPDX-License-Identifier: Apache-2.0
"""The exceptions of this package."""

import functools
from collections.abc import Callable
from typing import Any, ParamSpec, TypeVar

_P = ParamSpec("_P")
_T = TypeVar("_T")
__unittest = True  # unittest omits this module's frames, pytest those with __tracebackhide__


class HloctsError(Exception):
    """Raised if something is missing or an input is invalid. The message is one sentence."""


class ConformanceError(AssertionError):
    """Raised if an engine returned a result that HLO does not allow, or did not answer."""


class NotJudgedError(ConformanceError):
    """Raised if nothing was judged (unsupported, or the reference gave up) or too little
    (inconclusive). The result may be wrong."""


def explains(raised: Any) -> bool:
    """Returns True if the message of an exception (in a wrapper of pytest) is a sufficient
    explanation. Used as __tracebackhide__: pytest then hides the frames of this package."""
    return isinstance(raised.value, HloctsError | ConformanceError)


def brief(function: Callable[_P, _T]) -> Callable[_P, _T]:
    """Omits the frames of this package from an HloctsError: its message explains the error."""

    @functools.wraps(function)
    def wrapper(*args: _P.args, **kwargs: _P.kwargs) -> _T:
        __tracebackhide__ = explains
        try:
            return function(*args, **kwargs)
        except HloctsError as error:
            raise error.with_traceback(None) from None

    return wrapper
