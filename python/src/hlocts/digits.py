# SPDX-License-Identifier: Apache-2.0
"""Finds the instructions at which a function loses digits: runs `hlocts digits` on the module that
JAX lowers."""

from __future__ import annotations

import dataclasses
import json
import pathlib
import tempfile
from collections.abc import Callable
from typing import Any

import numpy as np

from hlocts import api, arrays, binary, lowering
from hlocts.errors import brief


@dataclasses.dataclass(frozen=True)
class Digits:
    """record: the JSON of `hlocts digits --json`. text: the table for a terminal. picture: an SVG
    image for notebooks."""

    record: dict[str, Any]
    text: str
    picture: str

    @property
    def instructions(self) -> list[dict[str, Any]]:
        """Instructions, costliest first: instruction, operation, source, lost_bits, made, reaches."""
        return list(self.record["instructions"])

    def __str__(self) -> str:
        return self.text

    def _repr_svg_(self) -> str:
        return self.picture


@brief
def digits(f: Callable[..., Any] | api.PathLike, *args: Any, compiled: str | None = None) -> Digits:
    """Finds the instructions at which f(*args), or a module (see judge), loses digits.

    compiled: HLO text of the module as an engine compiled it. `record["other_widths"]` has the
    instructions that are wider or narrower in this text.
    """
    low = None if api.is_module(f) else lowering.lower(f, args)
    inputs = low.inputs if low else [np.asarray(value) for value in args]
    with tempfile.TemporaryDirectory(prefix="hlocts-digits-") as folder:
        path = pathlib.Path(folder)
        is_text = low is not None or "{" in str(f)
        module = path / ("module.hlo" if is_text else pathlib.Path(str(f)).name)
        module.write_text(low.text if low else api.hlo(f))
        arrays.write(path / "inputs.npz", "arg", inputs)
        words = ["digits", str(module), f"--inputs={path / 'inputs.npz'}"]
        if compiled is not None:
            (path / "compiled.hlo").write_text(compiled)
            words.append(f"--compiled={path / 'compiled.hlo'}")
        text = binary.run(words, answers=(0,), advice=".instructions has all")
        line = binary.run([*words, "--json", f"--picture={path / 'digits.svg'}"], answers=(0,))
        # A source in the module's file has the file's name; the directory is removed.
        text, line = (one.replace(f"{path}/", "") for one in (text, line))
        return Digits(json.loads(line), text, (path / "digits.svg").read_text())
