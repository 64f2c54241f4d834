#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Checks a finding's certificate: the engine's value is outside of the set that HLO allows.

    check.py BUNDLE          one certificate: clause, sentence, allowed set, the engine's value
    check.py --all DIR       every bundle of a folder, as a table
    check.py --kinds         the kinds of derivation, and the operations of each

A bundle contains module.hlo, inputs.txt, actual.txt and certificate.json; the last three may be fields of
finding.textproto. A certificate names one element of one output, the clause that the engine breaks, and
the kind of the operation in the clause. From the module and the inputs, this program derives in exact
rational arithmetic the set of values that the documents allow for this element. Every choice of a compiler
is allowed, and is named if it matters. If a ruling of this project decides a point that the documents leave
open, the program names the ruling and derives the element again with all such points open. If the value
is then allowed, the finding is a question about the documents and no defect. The program uses numpy for
arrays and gmpy2 (GMP and MPFR) for rationals and functions, and no code of the suite's evaluator or of an
engine. A certificate is {"certificate": "none", "reason": ...} if no element is wrong (a crash, a
rejection), if the documents leave the point open, or if this program cannot derive the element.

Exit: 0 `certificate: holds`, the value is outside of the set; 1 `refused`, it is inside, or `question`,
only a ruling excludes it; 2 no certificate, or an invalid one; 3 numpy or gmpy2 is missing.
"""

import json
import pathlib
import re
import sys

sys.dont_write_bytecode = True
import finding
from clauses import clauses_of, sentence_of, unnamed_types

try:
    import arrays  # each import registers operations
    import control
    import indexing
    import windows
    from evaluator import CONE, OPERATIONS, Evaluator, leaves, of_elements, variant_of
    from sets import FREEDOMS, OPEN, READINGS, Broken, Unsupported, Zero, holds, set_text, text_of
    from text import parse_devices, parse_module
except ModuleNotFoundError as missing:
    if __name__ != "__main__":
        raise
    finding.end_without(missing)

ACCEPTED, REFUSED, QUESTION, BROKEN, NONE = "holds", "refused", "question", "broken", "none"
FIELDS = ("output", "index", "kind", "clause", "sentence")


def literals(bundle, field):
    """Returns the inputs or the actual outputs as literals, by device."""
    text = finding.record_of(bundle, field)
    if text is None:
        raise Broken("the bundle has no %s" % finding.FILES[field])
    return parse_devices(text)


def certificate_of(bundle):
    text = finding.record_of(bundle, "certificate")
    if not text:
        raise Broken("the bundle has no certificate")
    try:
        certificate = json.loads(text)
    except json.JSONDecodeError as error:
        raise Broken("certificate: %s" % error) from error
    if not isinstance(certificate, dict):
        raise Broken("certificate: expected a JSON object")
    if certificate.get("certificate") == NONE:
        if not certificate.get("reason") or len(certificate) != 2:
            raise Broken("certificate \"none\": expected a reason as its only other field")
    elif sorted(certificate) != sorted(FIELDS):
        given = ", ".join(sorted(certificate))
        raise Broken("certificate: expected the fields %s, found %s" % (", ".join(FIELDS), given))
    return certificate


def check_clause(certificate):
    """Checks that the certificate quotes the sentence of its clause."""
    text = sentence_of(certificate["clause"])
    if not text or text != certificate["sentence"]:
        raise Broken("clause %s: expected the sentence: %s" % (certificate["clause"], text))


def check_subject(bundle, certificate, found):
    """Checks that the clause defines the value of an operation of this kind in the cone, which does
    not only move the values of a wrong operation."""
    kind, clause = certificate["kind"], certificate["clause"]
    for operation in list(CONE):
        if row_of(operation).kind == kind and clause in clauses_of(operation):
            if not innocent(bundle, operation, found):
                return
            raise Broken("clause %s is about %s, which only moves values" % (clause, operation))
    raise Broken("clause %s does not define the operation of kind %s that decides this element" % (clause, kind))


def row_of(operation):
    return OPERATIONS[operation.partition(":")[0]]


def moves(operation):
    """Returns True if the operation returns elements of its operands."""
    if operation == "scatter":
        return False
    return operation == "select" or row_of(operation).kind in ("move", "indexing")


def innocent(bundle, operation, found):
    """Returns True if the operation moves the results of operations that compute, none of which
    computes with its result, and the engine's value is in no element of its operands."""
    if not moves(operation):
        return False
    computing = {name for name in CONE if not moves(name) and row_of(name).kind != "control"}
    run, _, _ = evaluated(bundle)
    before, after = {}, {run.module.entry.root: False}  # instruction -> True if one of them computes
    for i in run.module.entry.instructions:
        below = i.opcode in OPERATIONS and variant_of(i) in computing
        before[i.name] = below or any(before[name] for name in i.operands)
    suspects = []
    for i in reversed(run.module.entry.instructions):
        if i.name not in after:
            continue
        own = i.opcode in OPERATIONS and variant_of(i)
        for name in i.operands:
            after[name] = after.get(name, False) or after[i.name] or own in computing
        if own == operation:
            suspects.append(not after[i.name] and before[i.name] and not reads(run, i, found))
    return bool(suspects) and all(suspects)


