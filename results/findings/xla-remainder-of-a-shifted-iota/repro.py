# SPDX-License-Identifier: Apache-2.0
# pip install jax==0.11.2
import jax
import jax.numpy as jnp
from jax import lax

print("wanted [0 -3]")
print("got   ", jax.jit(lambda: lax.rem(lax.iota(jnp.int32, 2) + -4, jnp.int32(-4)))())
