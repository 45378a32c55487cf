// SPDX-License-Identifier: Apache-2.0
#include "toolchain/build.h"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <deque>
#include <filesystem>
#include <functional>
#include <map>
#include <set>
#include <thread>
#include <vector>

#include "bascule/abi/library.h"
#include "bascule/abi/runtime.h"
#include "base/error.h"
#include "toolchain/aclnn.h"
#include "toolchain/cache.h"
#include "toolchain/compiler.h"
#include "toolchain/dependencies.h"
#include "toolchain/elf_file.h"
#include "toolchain/gradient.h"
#include "toolchain/kernel_source.h"
#include "toolchain/kernel_symbols.h"
#include "toolchain/manifest.h"
#include "toolchain/process.h"
#include "toolchain/project.h"
#include "toolchain/reference.h"
#include "toolchain/schema.h"
#include "toolchain/version.h"

namespace bascule::toolchain {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using Command = std::vector<std::string>;

constexpr double kDescribeSeconds = 20;
constexpr const char* kTypesSection = ".bascule.types";  // of an object with kernels
constexpr const char* kPlansFile = "plans.json";  // of a project: shapes to plan when it is built
constexpr std::size_t kMaxErrorText = 8000;       // of a compiler's output inside an error
constexpr uint64_t kRoom = 64 * 1024;             // less is no room for what a compiler writes

struct Options {
  std::string output;
  std::string prefix;
  std::vector<std::string> include_folders;
  std::string compiler;
  std::vector<std::string> flags;
  int optimize = 2;
  std::size_t jobs = 0;
  bool force = false;
  bool embed_runtime = false;
  std::string plans;
  double describe_seconds = kDescribeSeconds;
  // What a CMake project says of itself, instead of the folders' layout.
  std::vector<std::string> host_sources;
  std::vector<std::string> host_flags;
  std::vector<std::string> kernel_folders;
  std::map<std::string, std::string> kernel_sources;             // by type
  std::map<std::string, std::vector<std::string>> kernel_flags;  // by type; under "ALL" for all
  // Of the package: the result is an object that its library is linked from. "" is no package.
  std::string package;
  bool local = false;  // nothing of the object but its library function is seen outside
};

Options ParseOptions(const json& from) {
  Options options;
  if (from.is_null()) return options;
  if (!from.is_object()) {
    throw Error(BASCULE_INVALID_ARGUMENT, "the options of a build must be a JSON object");
  }
  for (const auto& [name, value] : from.items()) {
    if (value.is_null()) continue;
    try {
      if (name == "output") {
        options.output = value.get<std::string>();
      } else if (name == "prefix") {
        options.prefix = value.get<std::string>();
      } else if (name == "include_dirs") {
        options.include_folders = value.get<std::vector<std::string>>();
      } else if (name == "compiler") {
        options.compiler = value.get<std::string>();
      } else if (name == "flags") {
        options.flags = value.get<std::vector<std::string>>();
      } else if (name == "optimize") {
        options.optimize = value.get<int>();
      } else if (name == "jobs") {
        const auto jobs = value.get<int64_t>();
        if (jobs < 0) {
          throw Error(
              BASCULE_INVALID_ARGUMENT,
              Join("the build option \"jobs\" is ", jobs,
                   "; it says how many files are compiled at a time, 0 for all processors"));
        }
        options.jobs = static_cast<std::size_t>(jobs);
      } else if (name == "static") {
        options.embed_runtime = value.get<bool>();
      } else if (name == "force") {
        options.force = value.get<bool>();
      } else if (name == "plans") {
        options.plans = value.get<std::string>();
      } else if (name == "describe_seconds") {
        options.describe_seconds = value.get<double>();
      } else if (name == "host_sources") {
        options.host_sources = value.get<std::vector<std::string>>();
      } else if (name == "host_flags") {
        options.host_flags = value.get<std::vector<std::string>>();
      } else if (name == "kernel_folders") {
        options.kernel_folders = value.get<std::vector<std::string>>();
      } else if (name == "kernel_sources") {
        options.kernel_sources = value.get<std::map<std::string, std::string>>();
      } else if (name == "kernel_flags") {
        options.kernel_flags = value.get<std::map<std::string, std::vector<std::string>>>();
      } else if (name == "package") {
        options.package = value.get<std::string>();
      } else if (name == "local") {
        options.local = value.get<bool>();
      } else {
        throw Error(
            BASCULE_INVALID_ARGUMENT,
            Join("unknown build option \"", name,
                 "\"; known are output, prefix, include_dirs, compiler, flags, optimize, jobs, "
                 "force, static, plans, describe_seconds"));
      }
    } catch (const json::exception&) {
      throw Error(BASCULE_INVALID_ARGUMENT,
                  Join("the build option \"", name, "\" cannot be ", value.dump()));
    }
  }
  if (options.optimize < 0 || options.optimize > 3) {
    throw Error(BASCULE_INVALID_ARGUMENT, "the build option \"optimize\" must be 0, 1, 2 or 3");
  }
  return options;
}

std::string Shorten(const std::string& text) {
  if (text.size() <= kMaxErrorText) return text;
  return text.substr(0, kMaxErrorText) + "\n… (" + std::to_string(text.size() - kMaxErrorText) +
         " more bytes)";
}

template <typename... Lists>
Command Concatenate(Command first, const Lists&... more) {
  (first.insert(first.end(), more.begin(), more.end()), ...);
  return first;
}

std::string Text(const Command& command) {
  std::string text;
  for (const std::string& word : command) text += word + '\n';
  return text;
}

// The folder is made on demand; what cannot be written is told with what to do about it.
void MakeFolder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error || access(folder.c_str(), W_OK) != 0) {
    throw Error(BASCULE_BUILD_ERROR, Join("the folder ", folder.string(), " cannot be written",
                                          error ? " (" + error.message() + ")" : std::string(),
                                          "; choose another place with the option output"));
  }
}

class Builder {
 public:
  Builder(const std::string& path, const Options& options, json* report)
      : options_(options),
        report_(*report),
        project_(options.host_sources.empty() ? FindProject(path)
                                              : ListedProject(path, options.host_sources)) {}

  const std::vector<Schema>& schemas() const { return schemas_; }

