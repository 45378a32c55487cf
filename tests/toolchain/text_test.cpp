// The parts of a build that only read text: gradients, dependency files, macros.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "tests/toolchain/support.h"
#include "toolchain/cache.h"
#include "toolchain/gradient.h"
#include "toolchain/kernel_source.h"
#include "toolchain/process.h"
#include "toolchain/reference.h"
#include "toolchain/schema.h"

namespace bascule::toolchain {
namespace {

const std::vector<GradientSignature> kMyMul = {
    MakeGradientSignature("my_mul", {"x", "y"}, {"out"})};

using Functions = std::map<std::string, std::string>;
Functions Names(const std::string& text) {
  Functions names;
  for (const auto& [name, rule] : CheckGradient(text, kMyMul)) {
    EXPECT_EQ(rule.kind, GradientRule::kFunction);
    names[name] = rule.text;
  }
  return names;
}

std::string Refusal(const std::string& text) {
  return ErrorOf([&] { CheckGradient(text, kMyMul); });
}

TEST(Gradient, MayBeAnotherOperatorOrNone) {
  const std::vector<GradientSignature> operators = {
      MakeGradientSignature("my_mul", {"x", "y"}, {"out"}),
      MakeGradientSignature("my_mul_grad", {"y", "x", "dout"}, {"dx", "dy"}),
      MakeGradientSignature("step", {"x"}, {"out"})};
  const auto rules = CheckGradient(
      "my_mul_bprop = \"my_mul_grad\"  # by name\nstep_bprop = 'none: it has no slope'\n"
      "def my_mul_grad_bprop(y, x, dout, dx, dy, ddx, ddy):\n  return x, y, x\n",
      operators);
  EXPECT_EQ(rules.at("my_mul"), (GradientRule{GradientRule::kOperator, "my_mul_grad", {}}));
  EXPECT_EQ(rules.at("step"), (GradientRule{GradientRule::kNone, "it has no slope", {}}));
  EXPECT_EQ(rules.at("my_mul_grad"),
            (GradientRule{GradientRule::kFunction, "my_mul_grad_bprop", {}}));

  const auto refusal = [&](const std::string& text) {
    return ErrorOf([&] { CheckGradient(text, operators); });
  };
  EXPECT_EQ(refusal("\nmy_mul_bprop = \"my_grad\"\n"),
            "gradient.py:2: my_mul_bprop is \"my_grad\", which is no other operator of this "
            "project; it has my_mul, my_mul_grad, step. An operator without gradient says "
            "\"none: why\"");
  EXPECT_EQ(refusal("my_mul_bprop = \"my_mul\""),
            "gradient.py:1: my_mul_bprop is \"my_mul\", which is no other operator of this "
            "project; it has my_mul, my_mul_grad, step. An operator without gradient says "
            "\"none: why\"");
  EXPECT_EQ(refusal("step_bprop = \"my_mul_grad\""),
            "gradient.py:1: my_mul_grad cannot be the gradient of step: its input y is none of x, "
            "out, dout");
  EXPECT_EQ(refusal("my_mul_bprop = \"step\""),
            "gradient.py:1: step cannot be the gradient of my_mul: it has 1 output for 2 inputs, "
            "x, y");
  EXPECT_EQ(refusal("step_bprop = \"none: \""),
            "gradient.py:1: step_bprop says none without a reason; write \"none: why\"");
  EXPECT_EQ(refusal("other_bprop = \"step\""),
            "gradient.py:1: defines other_bprop, but there is no operator other; expected `def "
            "my_mul_bprop(x, y, out, dout):`");
}

TEST(Gradient, MayKeepOutputsThatAreNoResults) {
  const std::vector<GradientSignature> operators = {
      MakeGradientSignature("norm", {"x"}, {"out", "mean", "rstd"}),
      MakeGradientSignature("norm_grad", {"dout", "x", "rstd", "mean"}, {"dx"})};
  const auto rule = [&](const std::string& text) {
    return CheckGradient(text, operators).at("norm");
  };
  const GradientRule function{GradientRule::kFunction, "norm_bprop", {"mean", "rstd"}};
  const std::string saved = "norm_saved = (\"mean\", 'rstd')  # statistics\n";
  const std::string body = "def norm_bprop(x, out, mean, rstd, dout): return dout\n";
  EXPECT_EQ(rule(saved + body), function);
  EXPECT_EQ(rule(body + "norm_saved = [\n    \"mean\",  # of a row\n    \"rstd\",\n]\n"), function);
  EXPECT_EQ(rule(saved + "norm_bprop = \"norm_grad\"").saved, function.saved);
  EXPECT_EQ(
      rule("norm_saved = \"rstd\"\ndef norm_bprop(x, out, mean, rstd, dout, dmean): pass").saved,
      std::vector<std::string>{"rstd"});
  EXPECT_FALSE(rule(saved + body + "norm_recompute = False").recompute);
  EXPECT_TRUE(rule(saved + body + "norm_recompute = True  # it is cheap").recompute);

  const auto refusal = [&](const std::string& text) {
    return ErrorOf([&] { CheckGradient(text, operators); });
  };
  const std::string wanted =
      "; expected the last outputs of norm, as in norm_saved = (\"rstd\",). It has: out, mean, "
      "rstd";
  EXPECT_EQ(refusal("norm_saved = (\"var\",)"),
            "gradient.py:1: norm_saved names var, which is no output" + wanted);
  EXPECT_EQ(
      refusal("\nnorm_saved = (\"mean\",)"),
      "gradient.py:2: norm_saved is mean, which are not the last outputs in their order" + wanted);
  EXPECT_EQ(refusal("norm_saved = (\"out\", \"mean\", \"rstd\")"),
            "gradient.py:1: norm_saved names every output, and leaves no result" + wanted);
  EXPECT_EQ(refusal("norm_saved = True"), "gradient.py:1: norm_saved is no list of texts" + wanted);
  EXPECT_EQ(refusal(saved + "def norm_bprop(x, out, dout): pass"),
            "gradient.py:2: norm_bprop takes 3 arguments; expected 5, as in `def norm_bprop(x, "
            "out, mean, rstd, dout):`");
  EXPECT_EQ(refusal("def norm_grad_bprop(a, b, c, d, e, f): pass\n" + saved),
            "gradient.py:2: says how the gradient of norm gets its outputs, and there is none");
  EXPECT_EQ(refusal(body + "norm_recompute = 1"), "gradient.py:2: norm_recompute is True or False");
}

TEST(Gradient, TakesSeveralOutputsOneByOneOrAsTuples) {
  const std::vector<GradientSignature> operators = {
      MakeGradientSignature("pair", {"x"}, {"a", "b"})};
  EXPECT_EQ(CheckGradient("def bprop(x, a, b, da, db): pass", operators).size(), 1U);
  EXPECT_EQ(CheckGradient("def bprop(x, out, dout): pass", operators).size(), 1U);
}

TEST(Gradient, AcceptsWhatEveryFrameworkCanBind) {
  const Functions expected = {{"my_mul", "my_mul_bprop"}};
  EXPECT_EQ(Names("def my_mul_bprop(x, y, out, dout):\n    return dout * y, dout * x\n"), expected);
  EXPECT_EQ(
      Names("import bascule.xp as xp\nfrom bascule import xp\nfrom bascule.xp import exp, tanh\n"
            "def helper(a):\n  return a\n"
            "def my_mul_bprop(x, y,\n                 out, dout, *, alpha=1.0):\n  return x, y\n"),
      expected);
  EXPECT_EQ(Names("'''import os\nimport torch'''\n# import numpy\ns = \"import jax\"; t = 'a\\'; "
                  "import b'\n"
                  "def my_mul_bprop(x: int, y=(1, 2), out=None, dout=None): return x, y"),
            expected);
}

TEST(Gradient, RefusesOtherImports) {
  constexpr const char* kWhy =
      "; a gradient may import bascule.xp only, because it is bound to every framework";
  EXPECT_EQ(Refusal("\nimport numpy as np\n"), std::string("gradient.py:2: imports numpy") + kWhy);
  EXPECT_EQ(Refusal("from torch import nn"), std::string("gradient.py:1: imports torch") + kWhy);
  EXPECT_EQ(Refusal("import bascule"), std::string("gradient.py:1: imports bascule") + kWhy);
  EXPECT_EQ(Refusal("from bascule import (xp, torch)"),
            std::string("gradient.py:1: imports bascule.torch") + kWhy);
  EXPECT_EQ(Refusal("import bascule.xp, os"), std::string("gradient.py:1: imports os") + kWhy);
  EXPECT_EQ(Refusal("def f():\n  x = 1; import os\n"),
            std::string("gradient.py:2: imports os") + kWhy);
}

TEST(Gradient, SaysWhatIsExpected) {
  EXPECT_EQ(Refusal("x = 1\n"),
            "gradient.py: defines no gradient; expected `def my_mul_bprop(x, y, out, dout):`");
  EXPECT_EQ(Refusal("def my_mull_bprop(x, y, out, dout): pass"),
            "gradient.py:1: defines my_mull_bprop, but there is no operator my_mull; expected `def "
            "my_mul_bprop(x, y, out, dout):`");
  EXPECT_EQ(Refusal("\ndef my_mul_bprop(x, y, dout): pass"),
            "gradient.py:2: my_mul_bprop takes 3 arguments; expected 4, as in `def my_mul_bprop(x, "
            "y, out, "
            "dout):`");
}

TEST(Gradient, OneOperatorNeedsNoNameInFront) {
  const Functions expected = {{"my_mul", "bprop"}};
  EXPECT_EQ(Names("def bprop(x, y, out, dout):\n    return dout * y, dout * x\n"), expected);
  EXPECT_EQ(
      Refusal("def bprop(x, y, dout): pass"),
      "gradient.py:1: bprop takes 3 arguments; expected 4, as in `def my_mul_bprop(x, y, out, "
      "dout):`");
  std::vector<GradientSignature> two = kMyMul;
  two.push_back(MakeGradientSignature("my_add", {"x", "y"}, {"out"}));
  EXPECT_EQ(ErrorOf([&] { CheckGradient("def bprop(x, y, out, dout): pass", two); }),
            "gradient.py: defines no gradient; expected `def my_mul_bprop(x, y, out, dout):`");
}

const std::vector<ReferenceSignature> kReferenceOfMyMul = {{"my_mul", {"x", "y"}}};

std::string ReferenceRefusal(const std::string& text) {
  return ErrorOf([&] { CheckReference(text, kReferenceOfMyMul); });
}

TEST(Reference, IsFoundWithItsCases) {
  auto found = CheckReference(
      "import math\nimport numpy as np\nfrom numpy.linalg import norm\n"
      "def my_mul_reference(x, y, *, scale=1.0): return x * y\ndef my_mul_cases(): yield {}\n",
      kReferenceOfMyMul);
  EXPECT_EQ(found.at("my_mul").reference, "my_mul_reference");
  EXPECT_EQ(found.at("my_mul").cases, "my_mul_cases");
  found = CheckReference("def reference(x, y): return x * y", kReferenceOfMyMul);
  EXPECT_EQ(found.at("my_mul").reference, "reference");
  EXPECT_EQ(found.at("my_mul").cases, "");
}

TEST(Reference, RefusalsSayWhatIsExpected) {
  EXPECT_EQ(ReferenceRefusal("\nimport torch"),
            "reference.py:2: imports torch; a reference may import numpy and math only, because it "
            "travels with the library");
  EXPECT_EQ(ReferenceRefusal("x = 1"),
            "reference.py: defines no reference; expected `def my_mul_reference(x, y):`");
  EXPECT_EQ(ReferenceRefusal("def my_mull_reference(x, y): pass"),
            "reference.py:1: defines my_mull_reference, but there is no operator my_mull; expected "
            "`def my_mul_reference(x, y):`");
  EXPECT_EQ(
      ReferenceRefusal("def my_mul_reference(x): pass"),
      "reference.py:1: my_mul_reference takes 1 arguments; expected 2, the operator's inputs, "
      "as in `def my_mul_reference(x, y):`");
  EXPECT_EQ(ReferenceRefusal("def my_mul_reference(x, y): pass\ndef my_mul_cases(dtype): pass"),
            "reference.py:2: my_mul_cases takes 1 arguments; expected 0, as in `def "
            "my_mul_cases():`");
  EXPECT_EQ(ReferenceRefusal("def cases(): pass"),
            "reference.py: defines cases, but no reference for my_mul");
}

TEST(Gradient, UnfinishedTextNeverCrashes) {
  const std::string text =
      "'''a'''\nfrom bascule import (xp)\ndef my_mul_bprop(x, y='\\'', *, out): # c\n "
      "\"\"\"b\"\"\"\n";
  for (std::size_t length = 0; length <= text.size(); ++length) Refusal(text.substr(0, length));
}

TEST(Depfile, ListsPrerequisites) {
  const std::vector<std::filesystem::path> expected = {"a.cpp", "/x/b c.h", "d$e.h", "f#.h"};
  EXPECT_EQ(ParseDepfile("out.o: a.cpp \\\n /x/b\\ c.h d$$e.h f\\#.h\n"), expected);
  EXPECT_TRUE(ParseDepfile("").empty());
  EXPECT_TRUE(ParseDepfile("out.o:").empty());
}

TEST(Schema, MacrosOfAColumn) {
  const std::vector<Schema> schemas = ParseDescription(
      R"({"operators":[{"name":"op","type":"Op","columns":2,"attributes":[],
          "infer_shape":false,"infer_dtype":false,
          "inputs":[{"name":"x","kind":0,"dtypes":[1,27],"formats":[2,29]}],
          "outputs":[{"name":"x","kind":0,"dtypes":[0,0],"formats":[2,2]}]}]})");
  const std::vector<std::string> expected = {
      "-DDTYPE_X=bfloat16_t", "-DORIG_DTYPE_X=DT_BF16",      "-DFORMAT_X=FORMAT_FRACTAL_NZ",
      "-DDTYPE_X_REF=float",  "-DORIG_DTYPE_X_REF=DT_FLOAT", "-DFORMAT_X_REF=FORMAT_ND"};
  EXPECT_EQ(KernelMacros(schemas.at(0), 1), expected);
  EXPECT_EQ(ColumnText(schemas.at(0), 1), "x bfloat16, x float32");
}

