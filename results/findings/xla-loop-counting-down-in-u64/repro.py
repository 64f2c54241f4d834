# SPDX-License-Identifier: Apache-2.0
# pip install jax==0.12.0.1
import jax
import jax.numpy as jnp
from jax import lax

jax.config.update("jax_enable_x64", True)


def f(x):
    body = lambda s: (s[0] - jnp.uint64(1), s[1] + s[1])
    return lax.while_loop(lambda s: s[0] > 0, body, (jnp.uint64(3), x))


print("wanted (0, 40)")
try:
    print("got   ", jax.jit(f)(jnp.int32(5)))
except RuntimeError as error:
    print("got   ", error)
