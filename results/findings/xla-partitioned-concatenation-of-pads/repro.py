# SPDX-License-Identifier: Apache-2.0
# pip install jax==0.12.0.1
import os
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=4"
import jax
import jax.numpy as jnp
from jax.sharding import NamedSharding, PartitionSpec

def cut(a, low, high):
    return jax.lax.pad(a, jnp.float32(0), [(low, high, 0)])
def f(a):
    c = constrain(jnp.concatenate([cut(a, -3, 0), cut(a, 0, -1)]), tiles)
    d = constrain(jnp.concatenate([cut(a, -1, 0), cut(a, 0, -3)]), tiles)
    return c + d
mesh = jax.make_mesh((4,), ("x",), axis_types=(jax.sharding.AxisType.Auto,))
tiles = NamedSharding(mesh, PartitionSpec("x"))
constrain = lambda a, sharding: a
a = jnp.arange(1.0, 5)
print("wanted", f(a), flush=True)
constrain = jax.lax.with_sharding_constraint
print("got   ", jax.jit(f, in_shardings=tiles, out_shardings=tiles)(a))
