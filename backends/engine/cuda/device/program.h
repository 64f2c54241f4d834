// SPDX-License-Identifier: Apache-2.0
// Programs: straight-line code that computes one element of a fused loop or of a called
// computation. This file interprets programs; compile/emit.h emits them as source for NVRTC.
#ifndef HLOCTS_BACKENDS_ENGINE_CUDA_DEVICE_PROGRAM_H_
#define HLOCTS_BACKENDS_ENGINE_CUDA_DEVICE_PROGRAM_H_

#include "backends/engine/cuda/device/view.h"

namespace hl {

constexpr int kRegistersMax = 64;
constexpr int kArraysMax = 96;  // maximum number of inputs of a loop
constexpr int kPlacesMax = 16;  // maximum number of operands of a variadic operation

struct Instr {
  int op = 0;
  int type = 0;  // the type of the operands
  int to = 0;    // the type of the result
  int dst = 0, a = 0, b = 0,
      c = 0;               // registers; in a load: array, view, array; in kOpParameter: number
  int math = kMathDouble;  // precision of real functions
  i64 imm[2] = {0, 0};     // kOpConstant: bits; kOpCompare: direction; kOpReducePrecision: widths
};

HL_CALL Value Evaluate(const Instr& n, const Value* r) {
  switch (n.op) {
    case kOpConvert:
      return Convert(n.type, n.to, r[n.a]);
    case kOpBitcastConvert:
      return BitcastConvert(n.type, n.to, r[n.a]);
    case kOpReducePrecision:
      return ReducePrecision(n.type, r[n.a], n.imm[0], n.imm[1]);
    case kOpComplex:
      return MakeComplex(n.type, r[n.a], r[n.b]);
    case kOpCompare:
      return OfBool(Compare(static_cast<int>(n.imm[0]), n.type, r[n.a], r[n.b]));
    case kOpCompareTotal:
      return OfBool(CompareTotal(static_cast<int>(n.imm[0]), n.type, r[n.a], r[n.b]));
    case kOpSelect:
      return r[n.a].u != 0 ? r[n.b] : r[n.c];
    case kOpClamp:
      return Clamp(n.type, r[n.a], r[n.b], r[n.c]);
    default:
      break;
  }
  return n.op >= kOpAdd ? Binary(n.op, n.type, r[n.a], r[n.b], n.math)
                        : Unary(n.op, n.type, n.to, r[n.a], n.math);
}

// Returns the constant of an instruction. A c64 has the bits of two f32, a c128 those of two f64.
HL_CALL Value ConstantOf(const Instr& n) {
  Value v;
  if (n.to == kC128) {
    v.z = {DoubleOfBits(static_cast<u64>(n.imm[0])), DoubleOfBits(static_cast<u64>(n.imm[1]))};
    return v;
  }
  if (n.to == kC64) {
    v.z = {Widened(FloatOfBits(static_cast<u32>(n.imm[0]))),
           Widened(FloatOfBits(static_cast<u32>(n.imm[1])))};
    return v;
  }
  return FromBits(n.to, static_cast<u64>(n.imm[0]));
}

HL_FN Value OfComplex(double re, double im) {
  Value v;
  v.z = {re, im};
  return v;
}

// The inputs of a program: arrays under views, read at one position of the loop.
struct ArrayInputs {
  const void* const* arrays;
  const View* views;
  i64 index;
  HL_FN Value Get(const Instr& n) const {
    if (n.op == kOpPadded) return LoadPadded(n.to, views + n.b, arrays[n.a], arrays[n.c], index);
    if (n.op == kOpGathered)
      return LoadGathered(n.to, views + n.b, arrays[n.a], arrays[n.c], index);
    const i64 at = n.b < 0 ? index : OffsetOf(views[n.b], index);
    if (n.op == kOpLine) return FromInteger(true, static_cast<u64>(at), n.to);
    return Load(n.to, arrays[n.a], at);
  }
};
// The inputs of a called computation: the values of its arguments.
struct Arguments {
  const Value* values;
  HL_FN Value Get(const Instr& n) const { return values[n.a]; }
};

// Tells the compiler the alignment of allocations, so that it merges adjacent loads.
HL_FN const void* Aligned(const void* array) { return __builtin_assume_aligned(array, 16); }
HL_FN void* Aligned(void* array) { return __builtin_assume_aligned(array, 16); }

#ifndef __CUDACC__
// Calls a computation that is not a program, on the host. imm has the function and its context. `a`
// and `dst` are the first registers of its arguments and of its results.
using CalledByHost = void (*)(const void* what, const Value* arguments, Value* results);
inline void CallByHost(const Instr& n, Value* r) {
  reinterpret_cast<CalledByHost>(n.imm[0])(reinterpret_cast<const void*>(n.imm[1]), r + n.a,
                                           r + n.dst);
}
#endif

// The type of `body` in kernels without a program.
struct NoProgram {};

// A program in memory, which is executed instruction by instruction.
struct Interpreted {
  const Instr* code;
  i64 count;
  // An emitted program returns constants from these functions instead.
  HL_FN int Arrays(int arrays) const { return arrays; }
  HL_FN int ArrayType(const int* types, int k) const { return types[k]; }
  HL_FN const WindowShape& Window(const WindowShape& window) const { return window; }
  template <class Inputs>
  HL_CALL void Run(const Inputs& inputs, Value* results) const {
    Value r[kRegistersMax];
    for (i64 i = 0; i < count; ++i) {
      const Instr& n = code[i];
      if (n.op == kOpResult) {
        results[n.imm[0]] = r[n.a];
      } else if (n.op == kOpConstant) {
        r[n.dst] = ConstantOf(n);
      } else if (n.op < kOpConstant) {
        r[n.dst] = inputs.Get(n);
#ifndef __CUDACC__
      } else if (n.op == kOpCalled) {
        CallByHost(n, r);
#endif
      } else {
        r[n.dst] = Evaluate(n, r);
      }
    }
  }
  HL_FN void Call(const Value* arguments, Value* results) const {
    Run(Arguments{arguments}, results);
  }
};

}  // namespace hl

#endif  // HLOCTS_BACKENDS_ENGINE_CUDA_DEVICE_PROGRAM_H_
