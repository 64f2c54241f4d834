// SPDX-License-Identifier: Apache-2.0
// Parts of a verdict: the place of a failure, the accuracy that was measured.
#ifndef HLOCTS_REPORTS_VERDICT_PARTS_H_
#define HLOCTS_REPORTS_VERDICT_PARTS_H_

#include <cstdint>
#include <string>
#include <vector>

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
  std::string source = "";     // line of the user's program: "train.py:12 (loss)"
  std::string distance = "";   // from the set, in words: "3 ulps above ..."
  std::vector<FailureOperand> operands = {};  // asked for by DiffOptions::describe
};

// The accepted value of a function of real numbers that lies farthest from the exact one.
struct WorstUlps {
  std::string function, type;  // "tanh", "f32"
  double ulps = 0;             // in units of the last place at the exact value
  std::string argument;        // there; of two: "1.5, 2"
  std::string value;           // there
  std::string rule;            // the bound that is stated: "ulp(7)"
  int64_t elements = 0;        // that were measured
};
// Adds one to a list that has each function and type once; the farther one stays.
void AddWorst(const WorstUlps& one, std::vector<WorstUlps>& all);

}  // namespace hlocts::reports

#endif  // HLOCTS_REPORTS_VERDICT_PARTS_H_
