// SPDX-License-Identifier: Apache-2.0
// A cell is a kind of instruction in a campaign: opcode, types, ranks and classes of attributes.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "fuzz/campaign/campaign.h"
#include "spec/ir/module_fwd.h"
#include "spec/ir/opcode.h"

namespace hlocts::fuzz {

// Returns the cell of one instruction: opcode, types and classes of attributes. The class of a word
// or truth value is the value; of a number, whether it is negative, 0, 1, 2 or larger; of a window
// or padding, its non-default properties; of a computation, the opcode of its root. For tuples and
// callers, uses only the first type and the numbers of arrays and operands.
uint64_t CellOf(const Instruction& instruction);

using Cells = absl::flat_hash_set<uint64_t>;
// Adds the cells of all instructions except parameters and constants.
void AddCells(const Module& module, Cells& cells);

// Guides generation: choices that recently reached new cells are drawn more often. An epoch is a
// range of module numbers whose weights depend only on the modules of earlier epochs. Module
// `number` is therefore still a function of the seed.
class Guide {
 public:
  static constexpr int64_t kEpoch = 1000;  // modules

  explicit Guide(const CampaignOptions& options);

  // Generates module `number`. If the modules of earlier epochs have not been generated in order,
  // first generates them again. Thread-safe.
  generators::Generated Make(int64_t number);
  int64_t cells();

 private:
  // The number of instructions with an opcode or type, and of those with a new cell. Counts decay.
  struct Yield {
    double met = 0, fresh = 0;
  };
  std::shared_ptr<const generators::DrawWeights> WeightsFor(int64_t number);
  generators::Generated MakeWith(int64_t number,
                                 std::shared_ptr<const generators::DrawWeights> weights) const;
  void Observe(const generators::Generated& made);
  void EndEpoch();

  const CampaignOptions options_;
  std::mutex mutex_;
  int64_t observed_ = 0;  // number of modules that have been counted, in order
  std::vector<std::shared_ptr<const generators::DrawWeights>> weights_;  // by epoch
  Cells cells_;
  std::array<Yield, kOpcodeCount> opcodes_ = {};
  std::array<Yield, 64> types_ = {};
};

}  // namespace hlocts::fuzz
