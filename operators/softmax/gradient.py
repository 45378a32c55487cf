# The gradient of Softmax is a kernel of its own.
# SPDX-License-Identifier: Apache-2.0
softmax_bprop = "softmax_grad"
softmax_grad_bprop = "none: the second derivative has no kernel"
