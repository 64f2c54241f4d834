// SPDX-License-Identifier: Apache-2.0
#include "spec/base/version.h"

const char hlocts::kVersion[] = HLOCTS_VERSION;
