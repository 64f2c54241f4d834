# SPDX-License-Identifier: Apache-2.0
# pip install jax==0.12.0.1
import jax
import jax.numpy as jnp
from jax import lax

print("wanted two numbers below 3, or an exception", flush=True)
print("got   ", jax.jit(lambda: lax.rng_uniform(jnp.int4(0), jnp.int4(3), (2,)))())