  // `describe_only`: the operators are read, and that is all.
  void Run(bool describe_only = false) {
    const fs::path folder = options_.output.empty()
                                ? project_.root / "build_out"
                                : fs::absolute(options_.output).lexically_normal().parent_path();
    CheckOutput();
    const bool is_kernel = !project_.lone_kernel.empty();
    const std::string unnamed = is_kernel ? "kernel_" + project_.name : "project";
    work_ = folder / ".bascule" /
            (options_.output.empty() ? unnamed : fs::path(options_.output).filename().string());
    MakeFolder(work_);
    const FolderLock lock(work_);

    compiler_ = FindCompiler(options_.compiler, work_);
    report_["compiler"] = compiler_.version;
    if (options_.include_folders.empty()) {
      include_folders_ = FindIncludeFolders(options_.prefix);
    } else {
      include_folders_.assign(options_.include_folders.begin(), options_.include_folders.end());
    }
    jobs_ = options_.jobs != 0 ? options_.jobs : std::max(1u, std::thread::hardware_concurrency());
    if (is_kernel) {
      BuildLoneKernel(options_.output.empty() ? folder / ("lib" + project_.name + ".so")
                                              : fs::absolute(options_.output).lexically_normal());
      return;
    }

    CompileHost();
    Describe();
    if (describe_only) return;
    CheckGradients();
    CheckReferences();
    CompileKernels();
    CheckNames();
    const fs::path output = options_.output.empty()
                                ? folder / ("lib" + LibraryName() + ".so")
                                : fs::absolute(options_.output).lexically_normal();
    if (options_.package.empty()) {
      Link(output);
    } else {
      Relocate(output);
    }

    report_["output"] = output.string();
    json names = json::array();
    for (const Schema& schema : schemas_) names.push_back(schema.name);
    report_["operators"] = std::move(names);
  }

  // What was done so far, also after a failure.
  void Report() {
    json steps = json::array();
    json messages = json::array();
    bool changed = false;
    for (const Step& step : steps_) {
      if (!step.reused && step.seconds == 0) continue;  // it did not end
      changed = changed || !step.reused;
      json told = {{"name", step.name}, {"reused", step.reused}, {"seconds", step.seconds}};
      if (!step.reused) told["reason"] = Reason(step);
      steps.push_back(std::move(told));
      if (!step.log.empty()) messages.push_back({{"step", step.name}, {"text", step.log}});
    }
    report_["status"] = changed ? "built" : "unchanged";
    report_["steps"] = std::move(steps);
    for (const json& warning : warnings_) messages.push_back(warning);
    report_["messages"] = std::move(messages);
  }

 private:
  // The library takes the place of what has its name, so that has to be a file: a rename would make
  // an end of /dev/null, too.
  void CheckOutput() const {
    if (options_.output.empty()) return;
    std::error_code error;
    const fs::file_status status = fs::status(options_.output, error);
    if (!fs::exists(status) || fs::is_regular_file(status)) return;
    throw Error(BASCULE_INVALID_ARGUMENT,
                Join("the output ", options_.output, " is ",
                     fs::is_directory(status) ? "a folder" : "no regular file",
                     "; name the library to write, as in libmy_mul.so"));
  }

  // --- a lone kernel

  // A plain shared library, as a CMake file of the kernel's author would make it.
  void BuildLoneKernel(const fs::path& output) {
    if (options_.embed_runtime || !options_.plans.empty()) {
      throw Error(BASCULE_UNSUPPORTED,
                  project_.lone_kernel.filename().string() +
                      " is a lone kernel: the build options static and plans are for projects");
    }
    const std::string name = project_.lone_kernel.filename().string();
    if (options_.embed_runtime) {
      throw Error(BASCULE_UNSUPPORTED,
                  Join(name,
                       ": the option static is for operator projects; a library of lone "
                       "kernels is called through the runtime, which is there already"));
    }
    Step& object = NewStep(name, work_ / "kernel.o");
    CompileStep(
        &object, project_.lone_kernel,
        CompileWith(KernelCompiler(project_.lone_kernel), project_.lone_kernel, object.output,
                    {Join("-O", options_.optimize), "-fno-strict-aliasing",
                     "-fmacro-prefix-map=" + project_.root.string() + "/="}),
        "does not compile");
    RunSteps({&object}, 1, options_.force, &hashes_);

    Step& library = NewStep("library", output);
    library.record = work_ / "library.step";
    const fs::path aside = Join(output.string(), ".", getpid(), ".tmp");
    Command command = Concatenate(compiler_.command, options_.flags, Command{"-shared", "-o"});
    library.key = Key(command) + output.string();
    library.inputs = {object.output};
    command.insert(command.end(),
                   {aside.string(), object.output.string(), "-Wl,-z,defs", "-Wl,-z,now",
                    "-Wl,-z,relro", "-Wl,-z,nodelete", "-ldl", "-lm", "-pthread"});
    library.run = [this, command, aside, output, name] {
      return LinkAside(command, aside, output, [&] {
        if (!ReadKernelSymbols(ElfFile(aside)).kernels.empty()) return;
        throw Error(BASCULE_BUILD_ERROR,
                    Join(name,
                         " defines no kernel; one is declared extern \"C\" __global__ "
                         "__aicore__ void name(…), after #include \"kernel_operator.h\""));
      });
    };
    RunSteps({&library}, 1, options_.force, &hashes_);

    report_["output"] = output.string();
    report_["operators"] = ReadKernelSymbols(ElfFile(output)).kernels;
  }

  // --- the steps

  void CompileHost() {
    std::vector<Step*> now;
    std::size_t number = 0;
    for (const fs::path& source : project_.host_sources) {
      Step& step = NewStep(Shown(project_, source), work_ / Join("host_", number++, ".o"));
      Command command =
          Compile(source, step.output, Concatenate(Command{"-O2"}, options_.host_flags));
      CompileStep(&step, source, command, "does not compile");
      host_.push_back(&step);
      now.push_back(&step);
    }
    glue_ = &NewStep("host part", work_ / "host.o");
    if (const fs::path made = CompiledHostPart(); !made.empty()) {
      glue_->inputs = {made};
      glue_->run = [made, output = glue_->output] {
        WriteFile(output, ReadFile(made));
        return std::string();
      };
    } else {
      const fs::path glue = work_ / "host.cpp";
      WriteFile(glue, "// Generated by bascule build.\n#include \"bascule_host_part.h\"\n");
      CompileStep(glue_, glue, Compile(glue, glue_->output, {"-Os"}), "does not compile");
    }
    now.push_back(glue_);
    // The glue takes longest.
    std::rotate(now.begin(), now.end() - 1, now.end());
    RunSteps(now, jobs_, options_.force, &hashes_);
  }

  // The prefix's object of bascule_host_part.h, where this build would make the same: one compiler
  // has one standard library and one ABI, unless flags say otherwise. Empty: there is none.
  fs::path CompiledHostPart() const {
    if (include_folders_.size() != 1 || !options_.flags.empty()) return {};
    for (const std::string& word : compiler_.command) {
      if (word[0] == '-') return {};
    }
    const fs::path folder = include_folders_[0].parent_path() / "lib/bascule";
    const fs::path object = folder / "host_part.o";
    std::error_code error;
    if (!fs::is_regular_file(object, error)) return {};
    // "g++ (Debian 12.2.0-14) 12.2.0": the program may have several names.
    const auto behind_name = [](const std::string& version) {
      const std::string line = version.substr(0, version.find('\n'));
      return line.substr(std::min(line.find(' '), line.size()));
    };
    const std::string maker = ReadFile(folder / "host_part.compiler");
    return behind_name(maker) == behind_name(compiler_.version) ? object : fs::path();
  }

