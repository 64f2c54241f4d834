// SPDX-License-Identifier: Apache-2.0
// Finds the instructions at which a module loses digits. Every run evaluates in f64 (widen.h). An
// instruction "runs as written" if its results are also rounded to its type. The error of a value
// is the difference between the run with all instructions as written and the run with none. The run
// with one instruction as written shows how much this one contributes to the errors of outputs.
//
// The documents leave the order of sums open. The rounding error of a sum of n terms is therefore
// modelled as sqrt(n) roundings of the sum of magnitudes, with a sign that depends on the index of
// the element. A result of type f64 is changed by up to one ulp, because it cannot be rounded.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "spec/base/run_settings.h"
#include "spec/base/status.h"
#include "spec/ir/literal.h"
#include "spec/ir/module_fwd.h"

namespace hlocts::tools {

// The loss at one instruction. Errors are relative; 1 means that no digit is correct. In a mean,
// the error of an element is at most 1.
struct Loss {
  const Instruction* instruction = nullptr;
  int64_t runs = 0;
  double made = 0;       // error that its own rounding causes, mean over the elements
  double carried = 0;    // error that its operands' errors cause, mean over the elements
  double operands = 0;   // error of its worst operand when all instructions run as written
  double lost = 0;       // correct bits of the operands (at most those of the finest type) that the
                         // result lacks, plus bits that a function of the result lacks because of
                         // this rounding; summed over all runs
  double dropped = 0;    // bits of the smaller term that a sum rounds away, or bits that a
                         // conversion rounds away; summed over all runs
  double cancelled = 0;  // bits by which the largest term, or in a sum of many terms the sum of
                         // their magnitudes, exceeds the result (median element)
  std::vector<double> reaches;  // error of each output when only this instruction runs as written
  bool modelled = false;        // true: it is a sum, whose error is modelled
  double bound = -1;            // median relative width of its acceptance set; -1: not computed
};

// The first infinity computed from finite operands, or NaN computed from operands without NaN.
struct NotFinite {
  const Instruction* instruction = nullptr;
  int64_t run = 0, element = 0;
  std::string value;      // "inf" or "nan"
  std::string operands;   // operands at this element, if all have this element
  std::string engines;    // whether engines return it: "must", "may", "" if unknown
  bool rounding = false;  // true: the value is finite if nothing is rounded
};

struct Digits {
  std::vector<Loss> losses;         // the most costly one first
  std::vector<double> outputs;      // mean error of each output (all run as written)
  std::vector<double> worst;        // largest error of each output
  std::vector<double> median;       // median error of each output
  std::vector<int> precisions;      // bits of each output's type, 0 for integers
  std::vector<int64_t> not_finite;  // number of infinities and NaNs in each output
  std::vector<int64_t> finite;      // number of other numbers in each output of a float type
  NotFinite first;
  int64_t left_out = 0;  // number of instructions that did not run alone for lack of time
  double seconds = 0, evaluation_seconds = 0;
  bool bounded = false;  // true: `bound` was computed
};

struct DigitsOptions : RunSettings {
  double evaluations_max = 80;  // time limit, as a number of evaluations of the module
  double seconds_min = 2;       // seconds that are allowed in any case
  std::function<bool()> stop;
  // After the deadline, instructions that did not run alone are left out. If a run of the whole
  // module does not end before it, the result is kDeadlineExceeded.
  std::chrono::steady_clock::time_point deadline = std::chrono::steady_clock::time_point::max();
  std::function<void(int64_t done, int64_t all)> progress;
};

// Measures a module. `leaves` are the leaves of the entry's arguments. Returns kUnimplemented if
// Widen does, and errors of the evaluation.
absl::StatusOr<Digits> MeasureDigits(const Module& module, const std::vector<Literal>& leaves,
                                     const DigitsOptions& options);

}  // namespace hlocts::tools
