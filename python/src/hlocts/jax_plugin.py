# SPDX-License-Identifier: Apache-2.0
"""The PJRT plugins of hlocts as JAX platforms, by JAX's plugin entry point.

    JAX_PLATFORMS=hlocts_reference python3 script.py   the reference evaluator computes
    JAX_PLATFORMS=hlocts_cpu python3 script.py         the CPU engine of hlocts computes
    JAX_PLATFORMS=hlocts_check python3 script.py       XLA computes, hlocts judges (hlocts.check)

A platform is registered when JAX_PLATFORMS or jax_platforms names it, so that other programs of the
same environment load nothing.
"""

from __future__ import annotations

import importlib
import os
import pathlib
import sys
from typing import Any

from hlocts import binary, checking
from hlocts.errors import HloctsError

LIBRARIES = {
    "hlocts_reference": "libhlocts_reference.so",
    "hlocts_cpu": "libhlocts_cpu.so",
}
# JAX has rules of lowering for the name of a platform: linear algebra needs those of "cpu".
_PLATFORM = "cpu"


def converter_command() -> str:
    """The value of the plugins' option stablehlo_converter: arguments, one a line."""
    return "\n".join([sys.executable, "-m", "hlocts.stablehlo"])


def library(name: str) -> pathlib.Path:
    """The path of a plugin: beside the program, as it is built or installed."""
    program = binary.find()
    for folder in (program.parent / "engines", program.parent, program.parent / "../lib/hlocts"):
        if (folder / name).is_file():
            return (folder / name).resolve()
    raise HloctsError(f"{name} is not beside {program}: ci/engines builds it")


def _named(jax: Any) -> list[str]:
    return [name.strip() for name in (jax.config.jax_platforms or "").split(",")]


def initialize() -> None:
    """JAX calls it when it looks for plugins."""
    jax: Any = importlib.import_module("jax")
    bridge: Any = importlib.import_module("jax._src.xla_bridge")
    named = _named(jax)
    if "hlocts_check" in named:
        words = checking.settings(os.environ.get("HLOCTS_CHECK", ""))
        os.environ.update(checking.environment(words))
        path = str(library("libhlocts_check.so"))
        bridge.register_plugin("hlocts_check", library_path=path)
    for platform in named:
        if platform not in LIBRARIES:
            continue
        options = {"platform_name": _PLATFORM, "stablehlo_converter": converter_command()}
        path = str(library(LIBRARIES[platform]))
        bridge.register_plugin(platform, library_path=path, options=options)
