# SPDX-License-Identifier: Apache-2.0
# pip install jax==0.12.0.1
import jax
import jax.numpy as jnp

print("wanted nan")
print("got   ", jax.jit(lambda x, y: jnp.log(jnp.power(x, y)))(jnp.float32(-2), jnp.float32(1)))
