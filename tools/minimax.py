#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Prints the coefficients of src/simd/math-inl.h: minimax polynomials by Remez' exchange.

    tools/minimax.py            every polynomial, its error and its coefficients
    tools/minimax.py erfc       those whose names contain a word
    tools/minimax.py table      the table of TableTanh

Needs mpmath, which comes with PyTorch. Each polynomial P makes the largest weighted distance
|weight(u) (target(u) - P(u))| over its interval as small as its degree allows; the weights turn it
into the relative error of the function that uses it.
"""

import re
import struct
import sys

from mpmath import mp, mpf

mp.prec = 160
TINY = mpf(10) ** -12


def extrema(error, low, high, count):
    """Where `error` is largest between its changes of sign; the best `count` in a row."""
    points = 400
    grid = [(low + high - (high - low) * mp.cos(mp.pi * i / points)) / 2 for i in range(points + 1)]
    values = [error(u) for u in grid]
    runs = [[0]]
    for i in range(1, points + 1):
        if mp.sign(values[i]) in (0, mp.sign(values[runs[-1][-1]])):
            runs[-1].append(i)
        else:
            runs.append([i])
    found = []
    for run in runs:
        i = max(run, key=lambda k: abs(values[k]))
        u = grid[i]
        if 0 < i < points:  # the top of a parabola through three neighbours
            left, right = grid[i - 1], grid[i + 1]
            a, b, c = (abs(values[k]) for k in (i - 1, i, i + 1))
            slope = (u - left) * (b - c) - (u - right) * (b - a)
            if slope:
                top = u - ((u - left) ** 2 * (b - c) - (u - right) ** 2 * (b - a)) / (2 * slope)
                u = top if left < top < right else u
        found.append(u)
    while len(found) > count:
        found.pop(0 if abs(error(found[0])) < abs(error(found[-1])) else -1)
    return found, max(abs(v) for v in values)


def minimax(target, weight, low, high, degree):
    low, high = mpf(low), mpf(high)
    count = degree + 2
    at = [(low + high - (high - low) * mp.cos(mp.pi * i / (count - 1))) / 2 for i in range(count)]
    for _ in range(30):
        matrix = mp.matrix(count, count)
        for row, u in enumerate(at):
            for power in range(degree + 1):
                matrix[row, power] = u**power
            matrix[row, degree + 1] = (-1) ** row / weight(u)
        solution = mp.lu_solve(matrix, mp.matrix([target(u) for u in at]))
        c = [solution[i] for i in range(degree + 1)]

        def error(u, c=c):
            return weight(u) * (target(u) - mp.polyval(c[::-1], u))

        found, worst = extrema(error, low, high, count)
        if len(found) < count or worst < abs(solution[degree + 1]) * mpf("1.0001"):
            break
        at = found
    return c, worst


def odd(function, first, second):
    """(f(x) - x) / x³ as a function of x², and the weight of f's relative error."""

    def target(z):
        x = mp.sqrt(z)
        return (function(x) - x) / x**3 if z > TINY else first + second * z

    def weight(z):
        x = mp.sqrt(z)
        return x**3 / function(x) if z > TINY else z + mpf(10) ** -30

    return target, weight


def of_exp(r):
    return (mp.exp(r) - 1 - r) / r**2 if abs(r) > TINY else mpf(1) / 2 + r / 6


def of_exp_weight(r):
    return r**2 / mp.exp(r) + mpf(10) ** -30


def of_ln(f):
    return (mp.log(1 + f) - f + f * f / 2) / f**3 if abs(f) > TINY else mpf(1) / 3 - f / 4


def of_ln_weight(f):
    return abs(f**3 / mp.log(1 + f)) if abs(f) > TINY else f * f + mpf(10) ** -30


def of_log(z):
    s = mp.sqrt(z)
    return (mp.log((1 + s) / (1 - s)) - 2 * s) / s**3 if z > TINY else mpf(2) / 3 + 2 * z / 5


def of_cos(z):
    return (mp.cos(mp.sqrt(z)) - 1 + z / 2) / z**2 if z > TINY else mpf(1) / 24 - z / 720


def of_erf(z):
    x = mp.sqrt(z)
    return mp.erf(x) / x if z > TINY else 2 / mp.sqrt(mp.pi)


def of_erfc(t):
    x = 1 / t - 2
    return mp.exp(x * x) * mp.erfc(x) / t


