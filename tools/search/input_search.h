// SPDX-License-Identifier: Apache-2.0
// Searches for inputs on which an engine is wrong. It takes inputs from the recipes in turn
// (generators/input_recipes.def), changes copies of inputs that reached a new region, and tries
// both sides of the boundary between two regions, which it finds by bisection. The reference
// evaluates each input first and records which regions it reaches. An input whose evaluation takes
// too long does not run on the engine.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "backends/differ/differ.h"
#include "reports/verdict.h"
#include "spec/ir/module_fwd.h"

namespace hlocts::tools {

// The progress of a search.
struct SearchCounts {
  int64_t inputs = 0;  // inputs that ran on the engine
  // The inputs by result. `close` outputs look right and are not judged. All other inputs failed.
  int64_t passed = 0, inconclusive = 0, close = 0;
  int64_t not_run = 0;  // inputs that are too slow or undefined in the reference
  int64_t regions = 0;
  double seconds = 0;
  std::string search;  // name of the last method of the search
};

struct SearchOptions {
  uint64_t seed = 1;
  double seconds_max = 20;
  std::function<bool()> stop;
  std::function<void(const SearchCounts&)> progress;
};

struct SearchResult {
  // The verdict, not localised, on the input that fails or that ends the search (unsupported,
  // error); otherwise on the first input that passes, or else on the first input.
  reports::Verdict verdict;
  backends::ExecuteRequest request;  // the input to which the verdict belongs
  bool failed = false;
  SearchCounts counts;
};

// Searches for inputs. `request` has everything except the arguments. A search without a wrong
// result ends at the time limit, by `stop`, or if engine or reference cannot run the module. The
// input that is found, and the number of inputs before it, depend only on the seed.
SearchResult SearchInputs(const Module& module, const backends::ExecuteRequest& request,
                          const backends::DiffOptions& diff, backends::Backend& backend,
                          const SearchOptions& options);

}  // namespace hlocts::tools
