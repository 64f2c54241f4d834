# SPDX-License-Identifier: Apache-2.0
# pip install jax==0.12.0.1
import os
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=2"
import jax
import jax.numpy as jnp
from jax.sharding import NamedSharding, PartitionSpec

def f(p):
    return jax.lax.reduce_window(p, 0.0, jax.lax.add, (4,), (2,), "VALID", base_dilation=(2,))
mesh = jax.make_mesh((2,), ("x",))
tiles, whole = (NamedSharding(mesh, PartitionSpec(axis)) for axis in ("x", None))
p = jnp.array([1.0, 2, 3, 4])
print("wanted", f(p), flush=True)
print("got   ", jax.jit(f, in_shardings=whole, out_shardings=tiles)(p))
