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


def clauses_of(operation):
    """The clauses of "add" or "compare:LT", the telling one first."""
    for line in (CLAUSES / "of_opcodes.txt").read_text().splitlines():
        words = line.split()
        if words and words[0] == operation:
            return words[1:]
    return []
