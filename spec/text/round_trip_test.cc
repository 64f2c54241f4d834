// SPDX-License-Identifier: Apache-2.0
// Texts must be printed as they were read. There is one row per attribute, header and form of the
// language. A row has a second text if XLA prints another form than the one it reads.
#include <string>

#include "gtest/gtest.h"
#include "spec/base/status_testing.h"
#include "spec/ir/module.h"
#include "spec/ir/opcode.h"
#include "spec/text/parser.h"
#include "spec/text/printer.h"

namespace hlocts {
namespace {

struct Line {
  const char* read;
  const char* printed;  // nullptr: same as `read`
};

// Returns a module around one instruction, with operands and computations that it can name.
std::string Around(const std::string& line) {
  return "HloModule m\n\n"
         "%add (x: f32[], y: f32[]) -> f32[] {\n"
         "  %x = f32[] parameter(0)\n"
         "  %y = f32[] parameter(1)\n"
         "  ROOT %z = f32[] add(%x, %y)\n"
         "}\n\n"
         "%le (u: f32[], v: f32[]) -> pred[] {\n"
         "  %u = f32[] parameter(0)\n"
         "  %v = f32[] parameter(1)\n"
         "  ROOT %w = pred[] compare(%u, %v), direction=LE\n"
         "}\n\n"
         "%keep (k: (f32[4])) -> (f32[4]) {\n"
         "  ROOT %k = (f32[4]{0}) parameter(0)\n"
         "}\n\n"
         "%stop (q: (f32[4])) -> pred[] {\n"
         "  %q = (f32[4]{0}) parameter(0)\n"
         "  ROOT %never = pred[] constant(false)\n"
         "}\n\n"
         "%neg (n: f32[4]) -> f32[4] {\n"
         "  %n = f32[4]{0} parameter(0)\n"
         "  ROOT %minus = f32[4]{0} negate(%n)\n"
         "}\n\n"
         "ENTRY %main (a: f32[4]) -> f32[4] {\n"
         "  %a = f32[4]{0} parameter(0)\n"
         "  %s = f32[] constant(0)\n"
         "  %i = s32[] constant(1)\n"
         "  %p = pred[] constant(true)\n"
         "  %m = f32[4,4]{1,0} broadcast(%a), dimensions={1}\n"
         "  %im = f32[1,6,6,2]{3,2,1,0} broadcast(%s), dimensions={}\n"
         "  %ke = f32[3,3,2,2]{3,2,1,0} broadcast(%s), dimensions={}\n"
         "  %ix = s32[2,1]{1,0} constant({ {0}, {1} })\n"
         "  %t = (f32[4]{0}) tuple(%a)\n"
         "  %tk = token[] after-all()\n"
         "  " +
         line +
         "\n"
         "  ROOT %r = f32[4]{0} copy(%a)\n"
         "}\n";
}

// Returns the printed line of instruction %o.
std::string PrintedLine(const std::string& text) {
  size_t begin = text.find("  %o = ");
  if (begin == std::string::npos) return "no %o in " + text;
  return text.substr(begin + 2, text.find('\n', begin) - begin - 2);
}

class InstructionTest : public testing::TestWithParam<Line> {};

TEST_P(InstructionTest, IsPrintedAsXlaPrintsIt) {
  HLOCTS_ASSERT_OK_AND_ASSIGN(auto module, ParseModule(Around(GetParam().read)));
  std::string printed = PrintModule(*module);
  EXPECT_EQ(PrintedLine(printed), GetParam().printed ? GetParam().printed : GetParam().read);
  auto again = ParseModule(printed);
  ASSERT_TRUE(again.ok()) << again.status() << "\n" << printed;
  EXPECT_EQ(PrintModule(**again), printed);
}

TEST_P(InstructionTest, SurvivesEveryWayOfPrinting) {
  HLOCTS_ASSERT_OK_AND_ASSIGN(auto module, ParseModule(Around(GetParam().read)));
  std::string printed = PrintModule(*module);
  PrintOptions operands;
  operands.operand_shapes = true;
  HLOCTS_ASSERT_OK_AND_ASSIGN(auto with_shapes, ParseModule(PrintModule(*module, operands)));
  EXPECT_EQ(PrintModule(*with_shapes), printed);
  PrintOptions bare;
  bare.percent = false;
  bare.program_shape = false;
  HLOCTS_ASSERT_OK_AND_ASSIGN(auto without, ParseModule(PrintModule(*module, bare)));
  EXPECT_EQ(PrintModule(*without), printed);
  auto canonical = ParseModule(PrintModule(*module, PrintOptions::Canonical()));
  EXPECT_TRUE(canonical.ok()) << canonical.status();
}

constexpr Line kCommonAttributes[] = {
    {"%o = f32[4]{0} negate(%a), sharding={replicated}"},
    {"%o = f32[4]{0} negate(%a), sharding={maximal device=3}"},
    {"%o = f32[4]{0} negate(%a), sharding={manual}"},
    {"%o = f32[4]{0} negate(%a), sharding={unknown}"},
    {"%o = f32[4]{0} negate(%a), sharding={unreduced}"},
    {"%o = f32[4]{0} negate(%a), sharding={devices=[4]0,2,1,3}"},
    {"%o = f32[4]{0} negate(%a), sharding={devices=[2,2]<=[4] last_tile_dim_replicate}"},
    {"%o = f32[4]{0} negate(%a), sharding={devices=[4,2]<=[2,4]T(1,0) last_tile_dims={manual}}"},
    {"%o = f32[4]{0} negate(%a), sharding={devices=[2,2,2]<=[8] last_tile_dims={manual, "
     "replicated}}"},
    {"%o = f32[4]{0} negate(%a), sharding={manual shard_as 5}"},
    {"%o = f32[4]{0} negate(%a), sharding={replicated shard_like 6}"},
    {"%o = f32[4]{0} negate(%a), sharding={replicated metadata={op_name=\"x\"}}"},
    {"%o = f32[4]{0} negate(%a), sharding={replicated metadata={{op_name=\"x\"}, "
     "{op_name=\"y\"}}}"},
    {"%o = (f32[4]{0}, f32[4]{0}) tuple(%a, %a), sharding={{replicated}, {maximal device=1}}"},
    {"%o = f32[4]{0} negate(%a), sharding={mesh['x'=2,'y'=2], [{'x'}]}"},
    {"%o = f32[4]{0} negate(%a), frontend_attributes={k=\"v\"}"},
    {"%o = f32[4]{0} negate(%a), frontend_attributes={b=\"q\\\"\", a={x=\"}\"}}",
     "%o = f32[4]{0} negate(%a), frontend_attributes={a={x=\"}\"},b=\"q\\\"\"}"},
    {"%o = f32[4]{0} negate(%a), control-predecessors={%s, %i}"},
    {"%o = f32[4]{0} negate(%a), statistics={visualizing_index=1,stat-1=33,stat-2=0.25}"},
    {"%o = f32[4]{0} exponential(%a), result_accuracy={mode=highest}"},
    {"%o = f32[4]{0} exponential(%a), result_accuracy={mode=default}",
     "%o = f32[4]{0} exponential(%a)"},
    {"%o = f32[4]{0} exponential(%a), result_accuracy={tolerance={ulps=2, atol=1.0, rtol=0.5}}",
     "%o = f32[4]{0} exponential(%a), result_accuracy={tolerance={atol=1,rtol=0.5,ulps=2}}"},
    {"%o = f32[4]{0} negate(%a), origin={{\"v1\" {0}}}"},
    {"%o = f32[4]{0} negate(%a), metadata={op_type=\"t\" op_name=\"n\" source_file=\"f.cc\" "
     "source_line=3 source_end_line=4 source_column=5 source_end_column=6 profile_type={1,2} "
     "deduplicated_name=\"d\" preserve_layout=true scheduling_name=\"s\" stack_frame_id=7}"},
    {"%o = f32[4]{0} negate(%a), backend_config=\"text\""},
    {"%o = f32[4]{0} negate(%a), backend_config={\"a\":{\"b\":\"}\"}}"},
    {"%o = f32[4]{0} negate(%a), backend_config=\"{\\\"a\\\": 1}\"",
     "%o = f32[4]{0} negate(%a), backend_config={\"a\": 1}"},
    {"%o = f32[4]{0} negate(%a), backend_config=\"{never closed\""},
    // Attributes are read in any order and printed in XLA's order.
    {"%o = f32[4]{0} negate(%a), backend_config=\"b\", metadata={op_name=\"n\"}, origin={{\"v\"}}, "
     "statistics={visualizing_index=0,s=1}, control-predecessors={%s}, "
     "frontend_attributes={k=\"v\"}, sharding={replicated}",
     "%o = f32[4]{0} negate(%a), sharding={replicated}, frontend_attributes={k=\"v\"}, "
     "control-predecessors={%s}, statistics={visualizing_index=0,s=1}, origin={{\"v\"}}, "
     "metadata={op_name=\"n\"}, backend_config=\"b\""},
};
INSTANTIATE_TEST_SUITE_P(Common, InstructionTest, testing::ValuesIn(kCommonAttributes));

constexpr Line kOperations[] = {
    {"%o = f32[4]{0} iota(), iota_dimension=0"},
    {"%o = pred[4]{0} compare(%a, %a), direction=LT"},
    {"%o = pred[4]{0} compare(%a, %a), direction=LT, type=FLOAT",
     "%o = pred[4]{0} compare(%a, %a), direction=LT"},
    {"%o = pred[4]{0} compare(%a, %a), direction=LT, type=TOTALORDER"},
    {"%o = pred[] compare(%i, %i), type=SIGNED, direction=NE",
     "%o = pred[] compare(%i, %i), direction=NE"},
    {"%o = f32[4]{0} reduce-precision(%a), exponent_bits=5, mantissa_bits=10"},
    {"%o = f32[2]{0} slice(%a), slice={[1:3]}"},
    {"%o = f32[2]{0} slice(%a), slice={[0:4:2]}"},
    {"%o = f32[2,4]{1,0} slice(%m), slice={[0:2:1], [0:4]}",
     "%o = f32[2,4]{1,0} slice(%m), slice={[0:2], [0:4]}"},
    {"%o = f32[7]{0} pad(%a, %s), padding=1_2"},
    {"%o = f32[10]{0} pad(%a, %s), padding=1_-1_2"},
    {"%o = f32[4,8]{1,0} pad(%m, %s), padding=0_0x1_3"},
    {"%o = f32[4,4]{0,1} transpose(%m), dimensions={1,0}"},
    {"%o = f32[4]{0} reverse(%a), dimensions={0}"},
    {"%o = f32[8]{0} concatenate(%a, %a), dimensions={0}"},
    {"%o = f32[24]{0} concatenate(%a, %a, %a, %a, %a, /*index=5*/%a), dimensions={0}"},
    {"%o = f32[2]{0} dynamic-slice(%a, %i), dynamic_slice_sizes={2}"},
    {"%o = s32[] get-dimension-size(%a), dimensions={0}"},
    {"%o = f32[<=4]{0} set-dimension-size(%a, %i), dimensions={0}"},
    {"%o = f32[4,4]{1,0} dot(%m, %m), lhs_contracting_dims={1}, rhs_contracting_dims={0}"},
    {"%o = f32[4,4]{1,0} dot(%m, %m), rhs_contracting_dims={1}, lhs_contracting_dims={1}, "
     "rhs_batch_dims={0}, lhs_batch_dims={0}, algorithm=dot_bf16_bf16_f32_x3, "
     "operand_precision={highest,default}",
     "%o = f32[4,4]{1,0} dot(%m, %m), lhs_batch_dims={0}, lhs_contracting_dims={1}, "
     "rhs_batch_dims={0}, rhs_contracting_dims={1}, operand_precision={highest,default}, "
     "algorithm=dot_bf16_bf16_f32_x3"},
    {"%o = f32[4,4]{1,0} dot(%a, %a), operand_precision={default,default}",
     "%o = f32[4,4]{1,0} dot(%a, %a), lhs_contracting_dims={}, rhs_contracting_dims={}"},
    {"%o = f32[1,4,4,2]{3,2,1,0} convolution(%im, %ke), window={size=3x3}, "
     "dim_labels=b01f_01io->b01f"},
    {"%o = f32[1,4,4,2]{3,2,1,0} convolution(%im, %ke), dim_labels=b01f_01io->b01f, "
     "window={rhs_reversal=0x1 pad=1_1x0_-1 size=3x3 rhs_dilate=1x2 stride=1x1 lhs_dilate=2x1}, "
     "batch_group_count=2, feature_group_count=1",
     "%o = f32[1,4,4,2]{3,2,1,0} convolution(%im, %ke), window={size=3x3 pad=1_1x0_-1 "
     "lhs_dilate=2x1 rhs_dilate=1x2 rhs_reversal=0x1}, dim_labels=b01f_01io->b01f, "
     "batch_group_count=2"},
    {"%o = f32[] reduce(%a, %s), dimensions={0}, to_apply=%add"},
    {"%o = f32[2]{0} reduce-window(%a, %s), window={size=2 stride=2}, to_apply=%add"},
    {"%o = f32[4]{0} select-and-scatter(%a, %a, %s), window={size=1}, select=%le, scatter=%add"},
    {"%o = f32[4]{0} map(%a, %a), to_apply=%add",
     "%o = f32[4]{0} map(%a, %a), dimensions={0}, to_apply=%add"},
    {"%o = f32[4]{0} sort(%a), dimensions={0}, is_stable=true, to_apply=%le"},
    {"%o = f32[4]{0} sort(%a), dimensions={0}, is_stable=false, to_apply=%le",
     "%o = f32[4]{0} sort(%a), dimensions={0}, to_apply=%le"},
    {"%o = (f32[2]{0}, s32[2]{0}) topk(%a), k=2",
     "%o = (f32[2]{0}, s32[2]{0}) topk(%a), k=2, largest=true"},
    {"%o = (f32[2]{0}, s32[2]{0}) topk(%a), k=2, largest=false"},
    {"%o = f32[2,4]{1,0} gather(%m, %ix), offset_dims={1}, collapsed_slice_dims={0}, "
     "start_index_map={0}, index_vector_dim=1, slice_sizes={1,4}, indices_are_sorted=true"},
    {"%o = f32[2]{0} gather(%m, %ix), offset_dims={}, collapsed_slice_dims={1}, "
     "start_index_map={1}, operand_batching_dims={0}, start_indices_batching_dims={0}, "
     "index_vector_dim=1, slice_sizes={1,1}"},
    {"%o = f32[4,4]{1,0} scatter(%m, %ix, %m), update_window_dims={1}, inserted_window_dims={0}, "
     "scatter_dims_to_operand_dims={0}, index_vector_dim=1, indices_are_sorted=true, "
     "unique_indices=true, to_apply=%add"},
    {"%o = f32[4,4]{1,0} cholesky(%m), lower=true"},
    {"%o = f32[4,4]{1,0} cholesky(%m), lower=false", "%o = f32[4,4]{1,0} cholesky(%m)"},
    {"%o = f32[4,4]{1,0} triangular-solve(%m, %m), left_side=true, lower=true, "
     "unit_diagonal=true, transpose_a=ADJOINT"},
    {"%o = c64[3]{0} fft(%a), fft_type=RFFT, fft_length={4}"},
    {"%o = f32[4]{0} rng(%s, %s), distribution=rng_uniform"},
    {"%o = f32[] get-tuple-element(%t), index=0"},
    {"%o = f32[4]{0} call(%a), to_apply=%neg"},
    {"%o = f32[4]{0} call(%a), is_composite=true, frontend_attributes={composite.name=\"q\"}, "
     "to_apply=%neg",
     "%o = f32[4]{0} call(%a), to_apply=%neg, is_composite=true, "
     "frontend_attributes={composite.name=\"q\"}"},
    {"%o = (f32[4]{0}) while(%t), condition=%stop, body=%keep"},
    {"%o = (f32[4]{0}) conditional(%p, %t, %t), true_computation=%keep, "
     "false_computation=%keep"},
    {"%o = (f32[4]{0}) conditional(%p, %t, %t), branch_computations={%keep, %keep}",
     "%o = (f32[4]{0}) conditional(%p, %t, %t), true_computation=%keep, "
     "false_computation=%keep"},
    {"%o = (f32[4]{0}) conditional(%i, %t, %t), branch_computations={%keep, %keep}"},
    {"%o = f32[4]{0} fusion(%a), kind=kLoop, output_to_operand_aliasing={{}: (0, {})}, "
     "calls=%neg"},
    {"%o = f32[4]{0} custom-call(%a, %a), window={size=2x2}, dim_labels=b01f_01io->b01f, "
     "feature_group_count=2, batch_group_count=3, operand_precision={high,default}, "
     "custom_call_target=\"f\\\"oo\", operand_layout_constraints={f32[4]{0}, f32[4]{0}}, "
     "custom_call_has_side_effect=true, literal=s32[2]{0} {1, 2}, "
     "output_to_operand_aliasing={{}: (0, {}), {1}: (1, {0})}, schedule=SCHEDULE_LATEST, "
     "api_version=API_VERSION_STATUS_RETURNING, called_computations={%neg, %add}"},
    {"%o = f32[4]{0} custom-call(%a), custom_call_target=\"f\", to_apply=%neg",
     "%o = f32[4]{0} custom-call(%a), custom_call_target=\"f\", called_computations={%neg}"},
    {"%o = f32[4]{0} domain(%a), domain={kind=\"sharding\", entry={maximal device=0}, exit={}}"},
    {"%o = f32[4]{0} all-reduce(%a), to_apply=%add",
     "%o = f32[4]{0} all-reduce(%a), replica_groups={}, to_apply=%add"},
    {"%o = f32[4]{0} all-reduce(%a), channel_id=1, replica_groups={{0,1},{2,3}}, "
     "constrain_layout=true, use_global_device_ids=true, to_apply=%add"},
    {"%o = f32[4]{0} all-reduce(%a), replica_groups=[2,4]<=[4,2]T(1,0), to_apply=%add"},
    {"%o = f32[4]{0} all-reduce(%a), replica_groups=mesh['x'=2,'y'=4] {'x'}, to_apply=%add"},
    {"%o = f32[8]{0} all-gather(%a), dimensions={0}, replica_groups={{0, 1}}",
     "%o = f32[8]{0} all-gather(%a), replica_groups={{0,1}}, dimensions={0}"},
    {"%o = f32[4]{0} all-to-all(%a), replica_groups={{0,1}}, dimensions={0}"},
    {"%o = f32[2]{0} reduce-scatter(%a), replica_groups={{0,1}}, dimensions={0}, to_apply=%add"},
    {"%o = f32[4]{0} collective-permute(%a), channel_id=2, source_target_pairs={{0,1},{1,0}}"},
    {"%o = f32[4]{0} collective-broadcast(%a), replica_groups={{0,1}}"},
    {"%o = (f32[4]{0}, u32[], token[]) send(%a, %tk), channel_id=3, is_host_transfer=true"},
    {"%o = token[] outfeed(%a, %tk), outfeed_config=\"c\"",
     "%o = token[] outfeed(%a, %tk), outfeed_shape=f32[4]{0}, outfeed_config=\"c\""},
    {"%o = ((f32[4]{0}), token[]) infeed(%tk), infeed_config=\"c\""},
    {"%o = (f32[4]{0}, f32[4]{0}, u32[]) copy-start(%a), cross_program_prefetch_index=0"},
    {"%o = u64[2]{0} rng-get-and-update-state(), delta=4"},
};
INSTANTIATE_TEST_SUITE_P(Operations, InstructionTest, testing::ValuesIn(kOperations));

constexpr Line kForms[] = {
    // Names, comments, shapes before operands, and omitted shapes that can be inferred.
    {"o = f32[4] add(f32[4] a, /* why */ f32[4]{0} %a) // rest", "%o = f32[4]{0} add(%a, %a)"},
    {"%o = add(%a, %a)", "%o = f32[4]{0} add(%a, %a)"},
    {"%o = after-all(%tk)", "%o = token[] after-all(%tk)"},
    {"%o = f32[4] add(%a, f32[4] negate(%a), )", "%o = f32[4]{0} add(%a, %negate.anon)"},
    {"%o = f32[4] reduce-window(%a, %s), window={size=1}, to_apply={ l = f32[] parameter(0) "
     "m = f32[] parameter(1) ROOT n = f32[] maximum(l, m) }",
     "%o = f32[4]{0} reduce-window(%a, %s), window={size=1}, to_apply=%_"},
    {"%o = f32[?,<=3,2]{2,1,0} custom-call(), custom_call_target=\"c\""},
    {"%o = f32[2,3]{0,1:T(8,128)(2,1)L(4)#(u32)*(u8)E(16)S(1)SC(0:1,2)M(8)} custom-call(), "
     "custom_call_target=\"c\""},
    {"%o = f32[2,3]{1,0:D(D,C)} custom-call(), custom_call_target=\"c\""},
    {"%o = f32[]{:T(256)} custom-call(), custom_call_target=\"c\""},
    {"%o = ((f32[4]), f32[4], s32[]) custom-call-start(%a), async_execution_thread=\"t\", "
     "custom_call_target=\"c\", backend_config=\"b\"",
     "%o = ((f32[4]{0}), f32[4]{0}, s32[]) custom-call-start(%a), "
     "async_execution_thread=\"t\", custom_call_target=\"c\", backend_config=\"b\""},
    {"%o = ((f32[4]), f32[4], s32[]) async-start(%a), calls=%neg",
     "%o = ((f32[4]{0}), f32[4]{0}, s32[]) negate-start(%a)"},
};
INSTANTIATE_TEST_SUITE_P(Forms, InstructionTest, testing::ValuesIn(kForms));

struct Whole {
  const char* name;
  const char* read;
  const char* printed;
};

class ModuleTest : public testing::TestWithParam<Whole> {};

TEST_P(ModuleTest, IsPrintedAsXlaPrintsIt) {
  HLOCTS_ASSERT_OK_AND_ASSIGN(auto module, ParseModule(GetParam().read));
  EXPECT_EQ(PrintModule(*module), GetParam().printed);
  HLOCTS_ASSERT_OK_AND_ASSIGN(auto again, ParseModule(GetParam().printed));
  EXPECT_EQ(PrintModule(*again), GetParam().printed);
}

constexpr Whole kWholes[] = {
    {"header",
     "HloModule h, num_partitions=2, replica_count=4, is_scheduled=true,"
     " input_output_alias={ {0}: (0, {}), {1}: (1, {0,1}, must-alias) },"
     " buffer_donor={ (1, {}), (0, {2}) }, alias_passthrough_params=true,"
     " allow_spmd_sharding_propagation_to_output={true},"
     " allow_spmd_sharding_propagation_to_parameters={false},"
     " frontend_attributes={b=\"1\",a=\"2\"}, "
     "entry_computation_layout={(f32[2,3]{0,1})->f32[2,3]}\n"
     "ENTRY e { ROOT p = f32[2,3] parameter(0) }",
     "HloModule h, is_scheduled=true, input_output_alias={ {0}: (0, {}, may-alias), {1}: (1, "
     "{0,1}, must-alias) }, buffer_donor={ (1, {}), (0, {2}) }, alias_passthrough_params=true, "
     "entry_computation_layout={(f32[2,3]{0,1})->f32[2,3]{1,0}}, "
     "allow_spmd_sharding_propagation_to_output={true}, "
     "allow_spmd_sharding_propagation_to_parameters={false}, replica_count=4, num_partitions=2, "
     "frontend_attributes={a=\"2\",b=\"1\"}\n\n"
     "ENTRY %e (p: f32[2,3]) -> f32[2,3] {\n"
     "  ROOT %p = f32[2,3]{1,0} parameter(0)\n"
     "}\n"},
    {"stack_frames",
     "HloModule s\nFileNames\n1 \"a.py\"\n2 \"b.py\"\n\nFunctionNames\n1 \"f\"\n\nFileLocations\n"
     "1 {file_name_id=2 function_name_id=1 line=3 end_line=4 column=5 end_column=6}\n\n"
     "StackFrames\n1 {file_location_id=1 parent_frame_id=1}\n"
     "ENTRY e { ROOT p = f32[] parameter(0), metadata={stack_frame_id=1} }",
     "HloModule s, entry_computation_layout={(f32[])->f32[]}\n\n"
     "FileNames\n1 \"a.py\"\n2 \"b.py\"\n\nFunctionNames\n1 \"f\"\n\nFileLocations\n"
     "1 {file_name_id=2 function_name_id=1 line=3 end_line=4 column=5 end_column=6}\n\n"
     "StackFrames\n1 {file_location_id=1 parent_frame_id=1}\n\n\n"
     "ENTRY %e (p: f32[]) -> f32[] {\n"
     "  ROOT %p = f32[] parameter(0), metadata={stack_frame_id=1}\n"
     "}\n"},
    {"forward_reference_is_printed_callee_first",
     "HloModule f\nENTRY e { p = f32[] parameter(0)\n ROOT c = f32[] call(p), to_apply=g }\n"
     "g { ROOT q = f32[] parameter(0) }, execution_thread=\"t\"",
     "HloModule f, entry_computation_layout={(f32[])->f32[]}\n\n"
     "%g (q: f32[]) -> f32[] {\n  ROOT %q = f32[] parameter(0)\n}, execution_thread=\"t\"\n\n"
     "ENTRY %e (p: f32[]) -> f32[] {\n  %p = f32[] parameter(0)\n"
     "  ROOT %c = f32[] call(%p), to_apply=%g\n}\n"},
    {"last_computation_is_the_entry_and_last_instruction_the_root",
     "HloModule l:\na { x = s32[] constant(1) }\nb { y = s32[] constant(2)\n z = s32[] negate(y) }",
     "HloModule l, entry_computation_layout={()->s32[]}\n\n"
     "%a () -> s32[] {\n  ROOT %x = s32[] constant(1)\n}\n\n"
     "ENTRY %b () -> s32[] {\n  %y = s32[] constant(2)\n  ROOT %z = s32[] negate(%y)\n}\n"},
    {"computation_alone", "e { ROOT p = f32[] parameter(0) }",
     "HloModule module_e, entry_computation_layout={(f32[])->f32[]}\n\n"
     "ENTRY %e (p: f32[]) -> f32[] {\n  ROOT %p = f32[] parameter(0)\n}\n"},
    {"entry_alone", "ENTRY %e { ROOT p = f32[] parameter(0) }",
     "HloModule module_e, entry_computation_layout={(f32[])->f32[]}\n\n"
     "ENTRY %e (p: f32[]) -> f32[] {\n  ROOT %p = f32[] parameter(0)\n}\n"},
    {"instruction_alone", "%add = f32[2] add(f32[2] %x, f32[2] %y)",
     "HloModule _, is_scheduled=true, entry_computation_layout={(f32[2]{0}, f32[2]{0})->f32[2]{0}}"
     "\n\nENTRY %_ (x: f32[2], y: f32[2]) -> f32[2] {\n  %x = f32[2]{0} parameter(0)\n"
     "  %y = f32[2]{0} parameter(1)\n  ROOT %add = f32[2]{0} add(%x, %y)\n}\n"},
    {"async_chain",
     "HloModule a\nENTRY e { p = f32[2] parameter(0)\n"
     " s = ((f32[2]), f32[2], u32[]) negate-start(p)\n u = ((f32[2]), f32[2], u32[]) "
     "negate-update(s)\n ROOT d = f32[2] negate-done(u) }",
     "HloModule a, entry_computation_layout={(f32[2]{0})->f32[2]{0}}\n\n"
     "ENTRY %e (p: f32[2]) -> f32[2] {\n  %p = f32[2]{0} parameter(0)\n"
     "  %s = ((f32[2]{0}), f32[2]{0}, u32[]) negate-start(%p)\n"
     "  %u = ((f32[2]{0}), f32[2]{0}, u32[]) negate-update(%s)\n"
     "  ROOT %d = f32[2]{0} negate-done(%u)\n}\n"},
    {"names_that_the_parser_makes_up_give_way",
     "HloModule n\nENTRY e { p = f32[2] parameter(0)\n"
     " s = ((f32[2]), f32[2], u32[]) negate-start(p)\n ROOT d = f32[2] negate-done(s) }\n"
     "async_wrapped { ROOT q = f32[] parameter(0) }",
     "HloModule n, entry_computation_layout={(f32[2]{0})->f32[2]{0}}\n\n"
     "ENTRY %e (p: f32[2]) -> f32[2] {\n  %p = f32[2]{0} parameter(0)\n"
     "  %s = ((f32[2]{0}), f32[2]{0}, u32[]) negate-start(%p)\n"
     "  ROOT %d = f32[2]{0} negate-done(%s)\n}\n\n"
     "%async_wrapped (q: f32[]) -> f32[] {\n  ROOT %q = f32[] parameter(0)\n}\n"},
};
INSTANTIATE_TEST_SUITE_P(Wholes, ModuleTest, testing::ValuesIn(kWholes),
                         [](const auto& info) { return std::string(info.param.name); });

TEST(PrinterTest, ShortAndCanonicalLeaveOutWhatXlaLeavesOut) {
  HLOCTS_ASSERT_OK_AND_ASSIGN(
      auto module,
      ParseModule(Around(
          "%o = f32[] reduce(%a, %s), dimensions={0}, to_apply=%add, control-predecessors={%i}, "
          "metadata={op_name=\"n\"}, backend_config=\"b\"")));
  std::string brief = PrintModule(*module, PrintOptions::Short());
  EXPECT_NE(brief.find("\n  o = f32[] reduce(a, s), dimensions={0}, to_apply=add, "
                       "backend_config=\"b\"\n"),
            std::string::npos)
      << brief;
  EXPECT_NE(brief.find("\nadd {\n"), std::string::npos) << brief;
  std::string canonical = PrintModule(*module, PrintOptions::Canonical());
  EXPECT_NE(canonical.find("  tmp_10 = f32[] reduce(f32[4]{0} tmp_0, f32[] tmp_1), "
                           "dimensions={0}, to_apply=\n"
                           "  {\n"
                           "    tmp_0 = f32[] parameter(0)\n"
                           "    tmp_1 = f32[] parameter(1)\n"
                           "    ROOT tmp_2 = f32[] add(f32[] tmp_0, f32[] tmp_1)\n"
                           "  }\n"),
            std::string::npos)
      << canonical;
}

TEST(PrinterTest, LargeConstantsCanBeElided) {
  HLOCTS_ASSERT_OK_AND_ASSIGN(
      auto module, ParseModule(Around("%o = s32[11] constant({0,1,2,3,4,5,6,7,8,9,10})")));
  PrintOptions options;
  options.large_constants = false;
  EXPECT_EQ(PrintedLine(PrintModule(*module, options)), "%o = s32[11]{0} constant({...})");
}

TEST(ParserTest, IotaReplicaGroupsAreExpanded) {
  HLOCTS_ASSERT_OK_AND_ASSIGN(auto groups, ParseReplicaGroups("[2,4]<=[4,2]T(1,0)"));
  EXPECT_EQ(groups.groups, (std::vector<std::vector<int64_t>>{{0, 2, 4, 6}, {1, 3, 5, 7}}));
  EXPECT_EQ(PrintReplicaGroups(groups), "[2,4]<=[4,2]T(1,0)");
}

TEST(ParserTest, MeshReplicaGroupsAreExpanded) {
  HLOCTS_ASSERT_OK_AND_ASSIGN(auto groups, ParseReplicaGroups("mesh['x'=2,'y'=3] {'x'}"));
  EXPECT_EQ(groups.groups, (std::vector<std::vector<int64_t>>{{0, 3}, {1, 4}, {2, 5}}));
  HLOCTS_ASSERT_OK_AND_ASSIGN(auto both, ParseReplicaGroups("mesh['x'=2,'y'=2] {'y','x'}"));
  EXPECT_EQ(both.groups, (std::vector<std::vector<int64_t>>{{0, 2, 1, 3}}));
}

// XLA reads none of u4, bf16, inf, manual and unknown as a name, unless "%" precedes it.
TEST(PrinterTest, AReservedWordIsNotPrintedAsAName) {
  const std::string text =
      "HloModule u4\n\n%bf16 (x: f32[]) -> f32[] {\n  ROOT %x = f32[] parameter(0)\n}\n\n"
      "ENTRY %unknown (inf: f32[], inf_: f32[]) -> f32[] {\n  %inf = f32[] parameter(0)\n"
      "  %inf_ = f32[] parameter(1)\n  %tuple = f32[] add(%inf, %inf_)\n"
      "  ROOT %manual = f32[] call(%tuple), to_apply=%bf16\n}\n";
  HLOCTS_ASSERT_OK_AND_ASSIGN(auto module, ParseModule(text));
  const std::string printed = PrintModule(*module, PrintOptions::Short());
  EXPECT_EQ(printed.substr(printed.find("\n\n")),
            "\n\nbf16_ {\n  ROOT x = f32[] parameter(0)\n}\n\nENTRY unknown_ {\n"
            "  inf__ = f32[] parameter(0)\n  inf_ = f32[] parameter(1)\n"
            "  tuple = f32[] add(inf__, inf_)\n"
            "  ROOT manual_ = f32[] call(tuple), to_apply=bf16_\n}\n");
  HLOCTS_ASSERT_OK_AND_ASSIGN(auto again, ParseModule(printed));
  EXPECT_EQ(PrintModule(*again, PrintOptions::Short()), printed);
  PrintOptions bare;
  bare.percent = false;
  EXPECT_NE(PrintModule(*module, bare).find("ENTRY unknown_ (inf__: f32[], inf_: f32[])"),
            std::string::npos);
  const std::string whole = PrintModule(*module);
  EXPECT_TRUE(whole.starts_with("HloModule u4_, ")) << whole;
  EXPECT_EQ(whole.substr(whole.find("\n\n")), text.substr(text.find("\n\n")));
}

TEST(ParserTest, ATypeIsNoName) {
  for (const char* name : {"f32", "s1", "u4", "pred", "token", "f8e4m3fn"}) {
    auto module = ParseModule(
        absl::StrCat("HloModule m\nENTRY main {\n  ROOT %", name, " = f32[] parameter(0)\n}\n"));
    EXPECT_TRUE(absl::IsInvalidArgument(module.status())) << name;
  }
  EXPECT_TRUE(ParseModule("HloModule m\nENTRY s1 {\n  ROOT tuple = () tuple()\n}\n").ok());
}

TEST(ParserTest, ConvolutionDimensionNumbersNameEachDimension) {
  HLOCTS_ASSERT_OK_AND_ASSIGN(auto numbers, ParseConvolutionDimensionNumbers("f0b1_1o0i->b10f"));
  EXPECT_EQ(numbers.input_batch, 2);
  EXPECT_EQ(numbers.input_feature, 0);
  EXPECT_EQ(numbers.input_spatial, (std::vector<int64_t>{1, 3}));
  EXPECT_EQ(numbers.kernel_output_feature, 1);
  EXPECT_EQ(numbers.kernel_spatial, (std::vector<int64_t>{2, 0}));
  EXPECT_EQ(numbers.output_spatial, (std::vector<int64_t>{2, 1}));
  EXPECT_EQ(PrintConvolutionDimensionNumbers(numbers), "f0b1_1o0i->b10f");
  EXPECT_EQ(PrintConvolutionDimensionNumbers(*ParseConvolutionDimensionNumbers("b?f_io?->bf")),
            "b?f_io->bf");
}

TEST(ParserTest, AsyncStartHoldsTheOperationInAComputation) {
  HLOCTS_ASSERT_OK_AND_ASSIGN(
      auto module,
      ParseModule(
          "HloModule a\nENTRY e { p = f32[2] parameter(0)\n"
          " s = ((f32[2]), f32[2], u32[]) custom-call-start(p), async_execution_thread=\"t\", "
          "custom_call_target=\"c\", backend_config=\"b\"\n ROOT d = f32[2] custom-call-done(s) "
          "}"));
  const Instruction& start = *module->entry()->instructions()[1];
  EXPECT_EQ(start.opcode(), Opcode::kAsyncStart);
  EXPECT_TRUE(start.Has(Attr::kBackendConfig));
  const Computation* wrapped = start.CalledComputation(Attr::kCalls);
  ASSERT_NE(wrapped, nullptr);
  EXPECT_EQ(wrapped->execution_thread, "t");
  EXPECT_EQ(wrapped->root()->opcode(), Opcode::kCustomCall);
  EXPECT_EQ(*wrapped->root()->Get<std::string>(Attr::kCustomCallTarget), "c");
  EXPECT_FALSE(wrapped->root()->Has(Attr::kBackendConfig));
}

}  // namespace
}  // namespace hlocts
