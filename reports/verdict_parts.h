// SPDX-License-Identifier: Apache-2.0
// Parts of a verdict: the place of a failure, its cause, and the measured accuracy.
#ifndef HLOCTS_REPORTS_VERDICT_PARTS_H_
#define HLOCTS_REPORTS_VERDICT_PARTS_H_

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "spec/base/outcome.h"

namespace hlocts::reports {

// An operand of the instruction that is wrong, at the failing element: "exp.1[3]", "inf".
struct FailureOperand {
  std::string name, value;
};

struct VerdictFailure {
  int64_t output = 0;               // leaf
  std::vector<int64_t> index;       // of the element
  std::string actual, actual_bits;  // bits as 0x...
  std::string accepted;             // the acceptance set in words
  std::string rule, clause, instruction;
  std::string operation = "";  // opcode of the instruction, "compare:LT" with a variant
  std::string source = "";     // line of the user's program, FILE:LINE (FUNCTION)
  std::string distance = "";   // from the set, in words: "3 ulps above ..."
  bool categorical = false;    // `distance` is between kinds of values, "a NaN ...", no number
  std::vector<FailureOperand> operands = {};  // asked for by DiffOptions::describe
  WrongValue value = WrongValue::kNumber;
};

// The result of cutting the module (backends/differ/blame.h).
struct Localisation {
  enum class Kind : uint8_t {
    kNone,      // nothing was cut
    kAlone,     // one instruction is wrong by itself
    kTogether,  // instructions that are wrong only when compiled together
    kNotFound,  // when run again, in pieces or as a whole, nothing is wrong
  };
  Kind kind = Kind::kNone;
  Outcome outcome = Outcome::kPass;       // of the piece
  std::vector<std::string> instructions;  // names, in the module's order
  std::string where;                      // the loop trip, branch or call they are in; "" for none
  bool in_piece = false;   // the module's outputs do not show it: the verdict is the piece's
  int64_t partitions = 0;  // of a module that the engine partitioned, and, where it is known,
  std::optional<Outcome> unpartitioned;  // the outcome of the same module on one device
  bool compiled_form = false;  // the compiler's program is wrong: no hardware computed anything
  bool empty() const { return kind == Kind::kNone && !compiled_form && !unpartitioned; }

  // For --explain, not recorded: the piece with its arguments, and the set of the element, line by
  // line as ExplainElement gives it.
  std::string piece, set;
};

// The accepted value of a function of real numbers that is farthest from the exact one.
struct WorstUlps {
  std::string function, type;  // "tanh", "f32"
  double ulps = 0;             // in units of the last place at the exact value
  std::string argument;        // at that element; for two: "1.5, 2"
  std::string value;           // at that element
  std::string rule;            // the stated bound: "ulp(7)"
  int64_t elements = 0;        // measured ones
};

// The result of the statistical tests (RULES 44) on outputs that no set refuses.
struct Statistical {
  Outcome proof = Outcome::kInconclusive;  // the verdict of the sets alone
  std::string test;                        // the one with `most`: "element", "variance", "bias"
  int64_t elements = 0;                    // those with a computed probable error
  double most = 0, limit = 0;  // in deviations; beyond the limit the outputs are suspect
  int64_t output = 0;          // where that is, in units of the output
  std::vector<int64_t> index;
  double found = 0, expected = 0, deviation = 0;
};

// The extent of the comparison.
struct VerdictStatistics {
  int64_t elements = 0;  // compared
  double bits_checked_mean = 0;
  int64_t unspecified_elements = 0;
  int64_t wrong_elements = 0;  // of the output that fails first
  // Effective significand bits (RULES 29) over floating-point elements; -1: none.
  double effective_bits_median = -1;
  double effective_bits_p5 = -1;
  double below_two_bits_share = -1;
  int64_t draws = 0;  // random draws: not among those elements, their predicate has no bits
  int64_t unspecified_floats = 0;  // of unspecified_elements, those counted with no effective bits
  // The same as elements by quarters of a bit (kEffectiveQuarters of them) for each precision,
  // which reports add up.
  std::map<int, std::vector<int64_t>> effective_quarters;
  std::vector<WorstUlps> worst_ulps;  // asked for by DiffOptions::ulps
  bool exact_data = false;            // the arguments were exact by construction
};

// The context of a suite run.
struct SuiteContext {
  std::string case_address;
  std::string expectation;  // the entry that matched: its kind, clause and reason
  bool expected = false;    // the verdict is as expected
  std::string wanted;       // the verdicts that were expected instead, "fail or crash"
  // The case declares that it cannot be judged, and why; and it was not.
  std::string inconclusive_by_nature;
  bool of_control = false;  // a reject case: the verdict is on the valid control. Not recorded.
  // Not empty: the engine gave other verdicts when the case ran again; all of them in order,
  // "crash, pass, pass". The verdict's kind is that of the first run. Reports count it as a flake
  // and as nothing else.
  std::string flake;
  double case_seconds = 0;  // running and judging together. Not recorded.
};

// Adds one to a list that has each function and type once; the one farther from exact stays.
void AddWorst(const WorstUlps& one, std::vector<WorstUlps>& all);

}  // namespace hlocts::reports

#endif  // HLOCTS_REPORTS_VERDICT_PARTS_H_
