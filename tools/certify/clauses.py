# SPDX-License-Identifier: Apache-2.0
"""Reads the clauses of this tree's register and their places in the documents."""

import json
import pathlib
import re

CLAUSES = pathlib.Path(__file__).resolve().parents[2] / "spec" / "clauses"


def entry_of(clause):
    """Returns the fields `name: "value"` of a clause as a dictionary; None if it does not exist."""
    register = CLAUSES / (clause.rpartition(".")[0] + ".textproto")
    text = register.read_text() if register.exists() else ""
    entry = text.partition('id: "%s"\n' % clause)[2].partition("\n}")[0]
    fields = {name: json.loads(value) for name, value in re.findall(r'^  (\w+): (".*")$', entry, re.M)}
    return fields or None


def sentence_of(clause):
    """Returns the sentence of a clause; None if there is no such clause or page."""
    return (entry_of(clause) or {}).get("text")


def holds_number(ranges, number):
    """Returns True if the number is in a list such as `1-2,20-25,45`."""
    ends = [part.split("-") for part in ranges.split(",")]
    return any(int(pair[0]) <= number <= int(pair[-1]) for pair in ends)


def places_of(clause):
    """Returns, for a clause of the edition of September 2025: the anchor of its section, and
    whether its sentence is kept, reworded or gone. Returns None for other clauses."""
    name, _, number = clause.rpartition(".")
    for anchor, *words in rows(CLAUSES / "edition_2025.txt"):
        how = None
        for word in words:
            if word in ("kept", "reworded", "gone"):
                how = word
            elif word.startswith(name + ".") and holds_number(word[len(name) + 1 :], int(number)):
                return anchor, how
    return None


PAGE = "https://openxla.org/xla/operation_semantics"


def source_of(clause):
    """Returns the address of the clause in the documents, and which edition decides, in words."""
    documents, fields = (CLAUSES / "documents.textproto").read_text(), entry_of(clause)
    place = places_of(clause)
    if fields["document"] == "operation-semantics-2025":
        return "%s#%s" % (PAGE, fields["anchor"]), "new in the edition of September 2025"
    if place and place[1] != "gone":
        return "%s#%s" % (PAGE, place[0]), "%s in the edition of September 2025, which decides" % place[1]
    block = documents.partition('id: "%s"\n' % fields["document"])[2]
    address = re.search(r'address: "(.*)"', block)[1]
    edition = re.search(r'edition: "(.*)"', block)[1]
    left_out = "; the edition of September 2025 leaves it out, so that it holds (ruling 0110)"
    known = fields["document"].startswith("operation-semantics")
    return "%s#%s" % (address, fields["anchor"]), edition + (left_out if known else "")


def quotation_of(clause):
    """Returns the words of the documents for the clause, or None."""
    table = pathlib.Path(__file__).resolve().parent / "quotations.txt"
    for line in table.read_text().splitlines():
        if line.startswith(clause + " "):
            return line.partition(" ")[2]
    return None


def unnamed_types(module):
    """Returns the element types in the text of a module that no document of HLO names."""
    return sorted(set(re.findall(r"\b([su][124]|f4e2m1fn|f8e\w+)\[", module)))


def rows(path):
    lines = (line.split() for line in path.read_text().splitlines() if not line.startswith("#"))
    return [words for words in lines if words]


def clauses_of(operation):
    """Returns the clauses about the value of "add" or "compare:LT", the most specific first."""
    own = pathlib.Path(__file__).resolve().parent / "value_clauses.txt"
    listed = [c for words in rows(CLAUSES / "of_opcodes.txt") if words[0] == operation for c in words[1:]]
    return listed + [words[0] for words in rows(own) if operation in words[1:]]
