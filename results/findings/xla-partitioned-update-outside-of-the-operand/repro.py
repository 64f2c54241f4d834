# SPDX-License-Identifier: Apache-2.0
# pip install jax==0.12.0.1
import os
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=2"
import jax
import jax.numpy as jnp
from jax.sharding import NamedSharding, PartitionSpec

def f(a, u, i):
    return jax.lax.dynamic_update_slice(a, u, (i,))
mesh = jax.make_mesh((2,), ("x",))
tiles, whole = (NamedSharding(mesh, PartitionSpec(axis)) for axis in ("x", None))
a, u, i = jnp.arange(4), jnp.array([99]), jnp.int32(7)
print("wanted", f(a, u, i))
print("got   ", jax.jit(f, in_shardings=(tiles, whole, NamedSharding(mesh, PartitionSpec())), out_shardings=tiles)(a, u, i))
