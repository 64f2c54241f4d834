# SPDX-License-Identifier: Apache-2.0
"""Tests finding.py, fold.py and pages.py: the fields that they read and write, and the pages."""

import contextlib
import io
import json
import pathlib
import runpy
import subprocess
import sys
import tempfile
import types
import unittest

sys.dont_write_bytecode = True
import clauses
import finding as fields
import fold
import pages

WHOLE = (
    'title: "t"\nengine: "XLA:CPU of the plugin 0.11.2"\nclause: "add.1"\nthreads: "none found."\n'
)


def said(text):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "finding.textproto"
        path.write_text(text)
        return fields.fields_of(path)


def finding(**records):
    empty = {"said": said(WHOLE), "strip": "", "answers": "", "in_jax": ""}
    made = types.SimpleNamespace(**{**empty, **records})
    for name in ("what", "releases"):
        setattr(made, name, types.MethodType(getattr(pages.Finding, name), made))
    return made


class FieldsTest(unittest.TestCase):
    def test_texts_are_kept_in_their_order(self):
        self.assertEqual(said(WHOLE + 'text: "a \\"b\\""\ntext: "c"\n')["text"], ['a "b"', "c"])

    def test_a_field_that_is_not_in_the_schema_is_refused(self):
        with self.assertRaisesRegex(fields.Mistake, ":5: no field of finding.proto: colour"):
            said(WHOLE + 'colour: "red"\n')

    def test_a_field_stands_once(self):
        with self.assertRaisesRegex(fields.Mistake, "clause appears twice"):
            said(WHOLE + 'clause: "add.2"\n')

    def test_what_a_page_cannot_do_without_is_asked_for(self):
        with self.assertRaisesRegex(fields.Mistake, "no threads"):
            said(WHOLE.replace("threads", "guard"))


class FactsTest(unittest.TestCase):
    def test_a_page_says_what_was_seen(self):
        reason = "output 0 at []: accepted 1, found 2; wrong by itself"
        made = types.SimpleNamespace(verdict={"reason": reason + "\nmore"})
        self.assertEqual(pages.Finding.seen(made), "output 0 at []: accepted 1, found 2")

    def test_long_inputs_are_not_shown(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "module.hlo").write_text("HloModule m\n")
            (folder / "inputs.txt").write_text("f32[] 1\n")
            self.assertIn("f32[] 1", pages.sources_of(folder))
            (folder / "inputs.txt").write_text("f32[] 1\n" * 100)
            self.assertEqual(pages.sources_of(folder), "```\nHloModule m\n```")

    def test_releases_are_first_and_last_and_the_one_after(self):
        history = {"first_bad": "b", "last_good_before": "a", "last_bad": "c"}
        history["first_good_after"] = "d"
        known = finding(said=history, strip="oXXo").releases()
        self.assertEqual(known, "good in a, bad from b to c, right in d `oXXo`")
        later = finding(said={"first_bad": "b", "last_bad": "c", "came_and_went": True}).releases()
        self.assertEqual(
            later, "b, the oldest release that runs it, to c; a release between them is right")
        self.assertEqual(finding(said={"history": "one release"}).releases(), "one release")

    def test_engines_that_answer_alike_stand_together(self):
        answers = "xla@0.11.2=pass iree@3.13.0?target=vmvx=fail litert=pass"
        words = pages.others(finding(answers=answers))
        self.assertEqual(words, "right: xla@0.11.2, litert; wrong value: iree@3.13.0?target=vmvx")

    def test_a_result_that_varies_says_so(self):
        varied = finding(verdict={"verdict": "fail"}, said=said(WHOLE + "differs: true\n"))
        self.assertEqual(varied.what(), "wrong value, not the same in every run")

    def test_families_are_engines_without_their_release(self):
        for engine, family in (("IREE 3.13.0, vmvx", "IREE"), ("XLA:CPU of x", "XLA:CPU"),
                               ("jaxlib 0.12.0.1, conversion", "jaxlib")):
            self.assertEqual(pages.family_of(finding(said={"engine": engine})), family)


