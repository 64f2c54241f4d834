# SPDX-License-Identifier: Apache-2.0
"""Packs the program into the wheel. Builds it if there is no build.

  HLOCTS_BUILD_DIR   the build directory; by default build/ of this checkout
  HLOCTS_STAGED=DIR  the tree that ci/staging.py made; ci/release also packs it into a tarball
  HLOCTS_WHEEL=pure  no program in the wheel: the package searches for it at run time
"""

import os
import pathlib
import shutil
import subprocess
import sys

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT / "ci"))
import staging  # noqa: E402

BUILD = pathlib.Path(os.environ.get("HLOCTS_BUILD_DIR") or ROOT / "build").resolve()
STAGED = os.environ.get("HLOCTS_STAGED")
IS_PURE = os.environ.get("HLOCTS_WHEEL") == "pure"
HAS_PROGRAM = STAGED or (BUILD / "hlocts").is_file()


def _run(*command):
    done = subprocess.run(list(map(str, command)), cwd=ROOT, check=False)
    if done.returncode != 0:
        raise RuntimeError(
            f"`{' '.join(map(str, command))}` failed: what the build needs on Debian 12 is "
            "installed by ci/setup; a package without the program is made by HLOCTS_WHEEL=pure"
        )


class CustomBuildHook(BuildHookInterface):
    def dependencies(self):
        is_built = IS_PURE or HAS_PROGRAM
        missing = [tool for tool in ("cmake", "ninja") if not shutil.which(tool)]
        return [] if is_built else [{"cmake": "cmake>=3.25"}.get(tool, tool) for tool in missing]

    def initialize(self, version, build_data):
        if version == "editable" or IS_PURE:
            return  # the package finds the program of the checkout at run time
        staged = pathlib.Path(STAGED or self._stage())
        build_data["pure_python"] = False
        build_data["tag"] = f"py3-none-{staging.platform_tag(staged)}"
        build_data["force_include"][str(staged)] = "hlocts/program"
        sbom = staged / "share" / "hlocts" / staging.SBOM
        build_data["sbom_files"] += [str(sbom)] if sbom.is_file() else []

    def _stage(self):
        if HAS_PROGRAM and not (BUILD / "cmake_install.cmake").is_file():
            raise RuntimeError(
                f"{BUILD} holds a copy of the program without the build that made it, and nothing "
                f"can be packed from that: expected HLOCTS_WHEEL=pure for the package alone, which "
                f"finds the program by HLOCTS={BUILD}/hlocts")
        if not HAS_PROGRAM:
            # The preset ci makes a unity build: half the time, but unsuitable for later edits.
            _run("cmake", "--preset=ci", "-B", BUILD)
            _run("cmake", "--build", BUILD, "--target", "hlocts")
        staged = pathlib.Path(self.directory) / "program"
        shutil.rmtree(staged, ignore_errors=True)
        staging.stage(BUILD, staged)
        return staged
