#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A certificate that is made from a verdict is accepted; where there can be none it says why."""

import contextlib
import io
import json
import pathlib
import shutil
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
import certify

HERE = pathlib.Path(__file__).resolve().parent


class CertifyTest(unittest.TestCase):
    def made(self, name, change=lambda verdict: None):
        """(exit status, certificate) of a copy of a bundle."""
        with tempfile.TemporaryDirectory() as folder:
            bundle = pathlib.Path(folder) / name
            shutil.copytree(HERE / name, bundle)
            (bundle / "certificate.json").unlink()
            verdict = json.loads((bundle / "verdict.json").read_text())
            change(verdict)
            (bundle / "verdict.json").write_text(json.dumps(verdict))
            with contextlib.redirect_stdout(io.StringIO()):
                status = certify.main([str(bundle)])
            return status, json.loads((bundle / "certificate.json").read_text())

    def test_a_wrong_value(self):
        name = "xla-maximum-of-clamp-and-its-bound"
        status, certificate = self.made(name)
        self.assertEqual(status, 0)
        self.assertEqual(certificate, json.loads((HERE / name / "certificate.json").read_text()))

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
            self.assertEqual(certify.main([str(HERE / "nothing")]), 2)


if __name__ == "__main__":
    unittest.main()