def reads(run, i, found):
    """Returns True if an element of an operand may have the value."""
    for known in run.known[run.module.entry.name]:
        for leaf in (leaf for name in i.operands for leaf in leaves(known[name])):
            for cell in leaf.cells.flat:
                try:
                    if holds(cell.value.stored, found):
                        return True
                except Unsupported:
                    return True
    return False


def element_of(bundle, output, index):
    """Returns the set of the element, and the engine's value."""
    for noted in (FREEDOMS, READINGS, CONE):
        noted.clear()
    allowed, actual = outputs_of(bundle)
    if not isinstance(output, int) or not 0 <= output < len(allowed) or not isinstance(index, list):
        raise Broken("output and index: expected an element of one of %d outputs" % len(allowed))
    try:
        return allowed[output][index].stored, next(iter(actual[output][index].stored))
    except RecursionError as error:
        raise Unsupported("the chain of instructions is too long") from error


def left_open(bundle, output, index):
    """Returns the set that the documents alone allow, with all open points left open; None if it
    cannot be computed."""
    OPEN[0] = True
    try:
        return element_of(bundle, output, index)[0]
    except (Unsupported, Broken):
        return None
    finally:
        OPEN[0] = False


def outputs_of(bundle):
    """Returns the leaves of the results as sets, device by device, and the engine's values."""
    return evaluated(bundle)[1:]


def evaluated(bundle):
    """Returns the evaluator after its run, and the two values of outputs_of."""
    module = parse_module((bundle / "module.hlo").read_text())
    returned, given = literals(bundle, "actual"), literals(bundle, "inputs")
    arguments = []
    for inputs in given if len(given) > 1 else given * len(returned):  # one set for all devices
        rest = iter(inputs)
        arguments.append([arguments_of(p.shape, rest) for p in module.entry.parameters()])
        if next(rest, None) is not None:
            raise Broken("the bundle has more inputs than the module has parameters")
    run = Evaluator(module)
    results = run.run_devices(module.entry, arguments)
    allowed = [leaf for result in results for leaf in leaves(result)]
    actual = [leaf for of_device in returned for leaf in of_device]
    if [leaf.shape for leaf in allowed] != [shape for shape, _ in actual]:
        raise Broken("the shapes of the actual outputs are not those of the module")
    return run, allowed, [of_elements(*leaf) for leaf in actual]


def arguments_of(shape, inputs):
    if isinstance(shape, tuple):
        return tuple(arguments_of(part, inputs) for part in shape)
    given, elements = next(inputs, (None, None))
    if given != shape:
        raise Broken("an input and its parameter differ in shape")
    return of_elements(given, elements)


