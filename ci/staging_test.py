#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Tests the tree of a release (ci/staging.py) in another directory. The tree must run there, need no
newer system than promised, name no directory of the build, and describe each of its libraries.
Packing it twice must give the same bytes.

  staging_test.py BUILD"""

import hashlib
import importlib.util
import json
import os
import pathlib
import re
import resource
import runpy
import shutil
import subprocess
import sys
import tempfile
import types
import unittest
import unittest.mock

import staging
from night import steps
from night.night import TIME_OVER, Night, Stopped

BUILD = pathlib.Path()
PROMISED = {"GLIBC_": (2, 35), "GLIBCXX_": (3, 4, 30), "CXXABI_": (1, 3, 13)}  # Ubuntu 22.04


FINDING = "share/hlocts/results/findings/xla-count-leading-zeros-of-a-constant"


def run(*command, **more):
    return subprocess.run(command, capture_output=True, text=True, **more)


class Staged(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(dir=os.environ.get("TEST_TMPDIR"))
        cls.scratch = pathlib.Path(cls.enterClassContext(folder))
        staging.stage(BUILD, cls.scratch / "made")
        cls.tree = (cls.scratch / "made").rename(cls.scratch / "moved")

    def hlocts(self, *words, status=0):
        done = run(self.tree / "bin/hlocts", *words, cwd="/",
                   env={"PATH": "/usr/bin:/bin", "HOME": str(self.scratch)})
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        return done.stdout

    def nightly(self, *words, **more):
        """Returns the completed process of a nightly run, and its working directory."""
        here = pathlib.Path(self.enterContext(tempfile.TemporaryDirectory()))
        return run(self.tree / "share/hlocts/ci/nightly", "--budget=1s", "--night=n", "--hook=cat", *words,
                   cwd=here, env=os.environ | {"HLOCTS_CACHE": str(here)}, **more), here

    def test_a_nightly_run_writes_to_the_working_directory(self):
        unknown, here = self.nightly("--engine=none")
        self.assertEqual(unknown.returncode, 2, unknown.stdout + unknown.stderr)
        self.assertIn("none", unknown.stderr.splitlines()[-1])
        self.assertEqual(os.listdir(here), [])
        done, here = self.nightly("--engine=reference")
        # 1 if the machine is so slow that the suite lost cases
        self.assertIn(done.returncode, (0, 1), done.stdout + done.stderr)
        self.assertIn("tier smoke, engines reference", done.stdout)
        self.assertTrue((here / "out/nightly/n/night.md").exists(), done.stdout)
        self.assertFalse((self.tree / "share/hlocts/out").exists())

    def test_a_nightly_run_names_an_engine_that_is_not_installed_once(self):
        done, here = self.nightly("--engine=iree@3.13.0", "--budget=60s")
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        cause = "engine iree@3.13.0 is not installed: hlocts engines install iree@3.13.0"
        self.assertIn(f"suite iree@3.13.0: {cause}", done.stdout)
        self.assertNotIn("findings iree", done.stdout)
        self.assertNotIn("fuzz iree", done.stdout)
        log = (here / "out/nightly/n/log.txt").read_text()
        self.assertEqual(log.count(cause), 1, log)

    def test_a_nightly_run_on_a_full_disk_is_reported(self):
        def limit():
            resource.setrlimit(resource.RLIMIT_FSIZE, (64, 64))

        done, _ = self.nightly("--engine=reference", preexec_fn=limit)
        self.assertEqual(done.returncode, 3, done.stdout + done.stderr)
        self.assertRegex(done.stderr, r"\Anightly: the run stopped: File too large: .*\n\Z")
        self.assertRegex(done.stdout, r"the run stopped: File too large: \S+\n\Z", "the hook")

    def test_pages_mark_files_of_the_source_tree(self):
        share = self.tree / "share/hlocts"
        for page in share.rglob("*.md"):  # also those that claims hash, which staging cannot change
            for span in re.findall(r"(?<!`)`[^`\n]+`(?!`)(?! \(source tree\))", page.read_text()):
                self.assertFalse(staging.lacking(span, page.parent, share), f"{page}: {span}")

    def test_a_sweep_names_what_is_wrong(self):
        tables = self.tree / "share/hlocts/results/sweeps/accuracy.json"
        broken = self.scratch / "broken.json"
        broken.write_text('{"rows": [1')
        for status, reason, words in (
            (2, "/none.json: No such file or directory", ["--gate=/none.json", "cpu"]),
            (2, f"{broken}: expected a file that --json writes", [f"--gate={broken}", "cpu"]),
            (2, f"{tables}: no release 7", [f"--gate={tables}", "--like=7", "cpu"]),
            (2, 'backend "none": expected one of .*', [f"--gate={tables}", "none"]),
            (3, "engine iree@3.13.0 is not installed: .*", [f"--gate={tables}", "iree@3.13.0"]),
        ):
            done = run(self.tree / "share/hlocts/tools/measure/sweep.py", *words,
                       env=os.environ | {"HLOCTS_CACHE": str(self.scratch)})
            self.assertEqual((done.returncode, done.stdout), (status, ""), done.stderr)
            self.assertRegex(done.stderr, rf"\Asweep: {reason}\n\Z")

    @unittest.skipUnless(shutil.which("objdump"), "no objdump")
    def test_it_needs_no_newer_system_than_promised(self):
        for prefix, most in PROMISED.items():
            self.assertLessEqual(staging.symbol_version(self.tree, prefix), most, prefix)

    def test_libraries_are_found_beside_the_program_and_beside_each_plugin(self):
        system = ("linux-vdso", "/lib64/ld-linux", "libc.so", "libm.so", "libgcc_s.so", "libstdc++.so")
        plugins = sorted((self.tree / "lib/hlocts").glob("libhlocts_*.so"))
        self.assertGreaterEqual({path.name for path in plugins},
                                {"libhlocts_check.so", "libhlocts_reference.so", "libhlocts_spec.so"})
        for path in [self.tree / "bin/hlocts", *plugins]:
            for line in filter(None, map(str.strip, run("ldd", path, check=True).stdout.splitlines())):
                if not line.startswith(system):
                    self.assertIn(str(self.tree), line, path.name)

    def test_it_names_no_directory_of_the_build(self):
        names = {str(BUILD).encode(), str(staging.ROOT).encode()}
        for path in filter(pathlib.Path.is_file, self.tree.rglob("*")):
            found = [name.decode() for name in names if name in path.read_bytes()]
            self.assertEqual(found, [], path)

    def test_pages_name_the_program_and_files_that_are_there(self):
        share = self.tree / "share/hlocts"
        pages = staging.pages_of(share)
        self.assertGreater(len(pages), 10)
        for page in pages:
            text = page.read_text()
            self.assertNotIn("build/hlocts", text, page)
            for line in re.sub(r"`[^`\n]+` \(source tree\)|.*[^`] \(source tree\)$", "", text, flags=re.M).splitlines():
                self.assertFalse(staging.lacking(line, page.parent, share), f"{page}: {line}")

    def test_the_line_of_a_checkout_stays(self):
        line = "in a checkout: pip install ./python jax"
        installed = staging.installed_page(f"pip install ./python jax\n{line}", BUILD, BUILD)
        self.assertEqual(installed.split(" (source")[0], f"pip install hlocts-*.whl jax\n{line}")

    def test_code_is_no_link(self):
        code = "`s32[<=4](3) {1}`, ``a `f[0](1)` b`` and\n\n```\nf32[2](x) [a](b)\n```\n"
        page = code + "![p](q) [w](none.md) [`w[0]`](none.md)"
        installed = staging.installed_page(page, BUILD, BUILD)
        self.assertEqual(installed, code + "![p](q) w `w[0]`")

    def test_the_evidence_of_the_readme_is_packed(self):
        share = self.tree / "share/hlocts"
        for name in ("selfcheck/faults.txt", "scorecards/xla.txt", "programs/programs.txt", "sweeps/sweeps.txt"):
            self.assertTrue((share / "results" / name).exists(), name)
        index = (share / "docs/pages/findings/index.md").read_text()
        for path in (share / "results/findings").glob("*/finding.textproto"):
            self.assertIn(f"](../../../results/findings/{path.parent.name})", index)
        readme = runpy.run_path(str(staging.ROOT / "ci/release"))["readme_of"](share)
        self.assertIn("\n\nLinks, `bin/hlocts` and `share/hlocts/...` are paths from this directory", readme)
        for target in re.findall(r"\]\(([^)#:\s]+)[)#]", readme):
            self.assertTrue((self.tree / target).exists(), target)

    def test_every_link_and_picture_of_a_page_is_there(self):
        pages = list((self.tree / "share/hlocts").rglob("*.md"))
        self.assertGreater(len(pages), 100)
        links = [(page, target) for page in pages
                 for target in re.findall(r"\]\(([^)#:\s]+)[)#]", re.sub(r"`[^`\n]+`", "", page.read_text()))]
        self.assertGreater(sum(target.endswith(".svg") for _, target in links), 4)
        for page, target in links:
            self.assertTrue((page.parent / target).exists(), f"{page}: {target}")

    def certify(self, script, *words, python=(sys.executable,)):
        return run(*python, self.tree / "share/hlocts/tools/certify" / script, *words, cwd="/")

    def test_certificates_are_made_and_checked(self):
        bundle = self.scratch / "bundle"
        shutil.copytree(self.tree / FINDING, bundle)
        kept = (bundle / "finding.textproto").read_text().splitlines(keepends=True)
        (bundle / "finding.textproto").write_text("".join(
            line for line in kept if not line.startswith("certificate:")))
        # -S hides the packages of the system.
        for script in ("check.py", "certify.py"):
            without = self.certify(script, bundle, python=(sys.executable, "-S"))
            self.assertEqual((without.returncode, without.stdout), (3, ""), without.stderr)
            self.assertRegex(without.stderr, r"\ANo module named .*: .* needs numpy and gmpy2 .*\n\Z")
            self.assertEqual(self.certify(script, "--help", python=(sys.executable, "-S")).returncode, 0)
        pages = self.certify("pages.py", self.scratch / "pages")
        self.assertEqual(pages.returncode, 0, pages.stderr)
        if not all(map(importlib.util.find_spec, ("numpy", "gmpy2"))):
            self.skipTest("no numpy or gmpy2")
        for script, folder in (("check.py", self.tree / FINDING), ("certify.py", bundle), ("check.py", bundle)):
            done = self.certify(script, folder)
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            self.assertIn(": holds\n", done.stdout)

    def test_it_runs_with_its_own_suite(self):
        shutil.rmtree(self.tree / "share/hlocts/suites/cases/sharding")
        self.assertIn("all as expected", self.hlocts("run", "--backend=reference", "movement/pad"))
        self.assertNotIn("sharding/", self.hlocts("list"), "its own suite, not that of the source")
        self.assertEqual(self.hlocts("--version").strip(), f"hlocts {staging.VERSION}")

    def test_commands_find_what_they_read(self):
        self.hlocts("ops", "add")
        self.hlocts("clauses", "pad.12")
        self.hlocts("engines", "list")
        self.hlocts("cluster", "slurm", "movement/rev", "--shards=2", "--backend=reference",
                    f"--out={self.scratch}/jobs")
        # Exit status 0: the failure does not occur on the reference.
        self.hlocts("replay", self.tree / FINDING, "--backend=reference")

    @unittest.skipUnless(staging.LISTS.is_dir(), "no package lists of Debian")
    def test_each_library_is_described(self):
        share = self.tree / "share/hlocts"
        sbom = json.loads((share / staging.SBOM).read_text())
        listed = [*sbom["components"], sbom["metadata"]["component"]]
        files = {file["name"]: file["hashes"][0]["content"] for one in listed for file in one["components"]}
        self.assertIn("bin/hlocts", files)
        self.assertEqual(set(files), {str(path.relative_to(self.tree)) for path in staging.elf_files(self.tree)})
        listed.pop()
        for name, digest in files.items():
            self.assertEqual(hashlib.sha256((self.tree / name).read_bytes()).hexdigest(), digest, name)
        # Libraries that are compiled in: an archive, headers, and the scripts of a page.
        self.assertLessEqual({"sqlite3", "nlohmann-json3", "datatables.js", "cli11", "protobuf"},
                             {one["name"] for one in listed})
        self.assertFalse({"googletest", "gmock"} & {one["name"] for one in listed})
        notices = (share / staging.NOTICES).read_text()
        for one in listed:
            self.assertIn(f"\n{one['name']} {one['version']}: ", notices)
        for name in ("Apache License", "GNU LESSER GENERAL PUBLIC LICENSE"):
            self.assertIn(name, notices)

    @unittest.skipUnless(staging.LISTS.is_dir(), "no package lists of Debian")
    def test_a_library_without_a_row_is_refused(self):
        rows = (staging.ROOT / "ci/third_party.txt").read_text()
        other = self.scratch / "other"
        (other / "ci").mkdir(parents=True)
        (other / "ci/third_party.txt").write_text(rows.replace("\nsqlite3\t", "\nother\t"))
        with unittest.mock.patch.object(staging, "ROOT", other):
            with self.assertRaisesRegex(RuntimeError, "no row for sqlite3"):
                staging.components_of(BUILD, self.tree)


class Replayed(unittest.TestCase):
    def test_findings_that_were_cut_are_replayed_later(self):
        ran = []

        class Fake:
            options, state = types.SimpleNamespace(budget=60), {"families": []}

            def free(self):
                return 0

            def save(self):
                pass

            def hlocts(self, _, *words, log, **limits):
                ran.append([word for word in words if not word.startswith("--")])
                with log.open("a") as out:
                    for one in ran[-1][:3] if len(ran) == 1 else ran[-1]:
                        out.write(json.dumps({"module": one, "verdict": "pass"}) + "\n")
                    out.write('{"module": "half' if len(ran) == 1 else "")
                return (TIME_OVER if len(ran) == 1 else None), ""

        with tempfile.TemporaryDirectory() as scratch:
            night = Fake()
            night.folder = night.options.out = pathlib.Path(scratch)
            self.assertRegex(steps.findings(night, "cpu", ["cpu"]), "time ran out, 3 of [0-9]+ finding")
            self.assertEqual(night.state["cut findings"], ["cpu"])
            self.assertIsNone(steps.replay(night, "cpu", ["cpu"], 60))
            self.assertIsNone(steps.replay(night, "cpu", ["cpu"], 60), "nothing is left")
            log = (night.folder / "findings/cpu/history.jsonl").read_text()
        self.assertEqual(ran[1:], [ran[0][3:]])
        self.assertEqual([json.loads(line)["module"] for line in log.splitlines()], ran[0])


class Continued(unittest.TestCase):
    """Tests that the same command continues a nightly run that did not end."""

    def test_one_process_writes_a_run_and_the_next_continues_it(self):
        with tempfile.TemporaryDirectory() as out:
            store, program = pathlib.Path(out, "store.db"), pathlib.Path(out, "hlocts")
            options = types.SimpleNamespace(night="1999-12-31", out=pathlib.Path(out), budget=60, store=store,
                                            hlocts=program)  # fmt: skip
            first = Night(options)
            with self.assertRaisesRegex(Stopped, "another process writes .*1999-12-31"):
                Night(options)
            self.assertEqual(first.step("import", lambda: "disk full"), "disk full")
            first.step("suite cpu", lambda: None)
            self.assertEqual(first.failed_steps(), ["import"])
            first.lock.close()
            options.night = None
            second = Night(options)
            self.assertEqual(second.name, "1999-12-31", "it began before midnight")
            second.step("suite cpu", self.fail)
            self.assertIsNone(second.step("import", lambda: None))
            self.assertEqual(second.failed_steps(), [])
            (second.folder / "finished").touch()
            today = Night(options).name
            self.assertNotEqual(today, second.name)
            # The directory of today's run is deleted, and the store still has the run.
            shutil.rmtree(pathlib.Path(out, today))
            store.touch()
            program.write_text("#!/bin/sh\necho '" + json.dumps({"night": today}) + "'\n")
            program.chmod(0o755)
            self.assertEqual(Night(options).name, f"{today}.02")

    def test_an_exchanged_plugin_is_noticed(self):
        with tempfile.NamedTemporaryFile(suffix=".so") as plugin:
            night = types.SimpleNamespace(state={"engines": ["cpu", f"a=pjrt:{plugin.name}?x=/y"]})
            self.assertEqual(steps.changed(night), [])
            self.assertEqual(len(night.state["files"]), 1)
            plugin.write(b"new")
            plugin.flush()
            self.assertEqual(steps.changed(night), night.state["engines"][1:])

    def test_a_plugin_of_the_working_directory_has_an_absolute_path(self):
        here = os.getcwd()
        for given, wanted in (("cpu", "cpu"), ("xla?options=/x", "xla?options=/x"),
                              ("a=pjrt:./b.so?c=./d", f"a=pjrt:{here}/b.so?c=./d"),
                              ("b/c.so", f"{here}/b/c.so"), ("exec:../x y", f"exec:{os.path.dirname(here)}/x y")):
            self.assertEqual(steps.with_absolute_path(given), wanted)


class Packed(unittest.TestCase):
    def test_the_same_files_have_the_same_bytes(self):
        with tempfile.TemporaryDirectory() as scratch:
            archives = []
            for number, names in enumerate(("ab", "ba")):
                tree = pathlib.Path(scratch, str(number), "tree")
                for name in names:
                    (tree / name).mkdir(parents=True)
                    (tree / name / "file").write_text(name)
                    (tree / name / "file").chmod(0o640 if number else 0o600)
                os.utime(tree / "a/file", (number, number))
                archives.append(tree.parent / "tree.tar.gz")
                runpy.run_path(str(staging.ROOT / "ci/release"))["pack"](tree, archives[-1], 86400)
            self.assertEqual(*(path.read_bytes() for path in archives))
            self.assertIn("-rw-r--r-- root/root", run("tar", "-tvzf", archives[0], check=True).stdout)


if __name__ == "__main__":
    BUILD = pathlib.Path(sys.argv.pop(1)).resolve()
    unittest.main()
