// The driver as a user calls it, against the staged installation: what it makes runs, what is wrong
// is said at the user's line and column. SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>
#include <stdlib.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "toolchain/process.h"

namespace bascule::toolchain {
namespace {

namespace fs = std::filesystem;

constexpr const char* kSanitize = BASCULE_TEST_SANITIZE;
const std::string kDriver = BASCULE_TEST_PREFIX "/bin/bascule-ascc";

class Driver : public testing::Test {
 protected:
  void SetUp() override {
    std::string folder = (fs::temp_directory_path() / "bascule-test-XXXXXX").string();
    ASSERT_NE(mkdtemp(folder.data()), nullptr);
    folder_ = fs::canonical(folder);
    old_ = fs::current_path();
    fs::current_path(folder_);
    unsetenv("CXX");  // GCC's columns and words are looked for
  }
  void TearDown() override {
    fs::current_path(old_);
    fs::remove_all(folder_);
  }

  void Write(const std::string& name, const std::string& text) const {
    std::ofstream(folder_ / name) << text;
  }
  std::string Read(const std::string& name) const {
    std::ifstream file(folder_ / name);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  }
  ProcessResult Run(const std::vector<std::string>& command) const {
    return RunProgram(command, folder_ / "log", 60);
  }
  ProcessResult Drive(std::vector<std::string> arguments) const {
    arguments.insert(arguments.begin(), kDriver);
    return Run(arguments);
  }
  // Runs the driver, which has to succeed and to be silent.
  void Build(std::vector<std::string> arguments) const {
    // A sanitized runtime wants a program that was built with the sanitizer.
    if (*kSanitize != '\0') arguments.push_back(std::string("-fsanitize=") + kSanitize);
    const ProcessResult result = Drive(arguments);
    ASSERT_TRUE(result.ok()) << result.output;
    EXPECT_EQ(result.output, "");
  }

  fs::path folder_;
  fs::path old_;
};

constexpr const char* kHeader = R"(#pragma once
template <typename T>
__global__ __aicore__ void fill(GM_ADDR out, T value) {
  AscendC::GlobalTensor<T> tensor;
  tensor.SetGlobalBuffer((__gm__ T*)out);
  tensor.SetValue(AscendC::GetBlockIdx(), value + AscendC::GetBlockIdx());
}
inline void FromHeader(void* out, aclrtStream s) { fill<int32_t><<<2, nullptr, s>>>((GM_ADDR)out, 10); }
)";

constexpr const char* kProgram = R"(#include "acl/acl.h"
#include "kernel_operator.h"
#include "fill.h"
#include <cstdio>
#define LAUNCH(kernel, blocks, ...) kernel<<<blocks, 0, s>>>(__VA_ARGS__)
#define CONFIGURED(kernel) kernel<<<2, 0, s>>>
#define OUT ((GM_ADDR)out)
struct Plan { int32_t a, b; };
struct Table { void (*kernel)(GM_ADDR, int32_t); };
template <int n> struct A { static constexpr int value = n; };
template <typename T> constexpr int two() { return 2; }
extern "C" __global__ __aicore__ void by_value(GM_ADDR out, Plan plan, const char* none) {
  fill<int32_t>(out, none == nullptr ? plan.a * plan.b : 0);
}
__vector__ __global__ void builtins(__gm__ int32_t* out) {
  if ASCEND_IS_AIV { out[block_idx] = 110 + block_idx * (block_num - 1); }
}
template <typename T> __global__ __aicore__ void deduced(GM_ADDR out, T value) { fill<T>(out, value); }
template <typename T> void InTemplate(void* out, aclrtStream s, T value) {
  deduced<T><<<two<A<A<2>::value>>(), 0, s>>>(OUT, value);
}
int main() {
  void* out = nullptr;
  aclrtStream s = nullptr;
  const char* text = R"x(k<<<1, 2, 3>>>("x"))x"; /* k<<<1>>>(2) */ char c = '<'; // k<<<1>>>(2)
  aclrtCreateStream(&s);
  aclrtMalloc(&out, 64, ACL_MEM_MALLOC_HUGE_FIRST);
  const auto show = [&](const char* what) {
    int32_t host[2] = {};
    if (aclrtSynchronizeStream(s)) return;
    aclrtMemcpy(host, 8, out, 8, ACL_MEMCPY_DEVICE_TO_HOST);
    printf("%s %d %d\n", what, host[0], host[1]);
  };
  FromHeader(out, s); show("header");
  LAUNCH(fill<int32_t>, 2, OUT, 20); show("macro");
  CONFIGURED(fill<int32_t>)(OUT, 30); show("configured");
  InTemplate(out, s, int32_t{40}); show("template");
  deduced<<<2, 0, s>>>(OUT, int32_t{50}); show("deduced");
  [&](int value) { fill<int32_t><<<2, nullptr, s>>>(OUT, value); }(60); show("lambda");
  Table table{fill<int32_t>};
  table.kernel<<<2, 0, s>>>(OUT, 70); show("member");
  if (c == '<') (*table.kernel)<<<2, 0, s>>>(OUT, 80); show("pointer");
  by_value<<<2, 0, s>>>(OUT, {9, 10}, 0); show("value");
  ::fill<int32_t>
      <<<2,
         0, s>>>(
          OUT, 100); show("lines");
  builtins<<<2, 0, s>>>((int32_t*)out); show("builtins");
  printf("%s:%d %s\n", __FILE__, __LINE__, text);
}
)";

