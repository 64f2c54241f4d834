#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Reads finding.textproto, whose fields are in reports/finding.proto. Standard library only."""

import ast
import json
import pathlib
import re
import sys

ROOT = pathlib.Path(__file__).resolve().parents[2]
FINDINGS = ROOT / "results" / "findings"
SCHEMA = (ROOT / "reports" / "finding.proto").read_text()
REPEATED = ("text", "fixed_with")
FIELDS = re.findall(r"^  (?:repeated )?\w+ (\w+) = \d+;", SCHEMA, re.M)


class Mistake(Exception):
    """A file with an error: its path, the line and the reason."""


def end_without(missing):
    """Ends a program that is run by a Python without the packages that it needs."""
    print(f"{missing}: {sys.executable} needs numpy and gmpy2 (Debian: python3-numpy and "
          "python3-gmpy2; elsewhere: pip install numpy gmpy2)", file=sys.stderr)  # fmt: skip
    sys.exit(3)


def fields_of(path):
    """Returns the message as a dictionary. Lines are `name: value`, a quoted string or true."""
    found = {name: [] for name in REPEATED}
    for number, line in enumerate(path.read_text().splitlines(), 1):
        if line.startswith("#"):
            continue
        match = re.fullmatch(r"""(\w+): (".*"|'.*'|true)""", line)
        if match is None or match[1] not in FIELDS:
            raise Mistake(f"{path}:{number}: no field of finding.proto: {line}")
        name, value = match[1], True if match[2] == "true" else ast.literal_eval(match[2])
        if name in REPEATED:
            found[name].append(value)
        elif name in found:
            raise Mistake(f"{path}:{number}: {name} appears twice")
        else:
            found[name] = value
    for name in ("title", "engine", "clause", "threads"):
        if not found.get(name):
            raise Mistake(f"{path}: no {name}")
    return found


def certificate_of(folder):
    """Returns the text of a bundle's certificate.json, or of a finding's field, or None."""
    if (folder / "certificate.json").exists():
        return (folder / "certificate.json").read_text()
    path = folder / "finding.textproto"
    return fields_of(path).get("certificate") if path.exists() else None


def verdict_of(folder):
    """Returns the recorded verdict of a bundle (verdict.json) or of a finding, or None."""
    if (folder / "verdict.json").exists():
        return json.loads((folder / "verdict.json").read_text().split("\n")[0])
    if not (folder / "finding.textproto").exists():
        return None
    return json.loads(fields_of(folder / "finding.textproto").get("verdict", "null"))
