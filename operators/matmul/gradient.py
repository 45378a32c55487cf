# SPDX-License-Identifier: Apache-2.0
matmul_bprop = "matmul_grad"
matmul_grad_bprop = "none: it is a gradient itself"