constexpr const char* kOutput = R"(header 10 11
macro 20 21
configured 30 31
template 40 41
deduced 50 51
lambda 60 61
member 70 71
pointer 80 81
value 90 91
lines 100 101
builtins 110 111
program.asc:49 k<<<1, 2, 3>>>("x")
)";

TEST_F(Driver, CompilesEveryFormOfLaunch) {
  Write("fill.h", kHeader);
  Write("program.asc", kProgram);
  Build({"--npu-arch=dav-2201", "-Wall", "-Wextra", "-Wpedantic", "-Wshadow", "-O1", "program.asc",
         "-o", "program"});
  const ProcessResult result = Run({"./program"});
  EXPECT_TRUE(result.ok());
  EXPECT_EQ(result.output, kOutput);
}

// Each kernel counts its cube cores and its vector cores; however it is written and launched, there
// are as many as it says.
TEST_F(Driver, StartsTheCoresAKernelIsFor) {
  Write("program.asc", R"(#include "acl/acl.h"
#include "kernel_operator.h"
#include <cstdio>
__aicore__ inline void Count(__gm__ int32_t* out) {
  if ASCEND_IS_AIC { AscendC::AtomicAdd(out, int32_t(1)); } else { AscendC::AtomicAdd(out + 1, int32_t(1)); }
}
#define MIXED __global__ __mix__(1, 2)
__global__ __aicore__ void plain(__gm__ int32_t* out) { Count(out); }
__vector__ __global__ __aicore__ void vector(__gm__ int32_t* out) { Count(out); }
extern "C" __cube__ __global__ __aicore__ void cube(__gm__ int32_t* out) { Count(out); }
__mix__(1, 1) __global__ void one_to_one(__gm__ int32_t* out) { Count(out); }
MIXED void hidden(__gm__ int32_t* out) { Count(out); }
template <typename T> __schedmode__(1) __global__ __mix__(1, 2) void mixed(__gm__ T* out) { Count(out); }
__global__ __aicore__ void says(__gm__ int32_t* out) {
  KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);
  Count(out);
}
__mix__(1, 1) __global__ void constant(__gm__ int32_t* out) {
  if constexpr (g_coreType == AscendC::AIC) { AscendC::AtomicAdd(out, int32_t(1)); } else { AscendC::AtomicAdd(out + 1, int32_t(1)); }
}
#ifdef __DAV_C220_CUBE__
#error "one build serves both kinds of core"
#endif
#ifndef __DAV_C220_VEC__
#error "and is the vector cores'"
#endif
int main() {
  int32_t* out = nullptr;
  aclrtMalloc((void**)&out, 64, ACL_MEM_MALLOC_HUGE_FIRST);
  const auto show = [&](const char* what) {
    int32_t host[2] = {};
    if (aclrtSynchronizeStream(nullptr)) return;
    aclrtMemcpy(host, 8, out, 8, ACL_MEMCPY_DEVICE_TO_HOST);
    printf("%s %d %d\n", what, host[0], host[1]);
    aclrtMemset(out, 8, 0, 8);
  };
  aclrtMemset(out, 8, 0, 8);
  plain<<<5, 0, nullptr>>>(out); show("plain");
  vector<<<5, 0, nullptr>>>(out); show("vector");
  cube<<<5, 0, nullptr>>>(out); show("cube");
  one_to_one<<<5, 0, nullptr>>>(out); show("one_to_one");
  hidden<<<5, 0, nullptr>>>(out); show("hidden");
  mixed<int32_t><<<5, 0, nullptr>>>(out); show("mixed");
  mixed<<<5, 0, nullptr>>>(out); show("deduced");
  auto* pointer = &mixed<int32_t>;
  pointer<<<5, 0, nullptr>>>(out); show("pointer");
  says<<<5, 0, nullptr>>>(out); show("says");
  constant<<<5, 0, nullptr>>>(out); show("constant");
}
)");
  for (const char* level : {"-O0", "-O2"}) {
    Build({"--npu-arch=dav-2201", "-Wall", "-Wextra", level, "program.asc", "-o", "program"});
    EXPECT_EQ(Run({"./program"}).output,
              "plain 0 5\nvector 0 5\ncube 5 0\none_to_one 5 5\nhidden 5 10\nmixed 5 10\n"
              "deduced 5 10\npointer 5 10\nsays 5 10\nconstant 5 5\n");
  }
  Write("wrong.asc", "#include \"kernel_operator.h\"\n__global__ __mix__(2, 1) void k() {}\n");
  const ProcessResult wrong = Drive({"-c", "wrong.asc"});
  EXPECT_EQ(wrong.exit_code, 1);
  EXPECT_NE(wrong.output.find("a mixed kernel is __mix__(0, 1), (1, 0), (1, 1) or (1, 2)"),
            std::string::npos)
      << wrong.output;
}

