// SPDX-License-Identifier: Apache-2.0
// Which freedoms of the documents widened the sets that a verdict rests on.
#ifndef HLOCTS_SPEC_JUDGE_FREEDOMS_H_
#define HLOCTS_SPEC_JUDGE_FREEDOMS_H_

#include <string>
#include <vector>

#include "spec/judge/judge.h"
#include "spec/ops/op_table.h"

namespace hlocts {

// Of one element: what made its set wider than a point, and the instruction that did. kNone:
// nothing, or what is no choice of the engine's (ulps of a function, a jump of an open operand).
Freedom FreedomOf(WideningCause cause, const Origin& origin);

// Names of those of all elements of all leaves, and of their joint predicates; sorted.
std::vector<std::string> FreedomsOf(const ModuleAcceptance& accepted);

}  // namespace hlocts

#endif  // HLOCTS_SPEC_JUDGE_FREEDOMS_H_
