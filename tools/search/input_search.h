// SPDX-License-Identifier: Apache-2.0
// Searches for inputs on which an engine is wrong. It tries input recipes in turn
// (generators/input_recipes.def), changed copies of inputs that reached a new region, and both
// sides of the boundary between two regions, found by bisection. The reference evaluates each input
// first, to record which regions it reaches. An input whose evaluation takes too long is not run on
// the engine.
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
  int64_t inputs = 0;                    // inputs run on the engine
  int64_t passed = 0, inconclusive = 0;  // among them; the rest are not judged, or fail
  int64_t not_run = 0;                   // too slow or undefined in the reference
  int64_t regions = 0;
  double seconds = 0;
  std::string search;  // name of the last method
};

struct SearchOptions {
  uint64_t seed = 1;
  double seconds_max = 20;
  std::function<bool()> stop;
  std::function<void(const SearchCounts&)> progress;
};

struct SearchResult {
  // The verdict, without localisation, on the input that is wrong or that ends the search
  // (unsupported, error); else on the first input that passes; else on the first input.
  reports::Verdict verdict;
  backends::ExecuteRequest request;  // the input of the verdict
  bool failed = false;
  SearchCounts counts;
};

// Searches for inputs. `request` has everything but the arguments. A search without a wrong result
// ends at the time limit, by `stop`, or if engine or reference cannot run the module. The input
// found, and the number of inputs before it, depend only on the seed.
SearchResult SearchInputs(const Module& module, const backends::ExecuteRequest& request,
                          const backends::DiffOptions& diff, backends::Backend& backend,
                          const SearchOptions& options);

}  // namespace hlocts::tools
