// SPDX-License-Identifier: Apache-2.0
// The C interface of libhlocts_xla.so: XLA's own parser, printer, verifier, HloEvaluator, passes
// and StableHLO converter.
//
// Nothing of XLA's C++, of its protobuf or of its Abseil crosses this interface: modules and
// literals travel as serialized HloModuleProto and LiteralProto bytes.
//
// Load it with dlopen(path, RTLD_NOW | RTLD_LOCAL) from a program that has no *shared* protobuf in
// it. Nothing here throws, but XLA may abort the process on input that breaks its invariants:
// a caller that must survive that uses a worker process.
//
// Ownership: every hlocts_xla_bytes filled by a call belongs to the caller, who gives it back with
// hlocts_xla_free. Output pointers may be null when the caller does not care. On every return both
// outputs are set: the one that does not apply is {NULL, 0}. All functions are thread-safe.
//
// Build: HLOCTS_XLA_DIR="$(ci/fetch-xla)" (860 MiB, once), then `cmake --preset release
// -DHLOCTS_XLA_DIR=...` and target hlocts_xla. Without it `hlo-evaluator`, StableHLO and single
// passes are unavailable. The wheel contains other versions of Abseil and protobuf than Debian,
// which cannot share a process; a worker opens this library with RTLD_LOCAL. New function: here,
// with a test in xla_c_api_test.cc.
#ifndef HLOCTS_BACKENDS_ADAPTERS_XLA_XLA_C_API_H_
#define HLOCTS_BACKENDS_ADAPTERS_XLA_XLA_C_API_H_

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

// Counts up when a signature or a meaning below changes.
#define HLOCTS_XLA_C_API_VERSION 2

// The status of a call. Every value but HLOCTS_XLA_OK has a message in `error`.
typedef enum {
  HLOCTS_XLA_OK = 0,
  HLOCTS_XLA_PARSE_ERROR = 1,     // The bytes are no HLO text, or no HloModuleProto XLA can build.
  HLOCTS_XLA_VERIFY_ERROR = 2,    // It was built, and HloVerifier refused it.
  HLOCTS_XLA_ARGUMENT_ERROR = 3,  // Wrong count, type or shape of arguments, or a bad option.
  HLOCTS_XLA_UNIMPLEMENTED = 4,   // XLA says it does not implement an operation of the module.
  HLOCTS_XLA_EXECUTE_ERROR = 5,   // Any other failure while the evaluator ran.
} hlocts_xla_status;

// Bytes owned by the caller once returned. `data` is followed by a NUL that `size` does not count.
typedef struct {
  char* data;
  size_t size;
} hlocts_xla_bytes;

// Bytes the caller lends for the length of a call.
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
  HLOCTS_XLA_PRINT_LARGE_CONSTANTS = 16  // Flag, or-ed in: print every constant in full.
} hlocts_xla_print;

// HLOCTS_XLA_C_API_VERSION the library was built with.
HLOCTS_XLA_EXPORT int32_t hlocts_xla_c_api_version(void);

// The version of XLA, one line of text: "XLA:CPU of tensorflow-cpu 2.21.0". Static storage, never
// freed.
HLOCTS_XLA_EXPORT const char* hlocts_xla_version(void);

// Gives `bytes` back and sets it to {NULL, 0}. Null and empty are fine.
HLOCTS_XLA_EXPORT void hlocts_xla_free(hlocts_xla_bytes* bytes);

// HLO text -> serialized HloModuleProto, by XLA's parser, unverified. A constant that the text
// leaves out, constant({...}), is read as zeros.
HLOCTS_XLA_EXPORT hlocts_xla_status hlocts_xla_parse_text(hlocts_xla_view text,
                                                          hlocts_xla_bytes* module,
                                                          hlocts_xla_bytes* error);

// Serialized HloModuleProto -> HLO text, by XLA's printer; `print` is a hlocts_xla_print value.
HLOCTS_XLA_EXPORT hlocts_xla_status hlocts_xla_print_text(hlocts_xla_view module, int32_t print,
                                                          hlocts_xla_bytes* text,
                                                          hlocts_xla_bytes* error);

