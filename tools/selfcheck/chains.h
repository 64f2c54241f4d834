// SPDX-License-Identifier: Apache-2.0
// Random modules of known structure, and the first-order worst case of their results: what a law
// that knew every slope could tell from rounding. It shares nothing with the judge but the rules.
#ifndef HLOCTS_TOOLS_SELFCHECK_CHAINS_H_
#define HLOCTS_TOOLS_SELFCHECK_CHAINS_H_

#include <memory>
#include <string>
#include <vector>

#include "generators/arguments.h"
#include "spec/ir/literal.h"
#include "spec/ir/module_fwd.h"
#include "spec/ir/primitive_type.h"

namespace hlocts::tools {

enum class ChainKind : uint8_t {
  kElementwise,  // as models have them
  kExact,        // of small integers, nothing rounds
  kMixed,        // with dots and sums of rows
};

// How a step makes its result.
enum class StepForm : uint8_t { kEach, kDot, kRowMean };

struct ChainOperation {
  const char* name;  // of the instruction
  int operands;
  long double (*value)(long double x, long double y);
  long double (*slope)(long double x, long double y, int operand);
  StepForm form = StepForm::kEach;
};

// Every step reads the value before it and one further back.
struct Chain {
  struct Step {
    const ChainOperation* operation;
    int a, b;  // values; 0 and 1 are the parameters
  };
  PrimitiveType type;
  ChainKind kind;
  std::vector<Step> steps;  // the k-th makes value k + 2

  static Chain Random(PrimitiveType type, ChainKind kind, int depth,
                      generators::SplitMix64& random);
  std::unique_ptr<Module> ToModule() const;
  int64_t rows() const;
  int64_t columns() const;
  int64_t elements() const { return rows() * columns(); }
  // The instruction of the step that rounds, and how many elements it has.
  std::string InstructionOf(size_t step) const;
  int64_t ElementsOf(size_t step) const;
};

// A chain on data: exact values, what each step may be off by itself, what results may be in all.
class FirstOrder {
 public:
  FirstOrder(const Chain& chain, const std::vector<Literal>& arguments);
  // Of an element of the step's rounding instruction, in the default profile.
  double Own(size_t step, int64_t element) const;
  double Exact(size_t step, int64_t element) const;
  double ResultOf(int64_t element) const;  // of the last step, as it is read
  // Sum over all values of |slope of the result by the value| * what that is off by itself: as if
  // each value were computed once. No law can refuse less than that and no legal execution.
  double Worst(int64_t element) const;

 private:
  using Array = std::vector<long double>;
  void Evaluate(size_t step);
  void EachElement(size_t step, const Array& a, const Array& b, Array& value);
  void OwnOfSums(size_t step, const Array& magnitude, double units);
  void Push(size_t step, const Array& weight, std::vector<Array>& weights) const;

  const Chain& chain_;
  std::vector<Array> values_;    // as later steps read them
  std::vector<Array> rounding_;  // of each step's rounding instruction: its exact result
  std::vector<std::vector<double>> own_;
};

}  // namespace hlocts::tools

#endif  // HLOCTS_TOOLS_SELFCHECK_CHAINS_H_
