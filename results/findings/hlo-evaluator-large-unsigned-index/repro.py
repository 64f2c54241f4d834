# SPDX-License-Identifier: Apache-2.0
# pip install jax==0.12.0.1
import jax
import jax.numpy as jnp
from jax import lax

jax.config.update("jax_enable_x64", True)
def f():
    start = jnp.uint64(2**62) + jnp.uint64(2**62)
    return lax.dynamic_slice(jnp.array([1.0, 2.0, 3.0, 4.0]), (start,), (2,))
print("wanted [3. 4.]")
print("got   ", jax.jit(f)())