TEST(Schema, RefusesTypesWithoutKernels) {
  EXPECT_EQ(ErrorOf([] {
              ParseDescription(
                  R"({"operators":[{"name":"op","type":"Op","columns":1,"attributes":[],
                      "infer_shape":false,"infer_dtype":false,"outputs":[],
                      "inputs":[{"name":"x","kind":0,"dtypes":[13],"formats":[2]}]}]})");
            }),
            "operator Op: input x lists the data type number 13 of ge::DataType, which kernels "
            "here do not "
            "know");
  EXPECT_EQ(ErrorOf([] { ParseDescription(R"({"error":"operator Op: no"})"); }), "operator Op: no");
}

TEST(Files, WhatCannotBeWrittenSaysWhy) {
  EXPECT_EQ(ErrorOf([] { WriteFile("/nowhere/record", "text"); }),
            "/nowhere/record cannot be written: No such file or directory");
  EXPECT_EQ(ErrorOf([] { WriteFile("/dev/full/record", "text"); }),
            "/dev/full/record cannot be written: Not a directory");
}

TEST(Process, TellsHowAProgramEnded) {
  const TemporaryFolder folder;
  const auto log = folder / "log";
  EXPECT_EQ(RunProgram({"sh", "-c", "echo out; echo err >&2; exit 3"}, log).exit_code, 3);
  EXPECT_EQ(RunProgram({"sh", "-c", "echo out; echo err >&2"}, log).output, "out\nerr\n");
  EXPECT_EQ(SignalName(RunProgram({"sh", "-c", "kill -SEGV $$"}, log).signal), "SIGSEGV");
  EXPECT_EQ(ErrorOf([&] { RunProgram({"no_such_program_of_bascule"}, log); }),
            "cannot run no_such_program_of_bascule: No such file or directory");
}