  void Describe() {
    const fs::path main = work_ / "describe.cpp";
    WriteFile(main,
              "// Generated by bascule build.\n"
              "extern \"C\" int bascule_host_describe(int argc, char** argv);\n"
              "int main(int argc, char** argv) { return bascule_host_describe(argc, argv); }\n");
    Step& step = NewStep("description", work_ / "description.json");
    const fs::path program = work_ / "describe";
    Command command = Concatenate(compiler_.command, options_.flags,
                                  Command{"-o", program.string(), main.string()});
    step.inputs = {main, glue_->output};
    command.push_back(glue_->output.string());
    for (const Step* host : host_) {
      step.inputs.push_back(host->output);
      command.push_back(host->output.string());
    }
    command.insert(command.end(), {"-ldl", "-lm", "-pthread"});
    step.key = Key(command);
    step.run = [this, command, program, output = step.output] {
      const fs::path log = work_ / "describe.log";
      const ProcessResult linked = RunProgram(command, log);
      if (!linked.ok()) {
        throw Error(BASCULE_BUILD_ERROR, "the host code of " + project_.name + " does not link:\n" +
                                             Shorten(linked.output));
      }
      std::error_code ignored;
      fs::remove(output, ignored);
      const ProcessResult described =
          RunProgram({program.string(), output.string()}, log, options_.describe_seconds);
      if (!described.ok()) {
        std::string what;
        if (described.timed_out) {
          what = Join("did not end within ", options_.describe_seconds, " s");
        } else if (described.signal != 0) {
          what = "crashed with " + SignalName(described.signal);
        } else {
          what = Join("ended with exit code ", described.exit_code);
        }
        throw Error(
            BASCULE_BUILD_ERROR,
            Join("the host code of ", project_.name, " ", what,
                 " while its operators were read; its static initialisers and the constructors of "
                 "its OpDefs run then",
                 described.output.empty() ? "" : ". It printed:\n", Shorten(described.output)));
      }
      // A definition with a mistake must not be remembered as a good one.
      if (ParseDescription(ReadFile(output)).empty()) {
        throw Error(BASCULE_BUILD_ERROR,
                    "op_host of " + project_.name +
                        " adds no operator; OP_ADD(Name) after the OpDef does that");
      }
      return described.output;
    };
    RunSteps({&step}, 1, options_.force, &hashes_);
    schemas_ = ParseDescription(ReadFile(step.output));
  }

  void CheckGradients() {
    const fs::path file = project_.root / kGradientFile;
    std::error_code error;
    if (!fs::exists(file, error)) return;
    gradient_text_ = ReadFile(file);
    std::vector<GradientSignature> signatures;
    for (const Schema& schema : schemas_) {
      signatures.push_back(
          MakeGradientSignature(schema.name, schema.InputNames(), schema.OutputNames()));
    }
    gradients_ = CheckGradient(gradient_text_, signatures);
  }

  void CheckReferences() {
    const fs::path file = project_.root / kReferenceFile;
    std::error_code error;
    if (!fs::exists(file, error)) return;
    reference_text_ = ReadFile(file);
    std::vector<ReferenceSignature> signatures;
    for (const Schema& schema : schemas_) signatures.push_back({schema.name, schema.InputNames()});
    references_ = CheckReference(reference_text_, signatures);
  }

  // Kernels that come in several forms, or take less than a launch passes, are looked at before
  // they are compiled. Most do not, which a look for a few words tells.
  void ReadForms() {
    std::error_code error;
    bool any = std::any_of(schemas_.begin(), schemas_.end(),
                           [](const Schema& schema) { return schema.in_place; });
    std::set<fs::path> folders;
    for (const Schema& schema : schemas_) folders.insert(KernelSource(schema).parent_path());
    for (const fs::path& folder : folders) {
      for (fs::recursive_directory_iterator file(folder, error), end; !any && !error && file != end;
           file.increment(error)) {
        any = file->is_regular_file(error) && MentionsForms(ReadFile(file->path()));
      }
    }
    if (!any) return;
    std::vector<Step*> now;
    for (const Schema& schema : schemas_) {
      const fs::path source = KernelSource(schema);
      Step& step = NewStep(Shown(project_, source) + " preprocessed",
                           work_ / Join("kernel_", schema.name, ".i"));
      Command command =
          Concatenate(Compile(source, step.output,
                              Concatenate({"-E", "-DBASCULE_TPL_LIST"}, KernelFlags(schema))),
                      KernelMacros(schema, 0), Command{"-include", "bascule/kernel_variant.h"});
      for (const fs::path& header : HeadersBefore(schema)) {
        command.insert(command.end(), {"-include", header.string()});
      }
      CompileStep(&step, source, command, "cannot be preprocessed");
      now.push_back(&step);
    }
    RunSteps(now, jobs_, options_.force, &hashes_);
    for (std::size_t i = 0; i < schemas_.size(); ++i) {
      KernelForm form =
          ReadKernelForm(ReadFile(now[i]->output), NameInObject(schemas_[i].kernel_function),
                         Shown(project_, now[i]->inputs[0]));
      for (const fs::path& path : form.files) {
        const bool ours = std::any_of(include_folders_.begin(), include_folders_.end(),
                                      [&](const fs::path& folder) {
                                        return path.string().starts_with(folder.string() + "/");
                                      });
        if (ours || !fs::is_regular_file(path, error)) continue;
        const std::string text = ReadFile(path);
        form.splits_cores = form.splits_cores || MentionsCores(text);
        form.has_cube_part = form.has_cube_part || MentionsCubeCores(text);
      }
      forms_[schemas_[i].name] = std::move(form);
    }
  }

  // Headers made for this kernel, which it includes before its own.
  std::vector<fs::path> HeadersBefore(const Schema& schema) const {
    std::vector<fs::path> headers;
    for (const auto& [kind, text] : {std::pair("name_", RenamingHeader(schema.kernel_function)),
                                     std::pair("tiling_", schema.tiling_header)}) {
      if (text.empty()) continue;
      headers.push_back(work_ / Join(kind, schema.name, ".h"));
      WriteFile(headers.back(), text);
    }
    return headers;
  }

