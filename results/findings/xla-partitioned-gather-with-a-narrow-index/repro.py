# SPDX-License-Identifier: Apache-2.0
# pip install jax==0.12.0.1
import os
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=2"
import jax
import jax.numpy as jnp
from jax.sharding import NamedSharding, PartitionSpec

def f(a, i):
    numbers = jax.lax.GatherDimensionNumbers(offset_dims=(), collapsed_slice_dims=(0,), start_index_map=(0,))
    return jax.lax.gather(a, i, numbers, (1,), mode="clip")
mesh = jax.make_mesh((2,), ("x",))
tiles, whole = (NamedSharding(mesh, PartitionSpec(axis)) for axis in ("x", None))
a, i = jnp.arange(8, dtype=jnp.int32), jnp.array([[1], [2], [5], [6]], dtype=jnp.int8)
print("wanted", f(a, i), flush=True)
print("got   ", jax.jit(f, in_shardings=(tiles, whole), out_shardings=whole)(a, i))
