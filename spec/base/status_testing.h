// SPDX-License-Identifier: Apache-2.0
// The value of a StatusOr in a test, which ends where it has none.
#pragma once

#include "gtest/gtest.h"
#include "spec/base/status.h"

#define HLOCTS_ASSERT_OK_AND_ASSIGN(target, expression) \
  HLOCTS_ASSERT_OK_AND_ASSIGN_INNER(HLOCTS_CONCAT(hlocts_or_, __LINE__), target, expression)

#define HLOCTS_ASSERT_OK_AND_ASSIGN_INNER(temporary, target, expression) \
  auto temporary = (expression);                                         \
  ASSERT_TRUE(temporary.ok()) << temporary.status();                     \
  target = *std::move(temporary)
