"""Numbers in the elementary functions: constants in parts and minimax polynomials, lowest power first.

`minimax` derives the polynomials and prints them; the tests derive them and the constants anew. A constant
in parts is the sum of its parts; all but the last have so few bits that their product with a small whole
number is exact.
"""

TWO_OVER_PI = float.fromhex("0x1.45f306dc9c883p-1")

HALF_PI_PARTS = (
    float.fromhex("0x1.921fb54400000p+0"),
    float.fromhex("0x1.0b46000000000p-34"),
    float.fromhex("0x1.1a62633100000p-54"),
    float.fromhex("0x1.1701b839a2520p-88"),
)
"""π/2 in 33 + 20 + 33 + 53 bits: a multiple of each of the first three by an integer up to 2²⁰ is exact."""

HALF_PI = (float.fromhex("0x1.921fb54442d18p+0"), float.fromhex("0x1.1a62633145c07p-54"))
"""π/2 in 53 + 53 bits. The first ends in three zero bits, so that its multiples by 1/2, 3/2, 2 are exact."""

LOG2_E = float.fromhex("0x1.71547652b82fep+0")

LN2 = (float.fromhex("0x1.62e42fefa3800p-1"), float.fromhex("0x1.ef35793c76730p-45"))
"""ln 2 in 42 + 53 bits: a multiple of the first by an integer up to 2¹¹ is exact."""

TWO_THIRDS = (2.0 / 3.0, float.fromhex("0x1.5555555555555p-55"))

TWO_OVER_PI_WORDS = (
    0x0000000000000000,
    0xA2F9836E4E441529,
    0xFC2757D1F534DDC0,
    0xDB6295993C439041,
    0xFE5163ABDEBBC561,
    0xB7246E3A424DD2E0,
    0x06492EEA09D1921C,
    0xFE1DEB1CB129A73E,
    0xE88235F52EBB4484,
    0xE99C7026B45F7E41,
    0x3991D639835339F4,
    0x9C845F8BBDF9283B,
    0x1FF897FFDE05980F,
    0xEF2F118B5A0A6D1F,
    0x6D367ECF27CB09B7,
    0x4F463F669E5FEA2D,
    0x7527BAC7EBE5F17B,
    0x3D0739F78A5292EA,
    0x6BFB5FB11F8D5D08,
    0x56033046FC7B6BAB,
    0xF0CFBC209AF4361D,
)
"""The binary digits of 2/π, 64 a word, after 64 zeros: the word of index i has the weight 2^(−64 i)."""

SIN = (
    float.fromhex("-0x1.5555555555548p-3"),  # -1.666667e-01
    float.fromhex("0x1.111111110f730p-7"),  # +8.333333e-03
    float.fromhex("-0x1.a01a019be9217p-13"),  # -1.984127e-04
    float.fromhex("0x1.71de35552b420p-19"),  # +2.755731e-06
    float.fromhex("-0x1.ae5e4b838a3b4p-26"),  # -2.505073e-08
    float.fromhex("0x1.5d8b554977e80p-33"),  # +1.589543e-10
)
"""(sin r / r − 1) / r² in r², |r| ≤ π/4. Error 2^−57.9."""

COS = (
    float.fromhex("0x1.555555555554bp-5"),  # +4.166667e-02
    float.fromhex("-0x1.6c16c16c15015p-10"),  # -1.388889e-03
    float.fromhex("0x1.a01a019c8f254p-16"),  # +2.480159e-05
    float.fromhex("-0x1.27e4f7f1916cap-22"),  # -2.755731e-07
    float.fromhex("0x1.1ee9dbcf40924p-29"),  # +2.087571e-09
    float.fromhex("-0x1.8fa684c68a280p-37"),  # -1.135875e-11
)
"""(cos r − 1 + r²/2) / r⁴ in r², |r| ≤ π/4. Error 2^−63.9."""

SINH = (
    float.fromhex("0x1.5555555555559p-3"),  # +1.666667e-01
    float.fromhex("0x1.111111110f62ap-7"),  # +8.333333e-03
    float.fromhex("0x1.a01a01b020526p-13"),  # +1.984127e-04
    float.fromhex("0x1.71ddf7afc970ap-19"),  # +2.755724e-06
    float.fromhex("0x1.af5ff3abb3948p-26"),  # +2.510932e-08
)
"""(sinh r / r − 1) / r² in r², |r| ≤ ln 2 / 2. Error 2^−61.7."""

COSH = (
    float.fromhex("0x1.0000000000000p-1"),  # +5.000000e-01
    float.fromhex("0x1.5555555555557p-5"),  # +4.166667e-02
    float.fromhex("0x1.6c16c16c15778p-10"),  # +1.388889e-03
    float.fromhex("0x1.a01a01ab16633p-16"),  # +2.480159e-05
    float.fromhex("0x1.27e4d13d3c241p-22"),  # +2.755726e-07
    float.fromhex("0x1.1f83edbc440afp-29"),  # +2.091949e-09
)
"""(cosh r − 1) / r² in r², |r| ≤ ln 2 / 2; its error weighed against r. Error 2^−67.8."""

