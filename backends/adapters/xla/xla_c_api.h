// SPDX-License-Identifier: Apache-2.0
// The C interface of libhlocts_xla.so: XLA's own parser, printer, verifier, HloEvaluator, passes
// and StableHLO converter.
//
// No type of XLA's C++, protobuf or Abseil crosses this interface: modules and literals are
// serialized HloModuleProto and LiteralProto bytes.
//
// Load it with dlopen(path, RTLD_NOW | RTLD_LOCAL) from a program that has no *shared* protobuf in
// it. No function throws, but XLA may abort the process on input that breaks its invariants; a
// caller that must survive uses a worker process.
//
// Ownership: the caller owns every hlocts_xla_bytes that a call fills, and frees it with
// hlocts_xla_free. An output pointer may be null if the caller does not need the output. Every call
// sets all its outputs: the error is {NULL, 0} after a success, the result is {NULL, 0} after a
// failure. All functions are thread-safe.
//
// Build: HLOCTS_XLA_DIR="$(ci/fetch-xla)" (860 MiB, once), then `cmake --preset release
// -DHLOCTS_XLA_DIR=...` and target hlocts_xla. Without the wheel `hlo-evaluator`, StableHLO and
// single passes are unavailable. The wheel contains other versions of Abseil and protobuf than
// Debian, and the two cannot be linked together, so a worker opens this library with RTLD_LOCAL. To
// add a function, declare it here and test it in xla_c_api_test.cc.
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#if defined(__GNUC__)
#define HLOCTS_XLA_EXPORT __attribute__((visibility("default")))
#else
#define HLOCTS_XLA_EXPORT
#endif

// The version of this interface. It is incremented when a signature or a behaviour below changes.
#define HLOCTS_XLA_C_API_VERSION 2

// The status of a call. Every value except HLOCTS_XLA_OK has a message in `error`.
typedef enum {
  HLOCTS_XLA_OK = 0,
  HLOCTS_XLA_PARSE_ERROR = 1,     // XLA cannot parse the HLO text or the HloModuleProto.
  HLOCTS_XLA_VERIFY_ERROR = 2,    // The module was built, but HloVerifier rejected it.
  HLOCTS_XLA_ARGUMENT_ERROR = 3,  // A wrong count, type or shape of arguments, or a bad option.
  HLOCTS_XLA_UNIMPLEMENTED = 4,   // XLA does not implement an operation of the module.
  HLOCTS_XLA_EXECUTE_ERROR = 5,   // Any other failure of HloEvaluator.
} hlocts_xla_status;

// Bytes that the caller owns after a call. `data` is followed by a NUL that `size` does not count.
typedef struct {
  char* data;
  size_t size;
} hlocts_xla_bytes;

// Bytes that the caller lends for the duration of a call.
typedef struct {
  const char* data;
  size_t size;
} hlocts_xla_view;

typedef enum {
  HLOCTS_XLA_TEXT = 0,   // HLO text.
  HLOCTS_XLA_PROTO = 1,  // A serialized HloModuleProto.
} hlocts_xla_format;

// The named option sets of XLA's printer.
typedef enum {
  HLOCTS_XLA_PRINT_DEFAULT = 0,
  HLOCTS_XLA_PRINT_SHORT = 1,            // HloPrintOptions::ShortParsable
  HLOCTS_XLA_PRINT_CANONICAL = 2,        // HloPrintOptions::Canonical
  HLOCTS_XLA_PRINT_LARGE_CONSTANTS = 16  // A flag, or-ed in: print every constant in full.
} hlocts_xla_print;

// The HLOCTS_XLA_C_API_VERSION that the library was built with.
HLOCTS_XLA_EXPORT int32_t hlocts_xla_c_api_version(void);

// The version of XLA as one line of text, "XLA:CPU of tensorflow-cpu 2.21.0". The string is static
// and never freed.
HLOCTS_XLA_EXPORT const char* hlocts_xla_version(void);

// Frees `bytes` and sets it to {NULL, 0}. `bytes` may be null or empty.
HLOCTS_XLA_EXPORT void hlocts_xla_free(hlocts_xla_bytes* bytes);

// Parses HLO text into a serialized HloModuleProto with XLA's parser, without verification. An
// elided constant, constant({...}), is read as zeros.
HLOCTS_XLA_EXPORT hlocts_xla_status hlocts_xla_parse_text(hlocts_xla_view text,
                                                          hlocts_xla_bytes* module,
                                                          hlocts_xla_bytes* error);

