#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Tests the action and the image. The action declares its inputs and passes them by environment.
Its script runs as in a CI service. The image pins its contents, and its user is not root.

  score_test.py HLOCTS"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

import yaml

HERE = pathlib.Path(__file__).resolve().parent
HLOCTS = ""


def action():
    return yaml.safe_load((HERE / "action.yml").read_text())


def bash(text, folder, variables):
    return subprocess.run(["bash", "-eo", "pipefail", "-c", text], cwd=folder, env=os.environ | variables,
                          capture_output=True, text=True)


class Action(unittest.TestCase):
    def test_inputs_are_declared_and_stand_in_no_shell_line(self):
        made = action()
        used = set(re.findall(r"inputs\.(\w+)", (HERE / "action.yml").read_text()))
        self.assertEqual(used, set(made["inputs"]))
        for step in made["runs"]["steps"]:
            self.assertNotIn("${{", step.get("run", ""))
            self.assertEqual("run" in step, "shell" in step)

    def score(self, plugin, folder, **inputs):
        """Runs the step like a CI runner, with the program in the directory of the action's build."""
        (step,) = (one for one in action()["runs"]["steps"] if one.get("name") == "Score")
        values = {name: one.get("default", "") for name, one in action()["inputs"].items()}
        values |= inputs | {"plugin": plugin, "out": f"{folder}/out"}
        for place in ("action/build", "action/ci/score"):
            pathlib.Path(folder, place).mkdir(parents=True)
        pathlib.Path(folder, "action/build/hlocts").symlink_to(HLOCTS)
        return bash(step["run"], folder, {
            "GITHUB_ACTION_PATH": f"{folder}/action/ci/score", "GITHUB_STEP_SUMMARY": f"{folder}/summary",
            **{name: values[re.fullmatch(r"\$\{\{ inputs\.(\w+) \}\}", text)[1]]
               for name, text in step["env"].items()}})

    def test_a_file_that_is_no_plugin_fails_the_step(self):
        with tempfile.TemporaryDirectory() as folder:
            pathlib.Path(folder, "my plugin.so").write_text("no plugin")
            done = self.score("my plugin.so", folder)
            self.assertEqual(done.returncode, 3, done.stdout + done.stderr)
            self.assertIn("my plugin.so", done.stdout + done.stderr)
            self.assertIn("errors=\"1\"", pathlib.Path(folder, "out/junit.xml").read_text())

    def test_a_plugin_is_scored(self):
        cache = os.environ.get("HLOCTS_CACHE") or pathlib.Path.home() / ".cache/hlocts"
        plugin = next(pathlib.Path(cache).glob("engines/xla@*/*/*.so"), None)
        if plugin is None:
            self.skipTest("no plugin of XLA is installed (hlocts engines install xla)")
        with tempfile.TemporaryDirectory() as folder:
            known = HERE.parents[1] / "suites/expectations/xla.textproto"
            done = self.score(str(plugin), folder, label="mine", expectations=str(known),
                              queries="movement/pad movement/rev")
            self.assertIn(done.returncode, (0, 1), done.stdout + done.stderr)
            self.assertRegex(pathlib.Path(folder, "summary").read_text(), r"\Amine: \d+ of \d+ pass \(")
            for name in ("out/junit.xml", "out/report.html", "out/verdicts.jsonl", "summary"):
                self.assertGreater(pathlib.Path(folder, name).stat().st_size, 0, name)


