# SPDX-License-Identifier: Apache-2.0
# pip install jax==0.12.0.1
import os
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=2"
import jax
import jax.numpy as jnp
from jax.sharding import NamedSharding, PartitionSpec

def f(a):
    return jax.lax.reduce_window(a, -jnp.inf, jax.lax.max, (2,), (2,), [(1, 0)])
mesh = jax.make_mesh((2,), ("x",))
tiles, whole = (NamedSharding(mesh, PartitionSpec(axis)) for axis in ("x", None))
a = jnp.array([2.0, 0, 1, 3])
print("wanted", f(a))
print("got   ", jax.jit(f, in_shardings=whole, out_shardings=tiles)(a))