TEST_F(Driver, CompilesWithClangToo) {
  std::string clang;
  for (const char* name : {"clang++", "clang++-19", "clang++-18", "clang++-17", "clang++-16",
                           "clang++-15", "clang++-14"}) {
    if (clang.empty() && FindProgram(name)) clang = name;
  }
  if (*kSanitize != '\0') GTEST_SKIP() << "the runtime has another compiler's sanitizer";
  if (clang.empty()) GTEST_SKIP() << "there is no clang++";
  Write("fill.h", kHeader);
  Write("program.asc", kProgram);
  Build({"--host-compiler=" + clang, "-Wall", "-Wextra", "program.asc", "-o", "program"});
  EXPECT_EQ(Run({"./program"}).output, kOutput);
}

TEST_F(Driver, MakesProgramsThatTellWhatNobodyAskedFor) {
  Write("program.asc", R"(#include "acl/acl.h"
#include "kernel_operator.h"
__global__ __vector__ void too_far(__gm__ int32_t* out) {
  AscendC::GlobalTensor<int32_t> tensor;
  tensor.SetGlobalBuffer(out);
  tensor.SetValue(100, 1);
}
int main() {
  void* out;
  aclrtMalloc(&out, 64, ACL_MEM_MALLOC_HUGE_FIRST);
  too_far<<<2, 0, nullptr>>>((int32_t*)out);
}
)");
  Build({"program.asc", "-o", "program"});
  const ProcessResult result = Run({"./program"});
  EXPECT_TRUE(result.ok());
  EXPECT_EQ(result.output.rfind("bascule: too_far (block ", 0), 0u) << result.output;
  EXPECT_NE(result.output.find(
                "SetValue at program.asc:6: writes 4 bytes of 'argument 1' from byte 400, but "
                "'argument 1' has 64 bytes"),
            std::string::npos)
      << result.output;
  EXPECT_NE(result.output.find("(launched at program.asc:11)"), std::string::npos) << result.output;
}

// What is preprocessed compiles without the driver.
TEST_F(Driver, PreprocessesToOrdinaryCpp) {
  Write("fill.h", kHeader);
  Write("program.asc", kProgram);
  Build({"-E", "program.asc", "-o", "program.ii"});
  const ProcessResult result = Run({"g++", "-std=gnu++17", "-c", "program.ii", "-o", "program.o"});
  EXPECT_TRUE(result.ok()) << result.output;
}

