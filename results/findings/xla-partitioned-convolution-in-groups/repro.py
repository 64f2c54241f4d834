# SPDX-License-Identifier: Apache-2.0
# pip install jax==0.12.0.1
import os
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=2"
import jax
import jax.numpy as jnp
from jax.sharding import NamedSharding, PartitionSpec

def f(a, k):
    return jax.lax.conv_general_dilated(a, k, (), "VALID", dimension_numbers=("NC", "IO", "NC"), feature_group_count=2)
features = NamedSharding(jax.make_mesh((2,), ("x",)), PartitionSpec(None, "x"))
a, k = jnp.array([[1.0, 2, 3, 4]]), jnp.array([[1.0] * 4, [10.0] * 4])
print("wanted", f(a, k))
print("got   ", jax.jit(f, out_shardings=features)(a, k))
