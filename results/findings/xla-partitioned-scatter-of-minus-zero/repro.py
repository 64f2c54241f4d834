# SPDX-License-Identifier: Apache-2.0
# pip install jax==0.12.0.1
import os
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=2"
import jax
import jax.numpy as jnp
from jax.sharding import NamedSharding, PartitionSpec

def f(a, i, u):
    return a.at[i].add(u)
mesh = jax.make_mesh((2,), ("x",))
tiles, whole = (NamedSharding(mesh, PartitionSpec(axis)) for axis in ("x", None))
a, i, u = jnp.array([-0.0, 1]), jnp.array([1, 1]), jnp.array([10.0, 100])
print("wanted", f(a, i, u))
print("got   ", jax.jit(f, in_shardings=(whole, tiles, whole), out_shardings=whole)(a, i, u))