TEST_F(Driver, SaysWhatIsWrongWhereItIs) {
  Write("wrong.asc", R"(#include "acl/acl.h"
__global__ __aicore__ void k(GM_ADDR x, float v) {}
#define LAUNCH(k, n, ...) k<<<n, 0, s>>>(__VA_ARGS__)
int main() {
  aclrtStream s = nullptr; float* f = nullptr;
  k<<<1, 0, s>>>(f, 1.0f);
  k<<<1, 0, s>>>(nullptr);
	k<<<no_such_number, 0, s>>>(nullptr, 1); int after = no_such_name;
  if (s) { k<<<1, 0, s>>>(nullptr, no_such_argument); }
  LAUNCH(k, 2, nullptr, no_such_macro_argument);
  no_such_kernel<<<1, 0, s>>>(nullptr);
  k<<<1, 2, 3, s>>>(nullptr, 1);
}
)");
  const ProcessResult result = Drive({"-c", "wrong.asc"});
  EXPECT_EQ(result.exit_code, 1);
  for (const char* wanted :
       {"wrong.asc:6:18: error: ", "wrong.asc:7:17: error: too few arguments",
        "wrong.asc:8:13: error: ", "wrong.asc:8:62: error: ", "wrong.asc:9:36: error: ",
        "wrong.asc:10:25: error: ", "wrong.asc:11:3: error: ",
        "wrong.asc:12:6:   required from here", "launches a SIMT kernel",
        "   11 |   no_such_kernel<<<1, 0, s>>>(nullptr);"}) {
    EXPECT_NE(result.output.find(wanted), std::string::npos) << wanted << " in\n" << result.output;
  }
  EXPECT_FALSE(fs::exists("wrong.o"));
}

TEST_F(Driver, SaysWhichLaunchIsNone) {
  Write("wrong.h", "\n#define C <<<1, 0, s>>>\n");
  Write("wrong.asc", "#include \"wrong.h\"\nvoid f() {\n  k<<<1, 2;\n  []{}<<<1>>>();\n}\n");
  const ProcessResult result = Drive({"-c", "wrong.asc"});
  EXPECT_EQ(result.exit_code, 1);
  for (const char* wanted :
       {"wrong.asc:3:4: error: this <<< has no >>>", "wrong.asc:4:7: error: what stands in front",
        "wrong.h:2:11: error: the kernel has to stand in the same macro"}) {
    EXPECT_NE(result.output.find(wanted), std::string::npos) << result.output;
  }
}

struct Refusal {
  const char* name;
  std::vector<std::string> arguments;
  const char* says;
};

class DriverRefuses : public Driver, public testing::WithParamInterface<Refusal> {};

TEST_P(DriverRefuses, WithASentence) {
  Write("k.asc", "int main() {}\n");
  const ProcessResult result = Drive(GetParam().arguments);
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.output.find(GetParam().says), std::string::npos) << result.output;
}

INSTANTIATE_TEST_SUITE_P(
    All, DriverRefuses,
    testing::Values(
        Refusal{"Architecture",
                {"--npu-arch=dav-3510", "-c", "k.asc"},
                "runs dav-2201 (Atlas A2 and A3)"},
        Refusal{"Simt", {"--enable-simt", "-c", "k.asc"}, "no SIMT"},
        Refusal{"NoSuchFile", {"-c", "none.asc"}, "none.asc: No such file"},
        Refusal{"NoSuchCompiler",
                {"--host-compiler=no-g++", "-c", "k.asc"},
                "the C++ compiler no-g++ was not found"},
        Refusal{"OptionForACompiler", {"--host-compiler=-O2", "-c", "k.asc"}, "which is an option"},
        Refusal{"Language",
                {"-x", "fortran", "-c", "k.asc"},
                "-x fortran: this driver compiles asc, cce and c++"},
        Refusal{"NoValue", {"-c", "k.asc", "-o"}, "the option -o wants a value"},
        Refusal{"OneNameForTwo", {"-c", "k.asc", "k.asc", "-o", "k.o"}, "-o names one file"},
        Refusal{"NamelessLibrary", {"-lib", "k.asc"}, "-lib wants -o"}),
    [](const auto& info) { return info.param.name; });

