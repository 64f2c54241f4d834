// SPDX-License-Identifier: Apache-2.0
// Module and Computation: an HLO program in the order of its text.
//
// These classes check nothing. A Module can be malformed until spec/infer's verifier accepts it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "spec/ir/instruction.h"
#include "spec/ir/module_fwd.h"
#include "spec/ir/shape.h"

namespace hlocts {

class Computation {
 public:
  explicit Computation(std::string name);
  ~Computation();

  const std::string& name() const { return name_; }
  void set_name(std::string name) { name_ = std::move(name); }
  Module* parent() const { return parent_; }

  const std::vector<std::unique_ptr<Instruction>>& instructions() const { return instructions_; }
  Instruction* Add(std::unique_ptr<Instruction> instruction);
  // Reorders the instructions and renumbers them. `order` is a permutation of the instructions.
  void Reorder(const std::vector<Instruction*>& order);
  // Removes the instructions for which remove() is true. Their users must be removed as well.
  void RemoveIf(const std::function<bool(const Instruction&)>& remove);

  Instruction* root() const { return root_; }
  void set_root(Instruction* root) { root_ = root; }
  // Returns parameter(i) at position i, nullptr if it is missing. Each call recomputes the list.
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

// An entry of input_output_alias: an output buffer and the parameter buffer that it reuses.
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

// The tables that precede the computations in newer texts (FileNames, FunctionNames, ...).
struct StackFrameIndex {
  std::vector<std::string> file_names;
  std::vector<std::string> function_names;
  struct Location {
    int64_t file_name_id = 0, function_name_id = 0, line = 0, end_line = 0, column = 0,
            end_column = 0;
  };
  std::vector<Location> file_locations;
  // As in the text, `parent_frame_id` is one more than the parent's id, and 1 if there is no
  // parent.
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

  // Returns each computation once, callees before callers. Ignores calls that close a cycle.
  std::vector<Computation*> CallOrder() const;
  // Returns a deep copy. Pointers inside it point into the copy.
  std::unique_ptr<Module> Clone() const;

  bool is_scheduled = false;
  int64_t replica_count = 1;
  int64_t num_partitions = 1;
  // Present if the header states it; else the shapes of the entry's parameters and root apply.
  std::optional<ProgramShape> entry_computation_layout;
  ProgramShape EntryProgramShape() const;  // as stated, or inferred
  std::vector<InputOutputAlias> input_output_alias;
  std::vector<BufferDonor> buffer_donor;
  StackFrameIndex stack_frame_index;
  StringMap frontend_attributes;
  // Header attributes that are stored and printed as text, in the order read.
  std::vector<std::pair<std::string, std::string>> extra_attributes;
  int64_t proto_id = 0;
  std::string unknown_fields;

 private:
  std::string name_;
  std::vector<std::unique_ptr<Computation>> computations_;
  Computation* entry_ = nullptr;
};

}  // namespace hlocts
