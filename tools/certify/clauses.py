# SPDX-License-Identifier: Apache-2.0
"""What this tree's register of clauses says."""

import json
import pathlib
import re

CLAUSES = pathlib.Path(__file__).resolve().parents[2] / "spec" / "clauses"


def sentence_of(clause):
    """The sentence of a clause; None where there is no such clause or section."""
    register = CLAUSES / (clause.rpartition(".")[0] + ".textproto")
    text = register.read_text() if register.exists() else ""
    entry = text.partition('id: "%s"\n' % clause)[2].partition("\n}")[0]
    return json.loads((re.findall(r'^  text: (".*")$', entry, re.M) or ["null"])[0])


def rows(path):
    lines = (line.split() for line in path.read_text().splitlines() if not line.startswith("#"))
    return [words for words in lines if words]


def clauses_of(operation):
    """The clauses of "add" or "compare:LT" that say what its value is, the telling one first."""
    own = pathlib.Path(__file__).resolve().parent / "value_clauses.txt"
    told = [c for words in rows(CLAUSES / "of_opcodes.txt") if words[0] == operation for c in words[1:]]
    return told + [words[0] for words in rows(own) if operation in words[1:]]
