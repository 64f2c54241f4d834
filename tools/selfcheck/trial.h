// SPDX-License-Identifier: Apache-2.0
// Trials of the self-check: modules with arguments and the results of the reference. They come from
// the suite or from the generator.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "backends/backend.h"
#include "spec/accuracy/rules.h"
#include "suites/case.h"

namespace hlocts::tools {

struct Trial {
  std::string name;
  const suites::Case* one = nullptr;  // the case, or nullptr for a generated module
  bool valid = true;                  // false: the module must be rejected
  std::unique_ptr<Module> module;
  backends::LoadOptions load;
  backends::ExecuteRequest request;
  backends::ExecuteResult expected;  // the reference's result, for valid modules
  RuleChange change_rule;            // changes the rule table of the judge for this trial
};

// Returns limits that end a loop which a fault has made endless.
backends::LoadOptions BoundedLoad();

// Returns trials of valid cases that the reference evaluates, and of reject cases whose modules can
// be parsed. `cases` must outlive them. Adds the number of other valid cases to `left_out`.
std::vector<Trial> TrialsOfCases(const std::vector<suites::Case>& cases, int64_t& left_out);

// Returns module `number` of the campaign with this seed. `valid` is false if the reference does
// not evaluate it.
Trial GeneratedTrial(uint64_t seed, uint64_t number);
std::vector<Trial> GeneratedTrials(uint64_t seed, int64_t count);

}  // namespace hlocts::tools
