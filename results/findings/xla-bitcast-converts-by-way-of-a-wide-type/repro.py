# SPDX-License-Identifier: Apache-2.0
# pip install jax==0.12.0.1
import jax
import jax.numpy as jnp
from jax import lax


def f(x):
    return lax.bitcast_convert_type(lax.bitcast_convert_type(x, jnp.int32), jnp.int8)


print("wanted", "[[1 0 2 0], [3 0 4 0]]")
try:
    print("got   ", jax.jit(f)(jnp.array([[1, 2], [3, 4]], jnp.int16)).tolist())
except Exception as error:
    print("got   ", str(error).split("\n")[0])
