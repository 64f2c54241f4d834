#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a finding with public packages only. Prints the expected and the returned value, the releases
with the defect, and REPRODUCED or NOT REPRODUCED.

    pip install jax==0.12.0.1 iree-base-compiler==3.13.0 iree-base-runtime==3.13.0   (Python 3.12 or newer)
    reproduce.py FOLDER                  the folder's repro.py, and its module on the engine it names
    reproduce.py FOLDER --write=DIR      writes module.hlo, inputs.txt, actual.txt, ... (a bundle)

The module is HLO text: jaxlib reads it and converts it to StableHLO, which XLA:CPU of jaxlib, its
StableHLO interpreter, IREE or LiteRT (ai-edge-litert 2.3.0, litert-converter 0.5.0) compiles. For an
engine without such a package, the script names the tool of the engine's project. A release in which
the defect is fixed does not reproduce it: the line `releases` says which do.

A module of several devices is run by repro.py alone: a crash or refusal that the finding records is
REPRODUCED, and other results are printed and not judged (status 3).

Exit: 1 REPRODUCED; 0 NOT REPRODUCED; 2 usage; 3 not judged here, or a package is missing.
"""

import importlib.metadata
import importlib.util
import json
import os
import pathlib
import re
import runpy
import subprocess
import sys
import traceback

lacking = None
try:
    import numpy as np
    import ml_dtypes  # isort: skip
except ImportError as missing:
    lacking = missing

sys.dont_write_bytecode = True
sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "tools" / "certify"))
from finding import fields_of, record_of, wanted_text, write_files

# Engines, and passes alone, that no package of Python runs.
ELSEWHERE = {
    "hlo": "XLA's run_hlo_module --platform=interpreter",
    "tpu": "XLA:TPU's compiler (libtpu): hlocts convert --compiled-by=tpu, which needs no TPU",
    "catalyst": "pennylane-catalyst's `catalyst --tool=opt`",
    "run alone": "XLA's hlo-opt --passes=algsimp",
    "XLA:GPU": "XLA's hlo-opt --platform=gpu, or a GPU",
}
PACKAGES = {"iree": "iree-base-compiler", "litert": "ai-edge-litert"}  # of other engines: jaxlib
NEEDS = {"iree": ("iree", " iree-base-compiler==3.13.0 iree-base-runtime==3.13.0"),
         "litert": ("litert_converter", " ai-edge-litert==2.3.0 litert-converter==0.5.0")}  # fmt: skip
SHOWN = 16  # values of an output that are printed in a row
WRONG, NOT_WRONG, NOT_RUN = 11, 10, 3  # statuses that Python does not use
NAMES = {"s": "int", "u": "uint", "f": "float", "c": "complex"}


def dtype_of(name):
    full = "bool" if name == "pred" else NAMES.get(name[0], name[0]) + name[1:]
    if name == "bf16":
        full = "bfloat16"
    elif name.startswith(("f8", "f4")):
        full = full.replace("8e", "8_e").replace("4e", "4_e")
    return np.dtype(full if hasattr(np, full) else getattr(ml_dtypes, full))


def literals(text):
    """The arrays of the inputs: `f32[2]{0} {1, nan}`."""
    for line in text.splitlines():
        if line.startswith("replica "):
            continue
        name, dims, text = re.fullmatch(r"(\w+)\[([\d,]*)\](?:\{[^ ]*\})? ?(.*)", line).groups()
        words = re.findall(r"\([^)]*\)|[^\s{},]+", text)
        shape = [int(d) for d in dims.split(",") if d]
        complex_of = lambda w: complex(*map(float, w.strip("()").split(",")))
        value = {"pred": lambda w: w == "true", "c64": complex_of, "c128": complex_of}
        bits_aside = lambda w: float(re.sub(r"nan\(.*\)", "nan", w))  # the bits of a NaN
        value = value.get(name, int if name[0] in "su" else bits_aside)
        yield np.array([value(w) for w in words]).astype(dtype_of(name)).reshape(shape)


def stablehlo(folder):
    from jaxlib import _hlo, xla_client

    module = _hlo.hlo_module_from_text((folder / "module.hlo").read_text())
    proto = module.as_serialized_hlo_module_proto()
    return xla_client._xla.mlir.hlo_to_stablehlo(proto)


def as_text(module):
    from jax._src.interpreters import mlir
    from jaxlib.mlir import ir

    with mlir.make_ir_context():
        return str(ir.Module.parse(module))


def on_xla(module, inputs):
    import jax
    from jaxlib import xla_client

    jax.config.update("jax_enable_x64", True)
    device = jax.devices("cpu")[0]
    devices, options = xla_client.DeviceList((device,)), xla_client.CompileOptions()
    executable = device.client.compile_and_load(module, devices, options)
    results = executable.execute_sharded([jax.device_put(x, device) for x in inputs])
    return [np.asarray(parts[0]) for parts in results.disassemble_into_single_device_arrays()]


def on_iree(module, inputs, target):
    import iree.compiler
    import iree.runtime

    code = iree.compiler.compile_str(as_text(module), target_backends=[target], input_type="stablehlo")
    config = iree.runtime.Config("local-sync")
    program = iree.runtime.VmModule.copy_buffer(config.vm_instance, code)
    results = iree.runtime.load_vm_module(program, config).main(*inputs)
    results = results if isinstance(results, (tuple, list)) else [results]
    return [np.array(r.to_host()) for r in results]


def on_litert(text, inputs):
    import litert_converter.converter_api_ext as converter
    from ai_edge_litert.interpreter import Interpreter
    from litert_converter.mlir import ir, passmanager

    context = ir.Context()
    converter.prepare_mlir_context(context)
    with context:
        module, config = ir.Module.parse(text), converter.ConvertToTFLConfig()
        config.enable_x64, config.canonicalizing_inf_as_min_max_float = True, False
        converter.run_convert_to_tfl_passes(module, passmanager.PassManager(), config)
        engine = Interpreter(model_content=converter.export_flatbuffer_to_bytes(module.operation))
    engine.allocate_tensors()
    for detail, array in zip(engine.get_input_details(), inputs):
        engine.set_tensor(detail["index"], array)
    engine.invoke()
    return [np.asarray(engine.get_tensor(d["index"])) for d in engine.get_output_details()]


def on_interpreter(module, inputs):
    from jax._src.interpreters import mlir
    from jaxlib.mlir import ir
    from jaxlib.mlir.dialects import stablehlo as dialect

    with mlir.make_ir_context():
        parsed = ir.Module.parse(module)
        results = dialect.eval_module(parsed, [ir.DenseElementsAttr.get(np.asarray(x)) for x in inputs])
        return [np.array(result) for result in results]


def outputs_of(folder, engine, said):
    inputs, module = list(literals(record_of(folder, "inputs"))), stablehlo(folder)
    if engine == "iree":
        target = "vmvx" if "vmvx" in said["engine"] else "llvm-cpu"
        return on_iree(module, inputs, target)
    if engine == "litert":
        return on_litert(as_text(module), inputs)
    return (on_interpreter if engine == "stablehlo" else on_xla)(module, inputs)


def is_in(accepted, value):
    """Returns whether a set such as `[1, 2]`, `+0 or -0` has the value; None for other texts."""
    if parts := re.fullmatch(r"\((\[.*?\]), (\[.*?\])\)", accepted):
        return is_in(parts[1], value.real) and is_in(parts[2], value.imag)
    if bounds := re.fullmatch(r"\[(.*), (.*)\]", accepted):
        return bool(float(bounds[1]) <= value <= float(bounds[2]))
    try:
        for word in accepted.split(" or "):
            one = word == "true" if word in ("true", "false") else float(word)
            signs = word[0] not in "+-" or one != 0 or np.signbit(value) == np.signbit(one)
            if signs and (value == value.dtype.type(one) or value != value and one != one):
                return True
    except (ValueError, OverflowError):
        return None
    return False


def is_wrong(said, failure, results):
    """Returns whether the element of the finding has its recorded value or another wrong one."""
    at = failure["output"], tuple(failure["index"])
    recorded, value = (list(of)[at[0]][at[1]] for of in (literals(said["actual"]), results))
    if value.tobytes() == recorded.tobytes() or (value != value and recorded != recorded):
        return True
    return is_in(failure["accepted"], value) is False


def tool_of(engine, said):
    """Returns the tool that runs the engine, if no package of Python does."""
    named = said["engine"] + "\n" + said.get("where", "")  # not text, which names others
    return next((tool for word, tool in ELSEWHERE.items()
                 if engine == word or not word.isalpha() and word in named), None)  # fmt: skip


def show_with_own_program(program, recorded=""):
    """Runs repro.py, which shows the finding and may end the process. Returns WRONG if XLA refuses its
    module and the finding records that. Other results are for people. A missing package is one line."""
    try:
        runpy.run_path(str(program), run_name="__main__")
    except ImportError as missing:
        install = re.search("pip install .*|$", program.read_text())[0] + python_for(program.read_text())
        print(f"repro.py: {type(missing).__name__}: {missing}: {install}", file=sys.stderr)
    except Exception as error:
        traceback.print_exc()
        refused = type(error).__name__ in ("JaxRuntimeError", "XlaRuntimeError")
        return WRONG if refused and recorded == "rejected" else NOT_RUN
    return NOT_RUN


def is_of_several_devices(folder):
    return re.search(r"(num_partitions|replica_count)=([2-9]|\d\d)", (folder / "module.hlo").read_text())


def status_of(part, folder, verdict):
    """Runs a part, `module` or `repro`, in another process, because some findings end the process."""
    sys.stdout.flush()
    status = subprocess.run([sys.executable, __file__, folder], check=False,
                            env=os.environ | {"HLOCTS_REPRODUCE": part}).returncode  # fmt: skip
    if status < 0:
        print(f"got     the process ended by signal {-status}")
        return WRONG if verdict["verdict"] == "crash" else NOT_WRONG
    return status


def shown(number, result, failure):
    """Returns an output: whole, or its first values and those from the finding's element on."""
    if result.size <= SHOWN:
        return "%s  (output %d, whole)" % (result.tolist(), number)
    own = failure and failure["output"] == number
    starts = sorted({0, int(np.ravel_multi_index(failure["index"], result.shape)) if own else 0})
    return "\n        ".join("%s  (output %d, from value %d of %d on)" % (
        result.ravel()[at:at + SHOWN].tolist(), number, at, result.size) for at in starts)  # fmt: skip


