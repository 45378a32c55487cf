// The part of bascule's C interface that judges operators: the cases to try, results against a
// reference, gradients against differences. `bascule check` and bascule.gradcheck are made of it.
//
// The rules of c_api.h hold. Reports are JSON objects, released with bascule_free; docs/check.md
// says what is in them.
// SPDX-License-Identifier: Apache-2.0
#ifndef BASCULE_CHECK_H_
#define BASCULE_CHECK_H_

#include "bascule/c_api.h"

#ifdef __cplusplus
extern "C" {
#endif

// The cases for an operator, a JSON array. `schema` is its entry of a manifest; `options` a JSON
// object or null: "cases", the operator's own, as its reference.py gives them.
BASCULE_EXPORT BasculeStatus bascule_check_cases(const char* schema, const char* options,
                                                 char** cases);

// Fills a tensor, whatever its strides, with the numbers that a case's "fill" describes.
BASCULE_EXPORT BasculeStatus bascule_check_fill(const BasculeTensor* tensor, const char* recipe);

// What results are held against: the reference, or the operator itself where there is none.
// `inputs` holds a row-major double array for each floating input, null for the others. Writes each
// output, row-major, as double where it is floating and as int64_t otherwise. Returns 0, else the
// function of this interface that called it fails.
typedef int (*BasculeCheckFunction)(void* context, uint32_t input_count,
                                    const double* const* inputs, uint32_t output_count,
                                    void* const* outputs);

typedef struct BasculeCheck BasculeCheck;

// One case. `inputs` (null: left out) are read now; `outputs` says their shapes and element types.
// `function` and `context` live until bascule_check_close. `settings` is a JSON object: "inputs"
// and "outputs", names; "self", whether the function is the operator itself; "values", as in a
// case; "forward_ulp" and "gradient_ulp", limits in place of the usual ones. Not thread-safe.
BASCULE_EXPORT BasculeStatus bascule_check_open(const char* settings, uint32_t input_count,
                                                const BasculeTensor* const* inputs,
                                                uint32_t output_count,
                                                const BasculeTensorInfo* outputs,
                                                BasculeCheckFunction function, void* context,
                                                BasculeCheck** check);
BASCULE_EXPORT void bascule_check_close(BasculeCheck* check);

// Holds the outputs of a run against the function.
BASCULE_EXPORT BasculeStatus bascule_check_forward(BasculeCheck* check, uint32_t output_count,
                                                   const BasculeTensor* const* outputs,
                                                   char** report);

// Holds gradients against central differences. `outputs` and `douts` are what the gradient function
// was given (null: nothing), `gradients` what it returned (null: None), however many. The first
// call's douts count for all.
BASCULE_EXPORT BasculeStatus bascule_check_gradient(BasculeCheck* check, uint32_t output_count,
                                                    const BasculeTensor* const* outputs,
                                                    const BasculeTensor* const* douts,
                                                    uint32_t gradient_count,
                                                    const BasculeTensor* const* gradients,
                                                    char** report);

// Runs an operator on one worker and on several, with two patterns in fresh on-chip memory and in
// the outputs, and compares the bits. `outputs` are the inferred ones.
BASCULE_EXPORT BasculeStatus bascule_check_repeatable(
    const BasculeOperator* op, uint32_t input_count, const BasculeTensor* const* inputs,
    uint32_t output_count, const BasculeTensorInfo* outputs, uint32_t attribute_count,
    const BasculeAttribute* attributes, char** report);
// The same with lists, as bascule_operator_call_lists takes them.
BASCULE_EXPORT BasculeStatus bascule_check_repeatable_lists(
    const BasculeOperator* op, const BasculeLists* lists, uint32_t input_count,
    const BasculeTensor* const* inputs, uint32_t output_count, const BasculeTensorInfo* outputs,
    uint32_t attribute_count, const BasculeAttribute* attributes, char** report);

// Calls `call(context)` `calls` times and looks at the memory of the process. `call` returns 0,
// else this fails.
BASCULE_EXPORT BasculeStatus bascule_check_memory(int (*call)(void* context), void* context,
                                                  uint32_t calls, char** report);

// What to think of a gradient function that works: hints and warnings, from facts about it.
BASCULE_EXPORT BasculeStatus bascule_check_advice(const char* facts, char** advice);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // BASCULE_CHECK_H_