def of_module(text, values, found):
    """Returns the rulings on which the text of a module rests."""
    rulings = {"%s, a type that no document names (ruling 0099)" % name for name in unnamed_types(text)}
    if re.search(r"\bsharding=", text):
        rulings.add("a sharding is a placement and changes no value (ruling 0120)")
        if isinstance(found, Zero) and Zero(-found.sign) in values:
            rulings.add("resharding keeps the sign of a zero (ruling 0125)")
    return rulings


def check(bundle):
    """Returns (verdict, text to print)."""
    certificate = certificate_of(bundle)
    if certificate.get("certificate") == NONE:
        return NONE, [certificate["reason"]]
    check_clause(certificate)
    if certificate["kind"] not in {row.kind for row in OPERATIONS.values()}:
        raise Broken("no operation has the kind %s" % certificate["kind"])
    output, index = certificate["output"], certificate["index"]
    without_rulings = left_open(bundle, output, index)
    values, found = element_of(bundle, output, index)
    freedoms, cone = sorted(FREEDOMS), dict(CONE)
    rests = sorted(READINGS | of_module((bundle / "module.hlo").read_text(), values, found))
    if not holds(values, found):
        check_subject(bundle, certificate, found)
    cone = ", ".join("%s (%d)" % pair for pair in sorted(cone.items()))
    lines = [
        "clause    %s: %s" % (certificate["clause"], certificate["sentence"]),
        "element   output %d at %s, of %s" % (output, index, cone),
        "freedoms  %s" % ("; ".join(freedoms) or "none is used"),
        "rests on  %s" % ("; ".join(rests) or "the documents alone"),
        "open      %s" % (set_text(without_rulings) if without_rulings else "not followed here"),
        "allowed   %s" % set_text(values),
        "engine    %s" % text_of(found),
    ]
    if holds(values, found):
        return REFUSED, lines
    return (QUESTION if without_rulings and holds(without_rulings, found) else ACCEPTED), lines


def verdict_of(bundle):
    try:
        return check(bundle)
    except (Broken, IndexError, ValueError) as reason:  # numpy raises IndexError and ValueError
        return BROKEN, [str(reason)]
    except Unsupported as reason:
        return BROKEN, ["not covered: %s" % reason]


def kinds():
    rows = {}
    for opcode, row in OPERATIONS.items():
        rows.setdefault(row.kind, []).append(opcode)
    return ["%-11s%s" % (kind, ", ".join(sorted(rows[kind]))) for kind in sorted(rows)]


def check_all(folder):
    bundles = [p.parent for p in sorted(folder.glob("*/module.hlo"))]
    bundles = [bundle for bundle in bundles if finding.record_of(bundle, "certificate")]
    if not bundles:
        print("no bundle with a certificate in", folder)
        return 2
    counts = {}
    for bundle in bundles:
        verdict, lines = verdict_of(bundle)
        counts[verdict] = counts.get(verdict, 0) + 1
        fact = lines[0] if len(lines) == 1 else "%s; %s" % (lines[-2].split(None, 1)[1], lines[-1])
        print("%-9s %-46s %s" % (verdict, bundle.name, fact))
    order = (ACCEPTED, REFUSED, QUESTION, BROKEN, NONE)
    print(", ".join("%d %s" % (counts[v], v) for v in order if v in counts))
    return 2 if BROKEN in counts else 1 if REFUSED in counts or QUESTION in counts else 0


def main(arguments):
    sys.setrecursionlimit(20000)
    if arguments == ["--kinds"]:
        print("\n".join(kinds()))
        return 0
    if len(arguments) == 2 and arguments[0] == "--all":
        return check_all(pathlib.Path(arguments[1]))
    if len(arguments) != 1 or arguments[0].startswith("-"):
        print(__doc__)
        return 0 if arguments in (["-h"], ["--help"]) else 2
    verdict, lines = verdict_of(pathlib.Path(arguments[0]))
    print("\n".join(["certificate: " + verdict] + lines))
    return {ACCEPTED: 0, REFUSED: 1, QUESTION: 1}.get(verdict, 2)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
