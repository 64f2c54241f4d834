// SPDX-License-Identifier: Apache-2.0
// Converts modules and literals to and from protocol buffers that are wire-compatible with XLA's
// HloModuleProto and LiteralProto (data.proto, hlo.proto).
//
// proto -> Module -> proto is lossless: data that a Module cannot represent (unknown fields, and
// fields that are not interpreted) are in its `unknown_fields`. Data that XLA's proto cannot
// represent (replica_count, attributes kept as text) are in our own fields from number 20001 on,
// which XLA skips.
//
// A malformed proto yields an InvalidArgumentError that names the instruction or computation, and
// the expected and the actual data. Malformed are dangling or repeated ids, an operand or a called
// computation that is not defined before its use (so there are no cycles), no entry, unknown
// enumerators, negative sizes, literals whose data do not match their shape. Memory is proportional
// to the bytes read.
//
// A module that violates a shape rule is converted here and rejected by the verifier. An error here
// means that no Module can represent the proto.
//
// XLA's conventions for fields: callees precede callers; `while` lists its body first; literals are
// in the order of their layout, and 1-, 2- and 4-bit elements occupy a byte each with the high bits
// clear; a domain's `entry` is the text's `exit`; instruction names are unique in the module (in
// text: in the computation); an iota's permutation is written even if it is the identity.
//
// A new attribute needs a line in spec/ir/attributes.def, its field in hlo.proto with XLA's number,
// a row of kRows in attribute_table.cc, and an instruction in module_proto_test.cc. An attribute
// without a row is written as text.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "spec/base/status.h"
#include "spec/ir/literal.h"
#include "spec/ir/module_fwd.h"
#include "spec/ir/shape.h"

namespace hlocts {
namespace proto {
class HloModuleProto;
class HloSnapshot;
class LiteralProto;
class ShapeProto;
}  // namespace proto

// The treatment of data that a Module can represent but no valid module has: operands of other
// computations or too many operands, negative sizes, layouts that are not permutations, literals
// with a wrong shape. kRefused returns an error. kKept preserves the data, to show what an engine
// produced. kKeepExecutable also preserves the data, but drops data that a Module cannot represent;
// it is for engines, which never write the module again.
enum class Malformed : uint8_t { kRefused, kKept, kKeepExecutable };

absl::StatusOr<std::unique_ptr<Module>> ModuleFromProto(const proto::HloModuleProto& module,
                                                        Malformed malformed = Malformed::kRefused);
// Converts a module. XLA requires that callees precede callers, so computations are written in the
// module's order if it satisfies this, else in Module::CallOrder(). Ids are preserved if they are
// unique, else reassigned. Returns an error if there is no entry, a computation has no root, or an
// attribute names a computation of another module.
absl::StatusOr<proto::HloModuleProto> ModuleToProto(const Module& module);

absl::StatusOr<Shape> ShapeFromProto(const proto::ShapeProto& shape,
                                     Malformed malformed = Malformed::kRefused);
proto::ShapeProto ShapeToProto(const Shape& shape);

absl::StatusOr<Literal> LiteralFromProto(const proto::LiteralProto& literal);
proto::LiteralProto LiteralToProto(const Literal& literal);

// A module with the arguments of one run and its result.
struct Snapshot {
  std::unique_ptr<Module> module;
  std::vector<Literal> arguments;  // one per parameter
  Literal result;                  // shape().element_type() is kInvalid if there is none
  std::string execution_platform;
};
absl::StatusOr<Snapshot> SnapshotFromProto(const proto::HloSnapshot& snapshot);
absl::StatusOr<proto::HloSnapshot> SnapshotToProto(const Snapshot& snapshot);

// The same conversions for bytes and protobuf text, for callers without generated headers.
absl::StatusOr<std::string> SerializeModule(const Module& module);
absl::StatusOr<std::unique_ptr<Module>> ParseSerializedModule(
    absl::string_view bytes, Malformed malformed = Malformed::kRefused);
absl::StatusOr<std::string> PrintModuleProto(const Module& module);
absl::StatusOr<std::unique_ptr<Module>> ParseModuleProtoText(
    absl::string_view text, Malformed malformed = Malformed::kRefused);
std::string SerializeLiteral(const Literal& literal);
absl::StatusOr<Literal> ParseSerializedLiteral(absl::string_view bytes);
absl::StatusOr<std::string> SerializeSnapshot(const Snapshot& snapshot);
absl::StatusOr<Snapshot> ParseSerializedSnapshot(absl::string_view bytes);

// Returns the serialized HloModuleProto in a serialized HloModuleProtoWithConfig.
absl::StatusOr<std::string> ModuleWithoutConfig(absl::string_view bytes);

// The content of a .pb or .pbtxt file: an HloSnapshot, HloUnoptimizedSnapshot, HloProto or
// HloModuleProto, as bytes or as text. Bytes are parsed as the first of these types that yields
// computations. Only snapshots have arguments.
struct AnyModule {
  Snapshot snapshot;
  bool is_snapshot = false;
};
absl::StatusOr<AnyModule> ParseAnyModule(absl::string_view bytes);
absl::StatusOr<AnyModule> ParseAnyModuleText(absl::string_view text);

}  // namespace hlocts
