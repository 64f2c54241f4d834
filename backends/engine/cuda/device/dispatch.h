// SPDX-License-Identifier: Apache-2.0
// Includes all kernels.
#ifndef HLOCTS_BACKENDS_ENGINE_CUDA_DEVICE_DISPATCH_H_
#define HLOCTS_BACKENDS_ENGINE_CUDA_DEVICE_DISPATCH_H_

#include "backends/engine/cuda/device/block_dot.h"
#include "backends/engine/cuda/device/block_norm.h"
#include "backends/engine/cuda/device/block_rows.h"
#include "backends/engine/cuda/device/block_scan.h"
#include "backends/engine/cuda/device/block_transpose.h"
#include "backends/engine/cuda/device/dispatch_names.h"
#include "backends/engine/cuda/device/library_steps.h"
#include "backends/engine/cuda/device/random.h"
#include "backends/engine/cuda/device/sort.h"
#include "backends/engine/cuda/device/top_k.h"

#endif  // HLOCTS_BACKENDS_ENGINE_CUDA_DEVICE_DISPATCH_H_
