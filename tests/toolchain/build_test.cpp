// Whole builds of small projects. Compiling takes seconds, so a case walks through several states
// of one project and keeps its output, whose unchanged parts are then reused.
// SPDX-License-Identifier: Apache-2.0
#include "toolchain/build.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <chrono>
#include <set>
#include <stdexcept>
#include <thread>

#include "bascule/abi/library.h"
#include "tests/toolchain/support.h"
#include "toolchain/compiler.h"
#include "toolchain/elf_file.h"
#include "toolchain/kernel_symbols.h"
#include "toolchain/manifest.h"

namespace bascule::toolchain {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char* kLayout =
    "a project has op_host/<name>.cpp with the OpDef and op_kernel/<name>.cpp with the kernel";

json Options(const json& more = json::object()) {
  const std::string include = BASCULE_SOURCE_DIR "/include";
  json options = {
      {"include_dirs", {include, include + "/ascendc/host", include + "/ascendc/kernel"}},
      {"flags", {"-O0"}}};  // the host part compiles faster
  options.update(more);
  return options;
}

std::string HostSource(const std::string& constructor, const std::string& before = "") {
  return "#include \"register/op_def_registry.h\"\n" + before +
         "static ge::graphStatus Tiling(gert::TilingContext* c) { c->SetBlockDim(1); return "
         "ge::GRAPH_SUCCESS; }\n"
         "namespace ops {\n"
         "class TinyOp : public OpDef {\n public:\n"
         "  explicit TinyOp(const char* name) : OpDef(name) {\n" +
         constructor + "  }\n};\nOP_ADD(TinyOp);\n}\n";
}

const std::string kConstructor =
    "    this->Input(\"x\").DataType({ge::DT_FLOAT16, ge::DT_FLOAT});\n"
    "    this->Output(\"out\").Follow(\"x\");\n"
    "    this->AICore().SetTiling(Tiling);\n";

// A kernel without Ascend C: a class that is not a template, with another body in each variant, in
// the forms that linkers merge.
constexpr const char* kKernel = R"(
#include <stdint.h>
using half = uint16_t;
#include "tiny_op.h"
#if ORIG_DTYPE_X == DT_FLOAT16
#define KIND 16
#elif ORIG_DTYPE_X == DT_FLOAT
#define KIND 32
#endif
#if FORMAT_X != FORMAT_ND
#error "the format"
#endif
struct Worker {
  virtual ~Worker() = default;
  virtual int Kind();
  int Bytes();
  static int& Calls() { static int calls = KIND; return calls; }
};
inline int Worker::Kind() { return KIND; }
inline int Worker::Bytes() { return sizeof(DTYPE_X) + sizeof(DTYPE_OUT); }
inline int shared_variable = KIND;
template <typename T> int Twice(T value) { return value * 2 + KIND; }
extern "C" void tiny_op(int* result, void*, void*, void*) {
  Worker worker;
  result[0] = worker.Kind();
  result[1] = worker.Bytes();
  result[2] = ++Worker::Calls();
  result[3] = shared_variable;
  result[4] = Twice(1);
  result[5] = FROM_HEADER;
}
)";

constexpr const char* kGradient = "def tiny_op_bprop(x, out, dout):\n    return dout,\n";

constexpr const char* kReference =
    "def tiny_op_reference(x):\n    return x\n"
    "def tiny_op_cases():\n    yield {\"shapes\": [(3,)]}\n";

class BuildTest : public testing::Test {
 protected:
  BuildTest() {
    Write(project_ / "op_host/tiny_op.cpp", HostSource(kConstructor));
    // A function for programs by hand, which is left out.
    Write(project_ / "op_host/aclnn_tiny_op.cpp", "#include \"tiny_op_l0.h\"\n");
    Write(project_ / "op_host/tiny_op_l0.h", "#include \"aclnn/opdev/op_executor.h\"\n");
    Write(project_ / "op_kernel/tiny_op.cpp", kKernel);
    Write(project_ / "op_kernel/tiny_op.h", "#define FROM_HEADER 1\n");
    Write(project_ / "gradient.py", kGradient);
  }