// Returns true if the module is valid for XLA: builds it (PARSE_ERROR), then runs HloVerifier on it
// (VERIFY_ERROR) with its own defaults: layout-insensitive, no mixed precision, replica groups
// checked. `format` is a hlocts_xla_format value.
HLOCTS_XLA_EXPORT hlocts_xla_status hlocts_xla_verify(hlocts_xla_view module, int32_t format,
                                                      hlocts_xla_bytes* error);

typedef enum {
  HLOCTS_XLA_STABLEHLO_TEXT = 0,      // MLIR text without locations.
  HLOCTS_XLA_STABLEHLO_BYTECODE = 1,  // The portable, versioned form.
} hlocts_xla_stablehlo_form;

// StableHLO (with CHLO, as JAX prints it), text or bytecode -> serialized HloModuleProto, by the
// converter that XLA's PJRT clients use. PARSE_ERROR: no such module, or one that has no HLO.
HLOCTS_XLA_EXPORT hlocts_xla_status hlocts_xla_from_stablehlo(hlocts_xla_view mlir,
                                                              hlocts_xla_bytes* module,
                                                              hlocts_xla_bytes* error);

// Serialized HloModuleProto -> StableHLO; `form` is a hlocts_xla_stablehlo_form value.
// UNIMPLEMENTED: StableHLO cannot say it, or the converter does not know how.
HLOCTS_XLA_EXPORT hlocts_xla_status hlocts_xla_to_stablehlo(hlocts_xla_view module, int32_t form,
                                                            hlocts_xla_bytes* mlir,
                                                            hlocts_xla_bytes* error);

// Runs one of XLA's simplifiers on a serialized HloModuleProto, by the name it gives itself
// ("algsimp"; an unknown one is an ARGUMENT_ERROR that lists the known). The module is not
// verified.
HLOCTS_XLA_EXPORT hlocts_xla_status hlocts_xla_run_pass(hlocts_xla_view module,
                                                        hlocts_xla_view pass,
                                                        hlocts_xla_bytes* rewritten,
                                                        hlocts_xla_bytes* error);

typedef struct {
  size_t struct_size;  // sizeof(hlocts_xla_evaluate_options), for later growth.
  // Budget of one while loop; -1 is no limit. A loop that runs over it is an EXECUTE_ERROR.
  int64_t max_loop_iterations;
  // 1: the specialised dot kernels of HloEvaluator, 0: its general ones (the default).
  int32_t use_fast_path;
  // 1: first rewrite what HloEvaluator lacks into what it has (batch norm, Cholesky, triangular
  // solve, rng-bit-generator, top-k, ...) with XLA's own expander passes, as XLA's interpreter
  // does. 0: the module as it is (the default).
  int32_t expand;
} hlocts_xla_evaluate_options;

// XLA's HloEvaluator on the entry computation. `module`: serialized HloModuleProto (it is built
// first: PARSE_ERROR; it is not verified). `arguments`: serialized LiteralProto, in order, either
// one per entry parameter (a tuple parameter as a tuple literal) or, for any tuple parameter, its
// leaves depth first. `options` null: the defaults. `result`: one serialized LiteralProto of the
// root's shape, a tuple root as a tuple literal of any depth.
//
// Layouts never change a value: an argument may come in any layout and is relaid to the
// parameter's; the result is in the default (row-major) layout. A bounded dynamic dimension
// travels at its actual size in a static shape: an argument for s32[<=4] has at most 4 elements,
// and a result s32[<=4] that holds 3 comes back as s32[3]. Tokens are literals of element type
// TOKEN without data.
HLOCTS_XLA_EXPORT hlocts_xla_status hlocts_xla_evaluate(
    hlocts_xla_view module, const hlocts_xla_view* arguments, size_t num_arguments,
    const hlocts_xla_evaluate_options* options, hlocts_xla_bytes* result, hlocts_xla_bytes* error);

#ifdef __cplusplus
}  // extern "C"
#endif

#endif  // HLOCTS_BACKENDS_ADAPTERS_XLA_XLA_C_API_H_
