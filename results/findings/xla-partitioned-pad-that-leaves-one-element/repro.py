# SPDX-License-Identifier: Apache-2.0
# pip install jax==0.12.0.1
import os
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=2"
import jax
import jax.numpy as jnp
from jax.sharding import NamedSharding, PartitionSpec

def f(p, q):
    return jnp.concatenate([jax.lax.pad(p, jnp.int32(0), [(-3, 0, 0)]), q])
mesh = jax.make_mesh((2,), ("x",))
tiles, whole = (NamedSharding(mesh, PartitionSpec(axis)) for axis in ("x", None))
p, q = jnp.arange(1, 5, dtype=jnp.int32), jnp.array([5], jnp.int32)
print("wanted", f(p, q), flush=True)
print("got   ", jax.jit(f, in_shardings=whole, out_shardings=tiles)(p, q))
