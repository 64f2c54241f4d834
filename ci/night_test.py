#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Tests which steps of a nightly run are done, and its messages about engines and budget, with a
replacement for the program."""

import contextlib
import io
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import time
import types
import unittest.mock

sys.dont_write_bytecode = True
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
from night import steps  # noqa: E402
from night import night as module  # noqa: E402
from night.night import TIME_OVER, Night, file_name  # noqa: E402

# Replaces the program: adds $VERDICTS verdicts to the run of four cases in --out, then evaluates
# $THEN. Continues a run only if its request was $REQUEST.
PROGRAM = """#!/bin/bash
for word; do case $word in --out=*) out=${word#--out=} ;; esac; done
mkdir -p $out
if [ -e $out/request ] && [ $(cat $out/request) != $REQUEST ]; then exit 2; fi
echo $REQUEST >$out/request
printf '%s\\n' 1 2 3 4 >$out/selection.txt
echo '{}' >$out/run.json
for ((i = 0; i < VERDICTS; ++i)); do
  echo "{\\"case\\":$(cat $out/verdicts.jsonl 2>/dev/null | wc -l)}" >>$out/verdicts.jsonl
done
touch $out/verdicts.jsonl
[ $(wc -l <$out/verdicts.jsonl) -lt 4 ] || echo '{"finished":"now"}' >$out/run.json
eval "$THEN"
"""


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
        (before.folder / "night.json").write_text('{"dead": []}')
        now.state["identities"] = {"mine": {"version": "cpu, 1, PJRT 0.10", "file": "bbbb"},
                                   "same": {"version": "1", "file": ""}, "new": {"version": "1", "file": ""}}
        self.assertEqual(steps.exchanged(now), [], "the program compares with no run")
        now.state["since"] = "1"
        self.assertEqual(steps.exchanged(now), ["mine has changed since run 1: PJRT 0.9 → PJRT 0.10, "
                                                "file aaaa → file bbbb"])
        before.state["identities"]["same"]["list"] = "aaaa"
        before.save()
        now.state["identities"] = {"same": {"version": "1", "file": "", "list": "bbbb"}}
        self.assertEqual(steps.exchanged(now), ["the list of known failures of same has changed since run 1"])
        now.state["identities"] = dict.fromkeys(("mine?a=b", "same", "same?c=d"), {"version": "1", "file": "", "list": "aaaa"})
        self.assertEqual([note.split(";")[0] for note in steps.exchanged(now)],
                         ["mine had other options in run 1: none → a=b"], "same is still there")

    def test_an_engine_is_compared_with_its_last_verdicts(self):
        for name, engine, version, dead in (("1", "mine", "A", []), ("2", "mine", "B", ["mine"]), ("3", "mine?a=b", "A", []),
                                            ("4", "", "", ["mine"]), ("5", "mine", "C", [])):
            night = self.night(name)
            night.state |= {"identities": {engine: {"version": version, "file": ""}} if engine else {}, "since": "4"}
            night.save()
            (night.folder / "night.json").write_text(json.dumps({"dead": dead}))
        self.assertEqual(steps.exchanged(night), ["mine had other options in run 3: a=b → none; it is compared with run 1",
                                                  "mine has changed since run 1: A → C"])

    def test_a_slow_engine_leaves_the_others_their_shares(self):
        night = self.night("1", budget=100.0)
        for part, left, engine, limit in (("suite", 90, 0, 56.25), ("findings", 0, 0, 1.25), ("findings", 40, 3, 40)):
            night.end, night.deadline = time.monotonic() + left + 10, time.monotonic() + left
            self.assertAlmostEqual(steps.fair(night, part, engine, range(4), 60), limit, 1)
        with unittest.mock.patch.object(steps, "run_suite", lambda *arguments: arguments[-1]):
            for engine, limit in (("a", 20), ("b", 40)):
                self.assertAlmostEqual(steps.rest_of_suite(night, engine, ["a", "b"]), limit, 1, "verdicts precede findings")

    def test_a_budget_that_is_too_short_names_one_that_suffices(self):
        night = self.night("1")
        night.state |= {"tier": "smoke", "engines": ["a", "b", "c"], "cut": ["b"],
                        "suite seconds": {"a": 100, "b": 100, "c": 100}}
        for engine, done in (("a", 10), ("b", 5), ("c", 10)):
            folder = night.folder / "suite" / engine
            folder.mkdir(parents=True)
            (folder / "run.json").touch()
            (folder / "selection.txt").write_text("x\n" * 10)
            (folder / "verdicts.jsonl").write_text("".join(f'{{"case":{i}}}\n' for i in range(done)))
        (note,) = steps.cut_by_the_budget(night)
        self.assertIn("b was cut after 5 of 10 cases;", note)
        self.assertIn("; about --tier=smoke --budget=13m is needed", note)  # 1.25 * the budget, more than 400 s need
        night.state |= {"replayed": {"a": [43, 146], "c": [5, 5]}, "findings seconds": {"a": 86, "c": 14}}
        (note,) = steps.cut_by_the_budget(night)
        self.assertIn("b was cut after 5 of 10 cases; 103 findings not replayed on a;", note)
        self.assertIn("about --tier=smoke --budget=22m is needed", note)  # 1.25 * 706 s and campaigns
        night.state["replayed"]["c"] = [0, 5]
        (note,) = steps.cut_by_the_budget(night)
        self.assertIn("; the time of findings on c is not known yet; without these, about --tier=smoke --budget=22m", note)
        earlier = self.night("0")
        earlier.state |= {"tier": "smoke", "replayed": {"c": [5, 5]}, "findings seconds": {"c": 140}}
        earlier.save()
        (note,) = steps.cut_by_the_budget(night)
        self.assertIn("; about --tier=smoke --budget=25m is needed", note)  # 1.25 * 832 s and campaigns
        earlier.state["replayed"]["a"], earlier.state["findings seconds"]["a"] = [146, 146], 146
        earlier.save()
        (note,) = steps.cut_by_the_budget(night)
        self.assertIn("; about --tier=smoke --budget=20m is needed", note)  # 1.25 * 686 s and campaigns

    def test_an_estimated_budget_is_the_least_that_suffices(self):
        night = self.night("1", budget=240.0)
        for suites, findings, least in (((3, 117), (6, 63), 5), ((2, 94), (11, 37), 3), ((0, 0), (0, 0), 1)):
            seconds = {"suite": dict(zip("ab", suites)), "findings": dict(zip("ab", findings))}
            said = [steps.suffices(60 * minutes, seconds) for minutes in range(1, 9)]
            self.assertEqual(said, [minutes >= least for minutes in range(1, 9)])

    def test_the_rate_is_the_median_of_complete_runs(self):
        for name, took, done in (("1", 100, 10), ("2", 400, 10), ("3", 120, 10), ("4", 900, 9)):
            night = self.night(name)
            night.state |= {"tier": "smoke", "replayed": {"a": [done, 10]}, "findings seconds": {"a": took}}
            night.save()
        self.assertEqual(steps.rates(night, "findings"), {"a": 12.0})

    def test_without_known_times_no_budget_is_named(self):
        night = self.night("1", budget=30.0)
        night.state |= {"tier": "smoke", "engines": ["a", "b"], "cut": ["b"], "suite seconds": {"a": 2, "b": 20},
                        "replayed": {"a": [0, 5], "b": [0, 5]}}
        for engine, done in (("a", 100), ("b", 3)):
            folder = night.folder / "suite" / engine
            folder.mkdir(parents=True)
            (folder / "selection.txt").write_text("x\n" * 100)
            (folder / "verdicts.jsonl").write_text("".join(f'{{"case":{i}}}\n' for i in range(done)))
        (note,) = steps.cut_by_the_budget(night)
        self.assertTrue(note.endswith("; the time of cases on b and findings on a, b is not known yet, so the needed budget is not known"), note)

    def test_a_run_ends_in_time_for_its_report(self):
        for budget, last in ((30.0, 8), (9.0, 3), (600.0, 60)):
            night = self.night(str(budget), budget=budget)
            self.assertAlmostEqual(night.left(), budget - last, 1)

    def test_replays_begin_with_what_waited_longest(self):
        bundles = sorted(str(path.parent.relative_to(module.ROOT)) for path in steps.RECORDED.glob("*/finding.textproto"))
        for name, replayed in (("1", bundles[:3]), ("2", bundles[1:2])):
            log = self.out / name / "findings/mine/history.jsonl"
            log.parent.mkdir(parents=True)
            log.write_text("".join(json.dumps({"module": one}) + "\n" for one in replayed))
        night, asked = self.night("3"), []
        night.state["families"] = []
        night.hlocts = lambda *words, **_: (asked.extend(one for one in words if one in bundles), (None, ""))[1]
        steps.replay(night, "mine", ["mine"], 1)
        self.assertEqual(asked, bundles[3:] + [bundles[0], bundles[2], bundles[1]])

    def test_replays_use_the_time_that_repetitions_left(self):
        night, said = self.night("1", budget=100.0), []
        night.state |= {"engines": ["a"], "cut findings": ["a"], "replayed": {"a": [3, 9]}, "done": ["import"]}

        def replay(night, engine, engines, limit):
            said.append(limit)
            night.state["replayed"] = {"a": [7, 9]}
            return f"{TIME_OVER}, 7 of 9 findings were replayed"

        night.begin_repetitions()
        with unittest.mock.patch.object(steps, "replay", replay), contextlib.redirect_stdout(io.StringIO()):
            self.assertTrue(steps.rest_of_all_findings(night, last=5))
            with contextlib.redirect_stdout(io.StringIO()) as text:
                self.assertFalse(steps.rest_of_all_findings(night, last=5))
            self.assertFalse(steps.rest_of_all_findings(night, last=100), "there is no time")
        self.assertIn("time ran out, no other finding was replayed (", text.getvalue())
        self.assertAlmostEqual(said[0], 95, 1)
        self.assertEqual(len(said), 2)
        self.assertEqual((night.state["notes"], night.state["done"]), ([], []), "the note on the budget counts them")

    def suite(self, night, then="exit 0", verdicts=4, request="r"):
        """Runs the step with PROGRAM, and returns the printed text."""
        program = self.out / "program"
        program.write_text(PROGRAM)
        program.chmod(0o755)
        night.options.hlocts = str(program)
        os.environ.update(VERDICTS=str(verdicts), THEN=then, REQUEST=request)
        night.state |= {"engines": ["mine"], "tier": "smoke", "absent": {}}
        with contextlib.redirect_stdout(io.StringIO()) as said:
            night.step("suite mine", lambda: steps.suite(night, "mine", ["mine"]))
        return said.getvalue()

    def test_a_suite_is_done_if_each_case_has_a_verdict(self):
        for status, verdicts, done, failed in (
                (0, 4, True, False), (1, 4, True, False), (3, 4, True, False),  # 3: verdicts "error"
                (2, 0, False, True), (3, 0, False, False), (130, 2, False, True), (143, 2, False, True)):
            with self.subTest(status=status, verdicts=verdicts):
                night = self.night(f"{status}.{verdicts}", expectations={})
                night.state["done"] = ["import", "repeat"]
                self.suite(night, f"exit {status}", verdicts)
                self.assertEqual(night.state["done"], ["suite mine"] if done else [])
                self.assertEqual(night.failed_steps(), ["suite mine"] if failed else [])
                self.assertIn("done", self.suite(night, verdicts=4 - verdicts))
                self.assertEqual(night.state["problems"], {}, "the step is repeated")

    def test_a_suite_continues_after_a_stop(self):
        night = self.night("1", expectations={})
        self.suite(night, "kill -9 $$", 3)
        self.assertIn("suite mine: continues after 3 of 4 cases", self.suite(night, "exit 0", 1))
        self.assertIn("suite mine: done before", self.suite(night))
        other = self.night("2", expectations={})
        self.suite(other, "kill -9 $$", 3)
        said = self.suite(other, request="another")
        self.assertIn("suite mine: the earlier verdicts are of another request", said)
        self.assertIn("suite mine: done (", said)
        self.assertTrue((other.folder / "other request/mine/verdicts.jsonl").exists(), "nothing is lost")

    def test_a_suite_that_the_budget_cuts_is_not_done(self):
        night = self.night("1", expectations={}, budget=1.0)
        module.SECONDS_TO_LINE, before = 0.3, module.SECONDS_TO_LINE
        self.addCleanup(setattr, module, "SECONDS_TO_LINE", before)
        said = self.suite(night, "exec sleep 60", 3)
        self.assertIn("suite mine: 75%, 3 of 4 cases", said)
        self.assertEqual(steps.progress(self.out), "starting", "the number of cases is not known yet")
        self.assertIn("suite mine: cut after 3 of 4 cases (", said)
        self.assertEqual((night.state["done"], night.state["cut"]), ([], ["mine"]))
        self.assertIn("mine was cut after 3 of 4 cases", steps.cut_by_the_budget(night)[0])
        night.end = night.deadline = time.monotonic() + 60
        os.environ.update(VERDICTS="1", THEN="exit 0")
        self.assertIsNone(night.step("suite mine, the rest", lambda: steps.rest_of_suite(night, "mine", ["mine"])))
        self.assertIn("suite mine", night.state["done"])
        self.assertEqual((night.state["cut"], night.state["problems"]), ([], {}))

    def test_a_repeated_step_replaces_its_note(self):
        night, names = self.night("1"), ["findings mine, the rest", "fuzz mine"]
        for problem in (f"{TIME_OVER}, 6 of 9", f"{TIME_OVER}, 7 of 9", None):
            with unittest.mock.patch.object(steps, "replay", lambda *_, said=problem: said):
                night.step("findings mine", lambda: steps.findings(night, "mine", ["mine"]))
            for name in names if problem else names[1:]:
                night.step(name, lambda said=problem: said)
            self.assertEqual(night.state["notes"], [f"{name}: {problem}" for name in names if problem])
            self.assertEqual((night.state["cut findings"], night.state["done"]),
                             (["mine"], []) if problem else ([], ["findings mine", "fuzz mine"]))

    def test_the_cause_of_a_dead_engine_is_the_first_note(self):
        night = self.night("1", store="s.db")
        night.state |= {"engines": ["mine=pjrt:/p.so"], "identities": {}, "notes": ["a", "b", "c"], "problems": {
            "bench": "exit status 2", "suite mine=pjrt:/p.so": "p.so: cannot be loaded"}}
        night.without_engine.add("suite mine=pjrt:/p.so")
        night.hlocts = lambda *_: (None, "")
        self.assertEqual(steps.notes_of(night), ["suite mine: p.so: cannot be loaded", "a", "b", "c", "bench: exit status 2"])

    def test_a_run_without_report_is_no_base(self):
        for name, report in (("1", True), ("2", False), ("3", True), ("4", False), ("never imported", False)):
            night = self.night(name)
            night.save()
            if report:
                (night.folder / "night.json").touch()
        now = self.night("5", store="s.db")
        now.hlocts = lambda *_: (None, '{"night": "1"}\n{"night": "2"}\n{"night": "4"}\n{"night": "5"}\n')
        now.save()
        self.assertEqual(steps.not_compared(now, True), ["--without=2", "--without=4"])
        self.assertEqual([one.split(":")[0] for one in steps.never_imported(now)],
                         ["run never imported ended before its import"])
        (self.out / "4/night.json").touch()
        self.assertEqual(steps.not_compared(now, False), ["--without=2", "--without=5"])
        (self.out / "4/state.json").write_text('{"problems": {"suite mine": "exit status 2"}}')
        self.assertEqual(steps.not_compared(now, True), ["--without=2", "--without=4"])

    def test_an_imported_run_has_no_report_yet(self):
        asked, night = [], self.night("1", store="s.db")
        (night.folder / "suite/mine").mkdir(parents=True)
        (night.folder / "suite/mine/run.json").touch()

        def program(*arguments, **_):
            asked.append(arguments)
            return None, '{"regressed": [1, 2], "first_run": [], "changed": [3], "since": "0"}'

        night.hlocts = program
        self.assertIsNone(steps.import_first(night))
        self.assertEqual([one[:2] for one in asked[:1]], [("store", "import")])
        self.assertIn("--without=1", asked[-1])
        self.assertIn("--not-repeated=3", asked[-1])
        self.assertEqual(night.state["since"], "0")

    def test_a_list_of_known_failures_has_a_hash(self):
        (self.out / "f").write_text("one")
        night = self.night("1", expectations={"mine": str(self.out / "f")})
        first = steps.known_failures(night, "mine=pjrt:/p.so?a=b")
        (self.out / "f").write_text("two")
        self.assertNotIn(steps.known_failures(night, "mine=pjrt:/p.so?a=b"), ("", first))
        self.assertNotEqual(steps.known_failures(night, "xla@0.11.2?a=b"), "", "suites/expectations/xla.textproto")
        self.assertEqual(steps.known_failures(night, "none"), "")

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
                              ("pjrt:q.so", "pjrt:q.so"), ("m=canary:pad/x/1", "m=canary:pad/x/1"), ("pjrt:./q.so", f"pjrt:{os.getcwd()}/q.so")):
            self.assertEqual(steps.with_absolute_path(engine), found)

    def test_the_directory_of_an_engine_has_its_label(self):
        for engine, name in (("mine=pjrt:/p.so?a=b", "mine"), ("pjrt:/p.so?mine=b", "pjrt__p.so_mine_b"),
                             ("xla@0.11.2?a=b", "xla@0.11.2_a_b")):
            self.assertEqual(file_name(engine), name)

    def test_a_plugin_with_options_has_the_known_failures_of_its_label(self):
        engines, names = ["mine=pjrt:/p.so?a=b", "pjrt:/q.so", "xla?c=d"], ["mine?a=b", "pjrt:q.so", "xla?c=d"]
        for key in ("mine", "mine?a=b"):
            files, unknown = steps.by_engine([(key, "f"), ("pjrt:q.so", "g"), ("xla", "h"), ("no", "i")],
                                             engines, names)
            night = self.night("1", expectations=files)
            self.assertEqual([steps.expected(night, one)[0][-1] for one in engines], ["f", "g", "h"])
            self.assertEqual(steps.expected(night, "pjrt:/p.so?mine=b"), [])
            self.assertEqual(unknown, ["no"])
            night.lock.close()

    def test_a_wrong_option_is_one_sentence(self):
        program = self.out / "program"
        program.write_text('#!/bin/bash\n[ $1 != backends ] || echo \'{"name":"mine?a=b","available":true}\'\n')
        program.chmod(0o755)
        nightly = pathlib.Path(__file__).with_name("nightly")
        for options, said in ((["--keep=1"], "--keep: expected at least 2"),
                              (["--budget=0s"], "expected at least 1s, found 0s"),
                              ([f"--expectations=mine?a=b={program}", f"--expectations=other={program}"],
                               "--expectations=other=...: expected one of mine\n")):
            done = subprocess.run([nightly, f"--hlocts={program}", "--engine=mine=pjrt:/p.so?a=b", *options],
                                  capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 2)
            self.assertIn(said, done.stderr)

    def test_the_log_has_the_counts_of_a_campaign(self):
        night = self.night("1", expectations={})
        night.hlocts = lambda *_, **more: (None, "5 modules, 0 new findings\nfinding: a\n")
        self.assertIsNone(steps.fuzz(night, "a", 5))
        self.assertEqual((night.folder / "log.txt").read_text(), "5 modules, 0 new findings\n")

    def test_the_hook_reads_summary_and_page(self):
        night = self.night("1", hook=f"cat > {self.out}/said")
        (night.folder / "night.md").write_text("summary\n")
        self.assertIsNone(steps.hook(night))
        self.assertEqual((self.out / "said").read_text(), f"red: nightly run 1\n\nsummary\n\n{night.folder.resolve()}/page.html\n")
        self.assertIsNone(steps.hook(night, "it stopped"))
        self.assertEqual((self.out / "said").read_text(), "it stopped\n")

    def test_messages_name_engines_by_their_labels(self):
        night = self.night("1", store="s.db")
        night.state["engines"] = ["mine=pjrt:/p.so?a=b", "cpu"]
        with contextlib.redirect_stdout(io.StringIO()) as said:
            night.step("suite mine=pjrt:/p.so?a=b", lambda: None)
        self.assertIn("suite mine: done (", said.getvalue())

    def test_nothing_is_pruned_while_no_run_is_old(self):
        asked, night = [], self.night("1", keep=2, store="s.db")

        def program(*arguments, good):
            asked.append(arguments[-2])
            return None, "".join(json.dumps({"night": name, "pruned": name == "0"}) + "\n" for name in nights)

        night.hlocts = program
        for nights, last in (("0112", "--json"), ("0123", "--keep=2")):
            self.assertIsNone(steps.retention(night))
            self.assertEqual(asked[-1], last)

    def test_repetitions_have_a_part_of_the_budget(self):
        night = self.night("1", budget=100.0)
        night.deadline = time.monotonic()
        night.end = night.deadline + 4
        self.assertEqual(night.hlocts(limit=10), (TIME_OVER, ""), "the last 5 seconds are for repetitions")
        night.begin_repetitions()
        self.assertIsNone(night.hlocts(limit=10)[0])
        self.assertGreater(night.left(), 4)

    def test_what_was_not_repeated_is_counted(self):
        mine = ["a"] + ["filler"] * (steps.CASES_OF_A_PART - 1) + ["late"]
        said = {"regressed": [{"engine": "mine", "case": case, "now": "fail"} for case in mine],
                "first_run": [], "changed": [{"engine": "cpu", "case": "b", "now": "fail"}], "since": ""}
        night = self.night("1", store="s.db", expectations={})
        night.state["engines"] = []

        def program(*arguments, **_):
            if arguments[0] == "run" and {"--backend=cpu", "late"} & set(arguments):
                return TIME_OVER, ""
            for out in (pathlib.Path(word[6:]) for word in arguments if word.startswith("--out=")):
                out.mkdir(parents=True)
                (out / "verdicts.jsonl").write_text('{"case": "a", "verdict": "pass"}\n')
                (out / "run.json").touch()
            return None, json.dumps(said)

        program("run", f"--out={night.folder}/repeat/mine.40")  # left by a stopped run
        night.hlocts = program
        self.assertEqual(steps.repeat(night), TIME_OVER)
        self.assertEqual(night.state["not repeated"], 2)
        (record,) = night.folder.glob("repeat/*/verdicts.jsonl")
        self.assertIn('"flake": "fail, pass, pass"', record.read_text())

    def test_nothing_with_a_limit_runs_after_the_budget(self):
        night = self.night("1", budget=10.0)
        started = time.monotonic()
        night.options.hlocts = "sleep"
        night.end, night.deadline = started + 0.8, started
        self.assertEqual(night.hlocts("20", limit=100)[0], TIME_OVER)
        self.assertLess(time.monotonic() - started, 10)
        log = self.out / "log"
        night.options.hlocts = os.devnull  # cannot be started
        self.assertEqual(night.hlocts(limit=100, log=log), (TIME_OVER, ""))
        self.assertTrue(log.exists())


if __name__ == "__main__":
    unittest.main()
