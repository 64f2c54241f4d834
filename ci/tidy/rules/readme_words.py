# SPDX-License-Identifier: Apache-2.0
"""A README says what stays true: no dates, no times of one afternoon, no paths of one machine, no
hosts of package registries. Figures stand in results/, whose pages are dated records: exempt."""

import re
from typing import List

from tidy.finding import Finding
from tidy.tree import Tree

NAME = "readme-words"
CEILING = True
MEASURES = ("readme-words",)

_WORDS = [
    ("date", re.compile(r"\b20[0-9]{2}-[0-9]{2}-[0-9]{2}\b")),
    ("time", re.compile(r"\b[0-9][0-9.,]*\s?(?:ms|µs|us|ns)\b|\b(?:milli|micro|nano)seconds?\b")),
    ("machine-path", re.compile(r"(?<![\w.])/(?:work|home|root|Users|mnt)/")),
    ("registry", re.compile(r"pypi\.org|pythonhosted\.org|deb\.debian\.org|proxy\.golang\.org|"
                            r"registry\.npmjs\.org|crates\.io|\bPyPI\b")),
]

PLANTED = [({"spec/README.md": text}, kind) for kind, text in [
    ("date", "Measured on 2026-01-02.\n"), ("time", "It takes 12.5 ms.\n"),
    ("time", "Some microseconds.\n"), ("machine-path", "See /home/me/x.\n"),
    ("registry", "From pypi.org.\n")]]
CLEAN = {"spec/README.md": "What, why, how to add; 25 MB; plugin at /path/to/plugin.so.\n",
         "CHANGELOG.md": "2026-01-02\n", "results/README.md": "Released 2026-01-02.\n"}


def findings(tree: Tree) -> List[Finding]:
    found = []
    for path in tree.readmes:
        if path.startswith("results/"):
            continue
        for i, line in enumerate(tree.lines(path), 1):
            for kind, pattern in _WORDS:
                found += [Finding(path, i, f"'{word}' ({kind}) does not belong in a README",
                                  "readme-words:" + kind) for word in pattern.findall(line)]
    return found