def run_module(folder, said, verdict):
    """Prints what is wanted and what is returned. Returns WRONG, NOT_WRONG or NOT_RUN."""
    failure, engine = verdict["first_failure"], folder.resolve().name.split("-")[0]
    if failure:
        place = "output %d at %s" % (failure["output"], failure["index"])
        print("wanted  %s  (%s)" % (wanted_text(failure), place))
    else:
        invalid = said["met_by"] == "an invalid module"
        print("wanted  %s; seen: %s" % ("a refusal" if invalid else "a result", verdict["verdict"]))
    if tool := tool_of(engine, said):
        print(f"run     {tool} {folder / 'module.hlo'}")
        return NOT_RUN
    if is_of_several_devices(folder):
        print(f"run     several devices: the script of `hlocts report-bug {folder}`, which judges their outputs"
              + ", or repro.py, which prints them" * (folder / "repro.py").exists())  # fmt: skip
        return NOT_RUN
    sys.stdout.flush()  # before a crash
    try:
        results = outputs_of(folder, engine, said)
    except ImportError as missing:
        print(f"run     {missing}: see --help")
        return NOT_RUN
    except Exception as error:  # the engine's words
        print("got     %s: %s" % (type(error).__name__, str(error).strip().splitlines()[0][:200]))
        return WRONG if verdict["verdict"] in ("rejected", "crash") else NOT_WRONG
    if failure:
        print(f"got     {results[failure['output']][tuple(failure['index'])]}  ({place})")
    for number, result in enumerate(results):
        print("        " + shown(number, result, failure))
    return WRONG if failure and is_wrong(said, failure, results) else NOT_WRONG


