// SPDX-License-Identifier: Apache-2.0
#include "backends/engine/cuda/runtime/graph.h"

namespace hlocts::cuda {
namespace {

// Nodes one after the other.
class Chain {
 public:
  Chain(const Driver& driver, CUcontext context, CUstream stream, CUgraph graph)
      : driver_(driver), context_(context), stream_(stream), graph_(graph) {}

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

  // What a library enqueues: kernels one after the other, of which the last is the next step's
  // predecessor.
  CUresult AddEnqueued(const std::function<bool()>& enqueue) {
    const CUgraphNode before = last_;
    CUresult result = driver_.cuStreamBeginCaptureToGraph_(stream_, graph_, &before, nullptr,
                                                           before != nullptr ? 1 : 0,
                                                           CU_STREAM_CAPTURE_MODE_RELAXED);
    if (result != CUDA_SUCCESS) return result;
    const bool enqueued = enqueue();
    CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
    const CUgraphNode* ends = nullptr;
    const CUgraphEdgeData* edges = nullptr;
    size_t count = 0;
    CUgraph graph = nullptr;
    result =
        driver_.cuStreamGetCaptureInfo_(stream_, &status, nullptr, nullptr, &ends, &edges, &count);
    const bool one_end =
        result == CUDA_SUCCESS && status == CU_STREAM_CAPTURE_STATUS_ACTIVE && count == 1;
    if (one_end) last_ = ends[0];
    const CUresult ended = driver_.cuStreamEndCapture_(stream_, &graph);
    if (ended != CUDA_SUCCESS) return ended;
    return enqueued && one_end ? CUDA_SUCCESS : CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
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

  CUresult AddStep(const GraphStep& step) {
    if (step.enqueue) return AddEnqueued(step.enqueue);
    if (step.function == nullptr) return AddCopy(step);
    long long threads = step.count;
    void* parameters[] = {const_cast<void*>(step.arguments), &threads};
    return AddKernel(step.function, step.blocks, step.threads, parameters);
  }

  CUresult AddSteps(const std::vector<GraphStep>& steps) {
    for (const GraphStep& step : steps) {
      const CUresult result = AddStep(step);
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
  CUstream stream_;
  CUgraph graph_;
  CUgraphNode last_ = nullptr;
};

// The condition, then while it holds: the steps and the condition again.
CUresult AddLoop(const Driver& driver, CUcontext context, CUstream stream,
                 const std::vector<GraphStep>& steps, const GraphCondition& condition,
                 CUgraph graph) {
  CUgraphConditionalHandle handle = 0;
  CUresult result = driver.cuGraphConditionalHandleCreate_(&handle, graph, context, 0, 0);
  if (result != CUDA_SUCCESS) return result;
  Chain outer(driver, context, stream, graph);
  CUgraph turn = nullptr;
  result = outer.AddCondition(condition, handle);
  if (result == CUDA_SUCCESS) result = outer.AddWhile(handle, &turn);
  if (result != CUDA_SUCCESS) return result;
  Chain inner(driver, context, stream, turn);
  result = inner.AddSteps(steps);
  return result == CUDA_SUCCESS ? inner.AddCondition(condition, handle) : result;
}

}  // namespace

CUresult BuildGraph(const Driver& driver, CUcontext context, CUstream stream,
                    const std::vector<GraphStep>& steps, const GraphCondition& condition,
                    Graph& graph) {
  CUresult result = driver.cuGraphCreate_(&graph.graph, 0);
  if (result != CUDA_SUCCESS) return result;
  result = condition.again != 0 ? AddLoop(driver, context, stream, steps, condition, graph.graph)
                                : Chain(driver, context, stream, graph.graph).AddSteps(steps);
  if (result != CUDA_SUCCESS) return result;
  return driver.cuGraphInstantiate_(&graph.executable, graph.graph, 0);
}

void ReleaseGraph(const Driver& driver, const Graph& graph) {
  if (graph.executable != nullptr) driver.cuGraphExecDestroy_(graph.executable);
  if (graph.graph != nullptr) driver.cuGraphDestroy_(graph.graph);
}

}  // namespace hlocts::cuda
