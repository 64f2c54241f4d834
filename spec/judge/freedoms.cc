// SPDX-License-Identifier: Apache-2.0
#include "spec/judge/freedoms.h"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "spec/judge/interval_columns.h"

namespace hlocts {
namespace {

// Returns nullptr if the origin is not an instruction.
const OpRow* RowOfOrigin(const Origin& origin) {
  const std::optional<Opcode> opcode = OpcodeFromName(origin.opcode);
  return opcode ? &RowOf(*opcode) : nullptr;
}

// Returns the freedom that the documents give to the operation itself. If the operation's row has
// none, the documents leave values open only for complex operands.
Freedom OpenOf(const Origin& origin) {
  const OpRow* row = RowOfOrigin(origin);
  if (row == nullptr) return Freedom::kNone;
  if (row->freedom != Freedom::kNone) return row->freedom;
  return Contains(row->types, PrimitiveType::kC64) ? Freedom::kComplexSpecials : Freedom::kNone;
}

}  // namespace

Freedom FreedomOf(WideningCause cause, const Origin& origin) {
  switch (cause) {
    case WideningCause::kSum:
    case WideningCause::kProduct:
      return Freedom::kReductionOrder;
    case WideningCause::kUnderflow:
      return Freedom::kSubnormals;
    case WideningCause::kContract:
      return Freedom::kSkippedRounding;
    case WideningCause::kDoubleRound:
      return Freedom::kDoubleRounding;
    case WideningCause::kZeroSign:
      return Freedom::kZeroSigns;
    case WideningCause::kInit:
      return Freedom::kInitInsertions;
    case WideningCause::kReading:
    case WideningCause::kParts:
      return Freedom::kOperandReadings;
    case WideningCause::kFormat:
      return Freedom::kNoSuchValue;
    case WideningCause::kFreedom:
      return OpenOf(origin);
    case WideningCause::kPoint:
    case WideningCause::kUlps:
    case WideningCause::kOverflow:
    case WideningCause::kNan:
    case WideningCause::kJump:
    case WideningCause::kJoint:
    case WideningCause::kUnknown:
      break;
  }
  return Freedom::kNone;
}

namespace {

// Collects the distinct pairs of cause and origin, and looks up the freedom of each once.
class Collector {
 public:
  explicit Collector(const ModuleAcceptance& accepted)
      : accepted_(accepted), origins_(accepted.origins.size() + 1), seen_(kCauses * origins_) {}
  // Adds packed causes. Most blocks contain only the first kMet distinct causes and are skipped.
  void AddPacked(const uint32_t* causes, int64_t count) {
    constexpr int64_t kBlock = 256;
    for (int64_t first = 0; first < count; first += kBlock) {
      const int64_t length = std::min(kBlock, count - first);
      if (!OnlyKnown(causes + first, length)) AddEach(causes + first, length);
    }
  }
  // Branch-free, because the next cause is unpredictable.
  void Add(WideningCause cause, uint32_t origin) {
    const size_t known =
        std::min<size_t>(origin, origins_ - 1);  // larger indices have no instruction
    seen_[static_cast<size_t>(cause) * origins_ + known] = 1;
  }
  void LookUp() {
    for (size_t at = 0; at < seen_.size(); ++at) {
      const auto cause = static_cast<WideningCause>(at / origins_);
      if (seen_[at] == 0 || cause == WideningCause::kPoint) continue;
      Insert(FreedomOf(cause, accepted_.OriginOf(static_cast<uint32_t>(at % origins_))));
    }
  }
  void Insert(Freedom freedom) {
    if (freedom != Freedom::kNone) names_.insert(std::string(FreedomName(freedom)));
  }
  std::vector<std::string> Names() const { return {names_.begin(), names_.end()}; }

 private:
  bool OnlyKnown(const uint32_t* causes, int64_t count) const {
    const uint32_t a = met_[0], b = met_[1], c = met_[2], d = met_[3];
    uint32_t others = 0;
    for (int64_t i = 0; i < count; ++i) {
      const uint32_t x = causes[i];
      others |= static_cast<uint32_t>((x != a) & (x != b) & (x != c) & (x != d));
    }
    return others == 0;
  }
  void AddEach(const uint32_t* causes, int64_t count) {
    for (int64_t i = 0; i < count; ++i) {
      Add(IntervalColumns::TermOf(causes[i]), IntervalColumns::OriginOf(causes[i]));
      if (met_count_ < kMet && std::find(met_, met_ + kMet, causes[i]) == met_ + kMet) {
        met_[met_count_++] = causes[i];
      }
    }
  }

  static constexpr size_t kCauses = static_cast<size_t>(kLastWideningCause) + 1;
  static constexpr int kMet = 4;
  const ModuleAcceptance& accepted_;
  size_t origins_;
  std::vector<uint8_t> seen_;
  uint32_t met_[kMet] = {~0u, ~0u, ~0u, ~0u};  // no packed cause has this value
  int met_count_ = 0;
  std::set<std::string> names_;
};

void AddFreedoms(const ModuleAcceptance& accepted, const SetArray& set, Collector& collector) {
  if (set.joint != nullptr) {
    const OpRow* row = RowOfOrigin(accepted.OriginOf(set.origin));
    if (row != nullptr) collector.Insert(row->freedom);
  }
  if (set.exact()) {
    for (int64_t i = 0; set.zero_sign_free && i < set.element_count() * set.components(); ++i) {
      if (set.At(i / set.components(), i % set.components()).cause == WideningCause::kZeroSign)
        return collector.Insert(Freedom::kZeroSigns);
    }
    return;
  }
  if (const IntervalColumns* columns = set.columns().get()) {
    // Elements that are not ordinary (interval_columns.h) also have a cause in the column.
    return collector.AddPacked(columns->causes(), columns->count());
  }
  for (const AcceptanceSet& s : set.sets()) collector.Add(s.cause, s.origin);
}

}  // namespace

std::vector<std::string> FreedomsOf(const ModuleAcceptance& accepted) {
  Collector collector(accepted);
  for (const LeafAcceptance& leaf : accepted.leaves) {
    if (!leaf.token) AddFreedoms(accepted, leaf.set, collector);
  }
  collector.LookUp();
  return collector.Names();
}

}  // namespace hlocts
