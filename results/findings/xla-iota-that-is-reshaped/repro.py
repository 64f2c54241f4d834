# SPDX-License-Identifier: Apache-2.0
# pip install jax==0.12.0.1
import jax
import jax.numpy as jnp
from jax import lax

print("wanted 2502.0")
print("got   ", float(jax.jit(lambda: lax.iota(jnp.float16, 5002).reshape(2, 2501)[1, 1])()))
