# SPDX-License-Identifier: Apache-2.0
# pip install jax==0.12.0.1
import jax
import jax.numpy as jnp
from jax import lax


def f(p):
    rows = jnp.broadcast_to(p[:, None], (64, 64))
    window = dict(window_dimensions=(2, 1), window_strides=(2, 1), base_dilation=(1, 2))
    return lax.reduce_window(rows, -jnp.inf, lax.max, padding="VALID", **window)


p = jnp.arange(64, dtype=jnp.float32) - 3
print("wanted -2.0  (the maximum of rows 0 and 1, column 32)")
print("got   ", jax.jit(f)(p)[0, 64])
