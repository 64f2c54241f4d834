# SPDX-License-Identifier: Apache-2.0
# pip install jax==0.12.0.1
import os
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=2"
import jax
import jax.numpy as jnp
from jax.sharding import NamedSharding, PartitionSpec

def f(a):
    return jax.lax.slice(a, (1,), (2,), (3,))
mesh = jax.make_mesh((2,), ("x",))
tiles, whole = (NamedSharding(mesh, PartitionSpec(axis)) for axis in ("x", None))
a = jnp.array([1, 2])
print("wanted", f(a))
print("got   ", jax.jit(f, in_shardings=tiles)(a))
