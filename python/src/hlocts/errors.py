# SPDX-License-Identifier: Apache-2.0
"""What this package raises."""


class HloctsError(Exception):
    """Something is missing or an input is wrong; the message says what, in one sentence."""


class ConformanceError(AssertionError):
    """An engine returned what HLO does not allow, or did not answer."""


class NotJudgedError(ConformanceError):
    """Nothing was judged (unsupported), or too little (inconclusive): nothing may be called right."""
