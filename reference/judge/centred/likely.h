// SPDX-License-Identifier: Apache-2.0
// How far outputs probably lie from one execution in f64 (RULES 44): a matter of statistics, which
// has no cliff where intervals have one, and proves nothing.
#ifndef HLOCTS_REFERENCE_JUDGE_CENTRED_LIKELY_H_
#define HLOCTS_REFERENCE_JUDGE_CENTRED_LIKELY_H_

#include <memory>
#include <string>

#include "absl/types/span.h"
#include "reference/judge/centred/tape.h"
#include "reference/judge/module_sets.h"

namespace hlocts::reference {

// The root of the sum of squares of what each rounding behind an element may do to it, to first
// order; infinite where something behind it has no slope. All nodes up to it are prepared with
// boxes of one point.
double RootOfSquares(absl::Span<const std::unique_ptr<Node>> nodes, int32_t node, int64_t element);

// What of these outputs, in root order, is improbable: "output 0 at [5]: ..."; "": nothing.
// Errors as AcceptanceOf's.
absl::StatusOr<std::string> FindSuspect(const Module& module, absl::Span<const Literal> arguments,
                                        absl::Span<const Literal> actual_leaves,
                                        const JudgeOptions& options);

}  // namespace hlocts::reference

#endif  // HLOCTS_REFERENCE_JUDGE_CENTRED_LIKELY_H_
