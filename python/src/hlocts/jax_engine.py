# SPDX-License-Identifier: Apache-2.0
"""Runs the user's own JAX as an engine of the program: exec:python -m hlocts.jax_engine [FACTS].
Pieces of a module can then run separately, and a crash becomes a verdict."""

from __future__ import annotations

import functools
import importlib
import sys
from collections.abc import Callable
from typing import Any

import numpy as np

from hlocts import arrays, binary, lowering
from hlocts.errors import HloctsError
from hlocts.worker_frames import frames as worker_frames


def _stablehlo(lib: Any, text: str) -> Any:
    try:  # newer releases of jaxlib read HLO in a separate module
        hlo = importlib.import_module("jaxlib._hlo")
    except ImportError:
        hlo = lib._jax
    proto = hlo.hlo_module_from_text(text).as_serialized_hlo_module_proto()
    return lib._jax.mlir.hlo_to_stablehlo(proto)


@functools.cache
def _prepare_lapack(jax: Any) -> None:
    """Sets the addresses of LAPACK in jaxlib's kernels, as JAX does when it lowers the first
    function that needs them. Otherwise a module that calls LAPACK would crash this process."""
    jax.jit(jax.numpy.linalg.cholesky).lower(jax.numpy.ones((1, 1)))


def _compile(jax: Any, text: str) -> Callable[[list[Any]], list[Any]]:
    if 'custom_call_target="lapack_' in text:
        _prepare_lapack(jax)
    lib = importlib.import_module("jax._src.lib")
    device = jax.local_devices()[0]
    options = lib.xla_client.CompileOptions()
    devices = lib.xla_client.DeviceList((device,))
    run = device.client.compile_and_load(_stablehlo(lib, text), devices, options)
    return lambda given: list(run.execute([jax.device_put(array, device) for array in given]))


def _leaf(frames: Any, array: Any) -> Any:
    values = np.asarray(array)
    return frames.Leaf(arrays.element_type_of(values.dtype), arrays.to_storage(values))


def main() -> None:
    jax: Any = importlib.import_module("jax")
    jax.config.update("jax_enable_x64", True)  # otherwise device_put would convert 64 bits to 32
    frames = worker_frames()

    def load(text: str) -> Callable[[list[Any]], list[Any]]:
        try:
            lowering.require(jax, "0.6.2", "the engine jax")
        except HloctsError as error:
            raise frames.Unsupported(str(error)) from None
        try:
            run = _compile(jax, text)
        except jax.errors.JaxRuntimeError as error:
            kind = frames.Unsupported if "UNIMPLEMENTED" in str(error) else frames.Refused
            raise kind(str(error)) from None
        except (AttributeError, ImportError) as error:  # internals of JAX may change
            raise frames.Unsupported(f"this JAX cannot be an engine: {error}") from None

        def execute(leaves: list[Any]) -> list[Any]:
            given = [arrays.from_storage(leaf.array, arrays.dtype_of(leaf.element_type))
                     for leaf in leaves]  # fmt: skip
            return [_leaf(frames, array) for array in run(given)]

        return execute

    given = sys.argv[1].split(",") if sys.argv[1:] else lowering.own_facts(jax)
    facts = [fact for one in given for fact in ([one] if "." in one else binary.facts_of(one))]
    frames.serve("jax", f"{jax.__version__} ({jax.devices()[0].device_kind})", load, facts=facts)


if __name__ == "__main__":
    main()
