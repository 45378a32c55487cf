// SPDX-License-Identifier: Apache-2.0
#include "host/plans.h"

#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <deque>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <numeric>
#include <string_view>

#include "base/dtype.h"
#include "base/error.h"
#include "base/warning.h"
#include "engine/platform.h"
#include "host/host_function.h"
#include "host/launch.h"
#include "host/plan_limits.h"
#include "registry/plan_key.h"
#include "toolchain/cache.h"
#include "toolchain/manifest.h"
#include "xxhash.h"

namespace bascule::host {
namespace {

using nlohmann::json;

// Plans as the content of a file: 64-bit words of this machine's byte order, which no other can
// read by mistake because of the first word.
//
//   kMagic, kVersion, the library's content hash (2 words), the platform, number of operators
//   for each operator: bytes of its name, the name padded to words, number of plans
//     for each plan: a Header, its key, its outputs, its tiling data padded to words
//   a hash of everything before
constexpr uint64_t kMagic = 0x6e616c7063736162;  // "bascplan"
constexpr uint64_t kVersion = 1;
constexpr uint64_t kNoVariant = UINT64_MAX;
constexpr uint64_t kMaxBlocks = 65535;
constexpr uint64_t kMaxTilingBytes = 64 * 1024;
constexpr uint64_t kMaxWorkspaceBytes = uint64_t{1} << 40;

struct Header {
  uint64_t key_words;
  uint64_t output_words;
  uint64_t variant;
  uint64_t block_count;
  uint64_t tiling_key;
  uint64_t workspace_bytes;
  uint64_t tiling_bytes;
  uint64_t launch_ns;
};

// Plans hold for the numbers of the platform they were made for.
uint64_t PlatformWord(const BasculePlatform& platform) {
  const uint64_t numbers[] = {platform.aiv_cores, platform.aic_cores, platform.l2_bytes,
                              platform.system_workspace_bytes};
  XXH3_state_t state;
  XXH3_64bits_reset(&state);
  XXH3_64bits_update(&state, numbers, sizeof(numbers));
  XXH3_64bits_update(&state, platform.memory_bytes, sizeof(platform.memory_bytes));
  XXH3_64bits_update(&state, platform.name, std::strlen(platform.name));
  return XXH3_64bits_digest(&state);
}

class Writer {
 public:
  void Word(uint64_t word) { Bytes(&word, sizeof(word)); }
  void Bytes(const void* data, size_t bytes) {
    content.append(static_cast<const char*>(data), bytes);
    content.append((8 - bytes % 8) % 8, '\0');
  }
  std::string content;
};

// Reads words and doubts them.
class Reader {
 public:
  Reader(std::string_view content, const std::string& source)
      : content_(content), source_(source) {}

  uint64_t Word() {
    uint64_t word = 0;
    std::memcpy(&word, Take(sizeof(word)), sizeof(word));
    return word;
  }
  const char* Take(uint64_t bytes) {
    if (bytes > content_.size() - at_) Damaged("it ends too early");
    const uint64_t padded = (bytes + 7) / 8 * 8;
    if (padded > content_.size() - at_) Damaged("it ends too early");
    const char* const taken = content_.data() + at_;
    at_ += padded;
    return taken;
  }
  // `count` things of at least `bytes` bytes each that are still to come.
  uint64_t Count(uint64_t bytes) {
    const uint64_t count = Word();
    if (count > (content_.size() - at_) / bytes) Damaged("it ends too early");
    return count;
  }
  [[noreturn]] void Damaged(const char* what) const {
    throw Error(BASCULE_INVALID_ARGUMENT, Join("the plans in ", source_, " are damaged: ", what,
                                               ". Save them again, or go on without them."));
  }
  bool AtEnd() const { return at_ == content_.size(); }

