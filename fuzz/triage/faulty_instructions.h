// SPDX-License-Identifier: Apache-2.0
// Finds instructions that are wrong in isolation, even if the outputs of the module are correct.
#pragma once

#include <string>
#include <vector>

#include "fuzz/triage/trial.h"

namespace hlocts::fuzz {

struct FaultyInstruction {
  Sample sample;
  TrialResult result;  // of a trial without blame
};

// Returns the first few instructions that are wrong in isolation. Each is a module whose arguments
// are the operands that the engine computed. If an operand is a wrong constant or argument, returns
// that operand instead. Returns {} if only the whole module is wrong, or if it cannot be cut.
std::vector<FaultyInstruction> FaultyInstructionsOf(const Sample& sample, backends::Backend& engine,
                                                    const TrialOptions& options);

// If a piece of the sample fails in isolation but the outputs do not show it, replaces the sample
// by this piece, with the operands that the engine computed, and returns the piece's name.
// Otherwise returns "" and changes nothing.
std::string ReplaceByHiddenPiece(Sample& sample, backends::Backend& engine,
                                 const TrialOptions& options);

// Returns true for a constant, an iota, or a broadcast or reshape of one. Pieces contain copies.
bool IsMadeOfConstants(const Instruction& instruction);

// Finds an argument, or a value computed from constants, that is wrong in isolation. Instructions
// that use such a value are not at fault. Returns a module that returns this value, or an empty
// sample if there is none. Adds the number of runs to `evaluations` unless it is null.
Sample WrongSource(const Sample& sample, backends::Backend& engine, const TrialOptions& options,
                   int* evaluations = nullptr);

}  // namespace hlocts::fuzz
