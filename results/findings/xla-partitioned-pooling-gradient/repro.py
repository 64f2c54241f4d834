# SPDX-License-Identifier: Apache-2.0
# pip install jax==0.12.0.1
import os
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=2"
import jax
import jax.numpy as jnp
from jax.sharding import NamedSharding, PartitionSpec

def pool(a):
    return jax.lax.reduce_window(a, -jnp.inf, jax.lax.max, (2,), (1,), "VALID")
def f(a, s):
    return jax.vjp(pool, a)[1](s)[0]
mesh = jax.make_mesh((2,), ("x",))
tiles, whole = (NamedSharding(mesh, PartitionSpec(axis)) for axis in ("x", None))
a, s = jnp.array([3.0, 1, 2, 4]), jnp.ones(3)
print("wanted", f(a, s))
print("got   ", jax.jit(f, in_shardings=(tiles, whole), out_shardings=tiles)(a, s))
