#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads finding.textproto (schema: reports/finding.proto). Uses the standard library only."""

import ast
import json
import pathlib
import re
import shutil
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
FINDINGS = ROOT / "results" / "findings"
SCHEMA = (ROOT / "reports" / "finding.proto").read_text()
REPEATED = ("text", "fixed_with")
FIELDS = re.findall(r"^  (?:repeated )?\w+ (\w+) = \d+;", SCHEMA, re.M)
# Fields that are files in a bundle.
FILES = {"verdict": "verdict.json", "certificate": "certificate.json",
         "inputs": "inputs.txt", "actual": "actual.txt"}  # fmt: skip


class Mistake(Exception):
    """A mistake in a file: its path, the line and the reason."""


def end_without(missing):
    """Ends a program if its Python lacks packages that it needs. --help works without them."""
    if sys.argv[1:] in (["-h"], ["--help"]):
        print(sys.modules["__main__"].__doc__)
        sys.exit(0)
    print(f"{missing}: {sys.executable} needs numpy and gmpy2 (Debian: python3-numpy and "
          "python3-gmpy2; elsewhere: pip install numpy gmpy2)", file=sys.stderr)  # fmt: skip
    sys.exit(3)


def fields_of(path):
    """Returns the message as a dictionary. Each line is `name: value`, where the value is a quoted
    string or `true`. Indented lines below it continue the string."""
    found, number = {name: [] for name in REPEATED}, 1
    for entry in re.split(r"\n(?! )", path.read_text().rstrip("\n")):
        at, number = f"{path}:{number}", number + 1 + entry.count("\n")
        if entry.startswith("#"):
            continue
        match = re.fullmatch(r"""(\w+):((?:\s+(?:".*"|'.*'))+| true)""", entry)
        if match is None or match[1] not in FIELDS:
            raise Mistake(f"{at}: no field of finding.proto: {entry}")
        name, value = match[1], match[2] == " true" or ast.literal_eval(f"({match[2]})")
        if name in REPEATED:
            found[name].append(value)
        elif name in found:
            raise Mistake(f"{at}: {name} appears twice")
        else:
            found[name] = value
    for name in ("title", "engine", "clause", "threads"):
        if not found.get(name):
            raise Mistake(f"{path}: no {name}")
    return found


def record_of(folder, field):
    """Returns the text of a bundle's file, or of a finding's field ("" if it is unset), or None."""
    if (folder / FILES[field]).exists():
        return (folder / FILES[field]).read_text()
    path = folder / "finding.textproto"
    return fields_of(path).get(field, "") if path.exists() else None


def files_of(folder):
    """Returns the fields of a finding as files of a bundle: a dictionary from name to text."""
    texts = ((field, name, record_of(folder, field)) for field, name in FILES.items())
    return {name: text for field, name, text in texts if text or field == "inputs"}


def wanted_text(failure):
    """Returns the permitted values in words, so that no reader takes an interval for an array."""
    return re.sub(r"^\(?\[", r"a value in \g<0>", failure["accepted"])


def write_files(folder, into):
    """Writes a finding as a bundle."""
    into.mkdir(parents=True, exist_ok=True)
    shutil.copy(folder / "module.hlo", into)
    for name, text in files_of(folder).items():
        (into / name).write_text(text)


def verdict_of(folder):
    text = record_of(folder, "verdict")
    return json.loads(text.split("\n")[0]) if text else None
