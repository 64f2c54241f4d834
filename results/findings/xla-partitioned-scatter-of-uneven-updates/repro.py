# SPDX-License-Identifier: Apache-2.0
# pip install jax==0.12.0.1
import os
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=2"
import jax
import jax.numpy as jnp
from jax.sharding import NamedSharding, PartitionSpec

def f(a, i, u):
    numbers = jax.lax.ScatterDimensionNumbers(
        update_window_dims=(), inserted_window_dims=(0,), scatter_dims_to_operand_dims=(0,))
    return jax.lax.scatter_max(a, i, u, numbers, mode=jax.lax.GatherScatterMode.PROMISE_IN_BOUNDS)
def g(a, i, u):
    return f(a, i, jax.lax.with_sharding_constraint(u, tiles))
mesh = jax.make_mesh((2,), ("x",), axis_types=(jax.sharding.AxisType.Auto,))
tiles, whole = (NamedSharding(mesh, PartitionSpec(axis)) for axis in ("x", None))
a, i, u = jnp.array([-5, -5, -5, -5]), jnp.array([[1], [2], [3]]), jnp.array([-1, -2, -3])
print("wanted", f(a, i, u))
print("got   ", jax.jit(g, in_shardings=(whole, whole, whole), out_shardings=whole)(a, i, u))