  BuildResult Build(const json& more = json::object()) {
    return toolchain::Build(project_.string(), Options(more));
  }
  std::string Refusal(const json& more = json::object()) {
    const BuildResult result = Build(more);
    EXPECT_NE(result.status, BASCULE_OK);
    EXPECT_EQ(result.report.at("status"), "failed");
    EXPECT_EQ(result.report.at("error"), result.error);
    return result.error;
  }
  // The names of the steps that ran, in a set.
  static std::set<std::string> Ran(const BuildResult& result) {
    EXPECT_EQ(result.error, "");
    std::set<std::string> names;
    for (const json& step : result.report.at("steps")) {
      if (!step.at("reused").get<bool>()) names.insert(step.at("name"));
    }
    return names;
  }

  const TemporaryFolder folder_;
  // Paths with blanks, commas and dollars go through compilers, linkers and dependency files.
  const fs::path project_ = folder_ / "odd, $(folder) #1" / "tiny_op";
  const std::string library_ = (project_ / "build_out/libtiny_op.so").string();
};

const std::string kHalf = "op_kernel/tiny_op.cpp for x float16, out float16";
const std::string kFloat = "op_kernel/tiny_op.cpp for x float32, out float32";

TEST_F(BuildTest, SaysWhatIsMissing) {
  EXPECT_EQ(toolchain::Build("/no/such/place", {}).error,
            std::string("there is no project /no/such/place; ") + kLayout);
  EXPECT_EQ(
      toolchain::Build((project_ / "gradient.py").string(), {}).error,
      (project_ / "gradient.py").string() +
          " is neither the folder of a project nor a kernel's file, which ends in .cpp, .cc or "
          ".cxx; " +
          kLayout);
  EXPECT_EQ(toolchain::Build(folder_.path().string(), {}).error,
            folder_.path().string() + " has no folder op_host; " + kLayout);
  const fs::path pipe = folder_ / "pipe.cpp";
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  EXPECT_EQ(toolchain::Build(pipe.string(), {}).error, pipe.string() + " is not a regular file");
  const std::string wanted = "; name the library to write, as in libmy_mul.so";
  EXPECT_EQ(Refusal({{"output", pipe.string()}}),
            "the output " + pipe.string() + " is no regular file" + wanted);
  EXPECT_EQ(Refusal({{"output", folder_.path().string()}}),
            "the output " + folder_.path().string() + " is a folder" + wanted);
  EXPECT_EQ(Refusal({{"jobs", -1}}),
            "the build option \"jobs\" is -1; it says how many files are compiled at a time, 0 for "
            "all processors");
  fs::remove(project_ / "op_host/tiny_op.cpp");
  EXPECT_EQ(Refusal(), project_.string() + "/op_host holds no .cpp file; " + kLayout);
}

TEST_F(BuildTest, MakesALibraryOfALoneKernel) {
  const fs::path file = folder_ / "odd, $(folder) #1" / "scale.cpp";
  Write(file,
        "#include \"kernel_operator.h\"\n"
        "extern \"C\" int helper() { return 1; }\n"
        "extern \"C\" __global__ __aicore__ void scale(GM_ADDR x, GM_ADDR out) {}\n");
  const toolchain::BuildResult built = toolchain::Build(file.string(), Options());
  ASSERT_EQ(built.error, "");
  const fs::path library = file.parent_path() / "build_out/libscale.so";
  EXPECT_EQ(built.report["output"], library.string());
  EXPECT_EQ(built.report["operators"], json({"scale"}));
  EXPECT_EQ(toolchain::ReadKernelSymbols(toolchain::ElfFile(library)).kernels,
            std::vector<std::string>{"scale"});
  EXPECT_EQ(toolchain::Build(file.string(), Options()).report["status"], "unchanged");

  EXPECT_EQ(toolchain::Build(file.string(), Options({{"static", true}})).error,
            "scale.cpp is a lone kernel: the build options static and plans are for projects");

  Write(file, "extern \"C\" int helper() { return 1; }\n");
  EXPECT_EQ(toolchain::Build(file.string(), Options()).error,
            "scale.cpp defines no kernel; one is declared extern \"C\" __global__ __aicore__ void "
            "name(…), after #include \"kernel_operator.h\"");
  EXPECT_TRUE(fs::exists(library)) << "the last good one stays";
  Write(file, "no C++\n");
  EXPECT_TRUE(
      toolchain::Build(file.string(), Options()).error.starts_with("scale.cpp does not compile:"));
}

