# SPDX-License-Identifier: Apache-2.0
"""Registers the PJRT plugins of hlocts as JAX platforms, through JAX's entry point for plugins.

    JAX_PLATFORMS=hlocts_reference python3 script.py   the reference evaluator computes
    JAX_PLATFORMS=hlocts_cpu python3 script.py         the CPU engine of hlocts computes
    JAX_PLATFORMS=hlocts_check python3 script.py       JAX computes, hlocts judges (hlocts.check)

With HLOCTS_DEVICES=4 the first two have four devices each, like the CPU with jax_num_cpu_devices=4.
A platform is registered only if JAX_PLATFORMS or jax_platforms names it: other programs in the same
environment load nothing.
"""

from __future__ import annotations

import ctypes
import functools
import importlib
import os
import pathlib
import re
import sys
from typing import Any

from hlocts import binary, checking, lowering, own_client
from hlocts.errors import HloctsError

COMPUTING = ("hlocts_reference", "hlocts_cpu")  # hlocts_check only records
# JAX finds lowering rules by platform name, and linear algebra needs the rules of "cpu".
_PLATFORM = "cpu"


def library(name: str) -> pathlib.Path:
    """Returns the path of a plugin, relative to the built or installed program."""
    program = binary.find()
    for folder in (program.parent / "engines", program.parent, program.parent / "../lib/hlocts"):
        if (folder / name).is_file():
            return (folder / name).resolve()
    raise HloctsError(f"{name} is not next to {program}: ci/engines builds it")


def _named(jax: Any) -> list[str]:
    return [name.strip() for name in (jax.config.jax_platforms or "").split(",")]


def _address(capsule: Any) -> int:
    """Returns the pointer that a PyCapsule contains."""
    name_of, pointer_of = ctypes.pythonapi.PyCapsule_GetName, ctypes.pythonapi.PyCapsule_GetPointer
    name_of.restype, name_of.argtypes = ctypes.c_char_p, [ctypes.py_object]
    pointer_of.restype, pointer_of.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
    return int(pointer_of(capsule, name_of(capsule)))


def _pass_handlers(jax_client: Any, path: pathlib.Path) -> None:
    """Passes the CPU handlers of custom calls, such as LAPACK and callbacks, to the plugin. jaxlib
    registers them in itself, where a plugin does not find them. A plugin without a function for
    them gets none: it rejects a program that needs one."""
    register = ctypes.CDLL(str(path)).HloctsCheckRegisterHandler
    register.restype = ctypes.c_char_p
    register.argtypes = [ctypes.c_char_p, ctypes.c_char_p, ctypes.c_void_p, ctypes.c_uint32]
    in_jaxlib = jax_client._xla.register_custom_call_target

    def to_plugin(name: str, stages: Any, traits: Any) -> None:
        stages = stages if isinstance(stages, dict) else {"execute": stages}
        has_one = all(handler is None for stage, handler in stages.items() if stage != "execute")
        handler = _address(stages["execute"]) if has_one else None
        if problem := register(name.encode(), b"Host", handler, int(traits)):
            raise HloctsError(problem.decode())

    def to_both(
        name: str, stages: Any, platform: str, api_version: int = 0, traits: Any = 0
    ) -> None:
        in_jaxlib(name, stages, platform, api_version, traits)
        if api_version == 1:
            to_plugin(name, stages, traits)

    for name, stages in getattr(jax_client, "custom_call_targets", dict)("Host").items():
        to_plugin(name, stages, 0)
    jax_client.register_custom_call_handler("cpu", to_both)


def _device_options(bridge: Any) -> dict[str, int]:
    """Returns the number of CPU devices that the program requests, as client options."""
    number = bridge.num_cpu_devices.value if hasattr(bridge, "num_cpu_devices") else -1
    flag = re.search(r"host_platform_device_count=(\d+)", os.environ.get("XLA_FLAGS", ""))
    devices = number if number > 0 else int(flag[1]) if flag else 0
    return {"cpu_device_count": devices} if devices else {}


def _own_options(bridge: Any) -> dict[str, Any]:
    """Returns the client options of our plugins."""
    return {"platform_name": _PLATFORM, "stablehlo_converter": binary.CONVERTER} | _device_options(bridge)


def _register_check(bridge: Any, path: pathlib.Path) -> None:
    plugin = checking.settings(os.environ["HLOCTS_CHECK"])["plugin"]

    def options() -> dict[str, Any]:
        if pathlib.Path(plugin).name.startswith("libhlocts_"):
            given = os.environ.get("HLOCTS_CHECK_OPTIONS", "")  # cuda-host: device=host
            return _own_options(bridge) | dict(one.split("=", 1) for one in filter(None, given.split(",")))
        is_cpu = "/xla@" in plugin  # the path of an installed XLA:CPU
        return _device_options(bridge) or {"cpu_device_count": 1} if is_cpu else {}

    bridge.register_plugin("hlocts_check", library_path=str(path), options=options)
    _pass_handlers(importlib.import_module("jaxlib.xla_client"), path)


def _register(jax: Any, bridge: Any, platform: str) -> None:
    path = library(f"lib{platform}.so")
    if platform in COMPUTING:
        lowering.require(jax, "0.7.2", "this platform")
        bridge.register_plugin(platform, library_path=str(path), options=lambda: _own_options(bridge))
        return
    words = checking.settings(os.environ.get("HLOCTS_CHECK", ""))
    os.environ.update(checking.environment(words))
    if words.get("plugin", checking.OWN_CLIENT) != checking.OWN_CLIENT:
        return _register_check(bridge, path)
    names = [_PLATFORM if name == platform else name for name in _named(jax)]
    jax.config.update("jax_platforms", ",".join(names))
    own_client.record(path)


def initialize() -> None:
    """Registers the plugins. JAX calls this when it searches for plugins, and prints exceptions
    with tracebacks. A platform that cannot be registered ends the program on first use."""
    jax: Any = importlib.import_module("jax")
    bridge: Any = importlib.import_module("jax._src.xla_bridge")
    is_checked = "HLOCTS_CHECK_JUDGE" in os.environ or "hlocts_check" in os.environ.get(
        "JAX_PLATFORMS", "")  # fmt: skip
    if is_checked and not {*COMPUTING, "hlocts_check"} & set(_named(jax)):
        print(f"hlocts check: the program's platform {jax.config.jax_platforms} is replaced by "
              "hlocts_check", file=sys.stderr)  # fmt: skip
        jax.config.update("jax_platforms", "hlocts_check")
    for platform in _named(jax):
        try:
            if platform in (*COMPUTING, "hlocts_check"):
                _register(jax, bridge, platform)
        except HloctsError as problem:
            end = functools.partial(sys.exit, f"{platform}: {problem}")
            bridge.register_backend_factory(platform, end, fail_quietly=False)
