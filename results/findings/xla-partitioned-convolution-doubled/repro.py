# SPDX-License-Identifier: Apache-2.0
# pip install jax==0.12.0.1
import os
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=4"
import jax
import jax.numpy as jnp
from jax.sharding import NamedSharding, PartitionSpec

def f(a, k):
    return jax.lax.conv_general_dilated(a, k, (1, 1), "VALID", dimension_numbers=("NCHW", "OIHW", "NCHW"))
mesh = jax.make_mesh((2, 2), ("x", "y"))
space, features, whole = (NamedSharding(mesh, PartitionSpec(*axes)) for axes in ((None, None, "y"), ("x",), ()))
a = jnp.arange(1.0, 5).reshape(1, 1, 4, 1)
k = jnp.array([[1.0, 1], [2, 2]]).reshape(2, 1, 2, 1)
print("wanted", f(a, k).ravel())
print("got   ", jax.jit(f, in_shardings=(space, features), out_shardings=whole)(a, k).ravel())