TEST(Process, EndsWhatHangs) {
  const TemporaryFolder folder;
  const ProcessResult result =
      RunProgram({"sh", "-c", "sleep 60 & sleep 60"}, folder / "log", 0.05);
  EXPECT_TRUE(result.timed_out);
  EXPECT_FALSE(result.ok());
}

TEST(KernelSource, SeesTemplatesAndTheirParameters) {
  const KernelForm form = ReadKernelForm(
      "# 1 \"/p/op_kernel/op.cpp\"\n"
      "bascule_tpl_declare(Op, bascule_tpl_type(D_T), bascule_tpl_number(MODE),\n"
      "# 9 \"/p/op_kernel/key.h\" 1\n"
      "  bascule_tpl_number(ON), );\n"
      "void my_op_helper(int); int my_op(int);\n"
      "template <typename D_T, int MODE, bool ON>\n"
      "__attribute__((visibility(\"default\"), used)) __attribute__((no_icf, "
      "patchable_function_entry(8 * (sizeof(::bascule_ascendc::MixedKernel<1, 2>)), 8))) void "
      "my_op(unsigned char* x) {}\n",
      "my_op", "op_kernel/op.cpp");
  EXPECT_TRUE(form.is_template);
  EXPECT_EQ(form.parameter_is_type, (std::vector<bool>{true, false, false}));
  EXPECT_EQ(form.declared_type, "MIX_AIC_1_2");
  EXPECT_NE(form.attributes.find("patchable_function_entry(8 * (sizeof("), std::string::npos);
  EXPECT_EQ(form.files,
            (std::vector<std::filesystem::path>{"/p/op_kernel/key.h", "/p/op_kernel/op.cpp"}));
}

