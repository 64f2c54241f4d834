# SPDX-License-Identifier: Apache-2.0
# pip install jax==0.12.0.1
import jax
import jax.numpy as jnp
from jax import lax

def f(x):
    return lax.dynamic_slice(x, (jnp.uint32(4294967295),), (2,))
print("wanted [3. 4.]")
print("got   ", jax.jit(f)(jnp.array([1.0, 2.0, 3.0, 4.0])))
