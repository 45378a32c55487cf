// The functions kernels call: check, tell observers, do.
// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstring>
#include <iterator>
#include <string>
#include <utility>

#include "base/dtype.h"
#include "base/error.h"
#include "base/warning.h"
#include "engine/constants.h"
#include "engine/core.h"
#include "engine/launch_state.h"
#include "engine/not_passed.h"
#include "isa/footprint.h"
#include "isa/move/accumulate.h"
#include "isa/move/fractal.h"
#include "isa/row.h"
#include "isa/vector/lanes.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace bascule::engine {
namespace {

// The core of a call that may see memory, or change it, without an instruction.
inline Core& Settled(BasculeCore* handle) {
  Core& core = Core::From(handle);
  core.RunWaiting();
  return core;
}

const char* MemoryName(uint32_t memory) {
  static constexpr const char* kNames[BASCULE_MEMORY_COUNT] = {
      "global memory",  "the unified buffer", "L1", "L0A", "L0B", "L0C",
      "the bias table", "the fixpipe buffer"};
  return memory < BASCULE_MEMORY_COUNT ? kNames[memory] : "an unknown memory";
}

uint8_t MemoryOf(uint32_t position) {
  switch (position) {
    case BASCULE_POS_VECIN:
    case BASCULE_POS_VECOUT:
    case BASCULE_POS_VECCALC:
      return BASCULE_UB;
    case BASCULE_POS_A1:
    case BASCULE_POS_B1:
    case BASCULE_POS_C1:
    case BASCULE_POS_TSCM:
      return BASCULE_L1;
    case BASCULE_POS_A2:
      return BASCULE_L0A;
    case BASCULE_POS_B2:
      return BASCULE_L0B;
    case BASCULE_POS_C2:
      return BASCULE_BT;
    case BASCULE_POS_CO1:
      return BASCULE_L0C;
    case BASCULE_POS_C2PIPE2GM:
      return BASCULE_FB;
    default:
      return BASCULE_GM;
  }
}

// "AllocTensor at file:line: "
std::string At(const char* call, const BasculeSite* site) {
  return Join(call, " at ", Where(site != nullptr ? *site : BasculeSite{}), ": ");
}

// --- instructions
// ------------------------------------------------------------------------------------

// What a tensor of the launch is called, and where in it an address lies.
std::string NameGlobal(const Core& core, uint64_t address) {
  const GlobalInterval* nearest = nullptr;
  for (const GlobalInterval& interval : core.launch->request.globals) {
    if (interval.begin <= address) nearest = &interval;
  }
  if (address == 0) return "a null pointer (an argument that was not passed?)";
  if (const uint32_t position = NotPassedPosition(address); position != 0) {
    return DescribeNotPassed(position, core.launch->request.arguments);
  }
  if (const GlobalInterval* constant = FindConstant(address)) nearest = constant;
  if (nearest == nullptr) return "memory before every tensor of the launch";
  const uint64_t bytes = nearest->end - nearest->begin;
  return Join("'", nearest->name, "' from byte ", address - nearest->begin, ", but '",
              nearest->name, "' has ", bytes, " bytes");
}

// What may help: nothing is said about the offset of what has none.
std::string AdviceFor(uint64_t address) {
  if (address == 0) return "";
  if (NotPassedPosition(address) != 0) {
    return " Pass all of the kernel's tensors; workspace and tiling data come with an operator "
           "project (`bascule build`).";
  }
  return " Check the offset and the length of the last tile.";
}

[[noreturn]] void FailGlobal(Core& core, const char* call, const BasculeSite* site, bool write,
                             uint64_t address, uint64_t bytes) {
  const GlobalInterval* any = core.FindGlobal(address, bytes);
  if (any != nullptr) {
    core.Fail(BASCULE_KERNEL_ERROR, [&] {
      return Join(At(call, site), write ? "writes to '" : "reads from '", any->name,
                  "', which this launch ", write ? "only reads" : "only writes", ". Nothing was ",
                  write ? "written." : "read.");
    });
  }
  core.Fail(BASCULE_KERNEL_ERROR, [&] {
    return Join(At(call, site), write ? "writes " : "reads ", bytes, " bytes of ",
                NameGlobal(core, address), ". Nothing was ", write ? "written." : "read.",
                AdviceFor(address));
  });
}

// ", which a cube core does not have …": the end of a sentence about a memory.
std::string WithoutIt(const Core& core) {
  if (core.kind == BASCULE_CORE_AIV) {
    return ", which a vector core does not have. Put code for cube cores into `if ASCEND_IS_AIC`, "
           "and see that the kernel has them: __mix__(1, 2), __cube__.";
  }
  return core.Cores().mixed()
             ? ", which a cube core does not have. Put code for vector cores into `if "
               "ASCEND_IS_AIV`; macros like __DAV_C220_VEC__ cannot tell here, as one build serves "
               "both kinds of core."
             : ", which a cube core does not have; code for vector cores belongs into a __vector__ "
               "or __mix__ kernel.";
}

[[noreturn]] void FailOnChip(Core& core, const isa::Row& row, const BasculeInstruction& in,
                             uint32_t operand, uint64_t bytes) {
  const BasculeOperand& op = isa::OperandOf(in, operand);
  const OnChipMemory& memory = core.memory[op.memory];
  const char* verb = isa::Writes(row.roles[operand]) ? "writes " : "reads ";
  const uint64_t address = reinterpret_cast<uint64_t>(op.address);
  if (memory.begin() == nullptr) {
    core.Fail(BASCULE_KERNEL_ERROR, [&] {
      return Join(At(row.name, &in.site), verb, MemoryName(op.memory), WithoutIt(core));
    });
  }
  if (!memory.Holds(op.address, bytes)) {
    const uint64_t offset = address - reinterpret_cast<uint64_t>(memory.begin());
    if (offset > memory.bytes()) {
      core.Fail(BASCULE_KERNEL_ERROR, [&] {
        return Join(At(row.name, &in.site), verb, "through a tensor that is not in ",
                    MemoryName(op.memory), " (it never came from InitBuffer or AllocTensor).");
      });
    }
    core.Fail(BASCULE_KERNEL_ERROR, [&] {
      return Join(At(row.name, &in.site), verb, bytes, " bytes at address ", offset, " of ",
                  MemoryName(op.memory), ", which has ", memory.bytes(), " bytes.");
    });
  }
  core.Fail(BASCULE_KERNEL_ERROR, [&] {
    return Join(At(row.name, &in.site), "operand ", operand, " begins at address ",
                address & 0xffffffffu, " of ", MemoryName(op.memory),
                "; it has to begin on a multiple of ", isa::AlignBytes(row, operand), " bytes.");
  });
}

// DataCopy wants whole elements in global memory.
inline bool ElementAligned(const BasculeInstruction& in, uint64_t address) {
  return (address & (uint64_t{in.params.copy.element_bytes} - 1)) == 0;
}

// Nothing outside the operand's memory is ever touched: an operand that does not fit ends the
// launch before the instruction runs.
inline void CheckOperand(Core& core, const isa::Row& row, const BasculeInstruction& in,
                         uint32_t i) {
  const BasculeOperand& op = isa::OperandOf(in, i);
  const uint64_t bytes =
      in.form == BASCULE_FORM_COUNT && row.extent == nullptr ? isa::BytesOf(op.dtype, in.count)
      : in.opcode == BASCULE_OPCODE_kDataCopy                ? isa::PlainCopySpan(in, i)
                                                             : isa::ExtentOf(row, in, i).span_bytes;
  if (bytes == 0) return;
  if (op.memory == BASCULE_GM) {
    const uint64_t address = reinterpret_cast<uint64_t>(op.address);
    const bool write = isa::Writes(row.roles[i]);
    const GlobalInterval* interval = core.FindGlobal(address, bytes);
    if (interval == nullptr || (interval->rights & (write ? BASCULE_WRITE : BASCULE_READ)) == 0) {
      FailGlobal(core, row.name, &in.site, write, address, bytes);
    }
    if (in.opcode == BASCULE_OPCODE_kDataCopy && !ElementAligned(in, address)) {
      core.Fail(BASCULE_KERNEL_ERROR, [&] {
        return Join(At(row.name, &in.site), "begins at byte ", address - interval->begin, " of '",
                    interval->name, "', which is no multiple of the ",
                    uint32_t{in.params.copy.element_bytes},
                    " bytes of an element. DataCopyPad copies from and to any byte.");
      });
    }
    if (write) core.NoteWrite(*interval);
    return;
  }
  if (op.memory >= BASCULE_MEMORY_COUNT || !core.memory[op.memory].Holds(op.address, bytes) ||
      (reinterpret_cast<uint64_t>(op.address) & (isa::AlignBytes(row, i) - 1)) != 0) {
    FailOnChip(core, row, in, i, bytes);
  }
}

// What only the row knows to be wrong.
inline void CheckUse(Core& core, const isa::Row& row, const BasculeInstruction& in) {
  if (row.misuse(in).empty()) return;
  core.Fail(BASCULE_KERNEL_ERROR, [&] { return Join(At(row.name, &in.site), row.misuse(in)); });
}

inline void RunRow(Core& core, const isa::Row& row, const BasculeInstruction& in) {
  row.run(row, in, core.options);
  if (core.options.saturate && row.saturation == isa::Saturation::kResults) [[unlikely]]
    isa::SaturateResults(in);
}

// Out of line: only launches that somebody watches come here.
[[gnu::cold, gnu::noinline]] void ExecuteObserved(Core& core, const isa::Row& row,
                                                  const BasculeInstruction& in) {
  core.FlushScalars();
  Footprint prints[BASCULE_MAX_OPERANDS];
  for (uint32_t i = 0; i < row.operand_count; ++i) {
    const isa::Extent extent = isa::ExtentOf(row, in, i);
    const BasculeOperand& op = isa::OperandOf(in, i);
    Footprint& print = prints[i];
    print.address = reinterpret_cast<uint64_t>(op.address);
    print.run_bytes = extent.run_bytes;
    print.run_stride_bytes = extent.run_stride_bytes;
    print.repeat_stride_bytes = extent.repeat_stride_bytes;
    print.span_bytes = extent.span_bytes;
    print.runs = extent.runs;
    print.repeats = extent.repeats;
    print.memory = op.memory;
    print.dtype = op.dtype;
    print.buffer = op.memory == BASCULE_GM ? 0 : core.BufferAt(op.memory, print.address);
    print.reads = isa::Reads(row.roles[i]);
    print.writes = isa::Writes(row.roles[i]);
    if (print.writes && op.memory == BASCULE_GM && core.atomic_op != BASCULE_ATOMIC_NONE)
      print.reads = true;
    if (in.form == BASCULE_FORM_MASK_BITS) {
      print.mask[0] = in.mask[0];
      print.mask[1] = in.mask[1];
    } else if (in.form == BASCULE_FORM_MASK_COUNT) {
      for (int word = 0; word < 2; ++word) {
        const uint64_t before = static_cast<uint64_t>(word) * 64;
        const uint64_t left = in.mask[0] > before ? in.mask[0] - before : 0;
        print.mask[word] = left >= 64 ? ~uint64_t{0} : (uint64_t{1} << left) - 1;
      }
    }
  }
  Event event = core.NewEvent(EventKind::kInstruction, row.name, row.pipe(in), &in.site);
  event.opcode = in.opcode;
  event.instruction = &in;
  event.operands = std::span<const Footprint>(prints, row.operand_count);
  if (core.Before(event) == Decision::kSkip) return;
  RunRow(core, row, in);
  core.After(event);
}

// The kernel has switched accumulating stores on, off or over since the last instruction.
void ChangeAtomic(Core& core, const BasculeInstruction& in) {
  if (core.atomic_op > BASCULE_ATOMIC_MIN || !isa::CanAccumulate(core.atomic_dtype)) {
    core.Fail(BASCULE_UNSUPPORTED, [&] {
      return Join("SetAtomicAdd, Max or Min before ", Where(in.site), ": elements of type ",
                  DTypeName(core.atomic_dtype), " cannot be accumulated.");
    });
  }
  core.options.atomic_op = core.atomic_op;
  core.options.atomic_dtype = core.atomic_dtype;
}

// A large launch mostly reads its tensors from begin to end, so the next tile lies behind this one;
// a store has its beginning fetched.
void NoteCopy(Core& core, const BasculeInstruction& in) {
  isa::ReadAhead& ahead = core.options.ahead;
  if (in.operand[0].memory == BASCULE_GM) {
    ahead.count = 0;
    return;
  }
  const BasculeCopy& copy = in.params.copy;
  if (in.operand[1].memory != BASCULE_GM || copy.block_count != 1) return;
  if (ahead.count == isa::ReadAhead::kStreams) return;
  ahead.from[ahead.count++] = static_cast<const char*>(in.operand[1].address) + copy.block_bytes;
}

// DataCopy moves whole datablocks: the bytes behind the last one stay behind, on the hardware
// without a word.
[[gnu::cold, gnu::noinline]] void WarnRounded(Core& core, const isa::Row& row,
                                              const BasculeInstruction& in) {
  BasculeSite& last = core.rounded[in.site.line % std::size(core.rounded)];
  if (last.line == in.site.line && last.file == in.site.file && last.line != 0) return;
  last = in.site;
  const BasculeCopy& copy = in.params.copy;
  WarnOnce(row.name, in.site.file, in.site.line,
           Join(core.launch->request.kernel, ": ", At(row.name, &in.site), "asked for ",
                copy.requested_bytes, " bytes and copied ", copy.block_bytes, ": ", row.name,
                " moves datablocks of ", BASCULE_DATABLOCK_BYTES,
                " bytes and rounds down. DataCopyPad copies any number of bytes."));
}

inline bool Saturates(const Core& core) {
  return (core.control >> BASCULE_CONTROL_INFINITY & 1) == 0;
}

void CheckSaturation(Core& core, const isa::Row& row, const BasculeInstruction& in) {
  if (row.saturation != isa::Saturation::kUnavailable || in.operand[0].dtype != BASCULE_FLOAT16)
    return;
  core.Fail(BASCULE_UNSUPPORTED, [&] {
    return Join(At(row.name, &in.site),
                "reductions of half are not given in saturation mode; "
                "SetSaturationFlag<SaturationMode::FLOAT>(false) before it.");
  });
}

// Remembers what the instruction came down to, if it is elementwise arithmetic.
void Learn(Core& core, const isa::Row& row, const BasculeInstruction& in) {
  if (row.run != isa::RunElementwise || row.operand_count < 2 ||
      row.operand_count > PieceStep::kOperands || row.extent != nullptr || row.misuse != nullptr) {
    return;
  }
  Known known;
  for (uint32_t i = 0; i < row.operand_count; ++i) {
    const uint32_t bytes = isa::ElementBytes(in.operand[i].dtype);
    if (bytes == 0 || isa::AlignBytes(row, i) != BASCULE_DATABLOCK_BYTES) return;
    known.element_bytes[i] = static_cast<uint8_t>(bytes);
  }
  known.dst = in.operand[0].dtype;
  known.src = in.operand[1].dtype;
  known.operand_count = row.operand_count;
  known.reads_destination = isa::Reads(row.roles[0]);
  known.flat = isa::FindBody(row, known.dst, known.src)->simd();
  known.opcode = in.opcode;
  core.known[in.opcode % kKnown] = known;
}

inline bool FitsOnChip(const Core& core, const BasculeOperand& op, uint64_t bytes) {
  const OnChipMemory& memory = core.memory[BASCULE_UB];
  const uint64_t offset =
      reinterpret_cast<uint64_t>(op.address) - reinterpret_cast<uint64_t>(memory.begin());
  return (op.memory == BASCULE_UB) & (offset <= memory.bytes()) &
         (offset + bytes <= memory.bytes()) & (offset % BASCULE_DATABLOCK_BYTES == 0);
}

// Other blocks may poll global memory for a value that says that data is ready. Flags and barriers
// bring their own order; here what is in order on the hardware is kept in order: such a value is
// written after the data, and data is read after the value.
inline void OrderWrites(const Core& core) {
#if defined(__x86_64__)
  if (core.options.stream_stores) _mm_sfence();  // others are in order
#else
  (void)core;
  std::atomic_thread_fence(std::memory_order_acq_rel);
#endif
}
inline void OrderCopy(const Core& core, const BasculeInstruction& in) {
  constexpr uint32_t kValueBytes = 64;  // more is data
#if !defined(__x86_64__)                // which reads in order
  if (in.operand[1].memory == BASCULE_GM) std::atomic_thread_fence(std::memory_order_acquire);
#endif
  if (in.operand[0].memory == BASCULE_GM && in.params.copy.block_bytes <= kValueBytes) {
    OrderWrites(core);
  }
}

// FindGlobal for a copy between `address` and `on_chip`.
inline const GlobalInterval* FindLately(Core& core, const BasculeOperand& on_chip, bool writes,
                                        uint64_t address, uint64_t bytes) {
  // Buffers of 1 to 16 KiB, one behind the other, get places of their own.
  const uint64_t at = reinterpret_cast<uint64_t>(on_chip.address);
  const GlobalInterval*& last = core.lately[writes ? 1 : 0][(at >> 10 ^ at >> 13) % kLately];
  if (last == nullptr || address < last->begin || address > last->end ||
      bytes > last->end - address) {
    last = core.FindGlobal(address, bytes);
  }
  return last;
}

// Whether an instruction now waits for others, to be run in pieces.
inline bool Waits(Core& core, uint64_t count) {
  Pieces& pieces = core.pieces;
  if (!pieces.Take(count)) {
    if (pieces.empty()) return false;
    const PieceStep step = pieces.Next();
    core.RunPieces();
    if (!pieces.wanted()) return false;
    pieces.Next() = step;
    if (!pieces.Take(count)) return false;
  }
  core.watch_scalar = 1;  // an access may be to what waits
  return true;
}
[[gnu::noinline]] bool ArithmeticWaits(Core& core, const Known& known,
                                       const BasculeInstruction& in) {
  PieceStep& step = core.pieces.Next();
  step.kind = PieceStep::Kind::kCompute;
  step.reads_destination = known.reads_destination;
  step.flat = known.flat;
  step.scalar = in.params.vector.scalar.bits;
  step.operand_count = known.operand_count;
  for (uint32_t i = 0; i < PieceStep::kOperands; ++i) {
    const bool there = i < known.operand_count;
    step.at[i] = there ? static_cast<char*>(in.operand[i].address) : nullptr;
    step.element_bytes[i] = there ? known.element_bytes[i] : 0;
  }
  return Waits(core, in.count);
}
[[gnu::noinline]] bool CopyWaits(Core& core, const BasculeInstruction& in) {
  const BasculeCopy& copy = in.params.copy;
  PieceStep& step = core.pieces.Next();
  const bool to_global = in.operand[0].memory == BASCULE_GM;
  step.kind = to_global ? PieceStep::Kind::kStore : PieceStep::Kind::kLoad;
  step.reads_destination = false;
  step.flat = nullptr;
  step.scalar = 0;
  step.operand_count = 2;
  for (uint32_t i = 0; i < PieceStep::kOperands; ++i) {
    step.at[i] = i < 2 ? static_cast<char*>(in.operand[i].address) : nullptr;
    step.element_bytes[i] = i < 2 ? copy.element_bytes : 0;
  }
  if (!Waits(core, copy.block_bytes >> std::countr_zero(uint32_t{copy.element_bytes})))
    return false;
  if (to_global) core.RunPieces();
  NoteCopy(core, in);
  return true;
}

// The two kinds of instruction that kernels are made of, where nobody watches and everything is in
// order: arithmetic on consecutive elements, and a copy of one run between global memory and the
// unified buffer. False: the long way has to look.
inline bool InOrder(const Core& core) {
  return !core.Wants(EventKind::kInstruction) && core.atomic_op == BASCULE_ATOMIC_NONE &&
         !Saturates(core);
}

inline bool RunArithmetic(Core& core, const BasculeInstruction& in) {
  const Known& known = core.known[in.opcode % kKnown];
  if (known.opcode != in.opcode || known.dst != in.operand[0].dtype ||
      known.src != in.operand[1].dtype || !InOrder(core)) {
    return false;
  }
  // One branch for all of it: mostly all is well.
  const uint64_t count = in.count;
  bool fits = FitsOnChip(core, in.operand[0], count * known.element_bytes[0]) &
              FitsOnChip(core, in.operand[1], count * known.element_bytes[1]);
  void* second = nullptr;
  if (known.operand_count > 2) {
    fits &= FitsOnChip(core, in.operand[2], count * known.element_bytes[2]);
    second = in.operand[2].address;
  }
  if (!fits) return false;
  if (core.pieces.wanted()) {
    if (count * known.element_bytes[0] >= Pieces::kLeastBytes && ArithmeticWaits(core, known, in))
      return true;
    core.RunWaiting();
  }
  known.flat(in.operand[0].address, in.operand[1].address, second, in.params.vector.scalar.bits,
             count);
  return true;
}

[[gnu::noinline]] bool RunCopy(Core& core, const BasculeInstruction& in) {
  if (!InOrder(core)) return false;
  const BasculeCopy& copy = in.params.copy;
  const bool plain = in.opcode == BASCULE_OPCODE_kDataCopy
                         ? copy.requested_bytes <= copy.block_bytes
                         : in.opcode == BASCULE_OPCODE_kDataCopyPad && copy.left_pad == 0 &&
                               copy.right_pad == 0 &&
                               copy.block_bytes % BASCULE_DATABLOCK_BYTES == 0;
  if (!plain || copy.block_count != 1 || core.options.atomic_op != 0) return false;
  const bool in_from_global = in.operand[1].memory == BASCULE_GM;
  const BasculeOperand& global = in.operand[in_from_global ? 1 : 0];
  if (global.memory != BASCULE_GM ||
      !FitsOnChip(core, in.operand[in_from_global ? 0 : 1], copy.block_bytes)) {
    return false;
  }
  const GlobalInterval* interval =
      FindLately(core, in.operand[in_from_global ? 0 : 1], !in_from_global,
                 reinterpret_cast<uint64_t>(global.address), copy.block_bytes);
  if (interval == nullptr ||
      (interval->rights & (in_from_global ? BASCULE_READ : BASCULE_WRITE)) == 0 ||
      !ElementAligned(in, reinterpret_cast<uint64_t>(global.address))) {
    return false;
  }
  if (!in_from_global) core.NoteWrite(*interval);
  char* to = static_cast<char*>(in.operand[0].address);
  const char* from = static_cast<const char*>(in.operand[1].address);
  OrderCopy(core, in);
  if (core.pieces.wanted() && copy.block_bytes >= Pieces::kLeastBytes && CopyWaits(core, in)) {
    return true;
  }
  core.RunWaiting();
  if (!core.options.stream_stores) {
    core.copy_bytes(to, from, copy.block_bytes, 0);
    return true;
  }
  if (in_from_global) {
    core.copy_bytes(to, from, copy.block_bytes, isa::kAheadBytes);
  } else {
    core.stream_bytes(to, from, copy.block_bytes, core.options.ahead);
  }
  NoteCopy(core, in);
  return true;
}

// The same for copies to strips in L1: windows come in many short ones.
[[gnu::noinline]] bool RunToStrips(Core& core, const BasculeInstruction& in) {
  const BasculeOperand& to = in.operand[0];
  const BasculeOperand& from = in.operand[1];
  if (in.form != BASCULE_FORM_COUNT || to.memory != BASCULE_L1 || from.memory != BASCULE_GM ||
      !InOrder(core)) {
    return false;
  }
  const isa::StripsMatrix matrix = isa::StripsOf(in);
  if (matrix.empty() || !isa::StripsMisuse(matrix).empty() ||
      !core.memory[BASCULE_L1].Holds(to.address, matrix.StripsSpan()) ||
      reinterpret_cast<uint64_t>(to.address) % BASCULE_DATABLOCK_BYTES != 0) {
    return false;
  }
  const GlobalInterval* interval =
      FindLately(core, to, false, reinterpret_cast<uint64_t>(from.address), matrix.RowsSpan());
  if (interval == nullptr || (interval->rights & BASCULE_READ) == 0) return false;
  core.turns.BeforeWrite(to.address, matrix.StripsSpan());
  isa::MoveToStrips(matrix, isa::SimdToStrips(), static_cast<const char*>(from.address),
                    static_cast<char*>(to.address));
  return true;
}

[[gnu::noinline]] void ExecuteAny(Core& core, const BasculeInstruction& in) {
  if (!core.pieces.empty()) [[unlikely]]
    core.RunPieces();
  const isa::Row* row = isa::FindRow(in.opcode);
  if (row == nullptr) {
    core.Fail(BASCULE_VERSION_MISMATCH, [&] {
      return Join(
          "the instruction with number ", in.opcode, " at ", Where(in.site),
          " is not known to this runtime: the library was built with newer headers. Install the "
          "bascule it was built with, or build it again.");
    });
  }
  if (in.form > BASCULE_FORM_COUNTER || (row->forms & (1u << in.form)) == 0) {
    core.Fail(BASCULE_UNSUPPORTED,
              [&] { return Join(At(row->name, &in.site), "this call form is not available."); });
  }
  if (row->bodies != nullptr &&
      isa::FindBody(*row, in.operand[0].dtype, in.operand[row->operand_count > 1 ? 1 : 0].dtype) ==
          nullptr) {
    core.Fail(BASCULE_UNSUPPORTED, [&] {
      return Join(At(row->name, &in.site), "element type ", DTypeName(in.operand[0].dtype),
                  " is not supported.");
    });
  }
  if (row->extent == nullptr) {
    for (uint32_t i = 0; i < row->operand_count; ++i) CheckOperand(core, *row, in, i);
  } else {  // what later operands hold may say how far earlier ones reach
    for (uint32_t i = row->operand_count; i-- > 0;) CheckOperand(core, *row, in, i);
  }
  if (row->misuse != nullptr) CheckUse(core, *row, in);
  if (in.form == BASCULE_FORM_COPY && in.params.copy.requested_bytes > in.params.copy.block_bytes)
      [[unlikely]] {
    WarnRounded(core, *row, in);
  }
  if (core.atomic_op != core.options.atomic_op || core.atomic_dtype != core.options.atomic_dtype)
      [[unlikely]] {
    ChangeAtomic(core, in);
  }
  core.options.saturate = Saturates(core);
  if (core.options.saturate) [[unlikely]]
    CheckSaturation(core, *row, in);
  if (in.form == BASCULE_FORM_COPY) OrderCopy(core, in);
  if (core.Wants(EventKind::kInstruction)) [[unlikely]] {
    ExecuteObserved(core, *row, in);
    return;
  }
  if (core.turns.wanted()) {
    if (core.turns.Take(in)) {
      core.watch_scalar = 1;
      return;
    }
    core.options.squares = core.turns.Before(in);
  }
  RunRow(core, *row, in);
  core.options.squares = nullptr;
  if (in.form == BASCULE_FORM_COUNT) Learn(core, *row, in);
  if (core.options.stream_stores && in.form == BASCULE_FORM_COPY) NoteCopy(core, in);
}

void Execute(BasculeCore* handle, const BasculeInstruction* instruction) {
  Core& core = Core::From(handle);
  const BasculeInstruction& in = *instruction;
  ++core.sequence;
  core.last_opcode = in.opcode;
  // In the pieces the kernel has written: to read all at once, a processor waits for its stores.
  core.last_site.file = in.site.file;
  core.last_site.line = in.site.line;
  core.last_site.opcode = in.site.opcode;
  if (in.opcode == BASCULE_OPCODE_kNd2Nz) {
    if (RunToStrips(core, in)) return;
  } else if (in.form == BASCULE_FORM_COUNT) {
    if (RunArithmetic(core, in)) return;
  } else if (in.form == BASCULE_FORM_COPY) {
    if (RunCopy(core, in)) return;
  }
  ExecuteAny(core, in);
}

void ScalarAccess(BasculeCore* handle, uint32_t memory, const void* address, uint32_t bytes,
                  uint32_t write, const BasculeSite* site) {
  Core& core = Settled(handle);
  if (bytes == 0) {
    core.pieces.Begin(false);
    core.turns.Begin(false);
    core.raw_pointers = 1;
    return;
  }
  const uint64_t at = reinterpret_cast<uint64_t>(address);
  const char* call = write != 0 ? "SetValue" : "GetValue";
  if (memory == BASCULE_GM) {
    const GlobalInterval* interval = core.FindGlobal(at, bytes);
    if (interval == nullptr ||
        (interval->rights & (write != 0 ? BASCULE_WRITE : BASCULE_READ)) == 0) {
      FailGlobal(core, call, site, write != 0, at, bytes);
    }
    if (write != 0) core.NoteWrite(*interval);
  } else if (memory >= BASCULE_MEMORY_COUNT || !core.memory[memory].Holds(address, bytes)) {
    const OnChipMemory* on_chip = memory < BASCULE_MEMORY_COUNT ? &core.memory[memory] : nullptr;
    if (on_chip != nullptr && on_chip->begin() == nullptr) {
      core.Fail(BASCULE_KERNEL_ERROR, [&] {
        return Join(At(call, site), "the element lies in ", MemoryName(memory), WithoutIt(core));
      });
    }
    const uint64_t size = on_chip != nullptr ? on_chip->bytes() : 0;
    core.Fail(BASCULE_KERNEL_ERROR, [&] {
      return Join(At(call, site), "the element lies outside ", MemoryName(memory), ", which has ",
                  size, " bytes.");
    });
  }
  if (!core.Wants(EventKind::kScalar)) return;
  Footprint& run = core.scalar;
  const bool extends = run.repeats != 0 && run.memory == memory && run.writes == (write != 0) &&
                       at == run.address + run.run_bytes && core.scalar_site.file == site->file &&
                       core.scalar_site.line == site->line;
  if (extends) {
    run.run_bytes += bytes;
    run.span_bytes = run.run_bytes;
    return;
  }
  core.FlushScalars();
  ++core.sequence;
  run = Footprint{};
  run.address = at;
  run.run_bytes = run.span_bytes = bytes;
  run.runs = run.repeats = 1;
  run.memory = static_cast<uint8_t>(memory);
  run.buffer = memory == BASCULE_GM ? 0 : core.BufferAt(run.memory, at);
  run.reads = write == 0;
  run.writes = write != 0;
  core.scalar_site = *site;
}

uint64_t ScalarAtomic(BasculeCore* handle, uint32_t op, uint32_t dtype, void* address,
                      uint64_t value, uint64_t expected, const BasculeSite* site) {
  static constexpr const char* kCalls[] = {"AtomicAdd", "AtomicAdd",  "AtomicMax",
                                           "AtomicMin", "AtomicExch", "AtomicCas"};
  Core& core = Settled(handle);
  const char* call = op < std::size(kCalls) ? kCalls[op] : "an atomic call";
  const uint64_t at = reinterpret_cast<uint64_t>(address);
  const DTypeInfo* type = FindDType(static_cast<int32_t>(dtype));
  const bool known = type != nullptr && (type->bits == 32 || type->bits == 64);
  if (!known || op == BASCULE_ATOMIC_NONE || op >= std::size(kCalls)) {
    core.Fail(BASCULE_UNSUPPORTED, [&] {
      return Join(At(call, site), "elements of type ", DTypeName(static_cast<uint8_t>(dtype)),
                  " cannot be changed in one step.");
    });
  }
  const uint32_t bytes = type->bits / 8;
  const GlobalInterval* interval = core.FindGlobal(at, bytes);
  if (interval == nullptr || (interval->rights & BASCULE_WRITE) == 0) {
    FailGlobal(core, call, site, true, at, bytes);
  }
  if (at % bytes != 0) {
    core.Fail(BASCULE_KERNEL_ERROR, [&] {
      return Join(At(call, site), "the address is no multiple of ", bytes,
                  ", the size of an element.");
    });
  }
  core.NoteWrite(*interval);
  OrderWrites(core);
  if (core.Wants(EventKind::kScalar)) {
    ScalarAccess(handle, BASCULE_GM, address, bytes, 0, site);
    ScalarAccess(handle, BASCULE_GM, address, bytes, 1, site);
  }
  const uint64_t before = isa::ScalarAtomic(op, static_cast<BasculeDType>(dtype),
                                            static_cast<char*>(address), value, expected);
  // One who tries again and again lets the others run; one who succeeds has done something.
  if (op != BASCULE_ATOMIC_COMPARE_EXCHANGE || before == expected) core.launch->Act();
  core.poll_budget -= 16;
  if (core.poll_budget < 0) {
    core.poll_budget = BASCULE_POLL_BUDGET;
    core.Yield(*site);
  }
  return before;
}

// --- buffers and queues
// ------------------------------------------------------------------------------

void PipeBegin(BasculeCore* handle, const BasculeSite* site) {
  Core& core = Settled(handle);
  if (core.pipe_open) {
    core.Fail(BASCULE_KERNEL_ERROR, [&] {
      return Join(At("TPipe", site), "a kernel has one TPipe at a time; the one made at ",
                  Where(core.pipe_site), " is still in use.");
    });
  }
  core.pipe_open = true;
  core.pipe_site = *site;
  std::fill(std::begin(core.used_bytes), std::end(core.used_bytes), 0);
  core.queues.clear();
  core.buffers_before = core.buffers.size();
  std::fill(std::begin(core.live_tensors), std::end(core.live_tensors), uint8_t{0});
  ++core.sequence;
  if (core.Wants(EventKind::kPipeBegin)) {
    core.FlushScalars();
    core.Tell(core.NewEvent(EventKind::kPipeBegin, "TPipe", BASCULE_PIPE_S, site));
  }
}

void PipeEnd(BasculeCore* handle) { Settled(handle).pipe_open = false; }

// " (90016 at f.cpp:3, 90016 at f.cpp:4)": which InitBuffer has taken how much of a memory.
std::string TakenBy(const Core& core, uint8_t memory) {
  constexpr size_t kShown = 6;
  std::string text;
  size_t lines = 0;
  for (size_t i = 0; i < core.buffers.size();) {
    const Core::Buffer& first = core.buffers[i];
    uint64_t bytes = 0;
    for (; i < core.buffers.size() && core.buffers[i].site.file == first.site.file &&
           core.buffers[i].site.line == first.site.line;
         ++i) {
      if (core.buffers[i].memory == memory) bytes += core.buffers[i].end - core.buffers[i].begin;
    }
    if (bytes == 0) continue;
    if (++lines <= kShown) text += Join(lines == 1 ? " (" : ", ", bytes, " at ", Where(first.site));
  }
  if (lines > kShown) text += Join(" and in ", lines - kShown, " more lines");
  return lines == 0 ? text : text + ")";
}

// What a TPipe may hand out. The end of the unified buffer and of L1 is the system's in mixed
// kernels.
uint64_t Capacity(const Core& core, uint32_t memory) {
  return core.memory[memory].bytes() - (core.Cores().mixed() ? SystemBytes(memory) : 0);
}

// Where no process has memory.
constexpr uintptr_t kNowhere = 4096;

// Takes `count` buffers of `bytes` bytes from the memory of a position; returns the first one.
char* Allocate(Core& core, uint32_t position, uint32_t count, uint64_t bytes, uint8_t* memory,
               const BasculeSite* site) {
  if (position >= BASCULE_POS_COUNT || MemoryOf(position) == BASCULE_GM) {
    core.Fail(BASCULE_KERNEL_ERROR, [&] {
      return Join(At("InitBuffer", site), PositionName(position),
                  " is not a position on the chip.");
    });
  }
  *memory = MemoryOf(position);
  const OnChipMemory& on_chip = core.memory[*memory];
  // In a mixed kernel a cube core may prepare buffers of vector cores that it never touches, as it
  // does where that comes before REGIST_MATMUL_OBJ. Whoever uses one of these is told.
  const bool imagined =
      on_chip.begin() == nullptr && core.kind == BASCULE_CORE_AIC && core.Cores().mixed();
  if (on_chip.begin() == nullptr && !imagined) {
    core.Fail(BASCULE_KERNEL_ERROR, [&] {
      return Join(At("InitBuffer", site), PositionName(position), " lies in ", MemoryName(*memory),
                  WithoutIt(core));
    });
  }
  if (count == 0 || bytes == 0) {
    core.Fail(BASCULE_KERNEL_ERROR, [&] {
      return Join(At("InitBuffer", site), count, " buffers of ", bytes,
                  " bytes were asked for; both have to be at least 1.");
    });
  }
  const uint64_t each =
      (bytes + BASCULE_DATABLOCK_BYTES - 1) / BASCULE_DATABLOCK_BYTES * BASCULE_DATABLOCK_BYTES;
  const uint64_t used = core.used_bytes[*memory];
  const uint64_t capacity =
      imagined ? core.launch->request.platform->memory_bytes[*memory] : Capacity(core, *memory);
  if (each * count > capacity - used) {
    core.Fail(BASCULE_KERNEL_ERROR, [&] {
      return Join(At("InitBuffer", site), count, " buffers of ", each, " bytes (", each * count,
                  " in all) do not fit into ", MemoryName(*memory), ": ", used, " of its ",
                  capacity, " bytes are taken", TakenBy(core, *memory), ", ", capacity - used,
                  " are left.");
    });
  }
  if (core.buffers.size() - core.buffers_before + count > kMaxBuffers) {
    core.Fail(BASCULE_KERNEL_ERROR, [&] {
      return Join(At("InitBuffer", site), "a TPipe manages at most ", kMaxBuffers, " buffers; ",
                  core.buffers.size() - core.buffers_before, " are in use.");
    });
  }
  char* base = (imagined ? reinterpret_cast<char*>(kNowhere) : on_chip.begin()) + used;
  core.used_bytes[*memory] = used + each * count;
  for (uint32_t i = 0; i < count; ++i) {
    const uint64_t begin = reinterpret_cast<uint64_t>(base) + i * each;
    core.buffers.push_back({begin, begin + each, *memory, *site});
  }
  return base;
}

void TellInitBuffer(Core& core, uint32_t queue, uint32_t position, uint64_t bytes, uint32_t buffer,
                    const BasculeSite* site) {
  ++core.sequence;
  if (!core.Wants(EventKind::kInitBuffer)) return;
  core.FlushScalars();
  Event event = core.NewEvent(EventKind::kInitBuffer, "InitBuffer", BASCULE_PIPE_S, site);
  event.queue = queue;
  event.position = position;
  event.bytes = bytes;
  event.buffer = buffer;
  event.address = core.buffers[buffer - 1].begin;
  core.Tell(event);
}

uint32_t QueueInit(BasculeCore* handle, uint32_t src_position, uint32_t dst_position,
                   uint32_t depth, uint32_t buffer_count, uint32_t bytes, const BasculeSite* site) {
  Core& core = Settled(handle);
  if (buffer_count > kMaxQueueBuffers) {
    core.Fail(BASCULE_KERNEL_ERROR, [&] {
      return Join(At("InitBuffer", site), "a queue holds at most ", kMaxQueueBuffers,
                  " buffers, not ", buffer_count, ".");
    });
  }
  Queue queue;
  queue.base = Allocate(core, src_position == BASCULE_POS_GM ? dst_position : src_position,
                        buffer_count, bytes, &queue.memory, site);
  queue.src_position = static_cast<uint8_t>(src_position);
  queue.dst_position = static_cast<uint8_t>(dst_position);
  queue.depth = depth;
  queue.buffer_count = buffer_count;
  queue.buffer_bytes =
      (bytes + BASCULE_DATABLOCK_BYTES - 1) / BASCULE_DATABLOCK_BYTES * BASCULE_DATABLOCK_BYTES;
  queue.first_buffer = static_cast<uint32_t>(core.buffers.size()) - buffer_count + 1;
  queue.site = *site;
  core.queues.push_back(queue);
  const uint32_t number = static_cast<uint32_t>(core.queues.size());
  for (uint32_t i = 0; i < buffer_count; ++i) {
    TellInitBuffer(core, number, queue.src_position, queue.buffer_bytes, queue.first_buffer + i,
                   site);
  }
  return number;
}

void BufferInit(BasculeCore* handle, uint32_t position, uint32_t bytes, BasculeBuffer* out,
                const BasculeSite* site) {
  Core& core = Settled(handle);
  uint8_t memory = 0;
  char* base = Allocate(core, position, 1, bytes, &memory, site);
  out->address = base;
  out->limit = core.memory[memory].begin() + core.memory[memory].bytes();
  out->bytes =
      (bytes + BASCULE_DATABLOCK_BYTES - 1) / BASCULE_DATABLOCK_BYTES * BASCULE_DATABLOCK_BYTES;
  out->buffer = static_cast<uint32_t>(core.buffers.size());
  TellInitBuffer(core, 0, position, out->bytes, out->buffer, site);
}

// Takes note of a buffer that the kernel has placed itself.
void Place(Core& core, uint32_t position, const BasculeBuffer& buffer, uint8_t* memory,
           const BasculeSite* site) {
  if (position >= BASCULE_POS_COUNT || MemoryOf(position) == BASCULE_GM) {
    core.Fail(BASCULE_KERNEL_ERROR, [&] {
      return Join(At("InitBuffer", site), PositionName(position),
                  " is not a position on the chip.");
    });
  }
  *memory = MemoryOf(position);
  const OnChipMemory& on_chip = core.memory[*memory];
  const uint64_t at = reinterpret_cast<uint64_t>(buffer.address);
  if (on_chip.begin() == nullptr) {
    core.Fail(BASCULE_KERNEL_ERROR, [&] {
      return Join(At("InitBuffer", site), PositionName(position), " lies in ", MemoryName(*memory),
                  WithoutIt(core));
    });
  }
  const bool aligned = (at | buffer.bytes) % BASCULE_DATABLOCK_BYTES == 0;
  if (buffer.bytes == 0 || !aligned || !on_chip.Holds(buffer.address, buffer.bytes)) {
    core.Fail(BASCULE_KERNEL_ERROR, [&] {
      return Join(At("InitBuffer", site), "a buffer of ", buffer.bytes, " bytes at address ",
                  at & 0xffffffffu, " does not lie in the ", on_chip.bytes(), " bytes of ",
                  MemoryName(*memory), ", or one of the two is no multiple of ",
                  BASCULE_DATABLOCK_BYTES, ".");
    });
  }
  if (core.buffers.size() - core.buffers_before >= kMaxBuffers) {
    core.Fail(BASCULE_KERNEL_ERROR, [&] {
      return Join(At("InitBuffer", site), "a TPipe manages at most ", kMaxBuffers, " buffers; ",
                  core.buffers.size() - core.buffers_before, " are in use.");
    });
  }
  core.buffers.push_back({at, at + buffer.bytes, *memory, *site});
}

void BufferPlace(BasculeCore* handle, uint32_t position, BasculeBuffer* buffer,
                 const BasculeSite* site) {
  Core& core = Settled(handle);
  uint8_t memory = 0;
  Place(core, position, *buffer, &memory, site);
  buffer->limit = core.memory[memory].begin() + core.memory[memory].bytes();
  buffer->buffer = static_cast<uint32_t>(core.buffers.size());
  TellInitBuffer(core, 0, position, buffer->bytes, buffer->buffer, site);
}

Queue& QueueOf(Core& core, uint32_t number, const char* call, const BasculeSite* site) {
  if (number == 0 || number > core.queues.size()) {
    core.Fail(BASCULE_KERNEL_ERROR, [=] {
      return Join(At(call, site), "the queue has no buffers: call TPipe::InitBuffer for it first.");
    });
  }
  return core.queues[number - 1];
}

uint32_t QueuePlace(BasculeCore* handle, uint32_t number, uint32_t src_position,
                    uint32_t dst_position, uint32_t depth, const BasculeBuffer* buffer,
                    const BasculeSite* site) {
  Core& core = Settled(handle);
  if (number == 0) {
    Queue made;
    made.src_position = static_cast<uint8_t>(src_position);
    made.dst_position = static_cast<uint8_t>(dst_position);
    made.depth = depth;
    made.site = *site;
    core.queues.push_back(made);
    number = static_cast<uint32_t>(core.queues.size());
  }
  Queue& queue = QueueOf(core, number, "InitBuffer", site);
  if (queue.base != nullptr || queue.buffer_count == kMaxQueueBuffers) {
    core.Fail(BASCULE_KERNEL_ERROR, [=] {
      return Join(At("InitBuffer", site), "a queue holds at most ", kMaxQueueBuffers, " buffers.");
    });
  }
  Place(core, src_position == BASCULE_POS_GM ? dst_position : src_position, *buffer, &queue.memory,
        site);
  const uint32_t index = queue.buffer_count++;
  queue.placed[index] = static_cast<char*>(buffer->address);
  queue.placed_bytes[index] = buffer->bytes;
  queue.placed_number[index] = static_cast<uint32_t>(core.buffers.size());
  TellInitBuffer(core, number, queue.src_position, queue.Bytes(index), queue.Number(index), site);
  return number;
}

uint32_t BufferIndex(Core& core, const Queue& queue, const void* address, const char* call,
                     const BasculeSite* site) {
  // A few comparisons are faster than a division, and no queue has more than a few buffers.
  const char* at = static_cast<const char*>(address);
  if (queue.base == nullptr) {
    for (uint32_t index = 0; index < queue.buffer_count; ++index) {
      if (at >= queue.placed[index] && at < queue.placed[index] + queue.placed_bytes[index])
        return index;
    }
  } else if (at >= queue.base) {
    uint64_t left = static_cast<uint64_t>(at - queue.base);
    for (uint32_t index = 0; index < queue.buffer_count; ++index) {
      if (left < queue.buffer_bytes) return index;
      left -= queue.buffer_bytes;
    }
  }
  const uint32_t other = core.BufferAt(queue.memory, reinterpret_cast<uint64_t>(address));
  core.Fail(BASCULE_KERNEL_ERROR, [=, &core, &queue] {
    return Join(At(call, site), "the tensor does not belong to this queue (made at ",
                Where(queue.site), "); it ",
                other == 0
                    ? std::string("came from no InitBuffer")
                    : Join("lies in the buffer made at ", Where(core.buffers[other - 1].site)),
                ".");
  });
}

[[gnu::cold, gnu::noinline]] void TellQueueWatched(Core& core, EventKind kind, const char* name,
                                                   uint32_t number, const Queue& queue,
                                                   uint32_t index, const BasculeSite* site) {
  core.FlushScalars();
  Event event = core.NewEvent(kind, name, BASCULE_PIPE_S, site);
  event.queue = number;
  event.position = queue.src_position;
  event.buffer = queue.Number(index);
  event.address = reinterpret_cast<uint64_t>(queue.Address(index));
  event.bytes = queue.Bytes(index);
  event.from_pipe = WriterOf(queue.src_position);
  event.to_pipe = ReaderOf(queue.dst_position);
  core.Tell(event);
}

// Building an event is kept out of line, so that the calls of a launch nobody watches stay short.
// The sentences of errors take values: what a closure refers to would have to lie in memory.
inline void TellQueue(Core& core, EventKind kind, const char* name, uint32_t number,
                      const Queue& queue, uint32_t index, const BasculeSite* site) {
  ++core.sequence;
  if (core.Wants(kind)) [[unlikely]]
    TellQueueWatched(core, kind, name, number, queue, index, site);
}

void FillBuffer(const Core& core, const Queue& queue, uint32_t index, BasculeBuffer* out) {
  // In one store: compiled kernels load both addresses at once, and a processor does not do that
  // from two stores without waiting for them.
  typedef uint64_t Addresses __attribute__((vector_size(16)));
  const Addresses addresses = {reinterpret_cast<uint64_t>(queue.Address(index)),
                               reinterpret_cast<uint64_t>(core.memory[queue.memory].begin()) +
                                   core.memory[queue.memory].bytes()};
  static_assert(offsetof(BasculeBuffer, limit) == offsetof(BasculeBuffer, address) + 8);
  std::memcpy(&out->address, &addresses, sizeof(addresses));
  out->bytes = queue.Bytes(index);
  out->buffer = queue.Number(index);
}

void QueueAlloc(BasculeCore* handle, uint32_t number, BasculeBuffer* out, const BasculeSite* site) {
  Core& core = Core::From(handle);
  Queue& queue = QueueOf(core, number, "AllocTensor", site);
  uint8_t& live = core.live_tensors[queue.src_position];
  if (live == kMaxLiveTensors) {
    core.Fail(BASCULE_DEADLOCK, [=, &queue] {
      return Join(
          At("AllocTensor", site), kMaxLiveTensors, " tensors of the queues at ",
          PositionName(queue.src_position),
          " are allocated; there are no more event ids for one, and the hardware would wait "
          "for ever. FreeTensor one first.");
    });
  }
  uint32_t index = queue.next;
  for (uint32_t i = 0; i < queue.buffer_count; ++i) {
    const uint32_t after = index + 1 == queue.buffer_count ? 0 : index + 1;
    if (queue.state[index] != BufferState::kIdle) {
      index = after;
      continue;
    }
    queue.state[index] = BufferState::kAllocated;
    queue.next = after;
    ++live;
    FillBuffer(core, queue, index, out);
    TellQueue(core, EventKind::kAllocTensor, "AllocTensor", number, queue, index, site);
    return;
  }
  // Within a core nothing else could free a buffer: the hardware would wait for ever.
  core.Fail(BASCULE_DEADLOCK, [=, &queue] {
    return Join(At("AllocTensor", site), "all ", queue.buffer_count,
                " buffers of the queue made at ", Where(queue.site),
                " are in use; this waits for ever. A FreeTensor is missing.");
  });
}

void QueueEnqueue(BasculeCore* handle, uint32_t number, const void* address,
                  const BasculeSite* site) {
  Core& core = Core::From(handle);
  Queue& queue = QueueOf(core, number, "EnQue", site);
  const uint32_t index = BufferIndex(core, queue, address, "EnQue", site);
  if (queue.state[index] == BufferState::kIdle) {
    core.Fail(BASCULE_KERNEL_ERROR, [=] {
      return Join(At("EnQue", site), "the tensor was freed; get one with AllocTensor first.");
    });
  }
  if (queue.state[index] == BufferState::kEnqueued) {
    core.Fail(BASCULE_KERNEL_ERROR,
              [=] { return Join(At("EnQue", site), "the tensor is in the queue already."); });
  }
  // In-place queues (depth 0) hold as many as they have buffers.
  const uint32_t depth = queue.depth != 0 ? queue.depth : queue.buffer_count;
  if (queue.enqueued >= depth) {
    core.Fail(BASCULE_KERNEL_ERROR, [=, &queue] {
      return Join(At("EnQue", site), "the queue made at ", Where(queue.site), " has depth ", depth,
                  " and holds ", queue.enqueued, queue.enqueued == 1 ? " tensor" : " tensors",
                  ". DeQue one first, or give the queue a greater depth.");
    });
  }
  queue.state[index] = BufferState::kEnqueued;
  queue.order[(queue.oldest + queue.enqueued) % kMaxQueueBuffers] = static_cast<uint8_t>(index);
  ++queue.enqueued;
  TellQueue(core, EventKind::kEnQue, "EnQue", number, queue, index, site);
}

void QueueDequeue(BasculeCore* handle, uint32_t number, BasculeBuffer* out,
                  const BasculeSite* site) {
  Core& core = Core::From(handle);
  Queue& queue = QueueOf(core, number, "DeQue", site);
  if (queue.enqueued == 0) {
    core.Fail(BASCULE_DEADLOCK, [=, &queue] {
      return Join(At("DeQue", site), "the queue made at ", Where(queue.site),
                  " is empty; this waits for ever. An EnQue is missing.");
    });
  }
  const uint32_t index = queue.order[queue.oldest];
  queue.oldest = (queue.oldest + 1) % kMaxQueueBuffers;
  --queue.enqueued;
  queue.state[index] = BufferState::kDequeued;
  FillBuffer(core, queue, index, out);
  TellQueue(core, EventKind::kDeQue, "DeQue", number, queue, index, site);
}

void QueueFree(BasculeCore* handle, uint32_t number, const void* address, const BasculeSite* site) {
  Core& core = Core::From(handle);
  Queue& queue = QueueOf(core, number, "FreeTensor", site);
  const uint32_t index = BufferIndex(core, queue, address, "FreeTensor", site);
  if (queue.state[index] == BufferState::kIdle) {
    core.Fail(BASCULE_KERNEL_ERROR,
              [=] { return Join(At("FreeTensor", site), "the tensor was freed before."); });
  }
  if (queue.state[index] == BufferState::kEnqueued) {
    core.Fail(BASCULE_KERNEL_ERROR, [=] {
      return Join(At("FreeTensor", site), "the tensor is still in the queue; DeQue it first.");
    });
  }
  queue.state[index] = BufferState::kIdle;
  --core.live_tensors[queue.src_position];
  TellQueue(core, EventKind::kFreeTensor, "FreeTensor", number, queue, index, site);
}

uint32_t QueueState(BasculeCore* handle, uint32_t number, uint32_t which) {
  Core& core = Core::From(handle);
  const Queue& queue = QueueOf(core, number, "HasTensorInQue", nullptr);
  if (which == 0) return queue.enqueued;
  return static_cast<uint32_t>(
      std::count(queue.state, queue.state + queue.buffer_count, BufferState::kIdle));
}

void ResolveGlobal(BasculeCore* handle, const void* address, BasculeRange* out) {
  const Core& core = Core::From(handle);
  const GlobalInterval* interval = core.FindGlobal(reinterpret_cast<uint64_t>(address), 0);
  *out = BasculeRange{};
  if (interval == nullptr) return;
  out->begin = reinterpret_cast<void*>(interval->begin);
  out->end = reinterpret_cast<void*>(interval->end);
  out->rights = interval->rights;
  out->bit = core.BitOf(*interval);
}

bool IsFloatingPoint(int32_t dtype) {
  return dtype == BASCULE_FLOAT || dtype == BASCULE_FLOAT16 || dtype == BASCULE_BFLOAT16 ||
         dtype == BASCULE_DOUBLE;
}

void ResolveElements(BasculeCore* handle, const void* address, uint32_t dtype, BasculeRange* out,
                     const BasculeSite* site) {
  ResolveGlobal(handle, address, out);
  Core& core = Core::From(handle);
  const uint64_t at = reinterpret_cast<uint64_t>(address);
  const int32_t taken_for = static_cast<int32_t>(dtype);
  if (!IsFloatingPoint(taken_for)) return;
  for (const GlobalInterval& interval : core.launch->request.globals) {
    if (at < interval.begin || at >= interval.end || interval.dtype == -1 ||
        interval.dtype == taken_for) {
      continue;
    }
    core.Fail(BASCULE_KERNEL_ERROR, [&] {
      return Join(At("SetGlobalBuffer", site), "the kernel takes '", interval.name, "' for ",
                  DTypeName(taken_for), ", and the tensor that was passed is ",
                  DTypeName(interval.dtype), ". Pass a tensor of ", DTypeName(taken_for),
                  ", or build the kernel for ", DTypeName(interval.dtype), ".");
    });
  }
}

void FailRead(BasculeCore* handle, const char* call, const void* address, uint64_t bytes,
              const BasculeSite* site) {
  FailGlobal(Core::From(handle), call, site, /*write=*/false, reinterpret_cast<uint64_t>(address),
             bytes);
}

// --- synchronisation
// ---------------------------------------------------------------------------------

void CheckFlag(Core& core, const char* call, uint32_t from, uint32_t to, uint32_t id,
               const BasculeSite* site) {
  if (from >= BASCULE_PIPE_COUNT || to >= BASCULE_PIPE_COUNT || id >= kFlagIds) {
    core.Fail(BASCULE_KERNEL_ERROR, [&] {
      return Join(At(call, site), "event id ", id, " from pipe ", PipeName(from), " to pipe ",
                  PipeName(to), " does not exist; ids are 0 to ", kFlagIds - 1, ".");
    });
  }
}

[[gnu::cold, gnu::noinline]] void TellFlagWatched(Core& core, EventKind kind, const char* name,
                                                  uint32_t from, uint32_t to, uint32_t id,
                                                  const BasculeSite* site) {
  core.FlushScalars();
  Event event = core.NewEvent(kind, name,
                              static_cast<uint8_t>(kind == EventKind::kSetFlag ? from : to), site);
  event.from_pipe = from;
  event.to_pipe = to;
  event.flag = id;
  core.Tell(event);
}

inline void TellFlag(Core& core, EventKind kind, const char* name, uint32_t from, uint32_t to,
                     uint32_t id, const BasculeSite* site) {
  ++core.sequence;
  if (core.Wants(kind)) [[unlikely]]
    TellFlagWatched(core, kind, name, from, to, id, site);
}

// A flag is one bit (SetFlag/WaitFlag(ISASI), constraints: to set it again before the wait is
// undefined), and a wait that came earlier in the program should have been behind this set.
[[gnu::cold, gnu::noinline]] void FailSet(Core& core, Core::Flag& flag, uint32_t from, uint32_t to,
                                          uint32_t id, const BasculeSite* site) {
  if (flag.state == Core::FlagState::kAwaited) {
    flag.state = Core::FlagState::kClear;  // what is told here needs no other mention
    --core.flags_awaited;
    core.Fail(BASCULE_KERNEL_ERROR, [&] {
      return Join(
          At("SetFlag", site), "event ", id, " from pipe ", PipeName(from), " to pipe ",
          PipeName(to), " is set only after the WaitFlag at ", Where(flag.site),
          ". On the hardware pipe ", PipeName(to),
          " would run what stands behind that wait after what stands before this set, which "
          "is another order than the program's. Put the SetFlag before the WaitFlag.");
    });
  }
  core.Fail(BASCULE_KERNEL_ERROR, [&] {
    return Join(At("SetFlag", site), "event ", id, " from pipe ", PipeName(from), " to pipe ",
                PipeName(to), " is set already, at ", Where(flag.site),
                ", and nothing has waited for it: the flag is one bit, and setting it twice is "
                "undefined. Wait for it in between, or use another id.");
  });
}

// Nothing has set the flag yet. A pipe that waits leaves the others running, so another's set may
// still come; the scalar unit, which issues everything, would never get there.
[[gnu::cold, gnu::noinline]] void WaitEarly(Core& core, Core::Flag& flag, uint32_t from,
                                            uint32_t to, uint32_t id, const BasculeSite* site) {
  if (to == BASCULE_PIPE_S || to == from) {
    core.Fail(BASCULE_DEADLOCK, [&] {
      return Join(At("WaitFlag", site), "event ", id, " from pipe ", PipeName(from), " to pipe ",
                  PipeName(to), " has not been set before this line; pipe ", PipeName(to),
                  " would wait for ever. A SetFlag is missing or comes later in the program.");
    });
  }
  if (flag.state == Core::FlagState::kAwaited) return;
  flag.state = Core::FlagState::kAwaited;
  flag.site = *site;
  ++core.flags_awaited;
}

void FlagSet(BasculeCore* handle, uint32_t from, uint32_t to, uint32_t id,
             const BasculeSite* site) {
  Core& core = Core::From(handle);
  if (from == BASCULE_PIPE_S || to == BASCULE_PIPE_S) core.RunWaiting();
  CheckFlag(core, "SetFlag", from, to, id, site);
  Core::Flag& flag = core.flags[from][to][id];
  if (flag.state != Core::FlagState::kClear) [[unlikely]]
    FailSet(core, flag, from, to, id, site);
  flag.state = Core::FlagState::kSet;
  flag.site = *site;
  ++core.flags_set;
  TellFlag(core, EventKind::kSetFlag, "SetFlag", from, to, id, site);
}

void FlagWait(BasculeCore* handle, uint32_t from, uint32_t to, uint32_t id,
              const BasculeSite* site) {
  Core& core = Core::From(handle);
  if (from == BASCULE_PIPE_S || to == BASCULE_PIPE_S) core.RunWaiting();
  CheckFlag(core, "WaitFlag", from, to, id, site);
  Core::Flag& flag = core.flags[from][to][id];
  if (flag.state == Core::FlagState::kSet) [[likely]] {
    flag.state = Core::FlagState::kClear;
    --core.flags_set;
  } else {
    WaitEarly(core, flag, from, to, id, site);
  }
  if (from == BASCULE_PIPE_MTE3) OrderWrites(core);
  TellFlag(core, EventKind::kWaitFlag, "WaitFlag", from, to, id, site);
}

void PipeBarrier(BasculeCore* handle, uint32_t pipe, const BasculeSite* site) {
  Core& core = Core::From(handle);
  if (pipe > BASCULE_PIPE_ALL || pipe == BASCULE_PIPE_S) {
    core.Fail(BASCULE_KERNEL_ERROR, [&] {
      return Join(At("PipeBarrier", site), "pipe ", PipeName(pipe), " has no barrier.");
    });
  }
  ++core.sequence;
  if (pipe == BASCULE_PIPE_MTE3 || pipe == BASCULE_PIPE_ALL) {
    core.RunWaiting();
    OrderWrites(core);
  }
  if (!core.Wants(EventKind::kBarrier)) return;
  core.FlushScalars();
  Event event = core.NewEvent(EventKind::kBarrier, "PipeBarrier", BASCULE_PIPE_S, site);
  event.to_pipe = pipe;
  core.Tell(event);
}

// All blocks that wait for each other have to be on a core at once.
void CheckResident(Core& core, const char* call, const BasculeSite* site) {
  core.seen = true;
  OrderWrites(core);  // who waits for this core may look at what it wrote
  const BasculePlatform& platform = *core.launch->request.platform;
  const BlockCores cores = core.Cores();
  const uint32_t most = ResidentBlocks(platform, cores);
  if (core.block_count <= most) return;
  core.Fail(BASCULE_KERNEL_ERROR, [&] {
    const std::string text = Join(At(call, site), "all ", core.block_count,
                                  " blocks have to be on a core at once, and ", platform.name);
    if (!cores.mixed()) {
      return Join(text, " has ", most, " of this kind; launch at most ", most, " blocks.");
    }
    return Join(text, " has ", platform.aic_cores, " cube cores and ", platform.aiv_cores,
                " vector cores for blocks of ", cores.aic, " and ", cores.aiv, "; launch at most ",
                most, " blocks.");
  });
}

using Party = LaunchState::Party;

void Meet(Core& core, Party party, uint32_t count, const BasculeSite* site) {
  CheckResident(core, "SyncAll", site);
  Wait wait = core.launch->Arrive(core, party, count);
  wait.site = *site;
  core.WaitUntil(wait);
  ++core.sequence;
  if (core.Wants(EventKind::kSyncAll)) {
    core.FlushScalars();
    core.Tell(core.NewEvent(EventKind::kSyncAll, "SyncAll", BASCULE_PIPE_S, site));
  }
}

// All cores of this core's kind.
void MeetKind(Core& core, const BasculeSite* site) {
  Meet(core, core.kind == BASCULE_CORE_AIC ? Party::kCubeCores : Party::kVectorCores,
       core.block_count * core.sub_block_count, site);
}

void SyncAll(BasculeCore* handle, const BasculeSite* site) { MeetKind(Settled(handle), site); }

void SyncCores(BasculeCore* handle, uint32_t aiv_only, const BasculeSite* site) {
  Core& core = Settled(handle);
  const BlockCores cores = core.Cores();
  if (aiv_only != 0) {
    if (core.kind == BASCULE_CORE_AIV) return MeetKind(core, site);
    if (cores.aiv != 0) return;  // the vector cores meet without this one
    core.Fail(BASCULE_KERNEL_ERROR, [&] {
      return Join(At("SyncAll", site),
                  "SyncAll<true>() is for vector cores, and this kernel has cube cores only; "
                  "SyncAll<false>() is for these.");
    });
  }
  if (cores.aic == 0) {
    core.Fail(BASCULE_DEADLOCK, [&] {
      return Join(At("SyncAll", site),
                  "SyncAll<false>() waits for cube cores, and this kernel has none: the hardware "
                  "would wait for ever. Call SyncAll(), or make the kernel a mixed one with "
                  "__mix__(1, 2) or KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2).");
    });
  }
  if (!cores.mixed()) return MeetKind(core, site);
  Meet(core, Party::kAllCores, core.block_count * (cores.aic + cores.aiv), site);
}

void SyncBlocks(BasculeCore* handle, uint32_t count, const BasculeSite* site) {
  Core& core = Settled(handle);
  const uint32_t cores = core.block_count * core.sub_block_count;
  if (core.kind != BASCULE_CORE_AIV) {
    core.Fail(BASCULE_KERNEL_ERROR, [&] {
      return Join(At("SyncAll", site),
                  "SyncAll with workspaces is for vector cores, and this is a cube core; put it "
                  "into `if ASCEND_IS_AIV`.");
    });
  }
  if (count == 0 || count > cores) {
    core.Fail(BASCULE_KERNEL_ERROR, [&] {
      return Join(At("SyncAll", site), "usedCores is ", count, ", and the launch has ", cores,
                  core.Cores().mixed() ? " vector cores." : " blocks.");
    });
  }
  Meet(core, Party::kVectorCores, count, site);
}

void CheckCrossCore(Core& core, const char* call, uint32_t id, const BasculeSite* site) {
  CheckResident(core, call, site);
  if (id >= kCrossCoreFlags) {
    core.Fail(BASCULE_KERNEL_ERROR, [&] {
      return Join(At(call, site), "flag ", id, " does not exist; flags are 0 to ",
                  kCrossCoreFlags - 1, ".");
    });
  }
}

// What keeps this core from setting a flag in `mode`; "" when nothing does.
std::string AgainstMode(const Core& core, uint32_t mode) {
  const BlockCores cores = core.Cores();
  if (mode > 2) return Join("there is no mode ", mode, " on Atlas A2; modes are 0, 1 and 2.");
  if (mode == 0) return "";
  if (!cores.mixed()) {
    return Join("mode ", mode,
                " is between the cores of one block, and this kernel has one core a block; mode 0 "
                "is between all blocks. Kernels for several are declared with __mix__(1, 2), or "
                "with KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2).");
  }
  if (mode == 1 && core.kind == BASCULE_CORE_AIC) {
    return "mode 1 is between the vector cores of a block, and this is its cube core.";
  }
  return "";
}

void CrossCoreSet(BasculeCore* handle, uint32_t mode, uint32_t pipe, uint32_t id,
                  const BasculeSite* site) {
  Core& core = Settled(handle);
  CheckCrossCore(core, "CrossCoreSetFlag", id, site);
  if (!AgainstMode(core, mode).empty()) {
    core.Fail(BASCULE_UNSUPPORTED,
              [&] { return Join(At("CrossCoreSetFlag", site), AgainstMode(core, mode)); });
  }
  for (Wait wait; !core.launch->CrossCoreSet(core, mode, id, *site, &wait);) core.WaitUntil(wait);
  TellFlag(core, EventKind::kSetFlag, "CrossCoreSetFlag", pipe, pipe, id, site);
}

void CrossCoreWait(BasculeCore* handle, uint32_t pipe, uint32_t id, const BasculeSite* site) {
  Core& core = Settled(handle);
  CheckCrossCore(core, "CrossCoreWaitFlag", id, site);
  Wait wait = core.launch->CrossCoreWait(core, id);
  wait.site = *site;
  core.WaitUntil(wait);
  core.launch->CrossCoreTake(core, id);
  TellFlag(core, EventKind::kWaitFlag, "CrossCoreWaitFlag", pipe, pipe, id, site);
}

void KernelType(BasculeCore* handle, uint32_t type, uint32_t keyed, const BasculeSite* site) {
  Core& core = Settled(handle);
  const char* const call = keyed == 2   ? "REGIST_MATMUL_OBJ"
                           : keyed != 0 ? "KERNEL_TASK_TYPE"
                                        : "KERNEL_TASK_TYPE_DEFAULT";
  const TypeSource source = keyed == 2   ? TypeSource::kLibrary
                            : keyed != 0 ? TypeSource::kTilingKey
                                         : TypeSource::kDefault;
  if (type == BASCULE_KERNEL_UNSAID || type >= BASCULE_KERNEL_TYPE_COUNT) {
    core.Fail(BASCULE_UNSUPPORTED, [&] {
      return Join(At(call, site),
                  "Atlas A2 has no kernels of this type; KERNEL_TYPE_AIV_ONLY, _AIC_ONLY, "
                  "_MIX_AIV_1_0, _MIX_AIC_1_0, _MIX_AIC_1_1 and _MIX_AIC_1_2 are possible.");
    });
  }
  if (core.plan.source > source) return;  // what was said with more weight holds
  uint32_t other = type;
  if (!core.launch->AgreeOnType(source, type, &other)) {
    core.Fail(BASCULE_KERNEL_ERROR, [&] {
      return Join(At(call, site), "the kernel is of type ", KernelTypeName(type),
                  " here, and was of type ", KernelTypeName(other),
                  " before; one launch has one type.");
    });
  }
  const BlockCores before = core.Cores();
  const BlockCores after = CoresOf(type);
  const bool same = before.aic == after.aic && before.aiv == after.aiv;
  if (!same && (!core.alone || core.seen || core.global_written != 0)) {
    core.Fail(BASCULE_KERNEL_ERROR, [&] {
      return Join(At(call, site), "the block has to begin again on the cores of a ",
                  KernelTypeName(type),
                  " kernel, and others may have seen something of it by now; let this be the "
                  "kernel's first statement.");
    });
  }
  core.plan.kernel_type = type;
  core.plan.source = source;
  if (same) return;
  core.begins_again = true;
  core.fibre.Abandon();
}

// Waits until the flag has the wanted value, then gives it the other one.
void FlipBlockFlag(Core& core, const char* call, uint32_t block, uint32_t event, uint32_t wanted,
                   const BasculeSite* site) {
  CheckResident(core, call, site);
  std::atomic<uint32_t>& flag = core.launch->BlockFlag(block, event);
  for (;;) {
    Wait wait;
    wait.object = &flag;
    wait.target = wanted;
    wait.ready = [](const Wait& w) {
      return static_cast<const std::atomic<uint32_t>*>(w.object)->load() == w.target;
    };
    wait.describe = [](const Wait& w) {
      return Join(w.target != 0 ? "IBWait" : "IBSet", " for event ", w.flag, " of block ", w.block,
                  w.target != 0 ? ", which is not set" : ", which is still set");
    };
    wait.site = *site;
    wait.block = block;
    wait.flag = event;
    core.WaitUntil(wait);
    uint32_t expected = wanted;
    if (flag.compare_exchange_strong(expected, 1 - wanted)) break;
  }
  core.launch->Act();
  core.launch->Progress();
}

void BlockFlagSet(BasculeCore* handle, uint32_t block, uint32_t event, const BasculeSite* site) {
  FlipBlockFlag(Settled(handle), "IBSet", block, event, 0, site);
}

void BlockFlagWait(BasculeCore* handle, uint32_t block, uint32_t event, const BasculeSite* site) {
  FlipBlockFlag(Settled(handle), "IBWait", block, event, 1, site);
}

void CountAdd(BasculeCore* handle, uint64_t key, const char* call, const BasculeSite* site) {
  Core& core = Settled(handle);
  CheckResident(core, call, site);
  core.launch->Count(key).fetch_add(1);
  core.launch->Act();
  core.launch->Progress();
  TellFlag(core, EventKind::kSetFlag, call, BASCULE_PIPE_MTE3, BASCULE_PIPE_MTE3, 0, site);
}

void CountWait(BasculeCore* handle, uint64_t key, uint64_t first, uint64_t step, const char* call,
               const BasculeSite* site) {
  Core& core = Settled(handle);
  CheckResident(core, call, site);
  Wait wait;
  wait.object = &core.launch->Count(key);
  wait.target = first + step * core.count_waits[key]++;
  wait.name = call;
  wait.ready = [](const Wait& w) {
    return static_cast<const std::atomic<uint64_t>*>(w.object)->load() >= w.target;
  };
  wait.describe = [](const Wait& w) {
    const uint64_t count = static_cast<const std::atomic<uint64_t>*>(w.object)->load();
    return Join(w.name, ", which needs ", w.target, " of the calls that let it go on, and has ",
                count);
  };
  wait.site = *site;
  core.WaitUntil(wait);
  TellFlag(core, EventKind::kWaitFlag, call, BASCULE_PIPE_MTE2, BASCULE_PIPE_MTE2, 0, site);
}

void BlockNotify(BasculeCore* handle, const char* call, const BasculeSite* site) {
  Core& core = Settled(handle);
  __atomic_fetch_add(&core.shared->news, 1, __ATOMIC_SEQ_CST);
  core.seen = true;
  core.launch->Act();
  core.launch->Progress();
  TellFlag(core, EventKind::kSetFlag, call, BASCULE_PIPE_S, BASCULE_PIPE_S, 0, site);
}

void BlockWait(BasculeCore* handle, uint64_t old, const char* call, const BasculeSite* site) {
  Core& core = Settled(handle);
  core.seen = true;
  Wait wait;
  wait.object = core.shared.get();
  wait.target = old;
  wait.name = call;
  wait.ready = [](const Wait& w) {
    return __atomic_load_n(&static_cast<const BasculeBlock*>(w.object)->news, __ATOMIC_SEQ_CST) !=
           w.target;
  };
  wait.describe = [](const Wait& w) { return std::string(w.name); };
  wait.site = *site;
  core.WaitUntil(wait);
  TellFlag(core, EventKind::kWaitFlag, call, BASCULE_PIPE_S, BASCULE_PIPE_S, 0, site);
}

void Yield(BasculeCore* handle, const BasculeSite* site) {
  Core& core = Settled(handle);
  core.poll_budget = BASCULE_POLL_BUDGET;
  core.Yield(*site);
}

void FirstTensor(BasculeCore* handle, uint64_t* elements, uint32_t* element_bytes) {
  const LaunchRequest& request = Core::From(handle).launch->request;
  *elements = request.first_elements;
  *element_bytes = request.first_element_bytes;
}

void MemoryRest(BasculeCore* handle, uint32_t position, BasculeBuffer* out,
                const BasculeSite* site) {
  Core& core = Settled(handle);
  const uint8_t memory = MemoryOf(position);
  const OnChipMemory& on_chip = core.memory[memory];
  if (memory == BASCULE_GM || on_chip.begin() == nullptr) {
    core.Fail(BASCULE_KERNEL_ERROR, [&] {
      return Join(At("PopStackBuffer", site), PositionName(position),
                  " has no memory on this kind of core.");
    });
  }
  const uint64_t used = core.used_bytes[memory];
  out->address = on_chip.begin() + used;
  out->limit = on_chip.begin() + on_chip.bytes();
  out->bytes = static_cast<uint32_t>(Capacity(core, memory) - used);
  out->buffer = 0;
}

BasculeCore* CurrentCoreHandle() { return CurrentCore(); }

void FailFromKernel(BasculeCore* handle, BasculeStatus status, const char* text,
                    const BasculeSite* site) {
  Core& core = Core::From(handle);
  const isa::Row* row = site != nullptr && site->opcode != 0
                            ? isa::FindRow(static_cast<uint16_t>(site->opcode))
                            : nullptr;
  core.Fail(status, [&]() -> std::string {
    if (row != nullptr) return Join(At(row->name, site), text, ".");
    return site != nullptr && site->file != nullptr ? Join(text, " (", Where(*site), ")")
                                                    : std::string(text);
  });
}

}  // namespace

