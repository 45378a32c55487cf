// SPDX-License-Identifier: Apache-2.0
#ifndef GELU_CONSTANTS_H
#define GELU_CONSTANTS_H

constexpr float ROOT_OF_HALF = 0.70710678118654752440f;
// exp(-x² / 2) times this is the density of the normal distribution.
constexpr float DENSITY = 0.39894228040143267794f;
// The approximation is x / (1 + exp(-x (SLOPE + SLOPE * CUBE x²))).
constexpr float SLOPE = 1.59576912160573071176f;
constexpr float CUBE = 0.044715f;

#endif  // GELU_CONSTANTS_H