 private:
  std::string_view content_;
  const std::string& source_;
  size_t at_ = 0;
};

struct ReadPlan {
  Operator* op;
  std::vector<int64_t> key;
  registry::Plan plan;
  uint64_t launch_ns;
};

std::vector<int64_t> Words(Reader& reader, uint64_t count) {
  const char* const data = reader.Take(count * 8);
  std::vector<int64_t> words(count);
  if (count != 0) std::memcpy(words.data(), data, count * 8);
  return words;
}

// The outputs of a plan from their words.
std::vector<BasculeTensorInfo> Outputs(const Reader& reader, std::span<const int64_t> words) {
  std::vector<BasculeTensorInfo> outputs;
  for (size_t at = 0; at < words.size();) {
    const int64_t word = words[at++];
    BasculeTensorInfo info = {};
    info.present = 1;
    info.dtype = static_cast<int16_t>(word);
    info.format = static_cast<int16_t>(word >> 16);
    info.shape.rank = word >> 48;
    if (info.shape.rank < 0 || info.shape.rank > BASCULE_MAX_RANK ||
        static_cast<uint64_t>(info.shape.rank) > words.size() - at ||
        FindDType(info.dtype) == nullptr) {
      reader.Damaged("an output has no such shape or element type");
    }
    for (int64_t d = 0; d < info.shape.rank; ++d) {
      info.shape.dims[d] = words[at++];
      if (info.shape.dims[d] < 0) reader.Damaged("an output has a negative dimension");
    }
    outputs.push_back(info);
  }
  return outputs;
}

// How many outputs a plan with this key has. The key of an operator that takes lists begins with
// their lengths (registry::Lists::counts).
size_t OutputTensors(const Operator& op, std::span<const int64_t> key) {
  const BasculeOperatorDef& def = *op.entry->def;
  if (!op.takes_lists) return def.output_count;
  if (key.size() < size_t{def.input_count} + def.output_count) return SIZE_MAX;
  uint64_t count = 0;
  for (const int64_t one : key.subspan(def.input_count, def.output_count)) {
    count += static_cast<uint64_t>(one);
  }
  return count;
}

ReadPlan Read(Reader& reader, Operator* op) {
  Header header;
  std::memcpy(&header, reader.Take(sizeof(header)), sizeof(header));
  if (header.key_words > registry::PlanCache::kMaxKeyWords || header.output_words > UINT16_MAX ||
      header.tiling_bytes > kMaxTilingBytes || header.block_count > kMaxBlocks ||
      header.workspace_bytes > kMaxWorkspaceBytes) {
    reader.Damaged("a plan has numbers that none can have");
  }
  ReadPlan read = {op, Words(reader, header.key_words), {}, header.launch_ns};
  const std::vector<int64_t> output_words = Words(reader, header.output_words);
  const char* const tiling = reader.Take(header.tiling_bytes);
  if (op == nullptr) return read;
  registry::Plan& plan = read.plan;
  plan.outputs = Outputs(reader, output_words);
  if (plan.outputs.size() != OutputTensors(*op, read.key)) {
    reader.Damaged("a plan has too few or too many outputs");
  }
  plan.block_count = static_cast<uint32_t>(header.block_count);
  if ((header.variant == kNoVariant) != (header.block_count == 0) ||
      (header.variant != kNoVariant && header.variant >= op->entry->variant_count)) {
    reader.Damaged("a plan is for a kernel that the library does not have");
  }
  if (header.variant != kNoVariant) {
    plan.variant = &op->entry->variants[header.variant];
    plan.kernel_type =
        KernelTypeOf(reinterpret_cast<const void*>(plan.variant->entry), plan.variant->kind);
  }
  plan.tiling_key = header.tiling_key;
  plan.workspace_bytes = header.workspace_bytes;
  plan.tiling_bytes = header.tiling_bytes;
  plan.tiling_data.resize((header.tiling_bytes + 7) / 8);
  if (header.tiling_bytes != 0) std::memcpy(plan.tiling_data.data(), tiling, header.tiling_bytes);
  return read;
}

// How many outputs a plan is for: what the caller says, else one for each of the definition.
size_t OutputTensors(const BasculeOperatorDef& def, std::span<const BasculeTensorInfo> outputs,
                     const registry::Counts& counts) {
  if (counts.outputs.empty()) return outputs.empty() ? def.output_count : outputs.size();
  return std::accumulate(counts.outputs.begin(), counts.outputs.end(), size_t{0});
}

// --- lists of shapes to plan ahead

// The attributes of one entry, and what they point to.
struct Attributes {
  std::vector<BasculeAttribute> values;
  std::deque<std::string> texts;
  std::deque<std::vector<int64_t>> ints;
  std::deque<std::vector<float>> floats;
};

const char* const kKinds[] = {"an integer",
                              "a number",
                              "true or false",
                              "a text",
                              "a list of integers",
                              "a list of numbers",
                              "a list of truth values",
                              "a list of lists of integers"};

void AddAttribute(const Operator& op, const std::string& name, const json& value, Attributes* out) {
  const BasculeOperatorDef& def = *op.entry->def;
  const auto* const known =
      std::find_if(def.attributes, def.attributes + def.attribute_count,
                   [&](const BasculeAttributeDef& attribute) { return name == attribute.name; });
  if (known == def.attributes + def.attribute_count) {
    throw Error(BASCULE_INVALID_ARGUMENT, Join(op.entry->name, " has no attribute '", name, "'"));
  }
  BasculeAttribute attribute = {};
  attribute.name = known->name;
  attribute.kind = known->kind;
  try {
    switch (known->kind) {
      case BASCULE_ATTR_INT:
        attribute.value.i = value.get<int64_t>();
        break;
      case BASCULE_ATTR_BOOL:
        attribute.value.i = value.get<bool>() ? 1 : 0;
        break;
      case BASCULE_ATTR_FLOAT:
        attribute.value.f = value.get<float>();
        break;
      case BASCULE_ATTR_STRING:
        attribute.value.s = out->texts.emplace_back(value.get<std::string>()).c_str();
        attribute.length = static_cast<uint32_t>(out->texts.back().size());
        break;
      case BASCULE_ATTR_INT_LIST:
        attribute.value.ints = out->ints.emplace_back(value.get<std::vector<int64_t>>()).data();
        attribute.length = static_cast<uint32_t>(out->ints.back().size());
        break;
      case BASCULE_ATTR_FLOAT_LIST:
        attribute.value.floats = out->floats.emplace_back(value.get<std::vector<float>>()).data();
        attribute.length = static_cast<uint32_t>(out->floats.back().size());
        break;
      case BASCULE_ATTR_BOOL_LIST:
      case BASCULE_ATTR_INT_LISTS: {
        std::vector<int64_t>& ints = out->ints.emplace_back();
        for (const json& item : value.get<std::vector<json>>()) {
          if (known->kind == BASCULE_ATTR_BOOL_LIST) {
            ints.push_back(item.get<bool>() ? 1 : 0);
            continue;
          }
          const auto numbers = item.get<std::vector<int64_t>>();
          ints.push_back(static_cast<int64_t>(numbers.size()));
          ints.insert(ints.end(), numbers.begin(), numbers.end());
        }
        attribute.value.ints = ints.data();
        attribute.length = static_cast<uint32_t>(ints.size());
        break;
      }
      default:
        break;
    }
  } catch (const json::exception&) {
    throw Error(BASCULE_INVALID_ARGUMENT, Join("the attribute '", name, "' takes ",
                                               kKinds[known->kind], ", not ", value.dump()));
  }
  out->values.push_back(attribute);
}

BasculeTensorInfo InfoFrom(const json& described) {
  BasculeTensorInfo info = {};
  info.dtype = -1;
  if (described.is_null()) return info;
  if (!described.is_object() || !described.contains("shape") || !described.contains("dtype") ||
      !described["shape"].is_array() || !described["dtype"].is_string()) {
    throw Error(
        BASCULE_INVALID_ARGUMENT,
        R"(an input is {"shape": [3, 5], "dtype": "float32"}, or null where it is left out)");
  }
  const DTypeInfo* const dtype = FindDType(described["dtype"].get<std::string>());
  if (dtype == nullptr) {
    throw Error(BASCULE_INVALID_ARGUMENT, Join(described["dtype"].dump(), " is no element type"));
  }
  const json& shape = described["shape"];
  if (shape.size() > BASCULE_MAX_RANK ||
      !std::all_of(shape.begin(), shape.end(), [](const json& size) {
        return size.is_number_integer() && size.get<int64_t>() >= 0;
      })) {
    throw Error(BASCULE_INVALID_ARGUMENT, Join("a shape is a list of up to ", BASCULE_MAX_RANK,
                                               " dimensions, each 0 or more, not ", shape.dump()));
  }
  info.present = 1;
  info.format = BASCULE_FORMAT_ND;
  info.dtype = dtype->dtype;
  info.shape.rank = static_cast<int64_t>(shape.size());
  std::transform(shape.begin(), shape.end(), info.shape.dims,
                 [](const json& size) { return size.get<int64_t>(); });
  return info;
}

void PlanEntry(Library& library, const json& entry) {
  if (!entry.is_object() || !entry.contains("inputs") || !entry["inputs"].is_array()) {
    throw Error(BASCULE_INVALID_ARGUMENT,
                R"(an entry is {"operator": name, "inputs": [...], "attributes": {...}})");
  }
  for (const auto& [name, value] : entry.items()) {
    if (name != "operator" && name != "inputs" && name != "attributes" && name != "outputs") {
      throw Error(
          BASCULE_INVALID_ARGUMENT,
          Join("it has a member '", name, "'; known are operator, inputs, attributes, outputs"));
    }
  }
  const json name = entry.value("operator", json());
  if (!name.is_string() && (!name.is_null() || library.operators().size() != 1)) {
    throw Error(BASCULE_INVALID_ARGUMENT, "it has to say which \"operator\" it is for");
  }
  Operator& op =
      name.is_string() ? library.Find(name.get<std::string>()) : *library.operators().front();
  std::vector<BasculeTensorInfo> inputs;
  std::vector<uint32_t> input_counts;  // a list of tensors is a list of inputs
  bool lists = false;
  for (const json& input : entry["inputs"]) {
    lists = lists || input.is_array();
    for (const json& member : input.is_array() ? input : json::array({input})) {
      inputs.push_back(InfoFrom(member));
    }
    input_counts.push_back(input.is_array() ? static_cast<uint32_t>(input.size()) : 1);
  }
  if (!lists) input_counts.clear();
  std::vector<uint32_t> output_counts;
  for (const json& count : entry.value("outputs", json::array())) {
    if (!count.is_number_integer() || count.get<int64_t>() < 0 || count.get<int64_t>() > 4096) {
      throw Error(BASCULE_INVALID_ARGUMENT,
                  Join("\"outputs\" says how many tensors each output has, in whole numbers, not ",
                       count.dump()));
    }
    output_counts.push_back(count.get<uint32_t>());
  }
  Attributes attributes;
  const json values = entry.value("attributes", json::object());
  if (!values.is_object()) {
    throw Error(BASCULE_INVALID_ARGUMENT, "\"attributes\" is an object of names and values");
  }
  for (const auto& [attribute, value] : values.items()) {
    AddAttribute(op, attribute, value, &attributes);
  }
  PlanFor(op, inputs, attributes.values, {}, {input_counts, output_counts});
}

}  // namespace

registry::Plan MakePlan(const Operator& op, std::span<const BasculeTensorInfo> inputs,
                        std::span<const BasculeAttribute> complete_attributes,
                        std::span<const void* const> input_data,
                        std::span<const BasculeTensorInfo> outputs, const registry::Lists& lists) {
  registry::Plan plan =
      registry::MakePlan(*op.entry, PlannedPlatform(), inputs, complete_attributes,
                         CallHostFunction, input_data, outputs, lists);
  if (plan.variant != nullptr) {
    plan.kernel_type =
        KernelTypeOf(reinterpret_cast<const void*>(plan.variant->entry), plan.variant->kind);
  }
  return plan;
}

registry::PlanRef PlanFor(Operator& op, std::span<const BasculeTensorInfo> inputs,
                          std::span<const BasculeAttribute> attributes,
                          std::span<const BasculeTensorInfo> outputs,
                          const registry::Counts& counts) {
  const BasculeOperatorEntry& entry = *op.entry;
  if (op.takes_any()) {
    throw Error(BASCULE_UNSUPPORTED, Join(entry.name, " is ", op.kind(),
                                          ": it has no tiling that could be planned ahead."));
  }
  if (op.value_inputs != 0) {
    throw Error(BASCULE_UNSUPPORTED,
                Join(entry.name,
                     " cannot be planned ahead: its plans depend on what inputs hold "
                     "(ValueDepend in its OpDef)."));
  }
  const registry::Lists lists =
      op.ListsOf(inputs.size(), OutputTensors(*entry.def, outputs, counts), counts);
  if (!std::all_of(inputs.begin(), inputs.end(), registry::IsShape)) [[unlikely]]
    registry::CheckShapes(entry, inputs, lists);
  registry::PlanKey key;
  key.AddCounts(lists.counts());
  for (const BasculeTensorInfo& info : inputs) key.Add(info);
  std::vector<BasculeAttribute> complete;
  if (entry.def->attribute_count != 0 || !attributes.empty()) {
    complete = registry::CompleteAttributes(entry, attributes);
    for (const BasculeAttribute& attribute : complete) key.Add(attribute);
  }
  if (entry.def->infer_shape == nullptr) {
    for (const BasculeTensorInfo& info : outputs) key.Add(info);
  }
  AddPlanLimits(&key);
  return op.plans.FindOrMake(key.Words(),
                             [&] { return MakePlan(op, inputs, complete, {}, outputs, lists); });
}

uint64_t PlanList(Library& library, const std::string& text) {
  const json list = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (!list.is_array()) {
    throw Error(BASCULE_INVALID_ARGUMENT,
                Join("plans for '", library.path(), "' are a JSON list, one entry for each ",
                     R"(combination of shapes: [{"operator": "my_mul", "inputs": [)",
                     R"({"shape": [3, 5], "dtype": "float32"}, …]}, …].)"));
  }
  uint64_t number = 0;
  for (const json& entry : list) {
    ++number;
    try {
      PlanEntry(library, entry);
    } catch (const Error& error) {
      throw Error(error.status(), Join("entry ", number, " of the list of plans for '",
                                       library.path(), "': ", error.what()));
    }
  }
  return number;
}

std::string PackPlans(const Library& library, std::span<Operator* const> operators) {
  Writer writer;
  writer.Word(kMagic);
  writer.Word(kVersion);
  writer.Word(library.content().first);
  writer.Word(library.content().second);
  writer.Word(PlatformWord(engine::Ascend910B()));
  writer.Word(operators.size());
  for (Operator* const op : operators) {
    const std::string_view name = op->entry->name;
    writer.Word(name.size());
    writer.Bytes(name.data(), name.size());
    const std::vector<registry::PlanRef> plans = op->plans.All();
    writer.Word(op->takes_any() ? 0 : plans.size());
    if (op->takes_any()) continue;
    for (const registry::PlanRef& plan : plans) {
      const std::vector<int64_t> key = plan->key();
      const Header header = {
          key.size(),
          plan->output_words().size(),
          plan->variant() != nullptr ? static_cast<uint64_t>(plan->variant() - op->entry->variants)
                                     : kNoVariant,
          plan->block_count(),
          plan->tiling_key(),
          plan->workspace_bytes(),
          plan->tiling_bytes(),
          plan->launch_ns().load(std::memory_order_relaxed),
      };
      writer.Bytes(&header, sizeof(header));
      writer.Bytes(key.data(), key.size() * sizeof(int64_t));
      writer.Bytes(plan->output_words().data(), plan->output_words().size_bytes());
      writer.Bytes(plan->tiling_data(), plan->tiling_bytes());
    }
  }
  writer.Word(XXH3_64bits(writer.content.data(), writer.content.size()));
  return std::move(writer.content);
}

uint64_t UnpackPlans(const Library& library, std::span<Operator* const> operators,
                     std::string_view content, const std::string& source, bool carried) {
  Reader reader(content, source);
  if (content.size() < 8 || reader.Word() != kMagic) {
    throw Error(BASCULE_INVALID_ARGUMENT,
                Join(source, " holds no plans; bascule_library_plans_save() makes such files."));
  }
  if (const uint64_t version = reader.Word(); version != kVersion) {
    throw Error(BASCULE_VERSION_MISMATCH,
                Join("the plans in ", source, " are in version ", version,
                     " of their format; this runtime reads version ", kVersion, "."));
  }
  if (content.size() % 8 != 0) reader.Damaged("it ends too early");
  uint64_t hash = 0;
  std::memcpy(&hash, content.data() + content.size() - 8, 8);
  if (hash != XXH3_64bits(content.data(), content.size() - 8)) {
    reader.Damaged("their checksum does not fit");
  }
  const std::pair<uint64_t, uint64_t> made_for{reader.Word(), reader.Word()};
  if (!carried && made_for != library.content()) {
    throw Error(BASCULE_INVALID_ARGUMENT,
                Join("the plans in ", source, " were made by another library than '",
                     library.path(), "', or before it was built again; plan and save them again."));
  }
  if (reader.Word() != PlatformWord(engine::Ascend910B())) {
    throw Error(BASCULE_VERSION_MISMATCH,
                Join("the plans in ", source, " were made for another platform than ",
                     engine::Ascend910B().name, " as this runtime knows it; plan again."));
  }
  std::vector<ReadPlan> read;
  for (uint64_t count = reader.Count(16); count != 0; --count) {
    const uint64_t name_bytes = reader.Count(1);
    const std::string_view name(reader.Take(name_bytes), name_bytes);
    const auto op = std::find_if(operators.begin(), operators.end(),
                                 [&](const Operator* known) { return name == known->entry->name; });
    for (uint64_t plans = reader.Count(sizeof(Header)); plans != 0; --plans) {
      ReadPlan plan = Read(reader, op != operators.end() ? *op : nullptr);
      if (plan.op != nullptr) read.push_back(std::move(plan));
    }
  }
  (void)reader.Word();  // the checksum
  if (!reader.AtEnd()) reader.Damaged("something follows them");
  for (const ReadPlan& plan : read) {
    plan.op->plans.Insert(plan.key, plan.plan)->launch_ns().store(plan.launch_ns);
    plan.op->loaded_plans.fetch_add(1);
  }
  return read.size();
}

void UnpackCarriedPlans(const Library& library, std::span<Operator* const> operators,
                        const void* address) {
  struct Search {
    uint64_t address;
    std::string_view found;
  } search = {reinterpret_cast<uint64_t>(address), {}};
  dl_iterate_phdr(
      [](dl_phdr_info* info, size_t, void* argument) {
        Search& wanted = *static_cast<Search*>(argument);
        const std::span<const ElfW(Phdr)> parts(info->dlpi_phdr, info->dlpi_phnum);
        const bool here = std::any_of(parts.begin(), parts.end(), [&](const ElfW(Phdr) & part) {
          const uint64_t begin = info->dlpi_addr + part.p_vaddr;
          return part.p_type == PT_LOAD && wanted.address >= begin &&
                 wanted.address - begin < part.p_memsz;
        });
        if (!here) return 0;
        for (const ElfW(Phdr) & part : parts) {
          if (part.p_type != PT_NOTE) continue;
          const char* at = reinterpret_cast<const char*>(info->dlpi_addr + part.p_vaddr);
          const char* const end = at + part.p_memsz;
          ElfW(Nhdr) note;
          while (static_cast<size_t>(end - at) >= sizeof(note)) {
            std::memcpy(&note, at, sizeof(note));
            const char* const name = at + sizeof(note);
            const uint64_t name_bytes = (uint64_t{note.n_namesz} + 3) / 4 * 4;
            const uint64_t content_bytes = (uint64_t{note.n_descsz} + 3) / 4 * 4;
            if (name_bytes + content_bytes > static_cast<uint64_t>(end - name)) break;
            if (note.n_type == toolchain::kPlansNote &&
                std::string_view(name, note.n_namesz) ==
                    std::string_view(BASCULE_NOTE_OWNER, sizeof(BASCULE_NOTE_OWNER))) {
              wanted.found = {name + name_bytes, note.n_descsz};
            }
            at = name + name_bytes + content_bytes;
          }
        }
        return 1;
      },
      &search);
  if (search.found.empty()) return;
  try {
    UnpackPlans(library, operators, search.found, Join("'", library.path(), "'"), true);
  } catch (const Error& error) {
    // Plans of another runtime's platform are made again without a word: they are a convenience.
    if (error.status() == BASCULE_VERSION_MISMATCH) return;
    WarnOnce("plans", library.path().c_str(), 0, error.what());
  }
}

void SavePlans(const Library& library, std::span<Operator* const> operators,
               const std::string& path) {
  const std::string content = PackPlans(library, operators);
  // Aside and renamed: whoever reads meanwhile sees the old file or the new one.
  const std::string aside = Join(path, ".", getpid(), ".tmp");
  std::ofstream file(aside, std::ios::binary);
  file.write(content.data(), static_cast<std::streamsize>(content.size()));
  file.close();
  if (!file || std::rename(aside.c_str(), path.c_str()) != 0) {
    const std::string why = std::strerror(errno);
    std::error_code ignored;
    std::filesystem::remove(aside, ignored);
    throw Error(BASCULE_INVALID_ARGUMENT, Join("the plans of '", library.path(),
                                               "' cannot be written to '", path, "': ", why, "."));
  }
}

uint64_t LoadPlans(const Library& library, std::span<Operator* const> operators,
                   const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) {
    throw Error(BASCULE_NOT_FOUND, Join("there is no file '", path, "' with plans."));
  }
  return UnpackPlans(library, operators, toolchain::ReadFile(path), Join("'", path, "'"), false);
}

}  // namespace bascule::host
