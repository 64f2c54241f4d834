# SPDX-License-Identifier: Apache-2.0
# pip install jax==0.12.0.1
import os
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=4"
import jax
import jax.numpy as jnp
from jax.sharding import NamedSharding, PartitionSpec

def f(a, k):
    return jax.lax.conv_general_dilated(a, k, (1, 1), ((0, 0), (0, 0)), lhs_dilation=(2, 1), dimension_numbers=("NCHW", "IOHW", "NCWH"))
mesh = jax.make_mesh((4,), ("x",))
whole, tiles = (NamedSharding(mesh, PartitionSpec(*axes)) for axes in ((), (None, None, None, "x")))
a, k = jnp.array([1.0, 2, 3]).reshape(1, 1, 3, 1), jnp.array([1.0, 10]).reshape(1, 1, 2, 1)
print("wanted", f(a, k))
print("got   ", jax.jit(f, in_shardings=(whole, whole), out_shardings=tiles)(a, k))
