# SPDX-License-Identifier: Apache-2.0
# pip install jax==0.12.0.1
import jax
import jax.numpy as jnp
from jax import lax

def f(x):
    return lax.reduce_window(jnp.pad(x, ((0, 0), (2, 2))), 0, lax.add, (1, 3), (1, 1), "SAME")
print("wanted [[0 7 7 7 0]]")
print("got   ", jax.jit(f)(jnp.array([[7]], jnp.int32)))
