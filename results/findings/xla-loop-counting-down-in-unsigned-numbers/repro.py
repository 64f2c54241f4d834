# SPDX-License-Identifier: Apache-2.0
# pip install jax==0.12.0.1
import jax
import jax.numpy as jnp
from jax import lax

def f(n):
    start = jnp.uint32(5), n * 0
    return lax.while_loop(lambda s: s[0] < 10, lambda s: (s[0] - 1, s[1] + 1), start)
print("wanted (4294967295, 6)")
print("got   ", jax.jit(f)(jnp.uint32(5)))
