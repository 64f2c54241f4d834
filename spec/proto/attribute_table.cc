// SPDX-License-Identifier: Apache-2.0
// One row per attribute: its field in HloInstructionProto and its default value.
#include <algorithm>
#include <array>

#include "spec/ir/instruction.h"
#include "spec/ir/opcode.h"
#include "spec/proto/attribute_rows.h"
#include "spec/proto/attribute_text.h"

namespace hlocts {
namespace attribute_rows {

namespace {

#define HLOCTS_ROW(Name, write_body, read_body)                        \
  {                                                                    \
    Attr::k##Name, [](Writer & w, const AttributeValue& v) write_body, \
        [](Reader & r) -> AttributeValue read_body                     \
  }

// Rows of attributes with their own field.
#define HLOCTS_INT(Name, field, otherwise)             \
  HLOCTS_ROW(                                          \
      Name, { w.proto->set_##field(As<int64_t>(v)); }, \
      { return r.Value(int64_t{r.proto.field()}, r.proto.field() == otherwise); })
#define HLOCTS_BOOL(Name, field)                    \
  HLOCTS_ROW(                                       \
      Name, { w.proto->set_##field(As<bool>(v)); }, \
      { return r.Value(r.proto.field(), !r.proto.field()); })
#define HLOCTS_STRING(Name, field)                         \
  HLOCTS_ROW(                                              \
      Name, { w.proto->set_##field(As<std::string>(v)); }, \
      { return r.Value(std::string(r.proto.field()), r.proto.field().empty()); })
#define HLOCTS_INTS(Name, field)                                      \
  HLOCTS_ROW(                                                         \
      Name, { ToRepeated(As<Ints>(v), w.proto->mutable_##field()); }, \
      { return r.Value(FromRepeated(r.proto.field()), r.proto.field().empty()); })

// Rows of attributes in a field of a nested message.
#define HLOCTS_BOOL_IN(Name, message, field)                             \
  HLOCTS_ROW(                                                            \
      Name, { w.proto->mutable_##message()->set_##field(As<bool>(v)); }, \
      { return r.Value(r.proto.message().field(), !r.proto.message().field()); })
#define HLOCTS_INTS_IN(Name, message, field)                                               \
  HLOCTS_ROW(                                                                              \
      Name, { ToRepeated(As<Ints>(v), w.proto->mutable_##message()->mutable_##field()); }, \
      {                                                                                    \
        const auto& field = r.proto.message().field();                                     \
        return r.Value(FromRepeated(field), field.empty());                                \
      })

// Rows of the dimensions of a dot, alone or in a ragged-dot.
#define HLOCTS_DOT_INTS(Name, field, says_nothing)                          \
  HLOCTS_ROW(                                                               \
      Name, { ToRepeated(As<Ints>(v), MutableDot(w)->mutable_##field()); }, \
      { return r.Value(FromRepeated(Dot(r).field()), says_nothing); })

// A row of an attribute with the same word in text and proto.
#define HLOCTS_ENUM(Name, field, EnumType, Otherwise)                                      \
  HLOCTS_ROW(                                                                              \
      Name,                                                                                \
      {                                                                                    \
        EnumType number;                                                                   \
        if (EnumType##_Parse(As<Word>(v).text, &number)) {                                 \
          w.proto->set_##field(number);                                                    \
        } else {                                                                           \
          w.status = UnknownWord(#field, As<Word>(v).text);                                \
        }                                                                                  \
      },                                                                                   \
      {                                                                                    \
        int number = r.proto.field();                                                      \
        if (!EnumType##_IsValid(number)) return r.Fail(UnknownEnumerator(#field, number)); \
        return r.Value(Word{EnumType##_Name(number)}, number == EnumType::Otherwise);      \
      })

AttributeValue ReadComputation(Reader& r, Attr attr) {
  absl::Span<const Attr> order = CalledComputationAttributes(r.instruction);
  auto found = std::find(order.begin(), order.end(), attr);
  int position = static_cast<int>(found - order.begin());
  if (found == order.end() || position >= r.proto.called_computation_ids_size()) return r.Absent();
  int64_t id = r.proto.called_computation_ids(position);
  Computation* computation = r.ids.computation(id);
  if (computation) return r.Value(computation, false);
  return r.Fail(
      InvalidInput("expected the id of a computation that precedes its caller, found ", id));
}

AttributeValue ReadComputations(Reader& r, Attr attr) {
  absl::Span<const Attr> order = CalledComputationAttributes(r.instruction);
  if (order.size() != 1 || order[0] != attr) return r.Absent();
  std::vector<Computation*> computations;
  for (int64_t id : r.proto.called_computation_ids()) {
    computations.push_back(r.ids.computation(id));
    if (computations.back()) continue;
    return r.Fail(
        InvalidInput("expected the id of a computation that precedes its caller, found ", id));
  }
  bool none = computations.empty();
  return r.Value(std::move(computations), none);
}

// Writes nothing: AttributesToProto writes these attributes in the order of
// CalledComputationAttributes.
void WriteNothing(Writer&, const AttributeValue&) {}

#define HLOCTS_COMPUTATION(Name)                                                             \
  {                                                                                          \
    Attr::k##Name, WriteNothing, [](Reader& r) { return ReadComputation(r, Attr::k##Name); } \
  }
#define HLOCTS_COMPUTATIONS(Name)                                                             \
  {                                                                                           \
    Attr::k##Name, WriteNothing, [](Reader& r) { return ReadComputations(r, Attr::k##Name); } \
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
    HLOCTS_ROW(
        FrontendAttributes,
        { StringMapToProto(As<StringMap>(v), w.proto->mutable_frontend_attributes()); },
        {
          return r.Value(StringMapFromProto(r.proto.frontend_attributes()),
                         r.proto.frontend_attributes().map().empty());
        }),
    HLOCTS_ROW(
        BackendConfig, { w.proto->set_backend_config(As<RawText>(v).text); },
        {
          const std::string& text = r.proto.backend_config();
          return r.Value(RawText{text, !IsRawJson(text)}, text.empty());
        }),
    {Attr::kStatistics, WriteStatistics, ReadStatistics},
    {Attr::kOutputToOperandAliasing, WriteAliasing, ReadAliasing},
    {Attr::kParameterReplication, WriteParameterReplication, ReadParameterReplication},
    HLOCTS_ROW(
        ResultAccuracy, { w.status = ResultAccuracyToProto(As<RawText>(v).text, w.proto); },
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
    HLOCTS_ROW(
        Dimensions, { ToRepeated(As<Ints>(v), w.proto->mutable_dimensions()); },
        {
          // An all-to-all over tuples has no dimensions. Other opcodes print even an empty list.
          bool none = r.proto.dimensions().empty() && r.instruction.opcode() == Opcode::kAllToAll;
          return r.Value(FromRepeated(r.proto.dimensions()), none);
        }),
    HLOCTS_ROW(
        IotaDimension, { w.proto->add_dimensions(As<int64_t>(v)); },
        { return ReadOneDimension(r); }),
    // In the text, -1 means no inferred dimension.
    HLOCTS_ROW(
        InferredDimension,
        {
          if (As<int64_t>(v) >= 0) w.proto->add_dimensions(As<int64_t>(v));
        },
        { return r.proto.dimensions().empty() ? r.Absent() : ReadOneDimension(r); }),
    {Attr::kSlice, WriteSlice, ReadSlice},
    {Attr::kPadding, WritePadding, ReadPadding},
    {Attr::kWindow, WriteWindow, ReadWindow},
    HLOCTS_INTS(DynamicSliceSizes, dynamic_slice_sizes),
    {Attr::kDimLabels, WriteDimLabels, ReadDimLabels},
    // An omitted count of groups means one group.
    HLOCTS_ROW(
        FeatureGroupCount, { w.proto->set_feature_group_count(As<int64_t>(v)); },
        {
          int64_t count = r.proto.feature_group_count();
          return r.Value(count, count == 0 || count == 1);
        }),
    HLOCTS_ROW(
        BatchGroupCount, { w.proto->set_batch_group_count(As<int64_t>(v)); },
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
    HLOCTS_ROW(
        Direction, { w.proto->set_comparison_direction(As<Word>(v).text); },
        { return r.Value(Word{r.proto.comparison_direction()}, false); }),
    HLOCTS_ROW(
        Type, { w.proto->set_comparison_type(As<Word>(v).text); },
        { return ReadComparisonType(r); }),
    HLOCTS_INT(Index, tuple_index, -1),
    HLOCTS_INT(ExponentBits, exponent_bits, -1),
    HLOCTS_INT(MantissaBits, mantissa_bits, -1),
    HLOCTS_BOOL(IsStable, is_stable),
    HLOCTS_INT(K, k, -1),
    HLOCTS_ROW(
        Largest, { w.proto->set_largest(As<bool>(v)); },
        { return r.Value(r.proto.largest(), false); }),
    HLOCTS_ENUM(FftType, fft_type, proto::FftType, FFT),
    {Attr::kLower, WriteLower, ReadLower},
    HLOCTS_BOOL_IN(LeftSide, triangular_solve_options, left_side),
    HLOCTS_BOOL_IN(UnitDiagonal, triangular_solve_options, unit_diagonal),
    {Attr::kTransposeA, WriteTransposeA, ReadTransposeA},
    HLOCTS_ROW(
        Epsilon, { w.proto->set_epsilon(static_cast<float>(As<double>(v))); },
        { return r.Value(double{r.proto.epsilon()}, false); }),
    HLOCTS_INT(FeatureIndex, feature_index, -1),
    {Attr::kDistribution, WriteDistribution, ReadDistribution},
    {Attr::kAlgorithm, WriteAlgorithm, ReadAlgorithm},
    HLOCTS_INT(Delta, delta, INT64_MIN),
    HLOCTS_ROW(
        Kind, { w.proto->set_fusion_kind(As<Word>(v).text); },
        { return r.Value(Word{r.proto.fusion_kind()}, r.proto.fusion_kind().empty()); }),
    HLOCTS_BOOL(IsComposite, is_composite),
    HLOCTS_BOOL(IsReverse, is_reverse),
    HLOCTS_ROW(
        IsAssociative,
        {
          const std::string& word = As<Word>(v).text;
          w.proto->set_is_associative(word == "true"    ? proto::TRI_STATE_TRUE
                                      : word == "false" ? proto::TRI_STATE_FALSE
                                                        : proto::TRI_STATE_UNSPECIFIED);
        },
        { return ReadTriState(r); }),
    HLOCTS_INT(NumCarries, num_carries, 0),
    HLOCTS_ROW(
        ScanDimension, { w.proto->add_dimensions(As<int64_t>(v)); },
        { return r.proto.dimensions_size() == 1 ? ReadOneDimension(r) : r.Absent(); }),
    {Attr::kReplicaGroups, WriteReplicaGroups, ReadReplicaGroups},
    {Attr::kSourceTargetPairs, WriteSourceTargetPairs, ReadSourceTargetPairs},
    {Attr::kPermuteSliceSizes, WritePermuteSliceSizes, ReadPermuteSliceSizes},
    {Attr::kChannelId, WriteChannelId,
     [](Reader& r) { return r.Value(int64_t{r.proto.channel_id()}, r.proto.channel_id() == 0); }},
    HLOCTS_BOOL(UseGlobalDeviceIds, use_global_device_ids),
    HLOCTS_BOOL(ConstrainLayout, constrain_layout),
    HLOCTS_BOOL(IsHostTransfer, is_host_transfer),
    HLOCTS_STRING(InfeedConfig, infeed_config),
    HLOCTS_STRING(OutfeedConfig, outfeed_config),
    HLOCTS_ROW(
        OutfeedShape, { ShapeToProto(As<Shape>(v), w.proto->mutable_outfeed_shape()); },
        { return ReadOutfeedShape(r); }),
    HLOCTS_ROW(
        CrossProgramPrefetchIndex,
        { w.proto->set_cross_program_prefetch_index(static_cast<int32_t>(As<int64_t>(v))); },
        {
          return r.Value(int64_t{r.proto.cross_program_prefetch_index()},
                         r.proto.optional_cross_program_prefetch_index_case() !=
                             P::kCrossProgramPrefetchIndex);
        }),
    HLOCTS_ROW(
        AsyncExecutionThread, { w.proto->set_async_execution_thread(As<std::string>(v)); },
        {
          const std::string& thread = r.proto.async_execution_thread();
          return r.Value(thread, thread.empty() || thread == "main");
        }),
    {Attr::kDomain, WriteDomain, ReadDomain},
    HLOCTS_STRING(CustomCallTarget, custom_call_target),
    HLOCTS_BOOL(CustomCallHasSideEffect, custom_call_has_side_effect),
    {Attr::kOperandLayoutConstraints, WriteOperandLayoutConstraints, ReadOperandLayoutConstraints},
    HLOCTS_ROW(
        ApiVersion,
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
          return r.Value(Word{proto::CustomCallApiVersion_Name(r.proto.custom_call_api_version())},
                         number <= proto::API_VERSION_ORIGINAL);
        }),
    HLOCTS_ENUM(Schedule, custom_call_schedule, proto::CustomCallSchedule, SCHEDULE_NONE),
    HLOCTS_ROW(
        CustomCallLiteral, { LiteralToProto(As<Literal>(v), w.proto->mutable_literal()); },
        { return ReadCustomCallLiteral(r); }),
};

constexpr std::array<const AttributeRow*, kAttrCount> IndexRows() {
  std::array<const AttributeRow*, kAttrCount> rows{};
  for (const AttributeRow& row : kRows) rows[static_cast<size_t>(row.attr)] = &row;
  return rows;
}
constexpr std::array<const AttributeRow*, kAttrCount> kRowOf = IndexRows();

}  // namespace

const AttributeRow* RowFor(Attr attr) { return kRowOf[static_cast<size_t>(attr)]; }

}  // namespace attribute_rows
}  // namespace hlocts
