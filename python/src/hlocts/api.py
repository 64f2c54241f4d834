# SPDX-License-Identifier: Apache-2.0
"""Defines the functions check, judge, evaluate and allowed."""

from __future__ import annotations

import collections
import contextlib
import dataclasses
import itertools
import os
import pathlib
import re
import shlex
import shutil
import sys
import tempfile
import time
import weakref
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from hlocts import arrays, binary, bounds, lowering
from hlocts.accepted import AcceptedSet
from hlocts.arrays import Array
from hlocts.bounds import Allowed
from hlocts.errors import HloctsError, brief
from hlocts.result import Failure, Operand, Result, Sentence, deciding_fact

_NAME = re.compile(r"^(?:HloModule|module) @?([^\s,{]+)", re.MULTILINE)
_GIVEN = re.compile(r" = (?:\([^=]*?\)|\S+) (?:parameter|constant|tuple)\(")
_TARGET = re.compile(r'custom_call_target="([^"]*)"')
# The prefix of temporary directories; the number of directories of failures that are kept; the
# number of seconds for which each of them may be in use.
_PREFIX, _FOLDERS_KEPT, _SECONDS_IN_USE = "hlocts-job-", 16, 3600
_INPUTS, _OUTPUTS, _MODULE, _FAILING = "inputs.npz", "outputs.npz", "module.hlo", "failing.txt"
_THIS_JAX = "this-jax"  # the program's name of engine "jax"; in the program, "jax" is no engine
PathLike = str | pathlib.Path
_Facts = str | Sequence[str] | None
_Low = lowering.Lowered | None
_Io = tuple[list[Array], list[Array]]  # inputs and outputs


@brief
def check(
    f: Callable[..., Any], *args: Any, engine: str | None = None, profile: str = "default",
    facts: _Facts = None, keep: PathLike | None = None, mesh: Any = None,
    in_specs: Any = None, out_specs: Any = None, repeat: int = 1,
) -> Result:  # fmt: skip
    """Checks whether the result of `engine` for f(*args) is one that HLO allows.

    engine: None: JAX in this process. "jax": the same JAX in a separate process, where a crash is a
    verdict and the smallest wrong piece is found. Other values: the name of an engine ("xla", "cpu",
    "pjrt:PATH") or the path of a PJRT plugin. "tpu" and "xla_gpu@VERSION" compile
    the module that JAX lowers for such a device, without needing one.
    facts: facts of JAX in this process, or the name of one target, e.g. "xla_cpu". None: those of
    xla_cpu on jaxlib's own CPU client, otherwise none. Facts narrow the sets, but some permit more:
    a verdict names those without which it would be a fail.
    keep: directory for module, inputs and outputs. If it has such files, the check writes to its
    first free subdirectory of 2, 3, ..., which the result names. By default a temporary directory
    hlocts-job-* in $TMPDIR or /tmp. That of a pass is removed with its result. The 16 newest others
    are kept; a later call removes older ones after an hour.
    mesh: a jax.sharding.Mesh, over whose devices f is partitioned. in_specs and out_specs are
    PartitionSpecs, like in_shardings and out_shardings of jax.jit (None: whole on each device). The
    result is judged by the values that HLO allows for f on one device.
    repeat: the number of runs. The result is the first failure; its `runs` has all verdicts.
    """
    if (in_specs is not None or out_specs is not None) and mesh is None:
        raise HloctsError("in_specs, out_specs: expected the argument mesh too")
    for name, value, wanted, is_wanted in (
        ("f", f, "a function (for a module, call judge)", callable(f)),
        ("engine", engine, "None or a name", isinstance(engine, str | os.PathLike | None)),
        ("mesh", mesh, "a jax.sharding.Mesh", mesh is None or hasattr(mesh, "axis_names")),
        ("repeat", repeat, "a number of at least 1", isinstance(repeat, int) and repeat > 0),
    ):
        if not is_wanted:
            raise HloctsError(f"{name}: expected {wanted}, found {value!r}")
    _fact_options(() if facts is None else facts)
    engine = engine and os.fspath(engine)
    spread = None if mesh is None else lowering.Spread(mesh, in_specs, out_specs)
    low = lowering.lower(f, args, spread, annotated=engine is not None and mesh is not None,
                         platform=lowering.platform_of(engine or ""))  # fmt: skip
    if engine is None:
        outputs, runs = low.execute(), {}
        promised = low.facts if facts is None else facts
        if repeat > 1:
            outputs, runs = _worst_of(low, outputs, repeat, profile, promised)
        result = _judge(low.text, low.inputs, outputs, profile, promised, keep, low)
        result = dataclasses.replace(result, runs=runs, is_cut=spread is not None)
        if low.unequal:
            return _with_unequal(result, low)
        if spread:
            return result
        is_settled = result.verdict not in ("inconclusive", "probable")
        job = None if keep is None else result.files
        decided = result if is_settled else _piecewise(low, result, job, promised)
        same = {decided.verdict: runs.pop(result.verdict, 0)}  # pieces decide all such runs
        return dataclasses.replace(decided, runs=dict(collections.Counter(same) + collections.Counter(runs)))
    if facts:
        name = engine.partition("?")[0]
        raise HloctsError(f"facts: expected none with engine=, which declares its own ('{name}?facts=NAME' names others)")
    return _on_engine(low, engine, profile, keep, repeat)


