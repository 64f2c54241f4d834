# SPDX-License-Identifier: Apache-2.0
# pip install jax==0.12.0.1
import os
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=4"
import jax
import jax.numpy as jnp
from jax.sharding import NamedSharding, PartitionSpec

def f(a, k):
    return jax.lax.conv_general_dilated(a, k, (1,), [(0, 1)], rhs_dilation=(2,), dimension_numbers=("NWC", "WIO", "NWC"))
def g(a, k):
    k = jax.lax.with_sharding_constraint(k, NamedSharding(mesh, PartitionSpec("x")))
    return f(a, k)
mesh = jax.make_mesh((4,), ("x",), axis_types=(jax.sharding.AxisType.Auto,))
tiles, whole = (NamedSharding(mesh, PartitionSpec(*axes)) for axes in ((None, "x"), ()))
a = jnp.arange(1.0, 5).reshape(1, 4, 1)
k = jnp.array([1.0, 10, 100]).reshape(3, 1, 1)
print("wanted", f(a, k).ravel())
print("got   ", jax.jit(g, in_shardings=(tiles, whole), out_shardings=whole)(a, k).ravel())
