// SPDX-License-Identifier: Apache-2.0
// Helpers for tests that load our engines' plugins into this process. They use the judge and random
// modules, which a test in backends/engine cannot include. The tests are skipped if the engines are
// not built (ci/engines).
//
// Tests of the CUDA engine run on the host or, with HLOCTS_TEST_ENGINE=cuda, on a GPU.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "backends/backend_list.h"
#include "generators/arguments.h"
#include "spec/text/parser.h"

namespace hlocts::backends {

inline std::unique_ptr<Module> Parsed(const std::string& text) {
  auto module = ParseModule("HloModule test\n" + text);
  EXPECT_TRUE(module.ok()) << text << "\n" << module.status();
  return module.ok() ? *std::move(module) : nullptr;
}

inline Literal F32s(const std::vector<float>& values) {
  Literal literal(Shape(PrimitiveType::kF32, {static_cast<int64_t>(values.size())}));
  std::copy(values.begin(), values.end(), literal.mutable_data<float>().begin());
  return literal;
}

inline std::vector<float> FloatsOf(const Literal& literal) {
  const auto data = literal.data<float>();
  return {data.begin(), data.end()};
}

inline bool TestsOnDevice() {
  const char* engine = std::getenv("HLOCTS_TEST_ENGINE");
  return engine != nullptr && std::string(engine) == "cuda";
}
// Returns the name of the engine to test. The caller may append options, each after '&'.
inline std::string TestEngine() {
  return TestsOnDevice() ? "cuda?isolation=none" : "cuda-host?isolation=none";
}

// Returns the outputs of all replicas, in order. If `arguments` is empty, they are generated.
inline absl::StatusOr<std::vector<Literal>> RunOn(const std::string& engine,
                                                  const std::string& text, LoadOptions load = {},
                                                  const std::vector<Literal>& arguments = {}) {
  HLOCTS_ASSIGN_OR_RETURN(const auto backend, MakeBackend(engine));
  HLOCTS_ASSIGN_OR_RETURN(const auto module, ParseModule("HloModule test\n" + text));
  HLOCTS_ASSIGN_OR_RETURN(const auto executable, backend->Load(*module, load));
  ExecuteRequest request;
  for (int64_t r = 0; r < load.replicas; ++r) {
    request.arguments.push_back(!arguments.empty()
                                    ? arguments
                                    : generators::GenerateArguments(ArgumentLeafShapes(*module),
                                                                    7 + static_cast<uint64_t>(r)));
  }
  HLOCTS_ASSIGN_OR_RETURN(const ExecuteResult result, executable->Execute(request));
  std::vector<Literal> all;
  for (const auto& outputs : result.outputs) all.insert(all.end(), outputs.begin(), outputs.end());
  return all;
}

inline void ExpectSame(const absl::StatusOr<std::vector<Literal>>& a,
                       const absl::StatusOr<std::vector<Literal>>& b) {
  ASSERT_TRUE(a.ok() && b.ok()) << a.status() << b.status();
  ASSERT_EQ(a->size(), b->size());
  for (size_t k = 0; k < a->size(); ++k) EXPECT_TRUE((*a)[k].BitwiseEqual((*b)[k])) << k;
}

}  // namespace hlocts::backends
