# SPDX-License-Identifier: Apache-2.0
"""Tests that every certificate of the findings holds, and is rejected after a change that makes it
untrue. A certificate made from a verdict holds, or states why nothing is certified."""

import contextlib
import io
import json
import os
import pathlib
import re
import sys
import tempfile
import unittest
from decimal import Decimal, localcontext

sys.dont_write_bytecode = True
try:
    import check
except ModuleNotFoundError as missing:
    raise unittest.SkipTest("python3-numpy and python3-gmpy2: %s" % missing) from missing
import certify
from evaluator import CONE
from finding import record_of, verdict_of, write_files
from sets import FREEDOMS, Inf, Real, Zero, set_text

ROOT = pathlib.Path(__file__).resolve().parents[2]
FINDINGS = pathlib.Path(os.environ.get("HLOCTS_FINDINGS", ROOT / "results" / "findings"))


def certified():
    """Yields the bundles that have a certificate of a value."""
    for path in sorted(FINDINGS.glob("*/finding.textproto")):
        certificate = json.loads(record_of(path.parent, "certificate"))
        if "certificate" not in certificate:
            yield path.parent, certificate


def literal_of(piece):
    """Returns a permitted value as the text of a literal."""
    if isinstance(piece, tuple):
        return "(%s)" % ", ".join(map(literal_of, piece))
    if isinstance(piece, int):
        return str(piece)
    if isinstance(piece, Real):
        with localcontext() as context:
            context.prec = 800
            return str(Decimal(int(piece.lo.numerator)) / Decimal(int(piece.lo.denominator)))
    if isinstance(piece, Zero):
        return "0" if piece.sign > 0 else "-0"
    if isinstance(piece, Inf):
        return "inf" if piece.sign > 0 else "-inf"
    return "nan"  # no certificate is about the payload of a moved NaN


