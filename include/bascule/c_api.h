// bascule's C interface: open operator libraries, look at them, infer shapes, plan, call operators.
// docs/c_api.md shows it in use, and bascule/bascule.h is C++ over it.
//
// Usable from C11 and C++17. Every function that can fail returns a BasculeStatus and leaves a
// sentence in bascule_last_error() of the calling thread. No function throws, none keeps a pointer
// to the caller's memory after it returns, except where it says so. All functions may be called
// from several threads. Text is UTF-8 and NUL-terminated. Functions are added and none is taken
// away or changed while BASCULE_C_API_VERSION stays; structures only grow at their end, and those
// that the runtime fills start with their size, which the caller sets.
//
//     BasculeLibrary* library;
//     const BasculeOperator* op;
//     if (bascule_library_open("./libmy_mul.so", &library) != BASCULE_OK ||
//         bascule_library_find(library, "my_mul", &op) != BASCULE_OK)
//       fprintf(stderr, "%s\n", bascule_last_error());
//     const BasculeTensor* inputs[] = {&x, &y};
//     BasculeTensor* outputs[] = {&out};
//     bascule_operator_call(op, 2, inputs, 1, outputs, 0, NULL);
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_C_API_H_
#define BASCULE_C_API_H_

#include "bascule/abi/library.h"
#include "bascule/abi/types.h"

#if defined(__GNUC__)
#define BASCULE_EXPORT __attribute__((visibility("default")))
#else
#define BASCULE_EXPORT
#endif

