# SPDX-License-Identifier: Apache-2.0
"""Tests the wheel that pip makes. Needs pip, hatchling and a built program (in build/ or
$HLOCTS_BUILD_DIR)."""

import importlib.util
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import zipfile

PACKAGE = pathlib.Path(__file__).resolve().parents[1]
BUILD = pathlib.Path(os.environ.get("HLOCTS_BUILD_DIR") or PACKAGE.parent / "build")
HAS_TOOLS = all(importlib.util.find_spec(name) for name in ("pip", "hatchling"))


def make(folder, **environment):
    """Makes the wheel and unpacks it as pip does, with executable programs."""
    subprocess.run([sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "--no-build-isolation",
                    "-w", folder, str(PACKAGE)], check=True,
                   env=os.environ | environment)  # fmt: skip
    (wheel,) = pathlib.Path(folder).glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        for one in archive.infolist():
            path = pathlib.Path(archive.extract(one, folder))
            path.chmod((one.external_attr >> 16) & 0o777 or 0o644)
    return wheel


@unittest.skipUnless(HAS_TOOLS, "pip or hatchling is not installed")
class Wheel(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory(prefix="hlocts-wheel-")
        self.addCleanup(scratch.cleanup)
        self.folder = scratch.name

    @unittest.skipUnless((BUILD / "hlocts").is_file(), "the program is not built")
    def test_the_program_runs_from_where_it_is(self):
        wheel = make(self.folder)
        self.assertRegex(wheel.name, r"-py3-none-manylinux_2_\d+_\w+\.whl$")
        program = pathlib.Path(self.folder, "hlocts", "program", "bin", "hlocts")
        empty = {"PATH": "/usr/bin:/bin", "HOME": self.folder}
        linked = subprocess.run(["ldd", program], capture_output=True, text=True, check=True).stdout
        beside = [line for line in linked.splitlines() if "libabsl" in line or "libmpfr" in line]
        self.assertTrue(beside)
        for line in beside:
            self.assertIn("/program/bin/../lib/hlocts/", line)
        done = subprocess.run([program, "run", "--backend=reference", "movement/pad"], cwd="/", env=empty,
                              capture_output=True, text=True, check=False)  # fmt: skip
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
        self.assertIn("all as expected", done.stdout)
        (described,) = pathlib.Path(self.folder).glob("*.dist-info/METADATA")
        page = described.read_text()
        self.assertIn("\nLicense-Expression: Apache-2.0\nLicense-File: LICENSE\n", page)
        self.assertTrue((described.parent / "licenses" / "LICENSE").is_file())
        self.assertIn("hlocts help jax-users", page)
        self.assertLess(page.index("pip install hlocts-*.whl"), page.index("./python"))
        done = subprocess.run([program, "help", "checking"], cwd="/", env=empty, capture_output=True,
                              text=True, check=True)  # fmt: skip
        self.assertIn("--resume DIR", done.stdout)
        if pathlib.Path("/var/lib/dpkg/info").is_dir():  # PEP 770: bill of materials
            self.assertTrue(list(pathlib.Path(self.folder).glob("*.dist-info/sboms/*.cdx.json")))

    def test_a_pure_one_has_no_program(self):
        wheel = make(self.folder, HLOCTS_WHEEL="pure")
        self.assertTrue(wheel.name.endswith("-py3-none-any.whl"), wheel.name)
        self.assertFalse(pathlib.Path(self.folder, "hlocts", "program").exists())


if __name__ == "__main__":
    unittest.main()
