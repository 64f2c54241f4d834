# SPDX-License-Identifier: Apache-2.0
"""The register of programs: a function and the kinds of its arguments."""

PROGRAMS = {}


def program(*kinds):
    """Each kind stands for an argument: "4x8" normal numbers, "u4x8" uniform in [0, 1), "p4x8"
    uniform in [0.5, 1.5), "z4x8" complex, "b16" booleans, "i16<10" integers below 10, "s8:4x8"
    integers of all values of a type; ":bf16", ":f16", ":f64" behind it gives the type,
    "*0.1" a factor of normal numbers."""

    def add(function):
        PROGRAMS[function.__name__] = (function, kinds)
        return function

    return add
