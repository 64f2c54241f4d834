# SPDX-License-Identifier: Apache-2.0
"""Tests that work without JAX: unittest and numpy. ctest runs this file with the built program."""

import contextlib
import dataclasses
import json
import os
import pathlib
import re
import shlex
import shutil
import stat
import subprocess
import sys
import tempfile
import traceback
import unittest
import xml.etree.ElementTree
from unittest import mock

import numpy as np

import hlocts
from hlocts import accepted, api, arrays, binary, bounds, checking

LOG_EXP = """HloModule log_exp
ENTRY e {
  x = f32[3] parameter(0)
  y = f32[3] exponential(x)
  ROOT z = f32[3] log(y)
}
"""
CUSTOM = """HloModule custom
ENTRY e {
  x = f32[3] parameter(0)
  ROOT y = f32[3] custom-call(x), custom_call_target="unknown_target"
}
"""
DOT = """ENTRY e { a = f32[64,512] parameter(0) b = f32[512] parameter(1)
  ROOT d = f32[64] dot(a, b), lhs_contracting_dims={1}, rhs_contracting_dims={0} }
"""
NO_SUM = """r { a = f32[] parameter(0) b = f32[] parameter(1) ROOT c = f32[] subtract(a, b) } ENTRY e {
  x = f32[9] parameter(0) z = f32[] constant(0) ROOT s = f32[] reduce(x, z), dimensions={0}, to_apply=r }"""
X = np.array([1, 200, 3], np.float32)
TRUE = np.array([1, np.inf, 3], np.float32)
WRONG = np.array([1, 200, 3], np.float32)


