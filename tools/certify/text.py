# SPDX-License-Identifier: Apache-2.0
"""Parses the part of HLO text and literals files that bundles use: one instruction per line."""

import functools
import math
import re
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from fractions import Fraction

from gmpy2 import mpq

from formats import COMPLEX, FORMATS, fits, is_float, is_integer, store_once
from sets import Broken, Inf, Nan, Zero, point


@dataclass(frozen=True)
class Shape:
    type: str
    dims: tuple


@dataclass
class Instruction:
    name: str
    shape: object  # a Shape, or a tuple of shapes
    opcode: str
    operands: list
    argument: str  # the text in the parentheses
    attributes: dict = field(default_factory=dict)

    def integers(self, key, default=None):
        """Returns the integers of the attribute, e.g. of {1,2,3}."""
        if key not in self.attributes and default is not None:
            return default
        return tuple(int(n) for n in re.findall(r"-?\d+", self.attribute(key)))

    def attribute(self, key):
        if key not in self.attributes:
            raise Broken("%s: no attribute %s" % (self.name, key))
        return self.attributes[key]


@dataclass
class Computation:
    name: str
    instructions: list
    root: str
    signature: int = None  # the number of parameters in the header

    def parameters(self):
        found = {int(i.argument): i for i in self.instructions if i.opcode == "parameter"}
        if sorted(found) != list(range(len(found))):
            raise Broken("%s: parameters are not numbered from 0" % self.name)
        return [found[n] for n in sorted(found)]


@dataclass
class Module:
    computations: dict
    entry: Computation


def scan(text):
    """Yields each character, the number of brackets open after it, and True inside a string."""
    depth, quoted = 0, False
    for c in text:
        quoted ^= c == '"'
        if not quoted:
            depth += (c in "([{") - (c in ")]}")
        yield c, depth, quoted


def split(text):
    """Splits a text at the commas that are outside of brackets and strings."""
    cuts = [n for n, (c, depth, quoted) in enumerate(scan(text)) if (c, depth, quoted) == OUTER]
    parts = [text[a + 1 : b].strip() for a, b in zip([-1] + cuts, cuts + [len(text)])]
    return [part for part in parts if part]


OUTER = (",", 0, False)


def closing(text, start):
    """Returns the position of the bracket that closes the bracket at `start`."""
    for n, (_, depth, _) in enumerate(scan(text[start:]), start):
        if depth == 0:
            return n
    raise Broken("a bracket is not closed: " + text[start : start + 40])


def parse_shape(text):
    """Parses the shape at the beginning of a text. Returns it and the rest of the text."""
    if text.startswith("("):
        end = closing(text, 0)
        return tuple(parse_shape(p)[0] for p in split(text[1:end])), text[end + 1 :]
    match = re.match(r"([a-z][a-z0-9]*)\[([\d,]*)\](\{[^{}]*\})?", text)
    if not match or not (is_float(match[1]) or is_integer(match[1]) or match[1] in COMPLEX):
        raise Broken("no shape that this program reads: " + text[:40])
    dims = tuple(int(d) for d in match[2].split(",") if d)
    return Shape(match[1], dims), text[match.end() :]


def parse_instruction(line):
    match = re.match(r"(ROOT )?%?([\w.\-]+) = ", line)
    if not match:
        raise Broken("no instruction: " + line[:60])
    shape, rest = parse_shape(line[match.end() :])
    opcode = re.match(r"\s*([a-z\-0-9]+)\(", rest)
    if not opcode:
        raise Broken("no opcode: " + rest[:40])
    start = opcode.end() - 1
    end = closing(rest, start)
    argument = rest[start + 1 : end].strip()
    operands = []
    if opcode[1] not in ("constant", "parameter", "iota"):
        operands = [p.split()[-1].lstrip("%") for p in split(argument)]
    attributes = dict(p.split("=", 1) for p in split(rest[end + 1 :]) if "=" in p)
    return bool(match[1]), Instruction(match[2], shape, opcode[1], operands, argument, attributes)


