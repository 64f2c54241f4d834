# SPDX-License-Identifier: Apache-2.0
"""Tests programs on several devices of the plugins of hlocts. Skipped if JAX is missing."""

import subprocess
import sys

import pytest

from hlocts import jax_plugin

from . import environment, missing


WHY = missing(*(f"lib{name}.so" for name in jax_plugin.COMPUTING))
pytestmark = pytest.mark.skipif(bool(WHY), reason=WHY or "-")

# The values are small integers: their sums are exact in every order.
PROGRAM = """
import jax, jax.numpy as jnp, numpy as np
from jax import lax
from jax.sharding import Mesh, NamedSharding, PartitionSpec as P
n = len(jax.devices())
mesh = Mesh(np.array(jax.devices()).reshape(2, n // 2), ("x", "y"))
def put(array, *spec): return jax.device_put(array, NamedSharding(mesh, P(*spec)))
def equal(one, other): np.testing.assert_array_equal(np.asarray(one), np.asarray(other))
a = np.arange(16.0 * n, dtype=np.float32).reshape(8, 2 * n) % 7

whole = put(a, "x", "y")
equal(whole, a)
assert {shard.data.shape for shard in whole.addressable_shards} == {(4, 4)}
equal(jax.device_put(whole, NamedSharding(mesh, P(None, "x"))), a)

# Collectives, by hand.
def collectives(t):
    total = lax.psum(t, "x")
    ring = lax.ppermute(t, "y", [(i, (i + 1) % (n // 2)) for i in range(n // 2)])
    rows = lax.all_gather(t, "x", tiled=True)
    parts = lax.psum_scatter(t, "y", scatter_dimension=1, tiled=True) if n == 4 else t
    blocks = lax.all_to_all(t, "x", 0, 0, tiled=True)
    return total, ring, rows, parts, blocks, t + 10 * lax.axis_index("y")
tiles = a.reshape(2, 4, n // 2, 4)
mapped = jax.jit(jax.shard_map(collectives, mesh=mesh, in_specs=P("x", "y"), check_vma=False,
                 out_specs=(P(None, "y"), P("x", "y"), P(None, "y"), P("x", "y"), P("x", "y"),
                            P("x", "y"))))
total, ring, rows, parts, blocks, numbered = mapped(whole)
equal(total, tiles.sum(0).reshape(4, -1))
equal(ring, np.roll(tiles, 1, 2).reshape(a.shape))
equal(rows, a)
if n == 4: equal(parts, tiles.sum(2).reshape(8, 4))
equal(blocks, tiles.reshape(2, 2, 2, -1).swapaxes(0, 1).reshape(a.shape))
equal(numbered, (tiles + 10 * np.arange(n // 2)[:, None]).reshape(a.shape))
# Over one axis of two, and within a loop.
partial = jax.shard_map(lambda t: lax.fori_loop(0, 3, lambda i, s: lax.psum(s, "x"), t), mesh=mesh,
                        in_specs=P("x"), out_specs=P(), axis_names={"x"}, check_vma=False)
equal(jax.jit(partial)(whole), 4 * (a[:4] + a[4:]))

# A training step: parameters and batch in tiles, arguments donated.
w = np.arange(2.0 * n * 4, dtype=np.float32).reshape(2 * n, 4) % 3
def loss(w, x): return jnp.sum((x @ w) ** 2)
def step(w, x): return w - jax.grad(loss)(w, x)
spread = jax.jit(step, donate_argnums=0, out_shardings=NamedSharding(mesh, P("y", "x")))
first = put(w, "y", "x")
result = spread(first, whole)
assert first.is_deleted() and result.sharding.spec == P("y", "x")
equal(result, w - a.T @ (2 * (a @ w)))
rows_of_y = NamedSharding(mesh, P("y"))
equal(jax.jit(lambda x: lax.with_sharding_constraint(x * 2, rows_of_y) + 1)(whole), 2 * a + 1)
equal(jax.jit(jnp.sum)(whole), a.sum())
compiled = jax.jit(step).lower(put(w, "y", "x"), whole).compile()
assert "dot" in compiled.as_text()
print("equal on", n, "devices of", jax.devices()[0].client.platform_version)
"""


@pytest.mark.parametrize("platform", jax_plugin.COMPUTING)
@pytest.mark.parametrize("devices", [4, 8])
def test_programs_of_several_devices(tmp_path, platform, devices):
    variables = environment(tmp_path) | {"JAX_PLATFORMS": platform, "HLOCTS_DEVICES": str(devices)}
    done = subprocess.run([sys.executable, "-c", PROGRAM], text=True, env=variables, check=False,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE)  # fmt: skip
    assert done.returncode == 0, done.stderr
    assert f"equal on {devices} devices" in done.stdout
