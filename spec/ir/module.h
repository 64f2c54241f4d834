// SPDX-License-Identifier: Apache-2.0
// Module, Computation, Instruction: an HLO program as it stands in the text, in textual order.
//
// Nothing here checks meaning: a Module can be malformed until spec/infer's verifier accepts it.
#ifndef HLOCTS_SPEC_IR_MODULE_H_
#define HLOCTS_SPEC_IR_MODULE_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "spec/ir/attributes.h"
#include "spec/ir/literal.h"
#include "spec/ir/opcode.h"
#include "spec/ir/shape.h"

namespace hlocts {

class Module;

class Instruction {
 public:
  Instruction(std::string name, Opcode opcode, Shape shape);
  Instruction(const Instruction& other);
  ~Instruction();

  const std::string& name() const { return name_; }  // without '%'
  void set_name(std::string name) { name_ = std::move(name); }
  Opcode opcode() const { return opcode_; }
  void set_opcode(Opcode opcode) { opcode_ = opcode; }
  // What stands for a value without computing one: an argument, a literal.
  bool IsParameter() const { return opcode_ == Opcode::kParameter; }
  bool IsParameter(int64_t number) const { return IsParameter() && parameter_number_ == number; }
  bool IsConstant() const { return opcode_ == Opcode::kConstant; }
  const Shape& shape() const { return shape_; }
  Shape& mutable_shape() { return shape_; }
  Computation* parent() const { return parent_; }

  const std::vector<Instruction*>& operands() const { return operands_; }
  std::vector<Instruction*>& mutable_operands() { return operands_; }
  const Instruction& operand(int64_t i) const { return *operands_[i]; }
  int64_t operand_count() const { return static_cast<int64_t>(operands_.size()); }

  // Attributes, in the order read. Get<T>: nullptr when absent (or of another kind).
  template <typename T>
  const T* Get(Attr attr) const {
    for (const auto& [name, value] : attributes_) {
      if (name == attr) return std::get_if<T>(&value);
    }
    return nullptr;
  }
  bool Has(Attr attr) const;
  void Set(Attr attr, AttributeValue value);  // replaces or appends
  void Remove(Attr attr);
  const std::vector<std::pair<Attr, AttributeValue>>& attributes() const { return attributes_; }
  std::vector<std::pair<Attr, AttributeValue>>& mutable_attributes() { return attributes_; }

  bool BoolOr(Attr attr, bool otherwise) const;
  int64_t IntOr(Attr attr, int64_t otherwise) const;
  double FloatOr(Attr attr, double otherwise) const;
  absl::string_view WordOr(Attr attr, absl::string_view otherwise) const;
  const std::vector<int64_t>& IntList(Attr attr) const;  // empty when absent
  Computation* CalledComputation(Attr attr) const;       // nullptr when absent
  // All computations this instruction names, in the order of attributes.
  std::vector<Computation*> called_computations() const;

  // opcode constant
  const Literal& literal() const { return literal_; }
  void set_literal(Literal literal) {
    literal_ = std::move(literal);
    has_literal_ = true;
  }
  bool has_literal() const { return has_literal_; }
  // opcode parameter
  int64_t parameter_number() const { return parameter_number_; }
  void set_parameter_number(int64_t number) { parameter_number_ = number; }

  // Position in its computation, maintained by Computation; and the id of the proto form (0: none).
  int64_t index() const { return index_; }
  int64_t proto_id = 0;
  std::string unknown_fields;  // of the proto form, kept for the way back

 private:
  friend class Computation;
  std::string name_;
  Opcode opcode_;
  Shape shape_;
  Computation* parent_ = nullptr;
  std::vector<Instruction*> operands_;
  std::vector<std::pair<Attr, AttributeValue>> attributes_;
  Literal literal_;
  bool has_literal_ = false;
  int64_t parameter_number_ = -1;
  int64_t index_ = 0;
};

class Computation {
 public:
  explicit Computation(std::string name);
  ~Computation();

  const std::string& name() const { return name_; }
  void set_name(std::string name) { name_ = std::move(name); }
  Module* parent() const { return parent_; }

