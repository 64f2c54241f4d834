// SPDX-License-Identifier: Apache-2.0
// A module with the arguments that make it fail: what is shrunk, stored and replayed.
#ifndef HLOCTS_FUZZ_TRIAGE_SAMPLE_H_
#define HLOCTS_FUZZ_TRIAGE_SAMPLE_H_

#include <functional>
#include <map>
#include <memory>
#include <vector>

#include "backends/backend.h"
#include "spec/ir/literal.h"
#include "spec/ir/module_fwd.h"

namespace hlocts::fuzz {

struct Sample {
  std::unique_ptr<Module> module;
  std::vector<Literal> arguments;  // leaves, the same on every device
  // Of modules that break a rule, which may be one of aliases: they outlive changes of outputs.
  bool keeps_aliases = false;

  Sample Clone() const;
  backends::ExecuteRequest Request() const;
};

// Removes what the root does not need: instructions, parameters with their arguments, computations.
// Parameters that are tuples stay.
void RemoveDeadCode(Sample& sample);

// `from` (in the entry) becomes a parameter with that value; what it was computed from may die.
// Its uses, the root among them, see the parameter.
void ReplaceByParameter(Sample& sample, Instruction* from, Literal value);

// What a constant, or a parameter of the entry that has an argument, holds; otherwise nullptr.
const Literal* DataOf(const Sample& sample, const Instruction& leaf);
// What `changed` makes of it, in its place; the leaf's shape is the caller's. False: it holds none.
bool ChangeData(Sample& sample, Instruction& leaf,
                const std::function<Literal(const Literal&)>& changed);

// The instruction of the clone that stands where `instruction` stands in its own module's entry.
Instruction* EntryInstruction(const Sample& sample, int64_t index);

// The same module with every array of the entry that is neither parameter nor constant as an
// output, in order; `indices`: theirs.
Sample WithAllValues(const Sample& sample, std::vector<int64_t>* indices = nullptr);
// What the engine computes for each array instruction of the entry that is neither parameter nor
// constant, by index, on the first device or the last; empty when it cannot run the module.
std::map<int64_t, Literal> EntryValues(const Sample& sample, backends::Backend& engine,
                                       bool last_device);

// Both take and return the same shapes.
bool MayStandFor(const Computation& one, const Computation& other);

// Instructions of the entry and of all it calls, parameters and constants not counted.
int64_t CountInstructions(const Module& module);
int64_t CountElements(const Module& module);  // of the largest array

}  // namespace hlocts::fuzz

#endif  // HLOCTS_FUZZ_TRIAGE_SAMPLE_H_
