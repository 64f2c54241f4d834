// SPDX-License-Identifier: Apache-2.0
// Emits a program as a function in CUDA C++.
#pragma once

#include <string>

#include "absl/types/span.h"
#include "backends/engine/cuda/compile/packs.h"
#include "backends/engine/cuda/device/program.h"

namespace hlocts::cuda {

// The signatures of emitted functions.
inline constexpr char kCall[] = "void Call(const Value* in, Value* results) const {\n";
inline constexpr char kRun[] =
    "void Run(const ArrayInputs& in, const Loaded& l, int k, Value* results) const {\n";
inline constexpr char kTerms[] = "void Terms(const ArrayInputs& in, Value* results) const {\n";
inline constexpr char kRowTerms[] =
    "void Terms(const ArrayInputs& in, const Loaded& l, int k, Value* results) const {\n";
inline constexpr char kFinish[] = "void Finish(const FinishInputs& in, Value* results) const {\n";

// Returns a literal of type i64 in CUDA C++.
std::string Number(hl::i64 x);
// Returns an expression for the array offset of element `i` of the view.
std::string Offset(const hl::View& view);
// Returns a program as a function with signature `head`. `i` is the position in the loop. `values`
// is the name of the array that contains the parameters.
std::string FunctionText(const char* head, absl::Span<const hl::Instr> code,
                         absl::Span<const hl::View> views, const char* values,
                         const Packs* packs = nullptr);

}  // namespace hlocts::cuda
