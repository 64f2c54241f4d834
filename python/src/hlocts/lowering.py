# SPDX-License-Identifier: Apache-2.0
"""From a JAX function to an HLO module, its inputs, and what the user's own backend computes."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from hlocts.arrays import Array
from hlocts.errors import HloctsError

_HEADER = re.compile(r"entry_computation_layout=\{\((.*?)\)->")
_PARAMETER = re.compile(r"\b[a-z][a-z0-9]*\[")


@dataclass(frozen=True)
class Lowered:
    name: str
    text: str
    inputs: list[Array]
    input_names: list[str]
    output_names: list[str]
    output_dtypes: list[np.dtype[Any]]
    execute: Callable[[], list[Array]]  # by the backend that jax uses
    unflatten: Callable[[list[Array]], Any]
    engine: str  # of execute


def _jax() -> Any:
    try:
        import jax
    except ImportError:
        raise HloctsError("JAX is not installed: pip install jax") from None
    return jax


def _leaf(jax: Any, value: Any) -> Array:
    """The array that the module has in place of a leaf: a typed key becomes its words."""
    dtype = getattr(value, "dtype", None)
    if dtype is not None and jax.dtypes.issubdtype(dtype, jax.dtypes.prng_key):
        value = jax.random.key_data(value)
    return np.asarray(jax.numpy.asarray(value))


def _leaves(jax: Any, tree: Any) -> list[Array]:
    return [_leaf(jax, leaf) for leaf in jax.tree_util.tree_leaves(tree)]


def _names(jax: Any, tree: Any) -> list[str]:
    paths, _ = jax.tree_util.tree_flatten_with_path(tree)
    return [jax.tree_util.keystr(path) for path, _ in paths]


def _dtype(jax: Any, leaf: Any) -> np.dtype[Any]:
    is_key = jax.dtypes.issubdtype(leaf.dtype, jax.dtypes.prng_key)
    return np.dtype(np.uint32 if is_key else leaf.dtype)


def _check_parameters(text: str, inputs: list[Array]) -> None:
    header = _HEADER.search(text.split("\n", 1)[0])
    found = len(_PARAMETER.findall(header[1])) if header else len(inputs)
    if found != len(inputs):
        raise HloctsError(
            f"JAX made a module of {found} parameters from {len(inputs)} arrays: pass what the "
            "function closes over as arguments"
        )


def lower(f: Callable[..., Any], args: tuple[Any, ...]) -> Lowered:
    """Arguments that the function does not use stay parameters. Static arguments are bound
    before, with functools.partial or a lambda."""
    jax = _jax()
    lowered = jax.jit(f, keep_unused=True).lower(*args)
    computation = lowered.compiler_ir("hlo")
    if computation is None:
        raise HloctsError("this JAX backend cannot print HLO")
    text = computation.as_hlo_text(print_large_constants=True)
    inputs = _leaves(jax, args)
    _check_parameters(text, inputs)
    device = jax.devices()[0]
    out_leaves, out_tree = jax.tree_util.tree_flatten(lowered.out_info)
    return Lowered(
        name=getattr(f, "__name__", "") or text.split(None, 2)[1].rstrip(","),
        text=text,
        inputs=inputs,
        input_names=["args" + name for name in _names(jax, args)],
        output_names=_names(jax, lowered.out_info),
        output_dtypes=[_dtype(jax, leaf) for leaf in out_leaves],
        execute=lambda: _leaves(jax, lowered.compile()(*args)),
        unflatten=lambda leaves: jax.tree_util.tree_unflatten(out_tree, leaves),
        engine=f"jax {jax.__version__} ({device.device_kind})",
    )
