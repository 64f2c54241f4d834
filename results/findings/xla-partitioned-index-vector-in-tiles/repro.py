# SPDX-License-Identifier: Apache-2.0
# pip install jax==0.12.0.1
import os
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=4"
import jax
import jax.numpy as jnp
from jax.sharding import NamedSharding, PartitionSpec

def f(a, i, u):
    numbers = jax.lax.ScatterDimensionNumbers(
        update_window_dims=(), inserted_window_dims=(0, 1), scatter_dims_to_operand_dims=(0, 1))
    return jax.lax.scatter_add(a, i, u, numbers)
mesh = jax.make_mesh((2, 2), ("x", "y"))
rows, parts, whole = (NamedSharding(mesh, PartitionSpec(*axes)) for axes in (("x",), ("x",), ()))
a, i, u = jnp.zeros((2, 2)), jnp.array([1, 0]), jnp.float32(5)
print("wanted", f(a, i, u), flush=True)
print("got   ", jax.jit(f, in_shardings=(rows, parts, whole))(a, i, u))
