// SPDX-License-Identifier: Apache-2.0
#include "check/cases.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <string>
#include <vector>

#include "base/dtype.h"
#include "base/error.h"
#include "check/numbers.h"

namespace bascule::check {
namespace {

using nlohmann::json;
using Shape = std::vector<int64_t>;

// How the elements of one tensor lie in memory; the caller makes such tensors.
constexpr const char* kDense = "dense";
constexpr const char* kLayouts[] = {"transposed", "strided", "offset", "reversed", "expanded"};

// Shapes for an operator whose inputs may all have the same one. A vector core handles datablocks
// of 32 bytes and repeats of 256; a launch has up to some fifty blocks.
struct GeneralShape {
  const char* group;
  Shape shape;
  bool gradient = true;  // whether gradients are asked for
};
const std::vector<GeneralShape>& GeneralShapes() {
  static const std::vector<GeneralShape> shapes = {
      {"aligned", {16}},
      {"aligned", {32}},
      {"aligned", {256}},
      {"aligned", {8, 64}},
      {"aligned", {2, 4, 8, 16}},
      {"aligned", {4096}},
      {"tail", {15}},
      {"tail", {17}},
      {"tail", {33}},
      {"tail", {257}},
      {"tail", {3, 5}},
      {"tail", {1, 65}},
      {"tail", {65, 1}},
      {"tail", {513}},
      {"tail", {2, 3, 33}},
      {"tail", {2, 3, 4, 5}},
      {"tail", {3, 1, 2, 5, 7}},
      {"one", {1}},
      {"one", {1, 1}},
      {"one", {1, 1, 1}},
      {"scalar", {}},
      {"empty", {0}},
      {"empty", {3, 0}},
      {"empty", {2, 0, 5}},
      {"prime", {7}},
      {"prime", {31}},
      {"prime", {127}},
      {"prime", {1021}},
      {"prime", {13, 17}},
      {"prime", {5, 7, 11}},
      {"more blocks than work", {2}},
      {"more blocks than work", {3}},
      {"more blocks than work", {23}},
      {"more blocks than work", {41}},
      {"more blocks than work", {47}},
      {"more blocks than work", {49}},
      {"every block", {65537}, false},
      {"every block", {100003}, false},
  };
  return shapes;
}

// Elements of an own case whose gradient is asked for, at most.
constexpr int64_t kMostOwn = 8192;

constexpr double kLow = -4.0;
constexpr double kHigh = 4.0;
constexpr double kLowInteger = -8.0;
constexpr double kHighInteger = 8.0;

struct Input {
  std::string name;
  bool optional = false;
  bool list = false;  // of tensors
  std::vector<std::string> dtypes;
};

[[noreturn]] void RefuseOwn(size_t number, const std::string& what) {
  throw Error(BASCULE_INVALID_ARGUMENT,
              Join("case ", number, " of the operator's own cases ", what,
                   "; a case is like {\"shapes\": [(3, 5), (5,)], \"attributes\": {\"axes\": [1]}, "
                   "\"ranges\": [(-4, 4), (0.1, 9)]}."));
}

struct OwnCase {
  // Null: an optional input that is left out. A list of shapes for an input that is a list.
  std::vector<json> shapes;
  json attributes = json::object();
  json ranges = json::array();  // [low, high] for each input, or null
  json ulp;                     // null: the usual limit
  json dtypes;                  // those of the first input that it is for; null: all
  bool gradient = true;
};

bool IsShape(const json& value) {
  return value.is_array() && std::all_of(value.begin(), value.end(), [](const json& n) {
           return n.is_number_integer() && n.get<int64_t>() >= 0;
         });
}

bool IsRange(const json& value) {
  return value.is_array() && value.size() == 2 && value[0].is_number() && value[1].is_number() &&
         value[0].get<double>() <= value[1].get<double>();
}

OwnCase ReadOwnCase(const json& from, size_t number, const std::vector<Input>& inputs) {
  if (!from.is_object()) RefuseOwn(number, "is no dict");
  for (const auto& [name, value] : from.items()) {
    if (name != "shapes" && name != "attributes" && name != "ranges" && name != "ulp" &&
        name != "gradient" && name != "dtypes") {
      RefuseOwn(number, Join("has a member \"", name, "\", which is not known"));
    }
  }
  OwnCase own;
  const json shapes = from.value("shapes", json());
  if (!shapes.is_array() || shapes.size() != inputs.size()) {
    RefuseOwn(number, Join("has no \"shapes\" for ", inputs.size(),
                           inputs.size() == 1 ? " input" : " inputs"));
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    const bool left_out = shapes[i].is_null() && inputs[i].optional;
    const bool list = inputs[i].list && shapes[i].is_array() &&
                      std::all_of(shapes[i].begin(), shapes[i].end(), IsShape);
    if (inputs[i].list && !list) {
      RefuseOwn(number, Join("has ", shapes[i].dump(), " as the shapes of input '", inputs[i].name,
                             "', which is a list of tensors and takes a list of shapes, "
                             "[(3, 5), (3, 1)]"));
    }
    if (!inputs[i].list && !left_out && !IsShape(shapes[i])) {
      RefuseOwn(number,
                Join("has ", shapes[i].dump(), " as the shape of input '", inputs[i].name, "'"));
    }
    own.shapes.push_back(shapes[i]);
  }
  own.attributes = from.value("attributes", json::object());
  if (own.attributes.is_null()) own.attributes = json::object();
  if (!own.attributes.is_object()) RefuseOwn(number, "has \"attributes\" that are no dict");
  const json ranges = from.value("ranges", json());
  if (!ranges.is_null()) {
    if (!ranges.is_array() || ranges.size() != inputs.size()) {
      RefuseOwn(number, Join("has \"ranges\", but not one for each of ", inputs.size(), " inputs"));
    }
    for (const json& range : ranges) {
      if (!range.is_null() && !IsRange(range)) {
        RefuseOwn(number, Join("has ", range.dump(), " as a range"));
      }
    }
    own.ranges = ranges;
  }
  own.ulp = from.value("ulp", json());
  if (!own.ulp.is_null() && !own.ulp.is_number() && !own.ulp.is_object()) {
    RefuseOwn(number, "has an \"ulp\" that is neither a number nor a dict by dtype");
  }
  const json gradient = from.value("gradient", json(true));
  if (!gradient.is_boolean())
    RefuseOwn(number, "has a \"gradient\" that is neither True nor False");
  own.gradient = gradient.get<bool>();
  own.dtypes = from.value("dtypes", json());
  if (!own.dtypes.is_null() && !own.dtypes.is_array()) {
    RefuseOwn(number, "has \"dtypes\" that are no list");
  }
  for (const json& dtype : own.dtypes) {
    const std::vector<std::string>& known = inputs[0].dtypes;
    if (std::find(known.begin(), known.end(), dtype) == known.end()) {
      RefuseOwn(number, Join("is for ", dtype.dump(), ", which input '", inputs[0].name,
                             "' does not take"));
    }
  }
  return own;
}

class Maker {
 public:
  Maker(const json& schema, const json& options) {
    if (!schema.is_object() || !schema.contains("inputs") || !schema["inputs"].is_array()) {
      throw Error(BASCULE_INVALID_ARGUMENT, "the schema is no operator's entry of a manifest.");
    }
    for (const json& from : schema["inputs"]) {
      Input input;
      input.name = from.at("name").get<std::string>();
      const std::string kind = from.value("kind", "required");
      input.optional = kind == "optional";
      input.list = kind == "dynamic";
      input.dtypes = from.at("dtypes").get<std::vector<std::string>>();
      columns_ = std::max(columns_, input.dtypes.size());
      inputs_.push_back(std::move(input));
    }
    if (inputs_.empty()) {
      throw Error(BASCULE_UNSUPPORTED, Join(schema.value("name", "the operator"),
                                            " has no inputs; there is nothing to try it with."));
    }
    for (const json& attribute : schema.value("attributes", json::array())) {
      needs_attributes_ = needs_attributes_ || attribute.value("required", false);
    }
    size_t number = 0;
    const json own = options.is_object() ? options.value("cases", json::array()) : json::array();
    if (!own.is_array()) {
      throw Error(BASCULE_INVALID_ARGUMENT, "\"cases\" has to be a list of dicts.");
    }
    for (const json& from : own) own_.push_back(ReadOwnCase(from, number++, inputs_));
  }