TEST_F(BuildTest, RefusesOptionsItDoesNotKnow) {
  EXPECT_EQ(Refusal({{"ouput", "x"}}),
            "unknown build option \"ouput\"; known are output, prefix, include_dirs, compiler, "
            "flags, optimize, "
            "jobs, force, static, plans, describe_seconds");
  EXPECT_EQ(Refusal({{"jobs", "many"}}), "the build option \"jobs\" cannot be \"many\"");
  EXPECT_EQ(Refusal({{"optimize", 9}}), "the build option \"optimize\" must be 0, 1, 2 or 3");
  EXPECT_EQ(toolchain::Build(project_.string(), json::array()).error,
            "the options of a build must be a JSON object");
}

TEST_F(BuildTest, SaysWhichCompilerIsMissing) {
  constexpr const char* kInstall =
      "Install one: `apt-get install g++` (Debian, Ubuntu), `dnf install gcc-c++` (Fedora), or set "
      "CXX";
  EXPECT_EQ(
      Refusal({{"compiler", "no-such-g++ -m64"}}),
      std::string("the compiler \"no-such-g++ -m64\" from the option compiler was not found. ") +
          kInstall);
  const std::string path = getenv("PATH");
  unsetenv("CXX");
  setenv("PATH", "/nowhere", 1);
  const std::string refusal = Refusal();
  setenv("PATH", path.c_str(), 1);
  EXPECT_EQ(
      refusal,
      std::string("no C++ compiler was found. Looked for g++, clang++, c++ in PATH. ") + kInstall);
}

// The prefix's object here is none, so whoever takes it does not link.
TEST_F(BuildTest, TakesTheHostPartOfThePrefixFromItsOwnCompilerOnly) {
  const fs::path prefix = folder_ / "prefix";
  const fs::path include = BASCULE_SOURCE_DIR "/include";
  fs::create_directories(prefix / "include");
  fs::create_directory_symlink(include / "bascule", prefix / "include/bascule");
  for (const auto& entry : fs::directory_iterator(include / "ascendc/host")) {
    fs::create_symlink(entry.path(), prefix / "include" / entry.path().filename());
  }
  Write(prefix / "lib/bascule/host_part.o", "no object");
  const auto refusal = [&](const std::string& maker, const json& flags) {
    Write(prefix / "lib/bascule/host_part.compiler", maker + "\n");
    return ErrorOf([&] {
      DescribeProject(project_.string(), {{"prefix", prefix.string()}, {"flags", flags}});
    });
  };
  const std::string version = FindCompiler("", folder_.path()).version;
  const std::string same = "another-name" + version.substr(version.find(' '));
  EXPECT_EQ(refusal("g++ (Nobody) 1.0", json::array()), "");
  EXPECT_NE(refusal(same, json::array()).find("does not link"), std::string::npos);
  EXPECT_EQ(refusal(same, {"-O0"}), "");
}

