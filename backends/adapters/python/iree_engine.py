# SPDX-License-Identifier: Apache-2.0
"""IREE: runs its compiler in this process through its C API, and its runtime on one thread.

Options: target=llvm-cpu (code by LLVM) or target=vmvx (its own bytecode and kernels); all others
are flags of iree-compile.
"""

import iree.runtime as runtime
import numpy as np
from iree.compiler.api import Output, Session, Source

import leaves
from hlocts_frames import Unsupported
from stablehlo_text import plain_text, refusal, results_of


def compiled(text, flags):
    with Session() as session:
        session.set_flags(*flags)
        with Source.wrap_buffer(
            session, text.encode() + b"\0"
        ) as source, session.invocation() as invocation:
            invocation.enable_console_diagnostics()
            if not invocation.parse_source(source) or not invocation.execute():
                return None
            with Output.open_membuffer() as output:
                invocation.output_vm_bytecode(output)
                return bytes(output.map_memory())


def make(options):
    flags = [
        f"--iree-hal-target-backends={options.pop('target', 'llvm-cpu')}",
        "--iree-input-type=stablehlo",
    ]
    flags += [f"--{name}={value}" for name, value in options.items()]
    config = runtime.Config("local-sync")

    def load(proto):
        text = plain_text(proto)
        binary = compiled(text, flags)
        if binary is None:
            # The compiler writes its messages to standard error. The module has passed StableHLO's
            # verifier, so the remaining cause is an operation that the compiler cannot lower.
            raise Unsupported("iree-compile does not lower this module")
        results_of(text)  # raises an error for results that are not arrays
        module = runtime.load_vm_module(
            runtime.VmModule.copy_buffer(config.vm_instance, binary), config
        )

        def run(arguments):
            try:
                arrays = [
                    runtime.asdevicearray(config.device, leaves.to_array(leaf))
                    for leaf in arguments
                ]
                results = module.main(*arrays)
                results = results if isinstance(results, (tuple, list)) else [results]
                # Copies the result, which may use the memory of an argument and be freed with it.
                return [leaves.to_leaf(np.array(result.to_host())) for result in results]
            except (RuntimeError, ValueError, IndexError) as error:
                raise refusal(error, "") from error

        return run

    return load
