// SPDX-License-Identifier: Apache-2.0
#include <google/protobuf/text_format.h>
#include <gtest/gtest.h>

#include <functional>
#include <set>

#include "absl/strings/match.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "generators/choice_source.h"
#include "generators/module_generator.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/base/status_testing.h"
#include "spec/infer/verifier.h"
#include "spec/ir/module.h"
#include "spec/proto/convert.h"
#include "spec/proto/data.pb.h"
#include "spec/proto/hlo.pb.h"
#include "spec/proto/residue.h"
#include "spec/text/instruction_rows_testing.h"
#include "spec/text/parser.h"
#include "spec/text/printer.h"

namespace hlocts {
namespace {

using ::testing::HasSubstr;

std::unique_ptr<Module> Parse(absl::string_view text) {
  absl::StatusOr<std::unique_ptr<Module>> module = ParseModule(text);
  EXPECT_TRUE(module.ok()) << module.status() << "\n" << text;
  return module.ok() ? *std::move(module) : nullptr;
}

class InstructionTest : public ::testing::TestWithParam<InstructionRow> {};

TEST_P(InstructionTest, TextProtoTextIsAFixpoint) {
  std::unique_ptr<Module> module = Parse(ModuleAround(GetParam().read));
  ASSERT_NE(module, nullptr);
  std::string text = PrintModule(*module);
  HLOCTS_ASSERT_OK_AND_ASSIGN(std::string bytes, SerializeModule(*module));
  HLOCTS_ASSERT_OK_AND_ASSIGN(std::unique_ptr<Module> again, ParseSerializedModule(bytes));
  EXPECT_EQ(PrintModule(*again), text);
  // A second conversion yields the same bytes.
  EXPECT_EQ(*SerializeModule(*again), bytes);
  HLOCTS_ASSERT_OK_AND_ASSIGN(std::unique_ptr<Module> from_text,
                              ParseModuleProtoText(*PrintModuleProto(*again)));
  EXPECT_EQ(PrintModule(*from_text), text);
}

INSTANTIATE_TEST_SUITE_P(Attributes, InstructionTest, ::testing::ValuesIn(InstructionRows()));

TEST(ModuleProtoTest, HeaderIsAFixpoint) {
  const char* text =
      R"(HloModule m, is_scheduled=true, input_output_alias={ {0}: (0, {}, may-alias), {1}: (1, {0}, must-alias) }, buffer_donor={ (1, {1}) }, allow_spmd_sharding_propagation_to_output={true}, entry_computation_layout={(f32[2]{0}, (f32[2]{0}, f32[]))->(f32[2]{0}, f32[2]{0})}, replica_count=2, num_partitions=4, frontend_attributes={a="b"}

FileNames
1 "a.py"

FunctionNames
1 "f"

FileLocations
1 {file_name_id=1 function_name_id=1 line=3 end_line=3 column=1 end_column=9}

StackFrames
1 {file_location_id=1 parent_frame_id=1}

ENTRY e {
  q = (f32[2], f32[]) parameter(1)
  p = f32[2] parameter(0)
  g = f32[2] get-tuple-element(q), index=0, metadata={op_name="o" stack_frame_id=1}
  ROOT t = (f32[2], f32[2]) tuple(p, g)
}
)";
  std::unique_ptr<Module> module = Parse(text);
  ASSERT_NE(module, nullptr);
  std::string printed = PrintModule(*module);
  for (const char* part : {"is_scheduled=true", "must-alias", "buffer_donor={ (1, {1}) }",
                           "replica_count=2", "num_partitions=4", "StackFrames"}) {
    ASSERT_THAT(printed, HasSubstr(part));
  }
  HLOCTS_ASSERT_OK_AND_ASSIGN(std::unique_ptr<Module> again,
                              ParseSerializedModule(*SerializeModule(*module)));
  EXPECT_EQ(PrintModule(*again), printed);
  // A frame that is its own parent is an endless stack to some releases.
  proto::HloModuleProto proto;
  ASSERT_TRUE(proto.ParseFromString(*SerializeModule(*module)));
  EXPECT_EQ(proto.stack_frame_index().stack_frames(0).parent_frame_id(), 0) << "no parent";
}

std::string Varint(uint64_t value) {
  std::string out;
  for (; value >= 0x80; value >>= 7) out.push_back(static_cast<char>(value | 0x80));
  out.push_back(static_cast<char>(value));
  return out;
}
std::string Number(int field, uint64_t value) {
  return Varint(static_cast<uint64_t>(field) << 3) + Varint(value);
}
std::string Bytes(int field, absl::string_view value) {
  return absl::StrCat(Varint((static_cast<uint64_t>(field) << 3) | 2), Varint(value.size()), value);
}

// Returns the bytes of f32[2]{0}, by XLA's field numbers.
std::string VectorShape() {
  return Number(2, 11) + Bytes(3, Varint(2)) + Bytes(5, Bytes(1, Varint(0)));
}

std::string HandMadeModule() {
  std::string parameter = Bytes(1, "p") + Bytes(2, "parameter") + Bytes(3, VectorShape()) +
                          Number(9, 0) + Number(35, 7);
  std::string negate = Bytes(1, "n") + Bytes(2, "negate") + Bytes(3, VectorShape()) +
                       Number(35, 9) + Bytes(36, Varint(7));
  std::string program = Bytes(1, VectorShape()) + Bytes(2, VectorShape()) + Bytes(3, "p");
  std::string computation = Bytes(1, "e") + Bytes(2, parameter) + Bytes(2, negate) +
                            Bytes(4, program) + Number(5, 3) + Number(6, 9);
  return Bytes(1, "m") + Bytes(2, "e") + Bytes(3, computation) + Bytes(4, program) + Number(6, 3);
}

TEST(ModuleProtoTest, ReadsXlasFieldNumbers) {
  HLOCTS_ASSERT_OK_AND_ASSIGN(std::unique_ptr<Module> module,
                              ParseSerializedModule(HandMadeModule()));
  EXPECT_EQ(PrintModule(*module), PrintModule(*Parse(R"(HloModule m
ENTRY e {
  p = f32[2] parameter(0)
  ROOT n = f32[2] negate(p)
})")));
  // Unique ids are kept.
  proto::HloModuleProto proto = *ModuleToProto(*module);
  EXPECT_EQ(proto.computations(0).id(), 3);
  EXPECT_EQ(proto.computations(0).root_id(), 9);
  EXPECT_EQ(proto.computations(0).instructions(1).operand_ids(0), 7);
}

TEST(ModuleProtoTest, UnknownFieldsSurvive) {
  proto::HloModuleProto proto;
  ASSERT_TRUE(proto.ParseFromString(HandMadeModule()));
  auto add = [](google::protobuf::Message* message, int field) {
    message->GetReflection()->MutableUnknownFields(message)->AddLengthDelimited(
        field, absl::StrCat("unknown ", field));
  };
  auto* computation = proto.mutable_computations(0);
  auto* negate = computation->mutable_instructions(1);
  negate->mutable_metadata()->set_op_name("o");
  negate->mutable_sharding()->set_type(proto::OpSharding::REPLICATED);
  add(&proto, 5001);
  add(computation, 5002);
  add(negate, 5003);
  add(negate->mutable_shape(), 5004);
  add(negate->mutable_shape()->mutable_layout(), 5005);
  add(negate->mutable_metadata(), 5006);
  add(negate->mutable_sharding(), 5007);
  add(negate->mutable_precision_config(), 5008);
  // Sets known fields that are not interpreted.
  negate->set_padding_type(proto::PADDING_SAME);
  negate->mutable_metadata()->mutable_profile_info()->set_relative_speedup(2);
  proto.add_cross_program_prefetches()->set_offset(5);
  proto.add_spmd_parameters_shardings()->set_type(proto::OpSharding::MANUAL);
  std::string bytes = proto.SerializeAsString();
  HLOCTS_ASSERT_OK_AND_ASSIGN(std::unique_ptr<Module> module, ParseSerializedModule(bytes));
  proto::HloModuleProto again = *ModuleToProto(*module);
  for (int field = 5001; field <= 5008; ++field) {
    EXPECT_THAT(again.SerializeAsString(), HasSubstr(absl::StrCat("unknown ", field)));
  }
  EXPECT_EQ(again.computations(0).instructions(1).padding_type(), proto::PADDING_SAME);
  EXPECT_EQ(again.computations(0).instructions(1).metadata().profile_info().relative_speedup(), 2);
  EXPECT_EQ(again.cross_program_prefetches(0).offset(), 5);
  EXPECT_EQ(again.spmd_parameters_shardings(0).type(), proto::OpSharding::MANUAL);
  // Protobuf text has no readable form for unknown fields.
  EXPECT_TRUE(ParseModuleProtoText(*PrintModuleProto(*module)).ok());
  // A further conversion yields the same bytes, so nothing is written twice.
  EXPECT_EQ(*SerializeModule(**ParseSerializedModule(again.SerializeAsString())),
            again.SerializeAsString());
}

TEST(ModuleProtoTest, OriginIsXlasOriginalValue) {
  std::unique_ptr<Module> module = Parse(
      ModuleAround("%o = (f32[4,4], f32[]) tuple(%m, %s), origin={({\"b\"}, {\"c\" {0,1}})}"));
  proto::HloModuleProto proto = *ModuleToProto(*module);
  auto* entry = proto.mutable_computations(proto.computations_size() - 1);
  auto* tuple = entry->mutable_instructions(entry->instructions_size() - 2);
  ASSERT_EQ(tuple->original_value().elements_size(), 2);
  EXPECT_THAT(tuple->original_value().elements(1).shape_index(), ::testing::ElementsAre(1));
  EXPECT_THAT(tuple->original_value().elements(1).original_array().shape_index(),
              ::testing::ElementsAre(0, 1));
  // A value that text cannot express is kept as well.
  tuple->mutable_original_value()->mutable_elements()->SwapElements(0, 1);
  std::string odd = proto.SerializeAsString();
  EXPECT_EQ(*SerializeModule(**ParseSerializedModule(odd)), odd);
}

TEST(ModuleProtoTest, NamesAreUniqueInTheProtoAndTheirOwnInTheText) {
  std::unique_ptr<Module> module = Parse(ModuleAround("%o = f32[] call(%s, %s), to_apply=%add"));
  proto::HloModuleProto proto = *ModuleToProto(*module);
  std::set<std::string> names;
  for (const auto& computation : proto.computations()) {
    for (const auto& instruction : computation.instructions()) {
      EXPECT_TRUE(names.insert(instruction.name()).second) << instruction.name();
    }
  }
  EXPECT_EQ(PrintModule(**ModuleFromProto(proto)), PrintModule(*module));
}

TEST(ModuleProtoTest, CalleesStandBeforeCallers) {
  std::unique_ptr<Module> module = Parse(R"(HloModule m
ENTRY e {
  x = f32[] parameter(0)
  ROOT y = f32[] call(x), to_apply=outer
}
outer {
  x = f32[] parameter(0)
  ROOT y = f32[] call(x), to_apply=inner
}
inner { ROOT x = f32[] parameter(0) }
)");
  proto::HloModuleProto proto = *ModuleToProto(*module);
  ASSERT_EQ(proto.computations_size(), 3);
  EXPECT_EQ(proto.computations(0).name(), "inner");
  EXPECT_EQ(proto.computations(1).name(), "outer");
  EXPECT_EQ(proto.entry_computation_id(), proto.computations(2).id());
}

TEST(ModuleProtoTest, WhileNamesItsBodyFirst) {
  std::unique_ptr<Module> module =
      Parse(ModuleAround("%o = (f32[4]) while(%t), condition=%stop, body=%keep"));
  proto::HloModuleProto proto = *ModuleToProto(*module);
  const auto& entry = proto.computations(proto.computations_size() - 1);
  const auto& loop = entry.instructions(entry.instructions_size() - 2);
  ASSERT_EQ(loop.called_computation_ids_size(), 2);
  auto name_of = [&](int64_t id) {
    for (const auto& computation : proto.computations()) {
      if (computation.id() == id) return computation.name();
    }
    return std::string();
  };
  EXPECT_EQ(name_of(loop.called_computation_ids(0)), "keep");
  EXPECT_EQ(name_of(loop.called_computation_ids(1)), "stop");
}

TEST(ModuleProtoTest, CopiedInstructionsGetIdsOfTheirOwn) {
  std::unique_ptr<Module> module = *ParseSerializedModule(HandMadeModule());
  Computation* entry = module->entry();
  auto copy = std::make_unique<Instruction>(*entry->root());
  copy->set_name("copy");
  entry->set_root(entry->Add(std::move(copy)));
  proto::HloModuleProto proto = *ModuleToProto(*module);
  EXPECT_NE(proto.computations(0).instructions(1).id(), proto.computations(0).instructions(2).id());
  EXPECT_TRUE(ModuleFromProto(proto).ok());
}

struct BadProto {
  const char* message;
  std::function<void(proto::HloModuleProto&)> damage;
};

proto::HloInstructionProto* InstructionOf(proto::HloModuleProto& module, int i) {
  return module.mutable_computations(0)->mutable_instructions(i);
}

const BadProto kBadProtos[] = {
    {"expected computations, found none", [](auto& m) { m.clear_computations(); }},
    {"root_id, found 99", [](auto& m) { m.mutable_computations(0)->set_root_id(99); }},
    {"expected a parameter_number of at least 0, found -1",
     [](auto& m) { InstructionOf(m, 0)->set_parameter_number(-1); }},
    {"expected instructions, found none",
     [](auto& m) { m.mutable_computations(0)->clear_instructions(); }},
    {"computation 'e': expected a unique id",
     [](auto& m) { *m.add_computations() = proto::HloComputationProto(m.computations(0)); }},
    {"instruction 'n': expected operand ids of instructions that precede it",
     [](auto& m) { InstructionOf(m, 1)->set_operand_ids(0, 99); }},
    {"precede it", [](auto& m) { InstructionOf(m, 1)->set_operand_ids(0, 9); }},
    {"precede it",
     [](auto& m) { m.mutable_computations(0)->mutable_instructions()->SwapElements(0, 1); }},
    {"expected 1 operand, found 0", [](auto& m) { InstructionOf(m, 1)->clear_operand_ids(); }},
    {"expected a shape, found none", [](auto& m) { InstructionOf(m, 1)->clear_shape(); }},
    {"expected a size of at least 0 for dimension 0, found -2",
     [](auto& m) { InstructionOf(m, 1)->mutable_shape()->set_dimensions(0, -2); }},
    {"layout {1} is not a permutation of 0..0",
     [](auto& m) {
       InstructionOf(m, 1)->mutable_shape()->mutable_layout()->set_minor_to_major(0, 1);
     }},
    {"expected a literal of shape f32[2], found f32[3]",
     [](auto& m) {
       auto* constant = InstructionOf(m, 0);
       constant->set_opcode("constant");
       *constant->mutable_literal() = LiteralToProto(Literal(Shape(PrimitiveType::kF32, {3})));
     }},
};

// Fields in text format that are merged into the module or into an instruction.
struct BadField {
  const char *message, *text;
};
const BadField kBadModuleFields[] = {
    {"entry_computation_id, found 99", "entry_computation_id: 99"},
    {"schedule: expected the id of a computation, found 99", "schedule { sequences { key: 99 } }"},
    {"each instruction once and after its operands, found id 9",
     "schedule { sequences { key: 3 value { instruction_ids: 9 } } }"},
    {"expected 2 instructions, found 1",
     "schedule { sequences { key: 3 value { instruction_ids: 7 } } }"},
    {"input_output_alias: expected MAY_ALIAS", "input_output_alias { entries {} }"},
    {"host_program_shape: expected the number of an element type",
     "host_program_shape { result { element_type: 77 } }"},
};
const BadField kBadInstructionFields[] = {
    {"instruction 'n': expected a unique id, found 7 a second time", "id: 7"},
    {"expected an opcode, found 'frobnicate'", "opcode: 'frobnicate'"},
    {"expected the number of an element type, found 77", "shape { element_type: 77 }"},
    {"expected an enumerator of dim_level_types, found 40",
     "shape { layout { dim_level_types: 40 } }"},
    {"control_predecessor_ids of the same computation, found 99", "control_predecessor_ids: 99"},
    {"kind of sharding, found 42", "sharding { type: 42 }"},
    {"expected called_computation_ids for to_apply, found 0 ids", "opcode: 'call'"},
    {"a computation that precedes its caller, found 3",
     "opcode: 'call' called_computation_ids: 3"},  // itself
    {"expected an enumerator of fft_type, found 9", "opcode: 'fft' fft_type: 9"},
    {"at most 1048576 devices",
     "opcode: 'all-to-all' iota_collective_device_list { num_replica_groups: 1099511627776"
     " num_devices_per_group: 1 iota_reshape_dims: 1099511627776 }"},
};

void ExpectRefused(const char* message, const std::function<void(proto::HloModuleProto&)>& damage) {
  proto::HloModuleProto proto;
  ASSERT_TRUE(proto.ParseFromString(HandMadeModule()));
  damage(proto);
  absl::StatusOr<std::unique_ptr<Module>> module = ModuleFromProto(proto);
  ASSERT_FALSE(module.ok()) << message;
  EXPECT_THAT(std::string(module.status().message()), HasSubstr(message));
}

TEST(ModuleProtoTest, SaysWhatIsWrong) {
  using google::protobuf::TextFormat;
  for (const BadProto& bad : kBadProtos) ExpectRefused(bad.message, bad.damage);
  for (const auto& [message, text] : kBadModuleFields)
    ExpectRefused(message, [&](auto& m) { ASSERT_TRUE(TextFormat::MergeFromString(text, &m)); });
  for (const auto& [message, text] : kBadInstructionFields)
    ExpectRefused(message, [&](auto& m) {
      ASSERT_TRUE(TextFormat::MergeFromString(text, InstructionOf(m, 1))) << text;
    });
}

// A module from an engine can be read for a replay even if it breaks these rules.
TEST(ModuleProtoTest, WhatNoValidModuleHasIsKeptOnDemand) {
  std::unique_ptr<Module> module = Parse(R"(HloModule m
callee { x = f32[2] parameter(0) ROOT y = f32[2] negate(x) }
ENTRY e { p = f32[2] parameter(0) ROOT r = f32[2] call(p), to_apply=callee })");
  Computation* callee = module->computations()[0].get();
  callee->root()->mutable_operands()[0] = module->entry()->parameters()[0];
  callee->parameters()[0]->mutable_shape().set_dimension(0, -1);
  module->entry()->root()->mutable_shape().mutable_layout() = Layout{.minor_to_major = {1}};
  const std::string text = *PrintModuleProto(*module);
  EXPECT_FALSE(ParseModuleProtoText(text).ok());
  HLOCTS_ASSERT_OK_AND_ASSIGN(auto kept, ParseModuleProtoText(text, Malformed::kKept));
  EXPECT_EQ(*PrintModuleProto(*kept), text);
  EXPECT_EQ(&kept->computations()[0]->root()->operand(0), kept->entry()->parameters()[0]);
  // An operand that does not exist cannot be kept.
  const std::string lost = absl::StrReplaceAll(text, {{"operand_ids: ", "operand_ids: 77"}});
  EXPECT_FALSE(ParseModuleProtoText(lost, Malformed::kKept).ok());
}

// Writing a module, reading it and writing it again yields the same module.
TEST(ModuleProtoTest, WritingWhatWasReadChangesNothing) {
  generators::GeneratorOptions options;
  options.replicas_max = 3;
  constexpr generators::Stream kStreams[] = {generators::Stream::kDefined,
                                             generators::Stream::kEdge, generators::Stream::kSizes};
  for (uint64_t number = 0; number < 2000; ++number) {
    options.stream = kStreams[number % std::size(kStreams)];
    generators::SeedSource choose(5, number);
    generators::Generated generated = generators::Generate(choose, options);
    HLOCTS_ASSERT_OK_AND_ASSIGN(auto written, SerializeModule(*generated.module));
    HLOCTS_ASSERT_OK_AND_ASSIGN(auto read, ParseSerializedModule(written));
    if (*SerializeModule(*read) == written) continue;
    EXPECT_EQ(*PrintModuleProto(*read), *PrintModuleProto(*generated.module)) << number;
  }
}

// If a module breaks one rule, the converted module must break the same rule, so that a worker
// rejects it by that rule.
TEST(ModuleProtoTest, TheRuleThatIsBrokenIsKept) {
  generators::GeneratorOptions options;
  options.stream = generators::Stream::kNegative;
  for (uint64_t number = 0; number < 3000; ++number) {
    generators::SeedSource choose(7, number);
    generators::Generated generated = generators::Generate(choose, options);
    HLOCTS_ASSERT_OK_AND_ASSIGN(auto written, SerializeModule(*generated.module));
    auto read = ParseSerializedModule(written, Malformed::kKeepExecutable);
    // A proto cannot express a module that breaks these rules, so reading may fail earlier.
    const bool unsaid =
        generated.broken_rule == "hlo.attribute" || generated.broken_rule == "hlo.recursion";
    EXPECT_TRUE(read.ok() || unsaid) << generated.broken_rule << ": " << read.status();
    if (read.ok()) {
      EXPECT_EQ(RuleOf(VerifyModule(**read)), generated.broken_rule);
    }
  }
}

TEST(ModuleProtoTest, CutBytesNeverDoMoreThanFail) {
  std::string bytes = *SerializeModule(*Parse(ModuleAround("%o = f32[4] negate(%a)")));
  int refused = 0;
  for (size_t size = 0; size < bytes.size(); ++size) {
    refused += !ParseSerializedModule(bytes.substr(0, size)).ok();
  }
  // Bytes truncated at a field boundary may be a module; nearly all other truncated bytes are not.
  EXPECT_GT(refused, static_cast<int>(bytes.size()) * 9 / 10);
  EXPECT_FALSE(ParseSerializedModule("garbage").ok());
  EXPECT_FALSE(ParseSerializedModule("").ok());
}

TEST(ModuleProtoTest, ModulesThatAreNotWhole) {
  Module empty("m");
  EXPECT_THAT(std::string(SerializeModule(empty).status().message()),
              HasSubstr("has no entry computation"));
  std::unique_ptr<Module> module = *ParseSerializedModule(HandMadeModule());
  module->entry()->set_root(nullptr);
  EXPECT_THAT(std::string(SerializeModule(*module).status().message()), HasSubstr("has no root"));
}

TEST(FieldsTest, EveryFieldOfAModuleHasAMeaning) {
  int fields = 0;
  for (const auto* type :
       {proto::HloInstructionProto::descriptor(), proto::HloModuleProto::descriptor()}) {
    for (int i = 0; i < type->field_count(); ++i) {
      EXPECT_TRUE(MeaningOf(*type->field(i)).has_value()) << type->field(i)->full_name();
    }
    fields += type->field_count();
  }
  // One row for each field, and no row for a removed field.
  int rows = 0;
  std::set<std::string> names;
#define HLOCTS_PROTO_FIELD(Message, field, Meaning, reason)                            \
  rows += absl::StartsWith(#Message, "Hlo");                                           \
  EXPECT_NE(proto::Message::descriptor()->FindFieldByName(#field), nullptr) << #field; \
  EXPECT_TRUE(names.insert(#Message "." #field).second) << #field;                     \
  EXPECT_TRUE(FieldMeaning::k##Meaning == FieldMeaning::kObeyed ||                     \
              FieldMeaning::k##Meaning == FieldMeaning::kChecked || *reason != '\0')   \
      << #field;
#include "spec/proto/fields.def"
  EXPECT_EQ(rows, fields);
  EXPECT_GT(fields, 100);
}

proto::HloModuleProto AllReduceProto(absl::string_view groups) {
  return *ModuleToProto(*Parse(absl::StrCat(
      "HloModule m, replica_count=4\nadd {\n a = f32[] parameter(0)\n b = f32[] parameter(1)\n"
      " ROOT s = f32[] add(a, b)\n}\nENTRY e {\n x = f32[2] parameter(0)\n"
      " ROOT r = f32[2] all-reduce(x), replica_groups=",
      groups, ", to_apply=add\n}\n")));
}
proto::HloInstructionProto* RootOf(proto::HloModuleProto& module) {
  return module.mutable_computations(1)->mutable_instructions(1);
}
// Returns the groups of the root, or the error.
std::string GroupsIn(const proto::HloModuleProto& module) {
  absl::StatusOr<std::unique_ptr<Module>> read = ModuleFromProto(module);
  if (!read.ok()) return std::string(read.status().message());
  const auto* groups = (*read)->entry()->root()->Get<ReplicaGroups>(Attr::kReplicaGroups);
  std::string text;
  for (const auto& group : groups->groups)
    absl::StrAppend(&text, "{", absl::StrJoin(group, ","), "}");
  return text;
}

TEST(FieldsTest, ARefusedFieldIsNamed) {
  proto::HloModuleProto module = AllReduceProto("{}");
  RootOf(module)->set_all_reduce_id(7);
  EXPECT_THAT(GroupsIn(module), HasSubstr("expected no all_reduce_id"));
}

// Reads each field of groups in the proto. A mesh is written together with lists, for XLA releases
// that do not know meshes.
TEST(FieldsTest, GroupsOfEveryFormAreRead) {
  proto::HloModuleProto mesh = AllReduceProto("mesh['x'=4] {'x':(1)2}");
  EXPECT_EQ(GroupsIn(mesh), "{0,2}{1,3}");
  EXPECT_EQ(RootOf(mesh)->replica_groups_size(), 2);
  EXPECT_EQ(RootOf(mesh)->mesh_axes_replica_group_list().axes(0).sub_axis_info().size(), 2);
  RootOf(mesh)->clear_replica_groups();
  EXPECT_EQ(GroupsIn(mesh), "{0,2}{1,3}");
  RootOf(mesh)->add_replica_groups()->add_replica_ids(0);
  EXPECT_THAT(GroupsIn(mesh), HasSubstr("expected the same groups"));
  RootOf(mesh)->clear_replica_groups();
  RootOf(mesh)->mutable_mesh_axes_replica_group_list()->mutable_axes(0)->set_mesh_axis_index(3);
  EXPECT_THAT(GroupsIn(mesh), HasSubstr("expected an axis of the mesh"));
  RootOf(mesh)->mutable_mesh_axes_replica_group_list()->clear_mesh();
  EXPECT_THAT(GroupsIn(mesh), HasSubstr("expected axes of the mesh"));
  proto::HloModuleProto devices = AllReduceProto("mesh['x'=2,'y'=2], device_ids=(0,2,1,3) {'x'}");
  EXPECT_EQ(GroupsIn(devices), "{0,1}{2,3}");
  EXPECT_EQ(GroupsIn(AllReduceProto("[2,2]<=[2,2]T(1,0)")), "{0,2}{1,3}");
  proto::HloModuleProto older = AllReduceProto("{}");
  for (int id : {1, 0}) RootOf(older)->add_replica_groups()->add_replica_ids(id);
  EXPECT_EQ(GroupsIn(older), "{1}{0}");
}

TEST(FieldsTest, TheInferredDimensionOfAReshape) {
  const auto text = [](absl::string_view inferred) {
    return absl::StrCat(
        "HloModule m\nENTRY e {\n x = s32[<=4,4] parameter(0)\n"
        " ROOT r = s32[<=8,<=2] reshape(x), inferred_dimension=",
        inferred, "\n}\n");
  };
  proto::HloModuleProto module = *ModuleToProto(*Parse(text("0")));
  EXPECT_EQ(module.computations(0).instructions(1).dimensions_size(), 1);
  EXPECT_THAT(PrintModule(**ModuleFromProto(module)), HasSubstr("inferred_dimension=0"));
  EXPECT_EQ(ModuleToProto(*Parse(text("-1")))->computations(0).instructions(1).dimensions_size(),
            0);
  EXPECT_EQ(RuleOf(VerifyModule(*Parse(text("2")))), "hlo.inferred_dimension");
}

TEST(SnapshotTest, ModuleArgumentsAndResult) {
  Snapshot snapshot;
  snapshot.module = *ParseSerializedModule(HandMadeModule());
  Literal argument(Shape(PrimitiveType::kF32, {2}));
  argument.mutable_data<float>()[1] = 2.5;
  snapshot.arguments = {argument};
  snapshot.result = argument;
  snapshot.execution_platform = "Host";
  std::string bytes = *SerializeSnapshot(snapshot);
  HLOCTS_ASSERT_OK_AND_ASSIGN(AnyModule any, ParseAnyModule(bytes));
  EXPECT_TRUE(any.is_snapshot);
  EXPECT_TRUE(any.snapshot.arguments[0].BitwiseEqual(argument));
  EXPECT_TRUE(any.snapshot.result.BitwiseEqual(argument));
  EXPECT_EQ(any.snapshot.execution_platform, "Host");
  EXPECT_EQ(*SerializeSnapshot(any.snapshot), bytes);
  // A plain module and one in an HloProto are distinguished from a snapshot.
  for (const std::string& other : {HandMadeModule(), Bytes(1, HandMadeModule())}) {
    HLOCTS_ASSERT_OK_AND_ASSIGN(AnyModule plain, ParseAnyModule(other));
    EXPECT_FALSE(plain.is_snapshot);
  }
}

// Named axes are lowered to tiles, and written back unchanged.
TEST(ModuleProto, NamedShardingsAreRead) {
  HLOCTS_ASSERT_OK_AND_ASSIGN(
      auto module, ParseModule("HloModule m\nENTRY e { ROOT a = f32[4,2] parameter(0) }"));
  HLOCTS_ASSERT_OK_AND_ASSIGN(auto proto, ModuleToProto(*module));
  auto* named = proto.mutable_computations(0)
                    ->mutable_instructions(0)
                    ->mutable_sharding()
                    ->mutable_named_sharding();
  for (const char* name : {"x", "y"}) {
    auto* axis = named->mutable_mesh()->add_axes();
    axis->set_name(name);
    axis->set_size(2);
  }
  named->add_dim_shardings()->add_axes()->set_mesh_axis_index(1);
  named->add_dim_shardings();
  HLOCTS_ASSERT_OK_AND_ASSIGN(auto read, ModuleFromProto(proto));
  const Sharding* sharding = read->entry()->root()->Get<Sharding>(Attr::kSharding);
  ASSERT_NE(sharding, nullptr);
  EXPECT_EQ(PrintSharding(*sharding), "{devices=[2,1,2]0,2,1,3 last_tile_dim_replicate}");
  auto again = ModuleToProto(*read);
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->computations(0).instructions(0).sharding().named_sharding().mesh().axes_size(),
            2);
  named->mutable_dim_shardings(1)->add_axes()->set_mesh_axis_index(1);
  EXPECT_FALSE(ModuleFromProto(proto).ok());  // the axis is used twice
}

// Tests the order of a comparison, which the XLA of jaxlib 0.12.0 writes instead of its type.

TEST(ComparisonOrderTest, AnOrderIsAType) {
  HLOCTS_ASSERT_OK_AND_ASSIGN(const auto compared,
                              ParseModule("HloModule m\nENTRY e { p = f32[2] parameter(0)\n"
                                          " ROOT c = pred[2] compare(p, p), direction=LT }"));
  for (const char* order : {"TOTAL", "PARTIAL"}) {
    proto::HloModuleProto proto = *ModuleToProto(*compared);
    proto::HloInstructionProto* compare = proto.mutable_computations(0)->mutable_instructions(1);
    compare->clear_comparison_type();
    compare->set_comparison_order(order);
    HLOCTS_ASSERT_OK_AND_ASSIGN(const auto module, ModuleFromProto(proto));
    EXPECT_EQ(module->entry()->root()->WordOr(Attr::kType, "FLOAT"),
              order[0] == 'T' ? "TOTALORDER" : "FLOAT");
  }
}

}  // namespace
}  // namespace hlocts
