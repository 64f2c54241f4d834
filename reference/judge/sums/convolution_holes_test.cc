// SPDX-License-Identifier: Apache-2.0
// Zeros in the holes of kernels that are too long to be laid out.
#include "reference/judge/judge_testing.h"

namespace hlocts::reference {
namespace {

// The second tap lies 2^62 on, beyond the padded image at all but the first position.
const char kLongKernel[] =
    "ENTRY e { x = f32[1,2,1] parameter(0) k = f32[2,1,1] parameter(1)\n"
    " ROOT r = f32[1,2,1] convolution(x, k), window={size=2 rhs_dilate=4611686018427387904 "
    "pad=0_4611686018427387904}, dim_labels=b0f_0io->b0f }";
const Case kHoles[] = {
    {"a_kernel_too_long_to_fill",
     kLongKernel,
     {"f32[1,2,1] {{{3}, {inf}}}", "f32[2,1,1] {{{1}}, {{1}}}"},
     {"f32[1,2,1] {{{3}, {inf}}}"},
     kPass,
     kStrict},
    {"a_kernel_too_long_to_fill_wrong",
     kLongKernel,
     {"f32[1,2,1] {{{3}, {inf}}}", "f32[2,1,1] {{{1}}, {{1}}}"},
     {"f32[1,2,1] {{{4}, {inf}}}"},
     kFail,
     kStrict},
};

JUDGE_CASES(ConvolutionHolesTest, kHoles);

}  // namespace
}  // namespace hlocts::reference
