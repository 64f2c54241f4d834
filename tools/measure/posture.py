#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Shows whether engines repeat their bits. Each column is compared with a first run of the batch:

repeats        199 more runs of one process
threads        on one processor
halves, rows   two runs with half the rows each; one run per row
donated        the first argument is donated; the result uses its memory if it fits
batch/2, /4    the batch sharded over 2 or 4 devices
sum/2, /4      the summed dimension sharded; an all-reduce adds the parts

A cell is `same` or the number of elements that differ; `-`: there is nothing to compare. No
document requires equal bits, so no row is a finding. A program is an entry of posture_programs.py.
"""

import argparse
import os
import pathlib
import random
import re
import struct
import tempfile

import batch
from posture_programs import PROGRAMS

ROOT = pathlib.Path(__file__).resolve().parents[2]
COLUMNS = ("repeats", "threads", "halves", "rows", "donated",
           "batch/2", "batch/4", "sum/2", "sum/4")


def literal(dims, values):
    """Returns the text of a literal from values in row-major order."""
    def nested(rest):
        if not rest:
            return next(values)
        return "{" + ", ".join(nested(rest[1:]) for _ in range(rest[0])) + "}"
    return f"f32[{','.join(map(str, dims))}] {nested(dims)}"


def numbers(count, seed):
    """Returns normally distributed f32 numbers as text."""
    draw = random.Random(seed)
    return [repr(struct.unpack("f", struct.pack("f", draw.gauss(0, 1)))[0]) for _ in range(count)]


def size(dims):
    product = 1
    for dim in dims:
        product *= dim
    return product


def part(values, dims, dimension, number, parts):
    """Returns part `number` of an array (in row-major order) that is divided along a dimension."""
    inner, length = size(dims[dimension + 1:]), dims[dimension] // parts
    whole = dims[dimension] * inner
    return [value for start in range(number * length * inner, len(values), whole)
            for value in values[start:start + length * inner]]


def joined(parts, rows):
    """Joins arrays with `rows` rows that were divided along dimension 1."""
    width = len(parts[0]) // rows
    return [value for row in range(rows) for one in parts
            for value in one[row * width:(row + 1) * width]]


class Program:
    """A program: its modules and inputs, for the whole batch or for some rows."""

    def __init__(self, program, folder):
        self.program, self.folder = program, folder
        self.data = [numbers(size(dims), seed)
                     for seed, dims in enumerate(self.shapes(program.batch))]

    def shapes(self, rows):
        return [(rows,) + self.program.row] + list(self.program.others)

    def module(self, rows, donated):
        text = self.program.text.replace("$N", str(rows))
        in_place = donated and self.program.in_place
        alias = ", input_output_alias={ {}: (0, {}, may-alias) }" if in_place else ""
        path = self.folder / f"{self.program.name}-{rows}{'-donated' if donated else ''}.hlo"
        path.write_text(f"HloModule m{alias}\n{text}")
        return str(path)

    def inputs(self, first, rows):
        path = self.folder / f"{self.program.name}-{first}-{rows}.txt"
        width = size(self.program.row)
        data = [self.data[0][first * width:(first + rows) * width]] + self.data[1:]
        path.write_text("".join(literal(dims, iter(values)) + "\n"
                                for dims, values in zip(self.shapes(rows), data)))
        return str(path)


    def spread(self, parts, inside):
        """Returns module and inputs for several devices; each has its rows or its part of the
        sums."""
        rows = self.program.batch if inside else self.program.batch // parts
        text = self.program.spread if inside else self.program.text
        text = text.replace("$N", str(rows)).replace("$K", str(self.program.row[0] // parts))
        name = f"{self.program.name}-{'sum' if inside else 'batch'}-{parts}"
        module = self.folder / f"{name}.hlo"
        module.write_text(f"HloModule m, replica_count={parts}\n{text}")
        cut = self.program.cut if inside else (0,) + (None,) * len(self.program.others)
        shapes = self.shapes(self.program.batch)
        lines = []
        for device in range(parts):
            lines.append(f"replica {device}")
            for dims, values, dimension in zip(shapes, self.data, cut):
                if dimension is not None:
                    values = part(values, dims, dimension, device, parts)
                    dims = [n // parts if d == dimension else n for d, n in enumerate(dims)]
                lines.append(literal(dims, iter(values)))
        inputs = self.folder / f"{name}.txt"
        inputs.write_text("\n".join(lines) + "\n")
        return str(module), str(inputs)

    def gathered(self, answer, parts, inside):
        """Joins the results of the devices. Checks that results that must be equal are equal."""
        if answer is None:
            return None
        length = len(answer) // parts
        each = [answer[n * length:(n + 1) * length] for n in range(parts)]
        if inside and self.program.result_cut:
            return joined(each, self.program.batch)
        if inside:
            return each[0] if all(one == each[0] for one in each) else ["devices differ"]
        return answer


class Engine:
    """Runs jobs with one module each. A result is the list of its elements as text, or None."""

    def __init__(self, hlocts, backend):
        self.command = [hlocts, "eval", f"--backend={backend}", "--json"]

    def run(self, jobs, processors=None, donate=False):
        command = self.command + (["--donate=0"] if donate else [])
        limit = (lambda: os.sched_setaffinity(0, processors)) if processors else None
        try:
            answers = batch.answers(command, [{"module": module, "inputs": inputs}
                                              for module, inputs in jobs], preexec_fn=limit)
        except RuntimeError:
            return [None] * len(jobs)
        return [self.elements(answer, donate) for answer in answers]

    @staticmethod
    def elements(answer, donate):
        if not answer["ok"]:
            return None
        if donate and not any(argument["state"] == "consumed" for argument in answer["arguments"]):
            return None
        return [element for output in answer["outputs"]
                for element in re.findall(r"[^\s{},]+", output.split(" ", 1)[1])]


def compared(whole, pieces):
    """Returns `same`, the number of elements that differ, or `-` if there is nothing to compare."""
    if whole is None or any(piece is None for piece in pieces):
        return "-"
    joined = [element for piece in pieces for element in piece]
    differing = sum(a != b for a, b in zip(joined, whole))
    return f"{differing}/{len(joined)}" if differing else "same"


def posture(engine, program, repeats):
    """Returns the row of one program on one engine."""
    batch = program.program.batch
    whole = (program.module(batch, False), program.inputs(0, batch))
    every = sorted(os.sched_getaffinity(0))
    first, *again = engine.run([whole] * repeats)
    worst = [verdict for verdict in (compared(first, [run]) for run in again) if verdict != "same"]
    alone = engine.run([whole], processors=every[:1])
    halves = engine.run([(program.module(batch // 2, False), program.inputs(start, batch // 2))
                         for start in (0, batch // 2)])
    rows = engine.run([(program.module(1, False), program.inputs(row, 1)) for row in range(batch)])
    given = engine.run([(program.module(batch, True), whole[1])], donate=True)
    cells = [max(worst, default="same"), compared(first, alone), compared(first, halves),
             compared(first, rows), compared(first, given)]
    for inside in (False, True):
        for parts in (2, 4):
            if inside and not program.program.spread:
                cells.append("-")
                continue
            answer, = engine.run([program.spread(parts, inside)])
            cells.append(compared(first, [program.gathered(answer, parts, inside)]))
    return cells


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--hlocts", default=str(ROOT / "build" / "hlocts"))
    parser.add_argument("--backends", default="xla@0.11.2,xla,jaxlib@0.12.0.1,cpu")
    parser.add_argument("--repeats", type=int, default=200)
    arguments = parser.parse_args()
    print(f"{'engine':16} {'program':12} {'batch':>5} "
          + " ".join(f"{name:>11}" for name in COLUMNS), flush=True)
    with tempfile.TemporaryDirectory() as folder:
        programs = [Program(program, pathlib.Path(folder)) for program in PROGRAMS]
        for backend in arguments.backends.split(","):
            for program in programs:
                cells = posture(Engine(arguments.hlocts, backend), program, arguments.repeats)
                print(f"{backend:16} {program.program.name:12} {program.program.batch:5} "
                      + " ".join(f"{cell:>11}" for cell in cells), flush=True)


if __name__ == "__main__":
    main()
