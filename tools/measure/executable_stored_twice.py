#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Loads an executable of XLA:CPU from its serialization, then serializes and loads it once more.

Needs only `pip install jax`. Prints REPRODUCED, with exit status 1, if the second copy cannot be
executed. Exit status 0: it returns the results of the first one.
"""

import sys

import jax
import jax.numpy as jnp
import numpy as np
from jax._src.lib import xla_client


def store(client, executable):
    if hasattr(client, "serialize_executable"):
        return client.serialize_executable(executable)
    return executable.serialize()


def load(client, stored):
    try:
        devices = xla_client.DeviceList(tuple(client.local_devices()[:1]))
        return client.deserialize_executable(stored, devices, None)
    except TypeError:
        return client.deserialize_executable(stored, None)


def main():
    client = jax.devices("cpu")[0].client
    x = jnp.arange(5, dtype=jnp.int32)
    executable = jax.jit(lambda a: a + a).lower(x).compile().runtime_executable()
    for copy in (1, 2):
        executable = load(client, store(client, executable))
        try:
            got = np.asarray(executable.execute([jax.device_put(x)])[0])
        except jax.errors.JaxRuntimeError as error:
            print(f"REPRODUCED: copy {copy} of jax {jax.__version__}: {error}")
            return 1
        print(f"copy {copy}: {got}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