  void CompileKernels() {
    ReadForms();
    std::vector<Step*> now;
    for (const Schema& schema : schemas_) {
      const fs::path source = KernelSource(schema);
      CheckKernelArguments(ReadFile(source), schema, Shown(project_, source));
      for (std::size_t column = 0; column < schema.columns; ++column) {
        Step& step = NewStep(Join(Shown(project_, source), " for ", ColumnText(schema, column)),
                             work_ / Join("kernel_", schema.name, "_", column, ".o"));
        KernelStep(&step, schema, column, source);
        kernels_.push_back(&step);
        now.push_back(&step);
      }
    }

    const fs::path stub = work_ / "library.cpp";
    std::string stub_text = StubSource(schemas_);
    if (!options_.package.empty()) {
      stub_text += Join("extern \"C\" __attribute__((visibility(\"hidden\"))) const ",
                        "BasculeLibraryTable* ", LibraryFunctionOf(options_.package),
                        "(void) { return bascule_library_v1(); }\n");
    }
    if (options_.embed_runtime) {
      stub_text = "#define BASCULE_STUB_EMBEDDED\n" + stub_text + EmbedRuntime();
      now.push_back(embedded_);
    }
    WriteFile(stub, stub_text);
    stub_ = &NewStep("generated part", work_ / "library.o");
    CompileStep(stub_, stub, Compile(stub, stub_->output, {"-O2"}), "does not compile");
    now.push_back(stub_);
    RunSteps(now, jobs_, options_.force, &hashes_);
    ReadKernelTypes();
  }

  // The compile of one column for one kind of core, and the object it makes.
  struct KernelCompile {
    Command command;
    fs::path raw;
    fs::path grouped;
    fs::path local;
    fs::path depfile;
    CoreType core;
  };

  KernelCompile CompileOf(const Step& step, const Schema& schema, std::size_t column,
                          const fs::path& source, const KernelForm* form, CoreType core) const {
    KernelCompile compile;
    const std::string base = step.output.string() + (core == CoreType::kCube ? ".cube" : "");
    compile.raw = base + ".raw";
    compile.grouped = base + ".grouped";
    compile.local = base + ".local";
    compile.depfile = base + ".d";
    compile.core = core;
    fs::path file = source;
    if (form != nullptr) {
      file = base + ".cpp";
      WriteFile(file, EntrySource(schema, column, *form, source, core));
    }
    // Kernels reinterpret the memory of tensors freely, and their lines are told relative to the
    // project.
    Command flags = {
        Join("-O", options_.optimize), "-fno-strict-aliasing",
        "-fmacro-prefix-map=" + (project_.root / "op_kernel").string() + "/=op_kernel/"};
    for (const std::string& flag : KernelFlags(schema)) flags.push_back(flag);
    if (core == CoreType::kCube) flags.push_back("-D__DAV_C220_CUBE__=1");
    // Then g_coreType is a constant, as on an NPU.
    if (core != CoreType::kAny) {
      flags.push_back(Join("-DBASCULE_KIND_OF_CORE=", core == CoreType::kCube ? "AIC" : "AIV"));
    }
    compile.command = Concatenate(
        CompileWith(KernelCompiler(source), file, compile.raw, flags), KernelMacros(schema, column),
        Command{"-include", "bascule/kernel_variant.h", "-MF", compile.depfile.string()});
    for (const fs::path& header : HeadersBefore(schema)) {
      compile.command.insert(compile.command.end(), {"-include", header.string()});
    }
    return compile;
  }

  void KernelStep(Step* step, const Schema& schema, std::size_t column, const fs::path& source) {
    const auto found = forms_.find(schema.name);
    const bool by_entry = found != forms_.end() && (found->second.is_template ||
                                                    found->second.splits_cores || schema.in_place);
    const KernelForm* form = by_entry ? &found->second : nullptr;
    std::vector<KernelCompile> compiles;
    if (by_entry && form->splits_cores) {
      compiles.push_back(CompileOf(*step, schema, column, source, form, CoreType::kVector));
      compiles.push_back(CompileOf(*step, schema, column, source, form, CoreType::kCube));
    } else {
      compiles.push_back(CompileOf(*step, schema, column, source, form, CoreType::kAny));
    }
    const std::string symbol = KernelSymbol(schema, column);
    const Command group = {compiler_.ld, "-r", "--force-group-allocation"};
    step->key = Text(group) + symbol + compiler_.objcopy;
    for (const KernelCompile& compile : compiles) step->key += Key(compile.command);
    step->inputs = {source};
    step->depfile = step->output.string() + ".d";
    step->run = [=, this, name = step->name, output = step->output,
                 function = schema.kernel_function, depfile = step->depfile] {
      const fs::path log = output.string() + ".log";
      std::string messages;
      std::set<fs::path> read;
      std::string types;
      Command link = {compiler_.ld, "-r", "-o", output.string()};
      std::vector<fs::path> temporary;
      for (const KernelCompile& compile : compiles) {
        const bool cube = compile.core == CoreType::kCube;
        messages +=
            RunTool(compile.command, log,
                    name + (cube ? " does not compile for cube cores" : " does not compile"));
        for (const fs::path& path : ParseDepfile(ReadFile(compile.depfile))) read.insert(path);
        const std::string kernel =
            by_entry ? EntrySymbol(compile.core) : FindKernel(compile.raw, source, function);
        RunTool(Concatenate(group, Command{compile.raw.string(), "-o", compile.grouped.string()}),
                log, name + " cannot be relinked");
        const std::string wanted = cube ? kernel : symbol;
        RunTool({compiler_.objcopy, "--redefine-sym", kernel + "=" + wanted, "--remove-section",
                 kTypesSection, "--keep-global-symbol", wanted, compile.grouped.string(),
                 compile.local.string()},
                log, name + " cannot be made local");
        link.push_back(compile.local.string());
        temporary.insert(temporary.end(), {compile.raw, compile.grouped, compile.local});
        types += SectionOf(compile.raw, log);
      }
      WriteFile(output.string() + ".types", types);
      // Where there are two, the vector part calls the cube part; afterwards nobody else can.
      std::error_code error;
      if (compiles.size() == 1) {
        fs::rename(compiles[0].local, output, error);
        if (error) {
          throw Error(BASCULE_BUILD_ERROR,
                      Join(output.string(), " cannot be written: ", error.message()));
        }
      } else {
        RunTool(link, log, name + " cannot be relinked");
        RunTool({compiler_.objcopy, "--keep-global-symbol", symbol, output.string()}, log,
                name + " cannot be made local");
        std::string dependencies = output.string() + ":";
        for (const fs::path& path : read) dependencies += " \\\n  " + Escaped(path);
        WriteFile(depfile, dependencies + "\n");
      }
      std::error_code ignored;
      for (const fs::path& file : temporary) fs::remove(file, ignored);
      return messages;
    };
  }

  // --- the runtime inside the library

