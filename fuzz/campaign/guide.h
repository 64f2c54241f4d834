// SPDX-License-Identifier: Apache-2.0
// Guided generation: choices that showed new cells lately are drawn more often. The weights of an
// epoch follow from the modules of the epochs before it, so that module `number` is still a
// function of the seed.
#ifndef HLOCTS_FUZZ_CAMPAIGN_GUIDE_H_
#define HLOCTS_FUZZ_CAMPAIGN_GUIDE_H_

#include <array>
#include <memory>
#include <mutex>
#include <vector>

#include "fuzz/campaign/campaign.h"
#include "fuzz/campaign/coverage.h"
#include "spec/ir/opcode.h"

namespace hlocts::fuzz {

class Guide {
 public:
  static constexpr int64_t kEpoch = 1000;  // modules

  explicit Guide(const CampaignOptions& options);

  // Makes module `number`. Modules of earlier epochs that were not made in turn are made again for
  // their cells. Thread-safe.
  generators::Generated Make(int64_t number);
  int64_t cells();

 private:
  // How often a choice was drawn, and with a new cell; old epochs count less and less.
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
  int64_t observed_ = 0;  // modules 0 to this one count
  std::vector<std::shared_ptr<const generators::DrawWeights>> weights_;  // by epoch
  Cells cells_;
  std::array<Yield, kOpcodeCount> opcodes_ = {};
  std::array<Yield, 64> types_ = {};
};

}  // namespace hlocts::fuzz

#endif  // HLOCTS_FUZZ_CAMPAIGN_GUIDE_H_
