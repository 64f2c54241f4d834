// SPDX-License-Identifier: Apache-2.0
// Checks the header's entry_computation_layout, input_output_alias and buffer_donor (ruling 0068).
#include "absl/container/flat_hash_set.h"
#include "spec/infer/infer.h"
#include "spec/infer/rules.h"
#include "spec/infer/verifier_parts.h"

namespace hlocts {
namespace {

absl::Status CheckEntryLayout(const ProgramShape& stated, const ProgramShape& entry) {
  constexpr absl::string_view kRule = "hlo.entry_computation_layout";
  HLOCTS_EXPECT(stated.parameters.size() == entry.parameters.size(), kRule,
                CountText(entry.parameters.size(), "parameter"),
                absl::StrCat(stated.parameters.size()));
  for (size_t i = 0; i < entry.parameters.size(); ++i) {
    HLOCTS_RETURN_IF_ERROR(VerifyShape(stated.parameters[i]));
    HLOCTS_RETURN_IF_ERROR(ExpectCompatible(kRule, absl::StrCat("parameter ", i),
                                            entry.parameters[i], stated.parameters[i]));
  }
  HLOCTS_RETURN_IF_ERROR(VerifyShape(stated.result));
  return ExpectCompatible(kRule, "result", entry.result, stated.result);
}

// Returns the shape of a parameter's buffer, or an error that names the invalid number or index.
absl::StatusOr<const Shape*> ParameterBuffer(const ProgramShape& program, int64_t number,
                                             const ShapeIndex& index) {
  HLOCTS_RETURN_IF_ERROR(ExpectDimension("aliasing.9", "parameter number", number,
                                         static_cast<int64_t>(program.parameters.size())));
  const Shape* shape = SubshapeAt(program.parameters[number], index);
  HLOCTS_EXPECT(shape != nullptr, "aliasing.9",
                absl::StrCat("an index into ", ShapeText(program.parameters[number])),
                ListText(index));
  return shape;
}

std::vector<int64_t> BufferKey(int64_t number, const ShapeIndex& index) {
  std::vector<int64_t> key = index;
  key.insert(key.begin(), number);
  return key;
}

using BufferKeys = absl::flat_hash_set<std::vector<int64_t>>;

// Returns true if the memory of `input` can be reused for `output`: both have the same type and
// number of elements. Compilers alias across reshapes, and XLA prints modules with such aliases.
bool SameBuffer(const Shape& input, const Shape& output) {
  return Compatible(input, output) ||
         (input.IsArray() && input.element_type() == output.element_type() &&
          input.ElementCount() == output.ElementCount());
}

absl::Status CheckAliases(const Module& module, const ProgramShape& program, BufferKeys& inputs) {
  BufferKeys outputs;
  for (const InputOutputAlias& alias : module.input_output_alias) {
    const Shape* output = SubshapeAt(program.result, alias.output_index);
    HLOCTS_EXPECT(output != nullptr, "aliasing.8",
                  absl::StrCat("an index into ", ShapeText(program.result)),
                  ListText(alias.output_index));
    HLOCTS_ASSIGN_OR_RETURN(const Shape* input, ParameterBuffer(program, alias.parameter_number,
                                                                alias.parameter_index));
    HLOCTS_EXPECT(SameBuffer(*input, *output), "aliasing.6",
                  absl::StrCat("a parameter buffer as large as ", ShapeText(*output)),
                  ShapeText(*input));
    HLOCTS_EXPECT(outputs.insert(alias.output_index).second, "aliasing.9",
                  "at most one alias of an output", ListText(alias.output_index) + " again");
    HLOCTS_EXPECT(inputs.insert(BufferKey(alias.parameter_number, alias.parameter_index)).second,
                  "aliasing.9", "at most one alias of a parameter buffer",
                  absl::StrCat("parameter ", alias.parameter_number, " ",
                               ListText(alias.parameter_index), " again"));
  }
  return absl::OkStatus();
}

absl::Status CheckDonors(const Module& module, const ProgramShape& program, BufferKeys& inputs) {
  for (const BufferDonor& donor : module.buffer_donor) {
    HLOCTS_RETURN_IF_ERROR(
        ParameterBuffer(program, donor.parameter_number, donor.parameter_index).status());
    HLOCTS_EXPECT(
        inputs.insert(BufferKey(donor.parameter_number, donor.parameter_index)).second,
        "hlo.buffer_donor", "a buffer that is not yet aliased or donated",
        absl::StrCat("parameter ", donor.parameter_number, " ", ListText(donor.parameter_index)));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status VerifyHeader(const Module& module) {
  const bool says_nothing = !module.entry_computation_layout && module.input_output_alias.empty() &&
                            module.buffer_donor.empty();
  if (says_nothing) return absl::OkStatus();
  ProgramShape program = module.entry()->ComputeProgramShape();
  if (module.entry_computation_layout) {
    absl::Status status = CheckEntryLayout(*module.entry_computation_layout, program);
    if (!status.ok()) return Annotate(status, "entry_computation_layout");
  }
  BufferKeys inputs;
  if (absl::Status status = CheckAliases(module, program, inputs); !status.ok()) {
    return Annotate(status, "input_output_alias");
  }
  return Annotate(CheckDonors(module, program, inputs), "buffer_donor");
}

}  // namespace hlocts
