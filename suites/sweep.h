// SPDX-License-Identifier: Apache-2.0
// Runs a module on every bit pattern of a 32-bit parameter, for `@inputs sweep`. The module is
// compiled once and runs 2^32 / N times, where N is the number of elements of the parameter. Each
// run is a part: its N elements are N of the patterns.
//
// Hashes of accepted outputs are stored per module, profile and build of this program in
// $HLOCTS_SWEEPS or ~/.cache/hlocts/sweeps. Outputs with equal bits are not judged again.
#pragma once

#include <functional>

#include "backends/differ/differ.h"
#include "suites/case.h"

namespace hlocts::suites {

// Returns the first verdict on a part that is not a pass, or else the sum of all passes. Returns
// kError if the module does not have exactly one parameter with 32 bits per element and a size that
// divides 2^32. `stop` is polled between parts; if it returns true, the sweep ends with kError.
reports::Verdict RunSweep(const Case& one, const Module& module, backends::Backend& backend,
                          const backends::DiffOptions& options, const std::function<bool()>& stop);

}  // namespace hlocts::suites
