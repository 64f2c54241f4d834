// SPDX-License-Identifier: Apache-2.0
// Finds the instructions at which a module loses digits. Every run evaluates in f64 (widen.h); an
// instruction "runs as written" if its results are also rounded to its type. The error of a value
// is the difference between a run with all instructions as written and a run with none. A run with
// only one instruction as written yields its contribution to the outputs.
//
// The documents leave the order of sums open, so the rounding error of a sum of n terms is
// modelled: sqrt(n) roundings of the sum of magnitudes, with a sign that depends on the index of
// the element. A result of type f64 cannot be rounded, so it is changed by up to one ulp instead.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "spec/base/run_settings.h"
#include "spec/base/status.h"
#include "spec/ir/literal.h"
#include "spec/ir/module_fwd.h"

namespace hlocts::tools {

// The loss at one instruction. Errors are relative; 1 means that no digit is correct. A mean counts
// an element's error as at most 1.
struct Loss {
  const Instruction* instruction = nullptr;
  int64_t runs = 0;
  double made = 0;       // error from rounding its results, mean over the elements
  double carried = 0;    // error from its operands' errors, mean over the elements
  double operands = 0;   // error of its worst operand if all instructions run as written
  double lost = 0;       // number of right bits of its operands (at most those of the finest type)
                         // that its result lacks, summed over all runs, and those that a function
                         // of the result lacks because this rounded them away
  double dropped = 0;    // bits of its smaller term that a sum rounds away, or bits that a
                         // conversion rounds away, summed over all runs
  double cancelled = 0;  // bits by which the largest term exceeds the result, median element
  std::vector<double> reaches;  // error of each output if only this runs as written
  bool modelled = false;        // it is a sum
  double bound = -1;            // median relative width of its acceptance set; -1: not computed
};

// The first infinity of finite operands, or NaN of operands without a NaN.
struct NotFinite {
  const Instruction* instruction = nullptr;
  int64_t run = 0, element = 0;
  std::string value;      // "inf", "nan"
  std::string operands;   // at the element, if each has one there
  std::string engines;    // "must", "may", "" where unknown
  bool rounding = false;  // it is finite if nothing is rounded
};

struct Digits {
  std::vector<Loss> losses;         // sorted by cost, highest first
  std::vector<double> outputs;      // error of each output if all run as written: the mean
  std::vector<double> worst;        // of the elements,
  std::vector<double> median;       // the largest and the median error
  std::vector<int> precisions;      // bits of each output's type, 0 for integers
  std::vector<int64_t> not_finite;  // numbers of each output that are infinite or NaN
  NotFinite first;
  int64_t left_out = 0;  // instructions not run alone for lack of time
  double seconds = 0, evaluation_seconds = 0;
  bool bounded = false;  // bounds were computed
};

struct DigitsOptions : RunSettings {
  double evaluations_max = 80;  // time limit in evaluations of the module
  double seconds_min = 2;       // time that is always allowed
  std::function<bool()> stop;
  std::function<void(int64_t done, int64_t all)> progress;
};

// Measures a module. `leaves` are the leaves of the entry's arguments. Returns Unimplemented if
// Widen does, and errors of the evaluation.
absl::StatusOr<Digits> MeasureDigits(const Module& module, const std::vector<Literal>& leaves,
                                     const DigitsOptions& options);

}  // namespace hlocts::tools
