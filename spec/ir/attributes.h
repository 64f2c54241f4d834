// SPDX-License-Identifier: Apache-2.0
// The values of instruction attributes. spec/ir/attributes.def lists the kind of each attribute,
// and spec/ops lists the attributes of each opcode.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "spec/ir/literal.h"
#include "spec/ir/module_fwd.h"
#include "spec/ir/shape.h"

namespace hlocts {

// One dimension of the window of a convolution, reduce-window or select-and-scatter.
struct WindowDimension {
  int64_t size = 1;
  int64_t stride = 1;
  int64_t padding_low = 0;
  int64_t padding_high = 0;
  int64_t window_dilation = 1;  // rhs_dilate in text: distance between elements of the window
  int64_t base_dilation = 1;    // lhs_dilate in text: distance between elements of the base
  bool window_reversal = false;
  bool operator==(const WindowDimension&) const = default;
};
struct Window {
  std::vector<WindowDimension> dimensions;
  bool operator==(const Window&) const = default;
};

struct PaddingDimension {
  int64_t low = 0;
  int64_t high = 0;
  int64_t interior = 0;
  bool operator==(const PaddingDimension&) const = default;
};
struct PaddingConfig {
  std::vector<PaddingDimension> dimensions;
  bool operator==(const PaddingConfig&) const = default;
};

struct SliceRange {
  int64_t start = 0;
  int64_t limit = 0;
  int64_t stride = 1;
  bool operator==(const SliceRange&) const = default;
};
struct SliceRanges {
  std::vector<SliceRange> dimensions;
  bool operator==(const SliceRanges&) const = default;
};

// The meaning of each dimension of the three arrays. Their spatial dimensions have the same order.
struct ConvolutionDimensionNumbers {
  int64_t input_batch = 0, input_feature = 0;
  std::vector<int64_t> input_spatial;
  int64_t kernel_input_feature = 0, kernel_output_feature = 0;
  std::vector<int64_t> kernel_spatial;
  int64_t output_batch = 0, output_feature = 0;
  std::vector<int64_t> output_spatial;
  bool operator==(const ConvolutionDimensionNumbers&) const = default;
};

// Axes of a mesh that define groups of devices: "mesh['x'=2,'y'=8], device_ids=(...)
// {'x','y':(2)4}".
struct MeshAxes {
  struct Axis {
    std::string name;
    int64_t size = 0;
    bool operator==(const Axis&) const = default;
  };
  // The second of the three factors pre_size * size * rest into which an axis is split. If `size`
  // is 0, the part is the whole axis.
  struct Part {
    int64_t axis = 0;  // index in `axes`
    int64_t pre_size = 1;
    int64_t size = 0;
    bool operator==(const Part&) const = default;
  };
  std::vector<Axis> axes;           // major first
  std::vector<int64_t> device_ids;  // device of each mesh position, row-major; empty: 0, 1, 2, ...
  std::vector<Part> grouped;        // the parts that span a group, major first
  bool operator==(const MeshAxes&) const = default;
};

// Groups such as "{{0,1},{2,3}}". The two compact forms, "[2,4]<=[4,2]T(1,0)" and axes of a mesh,
// are kept so that they can be printed unchanged.
struct ReplicaGroups {
  std::vector<std::vector<int64_t>> groups;  // the groups, expanded from any form
  // The iota form, "[dimensions]<=[reshape_dims]T(permutation)"; not used if reshape_dims is empty.
  std::vector<int64_t> iota_dimensions;
  std::vector<int64_t> iota_reshape_dims;
  std::vector<int64_t> iota_transpose_permutation;
  MeshAxes mesh;  // mesh form, used if it has axes
  bool operator==(const ReplicaGroups&) const = default;
};

// XLA's OpSharding. It is read, stored and printed. This library does not partition modules.
struct Sharding {
  enum class Type : uint8_t {
    kReplicated,
    kMaximal,
    kTuple,
    kOther,
    kManual,
    kUnknown,
    kUnreduced
  };
  Type type = Type::kReplicated;
  std::vector<int64_t> tile_assignment_dimensions;
  std::vector<int64_t> tile_assignment_devices;  // explicit list of devices; empty in the iota form
  std::vector<int64_t> iota_reshape_dims;
  std::vector<int64_t> iota_transpose_permutation;
  bool replicate_on_last_tile_dim = false;
  std::vector<Type> last_tile_dims;
  std::vector<Sharding> tuple_shardings;
  std::vector<struct OpMetadata> metadata;
  bool is_shard_group = false;
  bool shard_as = true;  // else shard_like
  int64_t shard_group_id = 0;
  std::string raw_text;  // the text of forms without fields (e.g. named shardings)
  std::string unknown_fields;
};

struct OpMetadata {
  std::string op_type, op_name, source_file;
  int64_t source_line = 0, source_end_line = 0, source_column = 0, source_end_column = 0;
  std::vector<int64_t> profile_type;
  std::string deduplicated_name, scheduling_name;
  bool preserve_layout = false;
  int64_t stack_frame_id = 0;
  int64_t size_of_generated_code_in_bytes = 0;
  int64_t size_of_memory_working_set_in_bytes = 0;
  std::string unknown_fields;
};

struct Statistic {
  std::string name;
  double value = 0;
};
struct Statistics {
  std::vector<Statistic> entries;
  int64_t visualized_index = 0;
};

struct StringMap {
  std::vector<std::pair<std::string, std::string>> entries;  // in textual order
  std::vector<bool> quoted;  // true: printed with quotes; false: balanced {...} without quotes
};

struct OutputOperandAlias {
  ShapeIndex output_index;
  int64_t operand_number = 0;
  ShapeIndex operand_index;
  bool operator==(const OutputOperandAlias&) const = default;
};

// The two shardings of a domain instruction.
struct DomainMetadata {
  std::string kind;
  Sharding entry;
  Sharding exit;
};

// Text that is stored and printed but not interpreted. `quoted`: the HLO text has quotes around it.
struct RawText {
  std::string text;
  bool quoted = false;
};

struct Word {  // an unquoted, case-sensitive word such as LT or kLoop
  std::string text;
};

using AttributeVariant =
    std::variant<bool, int64_t, double, std::string, Word, RawText, std::vector<int64_t>,
                 std::vector<std::string>, std::vector<bool>, std::vector<std::vector<int64_t>>,
                 std::vector<std::pair<int64_t, int64_t>>, Window, PaddingConfig, SliceRanges,
                 ConvolutionDimensionNumbers, ReplicaGroups, Shape, std::vector<Shape>, Literal,
                 Computation*, std::vector<Computation*>, std::vector<Instruction*>, Sharding,
                 OpMetadata, StringMap, Statistics, std::vector<OutputOperandAlias>,
                 DomainMetadata>;

// The special members are defined only in special_members.cc. With this many alternatives, inline
// definitions add up to half a second of compile time to each file that uses attributes.
struct AttributeValue : AttributeVariant {
  using AttributeVariant::AttributeVariant;
  using AttributeVariant::operator=;
  AttributeValue();
  AttributeValue(const AttributeValue& other);
  AttributeValue(AttributeValue&& other) noexcept;
  AttributeValue& operator=(const AttributeValue& other);
  AttributeValue& operator=(AttributeValue&& other) noexcept;
  ~AttributeValue();
};

// One kind for each alternative of AttributeVariant that attributes.def uses.
enum class AttributeKind : uint8_t {
  kBool,                         // bool
  kInt,                          // int64_t
  kFloat,                        // double
  kString,                       // std::string, printed with quotes
  kWord,                         // Word
  kRawText,                      // RawText
  kIntList,                      // std::vector<int64_t>: {0,1}
  kWordList,                     // std::vector<std::string>: {highest,default}
  kBoolList,                     // std::vector<bool>: {true,false}
  kIntLists,                     // std::vector<std::vector<int64_t>>: {{0,1},{2}}
  kPairList,                     // std::vector<std::pair<int64_t, int64_t>>: {{0,1},{1,0}}
  kWindow,                       // Window
  kPadding,                      // PaddingConfig
  kSliceRanges,                  // SliceRanges
  kConvolutionDimensionNumbers,  // ConvolutionDimensionNumbers
  kReplicaGroups,                // ReplicaGroups
  kShape,                        // Shape
  kShapeList,                    // std::vector<Shape>
  kLiteral,                      // Literal
  kComputation,                  // Computation*
  kComputations,                 // std::vector<Computation*>
  kInstructions,                 // std::vector<Instruction*>
  kSharding,                     // Sharding
  kMetadata,                     // OpMetadata
  kStringMap,                    // StringMap
  kStatistics,                   // Statistics
  kOutputOperandAliasing,        // std::vector<OutputOperandAlias>
  kDomain,                       // DomainMetadata
};

}  // namespace hlocts
