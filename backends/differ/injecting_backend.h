// SPDX-License-Identifier: Apache-2.0
// A test engine: the reference with planted faults.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "backends/backend_list.h"
#include "spec/infer/verifier.h"
#include "spec/ir/module.h"
#include "spec/ir/opcode.h"

namespace hlocts::backends {

// A fault that adds `steps` representable values to element `element` of the floating-point
// instruction `instruction` (16, 32 or 64 bits).
struct Injection {
  std::string instruction;
  int64_t element = 0;
  int32_t steps = 0;
  // If not empty, the fault appears only if one module computes all of these instructions (none is
  // a parameter), like a fault of fusion.
  std::vector<std::string> together;
};

class InjectingBackend : public Backend {
 public:
  explicit InjectingBackend(Injection injection) : injection_(std::move(injection)) {}

  BackendInfo info() override {
    BackendInfo info = reference_->info();
    info.name = "injecting";
    return info;
  }

  absl::StatusOr<std::unique_ptr<Executable>> Load(const Module& module,
                                                   const LoadOptions& options) override {
    ++loads;
    if (refuse && Computes(module, *refuse)) return Unsupported("no ", *refuse);
    std::unique_ptr<Module> copy = module.Clone();
    bool all = !only_in || module.name() == *only_in;
    for (const std::string& name : injection_.together) all = all && Computes(module, name);
    for (const auto& computation : copy->computations()) {
      if (all) Plant(*computation);
    }
    HLOCTS_RETURN_IF_ERROR(VerifyModule(*copy));
    return reference_->Load(*copy, options);
  }

  std::optional<std::string> refuse;   // an instruction that this engine does not support
  std::optional<std::string> only_in;  // name of the only module with the fault
  int loads = 0;

 private:
  static bool Computes(const Module& module, const std::string& name) {
    for (const auto& computation : module.computations()) {
      for (const auto& i : computation->instructions()) {
        if (i->name() == name && !i->IsParameter()) return true;
      }
    }
    return false;
  }

  static Instruction* Append(Computation& computation, std::string name, Opcode opcode,
                             const Shape& shape, std::vector<Instruction*> operands) {
    auto added = std::make_unique<Instruction>(std::move(name), opcode, shape);
    added->mutable_operands() = std::move(operands);
    return computation.Add(std::move(added));
  }

  static PrimitiveType SignedOfWidth(const Shape& shape) {
    const int width = BitWidth(shape.element_type());
    return width == 16   ? PrimitiveType::kS16
           : width == 64 ? PrimitiveType::kS64
                         : PrimitiveType::kS32;
  }
  static void Store(int32_t value, int64_t at, Literal& literal) {
    switch (literal.element_type()) {
      case PrimitiveType::kS16:
        literal.mutable_data<int16_t>()[at] = static_cast<int16_t>(value);
        break;
      case PrimitiveType::kS64:
        literal.mutable_data<int64_t>()[at] = value;
        break;
      default:
        literal.mutable_data<int32_t>()[at] = value;
    }
  }

  // Adds instructions that convert the instruction's result to integers, add the steps at one
  // element, and convert back.
  void Plant(Computation& computation) {
    Instruction* target = nullptr;
    for (const auto& i : computation.instructions()) {
      if (i->name() == injection_.instruction && !i->IsParameter()) target = i.get();
    }
    if (target == nullptr) return;
    std::vector<Instruction*> order, users;
    for (const auto& i : computation.instructions()) order.push_back(i.get());
    users = order;
    Shape shape = target->shape(), integers = shape.WithElementType(SignedOfWidth(shape));
    Literal steps(integers.WithoutLayout());
    Store(injection_.steps, injection_.element, steps);
    Instruction* added = Append(computation, "planted.1", Opcode::kConstant, integers, {});
    added->set_literal(std::move(steps));
    Instruction* bits =
        Append(computation, "planted.2", Opcode::kBitcastConvert, integers, {target});
    Instruction* sum = Append(computation, "planted.3", Opcode::kAdd, integers, {bits, added});
    Instruction* wrong = Append(computation, "planted.4", Opcode::kBitcastConvert, shape, {sum});
    for (Instruction* user : users) {
      for (Instruction*& operand : user->mutable_operands()) {
        if (operand == target) operand = wrong;
      }
    }
    if (computation.root() == target) computation.set_root(wrong);
    order.insert(order.begin() + target->index() + 1, {added, bits, sum, wrong});
    computation.Reorder(order);
  }

  Injection injection_;
  std::unique_ptr<Backend> reference_ = *MakeInProcessBackend("reference");
};

}  // namespace hlocts::backends
