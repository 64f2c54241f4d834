# SPDX-License-Identifier: Apache-2.0
"""Contractions and convolutions, signals and images."""

import jax
import jax.numpy as jnp
from jax import lax

from programs.program import program

# --- contractions and convolutions


@program("3x4x5", "5x4x2", "2x3")
def einsum_chain(a, b, c):
    return jnp.einsum("ijk,kjl,li->i", a, b, c), jnp.einsum("ijk,kjl->il", a, b)


@program("2x8x8x4", "3x3x2x6")
def grouped_dilated_convolution(x, w):
    return lax.conv_general_dilated(
        x,
        w,
        (1, 1),
        "SAME",
        rhs_dilation=(2, 2),
        feature_group_count=2,
        dimension_numbers=("NHWC", "HWIO", "NHWC"),
    )


@program("2x10x3", "3x3x4")
def transposed_convolution(x, w):
    return lax.conv_transpose(x, w, (2,), "SAME", dimension_numbers=("NWC", "WIO", "NWC"))


@program("1x6x6x4", "3x3x1x4", "4x8")
def depthwise_separable(x, d, p):
    y = lax.conv_general_dilated(
        x, d, (2, 2), "SAME", feature_group_count=4, dimension_numbers=("NHWC", "HWIO", "NHWC")
    )
    return jax.nn.hard_swish(y) @ p


@program("2x6x6x3", "3x3x3x4")
def convolution_weight_gradient(x, w):
    f = lambda w: jnp.sum(
        jnp.tanh(
            lax.conv_general_dilated(
                x, w, (1, 1), "VALID", dimension_numbers=("NHWC", "HWIO", "NHWC")
            )
        )
    )
    return jax.grad(f)(w)


@program("s8:6x8", "s8:8x5", "p5")
def int8_matmul(a, b, scale):
    y = lax.dot(a, b, preferred_element_type=jnp.int32)
    r = jnp.round(y * (scale * 0.01))
    return jnp.clip(r, -128, 127).astype(jnp.int8)


@program("4x8", "8x6")
def dynamic_int8_quantised_matmul(x, w):
    def q(v, axis):
        s = jnp.max(jnp.abs(v), axis, keepdims=True) / 127
        return jnp.round(v / s).astype(jnp.int8), s

    (a, sa), (b, sb) = q(x, 1), q(w, 0)
    return lax.dot(a, b, preferred_element_type=jnp.int32) * sa * sb


@program("u8:4x4", "4x8")
def int4_weights(packed, x):
    lo, hi = (packed & 15).astype(jnp.int8), (packed >> 4).astype(jnp.int8)
    w = jnp.stack([lo, hi], -1).reshape(4, 8).astype(jnp.float32) - 8
    return x @ (w.T * 0.125)


@program("4x8", "8x4")
def fp8_dot(x, w):
    a, b = x.astype(jnp.float8_e4m3fn), w.astype(jnp.float8_e4m3fn)
    return lax.dot(a, b, preferred_element_type=jnp.float32)


@program("4x32")
def microscaling_quantise(x):
    m = jnp.max(jnp.abs(x), -1, keepdims=True)
    s = jnp.exp2(jnp.floor(jnp.log2(m)) - 2)
    return (x / s).astype(jnp.float8_e5m2).astype(jnp.float32) * s


# --- signals and images


@program("32")
def rfft_low_pass(x):
    y = jnp.fft.rfft(x)
    return jnp.fft.irfft(jnp.where(jnp.arange(17) < 6, y, 0))


@program("32", "p32")
def stft_power(x, w):
    frames = jnp.stack([x[i : i + 16] for i in range(0, 17, 4)]) * jnp.hanning(16)
    return jnp.log(jnp.abs(jnp.fft.rfft(frames)) ** 2 + 1e-3)


@program("8x8")
def fft2_convolution(x):
    k = jnp.exp(-jnp.arange(8.0) ** 2 / 4)
    return jnp.fft.ifft2(jnp.fft.fft2(x) * jnp.outer(k, k)).real


@program("16")
def dct_by_fft(x):
    return jax.scipy.fft.dct(x)


@program("6x6x3")
def bilinear_resize(x):
    return jax.image.resize(x, (9, 9, 3), "bilinear"), jax.image.resize(x, (4, 4, 3), "cubic")


@program("u4x4x3")
def rgb_to_hsv(x):
    r, g, b = x[..., 0], x[..., 1], x[..., 2]
    v, n = x.max(-1), x.min(-1)
    d = v - n
    h = jnp.where(v == r, (g - b) / d, jnp.where(v == g, 2 + (b - r) / d, 4 + (r - g) / d))
    return (h / 6) % 1.0, d / v, v


@program("8x8")
def sobel_edges(x):
    k = jnp.array([[1.0, 0, -1], [2, 0, -2], [1, 0, -1]])
    f = lambda k: lax.conv(x[None, None], k[None, None], (1, 1), "SAME")[0, 0]
    return jnp.hypot(f(k), f(k.T)), jnp.arctan2(f(k), f(k.T))


@program("1x8x8x2")
def average_and_max_pool(x):
    avg = lax.reduce_window(x, 0.0, lax.add, (1, 3, 3, 1), (1, 2, 2, 1), "SAME")
    mx = lax.reduce_window(x, -jnp.inf, lax.max, (1, 2, 2, 1), (1, 2, 2, 1), "VALID")
    return avg / 9, mx


@program("u8x8", "8x8", "8x8")
def warp_by_flow(image, dx, dy):
    y, x = jnp.meshgrid(jnp.arange(8.0), jnp.arange(8.0), indexing="ij")
    return jax.scipy.ndimage.map_coordinates(image, [y + dy, x + dx], 1, mode="nearest")


@program("u12")
def srgb_to_linear(x):
    return jnp.where(x <= 0.04045, x / 12.92, ((x + 0.055) / 1.055) ** 2.4)
