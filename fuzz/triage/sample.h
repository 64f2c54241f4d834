// SPDX-License-Identifier: Apache-2.0
// A module with the arguments that make it fail: it is shrunk, stored and replayed.
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

// Removes the instructions, parameters with their arguments, and computations that the root does
// not need. Parameters that are tuples stay.
void RemoveDeadCode(Sample& sample);

// `from` (in the entry) becomes a parameter with that value; its operands may become dead. Its
// uses, the root among them, see the parameter.
void ReplaceByParameter(Sample& sample, Instruction* from, Literal value);

// The value of a constant, or of an entry parameter that has an argument; otherwise nullptr.
const Literal* DataOf(const Sample& sample, const Instruction& leaf);
// Replaces that value by `changed` of it; the caller sets the leaf's shape. False: there is none.
bool ChangeData(Sample& sample, Instruction& leaf,
                const std::function<Literal(const Literal&)>& changed);

// The instruction at `index` of the entry.
Instruction* EntryInstruction(const Sample& sample, int64_t index);

// The same module with every array of the entry that is neither parameter nor constant as an
// output, in order; `indices`: their positions in the entry.
Sample WithAllValues(const Sample& sample, std::vector<int64_t>* indices = nullptr);
// The engine's value of each array instruction of the entry that is neither parameter nor constant,
// by index, on the first device or the last; empty if it cannot run the module.
std::map<int64_t, Literal> EntryValues(const Sample& sample, backends::Backend& engine,
                                       bool last_device);

// Returns true if both take and return the same shapes.
bool MayStandFor(const Computation& one, const Computation& other);

// Instructions of the entry and of all it calls, parameters and constants not counted.
int64_t CountInstructions(const Module& module);
int64_t CountElements(const Module& module);  // of the largest array

}  // namespace hlocts::fuzz

#endif  // HLOCTS_FUZZ_TRIAGE_SAMPLE_H_
