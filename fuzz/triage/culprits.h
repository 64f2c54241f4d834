// SPDX-License-Identifier: Apache-2.0
// What in a failing module is wrong by itself: the module's own outputs say little about that.
#ifndef HLOCTS_FUZZ_TRIAGE_CULPRITS_H_
#define HLOCTS_FUZZ_TRIAGE_CULPRITS_H_

#include <vector>

#include "fuzz/triage/trial.h"

namespace hlocts::fuzz {

struct Culprit {
  Sample sample;
  TrialResult result;  // of a trial without blame
};

// The first few instructions that are wrong by themselves, each as a module with what the engine
// feeds it, which counts as a finding; in the place of one that is fed a wrong carrier, that. None
// where only the whole module is wrong, or it cannot be cut.
std::vector<Culprit> CulpritsOf(const Sample& sample, backends::Backend& engine,
                                const TrialOptions& options);

// A constant, iota, or broadcast or reshape of one: cutting gives every piece a copy of its own.
bool IsMadeOfConstants(const Instruction& instruction);

// An argument, or a value made of constants, that is wrong where it is returned as it is: what
// computes with it is not to blame. The module that returns it; an empty one where there is none.
// `evaluations`, where not null, grows by the runs that this took.
Sample WrongSource(const Sample& sample, backends::Backend& engine, const TrialOptions& options,
                   int* evaluations = nullptr);

}  // namespace hlocts::fuzz

#endif  // HLOCTS_FUZZ_TRIAGE_CULPRITS_H_
