# SPDX-License-Identifier: Apache-2.0
# pip install jax==0.12.0.1
import jax
import jax.numpy as jnp
from jax import lax

print("wanted 1")
print("got   ", jax.jit(lambda: lax.population_count(jnp.int2(-2)))().astype(jnp.int8))
