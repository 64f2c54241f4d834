// SPDX-License-Identifier: Apache-2.0
// Buckets: findings that are probably one defect. A signature describes one failure exactly; a
// bucket joins the signatures that one defect may cause. It distinguishes only classes of element
// types and of wrong values, and keeps the smallest of several sets of operations.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "fuzz/triage/failure_traits.h"

namespace hlocts::fuzz {

struct BucketKey {
  std::string kind;                     // e.g. "fail", "rejected", "flaky fail"
  std::vector<std::string> operations;  // sorted; empty if a message suffices
  bool together = false;                // wrong only when compiled together
  std::vector<std::string> traits;      // of an operand, e.g. "empty", "batched"
  std::set<std::string> needs;          // those of failure_traits.h that are relevant
  std::string rest;                     // size, class of types and signature; or the message

  std::string Name() const;  // e.g. "fail dot float value"
};

// Returns true if all operations only move elements; then all element types are equivalent.
bool OnlyMoves(const std::vector<std::string>& operations);
// Returns true if all operations put elements in order.
bool OnlyOrders(const std::vector<std::string>& operations);

// Returns the bucket of a finding with a shrunk module.
BucketKey BucketOf(const std::string& signature, const FailureTraits& remains);
// Returns true if operations, traits and needs of `general` are subsets of those of `special` and
// the keys are otherwise equal. The needs must be empty in both or in neither.
bool Covers(const BucketKey& general, const BucketKey& special);

// A set of keys, none of which covers another. If an engine accepts modules that break three rules
// of one operation, one key replaces the three keys, since the engine does not check the operation.
class BucketSet {
 public:
  // Adds `key`, unless a key of the set covers it. Returns the name of the key that now represents
  // `key`. Removes the keys that this key covers, and appends their names to `absorbed`.
  std::string Add(const BucketKey& key, std::vector<std::string>* absorbed);

 private:
  std::map<std::string, BucketKey> keys_;
};

}  // namespace hlocts::fuzz
