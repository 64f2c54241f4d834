# SPDX-License-Identifier: Apache-2.0
"""Packs the program into the wheel: the built one where there is one, else it is built now.

  HLOCTS_BUILD_DIR   folder of a build; by default build/ of this checkout
  HLOCTS_WHEEL=pure  no program in the wheel: it is searched where the package is used
"""

import os
import pathlib
import platform
import shutil
import subprocess

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

ROOT = pathlib.Path(__file__).resolve().parents[1]
BUILD = pathlib.Path(os.environ.get("HLOCTS_BUILD_DIR") or ROOT / "build").resolve()
IS_PURE = os.environ.get("HLOCTS_WHEEL") == "pure"
HAS_PROGRAM = (BUILD / "hlocts").is_file()


def _run(*command):
    done = subprocess.run(list(map(str, command)), cwd=ROOT, check=False)
    if done.returncode != 0:
        raise RuntimeError(
            f"`{' '.join(map(str, command))}` failed: what the build needs on Debian 12 is "
            "installed by ci/setup; a package without the program is made by HLOCTS_WHEEL=pure"
        )


def _without_links(folder):
    """A wheel holds no links. A library is loaded by its short name, which is a link."""
    for link in [path for path in folder.rglob("*") if path.is_symlink()]:
        target = link.resolve()
        link.unlink()
        if target.exists():  # two names of one file: the first one has it
            target.rename(link)


def _packages_with(names):
    """Debian's packages that hold files of these names. (dpkg -S reads all lists for each name.)"""
    for listing in pathlib.Path("/var/lib/dpkg/info").glob("*.list"):
        lines = listing.read_text(errors="replace").splitlines()
        if any(line.rpartition("/")[2] in names for line in lines):
            yield listing.stem.partition(":")[0]


def _add_licences(staging):
    """Of the libraries that come along, where Debian knows them."""
    for package in _packages_with({path.name for path in (staging / "lib").rglob("*.so*")}):
        notice = pathlib.Path("/usr/share/doc", package, "copyright")
        if notice.is_file():
            target = staging / "share" / "hlocts" / "licences" / package
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(notice, target)


def _platform_tag():
    """The platform tag: a program built here is only promised to run with the C library of this
    machine or a later one."""
    libc, _, version = os.confstr("CS_GNU_LIBC_VERSION").partition(" ")
    if libc != "glibc":
        raise RuntimeError(f"a wheel with the program needs glibc, found {libc}")
    major, minor = version.split(".")[:2]
    return f"py3-none-manylinux_{major}_{minor}_{platform.machine()}"


class CustomBuildHook(BuildHookInterface):
    def dependencies(self):
        is_built = IS_PURE or HAS_PROGRAM
        missing = [tool for tool in ("cmake", "ninja") if not shutil.which(tool)]
        return [] if is_built else [{"cmake": "cmake>=3.25"}.get(tool, tool) for tool in missing]

    def initialize(self, version, build_data):
        if version == "editable" or IS_PURE:
            return  # the program of the checkout is found
        if HAS_PROGRAM and not (BUILD / "cmake_install.cmake").is_file():
            raise RuntimeError(
                f"{BUILD} holds a copy of the program without the build that made it, and nothing "
                f"can be packed from that: expected HLOCTS_WHEEL=pure for the package alone, which "
                f"finds the program by HLOCTS={BUILD}/hlocts")
        if not HAS_PROGRAM:
            # A unity build: half the time, for a build without later edits.
            _run("cmake", "--preset=ci", "-B", BUILD)
            _run("cmake", "--build", BUILD, "--target", "hlocts")
        staging = pathlib.Path(self.directory) / "program"
        shutil.rmtree(staging, ignore_errors=True)
        _run("cmake", "--install", BUILD, f"--prefix={staging}", "--strip")
        _without_links(staging)
        _add_licences(staging)
        build_data["pure_python"] = False
        build_data["tag"] = _platform_tag()
        build_data["force_include"][str(staging)] = "hlocts/program"
