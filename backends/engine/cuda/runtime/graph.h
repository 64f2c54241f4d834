// SPDX-License-Identifier: Apache-2.0
// Launches as a graph of the driver, straight or around a condition that the device looks at.
#ifndef HLOCTS_BACKENDS_ENGINE_CUDA_RUNTIME_GRAPH_H_
#define HLOCTS_BACKENDS_ENGINE_CUDA_RUNTIME_GRAPH_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "backends/engine/cuda/runtime/driver.h"

namespace hlocts::cuda {

// A kernel of these blocks; without a function, a copy of `count` bytes; with `enqueue`, what that
// enqueues on the stream.
struct GraphStep {
  CUfunction function = nullptr;
  unsigned blocks = 0, threads = 0;
  const void* arguments = nullptr;
  int64_t count = 0;
  void* to = nullptr;
  const void* from = nullptr;
  std::function<bool()> enqueue;  // false: it failed
};

// GraphCondition of generic.cu and what it looks at; again 0: the steps run once.
struct GraphCondition {
  CUfunction kernel;
  CUdeviceptr again, left;
};

struct Graph {
  CUgraph graph = nullptr;
  CUgraphExec executable = nullptr;
  std::vector<CUdeviceptr> workspaces;  // that its steps use
};

// stream: where steps enqueue; nothing else may use it meanwhile.
CUresult BuildGraph(const Driver& driver, CUcontext context, CUstream stream,
                    const std::vector<GraphStep>& steps, const GraphCondition& condition,
                    Graph& result);
void ReleaseGraph(const Driver& driver, const Graph& graph);

}  // namespace hlocts::cuda

#endif  // HLOCTS_BACKENDS_ENGINE_CUDA_RUNTIME_GRAPH_H_