  json Make() {
    for (size_t column = 0; column < columns_; ++column) {
      // Two columns may differ in formats only.
      if (!dtypes_seen_.insert(DTypesOf(column)).second) continue;
      MakeColumn(column);
    }
    return std::move(cases_);
  }

 private:
  void MakeColumn(size_t column) {
    column_ = column;
    is_own_ = true;
    std::vector<const OwnCase*> mine;
    const std::string first = DTypesOf(column)[0];
    for (const OwnCase& own : own_) {
      const bool meant = own.dtypes.is_null() ||
                         std::find(own.dtypes.begin(), own.dtypes.end(), first) != own.dtypes.end();
      if (meant) mine.push_back(&own);
    }
    for (const OwnCase* own : mine) {
      Add("own", *own, AllLayouts(kDense), "range", own->gradient && Elements(*own) <= kMostOwn);
    }
    // Every layout twice, each time with another of the operator's own cases.
    for (size_t i = 0; i < 2 * std::size(kLayouts) && !mine.empty(); ++i) {
      const OwnCase& own = *mine[i % mine.size()];
      Add("not contiguous", own, AllLayouts(kLayouts[i % std::size(kLayouts)]), "range",
          own.gradient && Elements(own) <= kMostOwn);
    }
    for (size_t i = 0; i < std::min<size_t>(mine.size(), 2); ++i) {
      Add("special values", *mine[i], AllLayouts(kDense), "special", false);
      Add("large and small values", *mine[i], AllLayouts(kDense), "extreme", false);
    }
    is_own_ = false;
    if (needs_attributes_) return;  // and nobody says which
    OwnCase general;
    if (!mine.empty()) general.ranges = mine[0]->ranges;
    for (const GeneralShape& row : GeneralShapes()) {
      SetShape(&general, row.shape);
      Add(row.group, general, AllLayouts(kDense), "range", row.gradient);
    }
    for (const Shape& shape : {Shape{8, 64}, Shape{31, 33}}) {
      SetShape(&general, shape);
      for (const char* layout : kLayouts) {
        Add("not contiguous", general, AllLayouts(layout), "range", true);
      }
    }
    if (inputs_.size() > 1) {  // one of several
      std::vector<std::string> layouts = AllLayouts(kDense);
      layouts[0] = kLayouts[0];
      SetShape(&general, {31, 33});
      Add("not contiguous", general, layouts, "range", true);
    }
    SetShape(&general, {19, 29});
    Add("special values", general, AllLayouts(kDense), "special", false);
    Add("large and small values", general, AllLayouts(kDense), "extreme", false);
    if (std::any_of(inputs_.begin(), inputs_.end(), [](const Input& i) { return i.optional; })) {
      for (size_t i = 0; i < inputs_.size(); ++i) {
        if (inputs_[i].optional) general.shapes[i] = nullptr;
      }
      Add("without optional inputs", general, AllLayouts(kDense), "range", true);
    }
  }

