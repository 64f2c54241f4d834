// Whose processor this is, where measurements tell them apart.
#ifndef HLOCTS_BACKENDS_CPU_KERNELS_PROCESSOR_H_
#define HLOCTS_BACKENDS_CPU_KERNELS_PROCESSOR_H_

namespace hlocts::kernels {

#if defined(__x86_64__)
inline bool IsIntel() {
  static const bool intel = __builtin_cpu_is("intel");
  return intel;
}
inline bool IsAmd() {
  static const bool amd = __builtin_cpu_is("amd");
  return amd;
}
#else
inline bool IsIntel() { return false; }
inline bool IsAmd() { return false; }
#endif

}  // namespace hlocts::kernels

#endif  // HLOCTS_BACKENDS_CPU_KERNELS_PROCESSOR_H_
