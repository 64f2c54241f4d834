// SPDX-License-Identifier: Apache-2.0
// The probable distance of outputs from one execution in f64 (RULES 44): a statistic, which still
// says something where intervals are too wide, and proves nothing.
#ifndef HLOCTS_REFERENCE_JUDGE_CENTRED_LIKELY_H_
#define HLOCTS_REFERENCE_JUDGE_CENTRED_LIKELY_H_

#include <memory>
#include <string>

#include "absl/types/span.h"
#include "reference/judge/centred/tape.h"
#include "reference/judge/module_sets.h"

namespace hlocts::reference {

// The root of the sum of squares of what each rounding behind an element may do to it, to first
// order; infinite where a later operation has no slope. All nodes up to it are prepared with
// boxes of one point.
double RootOfSquares(absl::Span<const std::unique_ptr<Node>> nodes, int32_t node, int64_t element);

// The first improbable element of these outputs, in root order: "output 0 at [5]: ..."; "" for
// none. Errors are those of AcceptanceOf.
absl::StatusOr<std::string> FindSuspect(const Module& module, absl::Span<const Literal> arguments,
                                        absl::Span<const Literal> actual_leaves,
                                        const JudgeOptions& options);

}  // namespace hlocts::reference

#endif  // HLOCTS_REFERENCE_JUDGE_CENTRED_LIKELY_H_
