// SPDX-License-Identifier: Apache-2.0
// Forward-declares the verdict and its parts for headers that only pass them on.
#ifndef HLOCTS_REPORTS_VERDICT_FWD_H_
#define HLOCTS_REPORTS_VERDICT_FWD_H_

#include "spec/base/outcome.h"

namespace hlocts::reports {

struct FailureOperand;  // reports/verdict_parts.h
struct Localisation;
struct VerdictFailure;
struct WorstUlps;
struct Verdict;  // reports/verdict.h

}  // namespace hlocts::reports

#endif  // HLOCTS_REPORTS_VERDICT_FWD_H_
