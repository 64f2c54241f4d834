# SPDX-License-Identifier: Apache-2.0
"""Is what this engine computed a result that HLO allows?"""

from hlocts.accepted import AcceptedSet
from hlocts.api import check, evaluate, judge
from hlocts.errors import ConformanceError, HloctsError, NotJudgedError
from hlocts.operands import Operand
from hlocts.result import Failure, Result
from hlocts.testing import conforms

__all__ = [
    "AcceptedSet",
    "ConformanceError",
    "Failure",
    "HloctsError",
    "NotJudgedError",
    "Operand",
    "Result",
    "check",
    "conforms",
    "evaluate",
    "judge",
]
