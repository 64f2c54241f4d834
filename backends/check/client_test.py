#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""client_test.py HLOCTS CLIENT CHECK REFERENCE: a C client under the checking plugin.

The client must behave as without the plugin, also if the judge crashes or does not start, the disk
is full, the user presses Ctrl-C, or the client forks.
"""

import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import unittest

PROGRAM, CLIENT, CHECK, REFERENCE = (str(pathlib.Path(path).resolve()) for path in sys.argv[1:5])
ROOT = pathlib.Path(__file__).resolve().parents[2]
MODULE = """HloModule c
ENTRY e {
  x = f32[4] parameter(0)
  t = f32[4] tanh(x)
  y = f32[4] add(x, t)
  ROOT r = f32[4] multiply(y, y)
}
"""
ANSWER = "3.10321 8.78546 15.9605 24.9933\n"
JUDGE = [sys.executable, "-m", "hlocts.check", "--judge"]


class ClientTest(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(dir=os.environ.get("TEST_TMPDIR")))
        (self.folder / "c.hlo").write_text(MODULE)
        subprocess.run([PROGRAM, "convert", self.folder / "c.hlo", "--to=pb", "-o",
                        self.folder / "c.pb"], check=True)  # fmt: skip

    def start(self, *, judge, threads=1, runs=3, words="sample=all", wrap=()):
        variables = os.environ | {
            "HLOCTS": PROGRAM,
            "HLOCTS_CHECK": f"plugin={REFERENCE} out={self.folder}/out {words}",
            "HLOCTS_CHECK_JUDGE": "\n".join(judge),
            "PYTHONPATH": str(ROOT / "python" / "src"),
        }
        command = [*wrap, CLIENT, CHECK, self.folder / "c.pb", str(threads), str(runs)]
        return subprocess.Popen(command, env=variables, text=True, start_new_session=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)  # fmt: skip

    def run_client(self, **kwargs):
        process = self.start(**kwargs)
        out, errors = process.communicate(timeout=600)
        self.assertEqual((process.returncode, out), (0, ANSWER), errors)
        return errors

    def counts(self):
        [path] = (self.folder / "out").glob("*/counts.json")
        return json.loads(path.read_text())

    def test_threads_are_judged(self):
        try:
            import numpy  # noqa: F401
        except ImportError:
            self.skipTest("no numpy, which the judge reads records with")
        report = self.run_client(judge=JUDGE, threads=8, runs=2, words="sample=first wait=300")
        self.assertIn("hlocts check: 1 programs, 16 executions, 8 judged: 8 pass", report)

    def test_all_executions_have_no_time_budget(self):
        self.run_client(judge=["cat"], runs=300)
        self.assertEqual(self.counts()["skipped"], {})

    def test_an_exceeded_time_budget_names_its_option(self):
        self.run_client(judge=["cat"], runs=3, words="sample=all budget=0")
        self.assertEqual(self.counts()["skipped"], {"the time budget was exceeded (--budget)": 2})

    def test_a_judge_that_crashes(self):
        self.run_client(judge=["sh", "-c", "kill -SEGV $$"])
        self.assertEqual(self.counts()["executions"], 3)

    def test_a_judge_that_cannot_be_started(self):
        self.assertIn("cannot start the judge", self.run_client(judge=["/nowhere/judge"]))

    def test_a_judge_that_hangs(self):
        start = time.monotonic()
        judge = [sys.executable, "-c", "import time; time.sleep(1000)"]
        errors = self.run_client(judge=judge, words="sample=all wait=0")
        self.assertIn("had to be killed", errors)
        self.assertLess(time.monotonic() - start, 120)

    def test_a_directory_that_cannot_be_written(self):
        (self.folder / "out").write_text("a file")
        self.assertIn("recording ended", self.run_client(judge=["true"]))

    def test_a_full_disk(self):
        # The record is larger than the file size limit, which is in kilobytes.
        limit = ("sh", "-c", 'trap "" XFSZ; ulimit -f 0; exec "$@"', "-")
        self.assertIn("recording ended", self.run_client(judge=["true"], wrap=limit))

    def test_ctrl_c(self):
        process = self.start(judge=["cat"], runs=10**9)
        while not list(self.folder.glob("out/*/spool/*.record")):
            self.assertIsNone(process.poll())
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        process.communicate(timeout=60)
        self.assertEqual(process.returncode, -signal.SIGINT)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1])
