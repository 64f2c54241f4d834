// SPDX-License-Identifier: Apache-2.0
// Buckets: findings that are likely to be one fault. A signature says exactly what was seen; a
// bucket folds what one fault shows in many ways: element types into classes, wrong numbers into
// one signature, sets of operations into the least of them.
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
  std::vector<std::string> operations;  // sorted; none where a message says it all
  bool together = false;                // wrong only when compiled together
  std::vector<std::string> traits;      // "empty", "batched": an operand that stands by
  std::set<std::string> needs;  // of failure_traits.h, as far as the operations ask for them
  std::string rest;             // size, class of types, signature; or the message

  std::string Name() const;  // "fail dot float value"
};

// To what only moves elements they are all the same.
bool OnlyMoves(const std::vector<std::string>& operations);
// All of them put elements in order.
bool OnlyOrders(const std::vector<std::string>& operations);

// Of a finding whose module has been shrunk.
BucketKey BucketOf(const std::string& signature, const FailureTraits& remains);
// Operations, traits and needs of `general` are among those of `special`, and nothing else differs:
// the others only stand by. A fault that needs nothing is another than one that does.
bool Covers(const BucketKey& general, const BucketKey& special);

// Keys by name, without those that another one covers. Where an engine takes what breaks three
// rules of one operation, these are one key: it does not check the operation.
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
