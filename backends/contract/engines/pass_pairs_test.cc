// SPDX-License-Identifier: Apache-2.0
// The same bits with each pass and without it, on programs that use every kind of step. Add a case:
// a program to kPassPrograms.
#include <gtest/gtest.h>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "backends/backend_list.h"
#include "generators/arguments.h"
#include "spec/text/parser.h"

namespace hlocts::backends {
namespace {

std::unique_ptr<Backend> EngineWith(const std::string& options) {
  auto backend = MakeBackend("cpu?isolation=none" + options);
  EXPECT_TRUE(backend.ok()) << backend.status();
  return backend.ok() ? *std::move(backend) : nullptr;
}

// As the engine names them to who asks for another one.
std::vector<std::string> PassNames() {
  const absl::Status status = MakeBackend("cpu?isolation=none&disable=none-of-them").status();
  const std::vector<std::string> parts = absl::StrSplit(status.message(), "there are ");
  std::vector<std::string> names = absl::StrSplit(parts.back(), ", ");
  names.pop_back();  // "and all"
  EXPECT_GT(names.size(), 10u) << status;
  return names;
}

const char* const kPassPrograms[] = {
    "ENTRY e { p = f32[4,8] parameter(0) t = f32[8,4] transpose(p), dimensions={1,0}\n"
    " x = f32[8,4] exponential(t) r = f32[32] reshape(x) s = f32[16] slice(r), slice={[0:32:2]}\n"
    " n = f32[16] negate(s) v = f32[16] reverse(n), dimensions={0}\n"
    " ROOT o = (f32[16], f32[8,4]) tuple(v, x) }",
    "ENTRY e { p = f32[6] parameter(0) a = f32[6] add(p, p) b = f32[6] add(p, p)\n"
    " c = f32[6] multiply(a, b) d = f32[6] copy(c) z = f32[] constant(2)\n"
    " w = f32[6] broadcast(z), dimensions={} ROOT r = f32[6] divide(d, w) }",
    "add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }\n"
    "ENTRY e { p = f32[3,5] parameter(0) i = f32[3,5] iota(), iota_dimension=1\n"
    " s = f32[3,5] add(p, i) z = f32[] constant(0)\n"
    " ROOT r = f32[3] reduce(s, z), dimensions={1}, to_apply=add }",
    "c { s = (s32[], f32[4], f32[4]) parameter(0) i = s32[] get-tuple-element(s), index=0\n"
    " n = s32[] constant(7) ROOT l = pred[] compare(i, n), direction=LT }\n"
    "b { s = (s32[], f32[4], f32[4]) parameter(0) i = s32[] get-tuple-element(s), index=0\n"
    " x = f32[4] get-tuple-element(s), index=1 y = f32[4] get-tuple-element(s), index=2\n"
    " o = s32[] constant(1) j = s32[] add(i, o) t = f32[4] add(x, y)\n"
    " ROOT r = (s32[], f32[4], f32[4]) tuple(j, y, t) }\n"
    "ENTRY e { p = f32[4] parameter(0) z = s32[] constant(0)\n"
    " q = f32[4] negate(p) t = (s32[], f32[4], f32[4]) tuple(z, p, q)\n"
    " ROOT w = (s32[], f32[4], f32[4]) while(t), condition=c, body=b }",
    // Large enough to run row by row: softmax, its maxima a result as well.
    "max { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] maximum(a, b) }\n"
    "add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }\n"
    "ENTRY e { x = f32[300,100] parameter(0) least = f32[] constant(-inf) zero = f32[] "
    "constant(0)\n"
    " n = f32[300,100] negate(x) m = f32[300] reduce(n, least), dimensions={1}, to_apply=max\n"
    " b = f32[300,100] broadcast(m), dimensions={0} d = f32[300,100] subtract(n, b)\n"
    " e = f32[300,100] exponential(d) s = f32[300] reduce(e, zero), dimensions={1}, to_apply=add\n"
    " c = f32[300,100] broadcast(s), dimensions={0} q = f32[300,100] divide(e, c)\n"
    " t = f32[100,300] transpose(n), dimensions={1,0}\n"
    " ROOT o = (f32[300,100], f32[300], f32[100,300]) tuple(q, m, t) }",
    // Reads rows of others: may not be cut into rows.
    "add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }\n"
    "ENTRY e { x = f32[200,100] parameter(0) zero = f32[] constant(0)\n"
    " s = f32[200] reduce(x, zero), dimensions={1}, to_apply=add\n"
    " v = f32[200] reverse(s), dimensions={0} b = f32[200,100] broadcast(v), dimensions={0}\n"
    " ROOT q = f32[200,100] multiply(x, b) }",
    // Transposes of products: with a batch, of more dimensions, and some that exchange no sides.
    "ENTRY e { a = f32[5,3,20] parameter(0) b = f32[5,20,4] parameter(1)\n"
    " c = f32[20,2,3] parameter(2) d = f32[20,6] parameter(3)\n"
    " p = f32[5,3,4] dot(a, b), lhs_batch_dims={0}, rhs_batch_dims={0}, lhs_contracting_dims={2}, "
    "rhs_contracting_dims={1}\n"
    " t = f32[5,4,3] transpose(p), dimensions={0,2,1}\n"
    " q = f32[2,3,6] dot(c, d), lhs_contracting_dims={0}, rhs_contracting_dims={0}\n"
    " u = f32[6,2,3] transpose(q), dimensions={2,0,1}\n"
    " m = f32[2,3,6] dot(c, d), lhs_contracting_dims={0}, rhs_contracting_dims={0}\n"
    " n = f32[6,2,3] negate(u) v = f32[3,2,6] transpose(m), dimensions={1,0,2}\n"
    " ROOT o = (f32[5,4,3], f32[6,2,3], f32[3,2,6]) tuple(t, n, v) }",
    // Dots of transposes, one of which is wanted itself.
    "ENTRY e { x = f32[30,20] parameter(0) y = s32[4,9,7] parameter(1) w = s32[4,7,5] "
    "parameter(2)\n"
    " t = f32[20,30] transpose(x), dimensions={1,0}\n"
    " a = f32[30,30] dot(x, t), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
    " b = f32[20,20] dot(t, x), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
    " n = s32[4,9,7] negate(y) u = s32[7,4,9] transpose(n), dimensions={2,0,1}\n"
    " v = s32[5,7,4] transpose(w), dimensions={2,1,0}\n"
    " c = s32[4,9,5] dot(u, v), lhs_batch_dims={1}, rhs_batch_dims={2}, lhs_contracting_dims={0},"
    " rhs_contracting_dims={1}\n"
    " ROOT o = (f32[30,30], f32[20,20], s32[4,9,5], s32[7,4,9]) tuple(a, b, c, u) }",
    // Attention over two batch dimensions, masked; its maxima are a result as well.
    "max { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] maximum(a, b) }\n"
    "add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }\n"
    "ENTRY e { q = f32[2,3,9,5] parameter(0) k = f32[3,2,9,5] parameter(1)\n"
    " v = f32[2,3,9,4] parameter(2) least = f32[] constant(-inf) zero = f32[] constant(0)\n"
    " s = f32[2,3,9,9] dot(q, k), lhs_batch_dims={0,1}, rhs_batch_dims={1,0},"
    " lhs_contracting_dims={3}, rhs_contracting_dims={3}\n"
    " i = s32[2,3,9,9] iota(), iota_dimension=2 j = s32[2,3,9,9] iota(), iota_dimension=3\n"
    " p = pred[2,3,9,9] compare(i, j), direction=GE low = f32[] constant(-30)\n"
    " l = f32[2,3,9,9] broadcast(low), dimensions={} u = f32[2,3,9,9] select(p, s, l)\n"
    " m = f32[2,3,9] reduce(u, least), dimensions={3}, to_apply=max\n"
    " b = f32[2,3,9,9] broadcast(m), dimensions={0,1,2} d = f32[2,3,9,9] subtract(u, b)\n"
    " x = f32[2,3,9,9] exponential(d)\n"
    " y = f32[2,3,9] reduce(x, zero), dimensions={3}, to_apply=add\n"
    " w = f32[2,3,9,9] broadcast(y), dimensions={0,1,2} a = f32[2,3,9,9] divide(x, w)\n"
    " r = f32[2,3,9,4] dot(a, v), lhs_batch_dims={0,1}, rhs_batch_dims={0,1},"
    " lhs_contracting_dims={3}, rhs_contracting_dims={2}\n"
    " t = f32[2,3,9,4] tanh(r) ROOT o = (f32[2,3,9,4], f32[2,3,9]) tuple(t, m) }",
    // Products one of which reads other entries of the batch than its own, or their transposes.
    "ENTRY e { x = f32[6,4,6] parameter(0) y = f32[6,6,5] parameter(1)\n"
    " a = f32[6,4,5] dot(x, y), lhs_batch_dims={0}, rhs_batch_dims={0},"
    " lhs_contracting_dims={2}, rhs_contracting_dims={1}\n"
    " n = f32[6,4,5] negate(a) f = f32[6,4,5] reverse(n), dimensions={0}\n"
    " b = f32[6,4,4] dot(n, f), lhs_batch_dims={0}, rhs_batch_dims={0},"
    " lhs_contracting_dims={2}, rhs_contracting_dims={2}\n"
    " t = f32[4,6,4] transpose(b), dimensions={1,0,2}\n"
    " c = f32[4,6,6] dot(t, t), lhs_batch_dims={0}, rhs_batch_dims={0},"
    " lhs_contracting_dims={2}, rhs_contracting_dims={2}\n"
    " d = f32[6,4,6] dot(b, x), lhs_batch_dims={0}, rhs_batch_dims={0},"
    " lhs_contracting_dims={2}, rhs_contracting_dims={1}\n"
    " ROOT o = (f32[4,6,6], f32[6,4,6]) tuple(c, d) }",
    // One array meets every entry; complex numbers, and entries that are narrow.
    "ENTRY e { x = c64[4,3,2] parameter(0) y = c64[2,5] parameter(1) z = bf16[4,3,5] parameter(2)\n"
    " b = c64[4,2,5] broadcast(y), dimensions={1,2}\n"
    " a = c64[4,3,5] dot(x, b), lhs_batch_dims={0}, rhs_batch_dims={0},"
    " lhs_contracting_dims={2}, rhs_contracting_dims={1}\n"
    " r = f32[4,3,5] real(a) h = bf16[4,3,5] convert(r)\n"
    " ROOT c = bf16[4,3,3] dot(h, z), lhs_batch_dims={0}, rhs_batch_dims={0},"
    " lhs_contracting_dims={2}, rhs_contracting_dims={2} }",
    // Indices that a loop makes while they are used: of elements, of rows, of two entries; some are
    // wanted elsewhere too, some made from the array that the scatter works on.
    "add { a = s32[] parameter(0) b = s32[] parameter(1) ROOT r = s32[] add(a, b) }\n"
    "ENTRY e { n = s32[9000] parameter(0) x = s32[2000] parameter(1) y = f32[40,50] parameter(2)\n"
    " v = s32[300,2] parameter(3) c = s32[] constant(2047) m = s32[9000] broadcast(c), "
    "dimensions={}\n"
    " i = s32[9000] and(n, m)\n"
    " g = s32[9000] gather(x, i), offset_dims={}, collapsed_slice_dims={0}, start_index_map={0},"
    " index_vector_dim=1, slice_sizes={1}\n"
    " k = s32[9000] xor(i, m) s = s32[2000] scatter(x, k, n), update_window_dims={},"
    " inserted_window_dims={0}, scatter_dims_to_operand_dims={0}, index_vector_dim=1, "
    "to_apply=add\n"
    " d = s32[] constant(31) q = s32[300,2] broadcast(d), dimensions={} w = s32[300,2] and(v, q)\n"
    " h = f32[300,3] gather(y, w), offset_dims={1}, collapsed_slice_dims={0},"
    " start_index_map={1,0}, index_vector_dim=1, slice_sizes={1,3}\n"
    " one = s32[] constant(1999) f = s32[2000] broadcast(one), dimensions={} z = s32[2000] "
    "subtract(f, s) u = s32[2000] negate(s)\n"
    " t = s32[2000] scatter(s, z, u), update_window_dims={}, inserted_window_dims={0},"
    " scatter_dims_to_operand_dims={0}, index_vector_dim=1, to_apply=add\n"
    " ROOT o = (s32[9000], s32[2000], f32[300,3], s32[9000]) tuple(g, t, h, i) }",
    "ENTRY e { p = f32[8] parameter(0) u = f32[2] slice(p), slice={[3:5]} i = s32[] constant(6)\n"
    " m = f32[8] multiply(p, p) d = f32[8] dynamic-update-slice(m, u, i)\n"
    " ROOT r = (f32[8], f32[8]) tuple(d, m) }",
    // A loop of instructions of every kind: on one vector and on several, pairs, calls, repeated
    // scalars, slices, a step of its own and a leaf that nobody changes.
    "c { s = (s32[], f32[5], f32[40], f64[3], f32[5]) parameter(0)\n"
    " i = s32[] get-tuple-element(s), index=0 n = s32[] constant(9)\n"
    " ROOT l = pred[] compare(i, n), direction=LT }\n"
    "b { s = (s32[], f32[5], f32[40], f64[3], f32[5]) parameter(0)\n"
    " i = s32[] get-tuple-element(s), index=0 x = f32[5] get-tuple-element(s), index=1\n"
    " y = f32[40] get-tuple-element(s), index=2 z = f64[3] get-tuple-element(s), index=3\n"
    " k = f32[5] get-tuple-element(s), index=4 o = s32[] constant(1) j = s32[] add(i, o)\n"
    " f = f32[] convert(i) g = f32[5] broadcast(f), dimensions={} h = f32[5] maximum(g, x)\n"
    " a = f32[5] multiply(x, k) d = f32[5] subtract(g, a) e = f32[5] add(d, d)\n"
    " p = pred[5] compare(e, k), direction=GT q = f32[5] select(p, e, h)\n"
    " u = f32[5] tanh(q) v = f32[5] slice(y), slice={[3:8]} w = f32[5] minimum(u, v)\n"
    " r = f32[40] dynamic-update-slice(y, w, j) ab = f32[40] multiply(r, r)\n"
    " ac = f64[3] add(z, z) ad = f64[3] multiply(z, ac)\n"
    " ROOT t = (s32[], f32[5], f32[40], f64[3], f32[5]) tuple(j, w, ab, ad, k) }\n"
    "ENTRY e { x = f32[5] parameter(0) y = f32[40] parameter(1) z = f64[3] parameter(2)\n"
    " i = s32[] constant(0) t = (s32[], f32[5], f32[40], f64[3], f32[5]) tuple(i, x, y, z, x)\n"
    " ROOT w = (s32[], f32[5], f32[40], f64[3], f32[5]) while(t), condition=c, body=b }",
    // Slices of one element, at starts that go beyond both ends; an array of one element that is
    // written and read again; starts of another type; a leaf handed on that is read afterwards.
    "c { s = (s32[], f32[3,4], f32[1], c64[4], f32[3,4]) parameter(0)\n"
    " i = s32[] get-tuple-element(s), index=0 n = s32[] constant(7)\n"
    " ROOT l = pred[] compare(i, n), direction=LT }\n"
    "b { s = (s32[], f32[3,4], f32[1], c64[4], f32[3,4]) parameter(0)\n"
    " i = s32[] get-tuple-element(s), index=0 x = f32[3,4] get-tuple-element(s), index=1\n"
    " h = f32[1] get-tuple-element(s), index=2 v = c64[4] get-tuple-element(s), index=3\n"
    " k = f32[3,4] get-tuple-element(s), index=4 o = s32[] constant(1) j = s32[] add(i, o)\n"
    " e = f32[1,1] dynamic-slice(k, i, j), dynamic_slice_sizes={1,1} f = f32[1] reshape(e)\n"
    " g = f32[1] add(f, h) m = f32[1] multiply(g, f) q = f32[1] dynamic-update-slice(m, g, i)\n"
    " y = f32[1] add(q, m) r = f32[1,1] reshape(y) w = f32[3,4] dynamic-update-slice(x, r, j, i)\n"
    " a = c64[1] dynamic-slice(v, i), dynamic_slice_sizes={1} d = c64[1] add(a, a)\n"
    " p = s64[] convert(j) u = c64[4] dynamic-update-slice(v, d, p)\n"
    " ROOT t = (s32[], f32[3,4], f32[1], c64[4], f32[3,4]) tuple(j, w, y, u, k) }\n"
    "ENTRY e { x = f32[3,4] parameter(0) h = f32[1] parameter(1) v = c64[4] parameter(2)\n"
    " i = s32[] constant(-3) n = f32[3,4] negate(x)\n"
    " t = (s32[], f32[3,4], f32[1], c64[4], f32[3,4]) tuple(i, x, h, v, n)\n"
    " w = (s32[], f32[3,4], f32[1], c64[4], f32[3,4]) while(t), condition=c, body=b\n"
    " k = f32[3,4] get-tuple-element(w), index=4 y = f32[3,4] get-tuple-element(w), index=1\n"
    " a = f32[3,4] add(k, y) ROOT r = (f32[3,4], f32[3,4], f32[3,4], f32[3,4]) tuple(a, n, k, y) }",
    // Slices that may be read where they stand, by loops and by a step of another kind; one whose
    // array is written before it is read.
    "add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }\n"
    "c { s = (s32[], f32[4,300], f32[300], f32[4,300]) parameter(0)\n"
    " i = s32[] get-tuple-element(s), index=0 n = s32[] constant(6)\n"
    " ROOT l = pred[] compare(i, n), direction=LT }\n"
    "b { s = (s32[], f32[4,300], f32[300], f32[4,300]) parameter(0)\n"
    " i = s32[] get-tuple-element(s), index=0 x = f32[4,300] get-tuple-element(s), index=1\n"
    " h = f32[300] get-tuple-element(s), index=2 v = f32[4,300] get-tuple-element(s), index=3\n"
    " o = s32[] constant(1) j = s32[] add(i, o) z = s32[] constant(0) f = f32[] constant(0)\n"
    " e = f32[1,300] dynamic-slice(x, i, z), dynamic_slice_sizes={1,300} k = f32[300] reshape(e)\n"
    " m = f32[1,300] dynamic-slice(x, j, z), dynamic_slice_sizes={1,300}\n"
    " q = f32[] reduce(m, f), dimensions={0,1}, to_apply=add w = f32[300] broadcast(q), "
    "dimensions={}\n"
    " p = f32[300] slice(k), slice={[0:300]} g = f32[300] subtract(k, h) a = f32[300] add(g, w)\n"
    " y = f32[1,300] reshape(a) d = f32[1,300] dynamic-slice(v, i, z), "
    "dynamic_slice_sizes={1,300}\n"
    " u = f32[4,300] dynamic-update-slice(v, y, i, z) t = f32[300] reshape(d)\n"
    " ac = f32[1,300] dynamic-slice(u, i, z), dynamic_slice_sizes={1,300} ad = f32[300] "
    "reshape(ac)\n"
    " ab = f32[300] add(t, ad) af = f32[300] maximum(ab, p)\n"
    " ROOT r = (s32[], f32[4,300], f32[300], f32[4,300]) tuple(j, x, af, u) }\n"
    "ENTRY e { x = f32[4,300] parameter(0) h = f32[300] parameter(1) i = s32[] constant(-2)\n"
    " t = (s32[], f32[4,300], f32[300], f32[4,300]) tuple(i, x, h, x)\n"
    " ROOT w = (s32[], f32[4,300], f32[300], f32[4,300]) while(t), condition=c, body=b }",
    // Loops in a loop, and one that makes no step.
    "c { s = (s32[], f32[2]) parameter(0) i = s32[] get-tuple-element(s), index=0\n"
    " n = s32[] constant(3) ROOT l = pred[] compare(i, n), direction=NE }\n"
    "b { s = (s32[], f32[2]) parameter(0) i = s32[] get-tuple-element(s), index=0\n"
    " x = f32[2] get-tuple-element(s), index=1 o = s32[] constant(1) j = s32[] add(o, i)\n"
    " k = f32[2] constant({2, 3}) m = f32[2] multiply(k, x) a = f32[2] subtract(k, m)\n"
    " ROOT t = (s32[], f32[2]) tuple(j, a) }\n"
    "never { s = (s32[], f32[2]) parameter(0) ROOT l = pred[] constant(false) }\n"
    "body { s = (s32[], f32[2]) parameter(0) i = s32[] get-tuple-element(s), index=0\n"
    " x = f32[2] get-tuple-element(s), index=1 z = s32[] constant(0)\n"
    " t = (s32[], f32[2]) tuple(z, x) w = (s32[], f32[2]) while(t), condition=c, body=b\n"
    " v = (s32[], f32[2]) while(w), condition=never, body=b y = f32[2] get-tuple-element(v), "
    "index=1\n"
    " o = s32[] constant(1) j = s32[] add(i, o) ROOT r = (s32[], f32[2]) tuple(j, y) }\n"
    "ENTRY e { x = f32[2] parameter(0) z = s32[] constant(-4) t = (s32[], f32[2]) tuple(z, x)\n"
    " ROOT w = (s32[], f32[2]) while(t), condition=c, body=body }",
    // What depends on constants, what is repeated, what changes nothing.
    "ENTRY e { p = f32[4,300] parameter(0) i = s32[4,300] iota(), iota_dimension=1\n"
    " j = s32[4,300] iota(), iota_dimension=0 g = pred[4,300] compare(i, j), direction=GE\n"
    " c = f32[4] constant({1, 2, 3, 4}) d = f32[4,300] broadcast(c), dimensions={0}\n"
    " q = f32[4,300] exponential(d) f = f32[] constant(-4) h = f32[4,300] broadcast(f), "
    "dimensions={}\n"
    " x = f32[4,300] divide(p, h) y = f32[4,300] select(g, x, q) ROOT z = f32[4,300] subtract(y, "
    "x) }",
    "ENTRY e { p = f32[1,90] parameter(0) r = f32[90] reshape(p)\n"
    " w = f32[5,90] broadcast(r), dimensions={1} k = f32[5,90] cosine(w)\n"
    " v = f32[5,90] broadcast(r), dimensions={1} ROOT m = f32[5,90] multiply(k, v) }",
    // Sums of what a loop computes: all of it, columns, a dimension between others; in bf16.
    "add { a = f32[] parameter(0) b = f32[] parameter(1) ROOT r = f32[] add(a, b) }\n"
    "top { a = bf16[] parameter(0) b = bf16[] parameter(1) ROOT r = bf16[] maximum(a, b) }\n"
    "ENTRY e { p = f32[6,7,40] parameter(0) q = f32[6,7,40] parameter(1)\n"
    " a = f32[6,7,40] multiply(p, q) z = f32[] constant(1) b = f32[6,7,40] subtract(p, q)\n"
    " c = f32[6,7,40] add(p, q) s = f32[] reduce(a, z), dimensions={0,1,2}, to_apply=add\n"
    " t = f32[40] reduce(b, z), dimensions={0,1}, to_apply=add\n"
    " u = f32[6,40] reduce(c, z), dimensions={1}, to_apply=add\n"
    " d = bf16[6,7,40] convert(p) l = bf16[] constant(-inf)\n"
    " v = bf16[7,40] reduce(d, l), dimensions={0}, to_apply=top\n"
    " ROOT r = (f32[], f32[40], f32[6,40], bf16[7,40]) tuple(s, t, u, v) }",
    // Loops over products: alone, of what others want too, of one row, of one column, of a square,
    // of empty sums, through a conversion.
    "ENTRY e { p = f32[40,12] parameter(0) q = f32[12,70] parameter(1) v = f32[70] parameter(2)\n"
    " a = f32[40,70] dot(p, q), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
    " b = f32[40,70] broadcast(v), dimensions={1} c = f32[40,70] add(a, b)\n"
    " d = f32[40,40] dot(p, p), lhs_contracting_dims={1}, rhs_contracting_dims={1}\n"
    " e = f32[40,40] negate(d) f = f32[40,40] multiply(d, e)\n"
    " u = f32[70,70] parameter(3)\n"
    " g = f32[40,70] dot(c, u), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
    " h = bf16[40,70] convert(g)\n"
    " ROOT r = (f32[40,70], f32[40,40], bf16[40,70]) tuple(c, f, h) }",
    "ENTRY e { p = f32[1,33] parameter(0) q = f32[33,70] parameter(1) w = f32[33,1] parameter(2)\n"
    " a = f32[1,70] dot(p, q), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
    " b = f32[1,70] abs(a) c = f32[70,1] dot(q, w), lhs_contracting_dims={0}, "
    "rhs_contracting_dims={0}\n"
    " d = f32[70,1] negate(c) x = f32[3,0] parameter(3) y = f32[0,4] parameter(4)\n"
    " e = f32[3,4] dot(x, y), lhs_contracting_dims={1}, rhs_contracting_dims={0}\n"
    " f = f32[3,4] exponential(e) g = f32[70,70] dot(q, q), lhs_contracting_dims={0}, "
    "rhs_contracting_dims={0}\n"
    " h = f32[70,70] add(g, g) ROOT r = (f32[1,70], f32[70,1], f32[3,4], f32[70,70]) tuple(b, d, "
    "f, h) }",
    // Loops through slices and reversals, and over what is put together.
    "ENTRY e { p = f32[6,40] parameter(0) q = f32[6,40] parameter(1) a = f32[6,40] add(p, q)\n"
    " b = f32[6,40] exponential(a) s = f32[3,20] slice(b), slice={[1:6:2], [0:40:2]}\n"
    " t = f32[3,20] negate(s) u = f32[3,20] reverse(t), dimensions={1} ROOT w = f32[3,20] abs(u) }",
    "ENTRY e { p = f32[5,9] parameter(0) z = f32[] constant(7)\n"
    " a = f32[13,9] pad(p, z), padding=2_2_1x-1_1 b = f32[13,9] parameter(1)\n"
    " c = f32[13,9] multiply(a, b) d = f32[2,9] parameter(2) e = f32[13,11] parameter(3)\n"
    " f = f32[15,9] concatenate(c, d), dimensions={0} g = f32[15,9] negate(f)\n"
    " h = f32[13,20] concatenate(c, e), dimensions={1} i = f32[13,20] exponential(h)\n"
    " ROOT r = (f32[15,9], f32[13,20], f32[13,9]) tuple(g, i, a) }",
};

TEST(PassPairsTest, GiveTheSameBits) {
  std::vector<std::string> settings = {"&guard=true",
                                       "&guard=true&disable=rows",
                                       "&guard=true&threads=1",
                                       "&guard=true&disable=small-loops",
                                       "&disable=no-op-moves,cse,dce,fusion,in-place",
                                       "&disable=all"};
  for (const std::string& pass : PassNames()) settings.push_back("&disable=" + pass);
  for (const char* text : kPassPrograms) {
    const auto module = ParseModule(absl::StrCat("HloModule test\n", text));
    ASSERT_TRUE(module.ok()) << text << "\n" << module.status();
    ExecuteRequest request;
    request.arguments = {generators::GenerateArguments(ArgumentLeafShapes(**module), 7)};
    const RunOutcome expected = RunModule(*EngineWith(""), **module, {}, request);
    ASSERT_TRUE(expected.has_values()) << text << expected.error.Text();
    for (const std::string& setting : settings) {
      const RunOutcome actual = RunModule(*EngineWith(setting), **module, {}, request);
      ASSERT_TRUE(actual.has_values()) << setting << "\n" << actual.error.Text();
      for (size_t i = 0; i < expected.result.outputs[0].size(); ++i) {
        EXPECT_TRUE(actual.result.outputs[0][i].BitwiseEqual(expected.result.outputs[0][i]))
            << setting << "\n"
            << text;
      }
    }
  }
}

}  // namespace
}  // namespace hlocts::backends