TEST_F(Driver, WritesDependencyFiles) {
  Write("own.h", "#define COUNT 1\n");
  Write("k.asc",
        "#include \"own.h\"\n#include \"kernel_operator.h\"\nint main() { return COUNT - 1; }\n");
  fs::create_directory("out");
  Build({"-MD", "-c", "k.asc", "-o", "out/k.o"});
  const std::string all = Read("out/k.d");
  EXPECT_EQ(all.rfind("out/k.o: k.asc", 0), 0u) << all;
  EXPECT_NE(all.find(" own.h"), std::string::npos) << all;
  EXPECT_NE(all.find("/include/kernel_operator.h"), std::string::npos) << all;
  Build({"-MMD", "-MP", "-MF", "d", "-MT", "a target", "-c", "k.asc"});
  EXPECT_EQ(Read("d"), "a target: k.asc own.h\nown.h:\n");
  EXPECT_TRUE(fs::exists("k.o"));
  EXPECT_EQ(Drive({"-MM", "k.asc"}).output, "k.o: k.asc own.h\n");
}

TEST_F(Driver, MakesLibrariesAndLinksThem) {
  Write("kernel.asc", R"(#include "acl/acl.h"
#include "kernel_operator.h"
extern "C" __global__ __aicore__ void forty_two(GM_ADDR out) { *(__gm__ int32_t*)out = 42; }
void Launch(void* out) { forty_two<<<1, 0, nullptr>>>((GM_ADDR)out); }
)");
  Write("main.cpp", R"(#include "acl/acl.h"
void Launch(void* out);
int main() {
  void* out; int host = 0;
  aclrtMalloc(&out, 4, ACL_MEM_MALLOC_HUGE_FIRST);
  Launch(out);
  if (aclrtSynchronizeStream(nullptr)) return 1;
  aclrtMemcpy(&host, 4, out, 4, ACL_MEMCPY_DEVICE_TO_HOST);
  return host;
}
)");
  Build({"-lib", "kernel.asc", "-o", "libstatic.a"});
  Build({"-shared", "-fPIC", "kernel.asc", "-o", "libshared.so"});
  Build({"-dc", "--npu-arch=dav-2201", "--cce-auto-sync=on", "-mllvm", "-cce-aicore-stack-size=1",
         "kernel.asc", "-o", "kernel.o"});
  Build({"main.cpp", "libstatic.a", "-ltiling_api", "-l", "register", "-lm", "-o", "a"});
  Build({"main.cpp", "-L.", "-lshared", "-Wl,-rpath,.", "-o", "b"});
  Build({"main.cpp", "kernel.o", "-o", "c"});
  Write("arguments", "main.cpp kernel.asc\n -o \"d\" ");
  Build({"@arguments"});
  for (const char* program : {"./a", "./b", "./c", "./d"})
    EXPECT_EQ(Run({program}).exit_code, 42) << program;
}

TEST_F(Driver, LaunchesByName) {
  Write("kernel.cpp", R"(#include "kernel_operator.h"
struct Plan { int32_t a, b; };
namespace other { __global__ __aicore__ void hidden(GM_ADDR) {} }
template <typename T> __global__ __aicore__ void shape(GM_ADDR) {}
__global__ __aicore__ void declared_only(GM_ADDR);
extern "C" __global__ __aicore__ void take(GM_ADDR out, __gm__ int32_t* none, float f, uint8_t n, half h, Plan plan) {
  ((__gm__ int32_t*)out)[0] = none == nullptr ? 1000 * n + int32_t(10 * f) + int32_t(h) + plan.a * plan.b : -1;
}
extern "C" { __global__ __vector__ void nothing() {} }
)");
  Write("main.cpp", R"(#include "acl/acl.h"
#include "aclrtlaunch_nothing.h"
#include "aclrtlaunch_take.h"
#include <cstdio>
struct Plan { int a, b; };
int main() {
  void* out; int host = 0;
  aclrtMalloc(&out, 4, ACL_MEM_MALLOC_HUGE_FIRST);
  if (ACLRT_LAUNCH_KERNEL(nothing)(2, nullptr) != 0) return 1;
  if (aclrtlaunch_take(1, nullptr, out, nullptr, 2.5, 7, 3, Plan{20, 10}) != 0) return 2;
  if (aclrtSynchronizeStream(nullptr) != ACL_SUCCESS) return 3;
  aclrtMemcpy(&host, 4, out, 4, ACL_MEMCPY_DEVICE_TO_HOST);
  printf("%d\n", host);
  fflush(stdout);
  if (aclrtlaunch_take(1, nullptr, out, 0, 2.5f, uint8_t{7}, 3.0f, 5) == 0) return 4;
  if (aclrtlaunch_take(1, nullptr, out, 1, 2.5, 7, 3, Plan{}) == 0) return 5;
  if (aclrtlaunch_take(1, nullptr, out) == 0) return 6;
}
)");
  Build({"--launch-headers=made", "kernel.cpp"});
  std::vector<std::string> made;
  for (const auto& entry : fs::directory_iterator("made")) made.push_back(entry.path().filename());
  std::sort(made.begin(), made.end());
  EXPECT_EQ(made, (std::vector<std::string>{"aclrtlaunch_nothing.h", "aclrtlaunch_take.h"}));
  Build({"--launch-functions", "-c", "kernel.cpp"});
  Build({"-Imade", "main.cpp", "kernel.o", "-o", "main"});
  const ProcessResult result = Run({"./main"});
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(
      result.output,
      "7228\n"
      "bascule: ACLRT_LAUNCH_KERNEL(take): argument 6 cannot become what the kernel takes there\n"
      "bascule: ACLRT_LAUNCH_KERNEL(take): argument 2 cannot become what the kernel takes there\n"
      "bascule: ACLRT_LAUNCH_KERNEL(take): 1 arguments were passed; the kernel has 6\n");
}

