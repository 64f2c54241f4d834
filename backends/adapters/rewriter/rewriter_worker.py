#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Serves a release's StableHLO passes as a worker: rewriter_worker.py FOLDER, where FOLDER is the
release's directory. Answers Convert of backends/worker.proto: runs the named pass on MLIR text and
returns MLIR text, or converts a HloModuleProto to StableHLO and back."""
import importlib.metadata
import importlib.util
import os
import pathlib
import sys

FOLDER = sys.argv[1]
BACKENDS = pathlib.Path(__file__).resolve().parents[2]
sys.path[:0] = [FOLDER, str(BACKENDS / "examples"), str(BACKENDS / "adapters/python")]

from hlocts_frames import (  # noqa: E402
    FAILED, REFUSED, UNSUPPORTED, Refused, Unsupported, field, fields, read_frame, varint)


def enzyme_rewriter():
    """Loads only Enzyme-JAX's C++, since its Python package requires one release of jax."""
    path = pathlib.Path(FOLDER) / "enzyme_ad" / "jax" / "enzyme_call.so"
    spec = importlib.util.spec_from_file_location("enzyme_call", path)
    enzyme = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(enzyme)

    def rewrite(module, name):
        text = module.decode()
        if name not in PIPELINES:
            raise KeyError(name)
        # The pipeline makes every function private; the entry of a module must be public.
        made = enzyme.run_pass_pipeline([], text, name)[1]
        return made.replace("func.func private @main(", "func.func @main(")
    return rewrite


def jaxlib_rewriter():
    from stablehlo_text import jax_dialects, reached
    from jaxlib.mlir import ir, passmanager
    from jaxlib.mlir.dialects import stablehlo
    context = ir.Context()
    context.append_dialect_registry(jax_dialects())
    stablehlo.register_dialect(context)
    context.load_all_available_dialects()
    stablehlo.register_stablehlo_passes()

    def rewrite(module, name):
        if name == "there-and-back":
            return reached(module)
        with context:
            module = ir.Module.parse(module.decode())
            pipeline = f"builtin.module({PIPELINES[name]})"
            passmanager.PassManager.parse(pipeline).run(module.operation)
            return str(module)
    return rewrite


PIPELINES = {
    "canonicalize": "canonicalize,cse",
    "stablehlo-compatibility-expander":
        "stablehlo-compatibility-expander{target=1.0.0}",
    "stablehlo-complex-math-expander": "func.func(stablehlo-complex-math-expander)",
    "stablehlo-legalize-deprecated-ops": "func.func(stablehlo-legalize-deprecated-ops)",
    "enzyme-hlo-opt": "enzyme-hlo-opt",
}


def start():
    """Returns name, version and rewriter of the release in the directory."""
    for package, rewriter in (("enzyme-ad", enzyme_rewriter), ("jaxlib", jaxlib_rewriter)):
        for found in importlib.metadata.distributions(name=package, path=[FOLDER]):
            return package, found.version, rewriter()
    return "", "", None


def converted(rewrite, body):
    parts = dict(fields(body))
    name = parts.get(4, b"").decode()
    if not parts.get(1):
        return field(4, field(1, REFUSED) + field(2, "no module"))
    try:
        return field(5, rewrite(parts[1], name))
    except Unsupported as error:
        return field(4, field(1, UNSUPPORTED) + field(2, str(error)))
    except Refused as error:
        return field(4, field(1, REFUSED) + field(2, str(error)))
    except KeyError:
        return field(4, field(1, UNSUPPORTED) + field(2, f"no pass {name}"))
    except Exception as error:  # any error of the pass becomes the reply
        return field(4, field(1, FAILED) + field(2, f"{type(error).__name__}: {error}"))


def main():
    stdin, stdout = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # output of a pass must not break the frames
    package, version, rewrite = start()
    while (frame := read_frame(stdin)) is not None:
        kind, body = next(fields(frame))
        if kind == 1:
            hello = field(1, 1) + field(2, package) + field(3, version) + field(4, "convert")
            missing = field(8, f"{FOLDER}: the directory has no rewriter")
            reply = field(1, hello + (b"" if rewrite else missing))
        elif kind == 5:
            reply = converted(rewrite, body)
        else:
            words = "this worker only rewrites modules"
            reply = field(4, field(1, UNSUPPORTED) + field(2, words))
        stdout.write(varint(len(reply)) + reply)
        stdout.flush()


main()
