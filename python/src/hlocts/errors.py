# SPDX-License-Identifier: Apache-2.0
"""The exceptions of this package."""


class HloctsError(Exception):
    """Raised if something is missing or an input is wrong; the message is one sentence."""


class ConformanceError(AssertionError):
    """Raised if an engine returned a result that HLO does not allow, or did not answer."""


class NotJudgedError(ConformanceError):
    """Nothing was judged (unsupported) or too little (inconclusive), so the result may be wrong."""
