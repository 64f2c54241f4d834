// SPDX-License-Identifier: Apache-2.0
// Macros that assign the value of a StatusOr in a test; the test ends if there is an error instead.
#pragma once

#include "gtest/gtest.h"
#include "spec/base/status.h"

#define HLOCTS_ASSERT_OK_AND_ASSIGN(target, expression) \
  HLOCTS_ASSERT_OK_AND_ASSIGN_INNER(HLOCTS_CONCAT(hlocts_or_, __LINE__), target, expression)

#define HLOCTS_ASSERT_OK_AND_ASSIGN_INNER(temporary, target, expression) \
  auto temporary = (expression);                                         \
  ASSERT_TRUE(temporary.ok()) << temporary.status();                     \
  target = *std::move(temporary)
