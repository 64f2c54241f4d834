# SPDX-License-Identifier: Apache-2.0
"""Records executions of JAX's own CPU client, which is no PJRT plugin, for hlocts.check.

From the second call on, JAX passes arguments to a compiled program in C++. This module disables
that shortcut: each call then passes through ExecuteReplicated, where arguments and results are
copied. The names of JAX that are replaced here are not public; tests run with the installed JAX.
"""

from __future__ import annotations

import ctypes
import functools
import importlib
import pathlib
import time
from typing import Any

import numpy as np

from hlocts import arrays, checking
from hlocts.errors import HloctsError


class _Leaf(ctypes.Structure):
    """The C struct HloctsCheckLeaf in backends/check/check_plugin.cc."""

    _fields_ = [
        ("type", ctypes.c_int32), ("rank", ctypes.c_int32), ("dims", ctypes.POINTER(ctypes.c_int64)),
        ("bytes", ctypes.c_void_p), ("size", ctypes.c_size_t),
    ]  # fmt: skip


def _copy(value: Any) -> Any:
    """Returns a leaf with a copy of its bytes: a donated argument loses its memory."""
    array = np.array(getattr(value, "_base_array", value), order="C")  # of a typed key: its numbers
    kind = checking.TYPES.index(arrays.element_type_of(array.dtype))
    dims = (ctypes.c_int64 * array.ndim)(*array.shape)
    leaf = _Leaf(kind, array.ndim, dims, array.ctypes.data, array.nbytes)
    leaf.owner = array
    return leaf


def _library(path: pathlib.Path) -> Any:
    library = ctypes.CDLL(str(path))
    size, text = ctypes.c_size_t, ctypes.c_char_p
    library.HloctsCheckProgram.restype = ctypes.c_void_p
    library.HloctsCheckProgram.argtypes = [text, size]
    library.HloctsCheckBegin.restype = ctypes.c_int64
    library.HloctsCheckBegin.argtypes = [ctypes.c_void_p, ctypes.c_int64]
    library.HloctsCheckEnd.restype = None
    library.HloctsCheckEnd.argtypes = [ctypes.c_void_p, ctypes.c_int64, ctypes.POINTER(_Leaf), size,
                                       size, ctypes.c_double, text]  # fmt: skip
    return library


def record(path: pathlib.Path) -> None:
    """Makes this process record what JAX compiles and runs, with the library at `path`."""
    library = _library(path)
    try:
        compiler, mlir, pxla, pjit = (
            importlib.import_module(f"jax._src.{name}")
            for name in ("compiler", "interpreters.mlir", "interpreters.pxla", "pjit"))
        compiled, call = compiler.compile_or_get_cached, pxla.ExecuteReplicated.__call__
        for owner, name in ((pjit, "_get_fastpath_data"), (pxla.MeshExecutable, "create_cpp_call")):
            getattr(owner, name)
            setattr(owner, name, lambda *_, **__: None)
    except (ImportError, AttributeError) as error:
        raise HloctsError(f"the CPU client of this JAX cannot be recorded ({error}); --plugin=xla "
                          "judges a released plugin of XLA:CPU") from None
    # By the id of an executable, which is kept alive: no other executable can then get this id.
    programs: dict[int, tuple[int, Any]] = {}

    def compile_(backend: Any, computation: Any, *rest: Any, **named: Any) -> Any:
        code = mlir.module_to_bytecode(computation)
        executable = compiled(backend, computation, *rest, **named)
        program = library.HloctsCheckProgram(code, len(code))
        if program is None:
            raise HloctsError("nothing is recorded: see the message above")
        programs[id(executable)] = program, executable
        return executable

    @functools.wraps(call)
    def execute(self: Any, *args: Any) -> Any:
        program, _ = programs.get(id(self.xla_executable), (None, None))
        number = -1
        if program is not None:
            number = library.HloctsCheckBegin(program, len(self.xla_executable.local_devices()))
        if number < 0:
            return call(self, *args)
        leaves: list[Any] = []
        reason: bytes | None = None
        inputs, start = 0, time.monotonic()
        try:
            if self.ordered_effects or getattr(self, "mut", None):
                reason = b"effects in an order, or references that it changes"
            else:
                kept = [arg for i, arg in enumerate(args) if i in self.kept_var_idx]
                leaves = [_copy(arg) for arg in self.in_handler(kept)]
                inputs = len(leaves)
        except Exception:  # recording must not make the program fail
            reason = b"a value cannot be copied to the host"
        seconds = time.monotonic() - start
        try:
            results = call(self, *args)
        except BaseException:
            library.HloctsCheckEnd(program, number, None, 0, 0, seconds, b"the execution failed")
            raise
        start = time.monotonic()
        try:
            if reason is None:
                leaves += [_copy(result) for result in results]
        except Exception:
            reason = b"a value cannot be copied to the host"
        library.HloctsCheckEnd(program, number, (_Leaf * len(leaves))(*leaves), inputs,
                               len(leaves) - inputs, seconds + time.monotonic() - start, reason)
        return results

    compiler.compile_or_get_cached, pxla.ExecuteReplicated.__call__ = compile_, execute