  // libbascule.so of the installation whose headers are used.
  fs::path RuntimeFile(const char* who) const {
    fs::path file;
    std::error_code error;
    Dl_info self = {};
    if (!options_.prefix.empty()) {
      file = fs::path(options_.prefix) / "lib" / BASCULE_RUNTIME_FILE;
    } else if (dladdr(reinterpret_cast<const void*>(&Build), &self) != 0 &&
               self.dli_fname != nullptr) {
      file = self.dli_fname;
    }
    if (file.filename() == BASCULE_RUNTIME_FILE && fs::is_regular_file(file, error)) return file;
    throw Error(BASCULE_BUILD_ERROR,
                Join(who, " needs the runtime, and ",
                     file.empty() ? std::string(BASCULE_RUNTIME_FILE) : file.string(),
                     " is none; give its installation with the option prefix (`bascule prefix`)"));
  }

  // Puts the runtime, and what it needs beyond the C++ runtime, into an object. Returns the source
  // of the table of them (bascule/library_stub.h).
  std::string EmbedRuntime() {
    std::vector<fs::path> files;
    const fs::path runtime = RuntimeFile("the option static");
    for (const Dependency& dependency : FindDependencies(runtime)) {
      if (IsOfSystem(dependency.name)) continue;
      if (dependency.path.empty()) {
        throw Error(BASCULE_BUILD_ERROR, Join("the option static needs ", dependency.name,
                                              ", which the runtime needs, and it was not found"));
      }
      files.insert(files.begin(), dependency.path);  // deeper ones are loaded first
    }
    files.push_back(runtime);

    std::string assembler = "  .section .rodata.bascule_embedded, \"a\", %progbits\n";
    std::string declarations;
    std::string table;
    const fs::path source = work_ / "embedded.s";
    embedded_ = &NewStep("runtime", work_ / "embedded.o");
    for (std::size_t i = 0; i < files.size(); ++i) {
      const std::string soname = ElfFile(files[i]).Dynamic().name;
      const std::string name = Join("bascule_embedded_", i);
      // A copy without debug information, under a name without quotes and blanks.
      const fs::path copy = work_ / Join("embedded_", i, ".so");
      Step& step = NewStep(Join("copy of ", files[i].filename().string()), copy);
      const Command strip = {compiler_.objcopy, "--strip-debug", files[i].string(), copy.string()};
      step.key = Key(strip);
      step.inputs = {files[i]};
      step.run = [this, strip] {
        return RunTool(strip, work_ / "embedded.log", "the runtime cannot be copied");
      };
      RunSteps({&step}, 1, options_.force, &hashes_);
      embedded_->inputs.push_back(copy);
      for (const char* const end : {"", "_end"}) {
        assembler += Join("  .globl ", name, end, "\n  .hidden ", name, end, "\n");
      }
      assembler += Join("  .balign 64\n", name, ":\n  .incbin \"embedded_", i, ".so\"\n", name,
                        "_end:\n  .byte 0\n");
      declarations += Join("extern \"C\" const unsigned char ", name, "[], ", name, "_end[];\n");
      table += Join("    {\"", soname, "\", ", name, ", ", name, "_end},\n");
    }
    WriteFile(source, assembler + "  .section .note.GNU-stack, \"\", %progbits\n");
    const Command assemble =
        Concatenate(compiler_.command, Command{"-c", "-Xassembler", "-I" + work_.string(), "-o",
                                               embedded_->output.string(), source.string()});
    embedded_->key = Key(assemble);
    embedded_->inputs.push_back(source);
    embedded_->run = [this, assemble] {
      return RunTool(assemble, work_ / "embedded.log",
                     "the runtime cannot be put into the library");
    };
    return declarations + "extern \"C\" const BasculeEmbeddedFile bascule_embedded_files[] = {\n" +
           table + "};\nextern \"C\" const unsigned bascule_embedded_count = " +
           std::to_string(files.size()) + ";\n";
  }

  // What every machine with a C++ program has.
  static bool IsOfSystem(const std::string& name) {
    constexpr const char* kNames[] = {"libc.so",  "libm.so",       "libdl.so",    "libpthread.so",
                                      "librt.so", "libstdc++.so.", "libgcc_s.so", "ld-linux"};
    return std::any_of(std::begin(kNames), std::end(kNames),
                       [&](const char* known) { return name.starts_with(known); });
  }

  // What the code of an object says about its kernel's type; "" when it says nothing.
  std::string SectionOf(const fs::path& object, const fs::path& log) const {
    const fs::path dumped = object.string() + ".types";
    std::error_code ignored;
    fs::remove(dumped, ignored);
    RunProgram(
        {compiler_.objcopy, "--dump-section", std::string(kTypesSection) + "=" + dumped.string(),
         object.string(), object.string() + ".same"},
        log);
    fs::remove(object.string() + ".same", ignored);
    if (!fs::exists(dumped, ignored)) return "";
    std::string types = ReadFile(dumped);
    fs::remove(dumped, ignored);
    return types;
  }

  // The cores that each kernel says it is for.
  void ReadKernelTypes() {
    for (Schema& schema : schemas_) {
      const auto form = forms_.find(schema.name);
      bool said = form == forms_.end() || !form->second.declared_type.empty();
      for (std::size_t column = 0; column < schema.columns; ++column) {
        std::error_code error;
        const fs::path types = work_ / Join("kernel_", schema.name, "_", column, ".o.types");
        std::string type = form != forms_.end() ? form->second.declared_type : "";
        if (type.empty()) {
          const std::string section = fs::exists(types, error) ? ReadFile(types) : "";
          said = said || !section.empty();
          type = KernelTypeName(section);
        }
        schema.kernel_types.push_back(type);
      }
      if (said || !form->second.has_cube_part) continue;
      warnings_.push_back(
          {{"step", Shown(project_, KernelSource(schema))},
           {"text",
            Join("the kernel ", schema.kernel_function,
                 " has parts for cube cores (__DAV_C220_CUBE__, g_coreType) and does not say which "
                 "cores it is for, so it runs on vector cores only. If it is for both, say so at "
                 "its beginning: KERNEL_TASK_TYPE_DEFAULT(KERNEL_TYPE_MIX_AIC_1_2);")}});
    }
  }

