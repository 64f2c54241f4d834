# SPDX-License-Identifier: Apache-2.0
# pip install jax==0.12.0.1
import jax
import jax.numpy as jnp

x = jnp.array([0], jnp.uint2)
print("wanted [0 0]", flush=True)
print("got   ", jax.jit(lambda a, b: jnp.concatenate([a, b]))(x, x).astype(jnp.int8))
