# SPDX-License-Identifier: Apache-2.0
# pip install jax==0.12.0.1
import jax
import jax.numpy as jnp

print("wanted 15  (~0 of four bits)")
print("got   ", jax.jit(lambda x: (~x).astype(jnp.uint8))(jnp.array(0, jnp.uint4)))
