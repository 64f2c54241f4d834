# SPDX-License-Identifier: Apache-2.0
"""Literals, and files of variants: modules with executions and the verdict on each."""
import numpy as np

NAMES = {np.dtype(np.float32): "f32", np.dtype(np.float64): "f64", np.dtype(np.float16): "f16",
         np.dtype(np.int32): "s32", np.dtype(np.bool_): "pred", np.dtype(np.complex64): "c64",
         np.dtype(np.complex128): "c128", np.dtype(np.int64): "s64"}


def number(x):
    if isinstance(x, (bool, np.bool_)):
        return "true" if x else "false"
    if isinstance(x, (complex, np.complexfloating)):
        return f"({number(x.real)}, {number(x.imag)})"
    if isinstance(x, (int, np.integer)):
        return str(int(x))
    if np.isnan(x):
        return "nan"
    if np.isinf(x):
        return "inf" if x > 0 else "-inf"
    digits = 17 if x.dtype == np.float64 else 9
    return f"{x:.{digits}g}"


def braces(x):
    if x.ndim == 0:
        return number(x[()])
    return "{" + ", ".join(braces(y) for y in x) + "}"


def literal(x, kind=None):
    """`kind`: "bf16" for float32 arrays that stand for it."""
    x = np.asarray(x)
    shape = ",".join(str(d) for d in x.shape)
    return f"{kind or NAMES[x.dtype]}[{shape}] {braces(x)}"


class File:
    """One class of variants."""

    # Of other data a wrong answer may happen to lie within its bound: only what is legal is kept.
    legal_only = False

    def __init__(self, name, about):
        self.name, self.lines, self.names = name, [f"# {about}"], set()

    def module(self, text, *inputs):
        """`inputs`: literals of every case that gives none of its own."""
        self.lines += ["--- module", text.strip()] + [f"in {text}" for text in inputs]

    def case(self, name, verdicts, outputs, inputs=(), facts=""):
        """verdicts: "S-D+R+"; + pass, - fail, ? inconclusive; a profile left out is not asked."""
        name = "".join(c if c.isalnum() else "_" for c in name)
        assert name not in self.names, name
        if self.legal_only:
            pairs = zip(verdicts[::2], verdicts[1::2])
            verdicts = "".join(p + v for p, v in pairs if v != "-")
            if not verdicts:
                return
        self.names.add(name)
        self.lines.append(f"--- case {name} {verdicts}" + (f" {facts}" if facts else ""))
        self.lines += [f"in {text}" for text in inputs] + [f"out {text}" for text in outputs]

    def write(self, folder):
        with open(f"{folder}/{self.name}.variants", "w", encoding="utf-8") as file:
            file.write("\n".join(self.lines) + "\n")
        return len(self.names)
