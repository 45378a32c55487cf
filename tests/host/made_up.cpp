// SPDX-License-Identifier: Apache-2.0
#include "tests/host/made_up.h"

#include <cstdio>
#include <cstring>

#include "host/library.h"
#include "kernel_operator.h"

namespace bascule::test {

std::atomic<int> tilings{0};
thread_local char seen[256];

namespace {

constexpr uint64_t kScratchBytes = uint64_t{3} << 20;

struct Tiling {
  uint64_t bytes;  // of the first input
  uint64_t rows;
  uint64_t columns;
};

template <typename T>
AscendC::GlobalTensor<T> Tensor(GM_ADDR address, uint64_t count) {
  AscendC::GlobalTensor<T> tensor;
  tensor.SetGlobalBuffer(reinterpret_cast<__gm__ T*>(address), count);
  return tensor;
}

// --- kernels

__global__ __aicore__ void Copy(GM_ADDR x, GM_ADDR out, GM_ADDR, GM_ADDR tiling) {
  const uint64_t bytes = reinterpret_cast<const Tiling*>(tiling)->bytes;
  auto from = Tensor<uint8_t>(x, bytes);
  auto to = Tensor<uint8_t>(out, bytes);
  for (uint64_t i = 0; i < bytes; ++i) to.SetValue(i, from.GetValue(i));
}

__global__ __aicore__ void Sum(GM_ADDR x, GM_ADDR out, GM_ADDR, GM_ADDR tiling) {
  const Tiling& t = *reinterpret_cast<const Tiling*>(tiling);
  auto from = Tensor<float>(x, t.rows * t.columns);
  auto to = Tensor<float>(out, t.columns);
  for (uint64_t c = 0; c < t.columns; ++c) {
    float sum = 0;
    for (uint64_t r = 0; r < t.rows; ++r) sum += from.GetValue(r * t.columns + c);
    to.SetValue(c, sum);
  }
}

__global__ __aicore__ void Best(GM_ADDR x, GM_ADDR out, GM_ADDR, GM_ADDR tiling) {
  const Tiling& t = *reinterpret_cast<const Tiling*>(tiling);
  auto from = Tensor<float>(x, t.rows * t.columns);
  auto to = Tensor<float>(out, t.columns);
  for (uint64_t r = 0; r < t.rows; ++r) {
    for (uint64_t c = 0; c < t.columns; ++c) {
      const float value = from.GetValue(r * t.columns + c);
      if (r == 0 || value > to.GetValue(c)) to.SetValue(c, value);
    }
  }
}

__global__ __aicore__ void Add(GM_ADDR x, GM_ADDR bias, GM_ADDR out, GM_ADDR, GM_ADDR tiling) {
  const uint64_t count = reinterpret_cast<const Tiling*>(tiling)->bytes / sizeof(float);
  auto from = Tensor<float>(x, count);
  auto to = Tensor<float>(out, count);
  for (uint64_t i = 0; i < count; ++i) {
    const float more = bias != nullptr ? Tensor<float>(bias, count).GetValue(i) : 0;
    to.SetValue(i, from.GetValue(i) + more);
  }
}

__global__ __aicore__ void Scratch(GM_ADDR x, GM_ADDR out, GM_ADDR workspace, GM_ADDR) {
  const int32_t own = Tensor<int32_t>(x, 1).GetValue(0);
  std::memset(workspace, own, kScratchBytes);
  int32_t changed = 0;
  for (int round = 0; round < 3; ++round) {
    for (uint64_t i = 0; i < kScratchBytes; ++i)
      changed += workspace[i] != static_cast<uint8_t>(own);
  }
  Tensor<int32_t>(out, 1).SetValue(0, changed);
}

__global__ __aicore__ void Pair(GM_ADDR x, GM_ADDR first, GM_ADDR second, GM_ADDR, GM_ADDR tiling) {
  const uint64_t count = reinterpret_cast<const Tiling*>(tiling)->bytes / sizeof(float);
  auto from = Tensor<float>(x, count);
  for (uint64_t i = 0; i < count; ++i) {
    Tensor<float>(first, count).SetValue(i, from.GetValue(i));
    Tensor<float>(second, count).SetValue(i, -from.GetValue(i));
  }
}

// Writes one element through the input's address and one through the output's.
__global__ __aicore__ void Nudge(GM_ADDR x, GM_ADDR x_ref, GM_ADDR, GM_ADDR tiling) {
  const uint64_t count = reinterpret_cast<const Tiling*>(tiling)->bytes / sizeof(float);
  auto from = Tensor<float>(x, count);
  auto to = Tensor<float>(x_ref, count);
  from(0) += 100;
  to(1) = to(0) + to(1);
}

__global__ __aicore__ void Stray(GM_ADDR, GM_ADDR out, GM_ADDR, GM_ADDR tiling) {
  const uint64_t count = reinterpret_cast<const Tiling*>(tiling)->bytes / sizeof(float);
  Tensor<float>(out, count + 100000).SetValue(count + 99999, 1);
}

__global__ __aicore__ void BestWith(GM_ADDR x, GM_ADDR, GM_ADDR out, GM_ADDR, GM_ADDR tiling) {
  Best(x, out, nullptr, tiling);
}

// Copies the elements of each member of the list, and `more` bytes from behind it.
void JoinList(GM_ADDR x, GM_ADDR out, GM_ADDR tiling, uint64_t more) {
  const Tiling& t = *reinterpret_cast<const Tiling*>(tiling);
  auto to = Tensor<uint8_t>(out, t.columns * t.bytes);
  AscendC::ListTensorDesc list(reinterpret_cast<__gm__ void*>(x));
  uint64_t shape[BASCULE_MAX_RANK];
  AscendC::TensorDesc<uint8_t> desc;
  desc.SetShapeAddr(shape);
  uint64_t at = 0;
  for (uint32_t i = 0; i < list.GetSize(); ++i) {
    list.GetDesc(desc, i);
    if (desc.GetIndex() != i) return;
    uint64_t bytes = t.bytes;
    for (uint64_t d = 0; d < desc.GetDim(); ++d) bytes *= desc.GetShape(static_cast<uint32_t>(d));
    auto from = Tensor<uint8_t>(desc.GetDataPtr(), bytes + more);
    for (uint64_t b = 0; b < bytes + more; ++b) {
      const uint8_t value = from.GetValue(b);
      if (b < bytes) to.SetValue(at++, value);
    }
  }
}
__global__ __aicore__ void Joined(GM_ADDR x, GM_ADDR out, GM_ADDR, GM_ADDR tiling) {
  JoinList(x, out, tiling, 0);
}
__global__ __aicore__ void Overreach(GM_ADDR x, GM_ADDR out, GM_ADDR, GM_ADDR tiling) {
  JoinList(x, out, tiling, 1);
}
__global__ __aicore__ void Split(GM_ADDR x, GM_ADDR y, GM_ADDR, GM_ADDR tiling) {
  const Tiling& t = *reinterpret_cast<const Tiling*>(tiling);
  auto from = Tensor<float>(x, t.rows);
  AscendC::ListTensorDesc list(reinterpret_cast<__gm__ void*>(y));
  for (uint32_t i = 0; i < list.GetSize(); ++i) {
    auto to = Tensor<float>(reinterpret_cast<GM_ADDR>(list.GetDataPtr<float>(i)), t.columns);
    for (uint64_t k = 0; k < t.columns; ++k) to.SetValue(k, from.GetValue(i * t.columns + k));
  }
}
__global__ __aicore__ void NudgeEach(GM_ADDR x, GM_ADDR x_ref, GM_ADDR, GM_ADDR) {
  AscendC::ListTensorDesc from(reinterpret_cast<__gm__ void*>(x));
  AscendC::ListTensorDesc to(reinterpret_cast<__gm__ void*>(x_ref));
  for (uint32_t i = 0; i < to.GetSize(); ++i) {
    Tensor<float>(reinterpret_cast<GM_ADDR>(from.GetDataPtr<float>(i)), 1)(0) += 100;
    Tensor<float>(reinterpret_cast<GM_ADDR>(to.GetDataPtr<float>(i)), 1)(0) += 1;
  }
}
__global__ __aicore__ void Lengths(GM_ADDR a, GM_ADDR scale, GM_ADDR b, GM_ADDR out, GM_ADDR,
                                   GM_ADDR) {
  auto to = Tensor<float>(out, 3);
  AscendC::ListTensorDesc first(reinterpret_cast<__gm__ void*>(a));
  AscendC::ListTensorDesc second(reinterpret_cast<__gm__ void*>(b));
  to.SetValue(0, static_cast<float>(first.GetSize()));
  to.SetValue(1, static_cast<float>(second.GetSize()));
  to.SetValue(2, Tensor<float>(scale, 1).GetValue(0));
}

// --- host functions

int64_t Elements(const BasculeShape& shape) {
  int64_t count = 1;
  for (int64_t d = 0; d < shape.rank; ++d) count *= shape.dims[d];
  return count;
}

int SameShape(BasculeHostCall* call) {
  for (uint32_t i = 0; i < call->output_count; ++i) call->outputs[i].shape = call->inputs[0].shape;
  return 0;
}

int WithoutFirst(BasculeHostCall* call) {
  const BasculeShape& x = call->inputs[0].shape;
  BasculeShape& out = call->outputs[0].shape;
  if (x.rank < 1) {
    out.rank = -1;
    return x.rank == 0 ? 1 : 0;
  }
  out.rank = x.rank - 1;
  for (int64_t d = 1; d < x.rank; ++d) out.dims[d - 1] = x.dims[d];
  return 0;
}

int Astray(BasculeHostCall* call) {
  const volatile int64_t* nowhere = reinterpret_cast<const int64_t*>(call->platform);
  call->outputs[0].shape.rank = nowhere[1];
  return 0;
}

int Tile(BasculeHostCall* call) {
  tilings.fetch_add(1);
  const BasculeTensorInfo& x = call->inputs[0];
  Tiling* const tiling = static_cast<Tiling*>(call->tiling_data);
  const uint64_t bits =
      x.dtype == BASCULE_INT4                                                              ? 4
      : x.dtype == BASCULE_DOUBLE || x.dtype == BASCULE_INT64 || x.dtype == BASCULE_UINT64 ? 64
      : x.dtype == BASCULE_FLOAT16 || x.dtype == BASCULE_BFLOAT16 || x.dtype == BASCULE_INT16 ||
              x.dtype == BASCULE_UINT16
          ? 16
      : x.dtype == BASCULE_FLOAT || x.dtype == BASCULE_INT32 || x.dtype == BASCULE_UINT32 ? 32
                                                                                          : 8;
  tiling->bytes = (static_cast<uint64_t>(Elements(x.shape)) * bits + 7) / 8;
  tiling->rows = x.shape.rank > 0 ? static_cast<uint64_t>(x.shape.dims[0]) : 1;
  tiling->columns = static_cast<uint64_t>(Elements(call->outputs[0].shape));
  call->tiling_bytes = sizeof(Tiling);
  call->block_count = 1;
  return 0;
}

int JoinShape(BasculeHostCall* call) {
  if (call->input_instances == nullptr || call->schema_input_count != 1 ||
      call->input_instances[0] != call->input_count) {
    std::snprintf(call->message, call->message_capacity, "it was not told of the list");
    return 1;
  }
  call->outputs[0].shape = {1, {0}};
  for (uint32_t i = 0; i < call->input_count; ++i) {
    call->outputs[0].shape.dims[0] += Elements(call->inputs[i].shape);
  }
  return 0;
}

int PartShape(BasculeHostCall* call) {
  for (uint32_t i = 0; i < call->output_instances[0]; ++i) {
    call->outputs[i].shape = {1, {call->inputs[0].shape.dims[0] / call->output_count}};
  }
  return 0;
}

int SameShapes(BasculeHostCall* call) {
  for (uint32_t i = 0; i < call->output_count; ++i) call->outputs[i].shape = call->inputs[i].shape;
  return 0;
}

int ThreeNumbers(BasculeHostCall* call) {
  call->outputs[0].shape = {1, {3}};
  return 0;
}

// The first output is a row of as many elements as `columns` says, each of `bytes`.
int TileList(BasculeHostCall* call) {
  Tile(call);
  Tiling* const tiling = static_cast<Tiling*>(call->tiling_data);
  if (call->input_count != 0 && Elements(call->inputs[0].shape) != 0) {
    tiling->bytes /= static_cast<uint64_t>(Elements(call->inputs[0].shape));
  } else {
    tiling->bytes = sizeof(float);
  }
  return 0;
}

int TileLengths(BasculeHostCall* call) {
  tilings.fetch_add(1);
  call->block_count = 1;
  return 0;
}

int TileValued(BasculeHostCall* call) {
  Tile(call);
  call->tiling_key = call->input_data == nullptr || call->input_data[0] == nullptr ? 1 : 0;
  return call->tiling_key == 0 ? 0 : 1;
}

int TileScratch(BasculeHostCall* call) {
  Tile(call);
  call->workspace_count = 1;
  call->workspace_bytes[0] = kScratchBytes;
  return 0;
}

int TileDivide(BasculeHostCall* call) {
  Tile(call);
  volatile int64_t first = call->inputs[0].shape.dims[0];
  call->tiling_key = static_cast<uint64_t>(1000 / (first - 1));
  return 0;
}

int TileSettings(BasculeHostCall* call) {
  Tile(call);
  const BasculeAttribute* a = call->attributes;
  int at =
      std::snprintf(seen, sizeof(seen), "%lld %g %lld '%.*s'", static_cast<long long>(a[0].value.i),
                    static_cast<double>(a[1].value.f), static_cast<long long>(a[2].value.i),
                    static_cast<int>(a[3].length), a[3].value.s);
  for (uint32_t i = 0; i < a[4].length; ++i) {
    at += std::snprintf(seen + at, sizeof(seen) - static_cast<size_t>(at), " %lld",
                        static_cast<long long>(a[4].value.ints[i]));
  }
  for (uint32_t i = 0; i < a[5].length; ++i) {
    at += std::snprintf(seen + at, sizeof(seen) - static_cast<size_t>(at), " %g",
                        static_cast<double>(a[5].value.floats[i]));
  }
  return 0;
}

// --- definitions

constexpr int32_t kAll[] = {BASCULE_FLOAT,    BASCULE_FLOAT16, BASCULE_INT8,   BASCULE_INT32,
                            BASCULE_UINT8,    BASCULE_INT16,   BASCULE_UINT16, BASCULE_UINT32,
                            BASCULE_INT64,    BASCULE_UINT64,  BASCULE_DOUBLE, BASCULE_BOOL,
                            BASCULE_BFLOAT16, BASCULE_INT4};
constexpr uint32_t kColumns = sizeof(kAll) / sizeof(kAll[0]);
constexpr int32_t kNd[kColumns] = {2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2, 2};
constexpr int32_t kNz[] = {BASCULE_FORMAT_FRACTAL_NZ};
constexpr int32_t kFloat[] = {BASCULE_FLOAT};
constexpr int32_t kInt32[] = {BASCULE_INT32};

constexpr BasculeParameterDef kX[] = {{"x", BASCULE_REQUIRED, 1, kFloat, kNd}};
constexpr BasculeParameterDef kXBias[] = {{"x", BASCULE_REQUIRED, 1, kFloat, kNd},
                                          {"bias", BASCULE_OPTIONAL, 1, kFloat, kNd}};
constexpr BasculeParameterDef kXNz[] = {{"x", BASCULE_REQUIRED, 1, kFloat, kNz}};
constexpr BasculeParameterDef kXAny[] = {{"x", BASCULE_REQUIRED, kColumns, kAll, kNd}};
constexpr BasculeParameterDef kXInt[] = {{"x", BASCULE_REQUIRED, 1, kInt32, kNd}};
constexpr BasculeParameterDef kOut[] = {{"out", BASCULE_REQUIRED, 1, kFloat, kNd}};
constexpr BasculeParameterDef kOutAny[] = {{"out", BASCULE_REQUIRED, kColumns, kAll, kNd}};
constexpr BasculeParameterDef kOutInt[] = {{"out", BASCULE_REQUIRED, 1, kInt32, kNd}};
constexpr BasculeParameterDef kTwoOut[] = {{"first", BASCULE_REQUIRED, 1, kFloat, kNd},
                                           {"second", BASCULE_REQUIRED, 1, kFloat, kNd}};

constexpr BasculeParameterDef kXList[] = {{"x", BASCULE_DYNAMIC, kColumns, kAll, kNd}};
constexpr BasculeParameterDef kFloats[] = {{"x", BASCULE_DYNAMIC, 1, kFloat, kNd}};
constexpr BasculeParameterDef kYList[] = {{"y", BASCULE_DYNAMIC, 1, kFloat, kNd}};
constexpr BasculeParameterDef kTwoLists[] = {{"a", BASCULE_DYNAMIC, 1, kFloat, kNd},
                                             {"scale", BASCULE_REQUIRED, 1, kFloat, kNd},
                                             {"b", BASCULE_DYNAMIC, 1, kFloat, kNd}};

constexpr int64_t kSteps[] = {2, 3};
const BasculeAttributeDef* Settings() {
  static BasculeAttributeDef defs[6] = {
      {"count", BASCULE_ATTR_INT, 1, {}},      {"scale", BASCULE_ATTR_FLOAT, 0, {}},
      {"flag", BASCULE_ATTR_BOOL, 0, {}},      {"mode", BASCULE_ATTR_STRING, 0, {}},
      {"steps", BASCULE_ATTR_INT_LIST, 0, {}}, {"weights", BASCULE_ATTR_FLOAT_LIST, 0, {}}};
  for (BasculeAttributeDef& def : defs) {
    def.fallback.name = def.name;
    def.fallback.kind = def.kind;
  }
  defs[1].fallback.value.f = 0.5f;
  defs[3].fallback.value.s = "none";
  defs[3].fallback.length = 4;
  defs[4].fallback.value.ints = kSteps;
  defs[4].fallback.length = 2;
  return defs;
}

using Entry = void (*)(void);
template <typename Kernel>
Entry EntryOf(Kernel kernel) {
  return reinterpret_cast<Entry>(kernel);
}

struct Made {
  const char* name;
  const BasculeParameterDef* inputs;
  uint32_t input_count;
  const BasculeParameterDef* outputs;
  uint32_t output_count;
  uint32_t attributes;
  BasculeHostFunction infer;
  BasculeHostFunction tiling;
  Entry kernel;
};
const Made kMade[] = {
    {"copy", kXAny, 1, kOutAny, 1, 0, SameShape, Tile, EntryOf(Copy)},
    {"unsaid", kX, 1, kOut, 1, 0, nullptr, Tile, EntryOf(Copy)},
    {"sum", kX, 1, kOut, 1, 0, WithoutFirst, Tile, EntryOf(Sum)},
    {"best", kX, 1, kOut, 1, 0, WithoutFirst, Tile, EntryOf(Best)},
    {"best_with", kXBias, 2, kOut, 1, 0, WithoutFirst, Tile, EntryOf(BestWith)},
    {"product", kX, 1, kOut, 1, 0, WithoutFirst, Tile, EntryOf(Best)},
    {"add", kXBias, 2, kOut, 1, 0, SameShape, Tile, EntryOf(Add)},
    {"scratch", kXInt, 1, kOutInt, 1, 0, SameShape, TileScratch, EntryOf(Scratch)},
    {"divide", kX, 1, kOut, 1, 0, WithoutFirst, TileDivide, EntryOf(Sum)},
    {"astray", kX, 1, kOut, 1, 0, Astray, Tile, EntryOf(Copy)},
    {"settings", kX, 1, kOut, 1, 6, SameShape, TileSettings, EntryOf(Copy)},
    {"nz", kXNz, 1, kOut, 1, 0, SameShape, Tile, EntryOf(Copy)},
    {"pair", kX, 1, kTwoOut, 2, 0, SameShape, Tile, EntryOf(Pair)},
    {"nudge", kX, 1, kX, 1, 0, SameShape, Tile, EntryOf(Nudge)},
    {"nudge_each", kFloats, 1, kFloats, 1, 0, SameShapes, TileLengths, EntryOf(NudgeEach)},
    {"stray", kX, 1, kOut, 1, 0, SameShape, Tile, EntryOf(Stray)},
    {"join", kXList, 1, kOutAny, 1, 0, JoinShape, TileList, EntryOf(Joined)},
    {"overreach", kXList, 1, kOutAny, 1, 0, JoinShape, TileList, EntryOf(Overreach)},
    {"split", kX, 1, kYList, 1, 0, PartShape, TileList, EntryOf(Split)},
    {"lengths", kTwoLists, 3, kOut, 1, 0, ThreeNumbers, TileLengths, EntryOf(Lengths)},
    {"valued", kX, 1, kOut, 1, 0, SameShape, TileValued, EntryOf(Copy)},
};
constexpr size_t kCount = sizeof(kMade) / sizeof(kMade[0]);

}  // namespace

const BasculeOperator* MadeUp(const char* name) {
  static const host::Library& library = [&]() -> host::Library& {
    static BasculeInitialValue one = {BASCULE_INITIAL_SIGNED, 0, {}};
    one.value.i = 1;
    static BasculeOperatorDef defs[kCount];
    static BasculeKernelVariant variants[kCount][kColumns];
    static BasculeOperatorEntry entries[kCount];
    for (size_t i = 0; i < kCount; ++i) {
      const Made& made = kMade[i];
      defs[i] = {sizeof(BasculeOperatorDef),
                 made.input_count,
                 made.name,
                 made.inputs,
                 made.outputs,
                 made.attributes != 0 ? Settings() : nullptr,
                 made.output_count,
                 made.attributes,
                 made.infer,
                 nullptr,
                 made.tiling,
                 {},
                 {}};
      if (std::strcmp(made.name, "product") == 0 || std::strcmp(made.name, "nudge") == 0) {
        defs[i].initial_values = &one;
      }
      if (std::strcmp(made.name, "valued") == 0) defs[i].value_inputs = 1;
      const uint32_t columns = made.inputs[0].column_count;
      for (uint32_t c = 0; c < columns; ++c) {
        variants[i][c] = {c, BASCULE_KERNEL_AIV_ONLY, made.kernel};
      }
      entries[i] = {made.name, &defs[i], variants[i], columns, 0};
    }
    static BasculeLibraryTable table = {sizeof(BasculeLibraryTable), BASCULE_LIBRARY_ABI_VERSION,
                                        entries, kCount, 0};
    return host::Library::FromTable(table);
  }();
  return reinterpret_cast<const BasculeOperator*>(&library.Find(name));
}

}  // namespace bascule::test
