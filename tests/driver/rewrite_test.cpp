// What each form of a launch becomes, one row each.
// SPDX-License-Identifier: Apache-2.0
#include "toolchain/driver/rewrite.h"

#include <gtest/gtest.h>

#include <string>

namespace bascule::toolchain {
namespace {

struct Row {
  const char* name;
  const char* in;
  const char* out;
};

// An output that is null means: the input, unchanged.
const Row kRows[] = {
    {"Plain", " k<<<8, 0, s>>>(x, y);", "(k%$(8, 0, s)) (x, y);"},
    {"AtTheLinesBeginning", "k<<<8, 0, s>>>(x);", "(k%$(8, 0, s)) (x);"},
    {"BehindAParenthesis", "f(k<<<8, 0, s>>>(x));", "f((k%$(8, 0, s)) (x));"},
    {"WithBlanks", "  k  <<< 8 , 0 , s >>> ( x ) ;", " (k  %$( 8 , 0 , s ))  ( x ) ;"},
    {"OverSeveralLines", "  k\n    <<<8,\n       0>>>\n  (x);",
     " (k\n    %$(8,\n       0)) \n  (x);"},
    {"WithACommentInside", "  k /* << */ <<<8, 0 // >>>\n  >>>(x);",
     " (k /* << */ %$(8, 0 // >>>\n  )) (x);"},
    {"TwoNumbers", " k<<<8, 0>>>(x);", "(k%$(8, 0)) (x);"},
    {"OneNumber", " k<<<8>>>(x);", "(k%$(8)) (x);"},
    {"NoArguments", " k<<<8, 0, s>>>();", "(k%$(8, 0, s)) ();"},

    {"TemplateArguments", " saxpy<float><<<8, 0, s>>>(x);", "(saxpy<float>%$(8, 0, s)) (x);"},
    {"NestedTemplateArguments", " k<A<B<int>>, 3><<<8, 0, s>>>(x);",
     "(k<A<B<int>>, 3>%$(8, 0, s)) (x);"},
    {"TemplateArgumentsClosedTogether", " k<A<B<C>>><<<8, 0, s>>>(x);",
     "(k<A<B<C>>>%$(8, 0, s)) (x);"},
    {"ExpressionAsTemplateArgument", " k<(a > b), sizeof(T)><<<8, 0, s>>>(x);",
     "(k<(a > b), sizeof(T)>%$(8, 0, s)) (x);"},
    {"ShiftAsTemplateArgument", " k<1 << 3, T><<<8, 0, s>>>(x);", "(k<1 << 3, T>%$(8, 0, s)) (x);"},
    {"Scopes", " ns::A<int>::k<<<8, 0, s>>>(x);", "(ns::A<int>::k%$(8, 0, s)) (x);"},
    {"GlobalScope", " return ::k<<<8, 0, s>>>(x);", " return(::k%$(8, 0, s)) (x);"},
    {"DependentTemplate", " T::template k<U><<<8, 0, s>>>(x);",
     "(T::template k<U>%$(8, 0, s)) (x);"},
    {"ScopeOfAnExpression", " decltype(a)::k<<<8, 0, s>>>(x);", "(decltype(a)::k%$(8, 0, s)) (x);"},

    {"TemplateInTheNumbers", " k<<<g<int>(), 0, s>>>(x);", "(k%$(g<int>(), 0, s)) (x);"},
    {"ThreeTemplatesInTheNumbers", " k<<<g<A<B<int>>>(), 0, s>>>(x);",
     "(k%$(g<A<B<int>>>(), 0, s)) (x);"},
    {"TemplateAtTheNumbersEnd", " k<<<8, 0, s<T>>>>(x);", "(k%$(8, 0, s<T>)) (x);"},
    {"TemplatesAtTheNumbersEnd", " k<<<8, 0, s<A<T>>>>>(x);", "(k%$(8, 0, s<A<T>>)) (x);"},
    {"ComparisonInTheNumbers", " k<<<a < b ? a : b, 0, s>>>(x);",
     "(k%$(a < b ? a : b, 0, s)) (x);"},
    {"ShiftsInTheNumbers", " k<<<n >> 2, 1 << 4, s>>>(x);", "(k%$(n >> 2, 1 << 4, s)) (x);"},
    {"CallsInTheNumbers", " k<<<f(a, g(b)), h[2], p->s>>>(x);",
     "(k%$(f(a, g(b)), h[2], p->s)) (x);"},
    {"LambdaInTheNumbers", " k<<<[] { return 8; }(), 0, s>>>(x);",
     "(k%$([] { return 8; }(), 0, s)) (x);"},

    {"Pointer", " (*p)<<<8, 0, s>>>(x);", "((*p)%$(8, 0, s)) (x);"},
    {"Subscript", " table[i][j]<<<8, 0, s>>>(x);", "(table[i][j]%$(8, 0, s)) (x);"},
    {"Member", " a.b->kernel<<<8, 0, s>>>(x);", "(a.b->kernel%$(8, 0, s)) (x);"},
    {"MemberOfThis", " this->kernel<<<8, 0, s>>>(x);", "(this->kernel%$(8, 0, s)) (x);"},
    {"ResultOfACall", " choose<float>(n)<<<8, 0, s>>>(x);", "(choose<float>(n)%$(8, 0, s)) (x);"},
    {"MemberOfACall", " get(1)->kernel<<<8, 0, s>>>(x);", "(get(1)->kernel%$(8, 0, s)) (x);"},

    {"BehindIf", " if (a > b) k<<<8, 0, s>>>(x); else k<<<9, 0, s>>>(x);",
     " if (a > b)(k%$(8, 0, s)) (x); else(k%$(9, 0, s)) (x);"},
    {"PointerBehindIf", " if (a) (*p)<<<8, 0, s>>>(x);", " if (a)((*p)%$(8, 0, s)) (x);"},
    {"BehindACast", " (void)k<<<8, 0, s>>>(x);", " (void)(k%$(8, 0, s)) (x);"},
    {"PointerBehindACast", " (void)(p)<<<8, 0, s>>>(x);", " (void)((p)%$(8, 0, s)) (x);"},
    {"InAConditional", " a ? k<<<8, 0, s>>>(x) : k<<<9, 0, s>>>(x);",
     " a ?(k%$(8, 0, s)) (x) :(k%$(9, 0, s)) (x);"},
    {"TwoWithAComma", " k<<<8, 0, s>>>(x), l<<<9, 0, s>>>(y);",
     "(k%$(8, 0, s)) (x),(l%$(9, 0, s)) (y);"},
    {"InALambda", "[&] { k<<<8, 0, s>>>(x); }();", "[&] {(k%$(8, 0, s)) (x); }();"},
    {"InArguments", " k<<<8, 0, s>>>(f([&] { l<<<9, 0, s>>>(y); }));",
     "(k%$(8, 0, s)) (f([&] {(l%$(9, 0, s)) (y); }));"},
    {"BehindALabel", "again: k<<<8, 0, s>>>(x);", "again:(k%$(8, 0, s)) (x);"},

    {"InAMacro", "#define L(k, n, ...) k<<<n, 0, s>>>(__VA_ARGS__)\n",
     "#define L(k, n, ...) (k%$(n, 0, s)) (__VA_ARGS__)\n"},
    {"InAMacroWithoutParameters", "#define L k<<<8, 0, s>>>(x)\n",
     "#define L (k%$(8, 0, s)) (x)\n"},
    {"InAMacroWithoutArguments", "#define L(k) k<float><<<8, 0, s>>>\n",
     "#define L(k) (k<float>%$(8, 0, s)) \n"},
    {"InAMacroOfSeveralLines",
     "  # define L(k) \\\n  do { \\\n    k<<<8, 0, s>>>(x); \\\n  } while (0)\n",
     "  # define L(k) \\\n  do { \\\n    (k%$(8, 0, s)) (x); \\\n  } while (0)\n"},
    {"PastedTogether", "#define L(a) run_##a##_kernel<<<8, 0, s>>>(x)\n",
     "#define L(a) (run_##a##_kernel%$(8, 0, s)) (x)\n"},
    {"InAMacrosArguments", " CHECK(k<<<8, 0, s>>>(x));", " CHECK((k%$(8, 0, s)) (x));"},
    {"BehindAnUnfinishedMacro", "#define OPEN (\n k<<<8, 0, s>>>(x);",
     "#define OPEN (\n(k%$(8, 0, s)) (x);"},

    {"InAString", " a = \"k<<<8>>>(x) \\\" k<<<8>>>(x)\";", nullptr},
    {"InAWideString", " a = L\"k<<<8>>>(x)\" u8\"k<<<8>>>(x)\";", nullptr},
    {"InARawString", " a = R\"-(k<<<8>>>(x) )\" k<<<8>>>(x)\n k<<<8>>>(x))-\";", nullptr},
    {"InALineComment", " // k<<<8>>>(x) \\\n k<<<8>>>(x)\n", nullptr},
    {"InAComment", " /* k<<<8>>>(x)\n k<<<8>>>(x) */", nullptr},
    {"InACharacter", " a = '<<<' + '\"'; b = '\\''; /* '*/ k = 'x';", nullptr},
    {"InAnError", "#error don't k<<<8>>>(x)\n#pragma message k<<<8>>>(x)\n", nullptr},
    {"BehindASeparatedNumber", " a = 1'000'000; k<<<8, 0, s>>>(x); b = '\\0';",
     " a = 1'000'000;(k%$(8, 0, s)) (x); b = '\\0';"},
    {"BehindAnApostropheInSkippedText", "#if 0\n don't\n#endif\n k<<<8, 0, s>>>(x);",
     "#if 0\n don't\n#endif\n(k%$(8, 0, s)) (x);"},
    {"BehindARawString", " a = R\"(\")\"; k<<<8, 0, s>>>(x);",
     " a = R\"(\")\";(k%$(8, 0, s)) (x);"},
    {"BehindASystemHeader",
     "# 1 \"/usr/a.h\" 1 3\nint don't( { \" /*\n# 3 \"k.asc\" 2\n k<<<8, 0, s>>>(x);",
     "# 1 \"/usr/a.h\" 1 3\nint don't( { \" /*\n# 3 \"k.asc\" 2\n(k%$(8, 0, s)) (x);"},
    {"InASystemHeader",
     "# 1 \"/usr/a.h\" 1 3\nint i; /* # 3\n# 3 */\n# 2 \"/usr/b.h\" 1 3\n k<<<8, 0, s>>>(x);",
     "# 1 \"/usr/a.h\" 1 3\nint i; /* # 3\n# 3 */\n# 2 \"/usr/b.h\" 1 3\n(k%$(8, 0, s)) (x);"},
    {"OperatorName", "friend std::ostream& operator<<<T>(std::ostream&, const X<T>&);", nullptr},
    {"ConflictMarker", "<<<<<<< HEAD\n>>>>>>> theirs\n", nullptr},
    {"ShiftAndComparison", " a = b << c < d; e <<= f; x = A<B<C<int>>>(1);", nullptr},
};

class Rewrite : public testing::TestWithParam<Row> {};

TEST_P(Rewrite, Becomes) {
  const Row& row = GetParam();
  const RewrittenSource got = RewriteLaunches(row.in, "k.asc");
  EXPECT_EQ(got.text, row.out != nullptr ? row.out : row.in);
  EXPECT_TRUE(got.problems.empty()) << got.problems[0].text;
  EXPECT_EQ(got.launches == 0, row.out == nullptr);
}

INSTANTIATE_TEST_SUITE_P(All, Rewrite, testing::ValuesIn(kRows),
                         [](const auto& info) { return info.param.name; });

// Template arguments that the call has to give: then the call is made, with everything where it
// was.
TEST(RewriteDeduced, KeepsLinesAndColumns) {
  const std::string in =
      "# 7 \"dir/k.asc\"\n"
      "template <typename T, int n = 4> __global__ __mix__(1, 2) void k(T* x, T y) { f(x); }\n"
      "int main() {\n"
      "  k<<<8, 0, s>>>(x, y);\n";
  const RewrittenSource got = RewriteLaunches(in, "k.asc");
  EXPECT_EQ(
      got.text,
      "# 7 \"dir/k.asc\"\n"
      "template <typename T, int n = 4> __kernel__ __mix__(1, 2) void k(T* x, T y) { f(x); }\n"
      "int main() {\n"
      "  (::bascule_ascendc::Deduced(\"k\", sizeof(::bascule_ascendc::MixedKernel<1, 2>), "
      "[&](auto... bascule_a) { \n"
      "# 9 \"dir/k.asc\"\n"
      "  k(bascule_a...); })\n"
      "# 9 \"dir/k.asc\"\n"
      "   %$(8, 0, s)) (x, y);\n");
}

// `__global__` gives way to the mark of the cores, wherever the two stand together.
TEST(RewriteCores, NamesKernelsThatSayTheirCores) {
  const char* rows[][2] = {
      {"__global__ __cube__ void k(int);", "__kernel__ __cube__ void k(int);"},
      {"__cube__ __global__ __aicore__ void k(int) {}",
       "__cube__ __kernel__ __aicore__ void k(int) {}"},
      {"extern \"C\" __mix__ ( 1 , 1 ) __global__ void k();",
       "extern \"C\" __mix__ ( 1 , 1 ) __kernel__ void k();"},
      {"__schedmode__(1) __global__ __mix__(1, 2) void k();",
       "__schedmode__(1) __kernel__ __mix__(1, 2) void k();"},
      {"__mix__(1, 2) __schedmode__(1) __global__ void k();",
       "__mix__(1, 2) __schedmode__(1) __kernel__ void k();"},
      {"__global__ __schedmode__(0) __aicore__ __vector__ void k();",
       "__kernel__ __schedmode__(0) __aicore__ __vector__ void k();"},
      {"#define KERNEL __global__ __mix__(1, 2) void\nint i;",
       "#define KERNEL __kernel__ __mix__(1, 2) void\nint i;"},
      {"__global__ __aicore__ void k() {} __cube__ __global__ void c() {}",
       "__global__ __aicore__ void k() {} __cube__ __kernel__ void c() {}"},
      {"__cube__ void c(); __global__ void k();", "__cube__ void c(); __global__ void k();"},
  };
  for (const auto& [in, out] : rows) EXPECT_EQ(RewriteLaunches(in, "k.asc").text, out);
}

// One compile is for both kinds of core, so what asks for the kind asks when it runs.
TEST(RewriteCores, AsksForTheCoreWhenItRuns) {
  const char* rows[][2] = {
      {"if constexpr (g_coreType == AscendC::AIV) { a(); }",
       "if           (g_coreType == AscendC::AIV) { a(); }"},
      {"if constexpr(!(AscendC::g_coreType == AIC) && (N > 2)) b();",
       "if          (!(AscendC::g_coreType == AIC) && (N > 2)) b();"},
      {"else if constexpr (N == 2 && g_coreType != AIC) return;",
       "else if           (N == 2 && g_coreType != AIC) return;"},
      {"#define VECTOR if constexpr (g_coreType == AIV)\nVECTOR c();",
       "#define VECTOR if           (g_coreType == AIV)\nVECTOR c();"},
      {"if constexpr (N == 2) { if (g_coreType == AIV) d(); }",
       "if constexpr (N == 2) { if (g_coreType == AIV) d(); }"},
      {"// if constexpr (g_coreType == AIV)\n", "// if constexpr (g_coreType == AIV)\n"},
      {"auto s = \"if constexpr (g_coreType == AIV)\";",
       "auto s = \"if constexpr (g_coreType == AIV)\";"},
      {"if constexpr (g_coreType", "if constexpr (g_coreType"},
  };
  for (const auto& [in, out] : rows) EXPECT_EQ(RewriteLaunches(in, "k.asc").text, out);
}

struct DeducedRow {
  const char* name;
  const char* declaration;
  const char* kernel;
  bool deduced;
};

const DeducedRow kDeducedRows[] = {
    {"NothingGiven", "template <typename T> __global__ __aicore__ void k(T x);", "k", true},
    {"AllGiven", "template <typename T> __global__ __aicore__ void k(T x);", "k<float>", false},
    {"OneOfTwo", "template <typename T, class U> __vector__ __global__ void k(T x, U y);",
     "k<float>", true},
    {"TheOtherHasADefault", "template <typename T, class U = A<int, 3>> __global__ void k(T x);",
     "k<float>", false},
    {"APackNeedsNone", "template <typename T, int... n> __global__ void k(T x);", "ns::k<float>",
     false},
    {"CommasInside", "template <typename T, class U> __global__ void k(T x);",
     "k<A<int, 3>, (f(1, 2))>", false},
    {"NoTemplate", "__global__ __aicore__ void k(GM_ADDR x);", "k", false},
    {"AnotherIsATemplate", "template <typename T> void f(); __global__ void k(GM_ADDR x);", "k",
     false},
    {"WithAttributes",
     "template <typename T> __global__ __launch_bounds__(8) __attribute__((used)) void k(T x);",
     "k", true},
};

class RewriteDeduces : public testing::TestWithParam<DeducedRow> {};

TEST_P(RewriteDeduces, WhenArgumentsAreMissing) {
  const DeducedRow& row = GetParam();
  const std::string in = std::string(row.declaration) + "\n " + row.kernel + "<<<1, 0, s>>>(x);";
  const RewrittenSource got = RewriteLaunches(in, "k.asc");
  EXPECT_EQ(got.text.find("Deduced(\"k\"") != std::string::npos, row.deduced) << got.text;
  EXPECT_EQ(got.launches, 1u);
}

INSTANTIATE_TEST_SUITE_P(All, RewriteDeduces, testing::ValuesIn(kDeducedRows),
                         [](const auto& info) { return info.param.name; });

// A line marker inside a macro's arguments or definition would not be understood.
TEST(RewriteDeduced, StaysOnItsLineInMacros) {
  const std::string kernel = "template <typename T> __global__ void k(T x);\n";
  EXPECT_EQ(RewriteLaunches(kernel + "CHECK(k<<<1, 0, s>>>(x));", "k.asc").text,
            kernel +
                "CHECK((::bascule_ascendc::Deduced(\"k\", BASCULE_KERNEL_UNSAID, [&](auto... "
                "bascule_a) { "
                "k(bascule_a...); })%$(1, 0, "
                "s)) (x));");
  EXPECT_EQ(RewriteLaunches(kernel + "#define L k<<<1, 0, s>>>(x)\n", "k.asc").text,
            kernel +
                "#define L (::bascule_ascendc::Deduced(\"k\", BASCULE_KERNEL_UNSAID, [&](auto... "
                "bascule_a) { "
                "k(bascule_a...); })%$(1, 0, "
                "s)) (x)\n");
}

struct ProblemRow {
  const char* name;
  const char* in;
  uint32_t line;
  uint32_t column;
  const char* says;
};

const ProblemRow kProblemRows[] = {
    {"NoEnd", "\n  k<<<8, 0, s;\n", 2, 4, "no >>>"},
    {"NoEndInItsBlock", "{ k<<<8, 0, s } >>>(x);", 1, 4, "no >>>"},
    {"NoKernel", "# 30 \"some \\\"dir\\\"/k.h\" 1\n\n  <<<8, 0, s>>>(x);\n", 31, 3,
     "in front of <<<"},
    {"Lambda", " [] {}<<<8, 0, s>>>(x);", 1, 7, "in front of <<<"},
    {"Keyword", " return <<<8, 0, s>>>(x);", 1, 9, "in front of <<<"},
    {"KernelOutsideTheMacro", "#define C <<<8, 0, s>>>\n k C(x);", 1, 11, "same macro"},
};

class RewriteRefuses : public testing::TestWithParam<ProblemRow> {};

TEST_P(RewriteRefuses, WithLineAndColumn) {
  const ProblemRow& row = GetParam();
  const RewrittenSource got = RewriteLaunches(row.in, "k.asc");
  EXPECT_EQ(got.text, row.in);
  ASSERT_EQ(got.problems.size(), 1u);
  EXPECT_EQ(got.problems[0].place.line, row.line);
  EXPECT_EQ(got.problems[0].place.column, row.column);
  EXPECT_NE(got.problems[0].text.find(row.says), std::string::npos) << got.problems[0].text;
  const bool in_header = std::string(row.name) == "NoKernel";
  EXPECT_EQ(got.problems[0].place.file, in_header ? "some \"dir\"/k.h" : "k.asc");
}

INSTANTIATE_TEST_SUITE_P(All, RewriteRefuses, testing::ValuesIn(kProblemRows),
                         [](const auto& info) { return info.param.name; });

// Text cut off anywhere: no crash, no endless loop.
TEST(RewriteAnything, ThatEndsTooSoon) {
  const std::string in =
      "#define L(a) a##b<A<int>><<<g<A<B<C>>>(), 0>>>(R\"x(y)x\")\n template <class T, int n = "
      "(3)> __global__ "
      "__mix__(1, 2) void k(T x); a.b->c(d)[e]<<<[] { return '\\''; }(), \"\\\"\">>>(k<<<1>>>(/* "
      "*/ 1'0));";
  for (size_t begin = 0; begin < in.size(); ++begin) {
    for (size_t length = 0; begin + length <= in.size(); ++length) {
      RewriteLaunches(std::string_view(in).substr(begin, length), "k.asc");
    }
  }
}

}  // namespace
}  // namespace bascule::toolchain
