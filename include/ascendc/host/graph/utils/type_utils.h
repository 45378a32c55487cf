// ge::TypeUtils: element types and formats as text, and sizes of elements.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ASCENDC_GRAPH_UTILS_TYPE_UTILS_H_
#define BASCULE_ASCENDC_GRAPH_UTILS_TYPE_UTILS_H_

#include <cstdint>
#include <cstring>
#include <string>

#include "bascule_host_base.h"
#include "graph/ascend_string.h"
#include "graph/types.h"

namespace bascule_host {

// "DT_FLOAT" and "ND", without their prefixes where graphs write them so; null: not known.
BASCULE_HIDDEN inline const char* DataTypeText(ge::DataType type) {
  switch (type) {
    case ge::DT_FLOAT:
      return "DT_FLOAT";
    case ge::DT_FLOAT16:
      return "DT_FLOAT16";
    case ge::DT_INT8:
      return "DT_INT8";
    case ge::DT_INT32:
      return "DT_INT32";
    case ge::DT_UINT8:
      return "DT_UINT8";
    case ge::DT_INT16:
      return "DT_INT16";
    case ge::DT_UINT16:
      return "DT_UINT16";
    case ge::DT_UINT32:
      return "DT_UINT32";
    case ge::DT_INT64:
      return "DT_INT64";
    case ge::DT_UINT64:
      return "DT_UINT64";
    case ge::DT_DOUBLE:
      return "DT_DOUBLE";
    case ge::DT_BOOL:
      return "DT_BOOL";
    case ge::DT_STRING:
      return "DT_STRING";
    case ge::DT_DUAL_SUB_INT8:
      return "DT_DUAL_SUB_INT8";
    case ge::DT_DUAL_SUB_UINT8:
      return "DT_DUAL_SUB_UINT8";
    case ge::DT_COMPLEX64:
      return "DT_COMPLEX64";
    case ge::DT_COMPLEX128:
      return "DT_COMPLEX128";
    case ge::DT_QINT8:
      return "DT_QINT8";
    case ge::DT_QINT16:
      return "DT_QINT16";
    case ge::DT_QINT32:
      return "DT_QINT32";
    case ge::DT_QUINT8:
      return "DT_QUINT8";
    case ge::DT_QUINT16:
      return "DT_QUINT16";
    case ge::DT_RESOURCE:
      return "DT_RESOURCE";
    case ge::DT_STRING_REF:
      return "DT_STRING_REF";
    case ge::DT_DUAL:
      return "DT_DUAL";
    case ge::DT_VARIANT:
      return "DT_VARIANT";
    case ge::DT_BF16:
      return "DT_BF16";
    case ge::DT_UNDEFINED:
      return "DT_UNDEFINED";
    case ge::DT_INT4:
      return "DT_INT4";
    case ge::DT_UINT1:
      return "DT_UINT1";
    case ge::DT_INT2:
      return "DT_INT2";
    case ge::DT_UINT2:
      return "DT_UINT2";
    case ge::DT_COMPLEX32:
      return "DT_COMPLEX32";
    case ge::DT_HIFLOAT8:
      return "DT_HIFLOAT8";
    case ge::DT_FLOAT8_E5M2:
      return "DT_FLOAT8_E5M2";
    case ge::DT_FLOAT8_E4M3FN:
      return "DT_FLOAT8_E4M3FN";
    case ge::DT_FLOAT8_E8M0:
      return "DT_FLOAT8_E8M0";
    case ge::DT_FLOAT6_E3M2:
      return "DT_FLOAT6_E3M2";
    case ge::DT_FLOAT6_E2M3:
      return "DT_FLOAT6_E2M3";
    case ge::DT_FLOAT4_E2M1:
      return "DT_FLOAT4_E2M1";
    case ge::DT_FLOAT4_E1M2:
      return "DT_FLOAT4_E1M2";
    default:
      return nullptr;
  }
}
BASCULE_HIDDEN inline const char* FormatText(ge::Format format) {
  switch (static_cast<ge::Format>(ge::GetPrimaryFormat(format))) {
    case ge::FORMAT_NCHW:
      return "NCHW";
    case ge::FORMAT_NHWC:
      return "NHWC";
    case ge::FORMAT_ND:
      return "ND";
    case ge::FORMAT_NC1HWC0:
      return "NC1HWC0";
    case ge::FORMAT_FRACTAL_Z:
      return "FRACTAL_Z";
    case ge::FORMAT_NC1C0HWPAD:
      return "NC1C0HWPAD";
    case ge::FORMAT_NHWC1C0:
      return "NHWC1C0";
    case ge::FORMAT_FSR_NCHW:
      return "FSR_NCHW";
    case ge::FORMAT_FRACTAL_DECONV:
      return "FRACTAL_DECONV";
    case ge::FORMAT_C1HWNC0:
      return "C1HWNC0";
    case ge::FORMAT_FRACTAL_DECONV_TRANSPOSE:
      return "FRACTAL_DECONV_TRANSPOSE";
    case ge::FORMAT_FRACTAL_DECONV_SP_STRIDE_TRANS:
      return "FRACTAL_DECONV_SP_STRIDE_TRANS";
    case ge::FORMAT_NC1HWC0_C04:
      return "NC1HWC0_C04";
    case ge::FORMAT_FRACTAL_Z_C04:
      return "FRACTAL_Z_C04";
    case ge::FORMAT_CHWN:
      return "CHWN";
    case ge::FORMAT_FRACTAL_DECONV_SP_STRIDE8_TRANS:
      return "FRACTAL_DECONV_SP_STRIDE8_TRANS";
    case ge::FORMAT_HWCN:
      return "HWCN";
    case ge::FORMAT_NC1KHKWHWC0:
      return "NC1KHKWHWC0";
    case ge::FORMAT_BN_WEIGHT:
      return "BN_WEIGHT";
    case ge::FORMAT_FILTER_HWCK:
      return "FILTER_HWCK";
    case ge::FORMAT_HASHTABLE_LOOKUP_LOOKUPS:
      return "HASHTABLE_LOOKUP_LOOKUPS";
    case ge::FORMAT_HASHTABLE_LOOKUP_KEYS:
      return "HASHTABLE_LOOKUP_KEYS";
    case ge::FORMAT_HASHTABLE_LOOKUP_VALUE:
      return "HASHTABLE_LOOKUP_VALUE";
    case ge::FORMAT_HASHTABLE_LOOKUP_OUTPUT:
      return "HASHTABLE_LOOKUP_OUTPUT";
    case ge::FORMAT_HASHTABLE_LOOKUP_HITS:
      return "HASHTABLE_LOOKUP_HITS";
    case ge::FORMAT_C1HWNCoC0:
      return "C1HWNCoC0";
    case ge::FORMAT_MD:
      return "MD";
    case ge::FORMAT_NDHWC:
      return "NDHWC";
    case ge::FORMAT_FRACTAL_ZZ:
      return "FRACTAL_ZZ";
    case ge::FORMAT_FRACTAL_NZ:
      return "FRACTAL_NZ";
    case ge::FORMAT_NCDHW:
      return "NCDHW";
    case ge::FORMAT_DHWCN:
      return "DHWCN";
    case ge::FORMAT_NDC1HWC0:
      return "NDC1HWC0";
    case ge::FORMAT_FRACTAL_Z_3D:
      return "FRACTAL_Z_3D";
    case ge::FORMAT_CN:
      return "CN";
    case ge::FORMAT_NC:
      return "NC";
    case ge::FORMAT_DHWNC:
      return "DHWNC";
    case ge::FORMAT_FRACTAL_Z_3D_TRANSPOSE:
      return "FRACTAL_Z_3D_TRANSPOSE";
    case ge::FORMAT_FRACTAL_ZN_LSTM:
      return "FRACTAL_ZN_LSTM";
    case ge::FORMAT_FRACTAL_Z_G:
      return "FRACTAL_Z_G";
    case ge::FORMAT_RESERVED:
      return "RESERVED";
    case ge::FORMAT_ALL:
      return "ALL";
    case ge::FORMAT_NULL:
      return "NULL";
    case ge::FORMAT_ND_RNN_BIAS:
      return "ND_RNN_BIAS";
    case ge::FORMAT_FRACTAL_ZN_RNN:
      return "FRACTAL_ZN_RNN";
    case ge::FORMAT_NYUV:
      return "NYUV";
    case ge::FORMAT_NYUV_A:
      return "NYUV_A";
    case ge::FORMAT_NCL:
      return "NCL";
    case ge::FORMAT_FRACTAL_Z_WINO:
      return "FRACTAL_Z_WINO";
    case ge::FORMAT_C1HWC0:
      return "C1HWC0";
    case ge::FORMAT_FRACTAL_NZ_C0_16:
      return "FRACTAL_NZ_C0_16";
    case ge::FORMAT_FRACTAL_NZ_C0_32:
      return "FRACTAL_NZ_C0_32";
    case ge::FORMAT_FRACTAL_NZ_C0_2:
      return "FRACTAL_NZ_C0_2";
    case ge::FORMAT_FRACTAL_NZ_C0_4:
      return "FRACTAL_NZ_C0_4";
    case ge::FORMAT_FRACTAL_NZ_C0_8:
      return "FRACTAL_NZ_C0_8";
    default:
      return nullptr;
  }
}

}  // namespace bascule_host

