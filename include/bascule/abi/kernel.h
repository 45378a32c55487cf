// The border between a compiled kernel and the engine: instructions as plain data and one table of
// C functions. C and C++17; no link-time dependency.
//
// Versioning: structures and the table only grow at their end, and each starts with its size or is
// passed by pointer to a side that knows the size. BASCULE_KERNEL_ABI_VERSION changes only when a
// kernel built before could not run any more.
//
// Threads: a core belongs to one fibre at a time; every function that takes a core must be called
// from the kernel that runs on it. Functions marked "does not return on error" leave the kernel by
// abandoning its stack: no destructor runs, and the launch ends with the error.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_ABI_KERNEL_H_
#define BASCULE_ABI_KERNEL_H_

#include "bascule/abi/opcodes.h"
#include "bascule/abi/types.h"

#ifdef __cplusplus
extern "C" {
#endif

#define BASCULE_KERNEL_ABI_VERSION 1

// ELF notes of this section: owner name and types. The manifest of an operator library is UTF-8
// JSON, no NUL; a library with kernels has the BASCULE_KERNEL_ABI_VERSION of its headers, 4 bytes.
#define BASCULE_NOTE_SECTION ".note.bascule"
#define BASCULE_NOTE_OWNER "bascule"
#define BASCULE_NOTE_MANIFEST 1
#define BASCULE_NOTE_HEADERS 2

// Sizes of the architecture, the same on every platform of the family.
#define BASCULE_DATABLOCK_BYTES 32
#define BASCULE_REPEAT_BYTES 256
#define BASCULE_DATABLOCKS_PER_REPEAT 8
#define BASCULE_MAX_OPERANDS 10
// How many of them an instruction holds itself; the others stand where it points to.
#define BASCULE_INLINE_OPERANDS 4
// The part of a workspace that belongs to the system, ahead of the part a host asks for.
#define BASCULE_SYSTEM_WORKSPACE_BYTES (16 * 1024 * 1024)

// How an instruction says which elements it works on.
enum {
  BASCULE_FORM_COUNT = 0,       // `count` consecutive elements
  BASCULE_FORM_MASK_COUNT = 1,  // the first mask[0] lanes of each of `count` repeats
  BASCULE_FORM_MASK_BITS = 2,   // the lanes set in mask[0..1] of each of `count` repeats
  BASCULE_FORM_COPY = 3,        // params.copy
  BASCULE_FORM_COUNTER = 4      // mask[0] lanes in all, spread over as many repeats as they need
};

// One operand. Strides are meant for the two mask forms and are in datablocks of 32 bytes.
typedef struct BasculeOperand {
  void* address;
  uint8_t memory;  // BASCULE_GM, BASCULE_UB, …
  BasculeDType dtype;
  uint16_t block_stride;   // between datablocks of one repeat
  uint32_t repeat_stride;  // between repeats
} BasculeOperand;

// A strided copy. Blocks here are runs of consecutive bytes, not datablocks.
typedef struct BasculeCopy {
  uint32_t block_count;
  uint32_t block_bytes;
  uint32_t src_gap_bytes;  // from the end of a block to the start of the next
  uint32_t dst_gap_bytes;
  uint8_t pad;        // 1: the padding below is written, with pad_bits
  uint8_t left_pad;   // elements
  uint8_t right_pad;  // elements
  uint8_t element_bytes;
  uint32_t
      requested_bytes;  // what the caller asked for before rounding down to datablocks; 0: the same
  uint64_t pad_bits;    // low element_bytes bytes
} BasculeCopy;

// A scalar operand as the bits of its element type.
typedef union BasculeScalar {
  uint64_t bits;
  float f32;
  int64_t i64;
} BasculeScalar;

// What vector instructions take beside their operands; rows say which of it they use.
typedef struct BasculeVectorParams {
  BasculeScalar scalar;  // bits of the element type of operand[0]
  uint32_t mode;         // comparison, selection, rounding, order of results, …
  uint32_t flags;
  uint64_t extra[4];
} BasculeVectorParams;

typedef struct BasculeInstruction {
  uint16_t opcode;
  uint8_t form;
  uint8_t operand_count;  // operand[0] is the destination
  uint32_t count;         // elements or repeats, by form
  uint64_t mask[2];
  BasculeOperand operand[BASCULE_INLINE_OPERANDS];
  union {
    BasculeCopy copy;
    BasculeVectorParams vector;
    uint64_t raw[6];
  } params;
  BasculeSite site;
  const BasculeOperand* more;  // operands from BASCULE_INLINE_OPERANDS on, where there are any
} BasculeInstruction;

struct BasculeKernelApi;

// What the cores of a block share where it has several, for libraries that pass work from one to
// another; all words are 0 when the block begins. Cores of a block run one at a time.
enum { BASCULE_BLOCK_WORDS = 32 };
typedef struct BasculeBlock {
  uint64_t vector_cores;  // of the block that have not ended; kept by the engine
  uint64_t news;          // grows with every block_notify() and with every core that ends
  uint64_t words[BASCULE_BLOCK_WORDS];
} BasculeBlock;

// Where instructions leave results beside memory. An instruction that does carries the address of
// the field in params.vector.extra[BASCULE_EXTRA_RESULT]; other results that go to the kernel
// itself travel like that too.
enum { BASCULE_EXTRA_RESULT = 3 };
typedef struct BasculeRegisters {
  uint64_t compare_mask[2];  // SetCmpMask, or the lanes a Compare without a destination found true
  uint64_t reduced_sum;      // bits of the sum of the last ReduceSum over consecutive elements
  uint64_t reduced_value;    // of the last largest or smallest element the bits …
  uint64_t reduced_index;    // … and the lane, counted from the first repeat
  uint16_t merged[4];        // records the last MrgSort took of each queue
} BasculeRegisters;

// What a kernel may read of its core without a call. Owned by the engine, valid until the block
// ends.
typedef struct BasculeCore {
  const struct BasculeKernelApi* api;
  uint32_t struct_bytes;
  uint32_t block_index;      // GetBlockIdx(): block times sub_block_count plus sub_block_index
  uint32_t block_count;      // GetBlockNum()
  uint16_t sub_block_index;  // GetSubBlockIdx()
  uint16_t sub_block_count;  // GetSubBlockNum(): cores of this kind in a block
  uint8_t kind;              // BASCULE_CORE_AIV or BASCULE_CORE_AIC
  uint8_t watch_scalar;      // not 0: every scalar access is reported with scalar_access()
  uint8_t counter_mode;      // SetMaskCount(): a mask counts the lanes of a whole instruction
  uint8_t raw_pointers;      // 0: the kernel has no address of on-chip memory; see scalar_access()
  uint64_t vector_mask[2];   // the mask register; written by the kernel
  BasculeRegisters registers;
  void* user_pipe;         // the kernel's TPipe, for GetTPipePtr(); written by the kernel
  void* system_workspace;  // SetSysWorkspace(); written by the kernel
  void* memory_begin[BASCULE_MEMORY_COUNT];  // on-chip memories; null: this core has none
  void* memory_end[BASCULE_MEMORY_COUNT];
  uint8_t atomic_op;  // BASCULE_ATOMIC_…: what copies to global memory do; written by the kernel
  BasculeDType atomic_dtype;
  uint8_t deq_scale_set;    // SetDeqScale() has been called
  uint8_t pad_value_set;    // SetPadValue() has been called
  int32_t poll_budget;      // scalar reads of global memory until the next yield()
  uint64_t deq_scale;       // the register of that name; written by the kernel
  uint64_t pad_value;       // likewise, in the low bits
  uint64_t tiling_key;      // what TILING_KEY_IS() compares with; 0 unless host code chose one
  uint64_t global_written;  // bit BasculeRange::bit of every range SetValue wrote to
  uint64_t gathered;        // elements the last GatherMask took
  uint64_t control;         // bits BASCULE_CONTROL_…; written by the kernel
  // How DataCopy from L0C writes, set by the kernel: the quantisation word of all columns, the
  // words of each in the fixpipe buffer (null: not set), and of NZ2ND how many matrices there are
  // and how far apart in source (units of 256 elements) and destination (elements).
  uint64_t fixpipe_word;
  void* fixpipe_words;
  uint16_t fixpipe_matrices;
  uint16_t fixpipe_from_stride;
  uint16_t fixpipe_to_stride;
  uint16_t fixpipe_reserved;
  BasculeBlock* block;    // null: the block has one core
  const void* cube_user;  // who of a library's objects has its data in L1, L0 and L0C
  // How LoadData of an image and Mmad work, set by the kernel: height and width in 16 bits each,
  // then padding left, right, top and bottom in 8 each; what padding is; bytes of L1 behind which
  // reading goes on at its begin (0: none); how often, how far from another and along which side
  // (0: rows, 1: columns) parts are loaded.
  uint64_t image_size;
  uint64_t image_padding;
  uint32_t image_boundary;
  uint16_t image_repeat_stride;
  uint8_t image_repeats;
  uint8_t image_repeat_side;
  void* sparse_index;    // of the sparse matrix in L0B, a quarter of its size
  uint8_t hf32;          // factors of float are rounded to HF32 first …
  uint8_t hf32_to_zero;  // … of two that are as near to the one nearer to 0, else to the even one
  uint8_t cube_reserved[6];
} BasculeCore;

// Bits of the control register.
enum {
  BASCULE_CONTROL_INFINITY = 48,  // infinities and NaN stay (as at the start), else they saturate
  BASCULE_CONTROL_TRUNCATE = 59   // of a Cast that overflows, the low bits stay
};

enum {
  BASCULE_ATOMIC_NONE = 0,
  BASCULE_ATOMIC_ADD = 1,
  BASCULE_ATOMIC_MAX = 2,
  BASCULE_ATOMIC_MIN = 3,
  BASCULE_ATOMIC_EXCHANGE = 4,         // of scalars only, as
  BASCULE_ATOMIC_COMPARE_EXCHANGE = 5  // this
};
#define BASCULE_POLL_BUDGET 1024

// A buffer handed out by the engine. `limit` is the end of the on-chip memory it lies in.
typedef struct BasculeBuffer {
  void* address;
  void* limit;
  uint32_t bytes;
  uint32_t buffer;  // number of the InitBuffer that made it; names it in reports
} BasculeBuffer;

// The interval of global memory that an address lies in.
typedef struct BasculeRange {
  void* begin;
  void* end;
  uint32_t rights;  // BASCULE_READ | BASCULE_WRITE
  uint32_t bit;     // of BasculeCore::global_written, 0 to 63
} BasculeRange;
enum { BASCULE_READ = 1, BASCULE_WRITE = 2 };

// Calls do not return on error unless they say so.
typedef struct BasculeKernelApi {
  uint32_t struct_bytes;
  uint32_t abi_version;

  // The core of the calling kernel; null outside a launch. Returns on every input.
  BasculeCore* (*current_core)(void);
  // Ends the launch with a sentence. Never returns. `core` is not null.
  void (*fail)(BasculeCore* core, BasculeStatus status, const char* text, const BasculeSite* site);
  // Runs one instruction: checks its footprint, tells observers, computes.
  void (*execute)(BasculeCore* core, const BasculeInstruction* instruction);
  // A scalar read or write of `bytes` bytes; called only while core->watch_scalar is set, or to
  // have an access outside its tensor turned into the error that describes it. 0 bytes: the kernel
  // gets an address or a reference, which it may follow at any time from then on; called only while
  // core->raw_pointers is not set.
  void (*scalar_access)(BasculeCore* core, uint32_t memory, const void* address, uint32_t bytes,
                        uint32_t write, const BasculeSite* site);

  // A TPipe begins or ends. A kernel has one at a time.
  void (*pipe_begin)(BasculeCore* core, const BasculeSite* site);
  void (*pipe_end)(BasculeCore* core);
  // TPipe::InitBuffer for a queue of `buffer_count` buffers of `bytes` bytes (rounded up to 32).
  // Returns the queue's handle, never 0.
  uint32_t (*queue_init)(BasculeCore* core, uint32_t src_position, uint32_t dst_position,
                         uint32_t depth, uint32_t buffer_count, uint32_t bytes,
                         const BasculeSite* site);
  // TPipe::InitBuffer for a TBuf.
  void (*buffer_init)(BasculeCore* core, uint32_t position, uint32_t bytes, BasculeBuffer* out,
                      const BasculeSite* site);
  // Queue operations; `queue` 0 is the error of a queue that never met InitBuffer.
  void (*queue_alloc)(BasculeCore* core, uint32_t queue, BasculeBuffer* out,
                      const BasculeSite* site);
  void (*queue_enqueue)(BasculeCore* core, uint32_t queue, const void* address,
                        const BasculeSite* site);
  void (*queue_dequeue)(BasculeCore* core, uint32_t queue, BasculeBuffer* out,
                        const BasculeSite* site);
  void (*queue_free)(BasculeCore* core, uint32_t queue, const void* address,
                     const BasculeSite* site);
  // How many tensors are enqueued (which = 0) or buffers are idle (which = 1).
  uint32_t (*queue_state)(BasculeCore* core, uint32_t queue, uint32_t which);

  // SetGlobalBuffer: the interval `address` lies in. An address in none gives an empty range, which
  // makes the first access an error; a null optional argument is legal until touched.
  void (*resolve_global)(BasculeCore* core, const void* address, BasculeRange* out);

  // Flags between two pipes of one core, counted.
  void (*flag_set)(BasculeCore* core, uint32_t from_pipe, uint32_t to_pipe, uint32_t id,
                   const BasculeSite* site);
  void (*flag_wait)(BasculeCore* core, uint32_t from_pipe, uint32_t to_pipe, uint32_t id,
                    const BasculeSite* site);
  void (*pipe_barrier)(BasculeCore* core, uint32_t pipe, const BasculeSite* site);
  // Waits until every core of this kind has arrived; parks the fibre.
  void (*sync_all)(BasculeCore* core, const BasculeSite* site);

  // The launch's first tensor: how many elements it has, and the bytes of one. Both 0 when the
  // launch does not know its tensors, as one by `<<<>>>`, which passes addresses. Returns.
  void (*first_tensor)(BasculeCore* core, uint64_t* elements, uint32_t* element_bytes);

  // As sync_all, for the cores with a block_index below `count`.
  void (*sync_blocks)(BasculeCore* core, uint32_t count, const BasculeSite* site);
  // CrossCoreSetFlag and CrossCoreWaitFlag. Each core has a counter for each id; a wait takes one
  // from it. Mode 0 adds one to those of all cores of this kind when all of them have set; mode 1
  // does so for the vector cores of a block; mode 2 adds one for the other kind of core of the
  // block, when all of this kind have set.
  void (*cross_core_set)(BasculeCore* core, uint32_t mode, uint32_t pipe, uint32_t id,
                         const BasculeSite* site);
  void (*cross_core_wait)(BasculeCore* core, uint32_t pipe, uint32_t id, const BasculeSite* site);
  // IBSet and IBWait: a flag named by a block and an event; set waits until it is clear, wait
  // clears it.
  void (*block_flag_set)(BasculeCore* core, uint32_t block, uint32_t event,
                         const BasculeSite* site);
  void (*block_flag_wait)(BasculeCore* core, uint32_t block, uint32_t event,
                          const BasculeSite* site);
  // Lets other blocks run; called where a kernel may be polling.
  void (*yield)(BasculeCore* core, const BasculeSite* site);
  // What no InitBuffer has taken of a position's memory; bytes may be 0.
  void (*memory_rest)(BasculeCore* core, uint32_t position, BasculeBuffer* out,
                      const BasculeSite* site);

  // KERNEL_TASK_TYPE_DEFAULT (keyed 0) and, for the tiling key of this launch, KERNEL_TASK_TYPE
  // (keyed 1), or a library that needs such cores where nobody has said anything (keyed 2): the
  // kernel is of type BASCULE_KERNEL_…. Returns on a core that such a kernel has; otherwise the
  // block begins again, on the cores it should have had.
  void (*kernel_type)(BasculeCore* core, uint32_t type, uint32_t keyed, const BasculeSite* site);
  // SyncAll<aiv_only>(): all vector cores of the launch, or all its cores.
  void (*sync_cores)(BasculeCore* core, uint32_t aiv_only, const BasculeSite* site);
  // AtomicAdd, AtomicMax, … on one element of global memory; numbers are bits of its type. Returns
  // what was there. `expected` is what COMPARE_EXCHANGE compares with.
  uint64_t (*scalar_atomic)(BasculeCore* core, uint32_t op, uint32_t dtype, void* address,
                            uint64_t value, uint64_t expected, const BasculeSite* site);
  // As resolve_global, for elements of a type. A tensor of floating-point numbers that the kernel
  // takes for another floating-point type ends the launch; views as integers are legal.
  void (*resolve_elements)(BasculeCore* core, const void* address, uint32_t dtype,
                           BasculeRange* out, const BasculeSite* site);
  // Ends the launch with the sentence for `call` reading `bytes` bytes of global memory that are
  // not there.
  void (*fail_read)(BasculeCore* core, const char* call, const void* address, uint64_t bytes,
                    const BasculeSite* site);

  // Gives a queue one more buffer, where the kernel says: `buffer` has address and bytes, multiples
  // of 32 in the memory of the queue's position. `queue` 0: the first of a new queue. Returns the
  // queue's handle, never 0.
  uint32_t (*queue_place)(BasculeCore* core, uint32_t queue, uint32_t src_position,
                          uint32_t dst_position, uint32_t depth, const BasculeBuffer* buffer,
                          const BasculeSite* site);
  // A TBuf at such an address; `buffer` is completed.
  void (*buffer_place)(BasculeCore* core, uint32_t position, BasculeBuffer* buffer,
                       const BasculeSite* site);

  // Counts that all cores of the launch share, under keys the kernel chooses. The n-th wait of a
  // core under a key, from 0, goes on when the count is at least first + n * step. `call` is who
  // waits.
  void (*count_add)(BasculeCore* core, uint64_t key, const char* call, const BasculeSite* site);
  void (*count_wait)(BasculeCore* core, uint64_t key, uint64_t first, uint64_t step,
                     const char* call, const BasculeSite* site);

  // Among the cores of a block: adds one to BasculeBlock::news, and waits until it is not `old` any
  // more. `call` says what is waited for.
  void (*block_notify)(BasculeCore* core, const char* call, const BasculeSite* site);
  void (*block_wait)(BasculeCore* core, uint64_t old, const char* call, const BasculeSite* site);
} BasculeKernelApi;

#ifdef __cplusplus
}  // extern "C"

static_assert(sizeof(BasculeSite) == 16, "append-only ABI");
static_assert(sizeof(BasculeOperand) == 16, "append-only ABI");
static_assert(sizeof(BasculeCopy) == 32, "append-only ABI");
static_assert(sizeof(BasculeVectorParams) == 48, "append-only ABI");
static_assert(offsetof(BasculeInstruction, operand) == 24, "append-only ABI");
static_assert(offsetof(BasculeInstruction, params) == 88, "append-only ABI");
static_assert(offsetof(BasculeInstruction, more) == 152, "append-only ABI");
static_assert(sizeof(BasculeInstruction) == 160, "append-only ABI");
static_assert(sizeof(BasculeRegisters) == 48, "append-only ABI");
#endif

#endif  // BASCULE_ABI_KERNEL_H_
