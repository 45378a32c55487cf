# SPDX-License-Identifier: Apache-2.0
quant_matmul_bprop = "none: its inputs are integers"
