# SPDX-License-Identifier: Apache-2.0
# pip install jax==0.12.0.1
import jax
import jax.numpy as jnp

print("wanted (2.2448e+38-0j)")
print("got   ", jax.jit(jnp.cos)(jnp.complex64(89j)))