TEST_F(BuildTest, SaysWhereHeadersWereLookedFor) {
  const std::string prefix = (folder_ / "prefix").string();
  EXPECT_EQ(Refusal({{"include_dirs", json::array()}, {"prefix", prefix}}),
            "the Ascend C headers of bascule were not found. Looked in:\n  " + prefix +
                "/include (the option prefix)\nInstall bascule (pip install bascule), or set "
                "BASCULE_PREFIX to "
                "what `bascule prefix` prints");
}

TEST_F(BuildTest, LibraryDescribesItselfAndChangesAreSeen) {
  // Built the first time.
  BuildResult result = Build({{"optimize", 0}});
  ASSERT_EQ(result.error, "");
  EXPECT_EQ(result.report.at("output"), library_);
  EXPECT_EQ(result.report.at("status"), "built");
  EXPECT_EQ(result.report.at("operators"), json({"tiny_op"}));

  // It exports C symbols, and only those that somebody looks up by name.
  std::set<std::string> exported;
  for (const ElfSymbol& symbol : ElfFile(library_).Symbols(SHT_DYNSYM)) {
    if (symbol.defined && symbol.binding != STB_LOCAL) exported.insert(symbol.name);
  }
  const std::set<std::string> expected = {"bascule_library_v1", "tiny_op", "tiny_opInferShape",
                                          "tiny_opInferType"};
  EXPECT_EQ(exported, expected);

  const json manifest = ReadManifest(library_);
  const json& op = manifest.at("operators").at(0);
  EXPECT_EQ(op.at("type"), "TinyOp");
  EXPECT_EQ(op.at("columns"), 2);
  EXPECT_EQ(op.at("inputs").at(0).at("dtypes"), json({"float16", "float32"}));
  EXPECT_EQ(op.at("gradient").at("text"), kGradient);
  EXPECT_EQ(op.at("gradient").at("function"), "tiny_op_bprop");

  // Nothing changed.
  const auto start = std::chrono::steady_clock::now();
  result = Build({{"optimize", 0}});
  const auto took = std::chrono::steady_clock::now() - start;
  EXPECT_EQ(result.report.at("status"), "unchanged");
  EXPECT_TRUE(Ran(result).empty());
  EXPECT_LT(took, std::chrono::seconds(1));  // some milliseconds on a machine at rest

  // A header of the kernel: kernels and what holds them.
  Write(project_ / "op_kernel/tiny_op.h", "#define FROM_HEADER 2\n");
  EXPECT_EQ(Ran(Build({{"optimize", 0}})),
            (std::set<std::string>{kHalf, kFloat, "manifest", "library"}));
  EXPECT_NE(ReadManifest(library_).at("source_hash"), manifest.at("source_hash"));

  // The gradient: no compiler.
  Write(project_ / "gradient.py", std::string("# better\n") + kGradient);
  EXPECT_EQ(Ran(Build({{"optimize", 0}})), (std::set<std::string>{"manifest", "library"}));
  fs::remove(project_ / "gradient.py");
  EXPECT_EQ(Ran(Build({{"optimize", 0}})), (std::set<std::string>{"manifest", "library"}));
  EXPECT_EQ(ReadManifest(library_).at("operators").at(0).at("gradient"), nullptr);

  // The reference: no compiler either.
  Write(project_ / "reference.py", kReference);
  EXPECT_EQ(Ran(Build({{"optimize", 0}})), (std::set<std::string>{"manifest", "library"}));
  const json with_reference = ReadManifest(library_).at("operators").at(0);
  EXPECT_EQ(with_reference.at("reference").at("text"), kReference);
  EXPECT_EQ(with_reference.at("reference").at("function"), "tiny_op_reference");
  EXPECT_EQ(with_reference.at("reference").at("cases"), "tiny_op_cases");
  fs::remove(project_ / "reference.py");
  EXPECT_EQ(Ran(Build({{"optimize", 0}})), (std::set<std::string>{"manifest", "library"}));
  EXPECT_FALSE(ReadManifest(library_).at("operators").at(0).contains("reference"));

  // A library that somebody damaged or removed comes back.
  Write(library_, "no library");
  EXPECT_EQ(Ran(Build({{"optimize", 0}})), (std::set<std::string>{"library"}));
  fs::remove(library_);
  EXPECT_EQ(Ran(Build({{"optimize", 0}})), (std::set<std::string>{"library"}));

  // Back to the sources of the first build: the same hash, wherever the project lies.
  Write(project_ / "op_kernel/tiny_op.h", "#define FROM_HEADER 1\n");
  Write(project_ / "gradient.py", kGradient);
  Build({{"optimize", 0}});
  EXPECT_EQ(ReadManifest(library_).at("source_hash"), manifest.at("source_hash"));

  // A mistake in between does not spoil what is there.
  Write(project_ / "gradient.py", "import os\n");
  EXPECT_EQ(Refusal({{"optimize", 0}}),
            "gradient.py:1: imports os; a gradient may import bascule.xp only, because it is bound "
            "to every "
            "framework");
  EXPECT_EQ(ReadManifest(library_), manifest);
}