class CertificateTest(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def changed(self, bundle, name, change):
        """Returns the verdict on a copy of the bundle in which one file is changed."""
        copy = pathlib.Path(self.folder.name) / bundle.name
        write_files(bundle, copy)
        text = (copy / name).read_text()
        (copy / name).write_text(change(text))
        self.assertNotEqual((copy / name).read_text(), text, "nothing was changed")
        return check.verdict_of(copy)[0]

    def test_every_bundle_has_one_and_it_is_accepted(self):
        bundles = [p.parent for p in sorted(FINDINGS.glob("*/module.hlo"))]
        self.assertTrue(bundles)
        for bundle in bundles:
            verdict, lines = check.verdict_of(bundle)
            self.assertIn(verdict, (check.ACCEPTED, check.NONE), "%s: %s" % (bundle.name, lines))

    def test_few_wrong_values_are_without(self):
        wrong, without = 0, 0
        for path in FINDINGS.glob("*/finding.textproto"):
            if verdict_of(path.parent)["verdict"] == "fail":
                certificate = json.loads(record_of(path.parent, "certificate"))
                question = certificate.get("reason", "").startswith("question: ")
                wrong += not question
                without += not question and "certificate" in certificate
        self.assertLessEqual(without, wrong * 0.2)

    def test_a_changed_certificate_is_refused(self):
        for bundle, certificate in certified():
            index = certificate["index"]
            outside = [n + 1000 for n in index] or [0]
            changes = {
                "output": [99, -1, "0"],
                "index": [index + [0], "0", outside],
                "kind": ["opinion", ""],
                "clause": ["elementwise_unary.9999", "", "cholesky.1"],
                "sentence": ["", "Anything goes."],
                "allowed": ["[0, 1]"],
            }
            for field, value in ((f, v) for f, values in changes.items() for v in values):
                text = json.dumps({**certificate, field: value})
                verdict = self.changed(bundle, "certificate.json", lambda _: text)
                # A changed position may be that of a correct element, which check.py refuses.
                moved = verdict == check.REFUSED and field in ("output", "index")
                self.assertTrue(moved or verdict == check.BROKEN, (bundle.name, field, value))

    def test_a_legal_value_is_refused(self):
        for bundle, certificate in certified():
            FREEDOMS.clear()
            CONE.clear()
            allowed_sets, actual = check.outputs_of(bundle)
            output, index = certificate["output"], tuple(certificate["index"])
            for piece in allowed_sets[output][index].stored:
                change = lambda text: self.with_value(text, actual, output, index, piece)
                verdict = self.changed(bundle, "actual.txt", change)
                self.assertEqual(verdict, check.REFUSED, (bundle.name, set_text([piece])))

    def with_value(self, text, actual, output, index, piece):
        """Returns the text of actual.txt with one element replaced."""
        lines = text.splitlines()
        shape = actual[output].shape
        line = [n for n, l in enumerate(lines) if not l.startswith("replica")][output]
        literal = re.sub(r"^[^\]]*\](\{[\d,:T()]*\} )? *", "", lines[line])
        words = re.findall(r"-?nan\(0x[0-9a-f]+\)|\([^()]*\)|[^\s{},]+", literal)
        place = 0
        for n, size in zip(index, shape.dims):
            place = place * size + n
        words[place] = literal_of(piece)
        dims = ",".join(map(str, shape.dims))
        lines[line] = "%s[%s] {%s}" % (shape.type, dims, ", ".join(words))
        if not shape.dims:
            lines[line] = "%s[] %s" % (shape.type, words[0])
        return "\n".join(lines) + "\n"

    def test_a_changed_module_is_refused(self):
        for bundle, _ in certified():
            lines = (bundle / "module.hlo").read_text().splitlines(True)
            for n, line in enumerate(lines):
                if " = " in line:
                    text = "".join(lines[:n] + lines[n + 1 :])
                    verdict = self.changed(bundle, "module.hlo", lambda _: text)
                    self.assertEqual(verdict, check.BROKEN, (bundle.name, line))
            root = max(n for n, line in enumerate(lines) if "ROOT" in line)
            opcode = re.search(r"[\])}] ([a-z0-9\-]+)\(", lines[root])[1]
            lines[root] = lines[root].replace(" %s(" % opcode, " un%s(" % opcode)
            verdict = self.changed(bundle, "module.hlo", lambda _: "".join(lines))
            self.assertEqual(verdict, check.BROKEN, bundle.name)

    def test_a_module_for_which_the_value_is_right_is_refused(self):
        repairs = {  # the modules that the engines executed in place of the original
            "xla-maximum-of-clamp-and-its-bound": ("maximum(%c, %low)", "minimum(%c, %high)"),
            "xla-loop-whose-step-passes-the-end": ("constant(1)", "constant(0)"),
        }
        for name, (old, new) in repairs.items():
            if (FINDINGS / name).exists():
                change = lambda text: text.replace(old, new)
                verdict = self.changed(FINDINGS / name, "module.hlo", change)
                self.assertEqual(verdict, check.REFUSED, name)

    def test_command_line(self):
        bundle = next(certified())[0]
        out = io.StringIO()
        with contextlib.redirect_stdout(out):
            self.assertEqual(check.main([str(bundle)]), 0)
            self.assertEqual(check.main(["--all", str(FINDINGS)]), 0)
            self.assertEqual(check.main(["--kinds"]), 0)
            self.assertEqual(check.main([]), 2)
            self.assertEqual(check.main(["--help"]), 0)
            self.assertEqual(check.main([self.folder.name]), 2)
        text = out.getvalue()
        self.assertIn("certificate: holds\nclause    ", text)
        readme = (FINDINGS.parent.parent / "README.md").read_text()
        self.assertIn("`%s`" % re.search(r"^\d+ holds, \d+ none$", text, re.M)[0], readme)
        self.assertIn("%d have no wrong element" % text.count("no element is wrong:"), readme)
        self.assertIn("%d are questions" % text.count(" question: "), readme)


class CertifyTest(unittest.TestCase):
    def made(self, name, change=lambda verdict: None):
        """Returns (exit status, certificate) of certify.py on a copy of a bundle."""
        with tempfile.TemporaryDirectory() as folder:
            bundle = pathlib.Path(folder) / name
            write_files(FINDINGS / name, bundle)
            (bundle / "certificate.json").unlink()
            verdict = verdict_of(bundle)
            change(verdict)
            (bundle / "verdict.json").write_text(json.dumps(verdict))
            with contextlib.redirect_stdout(io.StringIO()):
                status = certify.main([str(bundle)])
            return status, json.loads((bundle / "certificate.json").read_text())

    def test_a_wrong_value(self):
        name = "xla-maximum-of-clamp-and-its-bound"
        status, certificate = self.made(name)
        self.assertEqual(status, 0)
        self.assertEqual(certificate, json.loads(record_of(FINDINGS / name, "certificate")))

    def test_no_wrong_element(self):
        status, certificate = self.made("xla-size-of-a-tuple")
        self.assertEqual(status, 1)
        self.assertIn("crash", certificate["reason"])

    def test_an_element_that_is_right(self):
        def another(verdict):
            verdict["first_failure"]["index"] = [0, 0]

        status, certificate = self.made("xla-bitcast-convert-into-a-layout", another)
        self.assertEqual((status, certificate["reason"]), (1, "check.py allows this value"))

    def test_no_bundle(self):
        with contextlib.redirect_stdout(io.StringIO()):
            self.assertEqual(certify.main([str(FINDINGS / "nothing")]), 2)


if __name__ == "__main__":
    unittest.main()
