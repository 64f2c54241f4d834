# SPDX-License-Identifier: Apache-2.0
# pip install jax==0.12.0.1
import jax
import jax.numpy as jnp

print("wanted [-inf inf]")
print("got   ", jax.jit(lambda x: x / jnp.array([-0.0, 1.0], jnp.float32))(jnp.array([1.0, jnp.inf])))
