// SPDX-License-Identifier: Apache-2.0
// The instructions at which a module loses digits. Everything is evaluated in f64 (widen.h); an
// instruction "runs as written" where its results are rounded to its type. Running all as written
// against none gives the error of each value; running one alone as written gives its contribution
// to the outputs.
//
// The rounding errors of a sum of n terms, whose order the documents leave open, are modelled: the
// root of n roundings of the sum of magnitudes, with a sign that depends on the index of the
// element. In f64 itself each result is moved by up to one rounding instead of rounded.
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

// Relative errors; 1 where no digit is right. In a mean each element counts at most 1.
struct Loss {
  const Instruction* instruction = nullptr;
  int64_t runs = 0;
  double made = 0;       // by rounding its results, mean over the elements
  double carried = 0;    // by its operands' errors, mean over the elements
  double operands = 0;   // of its worst operand, all as written
  double lost = 0;       // right bits of its operands (at most those of the finest type) that its
                         // result lacks, summed over all runs
  double cancelled = 0;  // bits: of the largest term above the result, the median element's
  std::vector<double> reaches;  // each output, if it alone runs as written
  bool modelled = false;        // a sum
  double bound = -1;            // relative width of its acceptance set, median; -1: not computed
};

// The first result that is not finite although all operands are.
struct NotFinite {
  const Instruction* instruction = nullptr;
  int64_t run = 0, element = 0;
  std::string value;     // "inf", "nan"
  std::string operands;  // at the element where it has one of each
  std::string engines;   // "must", "may", "" where unknown
};

struct Digits {
  std::vector<Loss> losses;     // the most costly first
  std::vector<double> outputs;  // error of each output, all as written
  std::vector<int> precisions;  // bits of each output's type, 0 for integers
  NotFinite first;
  int64_t left_out = 0;  // instructions that were not run alone, for lack of time
  double seconds = 0, evaluation_seconds = 0;
  bool bounded = false;  // bounds were computed
};

struct DigitsOptions : RunSettings {
  double evaluations_max = 80;  // limit on the time, in evaluations of the module
  double seconds_min = 2;       // time that is always allowed
  std::function<bool()> stop;
  std::function<void(int64_t done, int64_t all)> progress;
};

// `leaves`: of the entry's parameters. Errors: Unimplemented, those of an evaluation.
absl::StatusOr<Digits> MeasureDigits(const Module& module, const std::vector<Literal>& leaves,
                                     const DigitsOptions& options);

}  // namespace hlocts::tools

#endif  // HLOCTS_TOOLS_DIGITS_MEASURE_H_
