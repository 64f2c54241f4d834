#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests what a nightly run says of exchanged engines and of its budget, without the program."""

import os
import pathlib
import sys
import tempfile
import time
import types
import unittest

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from night import steps  # noqa: E402
from night.night import TIME_OVER, Night, file_name  # noqa: E402


class NightTest(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="hlocts-night-")
        self.addCleanup(scratch.cleanup)
        self.out = pathlib.Path(scratch.name)

    def night(self, name, budget=600.0, **options):
        night = Night(types.SimpleNamespace(night=name, out=self.out, budget=budget, hlocts="true", **options))
        self.addCleanup(night.lock.close)
        return night

    def test_another_version_or_file_is_named(self):
        before, now = self.night("1"), self.night("2")
        before.state["identities"] = {"mine": {"version": "cpu, 1, PJRT 0.9", "file": "aaaa"},
                                      "same": {"version": "1", "file": ""}}
        before.save()
        now.state["identities"] = {"mine": {"version": "cpu, 1, PJRT 0.10", "file": "bbbb"},
                                   "same": {"version": "1", "file": ""}, "new": {"version": "1", "file": ""}}
        self.assertEqual(steps.exchanged(now), [], "the other run is not finished")
        (before.folder / "finished").touch()
        self.assertEqual(steps.exchanged(now), ["mine is another engine than on 1: PJRT 0.9 → PJRT 0.10, "
                                                "file aaaa → file bbbb"])

    def test_a_budget_that_is_too_short_names_one_that_suffices(self):
        night = self.night("1")
        night.state |= {"cut": ["a", "b"], "suite seconds": {"a": 100, "b": 100, "c": 100}}
        for engine, done in (("a", 10), ("b", 5)):
            folder = night.folder / "suite" / engine
            folder.mkdir(parents=True)
            (folder / "run.json").touch()
            (folder / "selection.txt").write_text("x\n" * 10)
            (folder / "verdicts.jsonl").write_text("".join(f'{{"case":{i}}}\n' for i in range(done)))
        (note,) = steps.cut_by_the_budget(night)
        self.assertIn("cases without verdict are 5 of b;", note)
        self.assertIn("--budget=14m suffices", note)  # 600 s * (1 + 100 / 300)
        night.state |= {"replayed": {"a": [43, 146], "c": [5, 5]}, "findings seconds": {"a": 86, "c": 14}}
        (note,) = steps.cut_by_the_budget(night)
        self.assertIn("cases without verdict are 5 of b; findings not replayed are 103 of a;", note)
        self.assertIn("--budget=31m suffices", note)  # 600 s * (1 + 206 / 100)

    def test_a_run_begun_with_another_file_or_engine_names_the_ways_out(self):
        plugin = self.out / "p.so"
        plugin.write_text("one")
        engine = f"acme=pjrt:{plugin}"
        night = self.night("2026-12-03", engine=[engine])
        night.state["engines"] = [engine]
        self.assertEqual(steps.begun_with_others(night), "")
        plugin.write_text("two")
        said = [steps.begun_with_others(night)]
        night.options.engine = ["cpu"]
        said.append(steps.begun_with_others(night))
        for message, what in zip(said, (f"another file of {engine}", f"the engines {engine}:")):
            self.assertIn(f"2026-12-03 began with {what}", message)
            self.assertIn("--night=2026-12-03.02", message)
            self.assertIn(f"delete the directory {self.out / '2026-12-03'}, ", message)

    def test_a_bare_name_may_be_a_file(self):
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(self.out)
        (self.out / "p.so").touch()
        for engine, found in (("mine=pjrt:p.so?a=b", f"mine=pjrt:{os.getcwd()}/p.so?a=b"), ("cpu", "cpu"),
                              ("pjrt:q.so", "pjrt:q.so"), ("pjrt:./q.so", f"pjrt:{os.getcwd()}/q.so")):
            self.assertEqual(steps.with_absolute_path(engine), found)

    def test_the_directory_of_an_engine_has_its_label(self):
        for engine, name in (("mine=pjrt:/p.so?a=b", "mine"), ("pjrt:/p.so?mine=b", "pjrt__p.so_mine_b"),
                             ("xla@0.11.2?a=b", "xla@0.11.2_a_b")):
            self.assertEqual(file_name(engine), name)

    def test_known_failures_are_those_of_the_label(self):
        night = self.night("1", expectations={"mine": "f.textproto", "xla": "g.textproto"})
        for engine, option in (("mine=pjrt:/p.so?a=b", ["--expectations=f.textproto"]),
                               ("xla", ["--expectations=g.textproto"]), ("pjrt:/p.so?mine=b", [])):
            self.assertEqual(steps.expected(night, engine), option)

    def test_nothing_with_a_limit_runs_after_the_budget(self):
        night = self.night("1", budget=10.0)
        started = time.monotonic()
        night.options.hlocts = "sleep"
        night.end, night.deadline = started + 0.3, started
        self.assertEqual(night.hlocts("20", limit=100)[0], TIME_OVER)
        self.assertLess(time.monotonic() - started, 10)
        log = self.out / "log"
        night.options.hlocts = os.devnull  # which cannot be started
        self.assertEqual(night.hlocts(limit=100, log=log), (TIME_OVER, ""))
        self.assertTrue(log.exists())


if __name__ == "__main__":
    unittest.main()