// Prints a serialized HloModuleProto as HLO text. `print` is a hlocts_xla_print value.
HLOCTS_XLA_EXPORT hlocts_xla_status hlocts_xla_print_text(hlocts_xla_view module, int32_t print,
                                                          hlocts_xla_bytes* text,
                                                          hlocts_xla_bytes* error);

// Returns HLOCTS_XLA_OK if the module is valid for XLA: XLA builds it (else PARSE_ERROR), then runs
// HloVerifier (else VERIFY_ERROR) with its defaults: layout-insensitive, no mixed precision,
// replica groups checked. `format` is a hlocts_xla_format value.
HLOCTS_XLA_EXPORT hlocts_xla_status hlocts_xla_verify(hlocts_xla_view module, int32_t format,
                                                      hlocts_xla_bytes* error);

typedef enum {
  HLOCTS_XLA_STABLEHLO_TEXT = 0,      // MLIR text without locations.
  HLOCTS_XLA_STABLEHLO_BYTECODE = 1,  // The portable, versioned form.
} hlocts_xla_stablehlo_form;

// Converts StableHLO (with CHLO, as JAX prints it), as text or bytecode, to a serialized
// HloModuleProto by the converter that XLA's PJRT clients use. Returns PARSE_ERROR if `mlir` is not
// such a module or HLO cannot express it.
HLOCTS_XLA_EXPORT hlocts_xla_status hlocts_xla_from_stablehlo(hlocts_xla_view mlir,
                                                              hlocts_xla_bytes* module,
                                                              hlocts_xla_bytes* error);

// Converts a serialized HloModuleProto to StableHLO; `form` is a hlocts_xla_stablehlo_form value.
// Returns UNIMPLEMENTED if StableHLO cannot express it or the converter does not support it.
HLOCTS_XLA_EXPORT hlocts_xla_status hlocts_xla_to_stablehlo(hlocts_xla_view module, int32_t form,
                                                            hlocts_xla_bytes* mlir,
                                                            hlocts_xla_bytes* error);

// Runs one of XLA's simplifiers on a serialized HloModuleProto. The pass is named as XLA names it
// ("algsimp"); an unknown name is an ARGUMENT_ERROR that lists the known names. The module is not
// verified.
HLOCTS_XLA_EXPORT hlocts_xla_status hlocts_xla_run_pass(hlocts_xla_view module,
                                                        hlocts_xla_view pass,
                                                        hlocts_xla_bytes* rewritten,
                                                        hlocts_xla_bytes* error);

typedef struct {
  size_t struct_size;  // sizeof(hlocts_xla_evaluate_options), for later growth.
  // The iteration limit of each while loop; -1: none. A loop that exceeds it is an EXECUTE_ERROR.
  int64_t max_loop_iterations;
  // 1 selects the specialised dot kernels of HloEvaluator, 0 its general ones (the default).
  int32_t use_fast_path;
  // If 1, XLA's own expander passes first expand operations that HloEvaluator lacks (batch norm,
  // Cholesky, triangular solve, rng-bit-generator, top-k, ...), as in XLA's interpreter. If 0 (the
  // default), the module is evaluated unchanged.
  int32_t expand;
} hlocts_xla_evaluate_options;

// Runs XLA's HloEvaluator on the entry computation. `module` is a serialized HloModuleProto; it is
// built (PARSE_ERROR) but not verified. `arguments` are serialized LiteralProtos, in order: one per
// entry parameter (a tuple literal for a tuple parameter), or one per leaf of a tuple parameter,
// depth first. If `options` is null, the defaults apply. `result` is one serialized LiteralProto of
// the root's shape, a tuple literal for a tuple root.
//
// Layouts never change a value: an argument may have any layout and is copied to the parameter's
// layout; the result has the default (row-major) layout. A dynamic array is passed as a static
// array of its run-time sizes: an argument for s32[<=4] has at most 4 elements, and a result
// s32[<=4] of run-time size 3 is returned as s32[3]. Tokens are literals of element type TOKEN
// without data.
HLOCTS_XLA_EXPORT hlocts_xla_status hlocts_xla_evaluate(
    hlocts_xla_view module, const hlocts_xla_view* arguments, size_t num_arguments,
    const hlocts_xla_evaluate_options* options, hlocts_xla_bytes* result, hlocts_xla_bytes* error);

#ifdef __cplusplus
}  // extern "C"
#endif
