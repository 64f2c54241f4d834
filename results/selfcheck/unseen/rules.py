# SPDX-License-Identifier: Apache-2.0
"""The default profile's rules of JAX's primitives, typed in anew."""

PRECISION = dict(float32=24, complex64=24, float64=53, bfloat16=8, float16=11)
PRECISION |= dict(float8_e4m3fn=4, float8_e5m2=3)
# Rounded once; exact.
ROUNDED = {"add", "sub", "mul", "add_any", "square"}
EXACT = set("""
    abs argmax argmin bitcast_convert_type broadcast_in_dim ceil clamp complex concatenate conj
    copy cummax cummin dynamic_slice dynamic_update_slice expand_dims floor gather imag iota
    is_finite max min neg nextafter optimization_barrier pad real reduce_and reduce_max
    reduce_min reduce_or reduce_window_max rem reshape rev round scatter scatter-max scatter-min
    scatter_max scatter_min select_n sign slice sort split squeeze stack stop_gradient tile
    top_k transpose
    """.split())
# Units in the last place, of f32 and f64; of what lowers to many operations a guess.
ULPS = dict(exp=3, log=3, log1p=4, expm1=8, tanh=7, erf=8, sin=4, cos=4, tan=5, atan2=4, pow=9)
ULPS |= dict(sqrt=1, rsqrt=3, cbrt=2, div=2.5)
GUESSED = ULPS | dict(exp2=4, logistic=5, erfc=30, erf_inv=30, lgamma=60, digamma=60, asin=8)
GUESSED |= dict(acos=8, atan=4, sinh=9, cosh=9)
