# SPDX-License-Identifier: Apache-2.0
# pip install jax==0.12.0.1
import os
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=2"
import jax
import jax.numpy as jnp
from jax.sharding import NamedSharding, PartitionSpec

def f(p):
    return jax.lax.pad(p, jnp.int32(9), [(-2, 1, 0)])
tiles = NamedSharding(jax.make_mesh((2,), ("x",)), PartitionSpec("x"))
p = jnp.arange(1, 3, dtype=jnp.int32)
print("wanted", f(p), flush=True)
print("got   ", jax.jit(f, in_shardings=tiles)(p))