def releases_of(said):
    """Returns the releases that were run, and those that a person knows."""
    measured = "wrong from %s to %s" % (said.get("first_bad"), said.get("last_bad"))
    if good := said.get("first_good_after"):
        measured += ", right in " + good
    if said.get("came_and_went"):
        measured += "; a release between them is right"
    words = [measured] if "first_bad" in said else [said.get("history", "")]
    return "; ".join(filter(None, [*words, said.get("releases", "")]))


def python_for(install):
    """Returns the Python that a release of jax needs, if Debian 12 has an older one (3.11)."""
    return ", with Python 3.12 or newer" if "jax==0.12" in install else ""


def advice(folder, said):
    """Returns what to install: the newest jax whose jaxlib has the defect, if one was measured. The
    releases xla@... are plugins, whose numbers are those of no jax."""
    engine, _, version = said.get("last_bad", "").partition("@")
    if engine == "xla" and version:
        return (f"pip install jax ml_dtypes (the defect was measured in the plugin {version}, which no jax has: "
                f"hlocts replay {folder} --backend=xla@{version})")
    measured = engine == "jaxlib" and folder.resolve().name.startswith("xla-")
    version = version if measured else "0.12.0.1"
    python = python_for(f"jax=={version}")
    _, others = NEEDS.get(folder.resolve().name.split("-")[0], ("", ""))
    return f"pip install jax=={version}{others}{python and python + ','}{' reproduces it' if measured else ''} (more: --help)"