TEST(KernelSource, RefusesTemplatesThatNothingDeclares) {
  EXPECT_EQ(ErrorOf([] {
              ReadKernelForm("template <int n> void my_op(char* x) {}", "my_op",
                             "op_kernel/op.cpp");
            }),
            "op_kernel/op.cpp: the kernel my_op is a template, and nothing says with which "
            "arguments; declare its parameters with ASCENDC_TPL_ARGS_DECL and list their values "
            "with ASCENDC_TPL_SEL in a header that host code and kernel include");
  EXPECT_FALSE(ReadKernelForm("template <int n> void f() {} void my_op(char* x) {}", "my_op", "")
                   .is_template);
}

TEST(KernelSource, RefusesArgumentsThatNobodyPasses) {
  Schema schema;
  schema.kernel_function = "my_op";
  schema.inputs.resize(2);
  schema.outputs.resize(1);
  const auto refusal = [&](const std::string& text) {
    return ErrorOf([&] { CheckKernelArguments(text, schema, "op_kernel/my_op.cpp"); });
  };
  const std::string kernel = "extern \"C\" __global__ __aicore__ void my_op(";
  const std::string five = "GM_ADDR x, GM_ADDR mask, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling";
  const std::string six =
      "GM_ADDR x, GM_ADDR mask, GM_ADDR y,\n  GM_ADDR shapeout, GM_ADDR workspace, GM_ADDR tiling";
  for (const std::string& good : std::vector<std::string>{
           five,
           "GM_ADDR x, GM_ADDR y",  // what it does not take it does not miss
           "",
           "GM_ADDR x, /* a, b, c */ GM_ADDR mask, // d, e\n GM_ADDR y, GM_ADDR w, GM_ADDR t",
           "Pair<a, b> x, void (*f)(int, int), GM_ADDR y, GM_ADDR w, GM_ADDR t",
       }) {
    EXPECT_EQ(refusal(kernel + good + ") {}"), "") << good;
  }
  EXPECT_EQ(refusal("\n// void my_op(\n" + kernel + six + ") {}"),
            "op_kernel/my_op.cpp:4: the kernel my_op takes 6 arguments, and a launch passes 5: 2 "
            "inputs, 1 output, the workspace and the tiling data. Nobody passes 'shapeout'. Inputs "
            "and outputs are those of the OpDef. An argument for the shapes of outputs that are "
            "known only after the kernel has run (OutputShapeDependOnCompute) is not supported: "
            "give the output its largest shape and write how much of it counts to an output of "
            "its own");
  EXPECT_NE(refusal(kernel + "GM_ADDR more, GM_ADDR and_more, " + five + ") {}")
                .find("takes 7 arguments, and a launch passes 5"),
            std::string::npos);
  // Other functions, another kernel's name, text that is no code, one of two under #if.
  for (const std::string& other : std::vector<std::string>{
           "void my_op(" + six + ");",
           kernel + five + ") {} void f() { my_op(1, 2, 3, 4, 5, 6); }",
           "extern \"C\" __global__ void my_op_grad(" + six + ") {}",
           "const char* text = \"; __global__ void my_op(a, b, c, d, e, f) \";",
           "#define KERNEL __global__ void my_op(a, b, c, d, \\\n  e, f)\n",
           "#if A\n" + kernel + six + ")\n#else\n" + kernel + five + ")\n#endif\n{}",
       }) {
    EXPECT_EQ(refusal(other), "") << other;
  }
  // A digit separator is no literal.
  EXPECT_NE(refusal("int n = 1'000;\n" + kernel + six + ") {}"), "");
}

