// SPDX-License-Identifier: Apache-2.0
// The details that a reader of a failure needs first: its distance, the operands, and the
// operation.
#ifndef HLOCTS_BACKENDS_DIFFER_FAILURE_DETAILS_H_
#define HLOCTS_BACKENDS_DIFFER_FAILURE_DETAILS_H_

#include <optional>
#include <string>
#include <vector>

#include "backends/backend.h"
#include "reports/verdict_fwd.h"
#include "spec/cut/cut.h"
#include "spec/judge/acceptance_set.h"

namespace hlocts::backends {

struct Distance {
  // "3 ulps above the largest accepted value", "off by 5", "a NaN, where none is accepted"; ""
  // where the element is accepted or anything is. An ulp is a step to the next number of the type.
  std::string text;
  bool categorical = false;  // between kinds of values, not measured
};
Distance DistanceOf(const SetArray& set, const Literal& actual, int64_t index);

// The array that is leaf `number` of the module's root; nullopt: there is none.
std::optional<CutValue> ProducerOf(const Module& module, int64_t number);

// "log"; "compare:LT", "fft:RFFT", "rng:rng_normal" where each variant has a clause of its own
// (spec/clauses/of_opcodes.txt). "" when the module has no instruction of that name.
std::string OperationOf(const Module& module, const std::string& instruction);

// The line of the user's program that made the instruction: FILE:LINE (FUNCTION) by the innermost
// stack frame of its metadata, or by the metadata's source file; else its op_name. "" where the
// module does not say.
std::string SourceOf(const Module& module, const std::string& instruction);

// "HLO itself gives NaN at output 0 [1]: ORIGIN" of the first NaN among outputs that are accepted;
// "" where there is none, or its origin is not known.
std::string NanNote(const Module& module, const ExecuteRequest& request, const LoadOptions& load,
                    const std::vector<Literal>& outputs);

// "multiply.3, operands a[1] = 0, b[1] = inf": the first instruction whose value is NaN though none
// of its operands is, on the way to this element of a leaf of the root, by the reference's
// evaluation; or "input Arg_0.1[2] is NaN". "" where the reference's value is none, or more than
// one device runs.
std::string NanOriginOf(const Module& module, const ExecuteRequest& request,
                        const LoadOptions& load, int64_t output, const std::vector<int64_t>& index);

// The operands of the instruction that the failure names, at the failing element; the values are
// the reference's. Empty where they are unknown: the instruction is not in the entry, its element
// is not traced back, more than one device runs.
std::vector<reports::FailureOperand> OperandsOf(const Module& module, const ExecuteRequest& request,
                                                const LoadOptions& load,
                                                const reports::VerdictFailure& failure);

}  // namespace hlocts::backends

#endif  // HLOCTS_BACKENDS_DIFFER_FAILURE_DETAILS_H_
