// SPDX-License-Identifier: Apache-2.0
// Records a walk over a module for backward sweeps: each array of sets with the instruction that
// made it and the arrays that this instruction read (lemma 43). A *reader* of an element is an
// instruction that uses it. The *noise* of an element is its own rounding error, without the errors
// of operands.
#pragma once

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

// Returns true if all readers of a result, except sums, see the same numbers (lemma 43, assumption
// a). A reduction may have few terms, so it needs the fact values.once.
bool IsOneNumber(SetInterpreter& interpreter, const Instruction& instruction);

// The elements to which a sweep continues from an element of a node.
enum class NodeKind : uint8_t {
  kLeaf,         // no element: the sets are the noise
  kElementwise,  // the operands' elements, weighted by the operation's slopes
  kSelect,       // the operand that is certainly selected
  kMove,         // the element that moved here
  kSum,          // all terms
  kProducts,     // both factors of all terms
  kPick,         // the terms that may be the largest or the smallest
};

// The terms of a sum, a contraction or a maximum, result by result, as runs of `length` terms. In a
// contraction, a run has a start position in each operand, in the order of the kernel. From term to
// term, the position in the left operand increases by 1, that in the right by `step`.
struct NodeTerms {
  std::vector<int64_t> first;     // the start of each result's runs, then the end of the last
  std::vector<int64_t> lhs, rhs;  // the first element of each run; rhs: for contractions only
  int64_t length = 1, step = 1;
  std::vector<int64_t> lhs_order, rhs_order;  // contractions only: the element at each place
  bool largest = false;                       // for kPick: the largest term, not the smallest

  int64_t Count(int64_t result) const { return (first[result + 1] - first[result]) * length; }
  // Calls visit(l, r) with the element numbers of each term; r is 0 if there is no right operand.
  template <typename Visit>
  void ForEach(int64_t result, const Visit& visit) const {
    for (int64_t run = first[result]; run < first[result + 1]; ++run) {
      if (rhs.empty()) {
        visit(lhs[run], int64_t{0});
        continue;
      }
      int64_t r = rhs[run];
      for (int64_t l = lhs[run]; l < lhs[run] + length; ++l, r += step)
        visit(lhs_order[l], rhs_order[r]);
    }
  }
};

struct Node {
  NodeKind kind = NodeKind::kLeaf;
  // True if no compiler computes the value twice, so that all readers see one number (rounded or
  // not yet rounded to its format). If false, the value may be computed again for each use.
  bool once = false;
  // True if the engine computes and rounds every value once (a fact): no user reads it unrounded.
  bool rounded_once = false;
  const Instruction* instruction = nullptr;  // nullptr: argument, joined branches, loop state
  SetArray set;
  std::vector<int32_t> operands;
  // The error that the accumulation of each sum may add, and in a tape of points the sums in f64.
  AccumulatedSums sums;

  bool tightened = false;
  bool settled = false;  // a sweep would hardly narrow the sets
  // `sources` are the inexact nodes, ascending, on which this node depends and which are computed
  // once. `meets`: a source may reach an element by several paths; otherwise sweeps gain nothing.
  std::vector<int32_t> sources;
  bool meets = false;

  // Set when a sweep first needs the node (prepare.cc). Vectors have one entry per element.
  bool prepared = false;
  bool silent = false;  // no element adds anything to a sweep
  // kClosed: a sweep adds the noise and ends. kBroken: the element may be a NaN or an infinity.
  enum State : uint8_t { kClosed, kOpen, kBroken };
  std::vector<uint8_t> states;
  std::vector<Box> boxes;
  std::vector<double> noise_once, noise_use;
  std::vector<Slope> factors;  // the slope of (element * y) with respect to y, by element
  std::vector<Slope> slopes;   // kElementwise: operand k of element i is at i * operands + k
  NodeTerms terms;             // kMove: lhs indexes the elements of all operands

  // The least number of terms with which a sum has one value for all readers. A single term is not
  // a sum: a compiler may treat it as a move or a product.
  int64_t once_from = 2;
  bool IsOnce(int64_t element) const {
    return once && (rounded_once || terms.first.empty() || terms.Count(element) >= once_from);
  }
};

class Tape : public WalkObserver {
 public:
  // With `points`, no set is narrowed, and each box contains one number (lemma 44).
  explicit Tape(SetInterpreter& interpreter, bool points = false)
      : interpreter_(interpreter), points_(points) {}
  // Records an instruction and numbers the arrays of `result`. For a loop, the only operand is the
  // result of a trip, and `result` is the state that the next trip reads.
  void Record(const Instruction& instruction, absl::Span<const SetValue> operands,
              const AccumulatedSums& sums, SetValue& result) override;
  // Narrows a recorded array's sets by sweeps, if possible. `output` means an output of the module.
  void Tighten(SetArray& array, bool output) override;
  // Prepares the nodes up to the node of `array` for sweeps.
  void Prepare(const SetArray& array) { PrepareUpTo(array.node, HUGE_VAL); }
  absl::Span<const std::unique_ptr<Node>> nodes() const { return nodes_; }
  // Returns the number of elements and terms of everything that was recorded.
  double work() const { return work_; }

 private:
  int32_t NumberOf(const SetArray& array);
  int32_t NumberOfExact(const SetArray& array);
  int32_t Add(Node node);
  // Records a loop's state: all readers in the next trip see one number per element (ruling 0105).
  void EnterBody(const SetValue& made, SetValue& state);
  void NoteSources(Node& node) const;
  NodeKind KindOf(const Instruction& instruction, absl::Span<const SetValue> operands,
                  const SetArray& result, bool has_sum_errors);
  // The effort for one array: the total number of visits, the number of elements with a full sweep,
  // and the number of elements that are swept together.
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
  // Returns true if a sum or contraction in the same computation reads the instruction.
  bool IsReadBySum(const Instruction& instruction);
  bool Full() const;

  SetInterpreter& interpreter_;
  const bool points_;
  std::vector<std::unique_ptr<Node>> nodes_;
  size_t prepared_ = 0;
  absl::flat_hash_map<const void*, int32_t> exact_;  // exact arrays' nodes, by element address
  absl::flat_hash_set<const Computation*> visited_;
  absl::flat_hash_set<const Instruction*> feed_sums_;
  int64_t elements_ = 0;         // the number of elements in all nodes
  double work_ = 0, spent_ = 0;  // elements and terms that the walk read, and visits of the sweeps
};

}  // namespace hlocts::reference
