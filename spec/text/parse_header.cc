// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "spec/text/module_reader.h"

namespace hlocts {
namespace {

// Reads "{ {0}: (1, {}, must-alias), ... }".
bool ReadInputOutputAlias(Cursor& in, std::vector<InputOutputAlias>* aliases) {
  return ReadList(in, '{', '}', [&] {
    InputOutputAlias& alias = aliases->emplace_back();
    if (!ReadShapeIndex(in, &alias.output_index) || !in.Expect(':')) return false;
    // The document on aliasing uses the short form "{}: 0" (aliasing.7).
    if (!in.Try('(')) return in.NonNegative(&alias.parameter_number, "the number of a parameter");
    if (!in.NonNegative(&alias.parameter_number, "the number of a parameter") || !in.Expect(',') ||
        !ReadShapeIndex(in, &alias.parameter_index)) {
      return false;
    }
    if (in.Try(',')) {
      alias.must_alias = in.TryWord("must-alias");
      if (!alias.must_alias && !in.ExpectWord("may-alias")) return false;
    }
    return in.Expect(')');
  });
}

bool ReadBufferDonor(Cursor& in, std::vector<BufferDonor>* donors) {
  return ReadList(in, '{', '}', [&] {
    BufferDonor& donor = donors->emplace_back();
    return in.Expect('(') && in.NonNegative(&donor.parameter_number, "the number of a parameter") &&
           in.Expect(',') && ReadShapeIndex(in, &donor.parameter_index) && in.Expect(')');
  });
}

// Reads "{(f32[2]{0}, f32[])->f32[2]{0}}".
bool ReadProgramLayout(Cursor& in, ProgramShape* program) {
  if (!in.Expect('{')) return false;
  if (!ReadList(in, '(', ')', [&] { return ReadShape(in, &program->parameters.emplace_back()); })) {
    return false;
  }
  return in.Expect("->") && ReadShape(in, &program->result) && in.Expect('}');
}

// Reads a value that is stored as text: {...}, "...", or one word.
bool ReadRawValue(Cursor& in, std::string* value) {
  const char* start = in.Here();
  absl::string_view balanced;
  std::string unescaped;
  char next = in.Peek();
  bool read = next == '{'   ? in.Balanced(&balanced)
              : next == '"' ? in.QuotedString(&unescaped)
                            : !in.NumberToken().empty() || in.Expected("a value");
  if (read) *value = std::string(start, in.raw_position() - start);
  return read;
}

// Module attributes that do not affect values and are stored as text.
constexpr absl::string_view kKeptAttributes[] = {
    "allow_spmd_sharding_propagation_to_parameters", "allow_spmd_sharding_propagation_to_output",
    "alias_passthrough_params", "origin_recovery_table"};

// Consumes the title of a table. Returns false if the word is the name of a computation instead.
bool TryTitle(Cursor& in, absl::string_view title) {
  const char* start = in.Here();
  if (in.TryWord(title) && in.Peek() != '{' && in.Peek() != '(') return true;
  in.GoTo(start);
  return false;
}

// Reads rows such as "1 ...", numbered from 1, up to a line that does not begin with a number.
template <typename Row>
bool ReadTable(Cursor& in, const Row& row) {
  for (int64_t expected = 1; in.Peek() >= '0' && in.Peek() <= '9'; ++expected) {
    int64_t number;
    const char* start = in.Here();
    if (!in.NonNegative(&number)) return false;
    if (number != expected) {
      return in.FailAt(start, "text.syntax",
                       absl::StrCat("expected row ", expected, " of the table, found ", number));
    }
    if (!row()) return false;
  }
  return true;
}

template <typename Object>
struct Field {
  absl::string_view name;
  int64_t Object::*value;
};
constexpr Field<StackFrameIndex::Location> kLocationFields[] = {
    {"file_name_id", &StackFrameIndex::Location::file_name_id},
    {"function_name_id", &StackFrameIndex::Location::function_name_id},
    {"line", &StackFrameIndex::Location::line},
    {"end_line", &StackFrameIndex::Location::end_line},
    {"column", &StackFrameIndex::Location::column},
    {"end_column", &StackFrameIndex::Location::end_column},
};
constexpr Field<StackFrameIndex::Frame> kFrameFields[] = {
    {"file_location_id", &StackFrameIndex::Frame::file_location_id},
    {"parent_frame_id", &StackFrameIndex::Frame::parent_frame_id},
};

template <typename Object, size_t kCount>
bool ReadFields(Cursor& in, const Field<Object> (&fields)[kCount], Object* object) {
  if (!in.Expect('{')) return false;
  while (!in.Try('}')) {
    const char* start = in.Here();
    absl::string_view name;
    if (!in.Identifier(&name, "a field of the table") || !in.Expect('=')) return false;
    bool known = false;
    for (const Field<Object>& field : fields) {
      if (field.name != name) continue;
      known = true;
      if (!in.Integer(&(object->*field.value))) return false;
    }
    if (!known) {
      return in.FailAt(start, "text.attribute",
                       absl::StrCat("expected a field of the table, found ", name));
    }
    in.Try(',');
  }
  return true;
}

}  // namespace

bool ModuleReader::ReadHeaderAttribute(absl::string_view name) {
  if (name == "is_scheduled") return in.Bool(&module_->is_scheduled);
  if (name == "replica_count") return in.NonNegative(&module_->replica_count);
  if (name == "num_partitions") return in.NonNegative(&module_->num_partitions);
  if (name == "input_output_alias") return ReadInputOutputAlias(in, &module_->input_output_alias);
  if (name == "buffer_donor") return ReadBufferDonor(in, &module_->buffer_donor);
  if (name == "frontend_attributes") return ReadStringMap(in, &module_->frontend_attributes);
  if (name == "entry_computation_layout") {
    return ReadProgramLayout(in, &module_->entry_computation_layout.emplace());
  }
  const bool kept = std::find(std::begin(kKeptAttributes), std::end(kKeptAttributes), name) !=
                    std::end(kKeptAttributes);
  if (!kept) {
    return in.FailAt(name.data(), "text.attribute",
                     absl::StrCat("expected an attribute of a module, found ", name));
  }
  std::string value;
  if (!ReadRawValue(in, &value)) return false;
  module_->extra_attributes.emplace_back(std::string(name), std::move(value));
  return true;
}

bool ModuleReader::ReadHeader() {
  absl::string_view name;
  if (!in.Name(&name, "the name of the module")) return false;
  in.Try(':');
  module_->set_name(std::string(name));
  absl::flat_hash_set<absl::string_view> seen;
  while (in.Try(',')) {
    const char* where = in.Here();
    if (!in.Identifier(&name, "an attribute of the module")) return false;
    if (!seen.insert(name).second) {
      return in.FailAt(where, "text.attribute",
                       absl::StrCat("expected ", name, " once, found it again"));
    }
    if (!in.Expect('=') || !ReadHeaderAttribute(name)) return false;
  }
  return ReadStackFrameTables();
}

bool ModuleReader::ReadStackFrameTables() {
  StackFrameIndex& index = module_->stack_frame_index;
  while (true) {
    if (TryTitle(in, "FileNames")) {
      if (!ReadTable(in, [&] { return in.QuotedString(&index.file_names.emplace_back()); })) {
        return false;
      }
    } else if (TryTitle(in, "FunctionNames")) {
      if (!ReadTable(in, [&] { return in.QuotedString(&index.function_names.emplace_back()); })) {
        return false;
      }
    } else if (TryTitle(in, "FileLocations")) {
      if (!ReadTable(in, [&] {
            return ReadFields(in, kLocationFields, &index.file_locations.emplace_back());
          })) {
        return false;
      }
    } else if (TryTitle(in, "StackFrames")) {
      if (!ReadTable(in, [&] {
            return ReadFields(in, kFrameFields, &index.stack_frames.emplace_back());
          })) {
        return false;
      }
    } else {
      return true;
    }
  }
}

}  // namespace hlocts
