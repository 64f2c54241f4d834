# SPDX-License-Identifier: Apache-2.0
# pip install jax==0.12.0.1
import os
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=2"
import jax
import jax.numpy as jnp
from jax.sharding import NamedSharding, PartitionSpec

def f(a):
    return jax.lax.pad(a, jnp.float32(9), [(-1, 0, 1)])
tiles = NamedSharding(jax.make_mesh((2,), ("x",)), PartitionSpec("x"))
a = jnp.arange(1.0, 9)
print("wanted", f(a), flush=True)
print("got   ", jax.jit(f, in_shardings=tiles, out_shardings=tiles)(a))
