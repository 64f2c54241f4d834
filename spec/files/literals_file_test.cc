// SPDX-License-Identifier: Apache-2.0
#include "spec/files/literals_file.h"

#include <unistd.h>

#include <filesystem>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "spec/base/status_testing.h"
#include "spec/files/file_io.h"
#include "spec/files/npz.h"
#include "spec/files/zip.h"

namespace hlocts {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
using T = PrimitiveType;

Shape Dynamic(Shape shape, int64_t dimension) {
  shape.set_dynamic_dimension(dimension, true);
  return shape;
}

// A leaf as written in a file, and as printed.
struct LeafCase {
  const char* text;
  const char* printed;
};

class LeafTest : public ::testing::TestWithParam<LeafCase> {};

TEST_P(LeafTest, ReadsAndPrints) {
  HLOCTS_ASSERT_OK_AND_ASSIGN(Literal leaf, ParseLeaf(GetParam().text));
  std::string printed = FormatLeaf(leaf);
  EXPECT_EQ(printed, GetParam().printed);
  HLOCTS_ASSERT_OK_AND_ASSIGN(Literal again, ParseLeaf(printed));
  EXPECT_TRUE(again.BitwiseEqual(leaf));
}

INSTANTIATE_TEST_SUITE_P(
    Leaves, LeafTest,
    ::testing::Values(
        LeafCase{"f32[2,2]{1,0} { {1, 2.5}, {-inf, nan} }",
                 "f32[2,2]{1,0} { {1, 2.5}, {-inf, nan} }"},
        LeafCase{"f32[2,2] {{1,2.5},{-inf,nan}}", "f32[2,2]{1,0} { {1, 2.5}, {-inf, nan} }"},
        // A layout never changes a value.
        LeafCase{"f32[2,2]{0,1:T(8,128)} { {1, 2}, {3, 4} }", "f32[2,2]{1,0} { {1, 2}, {3, 4} }"},
        LeafCase{"f32[] 1.5", "f32[] 1.5"}, LeafCase{"f32[]{} -0", "f32[] -0"},
        LeafCase{"f32[]{:T(256)} 1e3", "f32[] 1000"},
        LeafCase{"f32[]\tnan(0x400001)", "f32[] nan(0x400001)"},
        LeafCase{"s32[3]{0} {1, -2, 3}", "s32[3]{0} {1, -2, 3}"},
        LeafCase{"u64[1] {18446744073709551615}", "u64[1]{0} {18446744073709551615}"},
        LeafCase{"pred[4] {true, false, 1, 0}", "pred[4]{0} {true, false, true, false}"},
        LeafCase{"s4[3] {-8, 7, 0}", "s4[3]{0} {-8, 7, 0}"},
        LeafCase{"c64[2] {(1, 2), (nan(0x1), -inf)}", "c64[2]{0} {(1, 2), (nan(0x1), -inf)}"},
        LeafCase{"c128[] (1e300, -0)", "c128[] (1e+300, -0)"},
        LeafCase{"c64[](1, 2)", "c64[] (1, 2)"},
        LeafCase{"bf16[2] {1.1, 3.39e+38}", "bf16[2]{0} {1.1, 3.39e+38}"},
        LeafCase{"f8e4m3fn[2] {448, -nan}", "f8e4m3fn[2]{0} {450, -nan}"},
        LeafCase{"f4e2m1fn[3] {0.5, 6, -0}", "f4e2m1fn[3]{0} {0.5, 6, -0}"},
        LeafCase{"f32[2,0]{1,0} { {}, {} }", "f32[2,0]{1,0} { {}, {} }"},
        LeafCase{"f32[2,0] {}", "f32[2,0]{1,0} { {}, {} }"},
        LeafCase{"f32[0,2] {}", "f32[0,2]{1,0} {}"}, LeafCase{"f32[0] { }", "f32[0]{0} {}"},
        LeafCase{"f32[1,2,1] {{{1},{2}}}", "f32[1,2,1]{2,1,0} { { {1}, {2} } }"},
        LeafCase{"s32[<=4](3) {1, 2, 3}", "s32[<=4](3) {1, 2, 3}"},
        LeafCase{"s32[<=4]{0}(0) {}", "s32[<=4](0) {}"},
        LeafCase{"s32[<=4](3){0} {1, 2, 3}", "s32[<=4](3) {1, 2, 3}"},
        LeafCase{"s32[<=2] {1, 2}", "s32[<=2](2) {1, 2}"},
        LeafCase{"s32[2,<=3](2,1) {{1}, {2}}", "s32[2,<=3](2,1) { {1}, {2} }"},
        LeafCase{"token[]", "token[]"}));

TEST(LeafTest, DynamicElementsStandAtTheirPlaceInTheBounds) {
  Literal leaf = *ParseLeaf("s32[2,<=3](2,2) {{1, 2}, {3, 4}}");
  EXPECT_THAT(leaf.data<int32_t>(), ::testing::ElementsAre(1, 2, 0, 3, 4, 0));
  EXPECT_EQ(leaf.runtime_size(1), 2);
}

TEST(LeafTest, TakesTheExpectedShape) {
  Shape expected = Shape(T::kF32, {2}).WithDefaultLayout();
  EXPECT_TRUE(ParseLeaf("f32[2] {1, 2}", &expected)->shape().layout().has_value());
  Shape bounded = Dynamic(Shape(T::kS32, {4}), 0);
  Literal cut = *ParseLeaf("s32[3] {1, 2, 3}", &bounded);
  EXPECT_EQ(cut.shape(), bounded);
  EXPECT_EQ(cut.runtime_size(0), 3);
}

TEST(LeafTest, NestingIsBounded) {
  std::string deep = "f32[1";
  for (int i = 0; i < 100000; ++i) deep += ",1";
  EXPECT_FALSE(ParseLeaf(deep + "] " + std::string(100001, '{')).ok());
}

TEST(LiteralsTextTest, CommentsAndBlocks) {
  HLOCTS_ASSERT_OK_AND_ASSIGN(
      LiteralsFile file,
      ParseLiterals(
          "# arguments\n\nreplica 0\nf32[] 1  # first\r\ns32[] 2\nreplica 1 partition 2\nf32[] 3\n"
          "s32[] 4\n",
          ExpectedLeaves{Shape::Scalar(T::kF32), Shape::Scalar(T::kS32)}));
  ASSERT_EQ(file.blocks.size(), 2u);
  EXPECT_EQ((*file.LeavesOf(0, 7))[1].data<int32_t>()[0], 2);
  EXPECT_EQ((*file.LeavesOf(1, 2))[1].data<int32_t>()[0], 4);
  EXPECT_EQ(file.LeavesOf(1, 0), nullptr);
  EXPECT_EQ(file.LeavesOf(2), nullptr);
  EXPECT_EQ(FormatLiterals(file),
            "replica 0\nf32[] 1\ns32[] 2\nreplica 1 partition 2\nf32[] 3\ns32[] 4\n");
}

TEST(LiteralsTextTest, WithoutBlocksServesEveryReplica) {
  LiteralsFile file = *ParseLiterals("f32[] 1\n", std::nullopt);
  EXPECT_EQ(file.LeavesOf(0), file.LeavesOf(5, 3));
  EXPECT_TRUE(ParseLiterals("", ExpectedLeaves{})->LeavesOf(0)->empty());
}

TEST(LiteralsTextTest, AMarkOfUtf8IsSkipped) {
  const TemporaryFolder folder = *TemporaryFolder::Make("hlocts-literals-test");
  const std::string path = folder.path() + "/marked.txt";
  ASSERT_TRUE(WriteFile(path,
                        "\xEF\xBB\xBF"
                        "f32[] 7\n")
                  .ok());
  HLOCTS_ASSERT_OK_AND_ASSIGN(LiteralsFile file,
                              ReadLiterals(path, ExpectedLeaves{Shape::Scalar(T::kF32)}));
  EXPECT_EQ(FormatLiterals(file), "f32[] 7\n");
}

TEST(WriteFileTest, NoLinkOfAnotherUserIsFollowed) {
  const TemporaryFolder folder = *TemporaryFolder::Make("hlocts-literals-test");
  const std::string victim = folder.path() + "/victim", path = folder.path() + "/o.txt";
  ASSERT_TRUE(WriteFile(victim, "old").ok());
  const std::string guessed = absl::StrCat(path, ".tmp.", getpid());
  for (const std::string& link : {guessed, guessed + ".0"})
    std::filesystem::create_symlink(victim, link);
  EXPECT_TRUE(WriteFile(path, "new").ok());
  EXPECT_EQ(*ReadFile(path), "new");
  EXPECT_EQ(*ReadFile(victim), "old");
}

TEST(LiteralsTextTest, ErrorsNameTheLine) {
  ExpectedLeaves two = {Shape::Scalar(T::kF32), Shape::Scalar(T::kF32)};
  struct Case {
    const char* text;
    const char* message;
  };
  for (const Case& c : {
           Case{"f32[] 1\n\nf32[] x\n", "line 3: leaf 1: element: expected a number of f32"},
           Case{"f32[] 1\n", "line 2: expected 2 leaves, found 1; the first missing one is f32[]"},
           Case{"", "line 1: expected 2 leaves, found 0"},
           Case{"f32[] 1\nf32[] 1\nf32[] 1\n", "line 3: expected 2 leaves, found another"},
           Case{"replica 0\nf32[] 1\nreplica 1\n", "line 3: expected 2 leaves, found 1"},
           Case{"f32[] 1\nf32[] 1\nreplica 0\n", "line 3: expected every leaf under a 'replica'"},
           Case{"replica 0\nf32[] 1\nf32[] 1\nreplica 0\n",
                "line 4: expected one block for each device, found another for replica 0"},
           Case{"replica -1\n", "line 1: expected 'replica R'"},
           Case{"replica x\n", "line 1: expected 'replica R'"},
           Case{"replica 0 part 1\n", "line 1: expected 'replica R'"},
       }) {
    absl::StatusOr<LiteralsFile> file = ParseLiterals(c.text, two);
    ASSERT_FALSE(file.ok()) << c.text;
    EXPECT_THAT(std::string(file.status().message()), StartsWith(c.message)) << c.text;
  }
}

// Returns a file with a literal of every element type, for conversion to .npz and back.
LiteralsFile OneOfEveryType(ExpectedLeaves* expected) {
  LiteralsFile file;
  file.blocks.emplace_back();
  for (T type : AllPrimitiveTypes()) {
    if (!IsArrayType(type)) continue;
    Literal literal(Shape(type, {2, 3}));
    for (size_t i = 0; i < literal.raw_size(); ++i) {
      uint8_t byte = static_cast<uint8_t>(37 * i + 1);
      if (type == T::kPred) byte &= 1;
      if (IsSubByte(type)) byte &= (1 << BitWidth(type)) - 1;
      if (IsSubByte(type) && IsSigned(type) && byte >> (BitWidth(type) - 1))
        byte |= -1 << BitWidth(type);
      literal.mutable_raw_data()[i] = byte;
    }
    expected->shapes.push_back(literal.shape());
    file.blocks[0].leaves.push_back(std::move(literal));
  }
  return file;
}

TEST(NpzTest, RoundTripOfEveryType) {
  ExpectedLeaves expected;
  LiteralsFile file = OneOfEveryType(&expected);
  std::string archive = *FormatNpz(file, LeafRole::kOutput);
  HLOCTS_ASSERT_OK_AND_ASSIGN(LiteralsFile again, ParseNpz(archive, expected));
  EXPECT_EQ(FormatLiterals(again), FormatLiterals(file));
}

TEST(NpzTest, TextRoundTripOfEveryType) {
  ExpectedLeaves expected;
  LiteralsFile file = OneOfEveryType(&expected);
  HLOCTS_ASSERT_OK_AND_ASSIGN(LiteralsFile again, ParseLiterals(FormatLiterals(file), expected));
  for (size_t i = 0; i < expected.shapes.size(); ++i) {
    EXPECT_TRUE(again.blocks[0].leaves[i].BitwiseEqual(file.blocks[0].leaves[i]))
        << expected.shapes[i].ToString();
  }
}

TEST(NpzTest, BlocksTokensAndDynamicSizes) {
  Shape bounded = Dynamic(Shape(T::kS32, {2, 3}), 1);
  ExpectedLeaves expected = {Shape::Token(), bounded, Shape::Scalar(T::kBF16)};
  LiteralsFile file = *ParseLiterals(
      "replica 0\ntoken[]\ns32[2,<=3](2,1) {{1}, {2}}\nbf16[] 1.5\n"
      "replica 1 partition 1\ntoken[]\ns32[2,<=3](2,0) {{}, {}}\nbf16[] -2\n",
      expected);
  std::string archive = *FormatNpz(file, LeafRole::kArgument);
  std::vector<std::string> names;
  std::vector<ZipMember> members = *ListZip(archive);
  for (const ZipMember& member : members) names.push_back(member.name);
  EXPECT_THAT(names, ::testing::ElementsAre("r0.arg1.npy", "r0.arg2.npy", "r1.p1.arg1.npy",
                                            "r1.p1.arg2.npy"));
  HLOCTS_ASSERT_OK_AND_ASSIGN(LiteralsFile again, ParseNpz(archive, expected));
  EXPECT_EQ(FormatLiterals(again), FormatLiterals(file));
}

std::string Npy(absl::string_view header, absl::string_view data) {
  std::string out("\x93NUMPY\x01\x00", 8);
  out.push_back(static_cast<char>(header.size()));
  out.push_back('\0');
  return absl::StrCat(out, header, data);
}

TEST(NpzTest, FortranOrderAndUnknownTypes) {
  Shape s8(T::kS8, {2, 3});
  Literal literal = *LiteralFromNpy(
      Npy("{'descr': '|i1', 'fortran_order': True, 'shape': (2, 3), }\n", "\1\4\2\5\3\6"), s8);
  EXPECT_THAT(literal.data<int8_t>(), ::testing::ElementsAre(1, 2, 3, 4, 5, 6));
  // V2 is numpy's descr for a two-byte type without a name in numpy.
  Shape bf16(T::kBF16, {1});
  EXPECT_EQ(
      FormatLeaf(*LiteralFromNpy(
          Npy("{'descr': '<V2', 'fortran_order': False, 'shape': (1,), }\n", "\x80\x3f"), bf16)),
      "bf16[1]{0} {1}");
}

TEST(NpzTest, SaysWhatIsWrongWithAnArray) {
  Shape f32(T::kF32, {1});
  Shape s4(T::kS4, {1});
  struct Case {
    std::string content;
    const Shape* expected;
    const char* message;
  };
  std::string one("\0\0\x80\x3f", 4);
  for (const Case& c : {
           Case{Npy("{'descr': '>f4', 'fortran_order': False, 'shape': (1,), }", one), &f32,
                "expected little-endian"},
           Case{Npy("{'descr': '<i4', 'fortran_order': False, 'shape': (1,), }", one), &f32,
                "expected numpy type f4 for f32[1], found i4[1]"},
           Case{Npy("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }", one + one), &f32,
                "expected f32[1], found f32[2]"},
           Case{Npy("{'descr': '<f4', 'fortran_order': False, 'shape': (1,), }", "abc"), &f32,
                "expected 4 bytes of elements, found 3"},
           Case{Npy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }", one),
                &f32, "expected an element type"},
           Case{Npy("{'fortran_order': False, 'shape': (1,), }", one), &f32,
                "expected an element type"},
           Case{Npy("{'descr': '<f4', 'fortran_order': 0, 'shape': (1,), }", one), &f32,
                "fortran_order"},
           Case{Npy("{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }", one), &f32,
                "size of a dimension"},
           Case{Npy("{'descr': '<f4', 'fortran_order': False, 'shape': 3}", one), &f32,
                "shape tuple"},
           Case{Npy("{'descr': '|i1', 'fortran_order': False, 'shape': (1,), }", "\x08"), &s4,
                "8 is out of range of s4"},
           Case{"nonsense", &f32, "expected a .npy array"},
           Case{std::string("\x93NUMPY\x01\x00\xff\xff", 10), &f32, "truncated"},
       }) {
    absl::StatusOr<Literal> literal = LiteralFromNpy(c.content, *c.expected);
    ASSERT_FALSE(literal.ok()) << c.content;
    EXPECT_THAT(std::string(literal.status().message()), HasSubstr(c.message));
  }
}