  // The symbol of `extern "C" … my_mul(…)` or of the C++ function of that name.
  std::string FindKernel(const fs::path& object, const fs::path& source,
                         const std::string& name) const {
    const std::string own = NameInObject(name);
    const std::string mangled = Join("_Z", own.size(), own);
    std::set<std::string> others;
    for (const ElfSymbol& symbol : ElfFile(object).Symbols(SHT_SYMTAB)) {
      if (!symbol.defined || symbol.type != STT_FUNC || symbol.binding == STB_LOCAL) continue;
      if (symbol.name == own) return own;
      if (symbol.name.starts_with(mangled)) {
        return symbol.name;
      }
      if (symbol.binding == STB_GLOBAL && !symbol.name.starts_with("_Z"))
        others.insert(symbol.name);
    }
    std::string found;
    for (const std::string& other : others) found += (found.empty() ? "" : ", ") + other;
    throw Error(
        BASCULE_BUILD_ERROR,
        Join(Shown(project_, source), " defines no kernel ", name,
             "; the operator's name decides the kernel's: extern \"C\" __global__ __aicore__ void ",
             name, "(…)", found.empty() ? "" : ". It defines " + found));
  }

  // The library exports a function of each operator's name. Code in it that calls another function
  // of that name, say exp, would get the operator.
  void CheckNames() const {
    std::set<std::string> names;
    for (const Schema& schema : schemas_) names.insert(schema.name);
    std::vector<Step*> objects = host_;
    objects.insert(objects.end(), kernels_.begin(), kernels_.end());
    for (const Step* step : objects) {
      for (const ElfSymbol& symbol : ElfFile(step->output).Symbols(SHT_SYMTAB)) {
        if (symbol.binding == STB_LOCAL || names.count(symbol.name) == 0) continue;
        throw Error(
            BASCULE_BUILD_ERROR,
            Join(step->name, symbol.defined ? " defines" : " calls", " a function ", symbol.name,
                 ", which is also the name of the operator's entry in the library; rename the "
                 "operator, or make the function one of your own namespace"));
      }
    }
  }

  // The step of the manifest's note.
  Step& Note() {
    json manifest = MakeManifest(schemas_, SourceHash());
    for (json& op : manifest["operators"]) {
      const std::string name = op["name"].get<std::string>();
      if (const auto gradient = gradients_.find(name); gradient != gradients_.end()) {
        op["gradient"] = {
            {"file", kGradientFile}, {"text", gradient_text_}, {"hash", HashText(gradient_text_)}};
        constexpr const char* kKinds[] = {"python", "operator", "none"};
        constexpr const char* kMembers[] = {"function", "operator", "reason"};
        op["gradient"]["kind"] = kKinds[gradient->second.kind];
        op["gradient"][kMembers[gradient->second.kind]] = gradient->second.text;
        if (!gradient->second.saved.empty()) op["gradient"]["saved"] = gradient->second.saved;
        if (gradient->second.recompute) op["gradient"]["recompute"] = true;
      }
      if (const auto reference = references_.find(name); reference != references_.end()) {
        op["reference"] = {{"kind", "python"},
                           {"file", kReferenceFile},
                           {"function", reference->second.reference},
                           {"text", reference_text_},
                           {"hash", HashText(reference_text_)}};
        if (!reference->second.cases.empty()) op["reference"]["cases"] = reference->second.cases;
      }
    }
    if (embedded_ != nullptr) manifest["runtime"] = kVersion;
    const fs::path source = work_ / "manifest.s";
    WriteFile(source, NoteSource(manifest.dump(-1, ' ', false, json::error_handler_t::replace)));
    Step& note = NewStep("manifest", work_ / "manifest.o");
    const Command assemble =
        Concatenate(compiler_.command, Command{"-c", "-o", note.output.string(), source.string()});
    note.key = Key(assemble);
    note.inputs = {source};
    note.run = [this, assemble] {
      return RunTool(assemble, work_ / "manifest.log", "the manifest cannot be assembled");
    };
    RunSteps({&note}, 1, options_.force, &hashes_);
    return note;
  }

  std::vector<Step*> Parts() const {
    std::vector<Step*> parts = host_;
    parts.insert(parts.end(), {glue_, stub_});
    parts.insert(parts.end(), kernels_.begin(), kernels_.end());
    return parts;
  }

  // One object of all parts, of which only the library's functions are seen; "exports.map" beside
  // it lists what a shared library made of it exports.
  void Relocate(const fs::path& output) {
    std::vector<Step*> parts = Parts();
    // A program may be linked from several packages, and has one manifest or none.
    if (!options_.local) parts.push_back(&Note());
    const fs::path grouped = work_ / "grouped.o";
    Command group = {compiler_.ld, "-r", "--force-group-allocation", "-o", grouped.string()};
    Step& step = NewStep("operators", output);
    step.record = work_ / "operators.step";
    for (const Step* part : parts) {
      step.inputs.push_back(part->output);
      group.push_back(part->output.string());
    }
    const fs::path aside = Join(output.string(), ".", getpid(), ".tmp");
    Command keep = {compiler_.objcopy, "--keep-global-symbol", LibraryFunctionOf(options_.package)};
    if (!options_.local) {
      std::vector<std::string> names = {BASCULE_LIBRARY_SYMBOL};
      for (const Schema& schema : schemas_) {
        names.push_back(schema.name);
        names.push_back(schema.name + "InferShape");
        names.push_back(schema.name + "InferType");
      }
      for (const std::string& name : names) {
        keep.insert(keep.end(), {"--keep-global-symbol", name});
      }
    }
    step.key = Key(Concatenate(group, keep)) + output.string();
    keep.insert(keep.end(), {grouped.string(), aside.string()});
    step.run = [this, group, keep, aside, output] {
      const std::string said = RunTool(group, work_ / "link.log", "the operators do not link");
      RunTool(keep, work_ / "link.log", "the operators cannot be made local");
      fs::rename(aside, output);
      return said;
    };
    RunSteps({&step}, 1, options_.force, &hashes_);
    std::string exported = VersionScript(schemas_);
    exported.insert(exported.find("global:\n") + 8, "  aclnn*;\n");
    WriteFile(output.parent_path() / "exports.map", exported);
  }

  void Link(const fs::path& output) {
    Step& note = Note();
    const fs::path exported = work_ / "exported.map";
    WriteFile(exported, VersionScript(schemas_));
    std::vector<Step*> parts = Parts();
    parts.push_back(&note);
    if (embedded_ != nullptr) parts.push_back(embedded_);
    const fs::path list = options_.plans.empty() ? project_.root / kPlansFile
                                                 : fs::absolute(options_.plans).lexically_normal();
    std::error_code error;
    const bool there = fs::is_regular_file(list, error);
    if (!options_.plans.empty() && !there) {
      throw Error(BASCULE_NOT_FOUND,
                  Join("there is no file ", list.string(), " with shapes to plan"));
    }
    if (there) {
      Step& bare = NewStep("library without plans", work_ / "unplanned.so");
      LinkParts(&bare, parts, exported);
      parts.push_back(&Plans(list, bare.output));
    }
    Step& step = NewStep("library", output);
    step.record = work_ / "library.step";
    LinkParts(&step, parts, exported);
  }

