# SPDX-License-Identifier: Apache-2.0
# pip install jax==0.12.0.1
import os
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=2"
import jax
import jax.numpy as jnp
from jax.sharding import NamedSharding, PartitionSpec

def f(a, k):
    return jax.lax.conv_general_dilated(a, k, (), "VALID", dimension_numbers=("NC", "IO", "CN"), batch_group_count=2)
mesh = jax.make_mesh((2,), ("x",))
whole, tiles = (NamedSharding(mesh, PartitionSpec(*axes)) for axes in ((), (None, "x")))
a, k = jnp.arange(1.0, 5)[:, None], jnp.array([[1.0, 10]])
print("wanted", f(a, k), flush=True)
print("got   ", jax.jit(f, in_shardings=(whole, whole), out_shardings=tiles)(a, k))
