# SPDX-License-Identifier: Apache-2.0
# pip install jax==0.11.2
import jax
import jax.numpy as jnp
from jax import lax

x = 10 * jnp.arange(9)
print("wanted", jnp.roll(x, 4)[5:])
print("got   ", jax.jit(lambda n, start: lax.dynamic_slice(jnp.roll(x, n), [start], [4]))(4, 12))
