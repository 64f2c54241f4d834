# SPDX-License-Identifier: Apache-2.0
"""Runs the XLA:CPU in a release of jaxlib (0.4.30 or later); jax itself need not be installed.

jaxlib's converter turns the HloModuleProto into StableHLO, which jaxlib's compiler compiles. The
program runs on one device, or on as many devices as the module has partitions.
"""

import types

import jaxlib.xla_client as xla_client
import numpy as np

import jaxlib_shards
import leaves
from hlocts_frames import Unsupported
from stablehlo_text import converted, refusal

xla = xla_client._xla


def set_jax_state():
    """Sets what importing jax sets; without it jaxlib aborts or prints warnings."""
    jit = xla.jax_jit
    if hasattr(jit, "set_thread_local_state_initialization_callback"):
        jit.set_thread_local_state_initialization_callback(lambda: None)
    if hasattr(jit, "global_state"):
        state = jit.global_state()
        state.disable_jit, state.enable_x64 = False, True
        if hasattr(state, "enable_memories"):
            state.enable_memories = False
    # jax would add this method to jaxlib's class.
    xla_client.SingleDeviceSharding._to_xla_hlo_sharding = (
        lambda *_: xla_client.HloSharding.replicate()
    )
    for name, value in (("disable_jit", False), ("enable_x64", True), ("post_hook", None)):
        if hasattr(jit, f"set_{name}_state"):
            getattr(jit, f"set_{name}_state")(xla.config.Config(name, value))


def compiled(client, device, module):
    options = jaxlib_shards.compile_options(xla_client)
    if hasattr(client, "compile_and_load"):
        return client.compile_and_load(module, xla_client.DeviceList((device,)), options)
    return client.compile(module, options)


def to_numpy(array):
    if hasattr(array, "_single_device_array_to_np_array_did_copy"):
        return array._single_device_array_to_np_array_did_copy()[0]
    return array._single_device_array_to_np_array()


PARTITIONS_MAX = 16


def make(options):
    partitioner = options.pop("partitioner", "gspmd")
    if partitioner not in ("gspmd", "shardy"):
        raise ValueError(f"partitioner: expected gspmd or shardy, found {partitioner}")
    if unknown := [name for name in options if not name.startswith("xla_")]:
        raise ValueError(f"{unknown[0]}: expected partitioner or an option of XLA (xla_...)")
    set_jax_state()
    client = xla_client.make_cpu_client()
    several = []  # a client with more devices, made for the first module that needs them

    def load_sharded(proto):
        if jaxlib_shards.partitions_of(proto) > PARTITIONS_MAX:
            raise Unsupported(f"expected at most {PARTITIONS_MAX} partitions, found more")
        module = converted(proto, xla_client)
        try:
            if not several:  # 0.4.30 makes clients of one device only
                several.append(xla_client.make_cpu_client(num_devices=PARTITIONS_MAX))
            return jaxlib_shards.load_partitioned(
                xla_client, several[0], module, proto, partitioner, to_numpy
            )
        except Unsupported:
            raise
        except Exception as error:
            raise refusal(error, "") from error

    device = client.devices()[0]
    sharding = xla_client.SingleDeviceSharding(device)

    def to_device(leaf):
        array = leaves.to_array(leaf)
        shaped = types.SimpleNamespace(shape=array.shape, dtype=array.dtype, weak_type=False)
        return xla_client.batched_device_put(shaped, sharding, [array], [device], True)

    def load(proto):
        if jaxlib_shards.is_dynamic(jaxlib_shards.result_of(proto)):
            raise Unsupported("no dynamic dimensions")
        if jaxlib_shards.partitions_of(proto) > 1:
            return load_sharded(proto)
        module = converted(proto, xla_client)
        try:
            executable = compiled(client, device, module)
        except Exception as error:
            raise refusal(error, "") from error

        def run(arguments):
            results = executable.execute_sharded([to_device(leaf) for leaf in arguments])
            arrays = results.disassemble_into_single_device_arrays()
            return [leaves.to_leaf(np.asarray(to_numpy(parts[0]))) for parts in arrays]

        return run

    return load
