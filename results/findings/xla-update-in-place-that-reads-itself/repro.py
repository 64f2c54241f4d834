# SPDX-License-Identifier: Apache-2.0
# pip install jax==0.12.0.1
import jax
import jax.numpy as jnp

def f(p):
    b = p + 1
    return b.at[1:].set(b[:-1]).reshape(1, 3)
print("wanted [[1 1 2]]")
print("got   ", jax.jit(f)(jnp.array([0, 1, 2], jnp.int32)))
