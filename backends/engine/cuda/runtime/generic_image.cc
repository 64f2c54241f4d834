// SPDX-License-Identifier: Apache-2.0
// Embeds the fatbin that nvcc compiles from generic.cu.
asm(".section .rodata\n"
    ".balign 16\n"
    ".hidden hlocts_cuda_generic_image\n"
    ".globl hlocts_cuda_generic_image\n"
    "hlocts_cuda_generic_image:\n"
    ".incbin \"" HLOCTS_GENERIC_IMAGE
    "\"\n"
    ".byte 0\n"
    ".previous\n");
