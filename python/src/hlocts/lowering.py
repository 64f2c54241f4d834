# SPDX-License-Identifier: Apache-2.0
"""Lowers a JAX function to an HLO module and its inputs, and runs it on the user's own backend."""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import itertools
import os
import pathlib
import re
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from hlocts import arrays, checking
from hlocts.arrays import Array
from hlocts.errors import HloctsError
from hlocts.result import Operand

_HEADER = re.compile(r"entry_computation_layout=\{\((.*?)\)->")
_PARAMETER = re.compile(r"\b[a-z][a-z0-9]*\[")
_PLATFORMS = {"tpu": "tpu", "xla_gpu": "cuda"}  # by the name of the compiler without a device


def platform_of(engine: str) -> str | None:
    """Returns the JAX platform for a compiler without a device; None for other engines, which get
    the module that this JAX runs."""
    return _PLATFORMS.get(re.split("[@?]", engine)[0])


@dataclass(frozen=True)
class Unequal:
    """An element of an output, with its differing copies on two devices."""

    output: int
    index: tuple[int, ...]
    copies: tuple[Operand, ...]


@dataclass(frozen=True)
class Lowered:
    name: str
    text: str
    inputs: list[Array]
    input_names: list[str]
    output_names: list[str]
    output_dtypes: list[np.dtype[Any]]
    execute: Callable[[], list[Array]]  # runs on the backend that JAX uses
    unflatten: Callable[[list[Array]], Any]  # for the outputs of one device
    engine: str  # the name of this backend
    facts: tuple[str, ...]  # facts of this backend: see own_facts
    devices: int = 1  # number of devices over which JAX partitions the function
    partitions: int = 1  # of a module that has manual regions
    # Set by execute: elements with different copies on two devices.
    unequal: list[Unequal] = dataclasses.field(default_factory=list)
    # Set by execute: for each output, True if each device has the whole array.
    whole: list[bool] = dataclasses.field(default_factory=list)


@functools.cache
def _jax() -> Any:
    try:
        import jax
        from jax.extend import source_info_util
    except ImportError:
        raise HloctsError("JAX is not installed: pip install jax") from None
    # Otherwise the source line of jnp.expm1, passed as f, would be one of this package.
    source_info_util.register_exclusion(os.path.join(os.path.dirname(__file__), ""))
    return jax


def require(jax: Any, version: str, user: str) -> None:
    """Raises an error if JAX is older than `user` needs."""
    if jax.__version_info__ < tuple(int(part) for part in version.split(".")):
        raise HloctsError(f"{user} needs jax {version} or newer, found jax {jax.__version__}")


def own_facts(jax: Any) -> tuple[str, ...]:
    """Returns the name of the target for jaxlib's own CPU client; () for other backends, such as
    plugins with the name cpu."""
    is_own = jax.devices()[0].client.platform_version == "cpu"
    return (checking.OWN_FACTS,) if is_own else ()


def _is_key(jax: Any, value: Any) -> bool:
    dtype = getattr(value, "dtype", None)
    return dtype is not None and bool(jax.dtypes.issubdtype(dtype, jax.dtypes.prng_key))


def _words(jax: Any, tree: Any) -> Any:
    """Returns the tree with each typed key replaced by the array of its words."""
    return jax.tree_util.tree_map(
        lambda leaf: jax.random.key_data(leaf) if _is_key(jax, leaf) else leaf, tree)  # fmt: skip


def _on_words(jax: Any, f: Callable[..., Any], args: tuple[Any, ...]) -> Callable[..., Any]:
    """Returns f as a function of the words of typed keys. If a function is lowered with keys as
    arguments or results, its module has custom calls that only mark the words."""
    leaves, tree = jax.tree_util.tree_flatten(args)
    kinds = [jax.random.key_impl(leaf) if _is_key(jax, leaf) else None for leaf in leaves]

    def on_words(*words: Any) -> Any:
        given = [leaf if kind is None else jax.random.wrap_key_data(leaf, impl=kind)
                 for leaf, kind in zip(jax.tree_util.tree_leaves(words), kinds, strict=True)]  # fmt: skip
        return _words(jax, f(*jax.tree_util.tree_unflatten(tree, given)))

    # Parameters keep their names. If a callable has no name (a partial), the name is f.
    return functools.wraps(f)(on_words) if hasattr(f, "__name__") else on_words