TEST(KernelSource, KernelsNamedLikeFunctionsOfCGetAnotherName) {
  for (const char* name : {"my_mul", "exp_custom", "reduce_sum", "divide", "softmax"}) {
    EXPECT_EQ(NameInObject(name), name);
    EXPECT_EQ(RenamingHeader(name), "");
  }
  for (const char* name : {"div", "exp", "abs", "log", "pow", "index"}) {
    EXPECT_EQ(NameInObject(name), std::string("bascule_kernel_") + name);
    EXPECT_NE(RenamingHeader(name).find(std::string("#define ") + name + " bascule_kernel_" + name),
              std::string::npos);
  }
}

TEST(KernelSource, NamesTypes) {
  const auto code = [](std::vector<int> bytes) { return std::string(bytes.begin(), bytes.end()); };
  EXPECT_EQ(KernelTypeName(""), "AIV_ONLY");
  EXPECT_EQ(KernelTypeName(code({BASCULE_KERNEL_MIX_AIC_1_2, 0})), "MIX_AIC_1_2");
  EXPECT_EQ(KernelTypeName(code({BASCULE_KERNEL_AIC_ONLY, 1, BASCULE_KERNEL_AIC_ONLY, 1})),
            "AIC_ONLY");
  EXPECT_EQ(KernelTypeName(code({BASCULE_KERNEL_AIC_ONLY, 1, BASCULE_KERNEL_AIV_ONLY, 1})),
            "BY_KEY");
  EXPECT_EQ(
      KernelTypeName(code({BASCULE_KERNEL_AIC_ONLY, 1, BASCULE_KERNEL_MIX_AIV_1_0, 0, 200, 0})),
      "MIX_AIV_1_0");
}

}  // namespace
}  // namespace bascule::toolchain
