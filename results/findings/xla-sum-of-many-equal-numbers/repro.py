# SPDX-License-Identifier: Apache-2.0
# pip install jax==0.12.0.1
import jax
import jax.numpy as jnp

print("wanted 0.0")
print("got   ", jax.jit(lambda x: jnp.sum(jnp.broadcast_to(x, (65536,)), dtype=jnp.float16))(jnp.float16(0)))