class FoldTest(unittest.TestCase):
    """Tests that the files of a bundle become fields of finding.textproto, and files again."""

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.finding = pathlib.Path(folder.name) / "f"
        self.finding.mkdir()
        (self.finding / "finding.textproto").write_text(WHOLE + 'where: "by hand"\n')
        verdict = {"verdict": "fail", "reason": "the engine's \"own\" C:\\x"}
        (self.finding / "verdict.json").write_text(json.dumps(verdict) + "\n{}\n")
        (self.finding / "module.hlo").write_text("HloModule m\n")
        (self.finding / "certificate.json").write_text('{\n  "certificate": "none"\n}\n')
        (self.finding / "inputs.txt").write_text("f32[] 1\n")
        (self.finding / "actual.txt").write_text("replica 0\nf32[] nan(0x1)\n")
        self.verdict = verdict

    def test_the_verdict_survives(self):
        fold.fold(self.finding)
        self.assertEqual(fields.verdict_of(self.finding), self.verdict)
        names = [path.name for path in sorted(self.finding.iterdir())]
        self.assertEqual(names, ["finding.textproto", "module.hlo"])
        self.assertEqual(fields.fields_of(self.finding / "finding.textproto")["where"], "by hand")

    def test_literals_are_one_string_for_each_line_and_return_as_files(self):
        fold.fold(self.finding)
        text = (self.finding / "finding.textproto").read_text()
        self.assertIn('inputs: "f32[] 1\\n"\n', text)
        self.assertIn('actual:\n  "replica 0\\n"\n  "f32[] nan(0x1)\\n"\n', text)
        bundle = self.finding.parent / "bundle"
        fields.write_files(self.finding, bundle)
        self.assertEqual((bundle / "inputs.txt").read_text(), "f32[] 1\n")
        self.assertEqual((bundle / "actual.txt").read_text(), "replica 0\nf32[] nan(0x1)\n")
        self.assertEqual(fields.verdict_of(bundle), self.verdict)

    def test_records_become_fields_and_a_second_time_changes_nothing(self):
        history = {"first_bad": "b", "last_good_before": None, "last_bad": "c"}
        history.update(first_good_after="d", monotone=False)
        (self.finding / "history.json").write_text(json.dumps(history))
        blame = "f    fail      pass algsimp                           confirmed\n"
        (self.finding.parent / "blame.txt").write_text("# head\nff  fail  pass cse\n" + blame)
        fold.fold(self.finding)
        text = (self.finding / "finding.textproto").read_text()
        said = fields.fields_of(self.finding / "finding.textproto")
        self.assertEqual(said["where"], "algsimp, confirmed")
        self.assertEqual((said["first_bad"], said["first_good_after"]), ("b", "d"))
        self.assertTrue(said["came_and_went"])
        self.assertNotIn("last_good_before", said)
        fold.fold(self.finding)
        self.assertEqual((self.finding / "finding.textproto").read_text(), text)


MET_BY = ("a front end", "StableHLO", "HLO alone", "one pass alone", "an invalid module")


