// SPDX-License-Identifier: Apache-2.0
// Cells: the kinds of instructions in a campaign, by opcode, types, ranks and attribute classes.
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

// Returns the cell of one instruction: opcode, types and classes of attributes. The class of an
// attribute is its presence only; its word or truth value; its number as 0, 1, 2 or more; or the
// set of non-default properties of a window or padding. For tuples and callers, only the first
// array and the number of arrays count.
uint64_t CellOf(const Instruction& instruction);

using Cells = absl::flat_hash_set<uint64_t>;
// Adds the cells of all instructions except parameters and constants.
void AddCells(const Module& module, Cells& cells);

// Guided generation: choices that recently reached new cells are drawn more often. An epoch is a
// range of module numbers, whose weights depend only on modules of earlier epochs. Module `number`
// is therefore still a function of the seed.
class Guide {
 public:
  static constexpr int64_t kEpoch = 1000;  // modules

  explicit Guide(const CampaignOptions& options);

  // Generates module `number`. Its weights depend on the cells of modules of earlier epochs. If
  // these have not been generated in order, generates them again first. Thread-safe.
  generators::Generated Make(int64_t number);
  int64_t cells();

 private:
  // How often a choice was drawn, and how often with a new cell. Counts of earlier epochs decay.
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
