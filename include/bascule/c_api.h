// bascule's C interface: open operator libraries, look at them, infer shapes, call operators.
//
// Usable from C11 and C++17. Every function that can fail returns a BasculeStatus and leaves a
// sentence in bascule_last_error() of the calling thread. No function throws, none keeps a pointer
// to the caller's memory after it returns, except where it says so. All functions may be called
// from several threads. Text is UTF-8 and NUL-terminated. Structures only grow at their end.
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
// shape and dtype and must not overlap inputs. Tensors with strides are packed first. Returns when
// the result is there. Refuses, before anything is launched, what does not fit the schema.
BASCULE_EXPORT BasculeStatus bascule_operator_call(const BasculeOperator* op, uint32_t input_count,
                                                   const BasculeTensor* const* inputs,
                                                   uint32_t output_count,
                                                   BasculeTensor* const* outputs,
                                                   uint32_t attribute_count,
                                                   const BasculeAttribute* attributes);

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

static_assert(sizeof(void*) == 8, "bascule needs a 64-bit platform");
static_assert(offsetof(BasculeTensor, ndim) == 16 && offsetof(BasculeTensor, dtype_code) == 20 &&
                  offsetof(BasculeTensor, shape) == 24 && offsetof(BasculeTensor, strides) == 32 &&
                  offsetof(BasculeTensor, byte_offset) == 40 && sizeof(BasculeTensor) == 48,
              "the layout of DLTensor");
#endif

#endif  // BASCULE_C_API_H_
