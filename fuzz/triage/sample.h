// SPDX-License-Identifier: Apache-2.0
// A failing module with its arguments, which is shrunk, stored and replayed.
#pragma once

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
  // Set for invalid modules: the broken rule may be about aliases, so edits keep them.
  bool keeps_aliases = false;

  Sample Clone() const;
  backends::ExecuteRequest Request() const;
};

// Removes instructions and computations that the root does not need, and parameters together with
// their arguments. Parameters that are tuples remain.
void RemoveDeadCode(Sample& sample);

// Replaces `from`, an instruction of the entry (possibly the root), by a new parameter whose
// argument is `value`. Operands of `from` may become dead.
void ReplaceByParameter(Sample& sample, Instruction* from, Literal value);

// Returns the value of a constant, or the argument of an entry parameter, else nullptr.
const Literal* DataOf(const Sample& sample, const Instruction& leaf);
// Replaces the data of a leaf; the caller sets its shape. Returns false if there are no data.
bool ChangeData(Sample& sample, Instruction& leaf,
                const std::function<Literal(const Literal&)>& changed);

Instruction* EntryInstruction(const Sample& sample, int64_t index);

// Returns the module with every array of the entry as an output, in order, except parameters and
// constants. Appends their positions in the entry to `indices`.
Sample WithAllValues(const Sample& sample, std::vector<int64_t>* indices = nullptr);
// Returns the engine's values of the entry's array instructions, except parameters and constants,
// by index. The values are those of the first or last device; {} if the engine cannot run the
// module.
std::map<int64_t, Literal> EntryValues(const Sample& sample, backends::Backend& engine,
                                       bool last_device);

// Returns true if both have the same parameter and result shapes.
bool HaveSameSignature(const Computation& one, const Computation& other);

// Counts all instructions except parameters and constants.
int64_t CountInstructions(const Module& module);
int64_t CountElements(const Module& module);  // of the largest array

}  // namespace hlocts::fuzz