TEST(NpzTest, SaysWhatIsWrongWithKeys) {
  ExpectedLeaves expected = {Shape(T::kF32, {1})};
  std::string array = NpyFromLiteral(Literal(expected.shapes[0]));
  struct Case {
    std::vector<std::string> names;
    const char* message;
  };
  for (const Case& c : {
           Case{{}, "expected 1 arrays with the keys arg0... or out0..., found 0"},
           Case{{"x.npy"}, "found 'x.npy'"},
           Case{{"arg0.npy", "arg1.npy"}, "found 2"},
           Case{{"arg1.npy"}, "expected a key arg0"},
           Case{{"arg0.npy", "r0.arg0.npy"}, "found both"},
           Case{{"arg0.npy", "out0.npy"}, "expected one array for each leaf number, found another"},
       }) {
    std::vector<std::pair<std::string, std::string>> members;
    for (const std::string& name : c.names) members.emplace_back(name, array);
    absl::StatusOr<LiteralsFile> file = ParseNpz(*WriteZip(members), expected);
    ASSERT_FALSE(file.ok());
    EXPECT_THAT(std::string(file.status().message()), HasSubstr(c.message));
  }
}

// np.savez(file, *arrays) names unnamed arrays arr_0, arr_1, ...
TEST(NpzTest, ReadsTheNamesThatNumpyGives) {
  ExpectedLeaves expected = {Shape(T::kF32, {1}), Shape(T::kS32, {2})};
  const std::string archive =
      *WriteZip({{"arr_1.npy", NpyFromLiteral(Literal(expected.shapes[1]))},
                 {"arr_0.npy", NpyFromLiteral(Literal(expected.shapes[0]))}});
  HLOCTS_ASSERT_OK_AND_ASSIGN(LiteralsFile file, ParseNpz(archive, expected));
  EXPECT_EQ(file.blocks[0].leaves.size(), 2u);
}

