#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes a bundle's certificate.json, which check.py then accepts.

    certify.py BUNDLE      what `hlocts replay --certificate BUNDLE` runs

The bundle's verdict names the wrong element and the operation; spec/clauses/of_opcodes.txt names the
clause of the operation. If check.py cannot derive the element, or if no element is wrong, the
certificate is "none" with the reason. An existing certificate is checked and kept.

Exit: 0 the certificate holds, 1 it is "none", 2 there is no bundle, 3 numpy or gmpy2 is missing.
"""

import json
import pathlib
import sys

sys.dont_write_bytecode = True
from clauses import clauses_of, sentence_of
from finding import end_without, record_of, verdict_of

try:
    import check
    from evaluator import CONE
    from sets import Broken, Unsupported
except ModuleNotFoundError as missing:
    end_without(missing)

# Kinds of operations that only move values; they are the last candidates.
MOVES = ("move", "control")


def candidates(blamed):
    """Returns the operations that may decide the element, the blamed one first, with variants."""
    opcode = blamed.partition(":")[0]
    plain = lambda o: o.partition(":")[0]
    rest = [o for o in CONE if plain(o) != opcode]
    rest.sort(key=lambda o: check.OPERATIONS[plain(o)].kind in MOVES)
    return ([blamed] if opcode in map(plain, CONE) else []) + rest


def certificate_for(bundle, verdict):
    """Returns the certificate, or the reason why there is none."""
    failure = verdict.get("first_failure")
    if verdict["verdict"] != "fail" or not failure:
        return "no element is wrong: the verdict is " + verdict["verdict"]
    allowed, actual = check.outputs_of(bundle)
    devices = len(check.literals(bundle, "actual"))
    output = failure["output"] + verdict.get("replica", 0) * (len(allowed) // devices)
    index = failure["index"]
    allowed[output][index].stored  # reading the value computes the cone of instructions
    found = next(iter(actual[output][index].stored))
    for operation in candidates(failure.get("operation", "")):
        if check.innocent(bundle, operation, found):
            continue
        row = check.OPERATIONS[operation.partition(":")[0]]
        for clause in clauses_of(operation):
            if clause.rpartition(".")[0] == row.section:
                values = (output, index, row.kind, clause, sentence_of(clause))
                return dict(zip(check.FIELDS, values))
    return "no clause defines the operations that decide this element"


def made(bundle):
    try:
        return certificate_for(bundle, verdict_of(bundle))
    except RecursionError:
        return "not covered by check.py: the chain of instructions is too long"
    except (Broken, Unsupported) as reason:
        return "not covered by check.py: %s" % reason


def write(bundle, certificate):
    if isinstance(certificate, str):
        certificate = {"certificate": check.NONE, "reason": certificate}
    (bundle / "certificate.json").write_text(json.dumps(certificate, indent=2) + "\n")
    return check.verdict_of(bundle)


def main(arguments):
    sys.setrecursionlimit(20000)
    if len(arguments) != 1 or arguments[0].startswith("-"):
        print(__doc__)
        return 0 if arguments in (["-h"], ["--help"]) else 2
    bundle = pathlib.Path(arguments[0])
    if verdict_of(bundle) is None:
        print("%s: expected a bundle" % bundle)
        return 2
    if record_of(bundle, "certificate"):  # a person may have selected a better clause
        verdict, lines = check.verdict_of(bundle)
        print("\n".join(["certificate (unchanged): " + verdict] + lines))
        return 0 if verdict == check.ACCEPTED else 1
    CONE.clear()
    verdict, lines = write(bundle, made(bundle))
    if verdict not in (check.ACCEPTED, check.NONE):
        why = {
            check.REFUSED: "check.py allows this value",
            check.QUESTION: "question: only a ruling excludes the value",
        }.get(verdict, lines[0])
        verdict, lines = write(bundle, why)
    print("\n".join(["certificate: " + verdict] + lines))
    return 0 if verdict == check.ACCEPTED else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
