# SPDX-License-Identifier: Apache-2.0
# pip install jax==0.12.0.1
import jax
import jax.numpy as jnp
from jax import lax

f = jax.jit(lambda low, high: jnp.maximum(lax.clamp(low, low, high), low))
print("wanted 2  (the maximum of 2 and anything is not less)")
print("got   ", f(jnp.int32(2), jnp.int32(1)))