def _with_unequal(judged: Result, low: lowering.Lowered) -> Result:
    """Returns a fail for copies of an element that differ. `judged` is the verdict on the outputs
    of one device, and owns the files."""
    found, rule = low.unequal[0], AcceptedSet("one value on all devices", (), False)
    values = " and ".join(f"{copy.value} on {copy.name}" for copy in found.copies)
    failure = Failure(output=found.output, name=_output_name(low, found.output), index=found.index,
                      actual=values, actual_bits="", accepted=rule, ulps=None, rule="", clause="",
                      instruction="", operation="", operands=(), arguments=(), copies=found.copies)  # fmt: skip
    judged.files.want()
    alone = "are acceptable" if judged.passed else f"have the verdict {judged.verdict} ({judged.reason})"
    return dataclasses.replace(judged, verdict="fail", failure=failure, kept=True, reason=(
        f"devices hold different copies of an element; the outputs of one device {alone}; these "
        f"outputs and the inputs are in {judged.files.path}"))


def _worst_of(
    low: lowering.Lowered, first: list[Array], repeat: int, profile: str, facts: Sequence[str]
) -> tuple[list[Array], dict[str, int]]:
    """Returns the outputs of the first failing run (else of the first), and the runs by verdict."""
    counts = collections.Counter[tuple[bytes, ...]]()
    outputs: dict[tuple[bytes, ...], list[Array]] = {}
    unequal = 0
    for run in range(repeat):
        given = low.execute() if run > 0 else first
        differs, unequal = len(low.unequal) > unequal, len(low.unequal)
        bits = (b"unequal" if differs else b"", *(array.tobytes() for array in given))
        outputs.setdefault(bits, given)
        counts[bits] += 1
    worst, runs = first, collections.Counter[str]()
    for bits, given in outputs.items():
        verdict = ("fail" if bits[0]
                   else _judge(low.text, low.inputs, given, profile, facts, None, low).verdict)
        if verdict == "fail" and not runs["fail"]:
            worst = given
        runs[verdict] += counts[bits]
    return worst, dict(runs)


def _on_engine(
    low: lowering.Lowered, engine: str, profile: str, keep: PathLike | _Job | None, repeat: int = 1,
    facts: _Facts = None,
) -> Result:  # fmt: skip
    with _folder(keep) as job:
        _write(job.path, low.text, low.inputs)
        # -o names the files of a failing piece, which are otherwise in the working directory.
        arguments = ["diff", job.file(_MODULE), f"--inputs={job.file(_INPUTS)}",
                     "-o", job.file(_FAILING),
                     f"--backend={_backend(engine, facts)}", f"--profile={profile}",
                     *([f"--repeat={repeat}"] if repeat > 1 else [])]  # fmt: skip
        # A check by pieces keeps the outputs of the whole function.
        outputs = [] if (job.path / _OUTPUTS).exists() else [f"--outputs={job.file(_OUTPUTS)}"]
        record = binary.run_json([*arguments, *outputs])
        return _result(record, job, arguments, low.text, low, None)


