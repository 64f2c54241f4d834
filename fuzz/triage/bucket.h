// SPDX-License-Identifier: Apache-2.0
// Buckets: findings that are probably one fault. A signature describes one failure exactly. A
// bucket joins signatures that one fault may cause. It has classes of element types, one class of
// wrong numbers, and the smallest of several sets of operations.
#pragma once

#include <map>
#include <set>
#include <string>
#include <vector>

#include "fuzz/triage/failure_traits.h"

namespace hlocts::fuzz {

struct BucketKey {
  std::string kind;                     // "fail", "rejected", "flaky fail"
  std::vector<std::string> operations;  // sorted; empty if a message suffices
  bool together = false;                // wrong only when compiled together
  std::vector<std::string> traits;      // of an operand: "empty", "batched"
  std::set<std::string> needs;          // those in failure_traits.h that are relevant
  std::string rest;                     // size, class of types, signature; or the message

  std::string Name() const;  // "fail dot float value"
};

// Returns true if all operations only move elements, so that all values are equivalent.
bool OnlyMoves(const std::vector<std::string>& operations);
// Returns true if all operations put elements in order.
bool OnlyOrders(const std::vector<std::string>& operations);

// Returns the bucket of a finding with a shrunk module.
BucketKey BucketOf(const std::string& signature, const FailureTraits& remains);
// Returns true if operations, traits and needs of `general` are subsets of those of `special` and
// the keys are otherwise equal. The needs must be empty in both or in neither.
bool Covers(const BucketKey& general, const BucketKey& special);

// A set of keys, none of which covers another. If an engine accepts modules that break three rules
// of one operation, one key replaces the three, since the engine does not check the operation.
class BucketSet {
 public:
  // Adds a key and returns the name of its bucket, which may be a key that covers it. Buckets that
  // `key` covers are removed, and their names are appended to `absorbed`.
  std::string Add(const BucketKey& key, std::vector<std::string>* absorbed);

 private:
  std::map<std::string, BucketKey> keys_;
};

}  // namespace hlocts::fuzz
