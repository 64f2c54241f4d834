# SPDX-License-Identifier: Apache-2.0
# pip install jax==0.12.0.1
import jax
import jax.numpy as jnp
from jax import lax

x = jnp.array([1, 0, -1, -2] * 2, jnp.int2)
print("wanted twice [-2, -2, -1, -1, 0, 0, 1, 1]")
print("got   ", *(a.astype(jnp.int8).tolist() for a in jax.jit(lambda a, b: lax.sort((a, b)))(x, x)))