// The same class names with different bodies, without and with inlining.
TEST_F(BuildTest, VariantsKeepTheirOwnCode) {
  for (int optimize : {0, 2}) {
    const std::string output = (folder_ / Join("O ", optimize, ",$x") / "libtiny_op.so").string();
    ASSERT_EQ(Build({{"optimize", optimize}, {"output", output}, {"flags", json::array()}}).error,
              "");
    void* handle = dlopen(output.c_str(), RTLD_NOW | RTLD_LOCAL);
    ASSERT_NE(handle, nullptr) << dlerror();
    const auto function =
        reinterpret_cast<BasculeLibraryFunction>(dlsym(handle, BASCULE_LIBRARY_SYMBOL));
    ASSERT_NE(function, nullptr);
    const BasculeLibraryTable& table = *function();
    ASSERT_EQ(table.operator_count, 1u);
    EXPECT_EQ(table.abi_version, static_cast<uint32_t>(BASCULE_LIBRARY_ABI_VERSION));
    const BasculeOperatorEntry& entry = table.operators[0];
    EXPECT_STREQ(entry.name, "tiny_op");
    ASSERT_NE(entry.def, nullptr);
    EXPECT_STREQ(entry.def->type, "TinyOp");
    EXPECT_EQ(entry.def->inputs[0].dtypes[0], BASCULE_FLOAT16);
    EXPECT_NE(entry.def->infer_shape, nullptr) << "the output follows the input";
    ASSERT_EQ(entry.variant_count, 2u);
    for (uint32_t column = 0; column < 2; ++column) {
      EXPECT_EQ(entry.variants[column].column, column);
      int result[6] = {};
      reinterpret_cast<void (*)(int*, void*, void*, void*)>(entry.variants[column].entry)(
          result, nullptr, nullptr, nullptr);
      const int kind = column == 0 ? 16 : 32;
      EXPECT_EQ(result[0], kind);
      EXPECT_EQ(result[1], 2 * kind / 8);
      EXPECT_EQ(result[2], kind + 1) << "a static variable of its own";
      EXPECT_EQ(result[3], kind);
      EXPECT_EQ(result[4], 2 + kind);
      EXPECT_EQ(result[5], 1);
    }

    // Without a runtime the aot entry says what was looked for.
    unsetenv("BASCULE_RUNTIME");
    using Aot = int (*)(int, void**, int*, int64_t**, const char**, void*, void*);
    const auto aot = reinterpret_cast<Aot>(dlsym(handle, "tiny_op"));
    ASSERT_NE(aot, nullptr);
    try {
      aot(0, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr);
      FAIL() << "it returned";
    } catch (const std::runtime_error& error) {
      const std::string text = error.what();
      EXPECT_TRUE(text.starts_with("tiny_op: the bascule runtime was not found. Tried:")) << text;
      EXPECT_NE(
          text.find("beside this library: " + (folder_ / Join("O ", optimize, ",$x")).string()),
          std::string::npos)
          << text;
    }
  }
}

