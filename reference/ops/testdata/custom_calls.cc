// SPDX-License-Identifier: Apache-2.0
// The library of custom-call handlers that random_and_custom_test.cc loads.
#include <cstdint>

extern "C" {

// custom_call.8, custom_call.9: in[0] is f32[2], in[1] is f32[2,3], out is f32[3,3], row by row.
// The first element is x[1] + y[1][0] as in the document; element [i][j] of the others is 10 i + j.
void myfunc(void* out, void** in) {
  const float(&x)[2] = *static_cast<const float(*)[2]>(in[0]);
  const float(&y)[2][3] = *static_cast<const float(*)[2][3]>(in[1]);
  float(&z)[3][3] = *static_cast<float(*)[3][3]>(out);
  for (int i = 0; i < 3; ++i) {
    for (int j = 0; j < 3; ++j) z[i][j] = static_cast<float>(10 * i + j);
  }
  z[0][0] = x[1] + y[1][0];
}

// Maps a tuple of two s32[2] to their sum and the sum of its elements.
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
