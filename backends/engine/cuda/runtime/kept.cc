// SPDX-License-Identifier: Apache-2.0
// Launches that are kept as graphs.
#include <array>

#include "backends/engine/cuda/runtime/runtime.h"

namespace hlocts::cuda {

hlocts_cuda_status Runtime::Keeps(Library library, const void* plan, int64_t bytes,
                                  const void* const* in, void* const* out) {
  const Turn turn(*this);
  if (library != Library::kCublasLt || bytes != static_cast<int64_t>(sizeof(GemmPlan))) {
    return Fail(HLOCTS_CUDA_FAILED, "graphs have products alone");
  }
  size_t workspace = 0;
  const LibraryStatus takes =
      PrepareCublasLt(library_context(), *static_cast<const GemmPlan*>(plan), in, out, &workspace);
  return takes.ok() ? HLOCTS_CUDA_OK : Fail(takes.status, takes.reason);
}

hlocts_cuda_status Runtime::ProductOf(const hlocts_cuda_launch& launch, Graph* graph,
                                      GraphStep* step) {
  const GemmPlan plan = *static_cast<const GemmPlan*>(launch.arguments);
  const std::array<const void*, 2> in = {launch.from, launch.second};
  void* const out = launch.to;
  size_t bytes = 0;
  const LibraryStatus takes = PrepareCublasLt(library_context(), plan, in.data(), &out, &bytes);
  if (!takes.ok()) return Fail(takes.status, takes.reason);
  CUdeviceptr workspace = 0;
  if (bytes > 0) {
    HLOCTS_RETURN_IF_BAD(
        Check(driver_->cuMemAllocAsync_(&workspace, bytes, stream_), "a workspace"));
    graph->workspaces.push_back(workspace);
  }
  step->enqueue = [this, plan, in, out, workspace] {
    return EnqueueCublasLt(library_context(), plan, in.data(), &out,
                           reinterpret_cast<void*>(workspace))
        .ok();
  };
  return HLOCTS_CUDA_OK;
}

hlocts_cuda_status Runtime::KeepIn(const hlocts_cuda_launch* launches, int64_t count,
                                   const GraphCondition& condition, Graph* graph) {
  std::vector<GraphStep> steps(static_cast<size_t>(count));
  for (int64_t l = 0; l < count; ++l) {
    GraphStep* step = &steps[static_cast<size_t>(l)];
    HLOCTS_RETURN_IF_BAD(launches[l].kernel == HLOCTS_CUDA_KEPT_PRODUCT
                             ? ProductOf(launches[l], graph, step)
                             : StepOf(launches[l], /*pinned=*/true, step));
  }
  return Check(BuildGraph(*driver_, context_, stream_, steps, condition, *graph), "a graph");
}

void Runtime::ReleaseKept(const Graph& graph) {
  ReleaseGraph(*driver_, graph);
  for (const CUdeviceptr workspace : graph.workspaces) {
    driver_->cuMemFreeAsync_(workspace, stream_);
  }
}

hlocts_cuda_status Runtime::Keep(const hlocts_cuda_launch* launches, int64_t count,
                                 const void* again, void* left, int64_t* number) {
  const Turn turn(*this);
  Graph graph;
  const hlocts_cuda_status kept =
      KeepIn(launches, count, {condition_, Address(again), Address(left)}, &graph);
  if (kept != HLOCTS_CUDA_OK) {
    ReleaseKept(graph);
    return kept;
  }
  *number = next_graph_++;
  graphs_[*number] = graph;
  return HLOCTS_CUDA_OK;
}

hlocts_cuda_status Runtime::Replay(int64_t graph) {
  const Turn turn(*this);
  return Check(driver_->cuGraphLaunch_(graphs_.at(graph).executable, stream_), "a graph");
}

void Runtime::Forget(int64_t graph) {
  const Turn turn(*this);
  ReleaseKept(graphs_.at(graph));
  graphs_.erase(graph);
}

}  // namespace hlocts::cuda
