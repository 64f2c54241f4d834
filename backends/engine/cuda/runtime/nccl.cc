// SPDX-License-Identifier: Apache-2.0
// CollectiveCall by NCCL: one thread enqueues the part of every member on the member's stream.
#include "backends/engine/cuda/runtime/library.h"

#ifdef HLOCTS_HAVE_NCCL
#include <dlfcn.h>
#include <nccl.h>

#include <atomic>
#include <cstdlib>

#include "backends/engine/cuda/device/base.h"
#endif

namespace hlocts::cuda {

#ifndef HLOCTS_HAVE_NCCL
bool HasNccl() { return false; }
std::string CollectiveError() { return ""; }
LibraryStatus CallNccl(const std::vector<LibraryContext>&, const CollectiveCall&,
                       const void* const*, void* const*) {
  return Declined();
}
#else

namespace {

#define HLOCTS_NCCL_FUNCTIONS(F) \
  F(ncclCommInitAll)             \
  F(ncclAllReduce)               \
  F(ncclReduceScatter)           \
  F(ncclAllGather)               \
  F(ncclSend)                    \
  F(ncclRecv) F(ncclGroupStart) F(ncclGroupEnd) F(ncclGetErrorString) F(ncclCommGetAsyncError)

struct Nccl {
  HLOCTS_NCCL_FUNCTIONS(HLOCTS_LIBRARY_MEMBER)
  bool ok = false;
  std::atomic<bool> used{false};
  // One collective at a time: two that share devices are enqueued in the same order everywhere.
  std::mutex mutex;
  std::map<std::vector<int>, std::vector<ncclComm_t> > communicators;

  Nccl() {
    // Memory in the order of streams is not open to other devices: NCCL is not to reach into it.
    setenv("NCCL_P2P_DIRECT_DISABLE", "1", 0);
    void* library = OpenLibrary("libnccl.so.2");
    if (library == nullptr) return;
    HLOCTS_NCCL_FUNCTIONS(HLOCTS_LIBRARY_FIND)
    ok = true;
  }
};
Nccl& TheNccl() {
  static Nccl* nccl = new Nccl();
  return *nccl;
}

// Of reductions; what is only moved is bytes.
bool TypeOf(int type, ncclDataType_t& result) {
  switch (type) {
    case hl::kS8:
      return result = ncclInt8, true;
    case hl::kU8:
      return result = ncclUint8, true;
    case hl::kS32:
      return result = ncclInt32, true;
    case hl::kU32:
      return result = ncclUint32, true;
    case hl::kS64:
      return result = ncclInt64, true;
    case hl::kU64:
      return result = ncclUint64, true;
    case hl::kF32:
      return result = ncclFloat32, true;
    case hl::kF64:
      return result = ncclFloat64, true;
    default:
      return false;
  }
}
ncclRedOp_t OpOf(int reduction) {
  constexpr ncclRedOp_t kOps[] = {ncclSum, ncclProd, ncclMin, ncclMax};
  return kOps[reduction];
}

// One member's part; between ncclGroupStart and ncclGroupEnd.
struct Part {
  const Nccl& nccl;
  const CollectiveCall& plan;
  const LibraryContext& context;
  ncclComm_t communicator;
  ncclDataType_t type;
  int member;
  const char* in;
  char* out;

