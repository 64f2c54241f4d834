# SPDX-License-Identifier: Apache-2.0
# pip install jax==0.12.0.1
import os
os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=2"
import jax
import jax.numpy as jnp
from jax.sharding import NamedSharding, PartitionSpec

def f():
    return jnp.arange(522, dtype=jnp.bfloat16)
tiles = NamedSharding(jax.make_mesh((2,), ("x",)), PartitionSpec("x"))
print("wanted", jax.device_get(f())[256:270])
print("got   ", jax.device_get(jax.jit(f, out_shardings=tiles)())[256:270])
