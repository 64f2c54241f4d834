# SPDX-License-Identifier: Apache-2.0
"""A tape over a module in many digits: values, the error that the rules allow each instruction,
and what a change of each operand does to it (nothing of the judge)."""

import mpmath
import numpy as np

from moves import Moves
from sums import Sums
from tables import BINARY, COMPARE, LEAST, PRECISION, UNARY, Node, each, exact, ulp, ulps_of


def unbroadcast(weights, value):
    return weights if np.shape(value) else np.sum(weights)


class Machine(Moves, Sums):
    def __init__(self, computations, roots):
        self.computations, self.roots = computations, roots
        self.tape = []

    def note(self, value, bound, back, dtype):
        node = Node(value, bound, back, dtype)
        self.tape.append(node)
        return node

    def call(self, name, arguments):
        values = {}
        for i in self.computations[name]:
            operands = [values[o] for o in i.operands]
            if i.opcode == "parameter":
                values[i.name] = arguments[int(i.literal)]
            elif i.opcode == "call":
                values[i.name] = self.call(i.word("to_apply"), operands)
            elif i.opcode == "while":
                state = operands[0]
                while bool(self.call(i.word("condition"), [state]).value):
                    state = self.call(i.word("body"), [state])
                values[i.name] = state
            elif i.opcode == "tuple":
                values[i.name] = operands
            elif i.opcode == "get-tuple-element":
                values[i.name] = operands[0][int(i.word("index"))]
            else:
                values[i.name] = self.instruction(i, operands)
        return values[self.roots[name]]

    def instruction(self, i, operands):
        method = getattr(self, i.opcode.replace("-", "_"), None)
        if method:
            return method(i, operands)
        x = [o.value for o in operands]
        if i.opcode in UNARY:
            value, slope = UNARY[i.opcode]
            y = value(x[0])
            slopes = [slope(x[0], y)]
        else:
            value, slope = BINARY[i.opcode]
            y = value(x[0], x[1])
            if not i.shape.is_float:
                return Node(y)
            slopes = slope(x[0], x[1], y)
        bound = mpmath.mpf(ulps_of(i.opcode, i.shape.dtype)) * ulp(y, i.shape.dtype)
        back = lambda w: [(o, np.where(w == 0, 0, w * s)) for o, s in zip(operands, slopes)]
        return self.note(y, bound, back, i.shape.dtype)

    # Leaves.
    def constant(self, i, _):
        text = (
            i.literal.replace("{", "").replace("}", "").replace("true", "1").replace("false", "0")
        )
        numbers = [float(t) for t in text.split(",")]
        kind = exact if i.shape.is_float else np.bool_ if i.shape.dtype == "pred" else np.int64
        numbers = kind(np.array(numbers)).reshape(i.shape.dims)
        return Node(numbers, dtype=i.shape.dtype)

    def iota(self, i, _):
        d = int(i.word("iota_dimension"))
        line = np.arange(i.shape.dims[d]).reshape(
            [-1 if k == d else 1 for k in range(len(i.shape.dims))]
        )
        numbers = np.broadcast_to(line, i.shape.dims).astype(np.int64)
        return Node(exact(numbers) if i.shape.is_float else numbers, dtype=i.shape.dtype)

    # Element-wise with integers or truth values.
    def compare(self, i, o):
        return Node(COMPARE[i.word("direction")](o[0].value, o[1].value))

    def is_finite(self, i, o):
        return Node(each(mpmath.isfinite)(o[0].value).astype(bool))

    def floor(self, i, o):
        return Node(each(mpmath.floor)(o[0].value), dtype=i.shape.dtype)

    def convert(self, i, o):
        x = o[0].value
        if not i.shape.is_float:
            return Node(each(int)(x).astype(np.int64) if i.shape.dtype != "pred" else x != 0)
        y = exact(x)
        if o[0].dtype is None or not o[0].back:
            return Node(y, dtype=i.shape.dtype)
        narrower = PRECISION[i.shape.dtype] < PRECISION[o[0].dtype]
        bound = ulp(y, i.shape.dtype) / 2 if narrower else np.zeros_like(y)
        return self.note(y, bound, lambda w: [(o[0], w)], i.shape.dtype)

    def select(self, i, o):
        p, a, b = o
        y = np.where(p.value, a.value, b.value)
        if not i.shape.is_float:
            return Node(y)
        back = lambda w: [(a, np.where(p.value, w, 0)), (b, np.where(p.value, 0, w))]
        return self.note(y, np.zeros_like(y), back, i.shape.dtype)


def first_order(machine, root, element):
    """sum |d result / d v| bound(v) over all instructions."""
    weights = {id(root): np.zeros(np.shape(root.value), dtype=object)}
    weights[id(root)].flat[element] = mpmath.mpf(1)
    total = mpmath.mpf(0)
    for node in reversed(machine.tape):
        w = weights.pop(id(node), None)
        if w is None:
            continue
        total += np.sum(np.abs(w) * node.bound)
        for operand, more in node.back(w):
            if operand.back is None:
                continue
            if np.shape(more) != np.shape(operand.value):
                more = unbroadcast(more, operand.value)
            old = weights.get(id(operand))
            weights[id(operand)] = np.asarray(more if old is None else old + more, dtype=object)
    return total
