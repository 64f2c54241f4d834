# SPDX-License-Identifier: Apache-2.0
# pip install jax==0.12.0.1
import jax
import jax.numpy as jnp
from jax import lax


def f(x):
    body = lambda s: (s[0] + jnp.int8(1), s[1] + x)
    return lax.while_loop(lambda s: s[0] >= jnp.int8(1), body, (jnp.int8(100), x))


counter, total = jax.jit(f)(jnp.int32(1))
print("wanted counter -128 after 28 rounds, 1 + 28 = 29")
print(f"got    counter {counter}, and a sum of {total}")