ROOT = mp.sqrt(2)
LOG = ((ROOT - 1) / (ROOT + 1)) ** 2 * mpf("1.001")
QUARTER = (mp.pi / 4 * mpf("1.0001")) ** 2

# name, target and weight, interval, degree
POLYNOMIALS = (
    ("ExpMinusOne kQ", (of_exp, of_exp_weight), ("-0.347", "0.347"), 4),
    ("Ln kR", (of_ln, of_ln_weight), (1 / ROOT - 1, ROOT - 1), 8),
    ("WideExp kQ", (of_exp, of_exp_weight), ("-0.347", "0.347"), 6),
    ("SplitLogOf kR", (of_log, lambda z: z / 2 + mpf(10) ** -30), (0, LOG), 5),
    ("SinOfRest kS", odd(mp.sin, -mpf(1) / 6, mpf(1) / 120), (0, QUARTER), 3),
    (
        "CosOfRest kC, from the third on",
        (of_cos, lambda z: z**2 / mp.cos(mp.sqrt(z)) + mpf(10) ** -30),
        (0, QUARTER),
        3,
    ),
    ("AsinOfSmall kA", odd(mp.asin, mpf(1) / 6, mpf(3) / 40), (0, "0.25001"), 7),
    ("WideAtan kA", odd(mp.atan, -mpf(1) / 3, mpf(1) / 5), (0, 1), 10),
    ("WideSinh kS", odd(mp.sinh, mpf(1) / 6, mpf(1) / 120), (0, 1), 3),
    ("ErfOfSmall kE", (of_erf, lambda z: 1 / of_erf(z)), (0, 1), 7),
    ("ErfcOfLarge kP", (of_erfc, lambda t: 1 / of_erfc(t)), (1 / mpf("12.3"), mpf(1) / 3), 10),
)


# The table of tanh: interval k holds the |x| for which the float |x| + 5/8 has the exponent and
# first three digits that are k modulo 32. At its end tanh is 1 in float.
TABLE_OFFSET = mpf("0.625")
TABLE_END = mpf("9.25")


def as_float(x):
    return mpf(struct.unpack("f", struct.pack("f", float(x)))[0])


def as_text(x):
    """Float's digits in hexadecimal, without the zeros that double adds."""
    return re.sub(r"\.?0+p", "p", float(x).hex()) + "f"


def lucky_centre(low, high):
    """The float near the middle whose tanh comes closest to a float: that costs no accuracy."""
    middle = (low + high) / 2
    near = [as_float(middle + i * (high - low) / 1024) for i in range(-256, 257)]
    return min(near, key=lambda c: abs(mp.tanh(c) - as_float(mp.tanh(c))))


def tanh_table():
    """Prints rows of 32: centres, then coefficients of powers of |x| - centre."""
    rows = [[mpf(0)] * 32 for _ in range(6)]
    overall = mpf(0)
    u = TABLE_OFFSET
    while u < TABLE_END + TABLE_OFFSET:
        width = mpf(2) ** (mp.floor(mp.log(u, 2)) - 3)
        low, high = u - TABLE_OFFSET, min(u - TABLE_OFFSET + width, TABLE_END)
        centre = lucky_centre(low, high) if low else mpf(0)
        value = mp.tanh(centre)

        def target(t, centre=centre, value=value):
            return (mp.tanh(centre + t) - value) / t if abs(t) > TINY else 1 - value**2

        def weight(t, centre=centre):
            x = centre + t
            return abs(t) / mp.tanh(x) + mpf(10) ** -30 if x > TINY else mpf(1)

        c, worst = minimax(target, weight, low - centre, high - centre, 3)
        overall = max(overall, worst)
        index = (struct.unpack("i", struct.pack("f", float(u)))[0] >> 20) & 31
        for row, entry in zip(rows, [centre, value, *c]):
            row[index] = entry
        u += width
    print(f"TableTanh: 32 intervals of degree 4, 2^{float(mp.log(overall, 2)):.1f}")
    for row in rows:
        print("  {" + ", ".join(as_text(as_float(entry)) for entry in row) + "},")


def main():
    word = sys.argv[1].lower() if len(sys.argv) > 1 else ""
    if not word or word in "tabletanh":
        tanh_table()
    for name, (target, weight), (low, high), degree in POLYNOMIALS:
        if word not in name.lower():
            continue
        c, worst = minimax(target, weight, low, high, degree)
        print(f"{name}: degree {degree}, 2^{float(mp.log(worst, 2)):.1f}")
        for value in c:
            print(f"  {float(value).hex()}")


if __name__ == "__main__":
    main()
