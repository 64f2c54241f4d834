// SPDX-License-Identifier: Apache-2.0
#include "spec/base/version.h"

const char hlocts::kVersion[] = HLOCTS_VERSION;
const char hlocts::kReleaseTarball[] = "hlocts-" HLOCTS_VERSION "-linux-x86_64.tar.gz";