  // The step of the note with plans. They are made by a program of their own, because tiling is
  // code of the project, which may crash.
  Step& Plans(const fs::path& list, const fs::path& library) {
    const fs::path source = work_ / "planner.cpp";
    WriteFile(source,
              "// Generated by bascule build.\n"
              "#include <dlfcn.h>\n"
              "#include <cstdint>\n"
              "#include <cstdio>\n"
              "#include <fstream>\n"
              "#include <iterator>\n"
              "#include <string>\n"
              "template <typename F> F Get(void* runtime, const char* name) {\n"
              "  return reinterpret_cast<F>(dlsym(runtime, name));\n"
              "}\n"
              "int main(int, char** argv) {\n"
              "  void* const runtime = dlopen(argv[1], RTLD_NOW | RTLD_GLOBAL);\n"
              "  if (runtime == nullptr) return std::fprintf(stderr, \"%s\\n\", dlerror()), 1;\n"
              "  std::ifstream file(argv[3], std::ios::binary);\n"
              "  const std::string list{std::istreambuf_iterator<char>(file), {}};\n"
              "  void* library = nullptr;\n"
              "  if (Get<int32_t (*)(const char*, void**)>(runtime, \"bascule_library_open\")(\n"
              "          argv[2], &library) != 0 ||\n"
              "      Get<int32_t (*)(void*, const char*, uint64_t*)>(runtime, "
              "\"bascule_library_plan\")(\n"
              "          library, list.c_str(), nullptr) != 0 ||\n"
              "      Get<int32_t (*)(void*, const char*)>(runtime, "
              "\"bascule_library_plans_save\")(\n"
              "          library, argv[4]) != 0) {\n"
              "    std::fprintf(stderr, \"%s\\n\",\n"
              "                 Get<const char* (*)()>(runtime, \"bascule_last_error\")());\n"
              "    return 1;\n"
              "  }\n"
              "  return 0;\n"
              "}\n");
    const fs::path program = work_ / "planner";
    const fs::path plans = work_ / "plans.bin";
    const fs::path assembler = work_ / "plans.s";
    const fs::path runtime = fs::absolute(RuntimeFile("the list of plans"));
    Step& step = NewStep("plans", work_ / "plans.o");
    const Command compile = Concatenate(compiler_.command, options_.flags,
                                        Command{"-o", program.string(), source.string(), "-ldl"});
    const Command assemble = Concatenate(
        compiler_.command, Command{"-c", "-o", step.output.string(), assembler.string()});
    step.key = Key(Concatenate(compile, assemble)) + runtime.string();
    // Not the runtime's content: a library says which platform its plans are for.
    step.inputs = {source, list, library};
    step.run = [=, this] {
      const fs::path log = work_ / "plans.log";
      RunTool(compile, log, "the program that makes plans does not compile");
      const ProcessResult made = RunProgram(
          {program.string(), runtime.string(), library.string(), list.string(), plans.string()},
          log, options_.describe_seconds);
      if (!made.ok()) {
        throw Error(BASCULE_BUILD_ERROR,
                    Join("the plans of ", list.string(), " cannot be made",
                         made.timed_out     ? Join(" within ", options_.describe_seconds, " s")
                         : made.signal != 0 ? ": tiling crashed with " + SignalName(made.signal)
                                            : std::string(),
                         ":\n", Shorten(made.output)));
      }
      WriteFile(assembler, NoteSource(ReadFile(plans), kPlansNote));
      return RunTool(assemble, log, "the plans cannot be assembled");
    };
    RunSteps({&step}, 1, options_.force, &hashes_);
    return step;
  }

  // Links the parts to the step's output.
  void LinkParts(Step* made, const std::vector<Step*>& parts, const fs::path& exported) {
    Step& step = *made;
    const fs::path output = step.output;
    const fs::path aside = Join(output.string(), ".", getpid(), ".tmp");
    Command command = Concatenate(compiler_.command, options_.flags, Command{"-shared", "-o"});
    step.key = Key(command) + output.string();
    command.push_back(aside.string());
    step.inputs = {exported};
    for (const Step* part : parts) {
      step.inputs.push_back(part->output);
      command.push_back(part->output.string());
    }
    // -z nodelete: MindSpore closes a library after each question about shapes, and plans keep
    // pointers into it.
    command.insert(command.end(),
                   {"-Xlinker", "--version-script=" + exported.string(), "-Wl,-z,defs",
                    "-Wl,-z,now", "-Wl,-z,relro", "-Wl,-z,nodelete", "-ldl", "-lm", "-pthread"});
    step.run = [this, command, aside, output] { return LinkAside(command, aside, output, [] {}); };
    RunSteps({&step}, 1, options_.force, &hashes_);
  }

  // Links to `aside`, looks at what came, and renames it to its place; returns what the linker
  // said.
  std::string LinkAside(const Command& command, const fs::path& aside, const fs::path& output,
                        const std::function<void()>& check) const {
    std::error_code error;
    std::string messages;
    try {
      messages = RunTool(command, work_ / "link.log", "the library does not link");
      check();
    } catch (...) {
      fs::remove(aside, error);
      throw;
    }
    fs::rename(aside, output, error);
    if (error) {
      std::error_code ignored;
      fs::remove(aside, ignored);
      throw Error(BASCULE_BUILD_ERROR,
                  Join(output.string(), " cannot be written: ", error.message()));
    }
    return messages;
  }

  // --- what they share

  // Why a step ran, with paths as people know them.
  std::string Reason(const Step& step) const {
    std::string reason = step.reason;
    for (const fs::path& folder : {work_, project_.root}) {
      if (reason.starts_with(folder.string() + "/")) {
        return reason.substr(folder.string().size() + 1);
      }
    }
    return reason;
  }

  Step& NewStep(const std::string& name, const fs::path& output) {
    steps_.emplace_back();
    steps_.back().name = name;
    steps_.back().output = output;
    return steps_.back();
  }

  // The compiler, or the driver before it where the file launches its kernel as well: tutorials
  // have a function for that beside the kernel, and only the driver makes C++ of a launch.
  Command KernelCompiler(const fs::path& source) const {
    if (ReadFile(source).find("<<<") == std::string::npos) return compiler_.command;
    std::string looked_for;
    for (const fs::path& folder : include_folders_) {
      const fs::path driver = folder.parent_path() / "bin/bascule-ascc";
      std::error_code error;
      if (fs::is_regular_file(driver, error)) {
        std::string behind = "--host-compiler=";
        for (const std::string& word : compiler_.command) behind += word + " ";
        return {driver.string(), behind};
      }
      looked_for += "\n  " + driver.string();
    }
    throw Error(BASCULE_BUILD_ERROR,
                Join(Shown(project_, source),
                     " launches a kernel with <<<…>>>, for which a build needs the driver of "
                     "bascule's installation. Looked for:",
                     looked_for));
  }

