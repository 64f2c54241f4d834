// SPDX-License-Identifier: Apache-2.0
// HLOCTS_VECTOR_CLONES before a function: it is compiled for AVX2 as well, and the machine at hand
// decides at start which one runs. For plain loops of f64 over blocks, which have twice the width
// then. Their values stay: neither has fused operations, and no sum changes its order.
#ifndef HLOCTS_SPEC_BASE_VECTOR_CLONES_H_
#define HLOCTS_SPEC_BASE_VECTOR_CLONES_H_

// What decides runs before a sanitizer is ready; C libraries other than glibc cannot ask at all.
#if defined(__GNUC__) && !defined(__clang__) && defined(__x86_64__) && defined(__GLIBC__) && \
    defined(__OPTIMIZE__) && !defined(__SANITIZE_ADDRESS__)
#define HLOCTS_VECTOR_CLONES __attribute__((target_clones("avx2", "default")))
#else
#define HLOCTS_VECTOR_CLONES
#endif

#endif  // HLOCTS_SPEC_BASE_VECTOR_CLONES_H_