#ifdef __cplusplus
extern "C" {
#endif

// Of this interface. A program that wants it at run time compares with what the library says.
#define BASCULE_C_API_VERSION 1
BASCULE_EXPORT int32_t bascule_c_api_version(void);

// The version as text, "0.1.0", and as one number, 10000 * major + 100 * minor + patch.
BASCULE_EXPORT const char* bascule_version(void);
BASCULE_EXPORT int32_t bascule_version_number(void);

// The sentence of the last failure on this thread; "" before any. Valid until the next call on the
// thread.
BASCULE_EXPORT const char* bascule_last_error(void);

// A tensor in host memory. The layout is that of DLPack's DLTensor (public DLPack specification,
// any version from 0.2), so a `DLTensor*` may be passed after a cast.
typedef struct BasculeTensor {
  void* data;
  int32_t device_type;  // 1: CPU; everything else is refused
  int32_t device_id;
  int32_t ndim;
  uint8_t dtype_code;  // 0 int, 1 uint, 2 float, 4 bfloat, 6 bool
  uint8_t dtype_bits;
  uint16_t dtype_lanes;  // 1
  int64_t* shape;        // ndim elements; may be null when ndim is 0
  int64_t* strides;      // in elements; null: row-major and dense
  uint64_t byte_offset;
} BasculeTensor;

typedef struct BasculeLibrary BasculeLibrary;    // lives until the process ends
typedef struct BasculeOperator BasculeOperator;  // owned by its library

// Opens the operator library at `path`. The same content opened twice is the same library; a file
// that was rebuilt is loaded as new code. Refuses, with what it found, what is not an operator
// library.
//
// A library without manifest that was compiled with the kernel headers is a library of lone
// kernels: its operators are the exported functions that were declared `__global__ __aicore__`. A
// lone kernel takes as many inputs and outputs as its caller passes, and has no attributes and no
// inference (docs/lone_kernels.md).
BASCULE_EXPORT BasculeStatus bascule_library_open(const char* path, BasculeLibrary** out);
// The path it was opened from, and its manifest (JSON; docs/manifest.md).
BASCULE_EXPORT const char* bascule_library_path(const BasculeLibrary* library);
BASCULE_EXPORT const char* bascule_library_manifest(const BasculeLibrary* library);
BASCULE_EXPORT uint32_t bascule_library_operator_count(const BasculeLibrary* library);
// Null when `index` is out of range.
BASCULE_EXPORT const BasculeOperator* bascule_library_operator(const BasculeLibrary* library,
                                                               uint32_t index);
// NOT_FOUND lists the operators that are there.
BASCULE_EXPORT BasculeStatus bascule_library_find(const BasculeLibrary* library, const char* name,
                                                  const BasculeOperator** out);
// The function `symbol` of the library at `path`, which has neither manifest nor kernels and whose
// function follows MindSpore's `aot` convention (mindspore.ops.Custom), as an operator. Like a lone
// kernel it takes as many tensors as its caller passes, the inputs first.
BASCULE_EXPORT BasculeStatus bascule_function_open(const char* path, const char* symbol,
                                                   const BasculeOperator** out);
BASCULE_EXPORT const char* bascule_operator_name(const BasculeOperator* op);
// The operator's entry of the manifest, as JSON.
BASCULE_EXPORT const char* bascule_operator_schema(const BasculeOperator* op);
// BASCULE_ANY_COUNT for a lone kernel or a function, of which only its author knows.
#define BASCULE_ANY_COUNT 0xffffffffu
BASCULE_EXPORT uint32_t bascule_operator_input_count(const BasculeOperator* op);
BASCULE_EXPORT uint32_t bascule_operator_output_count(const BasculeOperator* op);

// The operator of the same library that computes this one's gradients, where its project names one
// (docs/build.md): its inputs are, by name, inputs, outputs and d<output>s of this one, its outputs
// one gradient for each input. UNSUPPORTED with a sentence where the gradient is Python text, which
// only the package for Python runs, and where there is none.
BASCULE_EXPORT BasculeStatus bascule_operator_gradient(const BasculeOperator* op,
                                                       const BasculeOperator** out);

// Shapes, dtypes and formats of the outputs from those of the inputs. Unknown dimensions (-1) and
// ranks (rank -1) are allowed where the operator's own inference allows them. `outputs` has room
// for output_count tensors.
BASCULE_EXPORT BasculeStatus bascule_operator_infer(const BasculeOperator* op, uint32_t input_count,
                                                    const BasculeTensorInfo* inputs,
                                                    uint32_t attribute_count,
                                                    const BasculeAttribute* attributes,
                                                    uint32_t output_count,
                                                    BasculeTensorInfo* outputs);

// Runs the operator. Inputs are only read; outputs are allocated by the caller with the inferred
// shape and dtype. An optional input that is left out is a null pointer. Returns when the result is
// there. Refuses, before anything is launched, what does not fit the schema, and outputs that share
// memory with an input, with each other or with themselves; one named as an input may be it.
//
// Tensors with strides, of either sign and 0, are packed first, and an output's elements are put
// where its strides say and nowhere else; bascule_operator_statistics() counts that. With outputs
// that are all empty nothing is launched. Where an input is empty and an output is not, the
// operator's kernel says what the output is; one that writes nothing is an error.
BASCULE_EXPORT BasculeStatus bascule_operator_call(const BasculeOperator* op, uint32_t input_count,
                                                   const BasculeTensor* const* inputs,
                                                   uint32_t output_count,
                                                   BasculeTensor* const* outputs,
                                                   uint32_t attribute_count,
                                                   const BasculeAttribute* attributes);

// Operators with dynamic inputs or outputs, each any number of tensors. A call passes all tensors
// in one row, as above, the members of a list one after the other, and says here how many each
// input and output of the schema has: any number for a dynamic one, 1 for every other (a null
// pointer stands for an optional input that is left out). 0 and null, or no BasculeLists at all:
// one for each, and where a single input (or output) is dynamic, it has what the others leave. The
// members of a list have one element type; a kernel gets a list as AscendC::ListTensorDesc reads
// it. At most 4096 tensors, 62 of them outputs.
typedef struct BasculeLists {
  uint32_t struct_bytes;  // set by the caller: sizeof(BasculeLists)
  uint32_t input_count;   // numbers in inputs: 0, or bascule_operator_input_count()
  const uint32_t* inputs;
  const uint32_t* outputs;
  uint32_t output_count;  // numbers in outputs: 0, or bascule_operator_output_count()
  uint32_t reserved;
} BasculeLists;
// The functions above and below, with lists. `input_count` and `output_count` count tensors.
BASCULE_EXPORT BasculeStatus bascule_operator_infer_lists(
    const BasculeOperator* op, const BasculeLists* lists, uint32_t input_count,
    const BasculeTensorInfo* inputs, uint32_t attribute_count, const BasculeAttribute* attributes,
    uint32_t output_count, BasculeTensorInfo* outputs);
BASCULE_EXPORT BasculeStatus bascule_operator_call_lists(
    const BasculeOperator* op, const BasculeLists* lists, uint32_t input_count,
    const BasculeTensor* const* inputs, uint32_t output_count, BasculeTensor* const* outputs,
    uint32_t attribute_count, const BasculeAttribute* attributes);

// Streams: ordered queues. A handle is what aclrtCreateStream gives, and either may be used for the
// other; null is the default stream. Work is done when it is given, so a caller that does not
// synchronise is right by luck here and wrong on hardware.
typedef void* BasculeStream;
BASCULE_EXPORT BasculeStatus bascule_stream_create(BasculeStream* out);
// Null is left alone.
BASCULE_EXPORT BasculeStatus bascule_stream_destroy(BasculeStream stream);
// The stream's error, as a status and a sentence: the first failure of a kernel on it. It stays
// until the stream is destroyed, and what comes after it is left out.
BASCULE_EXPORT BasculeStatus bascule_stream_synchronize(BasculeStream stream);

// Runs the operator in its turn on a stream, or records it when the stream is captured. What does
// not fit the schema is refused at once, and the stream goes on; a failure of the kernel is the
// stream's, and this function returns BASCULE_OK. On a stream with an error nothing is done and
// that error returned. The tensors' memory has to live until the stream was synchronised (recorded:
// as long as it is executed), their descriptions only during the call.
BASCULE_EXPORT BasculeStatus bascule_operator_call_on(
    const BasculeOperator* op, uint32_t input_count, const BasculeTensor* const* inputs,
    uint32_t output_count, BasculeTensor* const* outputs, uint32_t attribute_count,
    const BasculeAttribute* attributes, BasculeStream stream);

BASCULE_EXPORT BasculeStatus bascule_operator_call_lists_on(
    const BasculeOperator* op, const BasculeLists* lists, uint32_t input_count,
    const BasculeTensor* const* inputs, uint32_t output_count, BasculeTensor* const* outputs,
    uint32_t attribute_count, const BasculeAttribute* attributes, BasculeStream stream);

// Plans: what tiling decided for dtypes, shapes and attributes. Each is made once and kept, for
// BASCULE_PLANS (an environment variable; 16384) combinations of an operator at most, then some
// that were not used lately are dropped. A call finds its plan by itself; these functions look at
// plans, make them ahead and carry them to other processes.
typedef struct BasculePlan BasculePlan;  // the caller's until bascule_plan_release()
typedef struct BasculePlanInfo {
  uint32_t struct_bytes;  // set by the caller: sizeof(BasculePlanInfo)
  uint32_t block_count;   // 0: all outputs are empty, and nothing is launched
  uint64_t tiling_key;
  uint64_t tiling_bytes;
  const void* tiling_data;  // as long as the plan
  uint64_t workspace_bytes;
  uint32_t column;       // of the dtype lists
  uint32_t kernel_type;  // BASCULE_KERNEL_…
  uint32_t output_count;
  uint32_t reserved;
} BasculePlanInfo;
// `inputs` are known shapes and dtypes, as for inference.
BASCULE_EXPORT BasculeStatus bascule_operator_plan(const BasculeOperator* op, uint32_t input_count,
                                                   const BasculeTensorInfo* inputs,
                                                   uint32_t attribute_count,
                                                   const BasculeAttribute* attributes,
                                                   BasculePlan** out);
BASCULE_EXPORT BasculeStatus bascule_operator_plan_lists(
    const BasculeOperator* op, const BasculeLists* lists, uint32_t input_count,
    const BasculeTensorInfo* inputs, uint32_t attribute_count, const BasculeAttribute* attributes,
    BasculePlan** out);
BASCULE_EXPORT BasculeStatus bascule_plan_info(const BasculePlan* plan, BasculePlanInfo* info);
// Shape, dtype and format of an output.
BASCULE_EXPORT BasculeStatus bascule_plan_output(const BasculePlan* plan, uint32_t index,
                                                 BasculeTensorInfo* out);
BASCULE_EXPORT void bascule_plan_release(BasculePlan* plan);  // null is left alone
// Plans every entry of a JSON list (docs/c_api.md); `*count`, which may be null, is how many.
BASCULE_EXPORT BasculeStatus bascule_library_plan(const BasculeLibrary* library, const char* json,
                                                  uint64_t* count);
// Writes the plans there are to a file, or fills the cache from it. A file is for the content of
// one library and one platform; another's, and a damaged one, is refused whole. `*count` may be
// null.
BASCULE_EXPORT BasculeStatus bascule_library_plans_save(const BasculeLibrary* library,
                                                        const char* path);
BASCULE_EXPORT BasculeStatus bascule_library_plans_load(const BasculeLibrary* library,
                                                        const char* path, uint64_t* count);
// The same for one operator; of a library's file, its plans are read and the others left.
BASCULE_EXPORT BasculeStatus bascule_operator_plans_save(const BasculeOperator* op,
                                                         const char* path);
BASCULE_EXPORT BasculeStatus bascule_operator_plans_load(const BasculeOperator* op,
                                                         const char* path, uint64_t* count);

// For measurements: plans are made as if there were only so many vector cores, and so many bytes of
// unified buffer for each; 0: what the platform has, of which there is no more. An operator whose
// tiling cuts work by these numbers then runs as many blocks and takes tiles as small. Holds for
// all operators of the process until it is called again; not while calls run. Lone kernels have no
// plan.
BASCULE_EXPORT BasculeStatus bascule_plan_limits(uint32_t vector_cores, uint64_t ub_bytes);

// What happened since the library was opened.
typedef struct BasculeOperatorStatistics {
  uint32_t struct_bytes;  // set by the caller: sizeof(BasculeOperatorStatistics)
  uint32_t reserved;
  uint64_t plan_hits;
  uint64_t plan_misses;  // how often tiling ran
  uint64_t plans;        // there are now
  uint64_t plan_limit;   // there can be
  uint64_t plans_dropped;
  uint64_t plans_loaded;   // came with the library or from files
  uint64_t plan_bytes;     // memory of the plans and of what finds them
  uint64_t tiling_bytes;   // of that, tiling data
  uint64_t packed_inputs;  // tensors copied because they were not dense, and their bytes
  uint64_t packed_input_bytes;
  uint64_t unpacked_outputs;
  uint64_t unpacked_output_bytes;
  uint64_t calls;      // that succeeded
  uint64_t gradients;  // times that bascule_operator_count_gradient() was called
} BasculeOperatorStatistics;
BASCULE_EXPORT BasculeStatus bascule_operator_statistics(const BasculeOperator* op,
                                                         BasculeOperatorStatistics* statistics);
// Says that the operator's gradient was computed once. Gradients live in frameworks, so the runtime
// has to be told.
BASCULE_EXPORT void bascule_operator_count_gradient(const BasculeOperator* op);
// A number for the operator, the same for the process's life. The exported function
// bascule_aot_count_gradient, in the form that MindSpore's ops.Custom calls, takes it as an int64
// tensor of one element, counts, and copies it to its output: compiled graphs count with it.
BASCULE_EXPORT int64_t bascule_operator_number(const BasculeOperator* op);

// The name of a function, exported by this runtime's library, that runs the operator in the form
// that MindSpore's ops.Custom calls: its parameters are `input_count` inputs, then the outputs. It
// is for lone kernels, whose libraries have no such function, and throws std::runtime_error on
// failure. At most 256 per process; the same for the same arguments. `*function` lives until the
// process ends.
BASCULE_EXPORT BasculeStatus bascule_operator_aot(const BasculeOperator* op, uint32_t input_count,
                                                  const char** function);

// Reads the manifest of a library without loading it. `*json` is released with bascule_free.
BASCULE_EXPORT BasculeStatus bascule_manifest_read(const char* path, char** json);
BASCULE_EXPORT void bascule_free(void* memory);

// Looks at a library, which is read and not loaded, and tells check by check what is right and what
// is not and what to do (docs/troubleshooting.md). `wanted` is an operator that should be in it, or
// null. Without `path`, at what a build needs. What is wrong with a library is a finding, not a
// failure. `*json` is released with bascule_free.
BASCULE_EXPORT BasculeStatus bascule_doctor(const char* path, const char* wanted, char** json);

// Builds the project folder at `path` into an operator library. `options` and `*report` are JSON
// objects (docs/build.md); `*report` is released with bascule_free and is also filled on failure
// where there is something to say (the compiler's output).
BASCULE_EXPORT BasculeStatus bascule_build(const char* path, const char* options, char** report);

// Attaches the shipped observer called `name` ("count") to every launch from now on, or takes it
// away. bascule_observe_report gives what it saw since it was attached, as JSON; release with
// bascule_free.
BASCULE_EXPORT BasculeStatus bascule_observe_begin(const char* name);
BASCULE_EXPORT BasculeStatus bascule_observe_report(const char* name, char** json);
BASCULE_EXPORT BasculeStatus bascule_observe_end(const char* name);

#ifdef __cplusplus
}  // extern "C"
#define BASCULE_LAYOUT static_assert
#else
#define BASCULE_LAYOUT _Static_assert
#endif

