// SPDX-License-Identifier: Apache-2.0
// Finds the instructions of a failing module that are wrong by themselves, which its outputs hide.
#ifndef HLOCTS_FUZZ_TRIAGE_CULPRITS_H_
#define HLOCTS_FUZZ_TRIAGE_CULPRITS_H_

#include <vector>

#include "fuzz/triage/trial.h"

namespace hlocts::fuzz {

struct Culprit {
  Sample sample;
  TrialResult result;  // of a trial without blame
};

// The first few instructions that are wrong by themselves, each as a module with the operands that
// the engine gives it; instead of one with a wrong carrier as operand, that carrier. Empty if only
// the whole module is wrong, or it cannot be cut.
std::vector<Culprit> CulpritsOf(const Sample& sample, backends::Backend& engine,
                                const TrialOptions& options);

// A constant, iota, or broadcast or reshape of one: cutting gives every piece a copy of its own.
bool IsMadeOfConstants(const Instruction& instruction);

// An argument, or a value made of constants, that is wrong if it is returned as it is: its users
// are not to blame. Returns the module that returns it, or an empty one. `evaluations`, unless
// null, grows by the runs that this took.
Sample WrongSource(const Sample& sample, backends::Backend& engine, const TrialOptions& options,
                   int* evaluations = nullptr);

}  // namespace hlocts::fuzz

#endif  // HLOCTS_FUZZ_TRIAGE_CULPRITS_H_