namespace ge {

// "ND".
BASCULE_HIDDEN inline const char* GetFormatName(Format format) {
  const char* text = bascule_host::FormatText(format);
  return text == nullptr ? "UNKNOWN" : text;
}

class TypeUtils {
 public:
  // "DT_FLOAT"; "UNDEFINED" where there is no such type.
  BASCULE_HIDDEN static std::string DataTypeToSerialString(DataType type) {
    const char* text = bascule_host::DataTypeText(type);
    return text == nullptr ? "UNDEFINED" : text;
  }
  BASCULE_HIDDEN static AscendString DataTypeToAscendString(DataType type) {
    return AscendString(DataTypeToSerialString(type).c_str());
  }
  BASCULE_HIDDEN static DataType SerialStringToDataType(const std::string& text) {
    for (int32_t i = 0; i < static_cast<int32_t>(DT_MAX); ++i) {
      const char* known = bascule_host::DataTypeText(static_cast<DataType>(i));
      if (known != nullptr && text == known) return static_cast<DataType>(i);
    }
    return DT_UNDEFINED;
  }
  // "ND"; "RESERVED" where there is no such format.
  BASCULE_HIDDEN static std::string FormatToSerialString(Format format) {
    const char* text = bascule_host::FormatText(format);
    return text == nullptr ? "RESERVED" : text;
  }
  BASCULE_HIDDEN static AscendString FormatToAscendString(Format format) {
    return AscendString(FormatToSerialString(format).c_str());
  }
  BASCULE_HIDDEN static Format SerialStringToFormat(const std::string& text) {
    for (int32_t i = 0; i < static_cast<int32_t>(FORMAT_END); ++i) {
      const char* known = bascule_host::FormatText(static_cast<Format>(i));
      if (known != nullptr && text == known) return static_cast<Format>(i);
    }
    return FORMAT_RESERVED;
  }
  // False for types without a fixed size in bytes.
  BASCULE_HIDDEN static bool GetDataTypeLength(DataType type, uint32_t& length) {
    const int size = GetSizeByDataType(type);
    if (size <= 0 || size >= kDataTypeSizeBitOffset) return false;
    length = static_cast<uint32_t>(size);
    return true;
  }
  BASCULE_HIDDEN static bool IsDataTypeValid(DataType type) {
    return bascule_host::DataTypeText(type) != nullptr && type != DT_UNDEFINED;
  }
  BASCULE_HIDDEN static bool IsFormatValid(Format format) {
    return bascule_host::FormatText(format) != nullptr && format != FORMAT_RESERVED;
  }
};

}  // namespace ge

#endif  // BASCULE_ASCENDC_GRAPH_UTILS_TYPE_UTILS_H_
