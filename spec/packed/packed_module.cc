// SPDX-License-Identifier: Apache-2.0
#include "spec/packed/packed_module.h"

#include <algorithm>

#include "spec/ir/opcode.h"
#include "spec/packed/packer.h"
#include "spec/packed/unpacker.h"

namespace hlocts {
namespace packed {
namespace {

// What a shape has besides its element type and sizes, as bits.
enum ShapeParts : uint64_t {
  kDynamic = 1,
  kLaidOut = 2,
  kPlainLayout = 4,
  kTuple = 8,
  kUnknown = 16
};
enum LiteralKind : uint64_t { kNoLiteral, kLeaf, kLeafWithRuntimeSizes, kTupleOfLiterals };

bool HasPlainLayout(const Shape& shape) {
  const auto& [order, tiles, tail_padding, index_type, pointer_type, element_size, memory_space,
               splits, physical_shape, metadata_prefix, level_types, padded, padding_value,
               unknown_fields] = *shape.layout();
  return static_cast<int64_t>(order.size()) == shape.rank() && shape.layout()->IsMajorToMinor() &&
         tiles.empty() && tail_padding == 1 && index_type == PrimitiveType::kInvalid &&
         pointer_type == PrimitiveType::kInvalid && element_size == 0 && memory_space == 0 &&
         splits.empty() && physical_shape == nullptr && metadata_prefix == 0 &&
         level_types.empty() && padded.empty() && padding_value.empty() && unknown_fields.empty();
}

uint64_t PartsOf(const Shape& shape) {
  uint64_t parts = 0;
  for (int64_t d = 0; d < shape.rank(); ++d) {
    if (shape.is_dynamic_dimension(d)) parts |= kDynamic;
  }
  if (shape.layout()) parts |= HasPlainLayout(shape) ? kPlainLayout : kLaidOut;
  if (!shape.tuple_shapes().empty()) parts |= kTuple;
  if (!shape.unknown_fields.empty()) parts |= kUnknown;
  return parts;
}

// The fields that stand in the same order in both directions.
template <typename Archive, Like<Module> M>
void ModuleFields(Archive& archive, M& module) {
  archive(module.is_scheduled, module.replica_count, module.num_partitions,
          module.entry_computation_layout, module.input_output_alias, module.buffer_donor,
          module.stack_frame_index, module.frontend_attributes, module.extra_attributes,
          module.proto_id, module.unknown_fields);
}

template <typename Archive, Like<Computation> C>
void ComputationFields(Archive& archive, C& computation) {
  archive(computation.execution_thread, computation.extra_attributes, computation.proto_id,
          computation.unknown_fields);
}

void PackInstruction(const Instruction& instruction, Packer& pack) {
  pack(instruction.name(), instruction.opcode(), instruction.shape(), instruction.operands(),
       instruction.attributes(), instruction.has_literal());
  if (instruction.has_literal()) pack(instruction.literal());
  pack(instruction.parameter_number(), instruction.proto_id, instruction.unknown_fields);
}

void UnpackInstruction(Unpacker& unpack, Instruction& instruction) {
  std::string name;
  Opcode opcode = instruction.opcode();
  bool has_literal = false;
  unpack(name, opcode, instruction.mutable_shape(), instruction.mutable_operands(),
         instruction.mutable_attributes(), has_literal);
  if (static_cast<int>(opcode) >= kOpcodeCount) return static_cast<void>(unpack.Fail());
  instruction.set_name(std::move(name));
  instruction.set_opcode(opcode);
  if (has_literal) {
    Literal literal;
    unpack(literal);
    instruction.set_literal(std::move(literal));
  }
  int64_t parameter_number = -1;
  unpack(parameter_number, instruction.proto_id, instruction.unknown_fields);
  instruction.set_parameter_number(parameter_number);
}

void PackComputation(const Computation& computation, Packer& pack) {
  pack.Enter(computation);
  pack(computation.name());
  ComputationFields(pack, computation);
  for (const auto& instruction : computation.instructions()) PackInstruction(*instruction, pack);
  pack(computation.root());
}

void UnpackComputation(Unpacker& unpack, Computation& computation) {
  unpack.Enter(&computation);
  std::string name;
  unpack(name);
  computation.set_name(std::move(name));
  ComputationFields(unpack, computation);
  for (const auto& instruction : computation.instructions()) {
    if (unpack.ok()) UnpackInstruction(unpack, *instruction);
  }
  Instruction* root = nullptr;
  unpack(root);
  computation.set_root(root);
}

// Computations and instructions stand before anything points to them.
void MakeEmptyComputations(Unpacker& unpack, Module& module) {
  std::vector<size_t> sizes(unpack.Count());
  size_t left = unpack.BytesLeft();  // each instruction takes one at least
  for (size_t& size : sizes) {
    size = unpack.Count();
    if (size > left) return static_cast<void>(unpack.Fail());
    left -= size;
  }
  for (size_t size : sizes) {
    Computation* computation = module.Add(std::make_unique<Computation>(""));
    for (size_t i = 0; i < size; ++i)
      computation->Add(std::make_unique<Instruction>("", Opcode::kParameter, Shape()));
  }
}

}  // namespace

void Packer::Put(const Shape& shape) {
  const uint64_t parts = PartsOf(shape);
  (*this)(shape.element_type(), shape.dimensions());
  Unsigned(parts);
  for (int64_t d = 0; (parts & kDynamic) && d < shape.rank(); ++d)
    Put(shape.is_dynamic_dimension(d));
  if (parts & kLaidOut) Put(*shape.layout());
  if (parts & kTuple) Put(shape.tuple_shapes());
  if (parts & kUnknown) Put(shape.unknown_fields);
}

void Unpacker::Get(Shape& shape) {
  Deeper([&] {
    PrimitiveType type = PrimitiveType::kInvalid;
    std::vector<int64_t> dimensions;
    (*this)(type, dimensions);
    if (type != PrimitiveType::kInvalid && !PrimitiveTypeFromNumber(static_cast<int>(type))) Fail();
    const uint64_t parts = Unsigned();
    shape = Shape(type, std::move(dimensions));
    for (int64_t d = 0; (parts & kDynamic) && d < shape.rank(); ++d)
      if (Flag()) shape.set_dynamic_dimension(d, true);
    if (parts & kPlainLayout) shape.mutable_layout() = DefaultLayout(shape.rank());
    if (parts & kLaidOut) Get(shape.mutable_layout().emplace());
    if (parts & kTuple) Get(shape.mutable_tuple_shapes());
    if (parts & kUnknown) Get(shape.unknown_fields);
  });
}

void Packer::Put(const Literal& literal) {
  const Shape& shape = literal.shape();
  if (shape.element_type() == PrimitiveType::kInvalid) return Unsigned(kNoLiteral);
  if (shape.IsTuple()) {
    Unsigned(kTupleOfLiterals);
    return (*this)(shape, literal.elements());
  }
  Unsigned(literal.has_runtime_sizes() ? kLeafWithRuntimeSizes : kLeaf);
  Put(shape);
  if (literal.has_runtime_sizes()) Put(literal.runtime_sizes());
  Bytes(literal.raw_data(), literal.raw_size());
}

void Unpacker::Get(Literal& literal) {
  Deeper([&] {
    const uint64_t kind = Unsigned();
    if (kind == kNoLiteral) return;
    Shape shape;
    Get(shape);
    if (kind == kTupleOfLiterals && shape.IsTuple()) {
      std::vector<Literal> elements;
      Get(elements);
      literal =
          Literal::Tuple(std::move(elements), std::make_shared<const Shape>(std::move(shape)));
      return;
    }
    std::vector<int64_t> sizes;
    if (kind == kLeafWithRuntimeSizes) Get(sizes);
    absl::string_view bytes = Bytes();
    const bool fits =
        !shape.IsTuple() &&
        (!shape.IsArray() ? bytes.empty()
                          : !shape.HasUnboundedDimension() &&
                                shape.StorageSizeBytes() == static_cast<int64_t>(bytes.size()));
    if (!ok_ || !fits) return static_cast<void>(Fail());
    literal = Literal::Uninitialized(std::make_shared<const Shape>(std::move(shape)));
    if (!bytes.empty()) std::memcpy(literal.mutable_raw_data(), bytes.data(), bytes.size());
    SetRuntimeSizes(sizes, literal);
  });
}

void Unpacker::SetRuntimeSizes(const std::vector<int64_t>& sizes, Literal& literal) {
  if (!sizes.empty() && static_cast<int64_t>(sizes.size()) != literal.shape().rank()) Fail();
  for (size_t d = 0; d < sizes.size() && ok_; ++d) {
    const int64_t dimension = static_cast<int64_t>(d), bound = literal.shape().dimension(dimension);
    if (sizes[d] < 0 || sizes[d] > bound) return static_cast<void>(Fail());
    if (literal.shape().is_dynamic_dimension(dimension))
      literal.SetRuntimeSize(dimension, sizes[d]);
  }
}

void Packer::Put(const AttributeValue& value) {
  Unsigned(value.index());
  std::visit([this](const auto& held) { Put(held); }, value);
}

void Unpacker::Get(AttributeValue& value) {
  const size_t index = static_cast<size_t>(Unsigned());
  auto get = [&]<size_t... I>(std::index_sequence<I...>) {
    return ((index == I && (Get(value.emplace<I>()), true)) || ...);
  };
  if (!get(std::make_index_sequence<std::variant_size_v<AttributeVariant>>())) Fail();
}

Packer::Packer(const Module& module) {
  for (const auto& computation : module.computations()) {
    const uint64_t number = computations_.size();
    computations_.emplace(computation.get(), number);
    uint64_t index = 0;
    for (const auto& instruction : computation->instructions())
      instructions_.emplace(instruction.get(), Place{number, index++});
  }
}

std::optional<std::string> Packer::Take() && {
  bytes_.resize(used_);
  if (!whole_) return std::nullopt;
  return std::move(bytes_);
}

void Packer::Put(Computation* const& computation) {
  if (computation == nullptr) return Unsigned(0);
  auto found = computations_.find(computation);
  whole_ = whole_ && found != computations_.end();
  if (whole_) Unsigned(found->second + 1);
}

// 0: none; even: of the computation at hand; odd: the number of another one, then the place there.
void Packer::Put(Instruction* const& instruction) {
  if (instruction == nullptr) return Unsigned(0);
  auto found = instructions_.find(instruction);  // it may be gone: not to be looked into
  whole_ = whole_ && found != instructions_.end();
  if (!whole_) return;
  const auto [computation, index] = found->second;
  if (computation == here_) return Unsigned(2 * (index + 1));
  Unsigned(2 * computation + 1);
  Unsigned(index);
}

void Unpacker::Get(Instruction*& instruction) {
  const uint64_t code = Unsigned();
  if (code == 0) return;
  const bool elsewhere = code % 2 == 1;
  if (elsewhere && code / 2 >= module_.computations().size()) return static_cast<void>(Fail());
  const Computation* computation = elsewhere ? module_.computations()[code / 2].get() : here_;
  const uint64_t index = elsewhere ? Unsigned() : code / 2 - 1;
  if (index >= computation->instructions().size()) return static_cast<void>(Fail());
  instruction = computation->instructions()[index].get();
}

void Unpacker::Get(Computation*& computation) {
  const uint64_t number = Unsigned();
  if (number > module_.computations().size()) return static_cast<void>(Fail());
  computation = number == 0 ? nullptr : module_.computations()[number - 1].get();
}

}  // namespace packed

uint64_t PackedModuleVersion() {
  constexpr uint64_t kForm = 1;
  uint64_t version = kForm;
  for (uint64_t size :
       {uint64_t{kOpcodeCount}, uint64_t{kAttrCount}, sizeof(Instruction), sizeof(Computation),
        sizeof(Module), sizeof(Shape), sizeof(Layout), sizeof(AttributeValue)}) {
    version = version * 1021 + size;
  }
  return version;
}

absl::StatusOr<std::string> PackModule(const Module& module) {
  packed::Packer pack(module);
  pack.Unsigned(module.computations().size());
  for (const auto& computation : module.computations())
    pack.Unsigned(computation->instructions().size());
  pack(module.name());
  packed::ModuleFields(pack, module);
  for (const auto& computation : module.computations()) packed::PackComputation(*computation, pack);
  pack(module.entry());
  std::optional<std::string> bytes = std::move(pack).Take();
  if (!bytes) return InvalidInput("an instruction or computation of another module is used");
  return *std::move(bytes);
}

absl::StatusOr<std::unique_ptr<Module>> UnpackModule(absl::string_view bytes) {
  auto module = std::make_unique<Module>("");
  packed::Unpacker unpack(bytes, *module);
  packed::MakeEmptyComputations(unpack, *module);
  std::string name;
  unpack(name);
  module->set_name(std::move(name));
  packed::ModuleFields(unpack, *module);
  for (const auto& computation : module->computations()) {
    if (unpack.ok()) packed::UnpackComputation(unpack, *computation);
  }
  Computation* entry = nullptr;
  unpack(entry);
  module->set_entry(entry);
  if (!unpack.ok() || !unpack.AtEnd()) return InvalidInput("not a packed module");
  return module;
}

}  // namespace hlocts