class Workflow(unittest.TestCase):
    """Tests that `try --ci` writes files that run unchanged, except for the build step."""

    def setUp(self):
        self.folder = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        engines = pathlib.Path(HLOCTS).parent / "engines"
        if not (engines / "libhlocts_cpu.so").exists():
            self.skipTest("our engines are not built (ci/engines)")
        (self.folder / "my.so").symlink_to(engines / "libhlocts_cpu.so")
        (self.folder / "libhlocts_spec.so").symlink_to(engines / "libhlocts_spec.so")

    def prepare(self, *options):
        return subprocess.run([HLOCTS, "try", "my.so", "--ci", *options], cwd=self.folder,
                              capture_output=True, text=True)

    def test_the_directory_of_a_release_is_refused(self):
        (self.folder / "share").mkdir()
        (self.folder / "share/hlocts").symlink_to(HERE.parents[1])
        os.environ["HLOCTS_HOME"] = str(self.folder / "share/hlocts")
        self.addCleanup(os.environ.pop, "HLOCTS_HOME")
        done = self.prepare()
        self.assertEqual(done.returncode, 2, done.stdout + done.stderr)
        self.assertIn(f"cd REPOSITORY; {HLOCTS} try {self.folder}/my.so --ci", done.stderr)
        self.assertFalse((self.folder / ".github").exists())

    def steps(self):
        text = (self.folder / ".github/workflows/hlocts.yml").read_text()
        self.assertNotIn("@", text.replace("@v4", ""), "a word that is not filled in")
        self.assertIn("# Replace ./build.sh by the command", text)
        made = yaml.safe_load(text)
        return made["env"], {one.get("name"): one for one in made["jobs"]["score"]["steps"]}

    def test_its_steps_run_with_the_tarball_alone(self):
        done = self.prepare("--label=mine")
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn(f"\nwritten in {self.folder}, ", done.stdout)
        self.assertTrue((self.folder / "hlocts-known.textproto").exists())
        for made in ("hlocts-known.textproto", ".github/workflows/hlocts.yml"):
            (self.folder / made).unlink()
        self.assertIn("reused:", self.prepare("--label=mine").stdout)
        variables, steps = self.steps()
        release = self.folder / "made/hlocts-any/bin"
        release.mkdir(parents=True)
        # Replaces a release's program by one that records its arguments.
        (release / "hlocts").write_text('#!/bin/sh\necho "$@" >>"$CALLS"\n')
        (release / "hlocts").chmod(0o755)
        subprocess.run(["tar", "-czf", variables["HLOCTS"], "-C", "made", "hlocts-any"],
                       cwd=self.folder, check=True)
        variables |= {"CALLS": f"{self.folder}/calls", "GITHUB_STEP_SUMMARY": "/dev/null"}
        unpack = lambda: bash(steps["Unpack hlocts"]["run"], self.folder, variables)
        self.assertIn("SHA256SUMS", unpack().stderr)  # there is none
        sums = self.folder / "SHA256SUMS"
        for line in (f"{64 * '0'}  {variables['HLOCTS']}\n", f"{64 * '0'}  other\n"):
            sums.write_text(line)
            self.assertEqual(unpack().returncode, 1)
            self.assertFalse((self.folder / "hlocts-release/bin").exists())
        bash(f"sha256sum {variables['HLOCTS']} >SHA256SUMS", self.folder, {}).check_returncode()
        variables["HLOCTS"] = f"file://{self.folder}/{variables['HLOCTS']}"  # an address
        unpack().check_returncode()
        bash(steps["Score"]["run"], self.folder, variables).check_returncode()
        self.assertIn("run --backend=mine=pjrt:./my.so --tier=smoke --expectations=hlocts-known.text",
                      (self.folder / "calls").read_text())

    def test_a_list_of_the_repository_is_used_as_it_is(self):
        (self.folder / "own.textproto").write_text("# none\n")
        self.prepare("--expectations=own.textproto")
        self.assertEqual((self.folder / "own.textproto").read_text(), "# none\n")
        self.assertIn("--expectations=own.textproto", self.steps()[1]["Score"]["run"])

    def test_a_list_from_elsewhere_is_copied(self):
        known = HERE.parents[1] / "suites/expectations/xla.textproto"
        before = known.read_bytes()
        self.prepare(f"--expectations={known}")
        self.assertEqual(known.read_bytes(), before)
        self.assertIn("xla-", (self.folder / "hlocts-known.textproto").read_text())
        self.assertIn("--expectations=hlocts-known.textproto", self.steps()[1]["Score"]["run"])
        done = subprocess.run([HLOCTS, "try", "my.so"], cwd=self.folder, capture_output=True, text=True)
        self.assertIn(" try my.so --expectations=hlocts-known.textproto --ci\n", done.stdout)

    def test_the_list_of_failures_is_written_from_the_run(self):
        done = subprocess.run([HLOCTS, "try", "mine=canary:fft.inverse-unscaled"], cwd=self.folder,
                              capture_output=True, text=True)
        (command,) = re.findall(r"list of the known failures.*:\n +(.*)\n", done.stdout)
        self.assertIn(" --tier=smoke --out=out/try-mine --resume ", command)
        first = re.search(r"\nnot as expected:\n *fail +\S+ +(\S+)", done.stdout)[1]
        name = re.sub("[^A-Za-z0-9=_,+-]", ".", first)
        self.assertIn(f" shrink out/try-mine/cases/{name} ", done.stdout)
        records = (self.folder / "out/try-mine/verdicts.jsonl").read_text()
        bash(command, self.folder, {})
        self.assertEqual((self.folder / "out/try-mine/verdicts.jsonl").read_text(), records)
        self.assertIn("linear_algebra/fft", (self.folder / "hlocts-known.textproto").read_text())
        (self.folder / "own.textproto").write_text("# none\n")
        done = subprocess.run([HLOCTS, "try", "mine=canary:fft.inverse-unscaled", "--expectations=own.textproto"],
                              cwd=self.folder, capture_output=True, text=True)
        self.assertIn(" --expectations=own.textproto --update-expectations\n", done.stdout)


class Image(unittest.TestCase):
    def test_what_it_is_made_of(self):
        text = (HERE / "Dockerfile").read_text().replace("\\\n", " ")
        lines = [line.split(None, 1) for line in text.splitlines() if line and line[0] != "#"]
        known = {"FROM", "SHELL", "COPY", "WORKDIR", "RUN", "USER", "ENTRYPOINT", "CMD"}
        self.assertLessEqual({word for word, _ in lines}, known)
        for word, rest in lines:
            if word == "FROM":
                self.assertRegex(rest, r"^debian:\d+(-slim)?( AS \w+)?$")
            if word == "RUN":
                subprocess.run(["bash", "-n", "-c", rest], check=True)
        last = [word for word, _ in lines][::-1]
        self.assertLess(last.index("USER"), last.index("FROM"), "it does not run as root")

    def test_linters_where_they_are(self):
        schema = ["check-jsonschema", "--builtin-schema", "vendor.github-actions", HERE / "action.yml"]
        for command in (["hadolint", HERE / "Dockerfile"], schema):
            if shutil.which(command[0]):
                subprocess.run(command, check=True)


if __name__ == "__main__":
    HLOCTS = str(pathlib.Path(sys.argv.pop(1)).resolve())
    unittest.main()
