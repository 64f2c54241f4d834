# SPDX-License-Identifier: Apache-2.0
# pip install jax==0.12.0.1
import os
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=2"
import jax
import jax.numpy as jnp
from jax.sharding import AxisType, PartitionSpec

def f(x):
    return jax.lax.psum(jnp.full((2,), 1 + 2j, jnp.complex64), "x")
mesh = jax.make_mesh((2,), ("x",), axis_types=(AxisType.Auto,))
f = jax.shard_map(f, mesh=mesh, in_specs=PartitionSpec("x"), out_specs=PartitionSpec(), check_vma=False)
print("wanted [2.+4.j 2.+4.j]")
print("got   ", jax.jit(f)(jnp.zeros(4)))
