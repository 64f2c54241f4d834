# SPDX-License-Identifier: Apache-2.0
"""Reads HLO text as far as the programs of this folder use it. Shares nothing with the judge."""

import re

import numpy as np

DTYPES = {
    "f32": np.float64,
    "bf16": np.float64,
    "f16": np.float64,
    "f64": np.float64,
    "pred": np.bool_,
    "s32": np.int64,
    "s64": np.int64,
    "u32": np.int64,
}


class Shape:
    def __init__(self, dtype, dims):
        self.dtype, self.dims = dtype, dims

    @property
    def is_float(self):
        return self.dtype in ("f32", "bf16", "f16", "f64")


class Instruction:
    def __init__(self, name, shape, opcode, operands, attrs, literal):
        self.name, self.shape, self.opcode, self.operands = name, shape, opcode, operands
        self.attrs, self.literal = attrs, literal

    def ints(self, key):
        found = re.search(key + r"=\{([^}]*)\}", self.attrs)
        return [int(x) for x in found.group(1).split(",") if x] if found else []

    def word(self, key):
        found = re.search(r"\b" + key + r"=([\w.\-]+)", self.attrs)
        return found.group(1) if found else None


def one_shape(text):
    found = re.match(r"(\w+)\[([\d,]*)\]", text)
    return Shape(found.group(1), tuple(int(d) for d in found.group(2).split(",") if d))


def closing(text, start):
    depth = 0
    for i in range(start, len(text)):
        depth += text[i] in "({"
        depth -= text[i] in ")}"
        if depth == 0:
            return i
    raise ValueError(text)


def read_instruction(line):
    name, rest = line.split(" = ", 1)
    if rest[0] == "(":
        end = closing(rest, 0)
        shape = [one_shape(s) for s in re.findall(r"\w+\[[\d,]*\]", rest[:end])]
        rest = rest[end + 1 :].strip()
    else:
        shape = one_shape(rest)
        rest = re.sub(r"^\w+\[[\d,]*\](\{[\d,]*\})?\s*", "", rest)
    opcode, rest = rest.split("(", 1)
    end = closing("(" + rest, 0) - 1
    inside, attrs = rest[:end], rest[end + 1 :]
    operands = [] if opcode in ("constant", "parameter") else re.findall(r"[\w.\-]+", inside)
    return Instruction(name.replace("ROOT ", "").strip(), shape, opcode, operands, attrs, inside)


def read(text):
    """The computations by name, each a list of instructions; and the entry's name."""
    computations, entry, current, root = {}, None, None, {}
    text = re.sub(r"/\*.*?\*/", "", text)
    for line in text.splitlines():
        line = line.strip()
        if line.endswith("{") and " = " not in line and not line.startswith("HloModule"):
            is_entry = line.startswith("ENTRY")
            current = line.replace("ENTRY ", "").split(" ")[0].lstrip("%")
            computations[current] = []
            entry = current if is_entry else entry
        elif " = " in line and current is not None:
            computations[current].append(read_instruction(line.replace("%", "")))
            if line.startswith("ROOT"):
                root[current] = computations[current][-1].name
    return computations, root, entry
