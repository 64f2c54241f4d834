# SPDX-License-Identifier: Apache-2.0
"""Evaluates calls, loops, branches, instructions of several devices, and random numbers."""

import re

import numpy as np

from evaluator import Array, at_indices, certain, each, leaves, operation
from formats import FORMATS, is_float
from sets import READINGS, Broken, Real, Unsupported, Value, Zero, reals

MOST_STEPS = 10000  # limit of the steps of all loops


@operation("control", "call", "call", "fusion")
def call(run, i, operands):
    return run.run(run.computation(i, "calls" if i.opcode == "fusion" else "to_apply"), operands)


@operation("control", None, "map")
def map_(run, i, operands):
    computation, types = run.computation(i), [o.type for o in operands]
    return each(i.shape.type, lambda *given: run.apply(computation, types, given)[0], *operands)


@operation("control", None, "while")
def while_(run, i, operands):
    condition, body = run.computation(i, "condition"), run.computation(i, "body")
    state = operands[0]
    for _ in range(MOST_STEPS + 1):
        if not certain(run.run(condition, [state])[()], "a loop whose condition"):
            return state
        state = run.run(body, [state])
        for leaf in leaves(state):  # a long loop must not cause deep recursion
            if leaf.cells.size <= 64:
                for cell in leaf.cells.flat:
                    cell.value
    raise Unsupported("a loop of more than %d steps" % MOST_STEPS)


@operation("control", None, "conditional")
def conditional(run, i, operands):
    if "branch_computations" in i.attributes:
        names = [n.strip(" %") for n in i.attribute("branch_computations").strip("{}").split(",")]
    else:
        names = [i.attribute(k).lstrip("%") for k in ("true_computation", "false_computation")]
    n = certain(operands[0][()], "a branch")
    if operands[0].type == "pred":
        n = 1 - n
    elif not 0 <= n < len(names):
        READINGS.add("an index outside takes the last branch (ruling 0008)")
        n = len(names) - 1
    return run.run(run.module.computations[names[n]], [operands[1 + n]])


# --- Several devices, and random numbers ---


def group_of(i, device, devices):
    """Returns the replicas of this device's group, in the order of the group."""
    text = i.attribute("replica_groups")
    groups = [[int(n) for n in re.findall(r"\d+", g)] for g in re.findall(r"\{([\d, ]+)\}", text)]
    if not re.fullmatch(r"[{}\d, ]*", text) or "channel_id" in i.attributes:
        raise Unsupported("groups in another form, or by channels")
    for group in groups or [list(range(devices))]:
        if device in group:
            return group
    raise Broken("%s: a replica without a group" % i.name)


@operation("exchange", None, "all-gather", together=True)
def all_gather(run, i, of_all, device):
    if len(of_all[device]) != 1:
        raise Unsupported("an all-gather of several operands")
    parts = [of_all[member][0].cells for member in group_of(i, device, len(of_all))]
    return Array(i.shape.type, np.concatenate(parts, *i.integers("dimensions")))


def number(operand):
    """Returns the value of an operand of rng (a bound) as a real number."""
    piece, *more = operand[()].stored
    if not more and isinstance(piece, Zero):
        return 0
    if more or not isinstance(piece, Real) or piece.lo != piece.hi:
        raise Unsupported("a bound that is not one number")
    return piece.lo


@operation("draw", "rng_uniform", "rng")
def rng(run, i, operands):
    """Draws uniformly from [a, b): from a to the largest number of the type below b."""
    if i.attribute("distribution") != "rng_uniform" or not is_float(i.shape.type):
        raise Unsupported("a distribution without bounds, or of integers")
    low, high = map(number, operands)
    if low >= high:
        raise Unsupported("an interval that is empty")
    READINGS.add("the interval is half open after rounding (ruling 0029)")
    below = high - FORMATS[i.shape.type].ulp(high) / 2  # the type has no number from here to `high`
    return at_indices(i.shape, lambda index: Value(reals(low, below, (1, -1))))
