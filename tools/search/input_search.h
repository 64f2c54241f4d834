// SPDX-License-Identifier: Apache-2.0
// A search for inputs on which an engine is wrong: recipes in turn (generators/input_recipes.def),
// changes of inputs that reached a region for the first time, and both sides of the boundary
// between two regions, found by bisection. The reference evaluates each input first to record which
// regions it reaches; inputs on which that takes too long are not run.
#ifndef HLOCTS_TOOLS_SEARCH_INPUT_SEARCH_H_
#define HLOCTS_TOOLS_SEARCH_INPUT_SEARCH_H_

#include <cstdint>
#include <functional>
#include <string>

#include "backends/differ/differ.h"
#include "reports/verdict.h"
#include "spec/ir/module_fwd.h"

namespace hlocts::tools {

// The progress of a search.
struct SearchCounts {
  int64_t inputs = 0;        // run on the engine
  int64_t inconclusive = 0;  // of these
  int64_t not_run = 0;       // too slow in the reference, or undefined there
  int64_t regions = 0;
  double seconds = 0;
  std::string search;  // name of the last search
};

struct SearchOptions {
  uint64_t seed = 1;
  double seconds_max = 20;
  std::function<bool()> stop;
  std::function<void(const SearchCounts&)> progress;
};

struct SearchResult {
  // The verdict on the first input that is no pass, not localised; else on the first that passes;
  // else on the first.
  reports::Verdict verdict;
  backends::ExecuteRequest request;  // its input
  bool failed = false;
  SearchCounts counts;
};

// `request` gives everything but the arguments. Only time ends a search without a result; the input
// that is found, and after how many inputs, is a function of the seed.
SearchResult SearchInputs(const Module& module, const backends::ExecuteRequest& request,
                          const backends::DiffOptions& diff, backends::Backend& backend,
                          const SearchOptions& options);

}  // namespace hlocts::tools

#endif  // HLOCTS_TOOLS_SEARCH_INPUT_SEARCH_H_
