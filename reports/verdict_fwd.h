// SPDX-License-Identifier: Apache-2.0
// Forward-declares the verdict and its parts for headers that only pass them on.
#pragma once

#include "spec/base/outcome.h"

namespace hlocts::reports {

struct FailureOperand;  // reports/verdict_parts.h
struct Localisation;
struct VerdictFailure;
struct WorstUlps;
struct Verdict;  // reports/verdict.h

}  // namespace hlocts::reports
