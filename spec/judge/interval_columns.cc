// SPDX-License-Identifier: Apache-2.0
#include "spec/judge/interval_columns.h"

#include <algorithm>
#include <cstdlib>
#include <limits>

#include "spec/base/array_memory.h"
#include "spec/base/status.h"

namespace hlocts {
namespace {

using Flag = AcceptanceSet::Flag;
constexpr double kNotOrdinary = std::numeric_limits<double>::quiet_NaN();
// Columns are used if at most 1/kRestShare of the elements are not ordinary.
constexpr int64_t kRestShare = 8;

// Keeps large blocks of destroyed columns for reuse. The next instruction often needs the same
// size, and requesting fresh pages from the system costs more than filling them.
class BlockPool {
 public:
  void* Take(size_t bytes) {
    for (auto block = blocks_.begin(); block != blocks_.end(); ++block) {
      if (block->first != bytes) continue;
      void* data = block->second;
      blocks_.erase(block);
      held_ -= bytes;
      return data;
    }
    void* data = AllocateArray(bytes);
    HLOCTS_CHECK(data != nullptr);
    return data;
  }
  void Give(void* data, size_t bytes) {
    const bool full = blocks_.size() >= kBlocks || held_ + bytes > kMost;
    if (bytes < kLeast || full) return std::free(data);
    blocks_.emplace_back(bytes, data);
    held_ += bytes;
  }
  ~BlockPool() {
    for (const auto& [bytes, data] : blocks_) std::free(data);
  }

