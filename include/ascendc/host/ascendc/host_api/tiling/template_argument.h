// Tiling-key templates, for the header that host code and kernel share, and the two calls by which
// tiling chooses an instance of the kernel:
//
//     context->SetTilingKey(GET_TPL_TILING_KEY(D_T_X, TILE_NUM, IS_SPLIT));
//     ASCENDC_TPL_SEL_PARAM(context, D_T_X, TILE_NUM, IS_SPLIT);
//
// The macros that declare are those of bascule/abi/template_arguments.h.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_HOST_API_TILING_TEMPLATE_ARGUMENT_H_
#define BASCULE_ASCENDC_HOST_API_TILING_TEMPLATE_ARGUMENT_H_

#include "bascule/abi/template_arguments.h"
#include "graph/c_types.h"

#if !defined(BASCULE_KERNEL_VARIANT_H_)

#include <initializer_list>
#include <string>

#include "bascule_host_base.h"

namespace bascule_host {

// The tiling key of the instance with these values. Throws when there is no such instance: the
// kernel would have none to run.
BASCULE_HIDDEN inline uint64_t EncodeTilingKey(const bascule::tpl::Arguments& declared,
                                               const bascule::tpl::Arguments* selections,
                                               size_t selection_count,
                                               std::initializer_list<uint64_t> given) {
  namespace tpl = bascule::tpl;
  const size_t count = tpl::ParameterCount(declared);
  if (given.size() != count) {
    throw HostError("GET_TPL_TILING_KEY was given " + std::to_string(given.size()) +
                    " values; ASCENDC_TPL_ARGS_DECL declares " + std::to_string(count) +
                    " template parameters");
  }
  const uint64_t* values = given.begin();
  uint32_t bits = 0;
  for (size_t i = 0; i < count; ++i) {
    const tpl::Argument& parameter = tpl::ParameterAt(declared, i);
    const size_t known = tpl::ValueCount(parameter);
    const bool listed = tpl::PlaceOf(parameter, values[i]) < known;
    const uint64_t code = parameter.kind == tpl::kUint ? known - 1 : values[i];
    bits += parameter.bits;
    if (parameter.bits < 64 && known != 0 && code >> parameter.bits != 0) {
      throw HostError(std::string("the template parameter ") + parameter.name + " has " +
                      std::to_string(parameter.bits) + " bits, which do not hold " +
                      std::to_string(code));
    }
    // A declaration that only names an input has its values in the selections.
    if (listed || known == 0) continue;
    std::string text;
    for (size_t k = 0; k < known; ++k) {
      text += (k == 0 ? "" : ", ") + std::to_string(tpl::ValueAt(parameter, k));
    }
    throw HostError("GET_TPL_TILING_KEY was given " + std::to_string(values[i]) +
                    " for the template parameter " + parameter.name +
                    "; ASCENDC_TPL_ARGS_DECL lists " + text);
  }
  if (bits > 64) {
    throw HostError("the template parameters take " + std::to_string(bits) +
                    " bits; a tiling key has 64");
  }
  for (size_t s = 0; s < selection_count; ++s) {
    if (tpl::ParameterCount(selections[s]) != count) {
      throw HostError("ASCENDC_TPL_ARGS_SEL number " + std::to_string(s + 1) + " selects " +
                      std::to_string(tpl::ParameterCount(selections[s])) +
                      " template parameters; ASCENDC_TPL_ARGS_DECL declares " +
                      std::to_string(count));
    }
    bool fits = true;
    for (size_t i = 0; fits && i < count; ++i) {
      const tpl::Argument& parameter = tpl::ParameterAt(selections[s], i);
      fits = tpl::PlaceOf(parameter, values[i]) < tpl::ValueCount(parameter);
    }
    if (fits) return tpl::KeyOf(declared, values);
  }
  std::string text;
  for (size_t i = 0; i < count; ++i) {
    text += std::string(i == 0 ? "" : ", ") + tpl::ParameterAt(declared, i).name + " = " +
            std::to_string(values[i]);
  }
  throw HostError("no ASCENDC_TPL_ARGS_SEL selects " + text + "; the kernel has no such instance");
}

}  // namespace bascule_host

// Values of any arithmetic or enumeration type.
template <typename... T>
BASCULE_HIDDEN inline uint64_t BasculeEncodeTilingKey(const bascule::tpl::Arguments& declared,
                                                      const bascule::tpl::Arguments* selections,
                                                      size_t selection_count, T... values) {
  return bascule_host::EncodeTilingKey(declared, selections, selection_count,
                                       {static_cast<uint64_t>(values)...});
}

#define GET_TPL_TILING_KEY(...)                                                          \
  BasculeEncodeTilingKey(g_tilingDeclareParams, g_tilingSelectParams,                    \
                         sizeof(g_tilingSelectParams) / sizeof(g_tilingSelectParams[0]), \
                         __VA_ARGS__)
#define ASCENDC_TPL_SEL_PARAM(context, ...)                   \
  do {                                                        \
    (context)->SetTilingKey(GET_TPL_TILING_KEY(__VA_ARGS__)); \
  } while (0)

#endif  // !defined(BASCULE_KERNEL_VARIANT_H_)

#endif  // BASCULE_ASCENDC_HOST_API_TILING_TEMPLATE_ARGUMENT_H_
