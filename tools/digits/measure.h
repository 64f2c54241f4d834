// SPDX-License-Identifier: Apache-2.0
// Where a module loses its digits. Everything is evaluated in f64 (widen.h); an instruction "runs
// as written" where its results are rounded to its type. All of them as written against none gives
// the error of each value; one alone as written gives what reaches the outputs from there.
//
// The rounding errors of a sum of n terms, which the documents leave in any order, are modelled:
// the root of n roundings of the sum of magnitudes, with a sign that the place of the element
// decides. Of f64 itself each result is moved by up to one rounding instead of rounded.
#ifndef HLOCTS_TOOLS_DIGITS_MEASURE_H_
#define HLOCTS_TOOLS_DIGITS_MEASURE_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "spec/base/run_settings.h"
#include "spec/base/status.h"
#include "spec/ir/literal.h"
#include "spec/ir/module_fwd.h"

namespace hlocts::tools {

// Relative errors; 1 where nothing is right, of a mean each element counts as 1 at most.
struct Loss {
  const Instruction* instruction = nullptr;
  int64_t runs = 0;
  double made = 0;      // by rounding its results, mean over the elements
  double carried = 0;   // by its operands' errors, mean as well
  double operands = 0;  // of its worst operand, all as written
  double lost = 0;  // of all runs together: bits that its operands have right, or the finest type
                    // holds, its result not
  double cancelled = 0;         // bits: of the largest term above the result, the median element's
  std::vector<double> reaches;  // each output, if it alone runs as written
  bool modelled = false;        // a sum
  double bound = -1;  // what its acceptance set allows, relative, median; -1: not computed
};

// The first result that is no finite number although all operands are.
struct NotFinite {
  const Instruction* instruction = nullptr;
  int64_t run = 0, element = 0;
  std::string value;     // "inf", "nan"
  std::string operands;  // at the element where it has one of each
  std::string engines;   // "must", "may", "" where it is not known
};

struct Digits {
  std::vector<Loss> losses;     // the one that costs most first
  std::vector<double> outputs;  // error of each output, all as written
  std::vector<int> precisions;  // bits of each output's type, 0 of integers
  NotFinite first;
  int64_t left_out = 0;  // instructions that were not run alone, for lack of time
  double seconds = 0, evaluation_seconds = 0;
  bool bounded = false;  // bounds were computed
};

struct DigitsOptions : RunSettings {
  double evaluations_max = 80;  // how many times an evaluation of the module all may take
  double seconds_min = 2;       // that may be taken in any case
  std::function<bool()> stop;
  std::function<void(int64_t done, int64_t all)> progress;
};

// Leaves of the entry's parameters. Errors: Unimplemented, those of an evaluation.
absl::StatusOr<Digits> MeasureDigits(const Module& module, const std::vector<Literal>& leaves,
                                     const DigitsOptions& options);

}  // namespace hlocts::tools

#endif  // HLOCTS_TOOLS_DIGITS_MEASURE_H_
