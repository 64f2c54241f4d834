# SPDX-License-Identifier: Apache-2.0
# pip install jax==0.12.0.1
import os

os.environ["XLA_FLAGS"] = "--xla_force_host_platform_device_count=2"
import jax
import jax.numpy as jnp
from jax import lax

print("wanted [[-1 -1], [-1 -1]]")
print("got   ", jax.pmap(lambda x: lax.all_gather(x, "i").astype(jnp.int8), "i")(jnp.array([-1, -1], jnp.int2)).tolist())
