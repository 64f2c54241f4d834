// SPDX-License-Identifier: Apache-2.0
// The fields of the values that attributes and modules are made of, once for both directions. An
// archive is called with them in turn. Structured bindings: a field that is missing does not
// compile.
#ifndef HLOCTS_SPEC_PACKED_FIELDS_H_
#define HLOCTS_SPEC_PACKED_FIELDS_H_

#include <type_traits>

#include "spec/ir/module.h"

namespace hlocts::packed {

// T is U, const for who writes.
template <typename T, typename U>
concept Like = std::is_same_v<std::remove_const_t<T>, U>;

#define HLOCTS_PACKED(Type, ...)            \
  template <typename Archive, Like<Type> T> \
  void Fields(Archive& archive, T& value) { \
    auto& [__VA_ARGS__] = value;            \
    archive(__VA_ARGS__);                   \
  }

HLOCTS_PACKED(WindowDimension, size, stride, low, high, window_dilation, base_dilation, reversal)
HLOCTS_PACKED(Window, dimensions)
HLOCTS_PACKED(PaddingDimension, low, high, interior)
HLOCTS_PACKED(PaddingConfig, dimensions)
HLOCTS_PACKED(SliceRange, start, limit, stride)
HLOCTS_PACKED(SliceRanges, dimensions)
HLOCTS_PACKED(ConvolutionDimensionNumbers, input_batch, input_feature, input_spatial,
              kernel_input_feature, kernel_output_feature, kernel_spatial, output_batch,
              output_feature, output_spatial)
HLOCTS_PACKED(ReplicaGroups, groups, iota_dimensions, iota_reshape_dims, permutation, mesh_text)
HLOCTS_PACKED(Sharding, type, dimensions, devices, iota_reshape_dims, permutation, replicate,
              last_tile_dims, tuple_shardings, metadata, is_shard_group, shard_as, shard_group_id,
              raw_text, unknown_fields)
HLOCTS_PACKED(OpMetadata, op_type, op_name, source_file, line, end_line, column, end_column,
              profile_type, deduplicated_name, scheduling_name, preserve_layout, stack_frame_id,
              size_of_code, size_of_memory, unknown_fields)
HLOCTS_PACKED(Statistic, name, value_of)
HLOCTS_PACKED(Statistics, entries, visualized_index)
HLOCTS_PACKED(StringMap, entries, quoted)
HLOCTS_PACKED(OutputOperandAlias, output_index, operand_number, operand_index)
HLOCTS_PACKED(DomainMetadata, kind, entry, exit)
HLOCTS_PACKED(RawText, text, quoted)
HLOCTS_PACKED(Word, text)
HLOCTS_PACKED(Tile, dimensions)
HLOCTS_PACKED(SplitConfig, dimension, split_indices)
HLOCTS_PACKED(Layout, minor_to_major, tiles, tail_padding, index_type, pointer_type, element_size,
              memory_space, split_configs, physical_shape, metadata_prefix, dim_level_types,
              padded_dimensions, padding_value, unknown_fields)
HLOCTS_PACKED(ProgramShape, parameters, parameter_names, result)
HLOCTS_PACKED(InputOutputAlias, output_index, parameter_number, parameter_index, must_alias)
HLOCTS_PACKED(BufferDonor, parameter_number, parameter_index)
HLOCTS_PACKED(StackFrameIndex::Location, file, function, line, end_line, column, end_column)
HLOCTS_PACKED(StackFrameIndex::Frame, file_location_id, parent_frame_id)
HLOCTS_PACKED(StackFrameIndex, file_names, function_names, file_locations, stack_frames)

#undef HLOCTS_PACKED

}  // namespace hlocts::packed

#endif  // HLOCTS_SPEC_PACKED_FIELDS_H_