 private:
  static constexpr size_t kLeast = 64 << 10, kMost = 64 << 20, kBlocks = 16;
  size_t held_ = 0;  // total bytes of blocks_
  std::vector<std::pair<size_t, void*>> blocks_;
};
BlockPool& Pool() {
  static thread_local BlockPool pool;
  return pool;
}

}  // namespace

void IntervalColumns::ReturnToPool::operator()(void* data) const { Pool().Give(data, bytes); }

IntervalColumns::IntervalColumns(int64_t count, bool hull, bool contractible)
    : count_(count), contractible_(contractible) {
  // One block contains all columns; the column of 32-bit causes is last.
  size_t doubles = static_cast<size_t>(count) * (hull ? 4 : 2);
  size_t bytes = doubles * sizeof(double) + static_cast<size_t>(count) * sizeof(uint32_t);
  block_ = std::unique_ptr<void, ReturnToPool>(Pool().Take(bytes), ReturnToPool{bytes});
  lo_ = static_cast<double*>(block_.get());
  hi_ = lo_ + count;
  rlo_ = hull ? hi_ + count : nullptr;
  rhi_ = hull ? rlo_ + count : nullptr;
  causes_ = reinterpret_cast<uint32_t*>(lo_ + doubles);
}

void IntervalColumns::Append(int64_t i, const AcceptanceSet& set) {
  lo_[i] = hi_[i] = kNotOrdinary;
  if (has_pre_rounding()) rlo_[i] = rhi_[i] = kNotOrdinary;
  causes_[i] = PackCause(set.cause, set.origin);
  HLOCTS_CHECK(rest_.empty() || rest_.back().first < i);
  rest_.emplace_back(i, set);
}

AcceptanceSet IntervalColumns::At(int64_t i) const {
  if (!ordinary(i)) {
    auto found = std::lower_bound(rest_.begin(), rest_.end(), i,
                                  [](const auto& entry, int64_t at) { return entry.first < at; });
    HLOCTS_CHECK(found != rest_.end() && found->first == i);
    return found->second;
  }
  AcceptanceSet s;
  s.flags = Flag::kFinite;
  s.lo = s.rlo = lo_[i];
  s.hi = s.rhi = hi_[i];
  if (s.lo == 0) s.flags |= std::signbit(s.lo) ? Flag::kNegZero : Flag::kPosZero;
  if (has_pre_rounding()) {
    s.rlo = rlo_[i];
    s.rhi = rhi_[i];
    if (s.rlo != s.lo || s.rhi != s.hi) s.flags |= Flag::kPreRounding;
    if (contractible_) MarkContractible(s);
  }
  s.cause = TermOf(causes_[i]);
  s.origin = OriginOf(causes_[i]);
  return s;
}

std::vector<AcceptanceSet> IntervalColumns::ToSets() const {
  std::vector<AcceptanceSet> sets;
  sets.reserve(static_cast<size_t>(count_));
  auto next = rest_.begin();
  for (int64_t i = 0; i < count_; ++i) {
    if (ordinary(i)) {
      sets.push_back(At(i));
    } else {
      sets.push_back((next++)->second);
    }
  }
  return sets;
}

bool IntervalColumns::AllPoints() const {
  for (int64_t i = 0; i < count_; ++i) {
    if (ordinary(i) && lo_[i] != hi_[i]) return false;
  }
  for (int64_t i = 0; has_pre_rounding() && i < count_; ++i) {
    if (ordinary(i) && (rlo_[i] != lo_[i] || rhi_[i] != hi_[i])) return false;
  }
  return true;
}

bool IsOrdinary(const AcceptanceSet& s, const FloatFacts& facts) {
  constexpr uint16_t kZeros = Flag::kPosZero | Flag::kNegZero;
  uint16_t more = s.flags & ~(Flag::kPreRounding | Flag::kContractible);
  if (s.Has(Flag::kPreRounding)) {
    bool around = s.rlo <= s.lo && s.rhi >= s.hi;
    bool normal = s.rlo >= facts.min_normal || s.rhi <= -facts.min_normal;
    if (!around || !normal) return false;
  }
  if (s.lo == 0 || s.hi == 0) {
    uint16_t zero = std::signbit(s.lo) ? Flag::kNegZero : Flag::kPosZero;
    bool same = s.lo == s.hi && std::signbit(s.lo) == std::signbit(s.hi);
    return same && (more & ~kZeros) == Flag::kFinite && (more & kZeros) == zero &&
           !s.Has(Flag::kPreRounding);
  }
  return more == Flag::kFinite && (s.lo > 0) == (s.hi > 0) && OrdinaryNumber(s.lo, facts) &&
         OrdinaryNumber(s.hi, facts);
}

std::shared_ptr<const IntervalColumns> ColumnsOf(const SetArray& array) {
  if (array.columns() != nullptr) return array.columns();
  if (!IsFloat(array.element_type())) return nullptr;
  const FloatFacts& facts = FactsOf(array.element_type());
  int64_t count = array.element_count(), rest = 0;
  bool hull = false, contractible = false, other = false;
  if (!array.exact()) {
    for (const AcceptanceSet& s : array.sets()) {
      bool ordinary = IsOrdinary(s, facts);
      rest += !ordinary;
      if (!ordinary || !s.Has(Flag::kPreRounding | Flag::kContractible)) continue;
      hull = true;
      (s.Has(Flag::kContractible) ? contractible : other) = true;
    }
  }
  if ((contractible && other) || rest > count / kRestShare) return nullptr;
  auto columns = std::make_shared<IntervalColumns>(count, hull, contractible);
  for (int64_t i = 0; i < count; ++i) {
    AcceptanceSet s = array.At(i);
    if (!IsOrdinary(s, facts)) {
      columns->Append(i, s);
      continue;
    }
    columns->lo()[i] = s.lo;
    columns->hi()[i] = s.hi;
    columns->causes()[i] = IntervalColumns::PackCause(s.cause, s.origin);
    if (!hull) continue;
    columns->rlo()[i] = s.Has(Flag::kPreRounding) ? s.rlo : s.lo;
    columns->rhi()[i] = s.Has(Flag::kPreRounding) ? s.rhi : s.hi;
  }
  return columns;
}

}  // namespace hlocts
