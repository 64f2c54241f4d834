#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests jax_tests.py on a directory with tests that pass, are skipped, fail, hang and crash. Exit
status 77 if pytest is missing."""
import pathlib
import subprocess
import sys
import tempfile

TESTS = """
import os, time, unittest
class T(unittest.TestCase):
    def test_a(self): print("text"); os.write(1, b"more text"); 1 / (os.environ["JAX_PLATFORMS"][0] != "p")
    def test_b(self): self.skipTest("no reason")
    def test_c(self): self.assertEqual(1, 2, "another number")
    def test_d(self): time.sleep(1000)
    def test_e(self): os._exit(3)
    def test_f(self): pass
"""
ROW = "sample_test              |    2    1    3 |    1    1    4    50.00"
WHOLE = "whole files, estimated   |                |                   50.00"
VERDICTS = """
{"verdict": "pass", "reason": ""}
{"verdict": "fail", "reason": "output 0\\nmore"}
"""


def run(folder, *options):
    script = pathlib.Path(__file__).resolve().parent / "jax_tests.py"
    command = [sys.executable, script, folder, f"--out={folder}/out", "--files=sample_test",
               "--timeout=5", *options]
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
        out = run(folder, "--sample=0", "--platforms=p")
        assert ROW in out and WHOLE in out, out
        assert "  failed  p  sample_test::T::test_a  ZeroDivisionError" in out, out
        assert "test_c" not in out, out  # it fails on cpu too
        # A sample is part of every larger one, and an interrupted run is continued.
        log = folder / "out" / "results.jsonl"
        before = log.read_text()
        run(folder, "--sample=3", "--platforms=p")
        assert log.read_text() == before
        # Executions with the checking plugin are counted, and each fail is listed.
        records = folder / "out" / "records" / "sample_test" / "1"
        records.mkdir(parents=True)
        (records / "results.jsonl").write_text(VERDICTS.lstrip())
        out = run(folder, "--sample=0", "--platforms=hlocts_check")
        assert "100.00       2" in out, out
        assert "Executions judged: 1 pass, 1 fail\n  fail  sample_test  output 0\n" in out, out
    return 0


if __name__ == "__main__":
    sys.exit(main())
