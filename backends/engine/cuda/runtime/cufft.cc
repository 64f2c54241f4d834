// SPDX-License-Identifier: Apache-2.0
// FftPlan by cuFFT, with the runtime's memory as work area.
#include <cufft.h>
#include <dlfcn.h>

#include "backends/engine/cuda/runtime/library.h"

namespace hlocts::cuda {
namespace {

#define HLOCTS_CUFFT_FUNCTIONS(F) \
  F(cufftCreate)                  \
  F(cufftDestroy)                 \
  F(cufftSetAutoAllocation)       \
  F(cufftMakePlanMany64)          \
  F(cufftSetStream)               \
  F(cufftSetWorkArea)             \
  F(cufftExecC2C) F(cufftExecR2C) F(cufftExecC2R) F(cufftExecZ2Z) F(cufftExecD2Z) F(cufftExecZ2D)

struct Prepared {
  cufftHandle handle = 0;
  size_t workspace = 0;
  bool made = false, usable = false, out_of_memory = false;
};

struct Fft {
  HLOCTS_CUFFT_FUNCTIONS(HLOCTS_LIBRARY_MEMBER)
  bool ok = false;
  PlanCache<FftPlan, Prepared> plans;

  explicit Fft(CUstream) {
    void* library = OpenLibrary("libcufft.so.12");
    if (library == nullptr) return;
    HLOCTS_CUFFT_FUNCTIONS(HLOCTS_LIBRARY_FIND)
    ok = true;
  }
  Prepared Prepare(const FftPlan& plan, CUstream stream);
};

cufftType TypeOf(const FftPlan& p) {
  if (p.kind == kFftFromReal) return p.is_double != 0 ? CUFFT_D2Z : CUFFT_R2C;
  if (p.kind == kFftToReal) return p.is_double != 0 ? CUFFT_Z2D : CUFFT_C2R;
  return p.is_double != 0 ? CUFFT_Z2Z : CUFFT_C2C;
}

Prepared Fft::Prepare(const FftPlan& p, CUstream stream) {
  Prepared prepared;
  cufftResult result = cufftCreate_(&prepared.handle);
  prepared.made = result == CUFFT_SUCCESS;
  long long n[3], in[3], out[3];
  for (int d = 0; d < p.rank; ++d) n[d] = in[d] = out[d] = p.n[d];
  if (p.kind == kFftToReal) in[p.rank - 1] = p.n[p.rank - 1] / 2 + 1;
  if (p.kind == kFftFromReal) out[p.rank - 1] = p.n[p.rank - 1] / 2 + 1;
  if (result == CUFFT_SUCCESS) result = cufftSetAutoAllocation_(prepared.handle, 0);
  if (result == CUFFT_SUCCESS) {
    result =
        cufftMakePlanMany64_(prepared.handle, p.rank, n, in, p.stride, p.distance_in, out, p.stride,
                             p.distance_out, TypeOf(p), p.batch, &prepared.workspace);
  }
  if (result == CUFFT_SUCCESS) result = cufftSetStream_(prepared.handle, stream);
  prepared.usable = result == CUFFT_SUCCESS;
  prepared.out_of_memory = result == CUFFT_ALLOC_FAILED;
  return prepared;
}

cufftResult Execute(const Fft& fft, const FftPlan& p, cufftHandle handle, void* in, void* out) {
  const int direction = p.kind == kFftForward ? CUFFT_FORWARD : CUFFT_INVERSE;
  switch (TypeOf(p)) {
    case CUFFT_R2C:
      return fft.cufftExecR2C_(handle, static_cast<cufftReal*>(in),
                               static_cast<cufftComplex*>(out));
    case CUFFT_C2R:
      return fft.cufftExecC2R_(handle, static_cast<cufftComplex*>(in),
                               static_cast<cufftReal*>(out));
    case CUFFT_D2Z:
      return fft.cufftExecD2Z_(handle, static_cast<cufftDoubleReal*>(in),
                               static_cast<cufftDoubleComplex*>(out));
    case CUFFT_Z2D:
      return fft.cufftExecZ2D_(handle, static_cast<cufftDoubleComplex*>(in),
                               static_cast<cufftDoubleReal*>(out));
    case CUFFT_Z2Z:
      return fft.cufftExecZ2Z_(handle, static_cast<cufftDoubleComplex*>(in),
                               static_cast<cufftDoubleComplex*>(out), direction);
    default:
      return fft.cufftExecC2C_(handle, static_cast<cufftComplex*>(in),
                               static_cast<cufftComplex*>(out), direction);
  }
}

}  // namespace

LibraryStatus CallCufft(const LibraryContext& context, const FftPlan& plan, const void* const* in,
                        void* const* out) {
  Fft* const fft = &OfDevice<Fft>(context);
  if (!fft->ok) return Declined();
  Prepared* prepared = fft->plans.Find(plan);
  if (prepared == nullptr) {
    const auto release = [fft](Prepared& old) {
      if (old.made) fft->cufftDestroy_(old.handle);
    };
    Prepared made = fft->Prepare(plan, context.stream);
    if (made.out_of_memory) {
      // Not remembered: there may be more another time.
      release(made);
      return {HLOCTS_CUDA_OUT_OF_MEMORY, "a plan of cuFFT"};
    }
    prepared = &fft->plans.Add(plan, made, release);
  }
  if (!prepared->usable) return Declined();
  const Workspace workspace(context, prepared->workspace);
  if (!workspace.ok()) return workspace.failure();
  cufftResult result = CUFFT_SUCCESS;
  if (prepared->workspace > 0) result = fft->cufftSetWorkArea_(prepared->handle, workspace.data());
  if (result == CUFFT_SUCCESS) {
    result = Execute(*fft, plan, prepared->handle, const_cast<void*>(in[0]), out[0]);
  }
  if (result == CUFFT_SUCCESS) return {};
  prepared->usable = result == CUFFT_ALLOC_FAILED;
  return LibraryFailed(context, "cufftExec", result, result == CUFFT_ALLOC_FAILED);
}

}  // namespace hlocts::cuda