def main(arguments):
    into = [word.removeprefix("--write=") for word in arguments if word.startswith("--write=")]
    if len(arguments) != 1 + len(into) or arguments[0].startswith("-"):
        print(__doc__)
        return 0 if arguments in (["-h"], ["--help"]) else 2
    folder = pathlib.Path(arguments[0])
    if not (folder / "finding.textproto").exists():
        print(f"reproduce.py: {folder}: expected the directory of a finding", file=sys.stderr)
        return 2
    if into:
        if record_of(pathlib.Path(into[0]), "verdict") not in (None, "", record_of(folder, "verdict")):
            print(f"reproduce.py: {into[0]}: expected a new directory, found another bundle", file=sys.stderr)
            return 2
        return write_files(folder, pathlib.Path(into[0]))  # None: status 0
    said = fields_of(folder / "finding.textproto")
    engine = folder.resolve().name.split("-")[0]
    missing = lacking or next((f"No module named '{name}'" for name in ("jax", NEEDS.get(engine, ["jax"])[0])
                               if importlib.util.find_spec(name) is None), None)  # fmt: skip
    if missing and not tool_of(engine, said):
        print(f"reproduce.py: {missing}: {advice(folder, said)}", file=sys.stderr)
        return NOT_RUN
    verdict = json.loads(said["verdict"])
    program, part = folder / "repro.py", os.environ.get("HLOCTS_REPRODUCE")
    if part == "repro":
        return show_with_own_program(program, verdict["verdict"])
    if part:
        return run_module(folder, said, verdict)
    shown_status = status_of("repro", folder, verdict) if program.exists() else NOT_RUN
    status = WRONG
    if shown_status != WRONG or not is_of_several_devices(folder):
        status = status_of("module", folder, verdict)
    print(f"releases  {releases_of(said)}")
    if status not in (WRONG, NOT_WRONG):
        return 3
    package = PACKAGES.get(engine, "jaxlib")
    print("NOT " * (status != WRONG) + f"REPRODUCED by {package} {importlib.metadata.version(package)}")
    return status - NOT_WRONG


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