  // A list gets two of them.
  void SetShape(OwnCase* general, const Shape& shape) const {
    general->shapes.clear();
    for (const Input& input : inputs_) {
      general->shapes.push_back(input.list ? json::array({shape, shape}) : json(shape));
    }
  }

  std::vector<std::string> AllLayouts(const char* layout) const {
    return std::vector<std::string>(inputs_.size(), layout);
  }

  static int64_t Elements(const OwnCase& own) {
    int64_t most = 0;
    for (const json& shape : own.shapes) {
      for (const json& one : IsShape(shape) ? json::array({shape}) : shape) {
        most = std::max(most, CountOf(one.get<Shape>()));
      }
    }
    return most;
  }

  std::vector<std::string> DTypesOf(size_t column) const {
    std::vector<std::string> dtypes;
    for (const Input& input : inputs_) {
      dtypes.push_back(input.dtypes.at(std::min(column, input.dtypes.size() - 1)));
    }
    return dtypes;
  }

  static std::string ShapesText(const json& shape, bool list) {
    constexpr size_t kMost = 4;
    if (shape.is_null()) return "left out";
    if (!list) return TupleText(shape.get<Shape>());
    std::string text = "[";
    for (size_t i = 0; i < std::min(shape.size(), kMost); ++i) {
      text += (i == 0 ? "" : ", ") + TupleText(shape[i].get<Shape>());
    }
    return text + (shape.size() > kMost ? Join(", … ", shape.size(), " in all]") : "]");
  }