LOG = (
    float.fromhex("0x1.5555555555592p-1"),  # +6.666667e-01
    float.fromhex("0x1.999999997ff19p-2"),  # +4.000000e-01
    float.fromhex("0x1.24924941e155bp-2"),  # +2.857143e-01
    float.fromhex("0x1.c71c521450ff9p-3"),  # +2.222220e-01
    float.fromhex("0x1.74663ced6742ap-3"),  # +1.818356e-01
    float.fromhex("0x1.39a1e8c9cbf06p-3"),  # +1.531408e-01
    float.fromhex("0x1.2f03ba3bb705cp-3"),  # +1.479563e-01
)
"""(2 atanh s / s − 2) / s² in s², |s| ≤ (√2 − 1) / (√2 + 1). Error 2^−59.5."""

LOG_TAIL = (
    float.fromhex("0x1.9999999999996p-2"),  # +4.000000e-01
    float.fromhex("0x1.2492492492f51p-2"),  # +2.857143e-01
    float.fromhex("0x1.c71c71c596903p-3"),  # +2.222222e-01
    float.fromhex("0x1.745d182955c15p-3"),  # +1.818182e-01
    float.fromhex("0x1.3b1364c9a15f7p-3"),  # +1.538456e-01
    float.fromhex("0x1.11206f1b6059ap-3"),  # +1.333626e-01
    float.fromhex("0x1.de3d745eba00dp-4"),  # +1.167578e-01
    float.fromhex("0x1.eac59856a24f9p-4"),  # +1.198173e-01
)
"""(2 atanh s / s − 2 − 2 s²/3) / s⁴ in s², the same s. Error 2^−73.5."""

ATAN = (
    float.fromhex("-0x1.555555555553dp-2"),  # -3.333333e-01
    float.fromhex("0x1.999999999589bp-3"),  # +2.000000e-01
    float.fromhex("-0x1.24924922af0cfp-3"),  # -1.428571e-01
    float.fromhex("0x1.c71c70e6c9703p-4"),  # +1.111111e-01
    float.fromhex("-0x1.745cf8f1d1c0fp-4"),  # -9.090898e-02
    float.fromhex("0x1.3b111a93c2de7p-4"),  # +7.692061e-02
    float.fromhex("-0x1.10ebc85e36243p-4"),  # -6.663111e-02
    float.fromhex("0x1.df1029f80dda3p-5"),  # +5.847939e-02
    float.fromhex("-0x1.9cd66d4ab96e2p-5"),  # -5.039522e-02
    float.fromhex("0x1.37de61903013fp-5"),  # +3.806991e-02
    float.fromhex("-0x1.257c0bf04627cp-6"),  # -1.791288e-02
)
"""(atan t / t − 1) / t² in t², |t| ≤ tan π/8. Error 2^−59.5."""

ASIN = (
    float.fromhex("0x1.5555555555578p-3"),  # +1.666667e-01
    float.fromhex("0x1.333333332df1fp-4"),  # +7.500000e-02
    float.fromhex("0x1.6db6db722abd1p-5"),  # +4.464286e-02
    float.fromhex("0x1.f1c71a8beabc3p-6"),  # +3.038194e-02
    float.fromhex("0x1.6e8bdfdcb594dp-6"),  # +2.237222e-02
    float.fromhex("0x1.1c49dec645573p-6"),  # +1.735160e-02
    float.fromhex("0x1.ca213051b3244p-7"),  # +1.398101e-02
    float.fromhex("0x1.75783bdcbb257p-7"),  # +1.139739e-02
    float.fromhex("0x1.6186adb349025p-7"),  # +1.078876e-02
    float.fromhex("0x1.e19b97745de8dp-9"),  # +3.674376e-03
    float.fromhex("0x1.64ed8c65c4aeap-6"),  # +2.178515e-02
    float.fromhex("-0x1.59d8606e01556p-6"),  # -2.110872e-02
    float.fromhex("0x1.0bda9fe73bc16p-5"),  # +3.269702e-02
)
"""(asin s / s − 1) / s² in s², |s| ≤ 1/2. Error 2^−59.8."""

INVERSE_CUBE_ROOT = (
    float.fromhex("0x1.63754916feb0cp+0"),  # +1.388508e+00
    float.fromhex("-0x1.e31c9c5737534p-2"),  # -4.717888e-01
    float.fromhex("0x1.a6033d5a570dbp-4"),  # +1.030304e-01
    float.fromhex("-0x1.092b1ec204058p-7"),  # -8.092299e-03
)
"""m^(−1/3) in m, √½ ≤ m ≤ 4√2, where iteration starts. Error 2^−5.9."""
