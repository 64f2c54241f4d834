# SPDX-License-Identifier: Apache-2.0
"""Enclosures of elementary functions: pairs of rationals that surely hold the real value between
them.

Interval arithmetic on rationals, rounded outward to BITS significant bits after every step.
Every series is cut with a remainder that is stated beside it. Arguments are points; of wider
arguments the callers take both ends.
"""

from fractions import Fraction
import functools
import math

from check_numbers import floor_log2, power_of_two

BITS = 200
TERMS = 80
LIMIT = 20000  # exp beyond +-LIMIT is taken at LIMIT: outside of every format in either case


def down(x, bits=BITS):
    """The greatest number of at most `bits` + 1 significant bits that is not above x."""
    n, d = x.numerator, x.denominator
    shift = bits - n.bit_length() + d.bit_length()
    if shift >= 0:
        return Fraction((n << shift) // d, 1 << shift)
    return Fraction((n // (d << -shift)) << -shift)


def up(x, bits=BITS):
    return -down(-x, bits)


class Interval:
    def __init__(self, lo, hi=None):
        self.lo, self.hi = lo, lo if hi is None else hi

    def __add__(self, other):
        other = of(other)
        return Interval(down(self.lo + other.lo), up(self.hi + other.hi))

    def __neg__(self):
        return Interval(-self.hi, -self.lo)

    def __sub__(self, other):
        return self + -of(other)

    def __mul__(self, other):
        other = of(other)
        corners = [a * b for a in (self.lo, self.hi) for b in (other.lo, other.hi)]
        return Interval(down(min(corners)), up(max(corners)))

    def __truediv__(self, other):
        other = of(other)
        if other.lo <= 0 <= other.hi:
            raise ZeroDivisionError
        return self * Interval(down(1 / other.hi), up(1 / other.lo))

    def widened(self, radius):
        return Interval(down(self.lo - radius), up(self.hi + radius))

    def size(self):
        return max(abs(self.lo), abs(self.hi))


def of(x):
    return x if isinstance(x, Interval) else Interval(Fraction(x))


def increasing(function, x):
    """An increasing function of points, on an interval."""
    return Interval(function(x.lo).lo, function(x.hi).hi)


def root(x, degree):
    """The positive root of x >= 0, by an integer root of x * 2^(degree * shift)."""
    if x == 0:
        return Interval(Fraction(0))
    shift = BITS - floor_log2(x) // degree
    scaled = math.floor(x * power_of_two(degree * shift))
    low = 1 << (scaled.bit_length() // degree + 1)
    while True:  # Newton's method from above
        lower = ((degree - 1) * low + scaled // low ** (degree - 1)) // degree
        if lower >= low:
            break
        low = lower
    exact = Fraction(low) / power_of_two(shift)
    if exact**degree == x:
        return Interval(exact)
    return Interval(exact, Fraction(low + 1) / power_of_two(shift))


def sqrt(x):
    return root(x, 2)


def cbrt(x):
    return root(x, 3) if x >= 0 else -root(-x, 3)


def rsqrt(x):
    return of(1) / sqrt(x)


def negligible(term, total):
    """Further terms would not be seen in BITS bits."""
    return term.size() * power_of_two(BITS) < total.size()


def atanh_series(t):
    """atanh(t) = t + t^3/3 + ..., |t| <= 1/2; the rest is below |t|^(2N+1) / (1 - t^2)."""
    t = of(t)
    square, power, total = t * t, t, t
    for n in range(1, TERMS * 2):
        power = power * square
        total = total + power / (2 * n + 1)
        if negligible(power, total):
            break
    return total.widened(power.size() * 2)


def atan_series(t):
    """atan(t) = t - t^3/3 + ..., |t| <= 1/2; the same bound for the rest."""
    t = of(t)
    square, power, total = -(t * t), t, t
    for n in range(1, TERMS * 2):
        power = power * square
        total = total + power / (2 * n + 1)
        if negligible(power, total):
            break
    return total.widened(power.size() * 2)


@functools.lru_cache(None)
def ln2():
    return atanh_series(Fraction(1, 3)) * 2


@functools.lru_cache(None)
def pi(bits):
    """Machin: pi = 16 atan(1/5) - 4 atan(1/239), in integers of 2^-(bits + 20); each of the
    fewer than 2 * bits terms is cut by less than one unit, as is the rest."""
    one = 1 << (bits + 20)

    def atan_of_inverse(n):
        total, power, k = 0, one // n, 0
        while power:
            total += (-1) ** k * (power // (2 * k + 1))
            power //= n * n
            k += 1
        return total

    value = 16 * atan_of_inverse(5) - 4 * atan_of_inverse(239)
    error = 100 * bits
    return Interval(Fraction(value - error, one), Fraction(value + error, one))


def exp_series(r, first):
    """The terms r^n / n! from n = first on, |r| <= 1; the rest is below 2 |r|^N / N!."""
    term, total = of(1), of(1 if first == 0 else 0)
    for n in range(1, TERMS):
        term = term * r / n
        total = total + term
        if negligible(term, total):
            break
    return total.widened(2 * term.size())


def exp(x):
    x = min(max(x, Fraction(-LIMIT)), Fraction(LIMIT))
    k = round(x / ln2().lo)
    return exp_series(of(x) - ln2() * k, 0) * power_of_two(k)


def expm1(x):
    return exp_series(of(x), 1) if abs(x) <= Fraction(1, 2) else exp(x) - 1


def log(x):
    """x = m 2^k with m in [2/3, 4/3], ln m = 2 atanh((m - 1) / (m + 1))."""
    k = floor_log2(x)
    if x / power_of_two(k) > Fraction(4, 3):
        k += 1
    m = x / power_of_two(k)
    return atanh_series((m - 1) / (m + 1)) * 2 + ln2() * k


def log1p(x):
    return log(1 + x)


def quadrant(x):
    """x = k pi/2 + r with |r| < 0.8: (k modulo 4, r)."""
    bits = BITS + 2 * abs(floor_log2(abs(x))) if x else BITS
    half = pi(bits)
    k = round(x / (half.lo / 2))
    return k % 4, Interval(
        x - k * (half.hi if k > 0 else half.lo) / 2, x - k * (half.lo if k > 0 else half.hi) / 2
    )


def sin_series(r, first):
    """The terms of the sine (first = 1) or the cosine (first = 0), |r| < 1; the rest is below
    the next."""
    square = -(r * r)
    term = r if first else of(1)
    total = term
    for n in range(1, TERMS):
        term = term * square / ((2 * n + first) * (2 * n + first - 1))
        total = total + term
        if negligible(term, total):
            break
    return total.widened(term.size())


def sin(x):
    k, r = quadrant(x)
    value = sin_series(r, 1 - k % 2)
    return -value if k >= 2 else value


def cos(x):
    k, r = quadrant(x)
    value = sin_series(r, k % 2)
    return -value if k in (1, 2) else value


def tan(x):
    k, r = quadrant(x)
    s, c = sin_series(r, 1), sin_series(r, 0)
    return s / c if k % 2 == 0 else -(c / s)


def atan(x):
    """By atan x = pi/2 - atan(1/x), and twice atan x = 2 atan(x / (1 + sqrt(1 + x^2)))."""
    if x < 0:
        return -atan(-x)
    if x > 1:
        return pi(2 * BITS) * Fraction(1, 2) - atan(1 / x)
    t = of(x)
    for _ in range(2):
        t = t / (increasing(sqrt, t * t + 1) + 1)
    return atan_series(t) * 4


def atan2(y, x):
    """The angle of the point (x, y), neither coordinate zero."""
    angle = atan(abs(y) / abs(x))
    if x < 0:
        angle = pi(2 * BITS) - angle
    return -angle if y < 0 else angle


def tanh(x):
    e = expm1(2 * min(max(x, Fraction(-LIMIT)), Fraction(LIMIT)))
    return e / (e + 2)


def sinh(x):
    if x < 0:
        return -sinh(-x)
    e = expm1(x)
    return (e + e / (e + 1)) * Fraction(1, 2)


def cosh(x):
    return (exp(x) + exp(-x)) * Fraction(1, 2)


def logistic(x):
    return of(1) / (exp(-x) + 1)


def asin(x):
    return atan(x) if x == 0 else increasing(atan, of(x) / sqrt(1 - x * x))


def acos(x):
    """2 atan(sqrt((1 - x) / (1 + x))), exact at x = 1."""
    return increasing(atan, sqrt((1 - x) / (1 + x))) * 2


def asinh(x):
    if x < 0:
        return -asinh(-x)
    return increasing(log1p, of(x) + of(x * x) / (sqrt(x * x + 1) + 1))


def acosh(x):
    t = x - 1
    return increasing(log1p, sqrt(t * t + 2 * t) + t)


def atanh(x):
    return log1p(2 * x / (1 - x)) * Fraction(1, 2)


def erf(x):
    """2/sqrt(pi) sum (-1)^n x^(2n+1) / (n! (2n+1)). The terms grow at most to exp(36) < 2^52 and
    fall from n = x^2 on, where the rest is below the next one; beyond 6 the value is within
    2^-55 of 1."""
    if x < 0:
        return -erf(-x)
    if x > 6:
        return Interval(1 - power_of_two(-55), Fraction(1))
    square, term, total = of(x * x), of(x), of(x)
    for n in range(1, 4 * TERMS):
        term = -(term * square) / n
        total = total + term / (2 * n + 1)
        if n > x * x and negligible(term, total):
            break
    return total.widened(term.size()) * 2 / increasing(sqrt, pi(2 * BITS))


def power(x, y):
    """x^y for x > 0."""
    exponent = log(x) * y
    return Interval(exp(exponent.lo).lo, exp(exponent.hi).hi)
