// SPDX-License-Identifier: Apache-2.0
// A failing module with its arguments. Samples are shrunk, stored and replayed.
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
  std::vector<Literal> arguments;  // one per leaf; the same on every device
  // True for invalid modules: the broken rule may concern aliases, so edits keep them.
  bool keeps_aliases = false;

  Sample Clone() const;
  backends::ExecuteRequest Request() const;
};

// Removes instructions, computations and parameters (with their arguments) that the root does not
// need. Keeps all parameters of the entry if one of them is a tuple.
void RemoveDeadCode(Sample& sample);

// Replaces `from`, an instruction of the entry (possibly the root), by a new parameter whose
// argument is `value`. Operands of `from` may become dead.
void ReplaceByParameter(Sample& sample, Instruction* from, Literal value);

// Returns the value of a constant or the argument of an entry parameter; nullptr for others.
const Literal* DataOf(const Sample& sample, const Instruction& leaf);
// Replaces the data of a leaf; the caller sets its shape. Returns false if the leaf has no data.
bool ChangeData(Sample& sample, Instruction& leaf,
                const std::function<Literal(const Literal&)>& changed);

Instruction* EntryInstruction(const Sample& sample, int64_t index);

// Returns a sample whose outputs are all arrays of the entry, in order, without parameters and
// constants unless `data` is true. Appends their positions in the entry to `indices`.
Sample WithAllValues(const Sample& sample, std::vector<int64_t>* indices = nullptr,
                     bool data = false);
// Returns the engine's values of these instructions, by index. The values are those of the first or
// last device. Returns {} if the engine cannot run the module within `limits`.
std::map<int64_t, Literal> EntryValues(const Sample& sample, backends::Backend& engine,
                                       bool last_device, const backends::LoadOptions& limits = {},
                                       bool data = false);

// Returns true if the computations have equal parameter and result shapes.
bool HaveSameSignature(const Computation& one, const Computation& other);

// Counts all instructions except parameters and constants.
int64_t CountInstructions(const Module& module);
int64_t CountElements(const Module& module);  // of the largest array

}  // namespace hlocts::fuzz
