// SPDX-License-Identifier: Apache-2.0
#include "tools/cli/interrupt.h"

#include <csignal>

namespace hlocts::tools {
namespace {

volatile std::sig_atomic_t g_interrupted = 0;
void OnInterrupt(int) { g_interrupted = 1; }

}  // namespace

void CatchInterrupts() {
  std::signal(SIGINT, OnInterrupt);
  std::signal(SIGTERM, OnInterrupt);
}

bool Interrupted() { return g_interrupted != 0; }

}  // namespace hlocts::tools
