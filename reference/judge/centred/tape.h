// SPDX-License-Identifier: Apache-2.0
// The record of a walk over a module, for the sweeps that go back over it: each array of sets with
// the instruction that made it and the arrays that it was computed from (RULES 43).
#ifndef HLOCTS_REFERENCE_JUDGE_CENTRED_TAPE_H_
#define HLOCTS_REFERENCE_JUDGE_CENTRED_TAPE_H_

#include <cmath>
#include <cstdint>
#include <memory>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/types/span.h"
#include "reference/judge/centred/slopes.h"
#include "reference/judge/interpreter/walk_observer.h"
#include "spec/ir/module_fwd.h"

namespace hlocts::reference {

class SetInterpreter;
class Sweeps;

// How a sweep continues from an element to the elements that it was computed from.
enum class NodeKind : uint8_t {
  kLeaf,         // not at all: its sets are its noise
  kElementwise,  // by the slopes of the operation
  kSelect,       // to the arm that is certainly taken
  kMove,         // to the element that moved here
  kSum,          // to all terms
  kProducts,     // to both factors of all terms
  kPick,         // to those terms that may be the largest or the smallest
};

// Terms of the results of a sum, a contraction or a choice: element numbers, result by result.
struct NodeTerms {
  std::vector<int64_t> first;     // of each result, and where the last ends
  std::vector<int64_t> lhs, rhs;  // rhs: of contractions only
  bool largest = false;           // kPick
};

struct Node {
  NodeKind kind = NodeKind::kLeaf;
  // All readers see one number, except for the rounding to its format: no compiler computes it
  // twice. Other values may be computed again for each use.
  bool once = false;
  // The engine computes and rounds every value once (a fact): then readers round nothing
  // themselves.
  bool rounded_once = false;
  const Instruction* instruction = nullptr;  // nullptr: an argument, a join, a trip's state
  SetArray set;
  std::vector<int32_t> operands;
  // For sums: the error that the accumulation of each may add.
  std::vector<double> sum_errors;

  bool tightened = false;
  bool settled = false;  // a sweep from an element would say little more than its set
  // Nodes behind it that are computed once and not certain, ascending; and whether some of their
  // elements reach one of this node in several ways. If none does, an interval is as good.
  std::vector<int32_t> sources;
  bool meets = false;

  // Made when a sweep first needs them (prepare.cc), one per element.
  bool prepared = false;
  bool silent = false;  // no element adds anything to a sweep
  // kClosed: a sweep adds its noise and ends there; kBroken: it may be no number at all.
  enum State : uint8_t { kClosed, kOpen, kBroken };
  std::vector<uint8_t> states;
  std::vector<Box> boxes;
  std::vector<double> noise_once, noise_use;
  std::vector<Slope> factors;  // that each is in a product
  std::vector<Slope> slopes;   // kElementwise: of operand k of element i at i * operands + k
  NodeTerms terms;  // kSum, kProducts, kPick; kMove: lhs, a number of all operands' elements

  // All readers of the element see one number: for a sum, if it has at least this many terms. A
  // single term is no sum, since a compiler may treat it as a move or a product.
  int64_t once_from = 2;
  bool IsOnce(int64_t element) const {
    return once && (rounded_once || terms.first.empty() ||
                    terms.first[element + 1] - terms.first[element] >= once_from);
  }
};

class Tape : public WalkObserver {
 public:
  // `points`: nothing is narrowed, and nodes are prepared with boxes of one point (RULES 44).
  explicit Tape(SetInterpreter& interpreter, bool points = false)
      : interpreter_(interpreter), points_(points) {}
  // Notes an instruction; the arrays of `result` get their numbers. For a loop: its one operand,
  // the result of a trip, is passed on as `result`.
  void Record(const Instruction& instruction, absl::Span<const SetValue> operands,
              absl::Span<const double> sum_errors, SetValue& result) override;
  // Narrows the sets of a recorded array where sweeps give less. `output`: it leaves the module.
  void Tighten(SetArray& array, bool output) override;
  // Makes the nodes up to that of an array ready for sweeps.
  void Prepare(const SetArray& array) { PrepareUpTo(array.node, HUGE_VAL); }
  absl::Span<const std::unique_ptr<Node>> nodes() const { return nodes_; }
  // Elements and terms of all that was recorded.
  double work() const { return work_; }

 private:
  int32_t NumberOf(const SetArray& array);
  int32_t NumberOfExact(const SetArray& array);
  int32_t Add(Node node);
  // Each array of a loop's state is one number for all readers of the next trip (ruling 0105).
  void HandOn(const SetValue& made, SetValue& state);
  void NoteSources(Node& node) const;
  NodeKind KindOf(const Instruction& instruction, absl::Span<const SetValue> operands,
                  const SetArray& result, bool has_sum_errors);
  // The effort for an array: visits in all, elements that are swept from to the end, and the number
  // of them swept at once.
  struct Effort {
    double budget;
    int64_t whole, together;
  };
  double BudgetOf(const Node& node, bool output, int64_t wide) const;
  bool PrepareUpTo(int32_t number, double budget);
  double Probe(Sweeps& sweeps, const SetArray& array, absl::Span<const int64_t> wide,
               double budget);
  double ProbeTogether(Sweeps& sweeps, int32_t number, absl::Span<const int64_t> wide,
                       double budget);
  Effort EffortFor(Sweeps& sweeps, int32_t number, absl::Span<const int64_t> wide, double alone,
                   const Effort& most);
  void SweepFrom(Sweeps& sweeps, absl::Span<const int64_t> wide, const Effort& effort,
                 SetArray& array);
  // A sum or contraction of its computation reads it.
  bool FeedsASum(const Instruction& instruction);
  bool Full() const { return elements_ > kElementsMax; }

  static constexpr int64_t kElementsMax = 1 << 22;
  SetInterpreter& interpreter_;
  const bool points_;
  std::vector<std::unique_ptr<Node>> nodes_;
  size_t prepared_ = 0;
  absl::flat_hash_map<const void*, int32_t> exact_;  // arrays that are known, by their elements
  absl::flat_hash_set<const Computation*> looked_at_;
  absl::flat_hash_set<const Instruction*> feed_sums_;
  int64_t elements_ = 0;         // of all nodes
  double work_ = 0, spent_ = 0;  // of the walk, of the sweeps: elements and terms
};

}  // namespace hlocts::reference

#endif  // HLOCTS_REFERENCE_JUDGE_CENTRED_TAPE_H_
