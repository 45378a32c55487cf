# The gradient of LayerNorm is a kernel of its own, which takes the statistics of the rows.
# SPDX-License-Identifier: Apache-2.0
layer_norm_saved = ("mean", "rstd")
layer_norm_bprop = "layer_norm_grad"
layer_norm_grad_bprop = "none: the second derivative has no kernel"