// A name that has the form of another leaf's key denotes the leaf of this name.
TEST(NpzTest, ReadsTheNamesOfAllParameters) {
  const ExpectedLeaves unnamed = {Shape(T::kS32, {1}), Shape(T::kS32, {1})};
  ExpectedLeaves expected = unnamed;
  expected.names = {"arg1", "x"};
  const std::string one = NpyFromLiteral(*ParseLeaf("s32[1] {1}")),
                    two = NpyFromLiteral(*ParseLeaf("s32[1] {2}"));
  const std::string archive = *WriteZip({{"x.npy", two}, {"arg1.npy", one}});
  HLOCTS_ASSERT_OK_AND_ASSIGN(LiteralsFile file, ParseNpz(archive, expected));
  EXPECT_EQ(FormatLeaf(file.blocks[0].leaves[0]), "s32[1]{0} {1}");
  EXPECT_EQ(FormatLeaf(file.blocks[0].leaves[1]), "s32[1]{0} {2}");
  EXPECT_FALSE(ParseNpz(archive, unnamed).ok());
  EXPECT_FALSE(ParseNpz(*WriteZip({{"x.npy", two}}), expected).ok());
  HLOCTS_ASSERT_OK_AND_ASSIGN(
      file, ParseNpz(*WriteZip({{"arg1.npy", two}, {"arg0.npy", one}}), expected));
  EXPECT_EQ(FormatLeaf(file.blocks[0].leaves[0]), "s32[1]{0} {1}");
}

