# SPDX-License-Identifier: Apache-2.0
# pip install jax==0.12.0.1
import jax
import jax.numpy as jnp

print("wanted [nan], [False]")
print("got   ", *jax.jit(lambda x: (jnp.abs(x), jnp.abs(x) >= 0))(jnp.array([jnp.nan])))
