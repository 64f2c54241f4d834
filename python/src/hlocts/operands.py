# SPDX-License-Identifier: Apache-2.0
"""What the instruction that is wrong was given: the reference computes its operands."""

from __future__ import annotations

import pathlib
import re
import tempfile
from dataclasses import dataclass

from hlocts import arrays, binary

_LINE = re.compile(r"^\s*(?:ROOT )?%?([\w.-]+) = (\(.*?\)|\S+) ([\w-]+)\(([^()]*)\)")
_ARRAY = re.compile(r"([a-z][a-z0-9]*)\[([0-9,]*)\]")


@dataclass(frozen=True)
class Operand:
    name: str
    type: str
    value: str  # of the failing element


def _entry(canonical: str) -> tuple[list[str], dict[str, tuple[str, str]]]:
    """Lines of the text with the entry computation last, and its instructions: name to type and
    operands."""
    lines = canonical.rstrip().split("\n")
    start = next(i for i, line in enumerate(lines) if line.startswith("ENTRY "))
    end = next(i for i in range(start, len(lines)) if lines[i].startswith("}"))
    found = {m[1]: (m[2], m[4]) for m in map(_LINE.match, lines[start:end]) if m}
    # The header would promise a result, a schedule and aliases of the module as it was.
    return ["HloModule operands", *lines[1:start], *lines[end + 1 :], *lines[start:end]], found


def _with_results(lines: list[str], start: int, names: list[str], types: list[str]) -> str:
    # The signature in the computation's head names the old result.
    entry = [line.replace("  ROOT ", "  ", 1) for line in lines[start + 1 :]]
    root = f"  ROOT hlocts_operands = ({', '.join(types)}) tuple({', '.join(names)})"
    return "\n".join([*lines[:start], "ENTRY hlocts {", *entry, root, "}", ""])


def _evaluate(text: str, inputs: pathlib.Path, types: list[str]) -> list[arrays.Array]:
    with tempfile.TemporaryDirectory(prefix="hlocts-") as folder:
        module = pathlib.Path(folder, "operands.hlo")
        output = pathlib.Path(folder, "operands.npz")
        module.write_text(text)
        binary.evaluate(module, inputs, output)
        dtypes = [arrays.dtype_of(type_.partition("[")[0]) for type_ in types]
        return arrays.read_outputs(output, dtypes)


def of_failure(
    module: pathlib.Path, inputs: pathlib.Path, instruction: str, index: tuple[int, ...]
) -> tuple[Operand, ...]:
    """Operands at the index, where the instruction stands in the entry computation and its operands
    are scalars or have its shape: elsewhere an index of the result is no index of an operand."""
    lines, known = _entry(binary.run(["convert", module, "--to=text"]))
    shape = _ARRAY.match(known.get(instruction, ("", ""))[0])
    if shape is None or len([n for n in shape[2].split(",") if n]) != len(index):
        return ()
    names = [name.strip().lstrip("%") for name in known[instruction][1].split(",")]
    types = [known[name][0] for name in names if name in known]
    operand_shapes = [_ARRAY.match(type_) for type_ in types]
    if len(types) != len(names) or not names or None in operand_shapes:
        return ()
    if any(match and match[2] not in ("", shape[2]) for match in operand_shapes):
        return ()
    start = next(i for i, line in enumerate(lines) if line.startswith("ENTRY "))
    values = _evaluate(_with_results(lines, start, names, types), inputs, types)
    return tuple(
        Operand(name, type_, str(value[index] if value.ndim else value[()]))
        for name, type_, value in zip(names, types, values, strict=True)
    )