def _piecewise(low: lowering.Lowered, whole: Result, keep: _Job | None, facts: _Facts) -> Result:
    """Judges the pieces of a module if its outputs alone leave the verdict open. For example,
    the factors by which a factorization is judged are not outputs of a solve. The same JAX runs the
    pieces in another process. If this decides nothing, the result is `whole` with the reason."""
    try:
        result = _on_engine(low, "jax", whole.profile, keep, facts=facts)
    except HloctsError:
        return whole
    if result.verdict in ("pass", "fail", "probable"):
        return dataclasses.replace(result, takes_facts=True, facts=whole.facts, fact=whole.fact,
                                   record={**result.record, "widest": whole.record.get("widest", {})})  # fmt: skip
    before = "" if result.verdict == "inconclusive" else f"{whole.reason}; no piece was judged: "
    return dataclasses.replace(whole, reason=before + result.reason, is_cut=True)


@brief
def judge(
    module: PathLike, inputs: Sequence[Any], outputs: Sequence[Any], profile: str = "default",
    facts: Sequence[str] = (), keep: PathLike | None = None,
) -> Result:  # fmt: skip
    """Judges whether the outputs of a module are acceptable for its inputs. inputs: leaves in the
    order of parameters. outputs: leaves in the order of the root. module: HLO or StableHLO text, or
    the path of a file with such text."""
    text = hlo(module)
    file = "" if text == module else str(pathlib.Path(module).resolve())  # so that messages name it
    given = [np.asarray(value) for value in outputs]
    return _judge(text, [np.asarray(value) for value in inputs], given, profile, facts, keep, file=file)


@brief
def evaluate(f: Callable[..., Any] | PathLike, *args: Any) -> Any:
    """Returns the result of f(*args) by the documents as numpy arrays, in the structure that f
    returns. For a module (see judge), returns the list of its output leaves. If several values of
    an element are acceptable, returns one of them."""
    with _folder(None) as job:
        low = None if is_module(f) else lowering.lower(f, args)
        text = low.text if low else hlo(f)
        _write(job.path, text, low.inputs if low else [np.asarray(value) for value in args])
        binary.evaluate(job.path / _MODULE, job.path / _INPUTS, job.path / _OUTPUTS)
        if low:
            return low.unflatten(arrays.read_outputs(job.path / _OUTPUTS, low.output_dtypes))
        canonical = binary.run(["convert", job.file(_MODULE), "--to=text"])
        return arrays.read_outputs(job.path / _OUTPUTS, arrays.result_dtypes(canonical))


@brief
def allowed(
    f: Callable[..., Any] | PathLike, *args: Any, profile: str = "default", facts: Sequence[str] = ()
) -> Allowed:
    """Returns the permitted results of f(*args) as `lower, upper, nan, together`: arrays in the
    structure that f returns. For a module (see judge), returns lists of its output leaves. facts: as
    for check, which uses those of xla_cpu on jaxlib's own CPU client; here there are none by default.
    """
    with _folder(None) as job:
        low = None if is_module(f) else lowering.lower(f, args)
        text = low.text if low else hlo(f)
        _write(job.path, text, low.inputs if low else [np.asarray(value) for value in args])
        arguments = ["judge", job.file(_MODULE), f"--inputs={job.file(_INPUTS)}", "--sets",
                     f"--profile={profile}", *_fact_options(facts),
                     "--json"]  # fmt: skip
        leaves = bounds.read(binary.run(arguments, answers=(0,)))
        if low is None:
            return leaves
        lower, upper, nan = (low.unflatten(leaf) for leaf in leaves[:3])
        return Allowed(lower, upper, nan, leaves.together[:len(low.output_dtypes)])


def _fact_options(facts: str | Sequence[str]) -> list[str]:
    """Returns the options for facts. Names of facts contain a dot, names of targets do not."""
    facts = [facts] if isinstance(facts, str) else facts
    if "" in facts:
        raise HloctsError('facts: expected a name of a target or of facts, found "" (() is no fact)')
    if sum("." not in fact for fact in facts) > 1:
        raise HloctsError("facts: expected at most one name of a target (the name of a fact contains a dot, "
                          "such as dot.sums=f32: `hlocts backends --facts`)")  # fmt: skip
    return [f"--fact{'' if '.' in fact else 's-of'}={fact}" for fact in facts]


