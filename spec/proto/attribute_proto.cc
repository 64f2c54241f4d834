// One row per attribute: where it stands in HloInstructionProto, and which value goes without saying.
#include "spec/proto/attribute_proto.h"

#include <algorithm>
#include <array>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/strip.h"
#include "spec/ops/op_table.h"
#include "spec/proto/attribute_text.h"
#include "spec/proto/convert.h"
#include "spec/proto/parts.h"

namespace hlocts {
namespace {

using P = proto::HloInstructionProto;
using google::protobuf::RepeatedField;

struct Writer {
  const Instruction& instruction;
  const IdsOfModule& ids;
  P* proto;
  absl::Status status = absl::OkStatus();
};

struct Reader {
  const Instruction& instruction;
  const ProtoIds& ids;
  const P& proto;
  absl::Status status = absl::OkStatus();
  // Set by the row that reads: the value is the one that goes without saying.
  bool is_default = false;

  template <typename T>
  AttributeValue Value(T value, bool says_nothing) {
    is_default = says_nothing;
    return AttributeValue(std::move(value));
  }
  AttributeValue Absent() { return Value(false, true); }
  AttributeValue Fail(absl::Status error) {
    status = std::move(error);
    return Absent();
  }
};

struct AttributeRow {
  Attr attr;
  void (*write)(Writer& w, const AttributeValue& value);
  AttributeValue (*read)(Reader& r);
};

template <typename T>
const T& As(const AttributeValue& value) {
  const T* held = std::get_if<T>(&value);
  HLOCTS_CHECK(held != nullptr);  // attributes.def says which alternative an attribute has
  return *held;
}

using Ints = std::vector<int64_t>;

#define HLOCTS_ROW(Name, write_body, read_body)                       \
  {                                                                   \
    Attr::k##Name, [](Writer & w, const AttributeValue& v) write_body, \
        [](Reader & r) -> AttributeValue read_body                    \
  }

// A field of its own.
#define HLOCTS_INT(Name, field, otherwise)                     \
  HLOCTS_ROW(Name, { w.proto->set_##field(As<int64_t>(v)); }, \
             { return r.Value(int64_t{r.proto.field()}, r.proto.field() == otherwise); })
#define HLOCTS_BOOL(Name, field)                           \
  HLOCTS_ROW(Name, { w.proto->set_##field(As<bool>(v)); }, \
             { return r.Value(r.proto.field(), !r.proto.field()); })
#define HLOCTS_STRING(Name, field)                                \
  HLOCTS_ROW(Name, { w.proto->set_##field(As<std::string>(v)); }, \
             { return r.Value(std::string(r.proto.field()), r.proto.field().empty()); })
#define HLOCTS_INTS(Name, field)                                             \
  HLOCTS_ROW(Name, { ToRepeated(As<Ints>(v), w.proto->mutable_##field()); }, \
             { return r.Value(FromRepeated(r.proto.field()), r.proto.field().empty()); })

// A field of a message inside.
#define HLOCTS_INT_IN(Name, message, field)                                  \
  HLOCTS_ROW(Name, { w.proto->mutable_##message()->set_##field(As<int64_t>(v)); }, \
             { return r.Value(int64_t{r.proto.message().field()}, false); })
#define HLOCTS_BOOL_IN(Name, message, field)                                \
  HLOCTS_ROW(Name, { w.proto->mutable_##message()->set_##field(As<bool>(v)); }, \
             { return r.Value(r.proto.message().field(), !r.proto.message().field()); })
#define HLOCTS_INTS_IN(Name, message, field)                                                       \
  HLOCTS_ROW(Name, { ToRepeated(As<Ints>(v), w.proto->mutable_##message()->mutable_##field()); },  \
             {                                                                                     \
               const auto& field = r.proto.message().field();                                      \
               return r.Value(FromRepeated(field), field.empty());                                 \
             })

// An enumerator as a word: `prefix` and upper case in the proto, lower case in the text.
std::string WordOf(const std::string& enumerator, absl::string_view prefix) {
  return absl::AsciiStrToLower(absl::StripPrefix(enumerator, prefix));
}
std::string EnumeratorOf(absl::string_view word, absl::string_view prefix) {
  return absl::StrCat(prefix, absl::AsciiStrToUpper(word));
}

// The same word in text and proto.
#define HLOCTS_ENUM(Name, field, EnumType, Otherwise)                                           \
  HLOCTS_ROW(Name,                                                                              \
             {                                                                                  \
               EnumType number;                                                                 \
               if (EnumType##_Parse(As<Word>(v).text, &number)) {                               \
                 w.proto->set_##field(number);                                                  \
               } else {                                                                         \
                 w.status = UnknownWord(#field, As<Word>(v).text);                              \
               }                                                                                \
             },                                                                                 \
             {                                                                                  \
               int number = r.proto.field();                                                    \
               if (!EnumType##_IsValid(number)) return r.Fail(UnknownEnumerator(#field, number)); \
               return r.Value(Word{EnumType##_Name(number)}, number == EnumType::Otherwise);    \
             })

absl::Status UnknownWord(absl::string_view field, absl::string_view word) {
  return InvalidInput("the proto form of ", field, " has no word ", word);
}
absl::Status UnknownEnumerator(absl::string_view field, int number) {
  return InvalidInput("expected an enumerator of ", field, ", found ", number);
}

// --- called computations -----------------------------------------------------------------------

AttributeValue ReadComputation(Reader& r, Attr attr) {
  absl::Span<const Attr> order = CalledComputationAttributes(r.instruction);
  auto found = std::find(order.begin(), order.end(), attr);
  int position = static_cast<int>(found - order.begin());
  if (found == order.end() || position >= r.proto.called_computation_ids_size()) return r.Absent();
  int64_t id = r.proto.called_computation_ids(position);
  Computation* computation = r.ids.computation(id);
  if (computation) return r.Value(computation, false);
  return r.Fail(InvalidInput("expected the id of a computation that stands before its caller, found ",
                             id));
}

AttributeValue ReadComputations(Reader& r, Attr attr) {
  absl::Span<const Attr> order = CalledComputationAttributes(r.instruction);
  if (order.size() != 1 || order[0] != attr) return r.Absent();
  std::vector<Computation*> computations;
  for (int64_t id : r.proto.called_computation_ids()) {
    computations.push_back(r.ids.computation(id));
    if (computations.back()) continue;
    return r.Fail(InvalidInput(
        "expected the id of a computation that stands before its caller, found ", id));
  }
  bool none = computations.empty();
  return r.Value(std::move(computations), none);
}

// Written by AttributesToProto, in the order of CalledComputationAttributes.
void WriteNothing(Writer&, const AttributeValue&) {}

#define HLOCTS_COMPUTATION(Name) \
  {Attr::k##Name, WriteNothing, [](Reader& r) { return ReadComputation(r, Attr::k##Name); }}
#define HLOCTS_COMPUTATIONS(Name) \
  {Attr::k##Name, WriteNothing, [](Reader& r) { return ReadComputations(r, Attr::k##Name); }}

// --- rows with rules of their own ----------------------------------------------------------------

void WriteControlPredecessors(Writer& w, const AttributeValue& v) {
  for (const Instruction* predecessor : As<std::vector<Instruction*>>(v)) {
    absl::StatusOr<int64_t> id = w.ids.instruction(predecessor);
    if (id.ok()) w.proto->add_control_predecessor_ids(*id);
    if (!id.ok()) w.status = id.status();
  }
}

AttributeValue ReadControlPredecessors(Reader& r) {
  std::vector<Instruction*> predecessors;
  for (int64_t id : r.proto.control_predecessor_ids()) {
    predecessors.push_back(r.ids.instruction(id));
    if (predecessors.back()) continue;
    return r.Fail(InvalidInput("expected control_predecessor_ids of the same computation, found ", id));
  }
  bool none = predecessors.empty();
  return r.Value(std::move(predecessors), none);
}

void WriteWindow(Writer& w, const AttributeValue& v) {
  for (const WindowDimension& d : As<Window>(v).dimensions) {
    proto::WindowDimension* added = w.proto->mutable_window()->add_dimensions();
    added->set_size(d.size);
    added->set_stride(d.stride);
    added->set_padding_low(d.padding_low);
    added->set_padding_high(d.padding_high);
    added->set_window_dilation(d.window_dilation);
    added->set_base_dilation(d.base_dilation);
    added->set_window_reversal(d.window_reversal);
  }
}

AttributeValue ReadWindow(Reader& r) {
  Window window;
  for (const proto::WindowDimension& d : r.proto.window().dimensions()) {
    window.dimensions.push_back({d.size(), d.stride(), d.padding_low(), d.padding_high(),
                                 d.window_dilation(), d.base_dilation(), d.window_reversal()});
  }
  bool none = window.dimensions.empty();
  return r.Value(std::move(window), none);
}

void WritePadding(Writer& w, const AttributeValue& v) {
  w.proto->mutable_padding_config();
  for (const PaddingDimension& d : As<PaddingConfig>(v).dimensions) {
    auto* added = w.proto->mutable_padding_config()->add_dimensions();
    added->set_edge_padding_low(d.low);
    added->set_edge_padding_high(d.high);
    added->set_interior_padding(d.interior);
  }
}

AttributeValue ReadPadding(Reader& r) {
  PaddingConfig padding;
  for (const auto& d : r.proto.padding_config().dimensions()) {
    padding.dimensions.push_back(
        {d.edge_padding_low(), d.edge_padding_high(), d.interior_padding()});
  }
  return r.Value(std::move(padding), false);
}

void WriteSlice(Writer& w, const AttributeValue& v) {
  for (const SliceRange& d : As<SliceRanges>(v).dimensions) {
    auto* added = w.proto->add_slice_dimensions();
    added->set_start(d.start);
    added->set_limit(d.limit);
    added->set_stride(d.stride);
  }
}

AttributeValue ReadSlice(Reader& r) {
  SliceRanges slice;
  for (const auto& d : r.proto.slice_dimensions()) {
    slice.dimensions.push_back({d.start(), d.limit(), d.stride()});
  }
  return r.Value(std::move(slice), false);
}

void WriteDimLabels(Writer& w, const AttributeValue& v) {
  const auto& n = As<ConvolutionDimensionNumbers>(v);
  auto* out = w.proto->mutable_convolution_dimension_numbers();
  out->set_input_batch_dimension(n.input_batch);
  out->set_input_feature_dimension(n.input_feature);
  ToRepeated(n.input_spatial, out->mutable_input_spatial_dimensions());
  out->set_kernel_input_feature_dimension(n.kernel_input_feature);
  out->set_kernel_output_feature_dimension(n.kernel_output_feature);
  ToRepeated(n.kernel_spatial, out->mutable_kernel_spatial_dimensions());
  out->set_output_batch_dimension(n.output_batch);
  out->set_output_feature_dimension(n.output_feature);
  ToRepeated(n.output_spatial, out->mutable_output_spatial_dimensions());
}

AttributeValue ReadDimLabels(Reader& r) {
  const auto& in = r.proto.convolution_dimension_numbers();
  ConvolutionDimensionNumbers n;
  n.input_batch = in.input_batch_dimension();
  n.input_feature = in.input_feature_dimension();
  n.input_spatial = FromRepeated(in.input_spatial_dimensions());
  n.kernel_input_feature = in.kernel_input_feature_dimension();
  n.kernel_output_feature = in.kernel_output_feature_dimension();
  n.kernel_spatial = FromRepeated(in.kernel_spatial_dimensions());
  n.output_batch = in.output_batch_dimension();
  n.output_feature = in.output_feature_dimension();
  n.output_spatial = FromRepeated(in.output_spatial_dimensions());
  // A convolution without spatial dimensions has labels all the same, a custom call may have none.
  return r.Value(std::move(n), !r.proto.has_convolution_dimension_numbers());
}

void WriteOperandPrecision(Writer& w, const AttributeValue& v) {
  w.proto->mutable_precision_config()->clear_operand_precision();
  for (const std::string& word : As<std::vector<std::string>>(v)) {
    proto::PrecisionConfig::Precision number = proto::PrecisionConfig::DEFAULT;
    if (!proto::PrecisionConfig::Precision_Parse(EnumeratorOf(word, ""), &number)) {
      w.status = UnknownWord("operand_precision", word);
    }
    w.proto->mutable_precision_config()->add_operand_precision(number);
  }
}

AttributeValue ReadOperandPrecision(Reader& r) {
  std::vector<std::string> words;
  bool all_default = true;
  for (int number : r.proto.precision_config().operand_precision()) {
    if (!proto::PrecisionConfig::Precision_IsValid(number)) {
      return r.Fail(UnknownEnumerator("operand_precision", number));
    }
    all_default = all_default && number == proto::PrecisionConfig::DEFAULT;
    words.push_back(
        WordOf(proto::PrecisionConfig::Precision_Name(
                   static_cast<proto::PrecisionConfig::Precision>(number)), ""));
  }
  return r.Value(std::move(words), all_default);
}

// The algorithm of a dot, or of a random bit generator.
void WriteAlgorithm(Writer& w, const AttributeValue& v) {
  const std::string& word = As<Word>(v).text;
  if (w.instruction.opcode() == Opcode::kRngBitGenerator) {
    proto::RandomAlgorithm number = proto::RNG_DEFAULT;
    if (!proto::RandomAlgorithm_Parse(EnumeratorOf(word, ""), &number)) {
      w.status = UnknownWord("rng_algorithm", word);
    }
    w.proto->set_rng_algorithm(number);
    return;
  }
  proto::PrecisionConfig::Algorithm number = proto::PrecisionConfig::ALG_UNSET;
  if (!proto::PrecisionConfig::Algorithm_Parse(EnumeratorOf(word, "ALG_"), &number)) {
    w.status = UnknownWord("algorithm", word);
  }
  w.proto->mutable_precision_config()->set_algorithm(number);
}

AttributeValue ReadAlgorithm(Reader& r) {
  if (r.instruction.opcode() == Opcode::kRngBitGenerator) {
    int number = r.proto.rng_algorithm();
    if (!proto::RandomAlgorithm_IsValid(number)) {
      return r.Fail(UnknownEnumerator("rng_algorithm", number));
    }
    return r.Value(Word{WordOf(proto::RandomAlgorithm_Name(r.proto.rng_algorithm()), "")}, false);
  }
  proto::PrecisionConfig::Algorithm number = r.proto.precision_config().algorithm();
  if (!proto::PrecisionConfig::Algorithm_IsValid(number)) {
    return r.Fail(UnknownEnumerator("algorithm", number));
  }
  return r.Value(Word{WordOf(proto::PrecisionConfig::Algorithm_Name(number), "ALG_")},
                 number == proto::PrecisionConfig::ALG_UNSET);
}

AttributeValue ReadDistribution(Reader& r) {
  int number = r.proto.distribution();
  if (!proto::RandomDistribution_IsValid(number)) {
    return r.Fail(UnknownEnumerator("distribution", number));
  }
  return r.Value(Word{WordOf(proto::RandomDistribution_Name(r.proto.distribution()), "")}, false);
}

void WriteDistribution(Writer& w, const AttributeValue& v) {
  proto::RandomDistribution number = proto::RNG_INVALID;
  if (!proto::RandomDistribution_Parse(EnumeratorOf(As<Word>(v).text, ""), &number)) {
    w.status = UnknownWord("distribution", As<Word>(v).text);
  }
  w.proto->set_distribution(number);
}

// What XLA means by a compare without a type.
absl::string_view DefaultComparisonType(PrimitiveType operand) {
  if (IsFloat(operand) || IsComplex(operand)) return "FLOAT";
  return IsSigned(operand) ? "SIGNED" : "UNSIGNED";
}

PrimitiveType FirstOperandType(const Instruction& instruction) {
  return instruction.operand_count() > 0 ? instruction.operand(0).shape().element_type()
                                         : PrimitiveType::kInvalid;
}

AttributeValue ReadComparisonType(Reader& r) {
  const std::string& word = r.proto.comparison_type();
  bool implied = word.empty() || word == DefaultComparisonType(FirstOperandType(r.instruction));
  return r.Value(Word{word}, implied);
}

// Options of cholesky and triangular-solve share a word.
void WriteLower(Writer& w, const AttributeValue& v) {
  if (w.instruction.opcode() == Opcode::kCholesky) {
    w.proto->mutable_cholesky_options()->set_lower(As<bool>(v));
  } else {
    w.proto->mutable_triangular_solve_options()->set_lower(As<bool>(v));
  }
}

AttributeValue ReadLower(Reader& r) {
  bool lower = r.instruction.opcode() == Opcode::kCholesky
                   ? r.proto.cholesky_options().lower()
                   : r.proto.triangular_solve_options().lower();
  return r.Value(lower, !lower);
}

void WriteTransposeA(Writer& w, const AttributeValue& v) {
  proto::TriangularSolveOptions::Transpose number = proto::TriangularSolveOptions::NO_TRANSPOSE;
  if (!proto::TriangularSolveOptions::Transpose_Parse(As<Word>(v).text, &number)) {
    w.status = UnknownWord("transpose_a", As<Word>(v).text);
  }
  w.proto->mutable_triangular_solve_options()->set_transpose_a(number);
}

AttributeValue ReadTransposeA(Reader& r) {
  auto number = r.proto.triangular_solve_options().transpose_a();
  if (!proto::TriangularSolveOptions::Transpose_IsValid(number)) {
    return r.Fail(UnknownEnumerator("transpose_a", number));
  }
  return r.Value(Word{proto::TriangularSolveOptions::Transpose_Name(number)},
                 number == proto::TriangularSolveOptions::TRANSPOSE_INVALID);
}

// Dimension numbers of a dot stand inside those of a ragged-dot.
proto::DotDimensionNumbers* MutableDot(Writer& w) {
  return w.instruction.opcode() == Opcode::kRaggedDot
             ? w.proto->mutable_ragged_dot_dimension_numbers()->mutable_dot_dimension_numbers()
             : w.proto->mutable_dot_dimension_numbers();
}
const proto::DotDimensionNumbers& Dot(const Reader& r) {
  return r.instruction.opcode() == Opcode::kRaggedDot
             ? r.proto.ragged_dot_dimension_numbers().dot_dimension_numbers()
             : r.proto.dot_dimension_numbers();
}
#define HLOCTS_DOT_INTS(Name, field, says_nothing)                            \
  HLOCTS_ROW(Name, { ToRepeated(As<Ints>(v), MutableDot(w)->mutable_##field()); }, \
             { return r.Value(FromRepeated(Dot(r).field()), says_nothing); })

// Gather and scatter keep index_vector_dim each in a message of its own.
void WriteIndexVectorDim(Writer& w, const AttributeValue& v) {
  if (w.instruction.opcode() == Opcode::kGather) {
    w.proto->mutable_gather_dimension_numbers()->set_index_vector_dim(As<int64_t>(v));
  } else {
    w.proto->mutable_scatter_dimension_numbers()->set_index_vector_dim(As<int64_t>(v));
  }
}

AttributeValue ReadIndexVectorDim(Reader& r) {
  return r.Value(r.instruction.opcode() == Opcode::kGather
                     ? r.proto.gather_dimension_numbers().index_vector_dim()
                     : r.proto.scatter_dimension_numbers().index_vector_dim(),
                 false);
}

// --- collectives -----------------------------------------------------------------------------------

void WriteReplicaGroups(Writer& w, const AttributeValue& v) {
  const ReplicaGroups& groups = As<ReplicaGroups>(v);
  if (!groups.iota_dimensions.empty()) {
    auto* iota = w.proto->mutable_iota_collective_device_list();
    iota->set_num_replica_groups(groups.iota_dimensions[0]);
    if (groups.iota_dimensions.size() > 1) iota->set_num_devices_per_group(groups.iota_dimensions[1]);
    ToRepeated(groups.iota_reshape_dims, iota->mutable_iota_reshape_dims());
    PermutationToRepeated(groups.iota_transpose_permutation, groups.iota_reshape_dims.size(),
                          iota->mutable_iota_transpose_perm());
    return;
  }
  auto* list = w.proto->mutable_collective_device_list();
  for (const std::vector<int64_t>& group : groups.groups) {
    ToRepeated(group, list->add_replica_groups()->mutable_replica_ids());
  }
}

template <typename Groups>
std::vector<std::vector<int64_t>> FromGroups(const Groups& groups) {
  std::vector<std::vector<int64_t>> result;
  for (const proto::ReplicaGroup& group : groups) {
    result.push_back(FromRepeated(group.replica_ids()));
  }
  return result;
}

AttributeValue ReadReplicaGroups(Reader& r) {
  ReplicaGroups groups;
  const proto::IotaReplicaGroupListProto* iota = nullptr;
  if (r.proto.has_iota_collective_device_list()) iota = &r.proto.iota_collective_device_list();
  if (r.proto.collective_device_list().has_iota_replica_group_list()) {
    iota = &r.proto.collective_device_list().iota_replica_group_list();
  }
  if (!iota) {
    groups.groups = FromGroups(r.proto.collective_device_list().replica_groups());
    if (groups.groups.empty()) groups.groups = FromGroups(r.proto.replica_groups());
    return r.Value(std::move(groups), false);
  }
  groups.iota_dimensions = {iota->num_replica_groups(), iota->num_devices_per_group()};
  groups.iota_reshape_dims = FromRepeated(iota->iota_reshape_dims());
  groups.iota_transpose_permutation = PermutationFromRepeated(iota->iota_transpose_perm());
  absl::Status expanded = ExpandIotaGroups(&groups);
  return expanded.ok() ? r.Value(std::move(groups), false) : r.Fail(expanded);
}

// 0 is no channel in the proto, but may stand in the text of a send or recv.
void WriteChannelId(Writer& w, const AttributeValue& v) {
  w.proto->set_channel_id(As<int64_t>(v));
  if (As<int64_t>(v) != 0) return;
  proto::KeptText* kept = w.proto->add_kept_attributes();
  kept->set_name(std::string(AttrName(Attr::kChannelId)));
  kept->set_text("0");
}

void WriteSourceTargetPairs(Writer& w, const AttributeValue& v) {
  for (const auto& [source, target] : As<std::vector<std::pair<int64_t, int64_t>>>(v)) {
    proto::SourceTarget* pair = w.proto->add_source_target_pairs();
    pair->set_source(source);
    pair->set_target(target);
  }
}

AttributeValue ReadSourceTargetPairs(Reader& r) {
  std::vector<std::pair<int64_t, int64_t>> pairs;
  for (const proto::SourceTarget& pair : r.proto.source_target_pairs()) {
    pairs.emplace_back(pair.source(), pair.target());
  }
  return r.Value(std::move(pairs), false);
}

// slice_sizes of a collective-permute: the lists one after the other in dynamic_slice_sizes.
void WritePermuteSliceSizes(Writer& w, const AttributeValue& v) {
  for (const Ints& sizes : As<std::vector<Ints>>(v)) {
    for (int64_t size : sizes) w.proto->add_dynamic_slice_sizes(size);
  }
}

// Sizes of the innermost tuples: how many start indices each slice has.
void CollectInnermostTuples(const Shape& shape, std::vector<int64_t>* sizes) {
  bool innermost = true;
  for (const Shape& element : shape.tuple_shapes()) {
    innermost = innermost && !element.IsTuple();
    CollectInnermostTuples(element, sizes);
  }
  if (shape.IsTuple() && innermost) sizes->push_back(static_cast<int64_t>(shape.tuple_shapes().size()));
}

// How long each list is, XLA does not store: operand 2 holds the start indices of each slice.
AttributeValue ReadPermuteSliceSizes(Reader& r) {
  const auto& sizes = r.proto.dynamic_slice_sizes();
  if (sizes.empty()) return r.Absent();
  std::vector<int64_t> lengths;
  if (r.instruction.operand_count() > 2) {
    CollectInnermostTuples(r.instruction.operand(2).shape(), &lengths);
  }
  std::vector<Ints> lists;
  auto next = sizes.begin();
  for (int64_t length : lengths) {
    if (length > sizes.end() - next) break;
    lists.emplace_back(next, next + length);
    next += length;
  }
  if (next == sizes.end()) return r.Value(std::move(lists), false);
  return r.Fail(InvalidInput("expected as many dynamic_slice_sizes as start indices in operand 2, ",
                             "found ", sizes.size()));
}

// --- attributes that every instruction may carry ---------------------------------------------------

AttributeValue ReadSharding(Reader& r) {
  if (!r.proto.has_sharding()) return r.Absent();
  absl::StatusOr<Sharding> sharding = ShardingFromProto(r.proto.sharding());
  return sharding.ok() ? r.Value(*std::move(sharding), false) : r.Fail(sharding.status());
}

// The proto looks at a domain from inside: its entry sharding is the text's exit.
AttributeValue ReadDomain(Reader& r) {
  if (!r.proto.has_domain_entry_sharding() && !r.proto.has_domain_exit_sharding()) return r.Absent();
  absl::StatusOr<Sharding> exit = ShardingFromProto(r.proto.domain_entry_sharding());
  absl::StatusOr<Sharding> entry = ShardingFromProto(r.proto.domain_exit_sharding());
  if (!entry.ok()) return r.Fail(entry.status());
  if (!exit.ok()) return r.Fail(exit.status());
  return r.Value(DomainMetadata{"sharding", *std::move(entry), *std::move(exit)}, false);
}

void WriteDomain(Writer& w, const AttributeValue& v) {
  ShardingToProto(As<DomainMetadata>(v).exit, w.proto->mutable_domain_entry_sharding());
  ShardingToProto(As<DomainMetadata>(v).entry, w.proto->mutable_domain_exit_sharding());
}

AttributeValue ReadMetadata(Reader& r) {
  // XLA writes an empty message for an instruction without metadata.
  bool none = r.proto.metadata().ByteSizeLong() == 0;
  return r.Value(MetadataFromProto(r.proto.metadata()), none);
}

void WriteStatistics(Writer& w, const AttributeValue& v) {
  const Statistics& statistics = As<Statistics>(v);
  proto::StatisticsViz* out = w.proto->mutable_statistics_viz();
  out->set_stat_index_to_visualize(statistics.visualized_index);
  for (const Statistic& entry : statistics.entries) {
    proto::Statistic* added = out->add_statistics();
    added->set_stat_name(entry.name);
    added->set_stat_val(entry.value);
  }
}

AttributeValue ReadStatistics(Reader& r) {
  Statistics statistics;
  statistics.visualized_index = r.proto.statistics_viz().stat_index_to_visualize();
  for (const proto::Statistic& entry : r.proto.statistics_viz().statistics()) {
    statistics.entries.push_back({entry.stat_name(), entry.stat_val()});
  }
  bool none = statistics.entries.empty();
  return r.Value(std::move(statistics), none);
}

void WriteAliasing(Writer& w, const AttributeValue& v) {
  for (const OutputOperandAlias& alias : As<std::vector<OutputOperandAlias>>(v)) {
    proto::OutputOperandAliasing* added = w.proto->add_output_operand_aliasing();
    ToRepeated(alias.output_index, added->mutable_output_shape_index());
    added->set_operand_index(alias.operand_number);
    ToRepeated(alias.operand_index, added->mutable_operand_shape_index());
  }
}

AttributeValue ReadAliasing(Reader& r) {
  std::vector<OutputOperandAlias> aliases;
  for (const proto::OutputOperandAliasing& alias : r.proto.output_operand_aliasing()) {
    aliases.push_back({FromRepeated(alias.output_shape_index()), alias.operand_index(),
                       FromRepeated(alias.operand_shape_index())});
  }
  bool none = aliases.empty();
  return r.Value(std::move(aliases), none);
}

AttributeValue ReadParameterReplication(Reader& r) {
  const auto& field = r.proto.parameter_replication().replicated_at_leaf_buffers();
  return r.Value(std::vector<bool>(field.begin(), field.end()), field.empty());
}

void WriteParameterReplication(Writer& w, const AttributeValue& v) {
  for (bool replicated : As<std::vector<bool>>(v)) {
    w.proto->mutable_parameter_replication()->add_replicated_at_leaf_buffers(replicated);
  }
}

void WriteOperandLayoutConstraints(Writer& w, const AttributeValue& v) {
  w.proto->set_constrain_layout(true);
  for (const Shape& shape : As<std::vector<Shape>>(v)) {
    ShapeToProto(shape, w.proto->add_operand_shapes_with_layout());
  }
}

AttributeValue ReadOperandLayoutConstraints(Reader& r) {
  std::vector<Shape> shapes;
  for (const proto::ShapeProto& proto : r.proto.operand_shapes_with_layout()) {
    absl::StatusOr<Shape> shape = ShapeFromProto(proto);
    if (!shape.ok()) return r.Fail(shape.status());
    shapes.push_back(*std::move(shape));
  }
  return r.Value(std::move(shapes), !r.proto.constrain_layout());
}

AttributeValue ReadOutfeedShape(Reader& r) {
  absl::StatusOr<Shape> shape = ShapeFromProto(r.proto.outfeed_shape());
  return shape.ok() ? r.Value(*std::move(shape), !r.proto.has_outfeed_shape())
                    : r.Fail(shape.status());
}

AttributeValue ReadCustomCallLiteral(Reader& r) {
  if (!r.proto.has_literal()) return r.Absent();
  absl::StatusOr<Literal> literal = LiteralFromProto(r.proto.literal());
  return literal.ok() ? r.Value(*std::move(literal), false) : r.Fail(literal.status());
}

void WriteKept(Writer& w, Attr attr, const RawText& raw) {
  proto::KeptText* kept = w.proto->add_kept_attributes();
  kept->set_name(std::string(AttrName(attr)));
  kept->set_text(raw.text);
  kept->set_quoted(raw.quoted);
}

// XLA used to call it original_value; today's text says origin.
void WriteOriginalValue(Writer& w, const AttributeValue& v) {
  if (OriginalValueToProto(As<RawText>(v).text, w.proto->mutable_original_value())) return;
  w.proto->clear_original_value();
  WriteKept(w, Attr::kOrigin, As<RawText>(v));
}

AttributeValue ReadOrigin(Reader& r) {
  std::string text;
  if (r.proto.has_original_value()) text = OriginalValueFromProto(r.proto.original_value());
  return r.Value(RawText{text, false}, text.empty());
}

// A single dimension in the list of dimensions.
AttributeValue ReadOneDimension(Reader& r) {
  if (r.proto.dimensions_size() == 1) return r.Value(r.proto.dimensions(0), false);
  return r.Fail(InvalidInput("expected one dimension, found ", r.proto.dimensions_size()));
}

AttributeValue ReadTriState(Reader& r) {
  static constexpr absl::string_view kWords[] = {"unspecified", "true", "false"};
  int number = r.proto.is_associative();
  if (number < 0 || number > 2) return r.Fail(UnknownEnumerator("is_associative", number));
  return r.Value(Word{std::string(kWords[number])}, number == 0);
}

constexpr AttributeRow kRows[] = {
    {Attr::kSharding,
     [](Writer& w, const AttributeValue& v) {
       ShardingToProto(As<Sharding>(v), w.proto->mutable_sharding());
     },
     ReadSharding},
    {Attr::kControlPredecessors, WriteControlPredecessors, ReadControlPredecessors},
    {Attr::kMetadata,
     [](Writer& w, const AttributeValue& v) {
       MetadataToProto(As<OpMetadata>(v), w.proto->mutable_metadata());
     },
     ReadMetadata},
    HLOCTS_ROW(FrontendAttributes,
               { StringMapToProto(As<StringMap>(v), w.proto->mutable_frontend_attributes()); },
               {
                 return r.Value(StringMapFromProto(r.proto.frontend_attributes()),
                                r.proto.frontend_attributes().map().empty());
               }),
    HLOCTS_ROW(BackendConfig, { w.proto->set_backend_config(As<RawText>(v).text); },
               {
                 const std::string& text = r.proto.backend_config();
                 return r.Value(RawText{text, !IsRawJson(text)}, text.empty());
               }),
    {Attr::kStatistics, WriteStatistics, ReadStatistics},
    {Attr::kOutputToOperandAliasing, WriteAliasing, ReadAliasing},
    {Attr::kParameterReplication, WriteParameterReplication, ReadParameterReplication},
    HLOCTS_ROW(ResultAccuracy,
               { w.status = ResultAccuracyToProto(As<RawText>(v).text, w.proto); },
               {
                 std::string text = ResultAccuracyFromProto(r.proto);
                 return r.Value(RawText{text, false}, text.empty());
               }),
    {Attr::kOrigin, WriteOriginalValue, ReadOrigin},
    {Attr::kOriginalValue, WriteOriginalValue, [](Reader& r) { return r.Absent(); }},
    HLOCTS_COMPUTATION(ToApply),
    HLOCTS_COMPUTATION(Calls),
    HLOCTS_COMPUTATION(Condition),
    HLOCTS_COMPUTATION(Body),
    HLOCTS_COMPUTATION(Select),
    HLOCTS_COMPUTATION(Scatter),
    HLOCTS_COMPUTATION(TrueComputation),
    HLOCTS_COMPUTATION(FalseComputation),
    HLOCTS_COMPUTATIONS(BranchComputations),
    HLOCTS_COMPUTATIONS(CalledComputations),
    HLOCTS_ROW(Dimensions, { ToRepeated(As<Ints>(v), w.proto->mutable_dimensions()); },
               {
                 // An all-to-all over tuples has none; everything else prints even an empty list.
                 bool none = r.proto.dimensions().empty() &&
                             r.instruction.opcode() == Opcode::kAllToAll;
                 return r.Value(FromRepeated(r.proto.dimensions()), none);
               }),
    HLOCTS_ROW(IotaDimension, { w.proto->add_dimensions(As<int64_t>(v)); },
               { return ReadOneDimension(r); }),
    {Attr::kSlice, WriteSlice, ReadSlice},
    {Attr::kPadding, WritePadding, ReadPadding},
    {Attr::kWindow, WriteWindow, ReadWindow},
    HLOCTS_INTS(DynamicSliceSizes, dynamic_slice_sizes),
    {Attr::kDimLabels, WriteDimLabels, ReadDimLabels},
    // A count of groups that is not written is one.
    HLOCTS_ROW(FeatureGroupCount, { w.proto->set_feature_group_count(As<int64_t>(v)); },
               {
                 int64_t count = r.proto.feature_group_count();
                 return r.Value(count, count == 0 || count == 1);
               }),
    HLOCTS_ROW(BatchGroupCount, { w.proto->set_batch_group_count(As<int64_t>(v)); },
               {
                 int64_t count = r.proto.batch_group_count();
                 return r.Value(count, count == 0 || count == 1);
               }),
    {Attr::kOperandPrecision, WriteOperandPrecision, ReadOperandPrecision},
    HLOCTS_DOT_INTS(LhsBatchDims, lhs_batch_dimensions, Dot(r).lhs_batch_dimensions().empty()),
    HLOCTS_DOT_INTS(LhsContractingDims, lhs_contracting_dimensions, false),
    HLOCTS_DOT_INTS(RhsBatchDims, rhs_batch_dimensions, Dot(r).rhs_batch_dimensions().empty()),
    HLOCTS_DOT_INTS(RhsContractingDims, rhs_contracting_dimensions, false),
    HLOCTS_INTS_IN(LhsRaggedDims, ragged_dot_dimension_numbers, lhs_ragged_dimensions),
    HLOCTS_INTS_IN(RhsGroupDims, ragged_dot_dimension_numbers, rhs_group_dimensions),
    HLOCTS_INTS_IN(OffsetDims, gather_dimension_numbers, offset_dims),
    HLOCTS_INTS_IN(CollapsedSliceDims, gather_dimension_numbers, collapsed_slice_dims),
    HLOCTS_INTS_IN(StartIndexMap, gather_dimension_numbers, start_index_map),
    HLOCTS_INTS_IN(OperandBatchingDims, gather_dimension_numbers, operand_batching_dims),
    HLOCTS_INTS_IN(StartIndicesBatchingDims, gather_dimension_numbers, start_indices_batching_dims),
    {Attr::kIndexVectorDim, WriteIndexVectorDim, ReadIndexVectorDim},
    HLOCTS_INTS(SliceSizes, gather_slice_sizes),
    HLOCTS_INTS_IN(UpdateWindowDims, scatter_dimension_numbers, update_window_dims),
    HLOCTS_INTS_IN(InsertedWindowDims, scatter_dimension_numbers, inserted_window_dims),
    HLOCTS_INTS_IN(ScatterDimsToOperandDims, scatter_dimension_numbers,
                   scatter_dims_to_operand_dims),
    HLOCTS_INTS_IN(InputBatchingDims, scatter_dimension_numbers, input_batching_dims),
    HLOCTS_INTS_IN(ScatterIndicesBatchingDims, scatter_dimension_numbers,
                   scatter_indices_batching_dims),
    HLOCTS_BOOL(IndicesAreSorted, indices_are_sorted),
    HLOCTS_BOOL(UniqueIndices, unique_indices),
    HLOCTS_INTS(FftLength, fft_length),
    HLOCTS_ROW(Direction, { w.proto->set_comparison_direction(As<Word>(v).text); },
               { return r.Value(Word{r.proto.comparison_direction()}, false); }),
    HLOCTS_ROW(Type, { w.proto->set_comparison_type(As<Word>(v).text); },
               { return ReadComparisonType(r); }),
    HLOCTS_INT(Index, tuple_index, -1),
    HLOCTS_INT(ExponentBits, exponent_bits, -1),
    HLOCTS_INT(MantissaBits, mantissa_bits, -1),
    HLOCTS_BOOL(IsStable, is_stable),
    HLOCTS_INT(K, k, -1),
    HLOCTS_ROW(Largest, { w.proto->set_largest(As<bool>(v)); },
               { return r.Value(r.proto.largest(), false); }),
    HLOCTS_ENUM(FftType, fft_type, proto::FftType, FFT),
    {Attr::kLower, WriteLower, ReadLower},
    HLOCTS_BOOL_IN(LeftSide, triangular_solve_options, left_side),
    HLOCTS_BOOL_IN(UnitDiagonal, triangular_solve_options, unit_diagonal),
    {Attr::kTransposeA, WriteTransposeA, ReadTransposeA},
    HLOCTS_ROW(Epsilon, { w.proto->set_epsilon(static_cast<float>(As<double>(v))); },
               { return r.Value(double{r.proto.epsilon()}, false); }),
    HLOCTS_INT(FeatureIndex, feature_index, -1),
    {Attr::kDistribution, WriteDistribution, ReadDistribution},
    {Attr::kAlgorithm, WriteAlgorithm, ReadAlgorithm},
    HLOCTS_INT(Delta, delta, INT64_MIN),
    HLOCTS_ROW(Kind, { w.proto->set_fusion_kind(As<Word>(v).text); },
               { return r.Value(Word{r.proto.fusion_kind()}, r.proto.fusion_kind().empty()); }),
    HLOCTS_BOOL(IsComposite, is_composite),
    HLOCTS_BOOL(IsReverse, is_reverse),
    HLOCTS_ROW(IsAssociative,
               {
                 const std::string& word = As<Word>(v).text;
                 w.proto->set_is_associative(word == "true"    ? proto::TRI_STATE_TRUE
                                             : word == "false" ? proto::TRI_STATE_FALSE
                                                               : proto::TRI_STATE_UNSPECIFIED);
               },
               { return ReadTriState(r); }),
    HLOCTS_INT(NumCarries, num_carries, 0),
    HLOCTS_ROW(ScanDimension, { w.proto->add_dimensions(As<int64_t>(v)); },
               { return r.proto.dimensions_size() == 1 ? ReadOneDimension(r) : r.Absent(); }),
    {Attr::kReplicaGroups, WriteReplicaGroups, ReadReplicaGroups},
    {Attr::kSourceTargetPairs, WriteSourceTargetPairs, ReadSourceTargetPairs},
    {Attr::kPermuteSliceSizes, WritePermuteSliceSizes, ReadPermuteSliceSizes},
    {Attr::kChannelId, WriteChannelId, [](Reader& r) {
       return r.Value(int64_t{r.proto.channel_id()}, r.proto.channel_id() == 0);
     }},
    HLOCTS_BOOL(UseGlobalDeviceIds, use_global_device_ids),
    HLOCTS_BOOL(ConstrainLayout, constrain_layout),
    HLOCTS_BOOL(IsHostTransfer, is_host_transfer),
    HLOCTS_STRING(InfeedConfig, infeed_config),
    HLOCTS_STRING(OutfeedConfig, outfeed_config),
    HLOCTS_ROW(OutfeedShape, { ShapeToProto(As<Shape>(v), w.proto->mutable_outfeed_shape()); },
               { return ReadOutfeedShape(r); }),
    HLOCTS_ROW(CrossProgramPrefetchIndex,
               { w.proto->set_cross_program_prefetch_index(static_cast<int32_t>(As<int64_t>(v))); },
               {
                 return r.Value(int64_t{r.proto.cross_program_prefetch_index()},
                                r.proto.optional_cross_program_prefetch_index_case() !=
                                    P::kCrossProgramPrefetchIndex);
               }),
    HLOCTS_ROW(AsyncExecutionThread, { w.proto->set_async_execution_thread(As<std::string>(v)); },
               {
                 const std::string& thread = r.proto.async_execution_thread();
                 return r.Value(thread, thread.empty() || thread == "main");
               }),
    {Attr::kDomain, WriteDomain, ReadDomain},
    HLOCTS_STRING(CustomCallTarget, custom_call_target),
    HLOCTS_BOOL(CustomCallHasSideEffect, custom_call_has_side_effect),
    {Attr::kOperandLayoutConstraints, WriteOperandLayoutConstraints, ReadOperandLayoutConstraints},
    HLOCTS_ROW(ApiVersion,
               {
                 proto::CustomCallApiVersion number;
                 if (proto::CustomCallApiVersion_Parse(As<Word>(v).text, &number)) {
                   w.proto->set_custom_call_api_version(number);
                 } else {
                   w.status = UnknownWord("api_version", As<Word>(v).text);
                 }
               },
               {
                 int number = r.proto.custom_call_api_version();
                 if (!proto::CustomCallApiVersion_IsValid(number)) {
                   return r.Fail(UnknownEnumerator("custom_call_api_version", number));
                 }
                 return r.Value(
                     Word{proto::CustomCallApiVersion_Name(r.proto.custom_call_api_version())},
                     number <= proto::API_VERSION_ORIGINAL);
               }),
    HLOCTS_ENUM(Schedule, custom_call_schedule, proto::CustomCallSchedule, SCHEDULE_NONE),
    HLOCTS_ROW(CustomCallLiteral,
               { LiteralToProto(As<Literal>(v), w.proto->mutable_literal()); },
               { return ReadCustomCallLiteral(r); }),
};

constexpr std::array<const AttributeRow*, kAttrCount> IndexRows() {
  std::array<const AttributeRow*, kAttrCount> rows{};
  for (const AttributeRow& row : kRows) rows[static_cast<size_t>(row.attr)] = &row;
  return rows;
}
// nullptr: the proto form has no field; the attribute travels as kept text.
constexpr std::array<const AttributeRow*, kAttrCount> kRowOf = IndexRows();

void ReadKept(const P& proto, Instruction* instruction) {
  for (const proto::KeptText& kept : proto.kept_attributes()) {
    std::optional<Attr> attr = AttributeFromText(instruction->opcode(), kept.name());
    if (attr == Attr::kChannelId && !instruction->Has(Attr::kChannelId)) {
      instruction->Set(Attr::kChannelId, int64_t{0});
    } else if (attr && RowOf(*attr).kind == AttributeKind::kRawText) {
      instruction->Set(*attr, RawText{kept.text(), kept.quoted()});
    }
  }
}

absl::Status WriteCalledComputations(Writer& w) {
  // By the order of the table for what it names, then whatever else the instruction holds.
  for (Attr attr : CalledComputationAttributes(w.instruction)) {
    std::vector<Computation*> called;
    if (const auto* one = w.instruction.Get<Computation*>(attr)) called = {*one};
    if (const auto* list = w.instruction.Get<std::vector<Computation*>>(attr)) called = *list;
    // XLA knows the computations of a custom call by one list, whatever the text called it.
    if (attr == Attr::kCalledComputations && called.empty()) {
      if (Computation* one = w.instruction.CalledComputation(Attr::kToApply)) called = {one};
    }
    for (const Computation* computation : called) {
      HLOCTS_ASSIGN_OR_RETURN(int64_t id, w.ids.computation(computation));
      w.proto->add_called_computation_ids(id);
    }
  }
  return absl::OkStatus();
}

// What XLA writes for attributes that the text leaves out.
void WriteImpliedFields(const Instruction& instruction, P* proto) {
  const OpRow& row = RowOf(instruction.opcode());
  if (row.Takes(Attr::kFeatureGroupCount) && proto->feature_group_count() == 0) {
    proto->set_feature_group_count(1);
    proto->set_batch_group_count(std::max<int64_t>(1, proto->batch_group_count()));
  }
  if (row.Takes(Attr::kBatchGroupCount) && proto->batch_group_count() == 0) {
    proto->set_batch_group_count(1);
  }
  if (row.Takes(Attr::kOperandPrecision) && !instruction.Has(Attr::kOperandPrecision)) {
    int64_t count = instruction.opcode() == Opcode::kCustomCall ? instruction.operand_count() : 2;
    for (int64_t i = 0; i < count; ++i) {
      proto->mutable_precision_config()->add_operand_precision(proto::PrecisionConfig::DEFAULT);
    }
  }
  // A convolution without spatial dimensions has a window of none; XLA insists on the field.
  if (instruction.opcode() == Opcode::kConvolution) proto->mutable_window();
  if (instruction.opcode() == Opcode::kCompare && proto->comparison_type().empty()) {
    proto->set_comparison_type(std::string(DefaultComparisonType(FirstOperandType(instruction))));
  }
  if (row.Takes(Attr::kLargest) && !instruction.Has(Attr::kLargest)) proto->set_largest(true);
  if (row.Takes(Attr::kApiVersion) && !instruction.Has(Attr::kApiVersion)) {
    proto->set_custom_call_api_version(proto::API_VERSION_ORIGINAL);
  }
  if (row.Takes(Attr::kReplicaGroups) && !instruction.Has(Attr::kReplicaGroups)) {
    proto->mutable_collective_device_list();
  }
}

}  // namespace

absl::Span<const Attr> CalledComputationAttributes(const Instruction& instruction) {
  struct Order {
    Opcode opcode;
    std::array<Attr, 2> attributes;
    size_t count;
  };
  static constexpr Order kOrders[] = {
      {Opcode::kWhile, {Attr::kBody, Attr::kCondition}, 2},
      {Opcode::kSelectAndScatter, {Attr::kSelect, Attr::kScatter}, 2},
      {Opcode::kFusion, {Attr::kCalls}, 1},
      {Opcode::kAsyncStart, {Attr::kCalls}, 1},
      {Opcode::kAsyncUpdate, {Attr::kCalls}, 1},
      {Opcode::kAsyncDone, {Attr::kCalls}, 1},
      {Opcode::kCustomCall, {Attr::kCalledComputations}, 1},
  };
  static constexpr Attr kToApply[] = {Attr::kToApply};
  static constexpr Attr kTwoArms[] = {Attr::kTrueComputation, Attr::kFalseComputation};
  static constexpr Attr kBranches[] = {Attr::kBranchComputations};
  if (instruction.opcode() == Opcode::kConditional) {
    if (instruction.Has(Attr::kBranchComputations)) return kBranches;
    if (instruction.Has(Attr::kTrueComputation)) return kTwoArms;
    return FirstOperandType(instruction) == PrimitiveType::kPred ? absl::MakeConstSpan(kTwoArms)
                                                                 : absl::MakeConstSpan(kBranches);
  }
  for (const Order& order : kOrders) {
    if (order.opcode == instruction.opcode()) return {order.attributes.data(), order.count};
  }
  if (RowOf(instruction.opcode()).Takes(Attr::kToApply)) return kToApply;
  return {};
}

absl::Status AttributesToProto(const Instruction& instruction, const IdsOfModule& ids,
                               proto::HloInstructionProto* out) {
  Writer writer{instruction, ids, out};
  for (const auto& [attr, value] : instruction.attributes()) {
    const AttributeRow* row = kRowOf[static_cast<size_t>(attr)];
    if (row) {
      row->write(writer, value);
    } else if (const RawText* raw = std::get_if<RawText>(&value)) {
      WriteKept(writer, attr, *raw);
    }
    if (!writer.status.ok()) return writer.status;
  }
  HLOCTS_RETURN_IF_ERROR(WriteCalledComputations(writer));
  WriteImpliedFields(instruction, out);
  return absl::OkStatus();
}

absl::Status AttributesFromProto(const proto::HloInstructionProto& proto, const ProtoIds& ids,
                                 Instruction* instruction) {
  Reader reader{*instruction, ids, proto};
  auto read = [&](Attr attr, bool required) -> absl::Status {
    const AttributeRow* row = kRowOf[static_cast<size_t>(attr)];
    if (!row || instruction->Has(attr)) return absl::OkStatus();
    reader.is_default = false;
    AttributeValue value = row->read(reader);
    if (!reader.status.ok()) return reader.status;
    AttributeKind kind = RowOf(attr).kind;
    bool computation = kind == AttributeKind::kComputation || kind == AttributeKind::kComputations;
    if (required && computation && reader.is_default) {
      return InvalidInput("expected called_computation_ids for ", AttrName(attr), ", found ",
                          proto.called_computation_ids_size(), " ids");
    }
    if (required || !reader.is_default) instruction->Set(attr, std::move(value));
    return absl::OkStatus();
  };
  for (const AttributeUse& use : RowOf(instruction->opcode()).attribute_uses()) {
    HLOCTS_RETURN_IF_ERROR(read(use.attr, use.required));
  }
  for (Attr attr : CommonAttributes()) HLOCTS_RETURN_IF_ERROR(read(attr, false));
  ReadKept(proto, instruction);
  return absl::OkStatus();
}

}  // namespace hlocts
