# SPDX-License-Identifier: Apache-2.0
"""Calls, loops and branches."""

import math

from check_evaluator import Array, indices, operation
from check_numbers import ANY, Unsupported

MOST_STEPS = 10000  # of a loop


@operation("control", "call", "call")
@operation("control", "call", "fusion")
def call(run, i, operands):
    return run.run(run.computation(i, "calls" if i.opcode == "fusion" else "to_apply"), operands)


@operation("control", None, "map")
def map_(run, i, operands):
    computation = run.computation(i)
    types = [o.shape.type for o in operands]
    return Array(
        i.shape, lambda index: run.apply(computation, types, [o[index] for o in operands])[0]
    )


@operation("control", None, "while")
def while_(run, i, operands):
    condition, body = run.computation(i, "condition"), run.computation(i, "body")
    state, steps = operands[0], 0
    while True:
        choice = run.run(condition, [state])[()].stored
        if len(choice) != 1 or choice == ANY:
            raise Unsupported("a loop whose condition is not certain")
        if choice == {0}:
            return state
        steps += 1
        if steps > MOST_STEPS:
            raise Unsupported("a loop of more than %d steps" % MOST_STEPS)
        state = forced(run.run(body, [state]))


def forced(value):
    """Small arrays are computed at every step, so that loops make no deep recursion."""
    if isinstance(value, tuple):
        return tuple(map(forced, value))
    if math.prod(value.shape.dims) <= 64:
        for index in indices(value.shape.dims):
            value[index]
    return value


@operation("control", None, "conditional")
def conditional(run, i, operands):
    if "branch_computations" in i.attributes:
        names = [n.strip(" %") for n in i.attribute("branch_computations").strip("{}").split(",")]
    else:
        names = [i.attribute(k).lstrip("%") for k in ("true_computation", "false_computation")]
    chosen = operands[0][()].stored
    if len(chosen) != 1 or chosen == ANY:
        raise Unsupported("a branch that is not certain")
    n = next(iter(chosen))
    if operands[0].shape.type == "pred":
        n = 1 - n
    elif not 0 <= n < len(names):
        n = len(names) - 1  # ruling 0008
    return run.run(run.module.computations[names[n]], [operands[1 + n]])
