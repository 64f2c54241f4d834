# SPDX-License-Identifier: Apache-2.0
# pip install jax==0.12.0.1
import jax
import jax.numpy as jnp
from jax import lax

print("wanted 4")
print("got   ", jax.jit(lax.population_count)(jnp.array(-1, jnp.int4)))
