# SPDX-License-Identifier: Apache-2.0
"""Imports the code for frames of the worker protocol from this package or from the checkout."""

from __future__ import annotations

import importlib
import pathlib
import sys
from typing import Any


def frames() -> Any:
    try:
        return importlib.import_module("hlocts.hlocts_frames")
    except ImportError:
        checkout = pathlib.Path(__file__).resolve().parents[3]
        sys.path.insert(0, str(checkout / "backends" / "examples"))
        return importlib.import_module("hlocts_frames")
