# SPDX-License-Identifier: Apache-2.0
conv2d_bprop = "conv2d_grad"
conv2d_grad_bprop = "none: it is a gradient itself"
