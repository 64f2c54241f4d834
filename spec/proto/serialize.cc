// SPDX-License-Identifier: Apache-2.0
// Converts modules, literals and snapshots to and from bytes and protobuf text.
#include "google/protobuf/arena.h"
#include "google/protobuf/io/tokenizer.h"
#include "google/protobuf/text_format.h"
#include "spec/proto/convert.h"
#include "spec/proto/data.pb.h"
#include "spec/proto/hlo.pb.h"
#include "spec/proto/parts.h"

namespace hlocts {
namespace {

using google::protobuf::Message;
using google::protobuf::TextFormat;

using google::protobuf::Arena;

absl::Status ParseBytes(absl::string_view bytes, absl::string_view what, Message* proto) {
  if (bytes.size() > INT32_MAX ||
      !proto->ParseFromArray(bytes.data(), static_cast<int>(bytes.size()))) {
    return InvalidInput("expected a serialized ", what, ", found ", bytes.size(),
                        " bytes that cannot be parsed");
  }
  return absl::OkStatus();
}

template <typename Proto>
absl::StatusOr<Proto> ParseBytes(absl::string_view bytes, absl::string_view what) {
  Proto proto;
  HLOCTS_RETURN_IF_ERROR(ParseBytes(bytes, what, &proto));
  return proto;
}

// Returns options of an arena, which allocates and frees the messages of a module (one per
// instruction, shape and layout) together.
google::protobuf::ArenaOptions Blocks() {
  google::protobuf::ArenaOptions options;
  options.start_block_size = 8 << 10;
  options.max_block_size = 64 << 10;
  return options;
}

// Keeps the first error, which names line and column.
class FirstError : public google::protobuf::io::ErrorCollector {
 public:
  void AddError(int line, google::protobuf::io::ColumnNumber column,
                const std::string& message) override {
    if (first_.empty())
      first_ = absl::StrCat("line ", line + 1, ", column ", column + 1, ": ", message);
  }
  const std::string& first() const { return first_; }