TEST_F(BuildTest, MistakesInTheSourcesAreTold) {
  const json output = {{"output", library_}};
  const auto host = [&](const std::string& constructor, const std::string& before = "") {
    Write(project_ / "op_host/tiny_op.cpp", HostSource(constructor, before));
  };
  const auto starts = [](const std::string& text, const std::string& begin) {
    EXPECT_EQ(text.substr(0, begin.size()), begin) << text;
  };

  host("    this->Inptu(\"x\");\n" + kConstructor);
  std::string error = Refusal(output);
  starts(error, "op_host/tiny_op.cpp does not compile:\n");
  EXPECT_NE(error.find("op_host/tiny_op.cpp:7:11: error: "), std::string::npos) << error;

  host("    this->Input(\"y\").DataType({ge::DT_FLOAT});\n" + kConstructor);
  EXPECT_EQ(Refusal(output),
            "operator TinyOp: input x lists 2 data types and input y lists 1 data types; each list "
            "has one "
            "entry per supported combination, so all are equally long");

  host(kConstructor,
       "int Elsewhere();\nstatic int value = Elsewhere();\nint Use() { return value; }\n");
  starts(Refusal(output), "the host code of tiny_op does not link:\n");

  host(kConstructor,
       "#include <cstdio>\nstatic int crash = (puts(\"here\"), fflush(stdout), "
       "*static_cast<volatile int*>(nullptr));\n");
  // An emulator adds a line of its own.
  starts(Refusal(output),
         "the host code of tiny_op crashed with SIGSEGV while its operators were read; its static "
         "initialisers and the constructors of its OpDefs run then. It printed:\nhere\n");

  host(kConstructor, "static int hang = [] { for (volatile int i = 0;;) i = 0; return 0; }();\n");
  starts(Refusal({{"output", library_}, {"describe_seconds", 0.2}}),
         "the host code of tiny_op did not end within 0.2 s while its operators were read;");

  Write(project_ / "op_host/tiny_op.cpp", "#include \"register/op_def_registry.h\"\n");
  EXPECT_EQ(Refusal(output),
            "op_host of tiny_op adds no operator; OP_ADD(Name) after the OpDef does that");

  host(kConstructor);
  Write(project_ / "op_kernel/tiny_op.cpp", "extern \"C\" void tiny_opp(void*) {}\n");
  EXPECT_EQ(Refusal(output),
            "op_kernel/tiny_op.cpp defines no kernel tiny_op; the operator's name decides the "
            "kernel's: extern "
            "\"C\" __global__ __aicore__ void tiny_op(…). It defines tiny_opp");

  Write(project_ / "op_kernel/tiny_op.cpp",
        "#if ORIG_DTYPE_X == DT_FLOAT\n#error \"no float\"\n#endif\nextern \"C\" void "
        "tiny_op(void*) {}\n");
  error = Refusal(output);
  starts(error, kFloat + " does not compile:\n");
  EXPECT_NE(error.find("#error \"no float\""), std::string::npos) << error;

  Write(project_ / "op_kernel/tiny_op.cpp",
        "void elsewhere();\nvoid tiny_op(void*) { elsewhere(); }\n");
  error = Refusal(output);
  starts(error, "the library does not link:\n");
  EXPECT_NE(error.find("elsewhere"), std::string::npos) << error;
  EXPECT_FALSE(fs::exists(library_));

  fs::remove(project_ / "op_kernel/tiny_op.cpp");
  EXPECT_EQ(Refusal(output),
            "operator tiny_op has no kernel file. Looked for:\n  op_kernel/tiny_op.cpp\n  "
            "op_kernel/tiny_op/tiny_op.cpp\n  op_kernel/tiny_op_kernel.cpp\n  "
            "op_kernel/tiny_op/tiny_op_kernel.cpp");

  // All is well again, and a kernel may be a C++ function.
  host(kConstructor);
  std::string kernel = kKernel;
  kernel.replace(kernel.find("extern \"C\" "), 11, "");
  Write(project_ / "op_kernel/tiny_op.cpp", kernel);
  EXPECT_EQ(Build(output).error, "");
}

