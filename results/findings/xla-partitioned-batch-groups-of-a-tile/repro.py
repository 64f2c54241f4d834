# SPDX-License-Identifier: Apache-2.0
# pip install jax==0.12.0.1
import os
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=2"
import jax
import jax.numpy as jnp
from jax.sharding import NamedSharding, PartitionSpec

def f(a, k):
    return jax.lax.conv_general_dilated(a, k, (), "VALID", dimension_numbers=("NC", "IO", "NC"), batch_group_count=3)
mesh = jax.make_mesh((2,), ("x",))
a, k = jnp.arange(1.0, 7)[:, None], jnp.array([[1.0, 10, 1, 10, 1, 10]])
print("wanted", f(a, k), flush=True)
tiles, features = (NamedSharding(mesh, PartitionSpec(*axes)) for axes in (("x",), (None, "x")))
print("got   ", jax.jit(f, in_shardings=(tiles, None), out_shardings=features)(a, k))