TEST_F(Driver, KeepsNamesAndLinesForDebuggers) {
  Write("k.asc", "#include \"kernel_operator.h\"\n\nint Answer(int a) {\n  return a + 42;\n}\n");
  Build({"-g", "-O0", "-c", "k.asc"});
  const std::string lines = Run({"readelf", "--debug-dump=decodedline", "k.o"}).output;
  EXPECT_NE(lines.find("k.asc  "), std::string::npos);
  EXPECT_NE(lines.find(" 4 "), std::string::npos);
  const std::string info = Run({"readelf", "--debug-dump=info", "k.o"}).output;
  EXPECT_NE(info.find(": k.asc\n"), std::string::npos);
  EXPECT_NE(info.find(": " + folder_.string() + "\n"), std::string::npos);
}

TEST_F(Driver, AnswersQuestionsAboutItself) {
  const ProcessResult version = Drive({"--version"});
  EXPECT_TRUE(version.ok());
  EXPECT_EQ(version.output.rfind("bascule-ascc ", 0), 0u) << version.output;
  EXPECT_NE(Drive({"--help"}).output.find("--host-compiler="), std::string::npos);
  EXPECT_EQ(Drive({"-dumpmachine"}).output, Run({"g++", "-dumpmachine"}).output);
}

// Work of two streams, captured once and run with other data each time.
constexpr const char* kCapturing = R"(#include "acl/acl.h"
#include "kernel_operator.h"
#include <cstdio>
#define CHECK(call) \
  if (const int code = (call)) { std::printf("line %d: %d\n", __LINE__, code); return 1; }
