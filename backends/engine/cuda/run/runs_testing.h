// SPDX-License-Identifier: Apache-2.0
// What tests run on an engine by its name.
#ifndef HLOCTS_BACKENDS_ENGINE_CUDA_RUN_RUNS_TESTING_H_
#define HLOCTS_BACKENDS_ENGINE_CUDA_RUN_RUNS_TESTING_H_

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "backends/backend_list.h"
#include "backends/engine/cuda/run/test_device.h"
#include "generators/arguments.h"
#include "spec/text/parser.h"

namespace hlocts::cuda {

// Outputs of each replica, one after the other.
inline absl::StatusOr<std::vector<Literal>> RunOn(const std::string& engine,
                                                  const std::string& text,
                                                  backends::LoadOptions load = {}, int times = 1) {
  HLOCTS_ASSIGN_OR_RETURN(const auto backend, backends::MakeBackend(engine));
  HLOCTS_ASSIGN_OR_RETURN(const auto module, ParseModule("HloModule test\n" + text));
  HLOCTS_ASSIGN_OR_RETURN(const auto executable, backend->Load(*module, load));
  backends::ExecuteRequest request;
  for (int64_t r = 0; r < load.replicas; ++r) {
    request.arguments.push_back(generators::GenerateArguments(backends::ArgumentLeafShapes(*module),
                                                              7 + static_cast<uint64_t>(r)));
  }
  std::vector<Literal> all;
  for (int i = 0; i < times; ++i) {
    HLOCTS_ASSIGN_OR_RETURN(backends::ExecuteResult result, executable->Execute(request));
    all.clear();
    for (auto& outputs : result.outputs) all.insert(all.end(), outputs.begin(), outputs.end());
  }
  return all;
}

inline void ExpectSame(const absl::StatusOr<std::vector<Literal>>& a,
                       const absl::StatusOr<std::vector<Literal>>& b) {
  ASSERT_TRUE(a.ok() && b.ok()) << a.status() << b.status();
  ASSERT_EQ(a->size(), b->size());
  for (size_t k = 0; k < a->size(); ++k) EXPECT_TRUE((*a)[k].BitwiseEqual((*b)[k])) << k;
}

}  // namespace hlocts::cuda

#endif  // HLOCTS_BACKENDS_ENGINE_CUDA_RUN_RUNS_TESTING_H_
