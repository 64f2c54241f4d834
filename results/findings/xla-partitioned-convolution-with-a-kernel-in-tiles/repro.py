# SPDX-License-Identifier: Apache-2.0
# pip install jax==0.12.0.1
import os
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=2"
import jax
import jax.numpy as jnp
from jax.sharding import NamedSharding, PartitionSpec

def f(a, k):
    return jax.lax.conv_general_dilated(
        a, k, (1,), "VALID", dimension_numbers=("CNW", "WIO", "NWC"), feature_group_count=2)
mesh = jax.make_mesh((2,), ("x",))
whole, features = (NamedSharding(mesh, PartitionSpec(*axes)) for axes in ((), (None, None, "x")))
a, k = jnp.arange(1.0, 9).reshape(2, 1, 4), jnp.array([1.0, 10]).reshape(1, 1, 2)
print("wanted", f(a, k).tolist())
print("got   ", jax.jit(f, in_shardings=(whole, features), out_shardings=whole)(a, k).tolist())
