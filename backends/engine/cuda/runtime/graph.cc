// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/cuda/runtime/graph.h"

namespace hlocts::cuda {
namespace {

// Nodes one after the other.
class Chain {
 public:
  Chain(const Driver& driver, CUcontext context, CUgraph graph)
      : driver_(driver), context_(context), graph_(graph) {}

  CUresult AddKernel(CUfunction function, unsigned blocks, unsigned threads, void** parameters) {
    CUDA_KERNEL_NODE_PARAMS kernel = {};
    kernel.func = function;
    kernel.gridDimX = blocks;
    kernel.blockDimX = threads;
    kernel.gridDimY = kernel.gridDimZ = kernel.blockDimY = kernel.blockDimZ = 1;
    kernel.kernelParams = parameters;
    const CUgraphNode before = last_;
    return driver_.cuGraphAddKernelNode_(&last_, graph_, &before, before != nullptr ? 1 : 0,
                                         &kernel);
  }

  CUresult AddCopy(const GraphStep& step) {
    CUDA_MEMCPY3D copy = {};
    copy.srcMemoryType = copy.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    copy.srcDevice = reinterpret_cast<CUdeviceptr>(step.from);
    copy.dstDevice = reinterpret_cast<CUdeviceptr>(step.to);
    copy.WidthInBytes = static_cast<size_t>(step.count);
    copy.Height = copy.Depth = 1;
    const CUgraphNode before = last_;
    return driver_.cuGraphAddMemcpyNode_(&last_, graph_, &before, before != nullptr ? 1 : 0, &copy,
                                         context_);
  }

  // The graph of a turn.
  CUresult AddWhile(CUgraphConditionalHandle handle, CUgraph* turn) {
    CUgraphNodeParams node = {};
    node.type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
    node.conditional.handle = handle;
    node.conditional.type = CU_GRAPH_COND_TYPE_WHILE;
    node.conditional.size = 1;
    node.conditional.ctx = context_;
    const CUgraphNode before = last_;
    const CUresult result =
        driver_.cuGraphAddNode_(&last_, graph_, &before, nullptr, before != nullptr ? 1 : 0, &node);
    if (result == CUDA_SUCCESS) *turn = node.conditional.phGraph_out[0];
    return result;
  }

  CUresult AddSteps(const std::vector<GraphStep>& steps) {
    for (const GraphStep& step : steps) {
      long long threads = step.count;
      void* parameters[] = {const_cast<void*>(step.arguments), &threads};
      const CUresult result = step.function != nullptr
                                  ? AddKernel(step.function, step.blocks, step.threads, parameters)
                                  : AddCopy(step);
      if (result != CUDA_SUCCESS) return result;
    }
    return CUDA_SUCCESS;
  }

  CUresult AddCondition(const GraphCondition& condition, CUgraphConditionalHandle handle) {
    CUdeviceptr again = condition.again, left = condition.left;
    void* parameters[] = {&handle, &again, &left};
    return AddKernel(condition.kernel, 1, 1, parameters);
  }

 private:
  const Driver& driver_;
  CUcontext context_;
  CUgraph graph_;
  CUgraphNode last_ = nullptr;
};

// The condition, then while it holds: the steps and the condition again.
CUresult AddLoop(const Driver& driver, CUcontext context, const std::vector<GraphStep>& steps,
                 const GraphCondition& condition, CUgraph graph) {
  CUgraphConditionalHandle handle = 0;
  CUresult result = driver.cuGraphConditionalHandleCreate_(&handle, graph, context, 0, 0);
  if (result != CUDA_SUCCESS) return result;
  Chain outer(driver, context, graph);
  CUgraph turn = nullptr;
  result = outer.AddCondition(condition, handle);
  if (result == CUDA_SUCCESS) result = outer.AddWhile(handle, &turn);
  if (result != CUDA_SUCCESS) return result;
  Chain inner(driver, context, turn);
  result = inner.AddSteps(steps);
  return result == CUDA_SUCCESS ? inner.AddCondition(condition, handle) : result;
}

}  // namespace

CUresult BuildGraph(const Driver& driver, CUcontext context, const std::vector<GraphStep>& steps,
                    const GraphCondition& condition, Graph& graph) {
  CUresult result = driver.cuGraphCreate_(&graph.graph, 0);
  if (result != CUDA_SUCCESS) return result;
  result = condition.again != 0 ? AddLoop(driver, context, steps, condition, graph.graph)
                                : Chain(driver, context, graph.graph).AddSteps(steps);
  if (result != CUDA_SUCCESS) return result;
  return driver.cuGraphInstantiate_(&graph.executable, graph.graph, 0);
}

void ReleaseGraph(const Driver& driver, const Graph& graph) {
  if (graph.executable != nullptr) driver.cuGraphExecDestroy_(graph.executable);
  if (graph.graph != nullptr) driver.cuGraphDestroy_(graph.graph);
}

}  // namespace hlocts::cuda
