// SPDX-License-Identifier: Apache-2.0
// The library of custom-call handlers that random_and_custom_test.cc loads.
#include <cstdint>

extern "C" {

// custom_call.8: in[0] is f32[2], in[1] f32[2,3]; every element of the f32[3,3] is in[0][0] +
// in[1][0,1].
void myfunc(void* out, void** in) {
  const float* x = static_cast<const float*>(in[0]);
  const float* y = static_cast<const float*>(in[1]);
  for (int i = 0; i < 9; ++i) static_cast<float*>(out)[i] = x[0] + y[1];
}

// A tuple of two s32[2] to their sum and the sum of that.
void sum_of_tuple(void* out, void** in) {
  void** tuple = static_cast<void**>(in[0]);
  const int32_t *a = static_cast<const int32_t*>(tuple[0]),
                *b = static_cast<const int32_t*>(tuple[1]);
  void** results = static_cast<void**>(out);
  int32_t* sums = static_cast<int32_t*>(results[0]);
  for (int i = 0; i < 2; ++i) sums[i] = a[i] + b[i];
  *static_cast<int32_t*>(results[1]) = sums[0] + sums[1];
}

}  // extern "C"
