# SPDX-License-Identifier: Apache-2.0
"""Writes literals, and files of cases: modules with executions and the verdict on each."""
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
    """Returns an array as a literal. kind: "bf16" if a float32 array represents bf16."""
    x = np.asarray(x)
    shape = ",".join(str(d) for d in x.shape)
    return f"{kind or NAMES[x.dtype]}[{shape}] {braces(x)}"


PROFILES = {"S": "strict", "D": "default", "R": "relaxed"}
OUTCOMES = {"+": "pass", "-": "fail", "?": "inconclusive"}
LEMMAS = {1: "sums_in_any_order", 7: "skipped_roundings", 8: "conversions",
          9: "triangular_factors_and_solves", 17: "ulps_of_an_interval",
          19: "fast_and_narrow_accumulation", 21: "fourier_transforms", 24: "complex_functions",
          25: "sort", 26: "batch_norm", 40: "facts"}


class File:
    """The executions of one lemma, as cases in the format of suites/cases/FORMAT.md."""

    # For other seeds a wrong answer may be within its bound, so only legal executions are written.
    legal_only = False

    def __init__(self, lemma, about):
        self.lemma, self.lines, self.names, self.count = lemma, [], set(), 0
        self.about, self.text, self.shared, self.open = about, "", (), None

    def module(self, text, *inputs):
        """Adds a module. inputs: the literals for each case that has none of its own."""
        self.text, self.shared = text.strip(), inputs

    def case(self, name, verdicts, outputs, inputs=(), facts=""):
        """Adds a case. verdicts "S-D+R?": by profile, + is pass, - fail, ? inconclusive."""
        name = "".join(c if c.isalnum() else "_" for c in name)
        assert name not in self.names, name
        stated = [f"{PROFILES[p]} {OUTCOMES[v]}" for p, v in zip(verdicts[::2], verdicts[1::2])
                  if v != "-" or not self.legal_only]
        if not stated:
            return
        self.names.add(name)
        self.count += 1
        case = (self.text, tuple(inputs) or self.shared, facts)
        if case == self.open:
            self.lines.append(f"@output {name}")
        else:
            self.open = case
            self.lines += ["", *([] if self.lines else [f"# {self.about}"]), f"@case {name}"]
            self.lines += [f"@facts {facts}"] if facts else []
            self.lines += ["@module", self.text]
            self.lines += ["@inputs", *case[1]] if case[1] else []
            self.lines.append("@output")
        self.lines += [*outputs, "@verdict " + ", ".join(stated)]


def numbered(lines):
    """Numbers cases with the same name, because an address must identify one case."""
    seen = {}
    for line in lines:
        if line.startswith("@case "):
            seen[line] = seen.get(line, 0) + 1
            line += f"_{seen[line]}" if seen[line] > 1 else ""
        yield line


def write(files, folder):
    """Writes one file per lemma to `folder`. Returns the number of executions."""
    for lemma in sorted({file.lemma for file in files}):
        lines = [f"# Executions of lemma {lemma} by numpy alone: tools/selfcheck/variants/make.py.",
                 f"@from lemma {lemma}"]
        lines += numbered(sum((file.lines for file in files if file.lemma == lemma), []))
        with open(f"{folder}/{lemma:02}_{LEMMAS[lemma]}.case", "w", encoding="utf-8") as out:
            out.write("\n".join(lines) + "\n")
    return sum(file.count for file in files)
