# SPDX-License-Identifier: Apache-2.0
"""Serves one release of an engine that is reached through Python (backends/engines.textproto).

    python3 -IB release_worker.py --engine=jaxlib --folder=DIR --name=jaxlib@0.9.2 --version=TEXT
                                  [--converter=DIR --via=ENGINE] [--fact=FACT]... [NAME=VALUE]...

DIR contains the release, and the user's own Python packages are not used. If --folder is empty, the
engine is the package that the user has installed. --converter is a directory with jaxlib, which
converts HLO to StableHLO for engines that accept only StableHLO; ENGINE evaluates the converted
module. NAME=VALUE are options of the engine. Modules arrive as HloModuleProto.
"""

import argparse
import importlib
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
ENGINES = ("jaxlib", "stablehlo", "iree", "catalyst", "litert")


def arguments():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--engine", choices=ENGINES, required=True)
    parser.add_argument("--folder", default="")
    parser.add_argument("--converter", default="")
    parser.add_argument("--via", default="")
    parser.add_argument("--name", required=True)
    parser.add_argument("--version", required=True)
    parser.add_argument(
        "--reached", default="", help="HloModuleProto; prints what the compiler receives"
    )
    parser.add_argument("--fact", action="append", default=[])
    parser.add_argument("option", nargs="*")
    return parser.parse_args()


def instruction_set():
    """Returns the vector extension by which libraries select kernels; it may affect values."""
    try:
        with open("/proc/cpuinfo") as processors:
            return ", avx512f" if " avx512f " in processors.read() else ""
    except OSError:
        return ""


def version_text(version, package):
    """Replaces {version} by the version of the loaded package."""
    return version.replace("{version}", getattr(sys.modules.get(package), "__version__", "?"))


def add_xla_flags(options, environment):
    """Adds the engine's options to XLA_FLAGS, which XLA reads once, when its library is loaded."""
    flags = [f"--{name}={value}" for name, value in options.items() if name.startswith("xla_")]
    environment["XLA_FLAGS"] = " ".join([*environment.get("XLA_FLAGS", "").split(), *flags])


def main():
    given = arguments()
    options = dict(option.split("=", 1) for option in given.option)
    add_xla_flags(options, os.environ)
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
    sys.path[:0] = [folder for folder in (given.folder, given.converter) if folder]
    sys.path[:0] = [HERE, os.path.join(HERE, "../../examples")]
    if given.reached:
        return importlib.import_module("stablehlo_text").write_reached(given.reached)
    frames = importlib.import_module("hlocts_frames")
    try:
        load = importlib.import_module(f"{given.engine}_engine").make(options)
    except Exception as error:  # users see the engine's start-up error as the reason
        load, reason = None, f"{type(error).__name__}: {error}"
    else:
        reason = ""
    frames.serve(
        given.name,
        version_text(given.version, given.engine) + instruction_set(),
        load,
        capabilities=("execute", "proto")
        + ((f"via:{given.via}",) if given.via else ())
        + (("partitions",) if given.engine == "jaxlib" else ()),
        facts=given.fact,
        proto=True,
        unavailable_reason=reason,
    )


if __name__ == "__main__":
    main()
