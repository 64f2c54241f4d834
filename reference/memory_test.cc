// SPDX-License-Identifier: Apache-2.0
// Compares the peak memory of an evaluation with the literals that must be alive. Replaces malloc
// to count bytes, so it is a separate executable and does not run under sanitizers.
#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdio>
#include <map>
#include <set>

#include "reference/testing/module_runner.h"
#include "spec/ir/module.h"
#include "spec/ir/opcode.h"
#include "suites/case.h"

extern "C" {
void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
void* __libc_memalign(size_t, size_t);
void __libc_free(void*);
}

namespace {
std::atomic<int64_t> g_bytes{0}, g_peak{0};
void* Count(void* memory) {
  int64_t now = g_bytes += static_cast<int64_t>(malloc_usable_size(memory));
  int64_t peak = g_peak;
  while (now > peak && !g_peak.compare_exchange_weak(peak, now)) {
  }
  return memory;
}
void Uncount(void* memory) { g_bytes -= static_cast<int64_t>(malloc_usable_size(memory)); }
}  // namespace

extern "C" {
void* malloc(size_t bytes) { return Count(__libc_malloc(bytes)); }
void* calloc(size_t count, size_t bytes) { return Count(__libc_calloc(count, bytes)); }
void* realloc(void* memory, size_t bytes) {
  if (memory) Uncount(memory);
  return Count(__libc_realloc(memory, bytes));
}
void* memalign(size_t alignment, size_t bytes) { return Count(__libc_memalign(alignment, bytes)); }
void* aligned_alloc(size_t alignment, size_t bytes) { return memalign(alignment, bytes); }
int posix_memalign(void** memory, size_t alignment, size_t bytes) {
  *memory = memalign(alignment, bytes);
  return *memory == nullptr ? ENOMEM : 0;
}
void free(void* memory) {
  if (memory) Uncount(memory);
  __libc_free(memory);
}
}

namespace hlocts::reference {
namespace {

// The arrays that a value consists of, and the size of each in bytes.
using Buffers = std::map<const Instruction*, int64_t>;

Buffers BuffersOf(const Instruction& instruction, std::map<const Instruction*, Buffers>& known) {
  Buffers merged;
  switch (instruction.opcode()) {
    case Opcode::kTuple:
    case Opcode::kGetTupleElement:
    case Opcode::kBitcast:
    case Opcode::kCopy:
    case Opcode::kWhile:  // the loop state is updated in place
      for (const Instruction* operand : instruction.operands()) {
        for (const auto& [owner, bytes] : known[operand]) merged[owner] = bytes;
      }
      return merged;
    default:
      return {{&instruction, instruction.shape().StorageSizeBytes()}};
  }
}

// Returns the peak of bytes in live arrays, with instructions in textual order and values freed
// after their last use. The caller owns the parameters of a called computation.
int64_t LivePeak(const Computation& computation, bool is_entry) {
  std::map<const Instruction*, Buffers> known;
  std::map<const Instruction*, const Instruction*> last_use;
  for (const auto& instruction : computation.instructions()) {
    for (const Instruction* operand : instruction->operands())
      last_use[operand] = instruction.get();
  }
  std::set<const Instruction*> alive;
  int64_t peak = 0;
  for (const auto& instruction : computation.instructions()) {
    const Instruction* now = instruction.get();
    known[now] = BuffersOf(*now, known);
    if (now->opcode() == Opcode::kParameter && !is_entry) known[now].clear();
    alive.insert(now);
    Buffers all;
    for (const Instruction* value : alive) {
      for (const auto& [owner, bytes] : known[value]) all[owner] = bytes;
    }
    int64_t inner = 0, bytes_now = 0;
    for (const Computation* called : now->called_computations()) {
      inner = std::max(inner, LivePeak(*called, false));
    }
    for (const auto& [owner, bytes] : all) bytes_now += bytes;
    peak = std::max(peak, bytes_now + inner);
    for (const Instruction* operand : now->operands()) {
      bool callers = operand->opcode() == Opcode::kParameter;
      if (last_use[operand] == now && !callers) alive.erase(operand);
    }
  }
  return peak;
}

class Memory : public ::testing::TestWithParam<suites::Case> {};

TEST_P(Memory, PeakIsAtMostTwiceTheLiveLiterals) {
  constexpr int64_t kForPlan = 64 << 10;  // instructions, plan, small vectors
  auto module = MustParse(GetParam().module_text);
  int64_t before = g_bytes;
  std::vector<Literal> arguments;
  for (const Shape& shape : module->EntryProgramShape().parameters) arguments.emplace_back(shape);
  g_peak = g_bytes.load();
  ASSERT_TRUE(Evaluate(*module, arguments).ok());
  int64_t peak = g_peak - before, live = LivePeak(*module->entry(), true);
  std::printf("%-24s peak %9lld bytes, live literals %9lld, %.2f times\n",
              GetParam().name().c_str(), static_cast<long long>(peak), static_cast<long long>(live),
              static_cast<double>(peak) / static_cast<double>(live));
  EXPECT_LE(peak, 2 * live + kForPlan);
  EXPECT_GE(peak, live / 2) << "the count cannot be right";
}

INSTANTIATE_TEST_SUITE_P(
    Bench, Memory,
    ::testing::ValuesIn(suites::LoadCases(HLOCTS_SOURCE_DIR "/tools/bench/modules.case").value()),
    [](const auto& info) { return info.param.name(); });

}  // namespace
}  // namespace hlocts::reference