// A truncated archive fails to load. A changed archive fails to load or has the same elements.
TEST(NpzTest, DamagedArchivesAreRefused) {
  ExpectedLeaves expected = {Shape(T::kU8, {3})};
  Literal literal = *ParseLeaf("u8[3] {1, 2, 3}");
  std::string archive = *WriteZip({{"arg0.npy", NpyFromLiteral(literal)}});
  for (size_t size = 0; size < archive.size(); ++size) {
    EXPECT_FALSE(ParseNpz(archive.substr(0, size), expected).ok()) << size;
  }
  for (size_t at = 0; at < archive.size(); ++at) {
    for (char flip : {1, 127, -1}) {
      std::string damaged = archive;
      damaged[at] = static_cast<char>(damaged[at] ^ flip);
      absl::StatusOr<LiteralsFile> file = ParseNpz(damaged, expected);
      EXPECT_TRUE(!file.ok() || file->blocks[0].leaves[0].BitwiseEqual(literal)) << at;
    }
  }
}

TEST(LiteralsFileTest, PathsAndKinds) {
  std::string folder = ::testing::TempDir();
  LiteralsFile file = *ParseLiterals("f32[2] {1, nan}\n", std::nullopt);
  ExpectedLeaves expected = {Shape(T::kF32, {2})};
  for (const char* name : {"literals.txt", "literals.npz"}) {
    std::string path = folder + name;
    ASSERT_TRUE(WriteLiterals(file, LeafRole::kArgument, path).ok());
    HLOCTS_ASSERT_OK_AND_ASSIGN(LiteralsFile again, ReadLiterals(path, expected));
    EXPECT_EQ(FormatLiterals(again), "f32[2]{0} {1, nan}\n");
  }
  std::string bad = folder + "bad.npz";
  ASSERT_TRUE(WriteFile(bad, "f32[2] {1, 2}\n").ok());
  EXPECT_THAT(std::string(ReadLiterals(bad, expected).status().message()),
              HasSubstr("bad.npz: expected a zip archive"));
  EXPECT_THAT(std::string(ReadLiterals(folder + "none.txt", expected).status().message()),
              HasSubstr("none.txt: No such file"));
  EXPECT_THAT(std::string(ReadLiterals(folder, expected).status().message()),
              HasSubstr("directory"));
  std::string binary = folder + "binary.txt";
  ASSERT_TRUE(WriteFile(binary, absl::string_view("f32\0[2]", 7)).ok());
  EXPECT_THAT(std::string(ReadLiterals(binary, expected).status().message()),
              HasSubstr("binary data"));
}

