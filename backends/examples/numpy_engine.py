# SPDX-License-Identifier: Apache-2.0
"""An engine of 50 lines: element-wise HLO on numpy. Run it as --backend='exec:python3 numpy_engine.py'."""
import re

import numpy as np

from hlocts_frames import Leaf, Unsupported, serve

OPERATIONS = {
    "add": np.add, "subtract": np.subtract, "multiply": np.multiply, "maximum": np.maximum,
    "minimum": np.minimum, "negate": np.negative, "abs": np.abs, "sqrt": np.sqrt, "floor": np.floor,
    "ceil": np.ceil, "exponential": np.exp, "log": np.log, "tanh": np.tanh, "sine": np.sin, "cosine": np.cos,
}
NATIVE = {"f32", "f64", "s8", "s16", "s32", "s64", "u8", "u16", "u32", "u64"}
LINE = re.compile(r"\s*(ROOT )?%?([\w.-]+) = (\w+)\[[\d,]*\](?:\{[^}]*\})? ([\w-]+)\(([^)]*)\)")


def load(text):
    entry = text[text.index("ENTRY"):]
    steps, root = [], None
    for line in entry.splitlines()[1:]:
        if line.strip() == "}":
            break
        match = LINE.match(line)
        if not match:
            raise Unsupported(f"cannot read: {line.strip()}")
        is_root, name, element_type, opcode, operands = match.groups()
        if element_type not in NATIVE or not (opcode in OPERATIONS or opcode == "parameter"):
            raise Unsupported(f"{opcode} on {element_type}")
        names = [word.split()[-1].lstrip("%") for word in operands.split(",") if word.strip()]
        steps.append((name, element_type, opcode, names))
        root = name if is_root else root

    def run(arguments):
        values = {}
        for name, element_type, opcode, operands in steps:
            if opcode == "parameter":
                values[name] = arguments[int(operands[0])]
                continue
            with np.errstate(all="ignore"):
                result = OPERATIONS[opcode](*(values[operand].array for operand in operands))
            values[name] = Leaf(element_type, result)
        return [values[root]]

    return run


if __name__ == "__main__":
    serve("numpy", np.__version__, load)
