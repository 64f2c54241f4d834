#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests jax_tests.py on a directory of tests that pass, are skipped, fail, hang and end their
process. Exit status 77 without pytest."""
import pathlib
import subprocess
import sys
import tempfile

TESTS = """
import os, time, unittest
class T(unittest.TestCase):
    def test_a(self): print("text"); os.write(1, b"more text")
    def test_b(self): self.skipTest("no reason")
    def test_c(self): self.assertEqual(1, 2, "another number")
    def test_d(self): time.sleep(1000)
    def test_e(self): os._exit(3)
    def test_f(self): pass
"""
ROW = "sample_test                       2        1        1        1        1"


def run(folder, *options):
    script = pathlib.Path(__file__).resolve().parent / "jax_tests.py"
    command = [sys.executable, script, folder, "--files=sample_test", "--timeout=5",
               "--platform=cpu", *options]
    return subprocess.run(command, text=True, capture_output=True, check=True).stdout


def main():
    try:
        import pytest  # noqa: F401
    except ImportError:
        print("skipped: no pytest")
        return 77
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        (folder / "sample_test.py").write_text(TESTS)
        out = run(folder, f"--out={folder}/there", "--sample=0")
        assert ROW in out, out
        (folder / "sample_test.py").write_text(TESTS.replace("print(", "1/0; print("))
        out = run(folder, f"--out={folder}/here", "--sample=0", f"--baseline={folder}/there")
        assert "1 of 2 (50.00 %)" in out, out
        assert "  failed  sample_test::T::test_a  ZeroDivisionError" in out, out
        # A sample is part of a larger one, and an interrupted run continues.
        log = folder / "here" / "results.jsonl"
        before = log.read_text()
        run(folder, f"--out={folder}/here", "--sample=3")
        assert log.read_text() == before
    return 0


if __name__ == "__main__":
    sys.exit(main())
