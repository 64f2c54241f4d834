// SPDX-License-Identifier: Apache-2.0
// Defines the parts of a verdict: the location of a failure, its cause, and the measured accuracy.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "spec/base/outcome.h"

namespace hlocts::reports {

// The index of a root leaf and the row-major index of an element in it. `output` -1: no element.
struct OutputElement {
  int64_t output = -1;
  int64_t index = 0;
  int64_t device = 0;
  std::string origin;        // the instruction or input from which a NaN comes
  std::string source;        // FILE:LINE of this instruction, or ""
  bool is_an_input = false;  // the origin is an input
  bool certain = false;      // only NaN is permitted
};

// An operand of the wrong instruction at the failing element: "exp.1[3]", "inf".
struct FailureOperand {
  std::string name, value;
};

struct VerdictFailure {
  int64_t output = 0;               // leaf number
  std::vector<int64_t> index;       // index of the element
  std::string actual, actual_bits;  // bits as 0x...
  std::string accepted;             // the acceptance set in words
  std::string rule, clause, instruction;
  std::string operation = "";  // opcode of the instruction, "compare:LT" with a variant
  std::string type = "";    // element type of its first operand or, without operands, of its result
  std::string source = "";  // line of the user's program: FILE:LINE (FUNCTION)
  std::string distance = "";  // the distance from the set, in words: "3 ulps above ..."
  bool categorical = false;   // `distance` names kinds of values ("a NaN ...")
  bool only_nan = false;      // the element is a number, but only NaN is accepted
  std::vector<FailureOperand> operands = {};  // if requested by DiffOptions::describe
  WrongValue value = WrongValue::kNumber;
  std::vector<std::string> facts = {};  // narrowing facts without which the element is accepted
  std::vector<std::string> permitted_by = {};  // facts each of which would permit the element
  std::string range = "";   // range of the function, "[-1, 1]", if the element is outside of it
  bool tie = false;         // the order of equal elements is wrong: of indices, or of a stable sort
  bool to_integer = false;  // the instruction converts floating-point numbers to integers
};

// The result of cutting the module into pieces that run separately (backends/differ/blame.h).
struct Localisation {
  enum class Kind : uint8_t {
    kNone,      // the module was not cut
    kAlone,     // one instruction is wrong in isolation
    kTogether,  // instructions are wrong only when compiled together
    kNotFound,  // nothing is wrong in a second run, in pieces or as a whole
  };
  Kind kind = Kind::kNone;
  Outcome outcome = Outcome::kPass;       // outcome of the piece
  std::vector<std::string> instructions;  // names, in the module's order
  std::string where;                      // the loop trip, branch or call that has them, or ""
  std::string operands;    // the module's "inputs" or "constants"; "": the engine computed them
  bool in_piece = false;   // only the piece shows the failure, and the verdict is the piece's
  int64_t partitions = 0;  // number of partitions that the engine made; 0: none
  std::optional<Outcome> unpartitioned;  // outcome on one device, if known
  bool compiled_form = false;  // the compiler's program is wrong, before any hardware ran it
  bool empty() const { return kind == Kind::kNone && !compiled_form && !unpartitioned; }

  // The piece that is wrong, with its arguments, and the acceptance set of the wrong element
  // (ExplainElement). Used by --explain; not recorded.
  std::string piece, set;
};

// The accepted value of a real function that is farthest from the exact value.
struct WorstUlps {
  std::string function, type;  // "tanh", "f32"
  double ulps = 0;             // in ulps at the exact value
  std::string argument;        // argument at which it occurs; "1.5, 2" for two
  std::string value;           // the accepted value
  std::string rule;            // the stated bound: "ulp(7)"
  int64_t elements = 0;        // measured elements
};

// The result of the statistical tests (lemma 44) on outputs, or on a piece, that all sets accept.
struct Statistical {
  Outcome proof = Outcome::kInconclusive;  // the verdict of the sets alone
  std::string test;            // the test with `most`: "element", "variance", "bias", "terms"
  int64_t elements = 0;        // elements with a computed probable error
  double most = 0, limit = 0;  // in deviations; the outputs are suspect above the limit
  int64_t output = 0;          // output with `most`; the values below are in its units
  std::vector<int64_t> index;
  double found = 0, expected = 0, deviation = 0;
  double bits = 0;        // the effective bits that the limit leaves (StatisticalTestResult)
  bool in_piece = false;  // the output is that of a piece of the module
  // If the verdict is `probable`: pieces proven, pieces that pass by the test "terms", all pieces.
  int64_t proven = 0, by_terms = 0, pieces = 0;
};

// Counts and measurements of a comparison.
struct VerdictStatistics {
  int64_t elements = 0;  // compared elements
  double bits_checked_mean = 0;
  int64_t unspecified_elements = 0;
  int64_t wrong_elements = 0;  // of all outputs, like `elements`
  // Effective significand bits (lemma 29) over floating-point elements, or -1 if there are none.
  double effective_bits_median = -1;
  double effective_bits_p5 = -1;
  double below_two_bits_share = -1;
  int64_t draws = 0;               // random draws, which have no effective bits
  int64_t unspecified_floats = 0;  // unspecified elements that are floats, with no effective bits
  // Numbers of elements by effective bits in steps of a quarter bit (kEffectiveQuarters steps), for
  // each precision. Reports add these numbers up.
  std::map<int, std::vector<int64_t>> effective_quarters;
  std::vector<WorstUlps> worst_ulps;  // if requested by DiffOptions::ulps
  bool exact_data = false;            // the arguments were exact by construction
};

// The context of a suite run.
struct SuiteContext {
  std::string case_address;
  std::string expectation;  // the matching entry: kind, clause and reason
  bool expected = false;    // the verdict is as expected
  std::string wanted;       // the verdicts that were expected instead, "fail or crash"
  // The reason why the case declares that it cannot be judged, if it was not judged.
  std::string inconclusive_by_nature;
  bool of_control = false;  // the verdict is on a reject case's valid control; not recorded
  // If the case ran again and the verdicts differed, all verdicts in order ("crash, pass, pass"),
  // else "". The verdict's kind is that of the first run. Reports count it only as a flake.
  std::string flake;
  std::map<std::string, int64_t> runs;  // counts by outcome if the module ran repeatedly
  double case_seconds = 0;              // time of running and judging; not recorded
};

// Adds `one` to a list that keeps, per function and type, the value with the largest error.
void AddWorst(const WorstUlps& one, std::vector<WorstUlps>& all);

}  // namespace hlocts::reports