const BasculeKernelApi& KernelApi() {
  static const BasculeKernelApi api = {
      .struct_bytes = sizeof(BasculeKernelApi),
      .abi_version = BASCULE_KERNEL_ABI_VERSION,
      .current_core = CurrentCoreHandle,
      .fail = FailFromKernel,
      .execute = Execute,
      .scalar_access = ScalarAccess,
      .pipe_begin = PipeBegin,
      .pipe_end = PipeEnd,
      .queue_init = QueueInit,
      .buffer_init = BufferInit,
      .queue_alloc = QueueAlloc,
      .queue_enqueue = QueueEnqueue,
      .queue_dequeue = QueueDequeue,
      .queue_free = QueueFree,
      .queue_state = QueueState,
      .resolve_global = ResolveGlobal,
      .flag_set = FlagSet,
      .flag_wait = FlagWait,
      .pipe_barrier = PipeBarrier,
      .sync_all = SyncAll,
      .first_tensor = FirstTensor,
      .sync_blocks = SyncBlocks,
      .cross_core_set = CrossCoreSet,
      .cross_core_wait = CrossCoreWait,
      .block_flag_set = BlockFlagSet,
      .block_flag_wait = BlockFlagWait,
      .yield = Yield,
      .memory_rest = MemoryRest,
      .kernel_type = KernelType,
      .sync_cores = SyncCores,
      .scalar_atomic = ScalarAtomic,
      .resolve_elements = ResolveElements,
      .fail_read = FailRead,
      .queue_place = QueuePlace,
      .buffer_place = BufferPlace,
      .count_add = CountAdd,
      .count_wait = CountWait,
      .block_notify = BlockNotify,
      .block_wait = BlockWait,
  };
  return api;
}

}  // namespace bascule::engine
