# SPDX-License-Identifier: Apache-2.0
"""What a rule says about a place."""

from typing import NamedTuple


class Finding(NamedTuple):
    path: str
    line: int
    message: str
    measure: str = ""  # without blanks; what a ceiling of this finding is called
    count: int = 1