def _backend(engine: str, facts: _Facts = None) -> str:
    """Returns the name of an engine in the program. With `facts`, these replace those of "jax"."""
    if not engine:
        raise HloctsError('engine: expected a name such as "xla", found ""')
    if engine == "jax":
        words = [] if facts is None else [facts if isinstance(facts, str) else ",".join(facts)]
        return f"{_THIS_JAX}=exec:{shlex.join(binary.of_module('jax_engine', *words))}"
    if re.fullmatch(r"jax\w*", engine, re.IGNORECASE):  # the program does not know the engine "jax"
        raise HloctsError('engine: expected "jax" (the jaxlib of this Python), "xla", "cpu", the path of a PJRT '
                          f'plugin or jaxlib@VERSION (`hlocts engines list`), found "{engine}"; did you mean "jax"?')
    is_path = engine.endswith(".so") and not engine.startswith("pjrt:")
    return f"pjrt:{pathlib.Path(engine).resolve()}" if is_path else engine


def is_module(f: Any) -> bool:
    return isinstance(f, (str, pathlib.Path))


def hlo(module: Any) -> str:
    """Returns the text of a module, HLO or StableHLO: the string, or the file at that path."""
    text = str(module)
    if "\n" not in text and "{" not in text:
        path = pathlib.Path(text)
        if not path.is_file():
            raise HloctsError(f"{text or 'module'}: expected the text of a module, or the path of a file with one")
        code = path.read_bytes()
        if code[:4] == b"ML\xefR":
            return _converted(code)
        text = code.decode()
    return text


def _converted(bytecode: bytes) -> str:
    """Returns the HLO text of a module that is portable bytecode of StableHLO."""
    with tempfile.NamedTemporaryFile(suffix=".mlir") as file:
        file.write(bytecode)
        file.flush()
        return binary.run(["convert", file.name, "--to=text"])


class _Job:
    """A directory with one module and its arrays. A temporary directory exists as long as this
    object and the results that refer to it, unless it is kept."""

    def __init__(self, path: pathlib.Path, temporary: bool) -> None:
        self.path = path
        self.wanted = not temporary
        self._removal = weakref.finalize(self, shutil.rmtree, path, True) if temporary else None

    def want(self) -> None:
        self.wanted = True
        if self._removal:
            self._removal.detach()

    def file(self, name: str) -> str:
        return str(self.path / name)


@contextlib.contextmanager
def _folder(keep: PathLike | _Job | None) -> Iterator[_Job]:
    if isinstance(keep, _Job):
        yield keep
    elif keep is None:
        _remove_old_folders()
        yield _Job(pathlib.Path(tempfile.mkdtemp(prefix=_PREFIX)), temporary=True)
    else:
        try:
            path = _free_folder(pathlib.Path(keep).resolve())
        except OSError as error:
            raise HloctsError(f"keep: {error}") from None
        yield _Job(path, temporary=False)


def _free_folder(keep: pathlib.Path) -> pathlib.Path:
    """Returns `keep` if it has no file of a check, else a new subdirectory 2, 3, .... Calls at the
    same time, also those of other processes, get different directories."""
    keep.mkdir(parents=True, exist_ok=True)
    with contextlib.suppress(FileExistsError):
        if not any((keep / name).exists() for name in (_INPUTS, _OUTPUTS, _FAILING)):
            (keep / _MODULE).touch(exist_ok=False)
            return keep
    for number in itertools.count(2):
        with contextlib.suppress(FileExistsError):
            (keep / str(number)).mkdir()
            break
    return keep / str(number)


def _remove_old_folders() -> None:
    """Removes directories of earlier failures of the user, except the newest: their replay command
    lines remain valid."""
    found = []
    for path in pathlib.Path(tempfile.gettempdir()).glob(_PREFIX + "*"):
        with contextlib.suppress(OSError):
            status = path.lstat()
            ours = status.st_uid == os.getuid() and (path / _MODULE).is_file()
            if ours and not path.is_symlink():
                found.append((status.st_mtime, path))
    found.sort(reverse=True)
    for made, path in found[_FOLDERS_KEPT:]:
        if made < time.time() - _SECONDS_IN_USE:
            shutil.rmtree(path, ignore_errors=True)


def _write(folder: pathlib.Path, text: str, inputs: Sequence[Array]) -> None:
    (folder / _MODULE).write_text(text)
    arrays.write(folder / _INPUTS, "arg", inputs)