 private:
  std::string first_;
};

absl::Status ParseText(absl::string_view text, Message* message) {
  FirstError error;
  TextFormat::Parser parser;
  parser.RecordErrorsTo(&error);
  parser.SetRecursionLimit(100);
  if (parser.ParseFromString(std::string(text), message)) return absl::OkStatus();
  return InvalidInput(error.first());
}

std::string PrintText(const Message& message) {
  std::string text;
  TextFormat::Printer printer;
  printer.SetHideUnknownFields(true);  // would be printed as numbers, which no parser reads
  printer.PrintToString(message, &text);
  return text;
}

absl::StatusOr<std::string> Serialized(const Message& proto) {
  const size_t size = proto.ByteSizeLong();
  if (size > INT32_MAX) return absl::ResourceExhaustedError("a protocol buffer has at most 2 GiB");
  std::string bytes(size, '\0');
  proto.SerializeWithCachedSizesToArray(reinterpret_cast<uint8_t*>(bytes.data()));
  return bytes;
}

absl::StatusOr<AnyModule> FromSnapshot(const proto::HloSnapshot& proto) {
  AnyModule any;
  HLOCTS_ASSIGN_OR_RETURN(any.snapshot, SnapshotFromProto(proto));
  any.is_snapshot = true;
  return any;
}

absl::StatusOr<AnyModule> FromModule(const proto::HloModuleProto& proto) {
  AnyModule any;
  HLOCTS_ASSIGN_OR_RETURN(any.snapshot.module, ModuleFromProto(proto));
  return any;
}

// Also reads an HloProto, which has the module in the same field and no partitions. Drops the
// arguments of several partitions, because a Snapshot has the arguments of one run.
absl::StatusOr<AnyModule> FromUnoptimized(const proto::HloUnoptimizedSnapshot& proto) {
  if (proto.partitions_size() != 1) return FromModule(proto.hlo_module());
  proto::HloSnapshot snapshot;
  *snapshot.mutable_hlo()->mutable_hlo_module() = proto.hlo_module();
  *snapshot.mutable_arguments() = proto.partitions(0).arguments();
  return FromSnapshot(snapshot);
}

}  // namespace

absl::StatusOr<Snapshot> SnapshotFromProto(const proto::HloSnapshot& proto) {
  Snapshot snapshot;
  HLOCTS_ASSIGN_OR_RETURN(snapshot.module, ModuleFromProto(proto.hlo().hlo_module()));
  for (int i = 0; i < proto.arguments_size(); ++i) {
    absl::StatusOr<Literal> argument = LiteralFromProto(proto.arguments(i));
    if (!argument.ok()) return Annotate(argument.status(), absl::StrCat("argument ", i));
    snapshot.arguments.push_back(*std::move(argument));
  }
  if (proto.has_result()) {
    absl::StatusOr<Literal> result = LiteralFromProto(proto.result());
    if (!result.ok()) return Annotate(result.status(), "result");
    snapshot.result = *std::move(result);
  }
  snapshot.execution_platform = proto.execution_platform();
  return snapshot;
}

absl::StatusOr<proto::HloSnapshot> SnapshotToProto(const Snapshot& snapshot) {
  proto::HloSnapshot out;
  HLOCTS_ASSIGN_OR_RETURN(*out.mutable_hlo()->mutable_hlo_module(),
                          ModuleToProto(*snapshot.module));
  for (const Literal& argument : snapshot.arguments)
    *out.add_arguments() = LiteralToProto(argument);
  if (snapshot.result.shape().element_type() != PrimitiveType::kInvalid) {
    *out.mutable_result() = LiteralToProto(snapshot.result);
  }
  out.set_execution_platform(snapshot.execution_platform);
  return out;
}

absl::StatusOr<std::string> SerializeModule(const Module& module) {
  Arena arena(Blocks());
  auto* proto = Arena::CreateMessage<proto::HloModuleProto>(&arena);
  HLOCTS_RETURN_IF_ERROR(ModuleToProto(module, proto));
  return Serialized(*proto);
}

absl::StatusOr<std::unique_ptr<Module>> ParseSerializedModule(absl::string_view bytes,
                                                              Malformed malformed) {
  Arena arena(Blocks());
  auto* proto = Arena::CreateMessage<proto::HloModuleProto>(&arena);
  HLOCTS_RETURN_IF_ERROR(ParseBytes(bytes, "HloModuleProto", proto));
  return ModuleFromProto(*proto, malformed);
}

absl::StatusOr<std::string> PrintModuleProto(const Module& module) {
  HLOCTS_ASSIGN_OR_RETURN(proto::HloModuleProto proto, ModuleToProto(module));
  return PrintText(proto);
}

absl::StatusOr<std::unique_ptr<Module>> ParseModuleProtoText(absl::string_view text,
                                                             Malformed malformed) {
  proto::HloModuleProto proto;
  HLOCTS_RETURN_IF_ERROR(ParseText(text, &proto));
  return ModuleFromProto(proto, malformed);
}

std::string SerializeLiteral(const Literal& literal) {
  return LiteralToProto(literal).SerializeAsString();
}

absl::StatusOr<Literal> ParseSerializedLiteral(absl::string_view bytes) {
  HLOCTS_ASSIGN_OR_RETURN(auto proto, ParseBytes<proto::LiteralProto>(bytes, "LiteralProto"));
  return LiteralFromProto(proto);
}

absl::StatusOr<std::string> SerializeSnapshot(const Snapshot& snapshot) {
  HLOCTS_ASSIGN_OR_RETURN(proto::HloSnapshot proto, SnapshotToProto(snapshot));
  return Serialized(proto);
}

absl::StatusOr<Snapshot> ParseSerializedSnapshot(absl::string_view bytes) {
  HLOCTS_ASSIGN_OR_RETURN(auto proto, ParseBytes<proto::HloSnapshot>(bytes, "HloSnapshot"));
  return SnapshotFromProto(proto);
}

absl::StatusOr<std::string> ModuleWithoutConfig(absl::string_view bytes) {
  HLOCTS_ASSIGN_OR_RETURN(
      auto both, ParseBytes<proto::HloModuleProtoWithConfig>(bytes, "HloModuleProtoWithConfig"));
  return std::move(*both.mutable_hlo_module());
}

absl::StatusOr<AnyModule> ParseAnyModule(absl::string_view bytes) {
  auto snapshot = ParseBytes<proto::HloSnapshot>(bytes, "HloSnapshot");
  if (snapshot.ok() && snapshot->hlo().hlo_module().computations_size() > 0) {
    return FromSnapshot(*snapshot);
  }
  auto wrapped = ParseBytes<proto::HloUnoptimizedSnapshot>(bytes, "HloUnoptimizedSnapshot");
  if (wrapped.ok() && wrapped->hlo_module().computations_size() > 0) {
    return FromUnoptimized(*wrapped);
  }
  HLOCTS_ASSIGN_OR_RETURN(auto module, ParseBytes<proto::HloModuleProto>(bytes, "HloModuleProto"));
  return FromModule(module);
}

absl::StatusOr<AnyModule> ParseAnyModuleText(absl::string_view text) {
  proto::HloSnapshot snapshot;
  if (ParseText(text, &snapshot).ok() && snapshot.has_hlo()) return FromSnapshot(snapshot);
  proto::HloProto wrapped;
  if (ParseText(text, &wrapped).ok() && wrapped.has_hlo_module()) {
    return FromModule(wrapped.hlo_module());
  }
  proto::HloUnoptimizedSnapshot unoptimized;
  if (ParseText(text, &unoptimized).ok() && unoptimized.has_hlo_module()) {
    return FromUnoptimized(unoptimized);
  }
  proto::HloModuleProto module;
  HLOCTS_RETURN_IF_ERROR(ParseText(text, &module));
  return FromModule(module);
}

}  // namespace hlocts
