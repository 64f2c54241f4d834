// SPDX-License-Identifier: Apache-2.0
// Buckets: findings that are likely to be one fault. A signature describes one failure exactly; a
// bucket joins the forms that one fault takes: element types become classes, wrong numbers one
// signature, sets of operations the smallest of them.
#ifndef HLOCTS_FUZZ_TRIAGE_BUCKET_H_
#define HLOCTS_FUZZ_TRIAGE_BUCKET_H_

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
  std::vector<std::string> traits;      // "empty", "batched": of an operand
  std::set<std::string> needs;  // of failure_traits.h, as far as the operations ask for them
  std::string rest;             // size, class of types, signature; or the message

  std::string Name() const;  // "fail dot float value"
};

// Returns true if all of them only move elements, so that all values are alike.
bool OnlyMoves(const std::vector<std::string>& operations);
// Returns true if all of them put elements in order.
bool OnlyOrders(const std::vector<std::string>& operations);

// The bucket of a finding whose module is shrunk.
BucketKey BucketOf(const std::string& signature, const FailureTraits& remains);
// Operations, traits and needs of `general` are among those of `special`, and nothing else differs:
// the others are incidental. A fault that needs nothing differs from one that does.
bool Covers(const BucketKey& general, const BucketKey& special);

// Keys by name, without those that another one covers. If an engine accepts three broken rules of
// one operation, these are one key: it does not check the operation.
class BucketSet {
 public:
  // The name under which the key counts: its own, or that of one that covers it. Names that it
  // covers itself are put into `absorbed`; they are no buckets any more.
  std::string Add(const BucketKey& key, std::vector<std::string>* absorbed);

 private:
  std::map<std::string, BucketKey> keys_;
};

}  // namespace hlocts::fuzz

#endif  // HLOCTS_FUZZ_TRIAGE_BUCKET_H_