  ncclResult_t Exchange() const;
  ncclResult_t Permute() const;
  ncclResult_t Enqueue() const;
};

ncclResult_t Part::Exchange() const {
  const size_t block = static_cast<size_t>(plan.count);
  for (int peer = 0; peer < plan.members; ++peer) {
    const size_t at = block * static_cast<size_t>(peer);
    ncclResult_t result =
        nccl.ncclSend_(in + at, block, ncclUint8, peer, communicator, context.stream);
    if (result == ncclSuccess) {
      result = nccl.ncclRecv_(out + at, block, ncclUint8, peer, communicator, context.stream);
    }
    if (result != ncclSuccess) return result;
  }
  return ncclSuccess;
}

ncclResult_t Part::Permute() const {
  const size_t bytes = static_cast<size_t>(plan.count);
  for (int target = 0; target < plan.members; ++target) {
    if (plan.sources[target] != member) continue;
    const ncclResult_t result =
        nccl.ncclSend_(in, bytes, ncclUint8, target, communicator, context.stream);
    if (result != ncclSuccess) return result;
  }
  if (plan.sources[member] >= 0) {
    return nccl.ncclRecv_(out, bytes, ncclUint8, plan.sources[member], communicator,
                          context.stream);
  }
  context.driver->cuCtxSetCurrent_(context.context);
  const CUresult cleared = context.driver->cuMemsetD8Async_(reinterpret_cast<CUdeviceptr>(out), 0,
                                                            bytes, context.stream);
  return cleared == CUDA_SUCCESS ? ncclSuccess : ncclUnhandledCudaError;
}

ncclResult_t Part::Enqueue() const {
  const size_t count = static_cast<size_t>(plan.count);
  switch (plan.kind) {
    case kReduceToAll:
      return nccl.ncclAllReduce_(in, out, count, type, OpOf(plan.reduction), communicator,
                                 context.stream);
    case kReduceToParts:
      return nccl.ncclReduceScatter_(in, out, count, type, OpOf(plan.reduction), communicator,
                                     context.stream);
    case kGather:
      return nccl.ncclAllGather_(in, out, count, ncclUint8, communicator, context.stream);
    case kExchange:
      return Exchange();
    default:
      return Permute();
  }
}

ncclResult_t EnqueueAll(const Nccl& nccl, const std::vector<ncclComm_t>& communicators,
                        const std::vector<LibraryContext>& members, const CollectiveCall& plan,
                        ncclDataType_t type, const void* const* in, void* const* out) {
  ncclResult_t result = nccl.ncclGroupStart_();
  for (int m = 0; m < plan.members && result == ncclSuccess; ++m) {
    const Part part = {nccl,
                       plan,
                       members[m],
                       communicators[m],
                       type,
                       m,
                       static_cast<const char*>(in[m]),
                       static_cast<char*>(out[m])};
    result = part.Enqueue();
  }
  const ncclResult_t ended = nccl.ncclGroupEnd_();
  return result == ncclSuccess ? ended : result;
}

}  // namespace

bool HasNccl() { return TheNccl().ok; }

std::string CollectiveError() {
  static const Nccl& nccl = TheNccl();
  if (!nccl.used) return "";
  std::lock_guard<std::mutex> lock(TheNccl().mutex);
  for (const auto& [devices, members] : nccl.communicators) {
    for (ncclComm_t member : members) {
      ncclResult_t state = ncclSuccess;
      nccl.ncclCommGetAsyncError_(member, &state);
      if (state != ncclSuccess && state != ncclInProgress) {
        return std::string("a collective: ") + nccl.ncclGetErrorString_(state);
      }
    }
  }
  return "";
}

LibraryStatus CallNccl(const std::vector<LibraryContext>& members, const CollectiveCall& plan,
                       const void* const* in, void* const* out) {
  Nccl& nccl = TheNccl();
  ncclDataType_t type = ncclUint8;
  const bool reduces = plan.kind == kReduceToAll || plan.kind == kReduceToParts;
  if (!nccl.ok || (reduces && !TypeOf(plan.type, type))) return Declined();
  std::lock_guard<std::mutex> lock(nccl.mutex);
  std::vector<int> devices;
  for (const LibraryContext& member : members) devices.push_back(member.device);
  std::vector<ncclComm_t>& communicators = nccl.communicators[devices];
  ncclResult_t result = ncclSuccess;
  if (communicators.empty()) {
    std::vector<ncclComm_t> made(devices.size());
    result = nccl.ncclCommInitAll_(made.data(), plan.members, devices.data());
    if (result == ncclSuccess) communicators = made;
  }
  if (result == ncclSuccess) {
    result = EnqueueAll(nccl, communicators, members, plan, type, in, out);
  }
  nccl.used = true;
  if (result == ncclSuccess) return {};
  // Some members may have begun: the host does what is left only if all devices are well.
  LibraryStatus worst;
  for (const LibraryContext& member : members) {
    member.driver->cuCtxSetCurrent_(member.context);
    const LibraryStatus status =
        LibraryFailed(member, nccl.ncclGetErrorString_(result), result, false);
    if (worst.status != HLOCTS_CUDA_LOST) worst = status;
  }
  return worst;
}

#endif

}  // namespace hlocts::cuda