// The library's entry exp would take the place of the function that is called.
TEST_F(BuildTest, AnOperatorNamedLikeAFunctionItsCodeCallsIsRefused) {
  Write(project_ / "op_host/helper.cpp",
        "#include <cmath>\nvolatile double one = 1;\ndouble Use() { return std::exp(one); }\n");
  ASSERT_EQ(Build({{"output", library_}}).error, "");
  // Only the other file changes; the helper is reused.
  std::string host = HostSource(kConstructor);
  for (std::size_t at = 0; (at = host.find("TinyOp", at)) != std::string::npos;) {
    host.replace(at, 6, "Exp");
  }
  Write(project_ / "op_host/tiny_op.cpp", host);
  Write(project_ / "op_kernel/exp.cpp", "void exp(void*) {}\n");
  fs::remove(project_ / "gradient.py");
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(Refusal({{"output", library_}}),
              "op_host/helper.cpp calls a function exp, which is also the name of the operator's "
              "entry in the "
              "library; rename the operator, or make the function one of your own namespace");
  }
}

// What the C library declares under the kernel's name is another function.
TEST_F(BuildTest, AKernelMayBeNamedLikeAFunctionOfC) {
  std::string host = HostSource(kConstructor);
  for (std::size_t at = 0; (at = host.find("TinyOp", at)) != std::string::npos;) {
    host.replace(at, 6, "Div");
  }
  Write(project_ / "op_host/tiny_op.cpp", host);
  fs::remove(project_ / "gradient.py");
  for (const char* kernel : {
           "#include <cstdlib>\n#include <cmath>\nextern \"C\" __attribute__((used)) void "
           "div(void* x, void*, void*, void*) { *static_cast<double*>(x) = std::fabs(-1.0); }\n",
           "#include \"kernel_operator.h\"\nextern \"C\" __global__ __aicore__ void "
           "div(GM_ADDR x, GM_ADDR y, GM_ADDR workspace, GM_ADDR tiling) {}\n",
       }) {
    Write(project_ / "op_kernel/div.cpp", kernel);
    EXPECT_EQ(Build({{"output", library_}}).error, "") << kernel;
  }
  Write(project_ / "op_kernel/div.cpp", "extern \"C\" void divide(void*) {}\n");
  EXPECT_EQ(Refusal({{"output", library_}}),
            "op_kernel/div.cpp defines no kernel div; the operator's name decides the kernel's: "
            "extern \"C\" __global__ __aicore__ void div(…). It defines divide");
}

TEST_F(BuildTest, ConcurrentBuildsOfOneOutputWait) {
  std::string errors[3];
  std::string statuses[3];
  std::thread threads[3];
  for (int i = 0; i < 3; ++i) {
    threads[i] = std::thread([&, i] {
      const BuildResult result = Build({{"jobs", 1}});
      errors[i] = result.error;
      statuses[i] = result.report.at("status").get<std::string>();
    });
  }
  for (std::thread& thread : threads) thread.join();
  std::multiset<std::string> seen(statuses, statuses + 3);
  for (const std::string& error : errors) EXPECT_EQ(error, "");
  EXPECT_EQ(seen, (std::multiset<std::string>{"built", "unchanged", "unchanged"}));
  // Nothing is left beside the library.
  std::set<std::string> files;
  for (const auto& entry : fs::directory_iterator(project_ / "build_out")) {
    files.insert(entry.path().filename().string());
  }
  EXPECT_EQ(files, (std::set<std::string>{".bascule", "libtiny_op.so"}));
}

}  // namespace
}  // namespace bascule::toolchain