def _title(f: Any, folder: str) -> str:
    """Returns the name of a function; of one that JAX, in `folder`, transformed, "jit(grad(loss))":
    JAX gives it the name of the original, and only its code names the transformation."""
    name = str(getattr(getattr(f, "func", f), "__name__", "f"))  # of a partial: its function's name
    inner, code = getattr(f, "__wrapped__", None), getattr(f, "__code__", None)
    maker = "jit" if type(f).__name__ == "PjitFunction" else ""
    if code and code.co_filename.startswith(folder):
        cells = [cell.cell_contents for cell in f.__closure__ or ()]
        own = [one for one in cells if str(getattr(one, "__module__", "")).startswith("jax.")]
        names = [*(getattr(one, "__qualname__", "") for one in own), getattr(code, "co_qualname", "")]
        maker = next((one for one in names if ".<locals>" in one), "").partition(".<locals>")[0]
    of = _title(inner, folder) if inner and maker else name
    return name if maker in ("", "jit") and of == name else f"{maker}({of})"


def _leaves(jax: Any, tree: Any) -> list[Array]:
    return [np.asarray(jax.numpy.asarray(leaf)) for leaf in jax.tree_util.tree_leaves(tree)]


def _names(jax: Any, tree: Any) -> list[str]:
    paths, _ = jax.tree_util.tree_flatten_with_path(tree)
    return [jax.tree_util.keystr(path) for path, _ in paths]


def _check_parameters(text: str, inputs: list[Array]) -> None:
    header = _HEADER.search(text.split("\n", 1)[0])
    found = len(_PARAMETER.findall(header[1])) if header else len(inputs)
    if header and "token[" in header[1]:
        raise HloctsError("the function has ordered effects (io_callback, debug.print): a result "
                          "can be judged without ordered=True")  # fmt: skip
    if found != len(inputs):
        raise HloctsError(f"JAX made a module of {found} parameters from {len(inputs)} arrays: "
                          "pass what the function closes over as arguments")  # fmt: skip


@dataclass(frozen=True)
class Spread:
    """Places arguments and results on a jax.sharding.Mesh. The PartitionSpecs have the structure of
    the arguments and of the result, or there is one for all. None: whole on every device."""

    mesh: Any
    in_specs: Any = None
    out_specs: Any = None

    @property
    def is_typed(self) -> bool:
        """True if array types include their shardings on this mesh (AxisType.Explicit)."""
        return any(kind.name == "Explicit" for kind in getattr(self.mesh, "axis_types", None) or ())

    def jit(self, jax: Any, f: Callable[..., Any]) -> Any:
        where = {} if self.is_typed else {"in_shardings": self._shardings(jax, self.in_specs)}
        return jax.jit(f, keep_unused=True, out_shardings=self._shardings(jax, self.out_specs),
                       **where)  # fmt: skip

    def placed(self, jax: Any, words: Any) -> Any:
        """Returns the arguments for the jitted function. If array types include shardings, places
        the arguments; without in_specs, those on the mesh keep their shardings."""
        if not self.is_typed:
            return words
        if self.in_specs is None:
            return jax.tree_util.tree_map(
                lambda one: one if getattr(getattr(one, "sharding", None), "mesh", None) == self.mesh
                else jax.device_put(one, self._shardings(jax, None)), words)  # fmt: skip
        return jax.device_put(words, self._shardings(jax, self.in_specs))

    def _shardings(self, jax: Any, specs: Any) -> Any:
        spec = jax.sharding.PartitionSpec
        if specs is None:
            return jax.sharding.NamedSharding(self.mesh, spec())
        return jax.tree_util.tree_map(
            lambda one: jax.sharding.NamedSharding(self.mesh, spec() if one is None else one),
            specs, is_leaf=lambda one: one is None or isinstance(one, spec))  # fmt: skip


def _unequal(results: list[Any]) -> Iterator[Unequal]:
    """Yields for each array the first element that has different copies on two devices."""
    for output, result in enumerate(results):
        yield from itertools.islice(_unequal_shards(output, result), 1)


def _unequal_shards(output: int, result: Any) -> Iterator[Unequal]:
    for shard in result.addressable_shards:
        first = next(s for s in result.addressable_shards if s.index == shard.index)
        one, other = np.asarray(first.data), np.asarray(shard.data)
        differ = np.argwhere((one != other) & ~((one != one) & (other != other)))
        if len(differ):
            at = tuple(differ[0])
            copies = tuple(Operand(f"device {of.device.id}", arrays.text(array[at]))
                           for of, array in ((first, one), (shard, other)))  # fmt: skip
            index = tuple((of.start or 0) + int(i) for of, i in zip(shard.index, at, strict=True))
            yield Unequal(output, index, copies)