  Command Compile(const fs::path& source, const fs::path& object, const Command& flags) const {
    return CompileWith(compiler_.command, source, object, flags);
  }

  Command CompileWith(const Command& compiler, const fs::path& source, const fs::path& object,
                      const Command& flags) const {
    Command command = Concatenate(compiler,
                                  Command{"-std=c++17", "-fPIC", "-fvisibility=hidden",
                                          "-fvisibility-inlines-hidden", "-ffp-contract=off"},
                                  flags);
    // A unique symbol is shared by all libraries of a process, whatever its visibility was meant to
    // be.
    if (!compiler_.is_clang) command.push_back("-fno-gnu-unique");
    for (const fs::path& folder : include_folders_) command.push_back("-I" + folder.string());
    return Concatenate(command, options_.flags,
                       Command{"-MD", "-c", source.string(), "-o", object.string()});
  }

  void CompileStep(Step* step, const fs::path& source, Command command,
                   const std::string& failure) {
    step->depfile = step->output.string() + ".d";
    command.insert(command.end(), {"-MF", step->depfile.string()});
    step->key = Key(command);
    step->inputs = {source};
    step->run = [this, command, failure, name = step->name, log = step->output.string() + ".log"] {
      return RunTool(command, log, name + " " + failure);
    };
  }

  // As compilers write a path into a dependency file.
  static std::string Escaped(const fs::path& path) {
    std::string text;
    for (const char c : path.string()) {
      if (c == ' ' || c == '#' || c == '\\') text += '\\';
      if (c == '$') text += '$';
      text += c;
    }
    return text;
  }

  // A command, the tools behind it, and the environment they read.
  std::string Key(const Command& command) const {
    std::string key = Join(kVersion, "\n", compiler_.identity, "\n", Text(command));
    for (const char* name :
         {"CPATH", "CPLUS_INCLUDE_PATH", "LIBRARY_PATH", "GCC_EXEC_PREFIX", "COMPILER_PATH"}) {
      const char* value = std::getenv(name);
      if (value != nullptr) key += Join(name, "=", value, "\n");
    }
    return key;
  }

  // How a tool ended, where its own words do not say it.
  static std::string End(const ProcessResult& result, const Command& command, const fs::path& log) {
    if (result.signal != 0)
      return "(" + command[0] + " ended with " + SignalName(result.signal) + ")";
    if (!result.output.empty()) return "";
    std::error_code error;
    const fs::path folder = log.parent_path();
    const fs::space_info space = fs::space(folder, error);
    const bool full = !error && space.available < kRoom;
    return Join("(", command[0], " ended with status ", result.exit_code, " and said nothing",
                full ? "; no room is left in " + folder.string() : std::string(), ")");
  }

  static std::string RunTool(const Command& command, const fs::path& log,
                             const std::string& failure) {
    const ProcessResult result = RunProgram(command, log);
    if (!result.ok()) {
      throw Error(BASCULE_BUILD_ERROR,
                  Join(failure, ":\n", Shorten(result.output), End(result, command, log)));
    }
    return result.output;
  }

  // What a project's own build files add for a kernel.
  Command KernelFlags(const Schema& schema) const {
    Command flags;
    for (const std::string& owner : {std::string("ALL"), schema.type}) {
      const auto found = options_.kernel_flags.find(owner);
      if (found == options_.kernel_flags.end()) continue;
      flags.insert(flags.end(), found->second.begin(), found->second.end());
    }
    return flags;
  }

  fs::path KernelSource(const Schema& schema) const {
    if (const auto found = options_.kernel_sources.find(schema.type);
        found != options_.kernel_sources.end()) {
      return found->second;
    }
    if (options_.kernel_folders.empty()) {
      return FindKernelSource(project_, schema.name, schema.kernel_file);
    }
    return FindKernelSource(project_, options_.kernel_folders, schema.name, schema.kernel_file);
  }

  std::string LibraryName() const {
    return schemas_.size() == 1 ? schemas_[0].name : project_.name;
  }

  // Everything of the project that went into the library, wherever the project lies.
  std::string SourceHash() {
    std::map<std::string, std::string> files;
    for (const Step& step : steps_) {
      for (const fs::path& path : step.read) {
        const fs::path relative = path.lexically_normal().lexically_relative(project_.root);
        const std::string shown = relative.generic_string();
        const bool listed = !options_.host_sources.empty() && !shown.starts_with("..") &&
                            !path.lexically_normal().string().starts_with(work_.string() + "/");
        if (listed || shown.starts_with("op_host/") || shown.starts_with("op_kernel/")) {
          files[shown] = hashes_.Of(path);
        }
      }
    }
    std::string text;
    for (const auto& [path, hash] : files) text += path + " " + hash + "\n";
    return HashText(text + HashText(gradient_text_));
  }

  const Options& options_;
  json& report_;
  const Project project_;
  fs::path work_;
  Compiler compiler_;
  std::vector<fs::path> include_folders_;
  std::size_t jobs_ = 1;
  FileHashes hashes_;
  std::deque<Step> steps_;
  std::vector<Step*> host_;
  std::vector<Step*> kernels_;
  json warnings_ = json::array();            // messages of no step
  std::map<std::string, KernelForm> forms_;  // by operator; empty when no kernel has several
  Step* glue_ = nullptr;
  Step* stub_ = nullptr;
  std::vector<Schema> schemas_;
  std::string gradient_text_;
  std::string reference_text_;
  // By operator.
  std::map<std::string, GradientRule> gradients_;
  Step* embedded_ = nullptr;  // the runtime, where it goes into the library
  std::map<std::string, ReferenceFunctions> references_;
};

}  // namespace

std::vector<Schema> DescribeProject(const std::string& project_path, const json& options) {
  const Options parsed = ParseOptions(options);
  json report;
  Builder builder(project_path, parsed, &report);
  builder.Run(/*describe_only=*/true);
  return builder.schemas();
}

BuildResult Build(const std::string& project_path, const json& options) {
  const auto start = std::chrono::steady_clock::now();
  BuildResult result;
  result.report = json::object();
  const auto fail = [&](BasculeStatus status, const std::string& text) {
    result.status = status;
    result.error = text;
    result.report["status"] = "failed";
    result.report["error"] = text;
  };
  try {
    const Options parsed = ParseOptions(options);
    Builder builder(project_path, parsed, &result.report);
    try {
      builder.Run();
      builder.Report();
    } catch (...) {
      builder.Report();
      throw;
    }
  } catch (const Error& error) {
    fail(error.status(), error.what());
  } catch (const std::exception& error) {
    fail(BASCULE_INTERNAL, Join("the build failed: ", error.what()));
  }
  result.report["seconds"] =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return result;
}

}  // namespace bascule::toolchain