TEST(LeafTest, ArraysWithoutElementsAreShort) {
  for (const char* text : {"f32[1000000000000,0]{1,0} 0", "c64[100000,3,0]{2,1,0} (0, 0)",
                           "s4[0,1000000000000]{1,0} {}", "f32[2,0]{1,0} { {}, {} }",
                           "s32[<=100000,<=4](100000,0) 0"}) {
    auto leaf = ParseLeaf(text);
    ASSERT_TRUE(leaf.ok()) << text << leaf.status();
    EXPECT_EQ(FormatLeaf(*leaf), text);
  }
  EXPECT_TRUE(ParseLeaf("f32[1000000000000,0] {}").ok());
  EXPECT_FALSE(ParseLeaf("f32[2] 0").ok());
}

TEST(TemporaryFolder, AnInterruptRemovesAllOfThem) {
  const TemporaryFolder folder = *TemporaryFolder::Make("hlocts-interrupt-test");
  ASSERT_TRUE(WriteFile(folder.path() + "/file", "text").ok());
  folder.Clear();
  EXPECT_FALSE(ReadFile(folder.path() + "/file").ok());
  EXPECT_TRUE(WriteFile(folder.path() + "/file", "text").ok());
  RemoveTemporaryFolders();
  EXPECT_FALSE(WriteFile(folder.path() + "/file", "text").ok());
}

}  // namespace
}  // namespace hlocts