class PagesTest(unittest.TestCase):
    def test_each_finding_says_who_meets_it_and_where_it_belongs(self):
        for path in fields.FINDINGS.glob("*/finding.textproto"):
            said = fields.fields_of(path)
            self.assertIn(said.get("met_by"), MET_BY, path)
            self.assertRegex(said.get("file_at", ""), r"^[\w-]+/[\w-]+", path)

    def test_a_question_quotes_its_reading_and_certifies_nothing(self):
        for path in fields.FINDINGS.glob("*/finding.textproto"):
            said = fields.fields_of(path)
            certificate = json.loads(said["certificate"])
            if said.get("question"):
                self.assertTrue(said.get("legal_reading"), path)
                self.assertRegex(certificate.get("reason", ""), "^question: ", path)
            else:
                self.assertNotRegex(certificate.get("reason", ""), "^question: ", path)

    def test_a_finding_in_a_type_of_no_document_says_so_first(self):
        for path in fields.FINDINGS.glob("*/finding.textproto"):
            said = fields.fields_of(path)
            if said.get("question") or said["met_by"] == "an invalid module":
                continue
            first = said["text"][0].split(". ")[0]
            if clauses.unnamed_types((path.parent / "module.hlo").read_text()):
                self.assertRegex(first, r"\bno(ne| document of HLO) names the types? ", path)

    def test_programs_print_what_is_wanted_and_what_comes_out(self):
        for path in (*fields.FINDINGS.glob("*/repro.py"), fields.FINDINGS / "reproduce.py"):
            compile(path.read_text(), str(path), "exec")
            for word in ('"wanted', '"got'):
                self.assertIn(word, path.read_text(), path)

    def test_the_common_program_names_a_package_that_is_missing(self):
        path = fields.FINDINGS / "reproduce.py"
        hidden = "import runpy, sys; sys.modules |= {'numpy': sys, 'ml_dtypes': sys, 'jax': None}; "
        for word, status, message in (
            ("--help", 0, "pip install"), ("x", 2, "expected the directory of a finding"),
            (path.parent / "xla-all-gather-of-s2", 3, "No module named 'jax': pip install jax=="),
            (path.parent / "tpu-acosh-is-refused", 3, "\nrun     XLA:TPU's compiler"),
            (path.parent / "xla-absolute-value-of-a-square", 3, "pip install jax==0.11.0 reproduces it"),
            (path.parent / "xla-size-of-a-tuple", 3, "measured in the plugin 0.11.2, which no jax has"),
            (path.parent / "iree-convert-from-f8e8m0fnu", 3, "pip install jax==0.12.0.1 iree-base-compiler=="),
        ):  # fmt: skip
            run = f"sys.argv = ['r', '{word}']; runpy.run_path('{path}', run_name='__main__')"
            done = subprocess.run([sys.executable, "-c", hidden + run], capture_output=True,
                                  text=True, check=False)  # fmt: skip
            self.assertEqual(done.returncode, status, done.stderr)
            self.assertIn(message, done.stdout + done.stderr)
            self.assertNotIn("Traceback", done.stderr)
            self.assertLessEqual(done.stderr.count("\n"), 1)
        with tempfile.NamedTemporaryFile("w", suffix=".py") as own, contextlib.redirect_stderr(io.StringIO()) as said:
            print("# pip install a==1\nimport no_such_package", file=own, flush=True)
            runpy.run_path(str(path))["show_with_own_program"](pathlib.Path(own.name))
        self.assertEqual(said.getvalue(), "repro.py: ModuleNotFoundError: No module named 'no_such_package': "
                                          "pip install a==1\n")  # fmt: skip

    def test_the_common_program_judges_several_devices_by_the_end_of_their_own_program(self):
        refusal = "class JaxRuntimeError(Exception): pass\nraise JaxRuntimeError"
        with tempfile.TemporaryDirectory() as name:
            stubs, folder = pathlib.Path(name), pathlib.Path(name) / "xla-f"
            (stubs / "jaxlib-1.dist-info").mkdir()
            (stubs / "jaxlib-1.dist-info" / "METADATA").write_text("Name: jaxlib\nVersion: 1\n")
            for module in ("numpy", "ml_dtypes", "jax"):
                (stubs / f"{module}.py").write_text("")
            folder.mkdir()
            (folder / "module.hlo").write_text("HloModule m, num_partitions=2\n")
            for recorded, program, status in (
                ("crash", "import os; os.abort()", 1), ("rejected", refusal, 1), ("crash", "print(1)", 3),
                ("rejected", "import os; os.abort()", 3), ("crash", refusal, 3), ("rejected", "print(1)", 3),
                ("rejected", "raise ValueError", 3), ("rejected", "import no_such_package", 3),
                ("rejected", "raise SystemExit(1)", 3), ("fail", "print(1)", 3), ("crash", None, 3),
            ):  # fmt: skip
                verdict = json.dumps({"verdict": recorded, "first_failure": None})
                (folder / "finding.textproto").write_text(f"{WHOLE}met_by: 'a front end'\nverdict: '{verdict}'\n")
                (folder / "repro.py").unlink(missing_ok=True)
                if program:
                    (folder / "repro.py").write_text(program)
                done = subprocess.run([sys.executable, fields.FINDINGS / "reproduce.py", folder], text=True,
                                      capture_output=True, env={"PYTHONPATH": name}, check=False)  # fmt: skip
                self.assertEqual(done.returncode, status, (recorded, program, done.stdout, done.stderr))
                self.assertEqual("\nREPRODUCED by jaxlib 1\n" in done.stdout, status == 1, done.stdout)
                self.assertNotIn("NOT ", done.stdout)

    def test_the_common_program_replaces_no_other_bundle(self):
        main = runpy.run_path(str(fields.FINDINGS / "reproduce.py"))["main"]
        with tempfile.TemporaryDirectory() as folder:
            for name, status in (("xla-log-of-rsqrt", None), ("xla-log-of-rsqrt", None), ("xla-size-of-a-tuple", 2)):
                self.assertEqual(main([str(fields.FINDINGS / name), f"--write={folder}"]), status)
        self.assertEqual(fields.wanted_text({"accepted": "[24, 34]"}), "a value in [24, 34]")

    def test_the_common_program_compares_with_set_and_recorded_value(self):
        try:
            import numpy as np
        except ImportError as missing:
            self.skipTest(str(missing))
        run = runpy.run_path(str(fields.FINDINGS / "reproduce.py"))
        for accepted, value, within in (
            ("0", np.int32(-32), False), ("0", np.int32(0), True), ("[1, 2]", np.float32("nan"), False),
            ("+0 or -0", np.float32(-0.0), True), ("+0", np.float32(-0.0), False), ("true", np.bool_(False), False),
            ("inf or nan", np.float64("nan"), True), ("0.8", np.float32(0.8), True),
            ("([0, 1], [2, 3])", np.complex64(1 + 2j), True), ("normwise: ...", np.float32(1), None),
        ):  # fmt: skip
            self.assertIs(run["is_in"](accepted, value), within, (accepted, value))
        said = {"actual": "s32[1]{0} {-32}\n"}
        failure = {"output": 0, "index": [0], "accepted": "normwise: ..."}
        for value, wrong in ((-32, True), (0, False)):
            self.assertEqual(run["is_wrong"](said, failure, [np.array([value], np.int32)]), wrong)
        failure["index"] = [1, 30]
        said = [run["shown"](output, np.arange(9000).reshape(2, 4500), failure) for output in (0, 1)]
        self.assertRegex(said[0], r"^\[0, 1, .* 15\]  \(.* of 9000 on\)\n +\[4530, .*\(output 0, from value 4530 of")
        self.assertRegex(said[1], r"^\[0, 1, .* 15\]  \([^\n]*$")
        self.assertEqual(run["releases_of"]({"first_bad": "a", "last_bad": "b", "first_good_after": "c"}),
                         "wrong from a to b, right in c")  # fmt: skip
        self.assertEqual(run["releases_of"]({"first_bad": "a", "last_bad": "b", "came_and_went": True}),
                         "wrong from a to b; a release between them is right")  # fmt: skip

    def test_a_quotation_and_a_value_clause_name_clauses_that_are_there(self):
        for name in ("quotations.txt", "value_clauses.txt"):
            for clause, *_ in clauses.rows(pathlib.Path(clauses.__file__).parent / name):
                self.assertTrue(clauses.sentence_of(clause), (name, clause))

    def test_a_page_links_the_documents_and_names_the_edition_that_decides(self):
        for name, text in pages.made():
            if name != "index":
                self.assertRegex(text, r"\| documents \| .*https://.*#", name)
        address, edition = clauses.source_of("elementwise_comparison.1")
        self.assertIn("leaves it out", edition)
        self.assertIn("element-wise-comparison", address)
        self.assertIn("new in", clauses.source_of("elementwise_unary.46")[1])

    def test_each_finding_has_a_page_and_a_line_of_the_index(self):
        made = dict(pages.made())
        names = {path.parent.name for path in fields.FINDINGS.glob("*/module.hlo")}
        self.assertEqual(set(made) - {"index"}, names)
        for name in names:
            self.assertIn(f"| `{name}` |", made["index"])
            self.assertIn(f"hlocts replay results/findings/{name}", made[name])


if __name__ == "__main__":
    unittest.main()