// Where a compiler lays these out otherwise, nothing here can work: better not to compile.
#define BASCULE_AT(type, member, offset) \
  BASCULE_LAYOUT(offsetof(type, member) == (offset), "offset of " #type "::" #member)
#define BASCULE_SIZE(type, bytes) BASCULE_LAYOUT(sizeof(type) == (bytes), "size of " #type)
BASCULE_LAYOUT(sizeof(void*) == 8, "bascule needs a 64-bit platform");
// DLTensor.
BASCULE_AT(BasculeTensor, data, 0);
BASCULE_AT(BasculeTensor, device_type, 8);
BASCULE_AT(BasculeTensor, device_id, 12);
BASCULE_AT(BasculeTensor, ndim, 16);
BASCULE_AT(BasculeTensor, dtype_code, 20);
BASCULE_AT(BasculeTensor, dtype_bits, 21);
BASCULE_AT(BasculeTensor, dtype_lanes, 22);
BASCULE_AT(BasculeTensor, shape, 24);
BASCULE_AT(BasculeTensor, strides, 32);
BASCULE_AT(BasculeTensor, byte_offset, 40);
BASCULE_SIZE(BasculeTensor, 48);
BASCULE_AT(BasculeShape, rank, 0);
BASCULE_AT(BasculeShape, dims, 8);
BASCULE_SIZE(BasculeShape, 8 + 8 * BASCULE_MAX_RANK);
BASCULE_AT(BasculeTensorInfo, shape, 0);
BASCULE_AT(BasculeTensorInfo, dtype, 208);
BASCULE_AT(BasculeTensorInfo, format, 212);
BASCULE_AT(BasculeTensorInfo, present, 216);
BASCULE_AT(BasculeTensorInfo, reserved, 220);
BASCULE_SIZE(BasculeTensorInfo, 224);
BASCULE_AT(BasculeAttribute, name, 0);
BASCULE_AT(BasculeAttribute, kind, 8);
BASCULE_AT(BasculeAttribute, length, 12);
BASCULE_AT(BasculeAttribute, value, 16);
BASCULE_SIZE(BasculeAttribute, 24);
BASCULE_AT(BasculeLists, struct_bytes, 0);
BASCULE_AT(BasculeLists, input_count, 4);
BASCULE_AT(BasculeLists, inputs, 8);
BASCULE_AT(BasculeLists, outputs, 16);
BASCULE_AT(BasculeLists, output_count, 24);
BASCULE_AT(BasculeLists, reserved, 28);
BASCULE_SIZE(BasculeLists, 32);
BASCULE_AT(BasculePlanInfo, struct_bytes, 0);
BASCULE_AT(BasculePlanInfo, block_count, 4);
BASCULE_AT(BasculePlanInfo, tiling_key, 8);
BASCULE_AT(BasculePlanInfo, tiling_bytes, 16);
BASCULE_AT(BasculePlanInfo, tiling_data, 24);
BASCULE_AT(BasculePlanInfo, workspace_bytes, 32);
BASCULE_AT(BasculePlanInfo, column, 40);
BASCULE_AT(BasculePlanInfo, kernel_type, 44);
BASCULE_AT(BasculePlanInfo, output_count, 48);
BASCULE_AT(BasculePlanInfo, reserved, 52);
BASCULE_SIZE(BasculePlanInfo, 56);
BASCULE_AT(BasculeOperatorStatistics, struct_bytes, 0);
BASCULE_AT(BasculeOperatorStatistics, reserved, 4);
BASCULE_AT(BasculeOperatorStatistics, plan_hits, 8);
BASCULE_AT(BasculeOperatorStatistics, plan_misses, 16);
BASCULE_AT(BasculeOperatorStatistics, plans, 24);
BASCULE_AT(BasculeOperatorStatistics, plan_limit, 32);
BASCULE_AT(BasculeOperatorStatistics, plans_dropped, 40);
BASCULE_AT(BasculeOperatorStatistics, plans_loaded, 48);
BASCULE_AT(BasculeOperatorStatistics, plan_bytes, 56);
BASCULE_AT(BasculeOperatorStatistics, tiling_bytes, 64);
BASCULE_AT(BasculeOperatorStatistics, packed_inputs, 72);
BASCULE_AT(BasculeOperatorStatistics, packed_input_bytes, 80);
BASCULE_AT(BasculeOperatorStatistics, unpacked_outputs, 88);
BASCULE_AT(BasculeOperatorStatistics, unpacked_output_bytes, 96);
BASCULE_AT(BasculeOperatorStatistics, calls, 104);
BASCULE_AT(BasculeOperatorStatistics, gradients, 112);
BASCULE_SIZE(BasculeOperatorStatistics, 120);
#undef BASCULE_SIZE
#undef BASCULE_AT
#undef BASCULE_LAYOUT

#endif  // BASCULE_C_API_H_
