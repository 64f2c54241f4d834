// SPDX-License-Identifier: Apache-2.0
// Finds the details of a failure that users need first: its distance, operands and operation.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "backends/backend.h"
#include "backends/differ/elements_read.h"
#include "reference/judge/module_sets.h"
#include "reports/verdict_fwd.h"
#include "reports/verdict_parts.h"
#include "spec/cut/cut.h"
#include "spec/judge/acceptance_set.h"
#include "spec/judge/judge.h"

namespace hlocts::backends {

struct Distance {
  // The distance from the set: "3 ulps above the largest accepted value", "off by 5", "a NaN, where
  // none is accepted". It is "" if the element is accepted or every value is acceptable. An ulp is
  // a step to the next number of the type.
  std::string text;
  bool categorical = false;  // differs in kind (NaN, infinity), has no distance
  bool only_nan = false;     // the wrong parts are numbers, but only NaN is accepted
};
Distance DistanceOf(const SetArray& set, const Literal& actual, int64_t index);

// Returns the instruction and index whose array is leaf `number` of the module's root; nullopt if
// there is none.
std::optional<CutValue> ProducerOf(const Module& module, int64_t number);

// Several computations may have an instruction of the same name. These functions then prefer one
// with `operation`, an opcode ("compare:LT" too) or the name of a file of clauses.

// Returns the operation of the named instruction: "log", or, if each variant has its own clause,
// "compare:LT", "fft:RFFT" or "rng:rng_normal" (spec/clauses/of_opcodes.txt). "" if there is none.
std::string OperationOf(const Module& module, const std::string& instruction,
                        absl::string_view operation = "");

// Returns the instruction, or nullptr.
const Instruction* FindInstruction(const Module& module, const std::string& name,
                                   absl::string_view operation = "");

// Returns the element type of the instruction's first operand, or of its result if it has none;
// "" if there is no such instruction or array.
std::string TypeOf(const Module& module, const std::string& instruction,
                   absl::string_view operation = "");

// Returns the line of the user's program that made the instruction: FILE:LINE (FUNCTION) from the
// innermost stack frame of its metadata or, without frames, from the metadata's source file. If
// there is no file, returns the op_name; "" if the instruction has no metadata.
std::string SourceOf(const Module& module, const std::string& instruction,
                     absl::string_view operation = "");

// Computes the acceptance sets of the module again, with a watch.
using SetWalk = std::function<void(const reference::SetWatch& watch)>;

// Adds the note "HLO itself gives NaN at output 0 [1]: ORIGIN" on the first NaN in accepted outputs
// where only NaN is permitted or, if there is none, "HLO permits NaN at ..." on the first NaN, and
// records its position in the verdict. `sets` are those of the outputs.
void AddNanNote(const Module& module, const ExecuteRequest& request, const LoadOptions& load,
                const std::vector<std::vector<Literal>>& outputs,
                const std::vector<ModuleAcceptance>& sets, const SetWalk& walk,
                reports::Verdict& verdict);

// The origin of a NaN in an element of a root leaf, from an evaluation by the reference. It is the
// first instruction on the path, also within calls and fusions, that computes a NaN from operands
// without NaN; in place of a constant, an input with NaN. Its text is "multiply.3, operands a[1] =
// 0, b[1] = inf" or "input Arg_0.1[2] is NaN", "constant.3; input Arg_0.1[2] is NaN"; with several
// devices, "multiply.3 on device 1, ...". If the module has the source (SourceOf), "; source
// FILE:LINE" follows. The text is empty if the reference's value is not NaN. With `walk`, a NaN is
// one that the sets permit, and the operands have their sets: "divide.3, operands a[1] = 1e-39 (may
// be flushed to 0), b[1] = [0, 2]".
struct NanOrigin {
  std::string text;
  bool is_an_input = false;
  DeviceElement in_entry;  // the origin or, if it is inside a call, the same element of the call
  std::string source;      // SourceOf the origin
};
NanOrigin NanOriginOf(const Module& module, const ExecuteRequest& request, const LoadOptions& load,
                      const reports::OutputElement& at, const SetWalk& walk = nullptr);

// Returns true if the failing output holds indices of a TopK, and the elements at the returned
// index and at the accepted one are equal, with the reference's values.
bool IsTie(const Module& module, const ExecuteRequest& request, const LoadOptions& load,
           const reports::VerdictFailure& failure, int64_t returned, int64_t accepted);

// Traces the failing element back, through data movement and elementwise instructions, to an
// element of an instruction of the entry computation. Returns nullopt if it cannot be traced.
std::optional<std::vector<int64_t>> TracedIndex(const Module& module,
                                                const reports::VerdictFailure& failure,
                                                const std::string& instruction);

// Returns the operands of the instruction that the failure names, at the failing element, with the
// reference's values. Returns none if they are unknown, i.e. if the instruction is not in the entry
// computation, its element cannot be traced, or more than one device runs.
std::vector<reports::FailureOperand> OperandsOf(const Module& module, const ExecuteRequest& request,
                                                const LoadOptions& load,
                                                const reports::VerdictFailure& failure);

}  // namespace hlocts::backends
