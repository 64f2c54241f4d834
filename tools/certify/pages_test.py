# SPDX-License-Identifier: Apache-2.0
"""pages.py: what it makes of a finding, what it refuses; the pages here are as it makes them."""

import pathlib
import sys
import tempfile
import types
import unittest

sys.dont_write_bytecode = True
import pages

WHOLE = (
    'title: "t"\nengine: "XLA:CPU of the plugin 0.11.2"\nclause: "add.1"\nthreads: "none found."\n'
)


def said(text):
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "finding.textproto"
        path.write_text(text)
        return pages.fields_of(path)


def finding(**records):
    empty = {"said": said(WHOLE), "history": None, "blamed": "", "answers": "", "in_jax": ""}
    made = types.SimpleNamespace(**{**empty, **records})
    for name in ("what", "where", "releases"):
        setattr(made, name, types.MethodType(getattr(pages.Finding, name), made))
    return made


class FieldsTest(unittest.TestCase):
    def test_texts_are_kept_in_their_order(self):
        self.assertEqual(said(WHOLE + 'text: "a \\"b\\""\ntext: "c"\n')["text"], ['a "b"', "c"])

    def test_a_field_that_is_not_in_the_schema_is_refused(self):
        with self.assertRaisesRegex(pages.Mistake, ":5: no field of finding.proto: colour"):
            said(WHOLE + 'colour: "red"\n')

    def test_a_field_stands_once(self):
        with self.assertRaisesRegex(pages.Mistake, "clause stands twice"):
            said(WHOLE + 'clause: "add.2"\n')

    def test_what_a_page_cannot_do_without_is_asked_for(self):
        with self.assertRaisesRegex(pages.Mistake, "no threads"):
            said(WHOLE.replace("threads", "guard"))


class FactsTest(unittest.TestCase):
    def test_a_page_says_what_was_seen(self):
        reason = "output 0 at []: accepted 1, found 2; wrong by itself"
        made = types.SimpleNamespace(verdict={"reason": reason + "\nmore"})
        self.assertEqual(pages.Finding.seen(made), "output 0 at []: accepted 1, found 2")

    def test_long_inputs_stay_in_their_file(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            (folder / "module.hlo").write_text("HloModule m\n")
            (folder / "inputs.txt").write_text("f32[] 1\n")
            self.assertIn("f32[] 1", pages.sources_of(folder))
            (folder / "inputs.txt").write_text("f32[] 1\n" * 100)
            self.assertEqual(pages.sources_of(folder), "```\nHloModule m\n```")

    def test_the_guilty_pass_is_told_without_the_verdict(self):
        row = "fail      pass algsimp                           confirmed"
        self.assertEqual(finding(blamed=row).where(), "algsimp, confirmed")
        self.assertEqual(finding(blamed="fail      code generation").where(), "code generation")
        self.assertEqual(finding().where(), "")

    def test_people_say_where_only_if_no_blame_is_recorded(self):
        words = said(WHOLE + 'where: "its converter"\n')
        self.assertEqual(finding(said=words).where(), "its converter")
        self.assertEqual(finding(said=words, blamed="fail      pass cse").where(), "cse")

    def test_releases_say_first_and_last_and_what_came_after(self):
        history = {
            "first_bad": "b",
            "last_good_before": "a",
            "last_bad": "c",
            "first_good_after": "d",
            "monotone": True,
            "strip": "oXXo",
        }
        self.assertEqual(
            finding(history=history).releases(), "good in a, bad from b to c, right in d `oXXo`"
        )
        history.update(last_good_before=None, first_good_after=None, monotone=False)
        self.assertEqual(
            finding(history=history).releases(),
            "b, the oldest that says something, to c; it came and went `oXXo`",
        )

    def test_engines_that_answer_alike_stand_together(self):
        words = pages.others(
            finding(answers="xla@0.11.2=pass iree@3.13.0?target=vmvx=fail litert=pass")
        )
        self.assertEqual(words, "right: xla@0.11.2, litert; wrong value: iree@3.13.0?target=vmvx")

    def test_a_result_that_varies_says_so(self):
        varied = finding(verdict={"verdict": "fail"}, said=said(WHOLE + "differs: true\n"))
        self.assertEqual(varied.what(), "wrong value, not the same in every run")

    def test_families_are_engines_without_their_release(self):
        for engine, family in (
            ("IREE 3.13.0, vmvx", "IREE"),
            ("XLA:CPU of x", "XLA:CPU"),
            ("jaxlib 0.12.0.1, conversion", "jaxlib"),
        ):
            self.assertEqual(pages.family_of(finding(said={"engine": engine})), family)


class PagesTest(unittest.TestCase):
    def test_the_pages_here_are_as_they_are_made(self):
        stale = [path.parent.name for path, text in pages.made() if path.read_text() != text]
        self.assertEqual(stale, [], "run tools/certify/pages.py")


if __name__ == "__main__":
    unittest.main()