  const std::vector<std::unique_ptr<Instruction>>& instructions() const { return instructions_; }
  Instruction* Add(std::unique_ptr<Instruction> instruction);
  // Puts the instructions into this order (a permutation of the present ones) and renumbers.
  void Reorder(const std::vector<Instruction*>& order);
  // Removes instructions for which keep() is false; their users must be removed as well.
  void RemoveIf(const std::function<bool(const Instruction&)>& remove);

  Instruction* root() const { return root_; }
  void set_root(Instruction* root) { root_ = root; }
  // parameter(i) at position i; holes are nullptr. Recomputed by each call.
  std::vector<Instruction*> parameters() const;
  ProgramShape ComputeProgramShape() const;

  std::string execution_thread = "main";
  std::vector<std::pair<std::string, std::string>> extra_attributes;  // after "}", kept as text
  int64_t proto_id = 0;
  std::string unknown_fields;

 private:
  friend class Module;
  std::string name_;
  Module* parent_ = nullptr;
  std::vector<std::unique_ptr<Instruction>> instructions_;
  Instruction* root_ = nullptr;
};

// 004_af...: which output buffer is which parameter's buffer.
struct InputOutputAlias {
  ShapeIndex output_index;
  int64_t parameter_number = 0;
  ShapeIndex parameter_index;
  bool must_alias = false;
  bool operator==(const InputOutputAlias&) const = default;
};
struct BufferDonor {
  int64_t parameter_number = 0;
  ShapeIndex parameter_index;
  bool operator==(const BufferDonor&) const = default;
};

// Tables that stand before the computations in newer texts (FileNames, FunctionNames, ...).
struct StackFrameIndex {
  std::vector<std::string> file_names;
  std::vector<std::string> function_names;
  struct Location {
    int64_t file_name_id = 0, function_name_id = 0, line = 0, end_line = 0, column = 0,
            end_column = 0;
  };
  std::vector<Location> file_locations;
  struct Frame {
    int64_t file_location_id = 0, parent_frame_id = 0;
  };
  std::vector<Frame> stack_frames;
  bool empty() const {
    return file_names.empty() && function_names.empty() && file_locations.empty() &&
           stack_frames.empty();
  }
};

class Module {
 public:
  explicit Module(std::string name);
  Module(const Module&) = delete;
  ~Module();

  const std::string& name() const { return name_; }
  void set_name(std::string name) { name_ = std::move(name); }

  const std::vector<std::unique_ptr<Computation>>& computations() const { return computations_; }
  Computation* Add(std::unique_ptr<Computation> computation);
  void Reorder(const std::vector<Computation*>& order);
  void RemoveIf(const std::function<bool(const Computation&)>& remove);
  Computation* entry() const { return entry_; }
  void set_entry(Computation* entry) { entry_ = entry; }

  // Callees before callers, each once. Cycles (an error the verifier reports) are cut.
  std::vector<Computation*> CallOrder() const;
  // A deep copy; pointers inside it point into it.
  std::unique_ptr<Module> Clone() const;

  bool is_scheduled = false;
  int64_t replica_count = 1;
  int64_t num_partitions = 1;
  // Present when the text states it; else the shapes of the entry's parameters and root.
  std::optional<ProgramShape> entry_computation_layout;
  ProgramShape EntryProgramShape() const;  // entry_computation_layout, or as computed
  std::vector<InputOutputAlias> input_output_alias;
  std::vector<BufferDonor> buffer_donor;
  StackFrameIndex stack_frame_index;
  StringMap frontend_attributes;
  // Header attributes that are kept and printed as text, in the order read.
  std::vector<std::pair<std::string, std::string>> extra_attributes;
  int64_t proto_id = 0;
  std::string unknown_fields;

 private:
  std::string name_;
  std::vector<std::unique_ptr<Computation>> computations_;
  Computation* entry_ = nullptr;
};

}  // namespace hlocts

#endif  // HLOCTS_SPEC_IR_MODULE_H_
