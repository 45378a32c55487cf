# SPDX-License-Identifier: Apache-2.0
scaled_mul_bprop = "scaled_mul_grad"
positive_bprop = "none: a step has no slope"