struct Plan { int32_t factor; };
template <typename T>
__global__ __aicore__ void scale(GM_ADDR x, GM_ADDR y, Plan plan) {
  AscendC::GlobalTensor<T> from, to;
  from.SetGlobalBuffer((__gm__ T*)x);
  to.SetGlobalBuffer((__gm__ T*)y);
  to.SetValue(0, from.GetValue(0) * plan.factor);
}
int main() {
  int32_t in = 1, out = 0, twice = 0;
  int32_t *x, *y, *z;
  aclrtStream first, second;
  aclrtEvent ready, done;
  aclmdlRI model = nullptr;
  aclmdlRICaptureStatus status;
  CHECK(aclrtMalloc(&x, 4)); CHECK(aclrtMalloc(&y, 4)); CHECK(aclrtMalloc(&z, 4));
  CHECK(aclrtMemset(y, 4, 0, 4));
  CHECK(aclrtCreateStream(&first)); CHECK(aclrtCreateStream(&second));
  CHECK(aclrtCreateEvent(&ready)); CHECK(aclrtCreateEvent(&done));
  CHECK(aclmdlRICaptureBegin(first, ACL_MODEL_RI_CAPTURE_MODE_GLOBAL));
  CHECK(aclrtMemcpyAsync(x, 4, &in, 4, ACL_MEMCPY_HOST_TO_DEVICE, first));
  CHECK(aclrtRecordEvent(ready, first));
  CHECK(aclrtStreamWaitEvent(second, ready));
  { Plan plan = {3}; scale<int32_t><<<1, nullptr, second>>>((GM_ADDR)x, (GM_ADDR)y, plan); }
  CHECK(aclrtRecordEvent(done, second));
  CHECK(aclrtStreamWaitEvent(first, done));
  scale<int32_t><<<1, nullptr, first>>>((GM_ADDR)y, (GM_ADDR)z, Plan{2});
  CHECK(aclrtMemcpyAsync(&out, 4, y, 4, ACL_MEMCPY_DEVICE_TO_HOST, first));
  CHECK(aclrtMemcpyAsync(&twice, 4, z, 4, ACL_MEMCPY_DEVICE_TO_HOST, first));
  CHECK(aclmdlRICaptureGetInfo(second, &status, nullptr));
  CHECK(status != ACL_MODEL_RI_CAPTURE_STATUS_ACTIVE);
  std::printf("wait %d\n", aclrtSynchronizeStream(second));
  std::printf("end elsewhere %d\n", aclmdlRICaptureEnd(second, &model));
  CHECK(aclmdlRICaptureEnd(first, &model));
  CHECK(out != 0 || twice != 0);  // nothing has been done yet
  for (int32_t i = 5; i < 8; ++i) {
    in = i;
    CHECK(aclmdlRIExecuteAsync(model, first));
    CHECK(aclrtSynchronizeStream(first));
    CHECK(out != 3 * i || twice != 6 * i);
  }
  CHECK(aclmdlRIDebugJsonPrint(model, "model.json", 0));
  scale<int32_t><<<1, nullptr, second>>>((GM_ADDR)x, (GM_ADDR)z, Plan{1});  // at once again
  CHECK(aclrtSynchronizeStream(second));
  CHECK(aclrtMemcpy(&out, 4, z, 4, ACL_MEMCPY_DEVICE_TO_HOST));
  CHECK(out != 7);
  CHECK(aclrtFree(y));
  std::printf("freed %d\n", aclmdlRIExecute(model, -1));
  CHECK(aclmdlRIDestroy(model));
  std::printf("destroyed %d\n", aclmdlRIExecuteAsync(model, first));
}
)";

TEST_F(Driver, CapturesWorkToRunItAgain) {
  Write("main.asc", kCapturing);
  Build({"--npu-arch=dav-2201", "main.asc", "-o", "main"});
  const ProcessResult result = Run({"./main"});
  EXPECT_TRUE(result.ok()) << result.output;
  for (const char* expected :
       {"wait 107000", "aclrtSynchronizeStream: the stream is captured", "end elsewhere 107000",
        "no capture began on this stream", "freed 507015", "is device memory that is not allocated",
        "main.asc:29)", "destroyed 107000"}) {
    EXPECT_NE(result.output.find(expected), std::string::npos) << expected << "\n" << result.output;
  }
  const std::string steps = Read("model.json");
  EXPECT_NE(steps.find("\"aclrtMemcpyAsync\""), std::string::npos) << steps;
  EXPECT_NE(steps.find("scale<int>"), std::string::npos) << steps;
}

// Kernels compiled by the program itself. It is linked as the toolkit's build files say.
constexpr const char* kCompiling = R"(#include "acl/acl.h"
#include "acl/acl_rt_compile.h"
#include <cstdio>
#include <vector>
#define CHECK(call) \
  if (const aclError code = (call)) { std::printf("line %d: %d\n", __LINE__, code); return 1; }
const char* kSource = "#include \"kernel_operator.h\"\n#include \"sums/add.h\"\n"
  "extern \"C\" __global__ __vector__ void one(GM_ADDR out) {\n"
  "  AscendC::GlobalTensor<int32_t> t; t.SetGlobalBuffer((__gm__ int32_t*)out); t.SetValue(0, 1); }\n";
const char* kHeader = "namespace sums { template <typename T>\n"
  "__global__ __aicore__ void add(GM_ADDR out, T value, int16_t other) {\n"
  "  AscendC::GlobalTensor<T> t; t.SetGlobalBuffer((__gm__ T*)out); t.SetValue(1, value + other); } }\n";