  void Add(const char* group, const OwnCase& own, const std::vector<std::string>& layouts,
           const char* values, bool gradient) {
    const std::vector<std::string> dtypes = DTypesOf(column_);
    const auto number = static_cast<int64_t>(cases_.size());
    bool any_float = false;
    json inputs = json::array();  // the members of a list one after the other
    json counts = json::array();  // how many each input has; null: it is no list
    std::string label;
    std::string shapes;
    for (size_t i = 0; i < inputs_.size(); ++i) {
      const DTypeInfo* type = FindDType(dtypes[i]);
      const bool is_float = type != nullptr && FormatOf(type->dtype).is_float;
      const bool present = !own.shapes[i].is_null();
      any_float = any_float || (is_float && present);
      if (label.find(dtypes[i]) == std::string::npos) label += (i == 0 ? "" : "+") + dtypes[i];
      shapes += (i == 0 ? "" : ", ") + ShapesText(own.shapes[i], inputs_[i].list);
      json fill = {{"seed", number * 64 + static_cast<int64_t>(i)},
                   {"values", values},
                   {"low", is_float ? kLow : kLowInteger},
                   {"high", is_float ? kHigh : kHighInteger}};
      if (own.ranges.size() > i && !own.ranges[i].is_null()) {
        fill["low"] = own.ranges[i][0];
        fill["high"] = own.ranges[i][1];
        fill["limited"] = true;
      }
      counts.push_back(inputs_[i].list ? json(own.shapes[i].size()) : json());
      const json members = inputs_[i].list ? own.shapes[i] : json::array({own.shapes[i]});
      for (size_t m = 0; m < members.size(); ++m) {
        json filled = fill;
        if (m != 0)
          filled["seed"] =
              number * 64 + static_cast<int64_t>(i) + (int64_t{1} << 40) * static_cast<int64_t>(m);
        inputs.push_back({{"name", inputs_[i].name},
                          {"dtype", dtypes[i]},
                          {"shape", members[m]},
                          {"layout", layouts[i]},
                          {"fill", std::move(filled)}});
      }
    }
    std::string layout;
    for (const std::string& one : layouts) {
      if (one != kDense && layout.empty()) layout = ", " + one;
    }
    if (!layout.empty() && layouts[0] != layouts.back()) layout = ", first " + layouts[0];
    cases_.push_back(
        {{"number", number},
         {"group", group},
         {"own", is_own_},
         {"name", Join(label, " ", shapes, layout,
                       own.attributes.empty() ? "" : ", " + own.attributes.dump(), ", ", group)},
         {"dtype", label},
         {"inputs", std::move(inputs)},
         {"counts", std::move(counts)},
         {"attributes", own.attributes},
         {"values", values},
         {"ulp", own.ulp},
         {"gradient", gradient && any_float}});
  }

  std::vector<Input> inputs_;
  std::vector<OwnCase> own_;
  size_t columns_ = 0;
  size_t column_ = 0;
  bool needs_attributes_ = false;
  bool is_own_ = false;  // whether the case that is made is one of the operator's own
  std::set<std::vector<std::string>> dtypes_seen_;
  json cases_ = json::array();
};

// Numbers that programs tend to forget.
std::vector<double> SpecialValues(const Format& format, bool extreme, double low, double high,
                                  bool limited) {
  std::vector<double> values;
  if (!format.is_float) {
    values = {0.0, 1.0};
    if (format.dtype != BASCULE_BOOL) values.insert(values.end(), {-1.0, 2.0, -7.0});
  } else if (extreme) {
    const double normal = std::ldexp(1.0, format.lowest_exponent);
    const double tiny = std::ldexp(1.0, format.lowest_exponent - format.digits + 1);
    values = {format.largest, -format.largest, format.largest / 2, normal, -normal,
              tiny,           -tiny,           std::sqrt(normal),  1.0};
  } else {
    const double infinity = std::numeric_limits<double>::infinity();
    values = {0.0, -0.0, 1.0, -1.0, infinity, -infinity, std::nan(""), 0.5};
  }
  if (!limited) return values;
  // Where the operator says what it takes, NaN is still possible, and numbers beyond are not.
  std::erase_if(values, [&](double v) { return !std::isnan(v) && (v < low || v > high); });
  values.push_back(low);
  values.push_back(high);
  return values;
}

}  // namespace

json MakeCases(const json& schema, const json& options) { return Maker(schema, options).Make(); }

void Fill(const BasculeTensor& tensor, const json& recipe) {
  const Format& format = FormatOf(DTypeOf(tensor));
  const auto seed = recipe.value("seed", uint64_t{0});
  const double low = recipe.value("low", kLow);
  const double high = recipe.value("high", kHigh);
  const std::string values = recipe.value("values", "range");
  std::vector<double> special;
  if (values != "range") {
    special = SpecialValues(format, values == "extreme", low, high, recipe.value("limited", false));
  }
  ForEach(tensor, [&](int64_t i, char* at) {
    const auto position = static_cast<uint64_t>(i);
    const uint64_t dice = Mix(seed, position);
    double value = 0.0;
    if (!special.empty() && dice % 4 != 0) {
      value = special[(dice >> 8) % special.size()];
    } else if (format.is_float) {
      value = low + (high - low) * Unit(seed + 1, position);
    } else if (format.dtype == BASCULE_BOOL) {
      value = static_cast<double>(dice % 2);
    } else {
      const bool is_unsigned = tensor.dtype_code == 1;
      const double first = is_unsigned ? std::max(0.0, std::ceil(low)) : std::ceil(low);
      value = first + std::floor((std::floor(high) - first + 1) * Unit(seed + 1, position));
    }
    WriteNumber(at, format.dtype, value);
  });
}

}  // namespace bascule::check
