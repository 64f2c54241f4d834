# SPDX-License-Identifier: Apache-2.0
# pip install jax==0.12.0.1
import jax
import jax.numpy as jnp

print("wanted (2.8303e+38+2.9142e+38j)")
print("got   ", jax.jit(jnp.expm1)(jnp.complex64(88.9 + 0.8j)))