def parse_module(text):
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    computations, entry, current = {}, None, None
    for line in filter(None, (line.strip() for line in text.splitlines())):
        if line.startswith("HloModule") or line.startswith("//"):
            continue
        header = re.match(r"(ENTRY )?%?([\w.\-]+) (\(.*)?\{$", line)
        if line == "}":
            if current is None or current.root is None:
                raise Broken("a computation without ROOT")
            current = None
        elif current is None and header:
            current = Computation(header[2], [], None)
            if header[3]:
                current.signature = len(split(header[3][1 : closing(header[3], 0)]))
            computations[header[2]] = current
            entry = current if header[1] else entry
        elif current is not None:
            is_root, instruction = parse_instruction(line)
            current.instructions.append(instruction)
            if is_root:
                current.root = instruction.name
        else:
            raise Broken("not read: " + line[:60])
    if current is not None or entry is None:
        raise Broken("no ENTRY computation, or one without an end")
    for computation in computations.values():
        check_names(computation)
    return Module(computations, entry)


def check_names(computation):
    """Checks that instructions use earlier values, and that the header matches the parameters."""
    known = set()
    for instruction in computation.instructions:
        missing = set(instruction.operands) - known
        if missing:
            raise Broken("%s: no value %s before it" % (instruction.name, min(missing)))
        known.add(instruction.name)
    if computation.signature not in (None, len(computation.parameters())):
        raise Broken("%s: the header has other parameters" % computation.name)


@functools.lru_cache(maxsize=4096)
def parse_float(type_name, text):
    form = FORMATS[type_name]
    sign = -1 if text.startswith("-") else 1
    word = text.lstrip("+-")
    if word.startswith("nan"):
        payload = re.fullmatch(r"nan\((0x[0-9a-f]+)\)", word)
        if word != "nan" and not payload:
            raise Broken("no number: " + text)
        return Nan(form.nan_bits(sign, int(payload[1], 16) if payload else None))
    if word == "inf":
        return Inf(sign)
    try:
        value = mpq(Fraction(Decimal(word)))
    except InvalidOperation as error:
        raise Broken("no number: " + text) from error
    if value == 0:
        return Zero(sign)
    stored = store_once(form, [point(sign * value)], flush=False)
    return next(iter(stored))


def parse_element(type_name, text):
    if is_float(type_name):
        return parse_float(type_name, text)
    if type_name == "pred" and text in ("true", "false"):
        return int(text == "true")
    if not re.fullmatch(r"-?\d+", text) or not fits(type_name, int(text)):
        raise Broken("no value of %s: %s" % (type_name, text))
    return int(text)


def parse_elements(shape, text):
    """Returns the elements of a literal in row-major order; complex elements as pairs."""
    if shape.type in COMPLEX:
        pairs = re.findall(r"\(\s*([^,()]+)\s*,\s*([^,()]+)\s*\)", text)
        part = COMPLEX[shape.type]
        elements = [tuple(parse_float(part, word.strip()) for word in pair) for pair in pairs]
    else:
        words = re.findall(r"-?nan\(0x[0-9a-f]+\)|[^\s{},]+", text)
        elements = [parse_element(shape.type, word) for word in words]
    if len(elements) != math.prod(shape.dims):
        raise Broken("%d elements of a literal of dimensions %s" % (len(elements), shape.dims))
    return elements


def parse_devices(text):
    """Returns the leaves of each device from a literals file, which may have blocks of devices."""
    blocks = re.split(r"(?m)^replica \d+$", text)
    return [parse_literals(block) for block in (blocks[1:] or blocks)]


def parse_literals(text):
    """Returns the leaves of a literals file as pairs (shape, elements)."""
    leaves = []
    for line in text.splitlines():
        line = line.split("#")[0].strip()
        if line:
            shape, rest = parse_shape(line)
            leaves.append((shape, parse_elements(shape, rest)))
    return leaves
