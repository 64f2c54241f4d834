// SPDX-License-Identifier: Apache-2.0
// Modules and literals as protocol buffers, wire-compatible with XLA's HloModuleProto and
// LiteralProto (data.proto, hlo.proto), and back.
//
// Nothing is lost on the way proto -> Module -> proto: what a Module has no place for travels in
// its `unknown_fields` (fields this project does not know, and known ones it does not interpret).
// What the proto form has no field for (replica_count, attributes kept as text) stands in fields of
// our own from number 20001 on, which XLA skips.
//
// A malformed proto is an InvalidArgumentError that names the instruction or computation, what was
// expected and what was found: dangling or repeated ids, an operand or a called computation that is
// not defined before its use (so there are no cycles), no entry, unknown enumerators, negative
// sizes, literals whose data do not match their shape. Memory is proportional to the bytes read.
//
// A module that violates a shape rule is converted here and rejected by the verifier. An error here
// is a proto that no Module can hold: a dangling id, an unknown enumerator, a literal of the wrong
// size.
//
// Field conventions of XLA: callees precede callers; `while` lists its body first; literals are in
// the order of their layout, and 1-, 2- and 4-bit elements occupy a byte each with the high bits
// clear; a domain's `entry` is the text's `exit`; instruction names are unique in the module (in
// text: in the computation); an iota's permutation is written even where it is the identity.
// replica_count and num_partitions are fields of ours (numbers from 20001).
//
// New attribute: a line of spec/ir/attributes.def, its field in hlo.proto with XLA's number, a row
// of kRows in attribute_table.cc, an instruction in module_proto_test.cc. An attribute without a
// row is carried as text.
#ifndef HLOCTS_SPEC_PROTO_CONVERT_H_
#define HLOCTS_SPEC_PROTO_CONVERT_H_

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

// What a Module can hold although no valid one does (operands of other computations or too many,
// negative sizes, layouts that are no permutations, literals of another shape) is refused, or kept
// for who shows what an engine makes of it. kKeptToRun: kept by an engine, which never writes the
// module again and has no use for what a Module has no place for.
enum class Malformed : uint8_t { kRefused, kKept, kKeptToRun };

absl::StatusOr<std::unique_ptr<Module>> ModuleFromProto(const proto::HloModuleProto& module,
                                                        Malformed malformed = Malformed::kRefused);
// Computations stand callees first, as XLA needs them: in the module's order where that is one,
// else in Module::CallOrder(). Ids are kept where they are still unique, else given anew. Errors:
// no entry, a computation without root, an attribute that names a computation of another module.
absl::StatusOr<proto::HloModuleProto> ModuleToProto(const Module& module);

absl::StatusOr<Shape> ShapeFromProto(const proto::ShapeProto& shape,
                                     Malformed malformed = Malformed::kRefused);
proto::ShapeProto ShapeToProto(const Shape& shape);

absl::StatusOr<Literal> LiteralFromProto(const proto::LiteralProto& literal);
proto::LiteralProto LiteralToProto(const Literal& literal);

// A module with the arguments of one run and what came out.
struct Snapshot {
  std::unique_ptr<Module> module;
  std::vector<Literal> arguments;  // one per parameter
  Literal result;                  // shape().element_type() is kInvalid when there is none
  std::string execution_platform;
};
absl::StatusOr<Snapshot> SnapshotFromProto(const proto::HloSnapshot& snapshot);
absl::StatusOr<proto::HloSnapshot> SnapshotToProto(const Snapshot& snapshot);

// The same as bytes and as protobuf text, for callers that stay clear of generated headers.
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

// The serialized HloModuleProto in a serialized HloModuleProtoWithConfig.
absl::StatusOr<std::string> ModuleWithoutConfig(absl::string_view bytes);

// Bytes of a .pb file: HloSnapshot, HloUnoptimizedSnapshot, HloProto or HloModuleProto, told apart
// by which of them holds computations. Text of a .pbtxt file: the same. The arguments are empty but
// for a snapshot.
struct AnyModule {
  Snapshot snapshot;
  bool is_snapshot = false;
};
absl::StatusOr<AnyModule> ParseAnyModule(absl::string_view bytes);
absl::StatusOr<AnyModule> ParseAnyModuleText(absl::string_view text);

}  // namespace hlocts

#endif  // HLOCTS_SPEC_PROTO_CONVERT_H_