class Scratch(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="hlocts-test-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def program(self, path, script="#!/bin/sh\n"):
        path = self.folder / path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(script)
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return path


def record(program, inputs, outputs):
    """Returns a record in the format of backends/check/recorder.h."""
    leaves = [[{"type": 11, "dims": list(leaf.shape), "bytes": leaf.nbytes} for leaf in side]
              for side in (inputs, outputs)]  # fmt: skip
    line = {"program": program, "execution": 0, "inputs": leaves[0], "outputs": leaves[1]}
    return json.dumps(line).encode() + b"\n" + b"".join(x.tobytes() for x in inputs + outputs)


def suspect_of_dot():
    """Returns inputs of DOT, and outputs that are within the bound of a dot but improbable."""
    random = np.random.default_rng(1)
    a, b = (random.standard_normal(shape).astype(np.float32) for shape in ((64, 512), (512,)))
    return [a, b], [(a.astype(np.float64) @ b + 4e-3).astype(np.float32)]


class EngineNames(unittest.TestCase):
    def test_the_program_takes_the_name_of_the_engine_jax(self):
        said = binary.run(["backends", f"--backend={api._backend('jax')}"], answers=(0, 3))
        self.assertIn("this-jax", said)
        self.assertNotIn("label", said)
        backend = f"--backend={api._backend('jax')}"
        if sys.version_info >= (3, 11):
            self.assertIn(f"exec:{sys.executable} -P -m hlocts.jax_engine'", binary.shown([backend]))
        with self.assertRaisesRegex(api.HloctsError, 'expected "jax" .*found .*did you mean "jax"'):
            api._backend("jaxlib")


class Checking(Scratch):
    """Tests the judge of the checking plugin on records that the tests write."""

    def setUp(self):
        super().setUp()
        for name in ("programs", "spool"):
            (self.folder / name).mkdir()
        (self.folder / "settings").touch()
        for number, text in enumerate((LOG_EXP, CUSTOM, DOT)):
            (self.folder / "m.hlo").write_text(text)
            program = self.folder / "programs" / f"{number}.hlo"  # as a client compiles the module
            binary.run(["convert", self.folder / "m.hlo", "--to=pb", f"--output={program}"])

    def judged(self, *records):
        for number, content in enumerate(records):
            (self.folder / "spool" / f"{number:08}.record").write_bytes(content)
        with open(os.devnull, "rb") as ended:
            server = checking.Server(self.folder)
            server.serve(ended)
            server.close()
        return checking.report(self.folder)

    def test_a_pass_that_compares_nothing_is_counted(self):
        empty = LOG_EXP.replace("f32[3]", "f32[0]")
        (self.folder / "m.hlo").write_text(empty)
        program = self.folder / "programs" / "3.hlo"
        binary.run(["convert", self.folder / "m.hlo", "--to=pb", f"--output={program}"])
        text, _ = self.judged(record(3, [X[:0]], [X[:0]]), record(0, [X], [TRUE]))
        self.assertIn("2 judged: 2 pass", text)
        self.assertIn("1 passes compared no element", text)

    def test_wrong_answer_is_kept_and_named(self):
        text, has_failure = self.judged(record(0, [X], [TRUE]), record(0, [X], [WRONG]))
        self.assertTrue(has_failure)
        self.assertIn("2 judged: 1 fail, 1 pass", text)
        self.assertIn("accepted inf, found 200", text)
        kept = self.folder / "failures" / "00000001"
        command = ["judge", kept / "module.hlo", f"--inputs={kept}/inputs.npz",
                   f"--outputs={kept}/outputs.npz"]  # fmt: skip
        self.assertEqual(binary.run_json(command)["verdict"], "fail")

    def test_text_without_locations_is_named(self):
        text = LOG_EXP.replace("log(y)", 'log(y), metadata={source_file="-" source_line=3}')
        (self.folder / "m.hlo").write_text(text)
        binary.run(["convert", self.folder / "m.hlo", f"--output={self.folder}/m.pb"])
        (self.folder / "programs" / "3.mlir").touch()
        proto = (self.folder / "m.pb").read_bytes()
        with mock.patch("hlocts.stablehlo.to_hlo", return_value=proto):
            said, _ = self.judged(record(3, [X], [WRONG]))
        self.assertIn(f"execution 0: {self.folder}/programs/3.mlir:3", said)

    def test_a_suspect_is_kept_and_not_a_failure(self):
        inputs, outputs = suspect_of_dot()
        text, has_failure = self.judged(record(2, inputs, outputs))
        self.assertFalse(has_failure)
        self.assertIn("1 judged: 1 suspect", text)
        kept = self.folder / "failures" / "00000000"
        self.assertIn(f"hlocts diff {kept}/module.hlo", text)
        self.assertTrue((kept / "outputs.npz").exists())

    def test_no_verdict_is_counted_with_its_reason(self):
        text, has_failure = self.judged(record(1, [X], [X]), record(7, [X], [X]))
        self.assertFalse(has_failure)
        self.assertIn("2 judged: 2 unsupported", text)
        self.assertIn("unsupported  1 executions (program 7): ", text)
        self.assertIn("unknown_target", text)

    def test_a_report_while_the_program_runs(self):
        self.judged(record(0, [X], [TRUE]))
        (self.folder / "spool" / "00000009.record").write_bytes(record(0, [X], [TRUE]))
        text, _ = checking.report(self.folder)
        self.assertIn("3 programs, 2 executions recorded, 1 judged: 1 pass", text)
        self.assertIn("not judged  1 executions: they wait for the judge", text)
        (self.folder / "report.txt").touch()
        self.assertIn("the judge ended before", text := checking.report(self.folder)[0])
        (line,) = re.findall(r"python3 -m (hlocts\.check --resume \S+) judges them", text)
        subprocess.run([sys.executable, "-m", *line.split()], check=True, capture_output=True)
        self.assertIn("2 judged: 2 pass", checking.report(self.folder)[0])

    def test_the_report_counts_what_is_not_in_the_sample(self):
        self.judged(record(0, [X], [TRUE]))
        counts = {"executions": 9, "programs": 3, "skipped": {"the budget is used up": 2}}
        (self.folder / "counts.json").write_text(json.dumps(counts))
        text, _ = checking.report(self.folder)
        self.assertIn("3 programs, 9 executions, 1 judged: 1 pass", text)
        self.assertIn("not sampled  6 executions: --sample=all judges each", text)

    def test_a_nan_is_of_the_data_only_if_no_earlier_execution_may_have_made_it(self):
        nan, zero = np.array([1, np.nan, 3], np.float32), np.zeros(3, np.float32)
        copied, made = record(0, [nan], [nan]), record(3, [zero], [zero * np.float32(np.nan)])
        text = LOG_EXP.replace("exponential(x)", "divide(x, x)")
        (self.folder / "m.hlo").write_text(text)
        binary.run(["convert", self.folder / "m.hlo", "--to=pb", f"--output={self.folder}/programs/3.hlo"])
        of_data = "; the first came with the program's data (program 0, execution 0, argument 0 at [1])"
        advice = " (--sample=all judges the execution that made it)"
        for records, executions, skipped, sample, end in (
            ([copied], 1, {}, "", of_data), ([copied], 9, {}, "", of_data),
            ([copied], 9, {"several devices": 1}, "", advice),
            ([copied], 9, {"several devices": 1}, "sample=all", ""),
            ([record(0, [X], [TRUE]), copied], 2, {}, "", of_data),
            ([record(0, [X], [TRUE]), copied], 3, {}, "", advice),
            ([made, copied], 2, {}, "", ""), ([made, copied], 3, {}, "", advice),
            ([record(1, [X], [nan]), copied], 2, {}, "", ""),
        ):  # fmt: skip
            (self.folder / "results.jsonl").unlink(missing_ok=True)
            (self.folder / "settings").write_text(sample)
            counts = {"executions": executions, "programs": 4, "skipped": skipped}
            (self.folder / "counts.json").write_text(json.dumps(counts))
            said, _ = self.judged(*records)
            self.assertIn(f"outputs have NaN, as their inputs do{end}\n", said, (executions, skipped))

    def test_a_report_to_a_closed_pipe_ends_quietly(self):
        self.judged(record(0, [X], [TRUE]))
        ran = subprocess.run(
            f"{shlex.quote(sys.executable)} -m hlocts.check --report {self.folder} | true; sleep 0.1",
            shell=True, stderr=subprocess.PIPE, text=True, check=False,
            env=os.environ | {"PYTHONPATH": str(pathlib.Path(checking.__file__).parents[1])})  # fmt: skip
        self.assertEqual(ran.stderr, "")

    def test_the_wait_time_ends_a_backlog(self):
        for number in range(3):
            path = self.folder / "spool" / f"{number:08}.record"
            path.write_bytes(record(0, [X], [TRUE]))
        slow = self.program("slow", "#!/bin/sh\nexec sleep 100\n")
        ran = subprocess.run(
            [sys.executable, "-m", "hlocts.check", "--judge", self.folder], stdin=subprocess.DEVNULL,
            capture_output=True, text=True, timeout=60, check=False,
            env=os.environ | {"HLOCTS": str(slow), "HLOCTS_CHECK": "wait=1",
                 "PYTHONPATH": str(pathlib.Path(checking.__file__).parents[1])})  # fmt: skip
        self.assertIn("not judged  3 executions: the judge ended before", ran.stderr)
        self.assertEqual((self.folder / "report.txt").read_text(), ran.stderr)

    def test_a_wrong_directory_or_plugin_is_one_sentence(self):
        with mock.patch.object(sys, "argv", ["check", f"--report={self.folder}/none"]):
            with mock.patch.object(sys, "stderr"), self.assertRaises(SystemExit) as end:
                checking.main()
        self.assertEqual(end.exception.code, 2)
        with self.assertRaisesRegex(hlocts.HloctsError, "plugin=/nope.so: no such file"):
            checking.environment({"plugin": "/nope.so"})
        with self.assertRaisesRegex(hlocts.HloctsError, "plugin=/etc/passwd: expected a shared lib"):
            checking.environment({"plugin": "/etc/passwd"})

    def test_narrow_integers_have_their_sign(self):
        leaf = {"type": checking.TYPES.index("s4"), "dims": [2], "bytes": 2}
        array = checking.array_of(leaf, bytes([0x0F, 0x07]))
        self.assertEqual(array.tolist(), [-1, 7])

    def test_an_engine_without_a_plugin_is_refused(self):
        engines = '{"name": "xla@1", "alias": "xla", "reach": "PJRT"}\n' + (
            '{"name": "jaxlib@1", "alias": "", "reach": "PYTHON"}\n')  # fmt: skip
        for plugin, message in (("xla", "xla is not installed"), ("jaxlib@1", "expected jax")):
            with mock.patch.object(binary, "run", return_value=engines):
                with self.assertRaisesRegex(hlocts.HloctsError, message):
                    checking.environment({"plugin": plugin})

    def test_callable_module(self):
        from hlocts import check as module

        self.assertTrue(callable(module))


class Find(Scratch):
    def find(self, **environment):
        empty = {"PATH": str(self.folder / "empty"), **environment}
        with mock.patch.dict(os.environ, empty, clear=True):
            with mock.patch.object(binary, "_HERE", self.folder / "lib" / "hlocts"):
                return binary.find()

    def test_order(self):
        with self.assertRaisesRegex(hlocts.HloctsError, "set HLOCTS="):
            self.find()
        on_path = self.program("bin/hlocts")
        path = str(on_path.parent)
        self.assertEqual(self.find(PATH=path), on_path)
        for folder in ("lib", "work"):
            (self.folder / folder / "spec" / "clauses").mkdir(parents=True)
            (self.folder / folder / "CONTRACT.md").touch()
        self.program("work/build/hlocts")
        with contextlib.chdir(self.folder / "work"):
            self.assertEqual(self.find(PATH=path), on_path, "not that of the working directory")
        built = self.program("lib/build/hlocts")
        self.assertEqual(self.find(PATH=path), built)
        packed = self.program("lib/hlocts/program/bin/hlocts")
        self.assertEqual(self.find(PATH=path), packed)
        named = self.program("named")
        self.assertEqual(self.find(PATH=path, HLOCTS=str(named)), named.resolve())

    def test_the_script_that_pip_makes_is_not_the_program(self):
        script = self.program("bin/hlocts", "#!/venv/bin/python3\nmain()\n")
        with self.assertRaisesRegex(hlocts.HloctsError, "was not found"):
            self.find(PATH=str(script.parent))
        behind = self.program("tarball/bin/hlocts")
        self.assertEqual(self.find(PATH=f"{script.parent}:{behind.parent}"), behind)

    def test_a_wrong_name_is_an_error_although_others_are_there(self):
        self.program("lib/hlocts/program/bin/hlocts")
        with self.assertRaisesRegex(hlocts.HloctsError, "HLOCTS=/nowhere is not an executable program"):
            self.find(HLOCTS="/nowhere")

    def test_a_crash_is_an_error(self):
        crashing = self.program("crash", "#!/bin/sh\necho boom >&2\nexit 134\n")
        with mock.patch.dict(os.environ, {"HLOCTS": str(crashing)}):
            with self.assertRaisesRegex(hlocts.HloctsError, "status 134: boom"):
                hlocts.judge(LOG_EXP, [X], [TRUE])


class Judge(Scratch):
    def test_a_right_answer_passes(self):
        result = hlocts.judge(LOG_EXP, [X], [TRUE])
        self.assertTrue(result)
        self.assertEqual(result.verdict, "pass")
        self.assertEqual(result.elements, 3)
        self.assertGreater(result.bits_checked, 29)
        self.assertIs(result.raise_for_failure(), result)
        self.assertEqual(result.replay, "")

    def test_a_wrong_answer_explains_itself(self):
        result = hlocts.judge(LOG_EXP, [X], [WRONG], keep=self.folder)
        self.assertFalse(result)
        failure = result.failure
        self.assertEqual((result.verdict, failure.index), ("fail", (1,)))
        self.assertEqual([(o.name, o.value) for o in failure.operands], [("y[1]", "inf")])
        self.assertEqual([(o.name, o.value) for o in failure.arguments], [("arg0", "200")])
        self.assertEqual(failure.accepted.intervals, ((np.inf, np.inf),))
        for said in ("is 200 (0x43480000); HLO allows inf", "1 of 3 elements are wrong",
                     "operands of log: y[1] = inf",
                     'clause elementwise_unary.18: Log is the natural logarithm.',
                     "document: Operation semantics"):
            self.assertIn(said, str(result))
        with self.assertRaises(hlocts.ConformanceError) as raised:
            result.raise_for_failure()
        self.assertEqual(str(raised.exception), str(result))
        self.assertIn("instruction: z (log)", result.explain())
        self.assertTrue((self.folder / "outputs.npz").is_file())

    def test_a_kept_failure_is_not_replaced(self):
        (self.folder / "notes").touch()  # no file of a check
        kept = [hlocts.judge(LOG_EXP, [X], [out], keep=self.folder) for out in (WRONG, TRUE, TRUE)]
        folders = [self.folder, self.folder / "2", self.folder / "3"]
        self.assertEqual([one.files.path for one in kept], folders)
        self.assertRegex(kept[0].explain(), "got: +200 ")
        for one, folder in zip(kept, folders, strict=True):
            self.assertIn(f" {folder}/module.hlo --inputs={folder}/inputs.npz ", one.replay)
        (self.folder / "module.hlo").unlink()
        self.assertEqual(hlocts.judge(LOG_EXP, [X], [TRUE], keep=self.folder).files.path, self.folder / "4")

    def test_calls_at_the_same_time_keep_different_directories(self):
        code = "import pathlib, sys; from hlocts import api; print(api._free_folder(pathlib.Path(sys.argv[1])))"
        calls = [subprocess.Popen([sys.executable, "-c", code, self.folder / "k"], stdout=subprocess.PIPE,
                                  env=os.environ | {"PYTHONPATH": str(pathlib.Path(api.__file__).parents[1])})
                 for _ in range(6)]  # fmt: skip
        self.assertEqual(len({call.communicate()[0] for call in calls}), 6)

    def test_a_distance_is_in_ulps(self):
        near = TRUE + np.float32(1e-5)
        failure = hlocts.judge(LOG_EXP, [X], [near], keep=self.folder).failure
        low, high = failure.accepted.intervals[0]
        self.assertEqual(failure.ulps, round((float(near[0]) - high) / 2.0**-23))
        self.assertLess(low, 1)

    def test_a_suspect_is_a_verdict_and_no_failure(self):
        result = hlocts.judge(DOT, *suspect_of_dot())
        self.assertEqual(result.verdict, "suspect")
        for verdict in ("suspect", "probable"):
            with self.assertRaises(hlocts.NotJudgedError):
                dataclasses.replace(result, verdict=verdict).raise_for_failure()

    def test_what_is_not_judged_is_no_pass(self):
        result = hlocts.judge(NO_SUM, [np.ones(9, "f4")], [np.float32(9)])
        for text in (str(result), result.explain()):
            self.assertRegex(text, "next: +no fact and no profile narrows the set of s: .* give judge jax.jit")
        result = hlocts.judge(CUSTOM, [X], [X], keep=self.folder)
        self.assertEqual(result.verdict, "unsupported")
        self.assertIn("unknown_target", str(result))
        widest = {"facts": ["integer.division"], "strict": False}
        open_one = dataclasses.replace(result, verdict="inconclusive", record={**result.record, "widest": widest})
        self.assertIn("next: explain()", str(open_one))
        self.assertNotIn("--", open_one._narrower())
        self.assertIn('facts=["integer.division"], if', str(open_one))
        self.assertNotIn("strict", open_one._narrower())
        on_engine = dataclasses.replace(open_one, takes_facts=False)
        self.assertIn("next: explain()", str(on_engine))
        self.assertNotIn("facts=", str(on_engine))
        self.assertIn('engine="jax" judges pieces of the module',
                      str(dataclasses.replace(open_one, is_cut=False)))
        reason = "No FFI handler registered for lapack_sgetrf_ffi"
        lapack = dataclasses.replace(result, custom_calls=("lapack_sgetrf_ffi",), reason=reason)
        self.assertIn('engines with LAPACK: None and "jax"', str(lapack))
        old = dataclasses.replace(lapack, custom_calls=("blas_strsm", "lapack_sgetrf"))
        for one in (old, dataclasses.replace(old, verdict="inconclusive")):
            self.assertRegex(str(one), 'no ruling describes blas_strsm, lapack_sgetrf of .*: jax 0.4.38 [^"]*$')
        with self.assertRaises(hlocts.NotJudgedError):
            result.raise_for_failure()

    def test_the_package_runs_the_program(self):
        for argument, said in (("--help", "judge"), ("train.py", "python3 -m hlocts.check train.py")):
            done = subprocess.run([sys.executable, "-m", "hlocts", argument], capture_output=True)
            self.assertIn(said, (done.stdout + done.stderr).decode())
        self.assertEqual(binary.environment()["HLOCTS_PYTHON"], sys.executable)

    def test_an_open_sum_of_16_bit_floats_names_the_fact_that_narrows_it(self):
        text = ("HloModule m\nENTRY main {\n  a = f16[400] parameter(0)\n"
                "  ROOT d = f16[] dot(a, a), lhs_contracting_dims={0}, rhs_contracting_dims={0}\n}\n")
        a = np.resize(np.float16([1.7, -1.3]), 400)
        inputs, outputs = [a], [np.float16(a.astype("f") @ a.astype("f"))]
        result = hlocts.judge(text, inputs, outputs, facts=["xla_cpu"])
        self.assertEqual(result.verdict, "inconclusive")
        for said in (str(result), result.explain()):
            self.assertIn('facts=["xla_cpu", "dot.sums=f32"] narrows', said)
        result = hlocts.judge(text, inputs, outputs, facts=["xla_cpu", "dot.sums=f32"])
        self.assertEqual((result.verdict, result.fact), ("pass", ""))

    def test_what_only_the_reference_gives_up_is_not_judged(self):
        judged = hlocts.judge(DOT, *suspect_of_dot())
        for cause, kind in (("reference", hlocts.NotJudgedError),
                            ("signal", hlocts.ConformanceError)):  # fmt: skip
            record = judged.record | {"cause": {"kind": cause}}
            with self.assertRaises(hlocts.ConformanceError) as raised:
                dataclasses.replace(judged, verdict="timeout", record=record).raise_for_failure()
            self.assertIs(type(raised.exception), kind)

    def test_the_traceback_has_the_caller_only(self):
        try:
            hlocts.judge("no/module", [], [])
        except hlocts.HloctsError as error:
            frames = [frame.name for frame in traceback.extract_tb(error.__traceback__)]
        self.assertEqual(frames, ["test_the_traceback_has_the_caller_only", "wrapper"])

    def test_the_version_is_the_programs(self):
        self.assertEqual(binary.run(["--version"]).split()[:2], ["hlocts", hlocts.__version__])

    def test_wrong_inputs_are_one_sentence(self):
        for call, said in [
            (lambda: hlocts.judge("HloModule m\n ENTRY", [], []), "expected"),
            (lambda: hlocts.judge(LOG_EXP, [X.astype("f8")], [TRUE]), "f32"),
            (lambda: hlocts.judge("module @m {\n}\n", [], []), "StableHLO|`main` function"),
            (lambda: hlocts.judge("/nope.hlo", [], []), "/nope.hlo: expected the text of a module"),
            (lambda: hlocts.judge("", [], []), "^module: expected the text of a module"),
            (lambda: hlocts.judge(LOG_EXP, [X], [X], facts=""), 'facts: expected a name .*found ""'),
            (lambda: hlocts.evaluate(CUSTOM, X), "unknown_target"),
        ]:
            with self.assertRaisesRegex(hlocts.HloctsError, said) as raised:
                call()
            self.assertNotIn("\n", str(raised.exception))

    def test_a_pass_leaves_no_folder_and_a_failure_does(self):
        with mock.patch.object(tempfile, "tempdir", str(self.folder)):
            hlocts.judge(LOG_EXP, [X], [TRUE])
            self.assertEqual(list(self.folder.iterdir()), [])
            hlocts.judge(LOG_EXP, [X], [WRONG])
            self.assertEqual(len(list(self.folder.iterdir())), 1)

    def test_a_pass_has_files_while_it_lives_and_failures_do_not_pile_up(self):
        with mock.patch.object(tempfile, "tempdir", str(self.folder)):
            result = hlocts.judge(LOG_EXP, [X], [TRUE])
            self.assertIn("step by step, from the inputs", result.explain())
            self.assertEqual(result.replay, "")
            del result
            self.assertEqual(list(self.folder.iterdir()), [])
            for number in range(20):
                old = self.folder / f"hlocts-job-{number}"
                old.mkdir()
                (old / "module.hlo").touch()
                os.utime(old, (number, number))
            foreign = self.folder / "hlocts-job-notes"
            foreign.mkdir()
            hlocts.judge(LOG_EXP, [X], [TRUE])
            names = {path.name for path in self.folder.iterdir()}
            self.assertEqual(len(names), 17, "the 16 newest, and a folder that is not ours")
            self.assertLessEqual({"hlocts-job-19", "hlocts-job-4", "hlocts-job-notes"}, names)

    def test_a_file_is_a_module(self):
        path = self.folder / "m.hlo"
        path.write_text(LOG_EXP)
        for module in (path, str(path), LOG_EXP):
            self.assertIn("exponential", str(hlocts.digits(module, X)))
            self.assertTrue(hlocts.judge(module, [X], [TRUE]).passed)
        wrong = hlocts.judge(path, [X], [WRONG])
        self.assertIn("may be an earlier one (check with engine=\"jax\" locates it in this machine's JAX)", str(wrong))
        alone = LOG_EXP.replace("  y = f32[3] exponential(x)\n", "").replace("log(y)", "log(x)")
        self.assertNotIn("earlier one", str(hlocts.judge(alone, [X], [WRONG])))
        self.assertIn(f"judge {path} ", wrong.replay)
        self.assertIn("in pytest --hlocts-engine=jax", str(dataclasses.replace(wrong, is_cut=False)))
        with self.assertRaisesRegex(hlocts.HloctsError, "expected the text of a module"):
            hlocts.digits(str(self.folder / "none.hlo"), X)


class Evaluate(unittest.TestCase):
    def test_a_module_gives_its_leaves(self):
        (value,) = hlocts.evaluate(LOG_EXP, X)
        np.testing.assert_allclose(value, TRUE, rtol=1e-6)
        text = ("HloModule m\nENTRY e { a = s32[2] parameter(0) b = pred[2] compare(a, a), "
                "direction=EQ ROOT t = (s32[2], pred[2]) tuple(a, b) }")
        first, second = hlocts.evaluate(text, np.array([5, 6], np.int32))
        self.assertEqual((first.tolist(), second.tolist()), ([5, 6], [True, True]))
        self.assertEqual(second.dtype, np.bool_)


class Allowed(unittest.TestCase):
    def test_printed_it_is_a_summary(self):
        text = str(hlocts.allowed(LOG_EXP, X))
        self.assertRegex(text, r"^leaf 0: 3 elements, 1 with one value, first \[\S+, \S+\], inf, "
                               r"\[\S+, \S+\], widest \[.*, .*\] at \[2\]$")  # fmt: skip

    def test_bounds_of_a_function(self):
        (lower,), (upper,), (nan,), together = hlocts.allowed(LOG_EXP, X)
        self.assertEqual((lower.dtype, lower.shape, together), (np.float32, (3,), ("",)))
        self.assertTrue((lower[[0, 2]] < TRUE[[0, 2]]).all())
        self.assertTrue((upper[[0, 2]] > TRUE[[0, 2]]).all())
        self.assertEqual((lower[1], upper[1], nan.any()), (np.inf, np.inf, False))
        # A value on a bound is allowed; the next number beyond it is not.
        for bound, away in ((lower, -np.inf), (upper, np.inf)):
            self.assertTrue(hlocts.judge(LOG_EXP, [X], [bound]).passed)
            wrong = np.where(X == 200, bound, np.nextafter(bound, np.float32(away)))
            self.assertEqual(hlocts.judge(LOG_EXP, [X], [wrong]).verdict, "fail")

    def test_exact_results_have_one_value(self):
        text = ("HloModule m\nENTRY e { a = s32[2] parameter(0) f = f32[2] parameter(1) "
                "b = pred[2] compare(a, a), direction=LT c = f32[2] sqrt(f) n = f32[2] negate(f) "
                "ROOT t = (s32[2], pred[2], f32[2], f32[2]) tuple(a, b, c, n) }")
        given = np.array([5, -6], np.int32), np.array([0, -4], np.float32)
        lower, upper, nan, _ = hlocts.allowed(text, *given)
        for low, high in zip(lower[:2], upper[:2], strict=True):
            np.testing.assert_array_equal(low, high)
        self.assertEqual([leaf.dtype.name for leaf in lower], ["int32", "bool"] + ["float32"] * 2)
        self.assertEqual([leaf.tolist() for leaf in nan[:3]], [[False] * 2] * 2 + [[False, True]])
        self.assertTrue(np.isnan(lower[2][1]) and np.isnan(upper[2][1]))
        self.assertEqual(upper[3][1], 4)

    def test_sets_as_the_program_writes_them(self):
        one, two = "3ff0000000000000", "4000000000000000"
        zero = "0" * 16
        sets = [[1, one, two, 0, 0], {"repeat": 2}, [1 | 4 | 2, one, one, 0, 0],
                [256, "", "", 0, 0], [2, "", "", 0, 0], [1 | 32, zero, one, 0, 0],
                [8, "", "", 0, 0]]
        leaf = {"type": "f32", "dimensions": [8], "sets": sets, "predicate": "normwise"}
        text = json.dumps({"origins": []}) + "\n" + json.dumps(leaf) + "\n"
        (lower,), (upper,), (nan,), together = bounds.read(text)
        inf = np.inf
        np.testing.assert_array_equal(lower, [1, 1, 1, 1, -inf, np.nan, 0, -inf])
        np.testing.assert_array_equal(upper, [2, 2, 2, inf, inf, np.nan, 1, -inf])
        self.assertTrue(np.signbit(lower[6]))
        self.assertEqual(nan.tolist(), [False] * 3 + [True] * 3 + [False] * 2)
        self.assertEqual(together, ("normwise",))

    def test_complex_and_whole_numbers(self):
        one, two = "3ff0000000000000", "4000000000000000"
        leaves = [{"type": "c64", "dimensions": [1],
                   "sets": [[1, one, two, 0, 0], [1 | 2, two, two, 0, 0]]},
                  {"type": "u64", "dimensions": [2],
                   "sets": [[4096, "3", str(2**64 - 1), 0, 0], [256, "", "", 0, 0]]}]
        text = "\n".join(map(json.dumps, [{"origins": []}, *leaves]))
        lower, upper, nan, _ = bounds.read(text)
        self.assertEqual((lower[0].tolist(), upper[0].tolist()), ([1 + 2j], [2 + 2j]))
        self.assertEqual(nan[0].tolist(), [True])
        self.assertEqual((lower[1].tolist(), upper[1].tolist()), ([3, 0], [2**64 - 1] * 2))
        # A type without NaN has none, even if any value is permitted.
        self.assertEqual(nan[1].tolist(), [False] * 2)
        summaries = str(bounds.read(text)).split("\n")
        self.assertIn("1 may be NaN", summaries[0])
        self.assertNotIn("NaN", summaries[1])
        self.assertTrue(summaries[1].endswith(", 1 may have any value"), summaries[1])

    def test_what_cannot_be_said_is_one_sentence(self):
        with self.assertRaisesRegex(hlocts.HloctsError, "unknown_target"):
            hlocts.allowed(CUSTOM, X)


class Sets(unittest.TestCase):
    def test_parsing(self):
        for text, intervals, nan in [
            ("[1.5, 1.75] or nan", ((1.5, 1.75),), True),
            ("{3}", ((3, 3),), False),
            ("7", ((7, 7),), False),
            ("[-2e-38, 1] or inf", ((-2e-38, 1), (np.inf, np.inf)), False),
            ("-inf", ((-np.inf, -np.inf),), False),
            ("nan with bits 0x7fc00000", (), True),
            ("any value", (), False),
            ("(1, 2)", (), False),
        ]:
            got = accepted.AcceptedSet.parse(text)
            self.assertEqual((got.intervals, got.nan), (intervals, nan), text)

    def test_picture(self):
        for text, actual, bars in [
            ("[1, 2] or [3, 4]", "5", 2), ("inf", "200", 1), ("nan", "0", 0),
            ("[-1.7e308, 1.7e308]", "inf", 1), ("0", "0.5", 1),
        ]:
            svg = accepted.picture(accepted.AcceptedSet.parse(text), actual)
            root = xml.etree.ElementTree.fromstring(svg)
            name = "{http://www.w3.org/2000/svg}"
            self.assertEqual(len(root.findall(name + "rect")), bars, text)
            self.assertEqual(len(root.findall(name + "path")), 1, text)
        self.assertEqual(accepted.picture(accepted.AcceptedSet.parse("any value"), "1"), "")

    def test_text_of_others_is_escaped(self):
        hostile = accepted.AcceptedSet("<script>", ((1.0, 2.0),), False)
        svg = accepted.picture(hostile, "</svg><b>")
        self.assertNotIn("<script>", svg)
        self.assertNotIn("<b>", svg)
        result = hlocts.Result("fail", "<b>m</b>", "e", "default", "", 1, 0, 0, None, ())
        self.assertNotIn("<b>", result._repr_html_())


class Arrays(unittest.TestCase):
    def test_ulps(self):
        one = np.float32(1)
        f32 = np.dtype(np.float32)
        self.assertEqual(arrays.ulps_between(f32, 1, float(np.nextafter(one, np.float32(2)))), 1)
        self.assertEqual(arrays.ulps_between(f32, -0.0, 0.0), 0)
        self.assertEqual(arrays.ulps_between(np.dtype(np.float16), -6e-8, 6e-8), 2)
        self.assertIsNone(arrays.ulps_between(f32, 1, np.inf))
        self.assertIsNone(arrays.ulps_between(np.dtype(np.int32), 1, 2))

    def test_numbers_are_printed_as_the_program_does(self):
        for value, said in [
            (np.float32(200), "200"), (np.float32(1e5), "1e+05"), (np.float32(0.1), "0.1"),
            (np.float32(-0.0), "-0"), (np.float32(np.inf), "inf"), (np.float64(1 / 3), repr(1 / 3)),
            (np.float32(1e-45), "1e-45"), (np.int8(-3), "-3"), (np.bool_(True), "true"),
            (np.complex64(1 - 2j), "(1, -2)"), (np.float16(65504), "65500"),
        ]:  # fmt: skip
            self.assertEqual(arrays.text(value), said)
        for value in np.float32([200, 1e5, 0.1, 3e-5, 16777216, 1 / 3, 1e30]):
            text = "HloModule m\nENTRY e { ROOT x = f32[] parameter(0) }"
            failure = hlocts.judge(text, [value], [-value]).failure
            self.assertEqual(failure.actual, arrays.text(-value))
            self.assertEqual(failure.accepted.text, arrays.text(value))

    def test_types_that_numpy_lacks(self):
        with self.assertRaisesRegex(hlocts.HloctsError, "no type for token"):
            arrays.dtype_of("token")
        try:
            import ml_dtypes
        except ImportError:
            with self.assertRaisesRegex(hlocts.HloctsError, "pip install ml_dtypes"):
                arrays.dtype_of("bf16")
            self.skipTest("ml_dtypes is not installed")
        for name in ("bf16", "f8e4m3fn", "f8e5m2", "s4", "u4"):
            dtype = arrays.dtype_of(name)
            values = np.array([[0, 1, 2], [3, 4, 5]]).astype(dtype)
            stored = arrays.to_storage(values)
            self.assertIn(stored.dtype.kind, "iu")
            np.testing.assert_array_equal(arrays.from_storage(stored, dtype), values)
        self.assertEqual(arrays.dtype_of("bf16"), np.dtype(ml_dtypes.bfloat16))


if __name__ == "__main__":
    unittest.main()