int main() {
  const char* header_names[] = {"sums/add.h"};
  const char* options[] = {"--npu-arch=dav-2201"};
  aclrtcProg program;
  CHECK(aclrtcCreateProg(&program, kSource, "sums", 1, &kHeader, header_names));
  CHECK(aclrtcAddNameExpr(program, "sums::add<int32_t>"));
  CHECK(aclrtcCompileProg(program, 1, options));
  const char* lowered = nullptr;
  CHECK(aclrtcGetLoweredName(program, "sums::add<int32_t>", &lowered));
  size_t bytes = 0;
  CHECK(aclrtcGetBinDataSize(program, &bytes));
  std::vector<char> binary(bytes);
  CHECK(aclrtcGetBinData(program, binary.data()));
  int32_t* out = nullptr;
  CHECK(aclrtMalloc(&out, 8, ACL_MEM_MALLOC_HUGE_FIRST));
  aclrtBinHandle handle;
  CHECK(aclrtBinaryLoadFromData(binary.data(), bytes, nullptr, &handle));
  aclrtFuncHandle one, add, none;
  CHECK(aclrtBinaryGetFunction(handle, "one", &one));
  CHECK(aclrtBinaryGetFunction(handle, lowered, &add));
  int32_t value = 40;
  int16_t other = 2;
  void* arguments[] = {&out, &value, &other};
  CHECK(aclrtLaunchKernelWithArgsArray(one, 1, nullptr, nullptr, arguments));
  CHECK(aclrtLaunchKernelWithArgsArray(add, 1, nullptr, nullptr, arguments));
  CHECK(aclrtSynchronizeStream(nullptr));
  CHECK(out[0] != 1 || out[1] != 42);
  std::printf("unknown %d\n", aclrtBinaryGetFunction(handle, "two", &none));
  CHECK(aclrtBinaryUnLoad(handle));
  std::printf("unloaded %d\n", aclrtLaunchKernelWithArgsArray(one, 1, nullptr, nullptr, arguments));
  std::printf("again %d\n", aclrtBinaryUnLoad(handle));
  std::printf("text %d\n", aclrtBinaryLoadFromData("text", 4, nullptr, &handle));
  std::printf("late %d\n", aclrtcAddNameExpr(program, "one"));
  CHECK(aclrtcDestroyProg(&program));
  std::printf("destroyed %d\n", aclrtcCompileProg(program, 0, nullptr));
  CHECK(aclrtcCreateProg(&program, "int x = y;\n", "broken.asc", 0, nullptr, nullptr));
  std::printf("broken %d\n", aclrtcCompileProg(program, 0, nullptr));
  CHECK(aclrtcGetCompileLogSize(program, &bytes));
  std::vector<char> log(bytes);
  CHECK(aclrtcGetCompileLog(program, log.data()));
  std::printf("log: %s\n", log.data());
  const char* outside[] = {"../add.h"};
  std::printf("outside %d\n", aclrtcCreateProg(&program, "", nullptr, 1, &kHeader, outside));
}
)";

TEST_F(Driver, CompilesKernelsWhileTheProgramRuns) {
  if (*kSanitize != '\0') GTEST_SKIP() << "what it compiles would need the sanitizer's flags";
  Write("main.cpp", kCompiling);
  const ProcessResult built =
      Run({"g++", "-std=c++17", "-Wall", "-Wextra", "main.cpp", "-o", "main",
           "-I" BASCULE_TEST_PREFIX "/include", "-L" BASCULE_TEST_PREFIX "/lib64", "-lascendcl",
           "-lacl_rtc", "-ltiling_api", "-lregister", "-lplatform"});
  ASSERT_TRUE(built.ok()) << built.output;
  const ProcessResult result = Run({"./main"});
  EXPECT_TRUE(result.ok()) << result.output;
  for (const char* expected :
       {"unknown 107000", "no kernel two; the binary has ", "unloaded 107000", "again 107000",
        "text ", "this is not what aclrtcGetBinData gives", "late 176001", "destroyed 176000",
        "broken 176003", "broken.asc does not compile",
        "\nbroken.asc:1:9: error: ", "outside 176001"}) {
    EXPECT_NE(result.output.find(expected), std::string::npos) << expected << "\n" << result.output;
  }
}

}  // namespace
}  // namespace bascule::toolchain
