// SPDX-License-Identifier: Apache-2.0
// The freedoms of the documents that widened the sets behind a verdict.
#ifndef HLOCTS_SPEC_JUDGE_FREEDOMS_H_
#define HLOCTS_SPEC_JUDGE_FREEDOMS_H_

#include <string>
#include <vector>

#include "spec/judge/judge.h"
#include "spec/ops/op_table.h"

namespace hlocts {

// The freedom behind an element whose set was widened for `cause` by the instruction `origin`.
// kNone: none, or not a choice of the engine (ulps of a function, a jump of an open operand).
Freedom FreedomOf(WideningCause cause, const Origin& origin);

// Sorted names of the freedoms of all elements of all leaves, and of their joint predicates.
std::vector<std::string> FreedomsOf(const ModuleAcceptance& accepted);

}  // namespace hlocts

#endif  // HLOCTS_SPEC_JUDGE_FREEDOMS_H_
