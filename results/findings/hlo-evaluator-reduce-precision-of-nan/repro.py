# SPDX-License-Identifier: Apache-2.0
# pip install jax==0.12.0.1
import jax
import jax.numpy as jnp
from jax import lax

print("wanted nan")
print("got   ", jax.jit(lambda: lax.reduce_precision(jnp.float32(jnp.nan), 5, 0))())
