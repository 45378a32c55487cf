# The gradients of Gelu, a kernel of its own, and of that kernel: the second derivative.
# SPDX-License-Identifier: Apache-2.0
gelu_bprop = "gelu_grad"
gelu_grad_bprop = "none: the second derivative has no kernel"
