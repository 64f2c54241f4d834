# SPDX-License-Identifier: Apache-2.0
"""JAX programs of the kinds that people run, small, written before anybody looked at their sets."""

from programs import arrays, functions, layers, networks, numerics, selection, training
from programs.program import PROGRAMS

__all__ = [
    "PROGRAMS",
    "arrays",
    "functions",
    "layers",
    "networks",
    "numerics",
    "selection",
    "training",
]