def _judge(
    text: str, inputs: list[Array], outputs: list[Array], profile: str, facts: Sequence[str],
    keep: PathLike | None, low: _Low = None, file: str = "",
) -> Result:  # fmt: skip
    with _folder(keep) as job:
        _write(job.path, text, inputs)
        arrays.write(job.path / _OUTPUTS, "out", outputs)
        arguments = ["judge", file or job.file(_MODULE), f"--inputs={job.file(_INPUTS)}",
                     f"--outputs={job.file(_OUTPUTS)}", f"--profile={profile}",
                     *([f"--partitions={low.devices}"] if low and low.devices > low.partitions else []),
                     *_fact_options(facts)]  # fmt: skip
        return _result(binary.run_json(arguments), job, arguments, text, low, (inputs, outputs))


def _result(
    record: dict[str, Any], job: _Job, arguments: list[str], text: str, low: _Low, given: _Io | None
) -> Result:
    if record["verdict"] != "pass":
        job.want()
    if given and low and low.partitions > 1:
        record = _of_one_copy(record, given[1])
    found = record.get("first_failure")
    by_jax = low.engine if low else "the outputs given"
    return Result(
        verdict=record["verdict"],
        module=low.name if low else "".join(_NAME.findall(text)[:1]),
        engine=by_jax if given
        else f"{record['backend'].replace(_THIS_JAX, 'jax')} {record['backend_version']}".rstrip(),
        profile=record["profile"], reason=record["reason"], elements=record["elements"],
        bits_checked=record["bits_checked_mean"], unspecified=record["unspecified_elements"],
        failure=_failure(found, record, low, given) if found else None,
        custom_calls=tuple(sorted(set(_TARGET.findall(text)))),
        replay_arguments=(*arguments, "--explain"), record=record, runs=record.get("runs", {}),
        kept=job.wanted, files=job,
        takes_facts=arguments[0] != "diff", fact=deciding_fact(record),
        facts=tuple(one.partition("=")[2] for one in arguments if one.startswith("--fact")),
        copies=low.devices if given and low and low.partitions > 1 and all(low.whole) else 1,
        is_alone=text.count(" = ") - len(_GIVEN.findall(text)) == 1,
    )  # fmt: skip


_COUNTS = ("elements", "unspecified_elements", "wrong_elements")


def _of_one_copy(record: dict[str, Any], given: list[Array]) -> dict[str, Any]:
    """Returns the record with the counts of one copy of the outputs. The program counts a copy for
    each device of a module with manual regions."""
    copies = record["elements"] // max(1, sum(array.size for array in given)) or 1
    return record | {name: record[name] // copies for name in _COUNTS if name in record}


def _failure(
    found: dict[str, Any], record: dict[str, Any], low: _Low, given: _Io | None
) -> Failure:
    accepted = AcceptedSet.parse(found["accepted"])
    index, output = tuple(found["index"]), int(found["output"])
    ulps, arguments = None, ()
    # An engine's failure may be in a piece of the module; output and index are then the piece's.
    if given and output < len(given[1]) and given[1][output].ndim == len(index):
        ulps = _distance(given[1][output][index], accepted)
        arguments = _arguments(given, low, output, index)
    name = f"output {output} of the piece {record['piece']['name']}" if "piece" in record else ""
    return Failure(
        output=output, name=_output_name(low, output) if given else name, index=index,
        actual=found["actual"], actual_bits=found["actual_bits"], accepted=accepted, ulps=ulps,
        rule=found["rule"], clause=found["clause"], instruction=found["instruction"],
        operation=found.get("operation", ""),
        operands=tuple(Operand(**one) for one in found.get("operands", ())), arguments=arguments,
        distance=found.get("distance", ""), source=found.get("source", ""),
        sentences=tuple(Sentence(**one) for one in record.get("sentences", ())),
    )  # fmt: skip


def _output_name(low: _Low, output: int) -> str:
    names = low.output_names if low else []
    return "result" + names[output] if output < len(names) else ""


def _distance(value: Any, accepted: AcceptedSet) -> int | None:
    array = np.asarray(value)
    if array.dtype.kind == "c":
        return None
    end = accepted.nearest(float(array))
    return None if end is None else arrays.ulps_between(array.dtype, float(array), end)


def _arguments(given: _Io, low: _Low, output: int, index: tuple[int, ...]) -> tuple[Operand, ...]:
    shape = given[1][output].shape
    names = low.input_names if low else [f"arg{i}" for i in range(len(given[0]))]
    return tuple(Operand(name, arrays.text(array[index]))
                 for name, array in zip(names, given[0], strict=True) if array.shape == shape)  # fmt: skip