@contextlib.contextmanager
def _gspmd(jax: Any) -> Iterator[None]:
    """Lowers annotations and manual regions in the form of GSPMD, the only one that GSPMD accepts;
    other partitioners accept it too. Does nothing in a JAX without the setting."""
    name = "jax_use_shardy_partitioner"
    before = getattr(jax.config, name, False)
    if before:
        jax.config.update(name, False)
    try:
        yield
    finally:
        if before:
            jax.config.update(name, before)


def _text(lower: Callable[[], Any], lowered: Any, jax: Any) -> tuple[str, int]:
    """Returns HLO text with locations in the source, and the number of partitions. The text of JAX
    lacks this number, without which an engine partitions nothing."""
    from hlocts import stablehlo  # which runs as a program that imports this package

    attributes = lowered.compiler_ir("stablehlo").operation.attributes
    count = int(attributes["mhlo.num_partitions"]) if "mhlo.num_partitions" in attributes else 1
    if count > 1:
        with _gspmd(jax):
            lowered = lower()
    module, clamped = lowered.compiler_ir("stablehlo").operation, None
    if stablehlo.may_have_unsigned_start(module.get_asm(large_elements_limit=16)):
        clamped = stablehlo.with_clamped_starts(module.get_asm(enable_debug_info=True))
    computation = stablehlo.converted(clamped) if clamped else lowered.compiler_ir("hlo")
    if computation is None:
        raise HloctsError("this JAX backend cannot print HLO")
    options = sys.modules[type(computation).__module__].HloPrintOptions.short_parsable()
    options.print_metadata = options.print_backend_config = True
    text = str(computation.get_hlo_module().to_string(options))
    header = "" if count == 1 else f", num_partitions={count}"
    return text.replace("\n", f"{header}\n", 1), count


def lower(
    f: Callable[..., Any], args: tuple[Any, ...], spread: Spread | None = None,
    annotated: bool = False, platform: str | None = None,
) -> Lowered:  # fmt: skip
    """Lowers f. Arguments that f does not use remain parameters. Static arguments must be bound
    first, by functools.partial or a lambda. With `spread`, execute runs on its devices; the text is
    the module of one device or has annotations. With `platform`, the text is the module that JAX
    lowers for this platform, and execute must not be called."""
    jax = _jax()
    words = _words(jax, args)
    words = spread.placed(jax, words) if spread else words
    on_words = _on_words(jax, f, args)
    parted = spread.jit(jax, on_words) if spread else None
    whole = jax.jit(on_words, keep_unused=True)
    jitted = parted if parted and annotated else whole

    def lower_again() -> Any:
        return (jitted.trace(*words).lower(lowering_platforms=(platform,)) if platform
                else jitted.lower(*words))  # fmt: skip

    try:
        lowered = lower_again()
    except ValueError as error:
        if "static arguments" not in str(error):
            raise
        raise HloctsError("all arguments are traced, also the static ones of jax.jit: "
                          "functools.partial(f, n=3) binds one") from error
    unequal: list[Unequal] = []
    wholes: list[bool] = []

    def execute() -> list[Array]:
        if parted is None:
            results = lowered.compile()(*words)
        else:
            typed = spread and spread.is_typed
            results = parted(*(words if typed else jax.tree_util.tree_map(np.asarray, words)))
        unequal.extend(_unequal(jax.tree_util.tree_leaves(results)))
        wholes[:] = [one.is_fully_replicated for one in jax.tree_util.tree_leaves(results)]
        return _leaves(jax, results)

    text, partitions = _text(lower_again, lowered, jax)
    devices = spread.mesh.size if spread else partitions
    inputs = _leaves(jax, words)
    _check_parameters(text, inputs)
    device = jax.devices()[0]
    out_leaves, out_tree = jax.tree_util.tree_flatten(lowered.out_info)
    return Lowered(
        name=_title(f, str(pathlib.Path(jax.__file__).parent)),
        text=text,
        inputs=inputs,
        input_names=["args" + name for name in _names(jax, args)],
        output_names=_names(jax, lowered.out_info),
        output_dtypes=[np.dtype(leaf.dtype) for leaf in out_leaves],
        execute=execute,
        unflatten=lambda leaves: jax.tree_util.tree_unflatten(out_tree, leaves[:len(out_leaves)]),
        engine=f"jax {jax.__version__} ({device.device_kind}"
        + (f", {devices} devices)" if devices > 1 or spread else ")"),
        facts=own_facts(jax),
        devices=devices,
        partitions=partitions,
        unequal=unequal,
        whole=wholes,
    )
