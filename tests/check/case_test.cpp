// Numbers, tolerances, differences, and the gallery of wrong gradients with the guesses they get.
// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>
#include <memory>
#include <set>

#include "base/error.h"
#include "check/case_check.h"
#include "check/cases.h"
#include "check/tolerance.h"

namespace bascule::check {
namespace {

using nlohmann::json;
using Values = std::vector<double>;
using Shape = std::vector<int64_t>;

// A dense tensor with memory of its own.
class Tensor {
 public:
  Tensor(int32_t dtype, Shape shape, const Values& values) : shape_(std::move(shape)) {
    const uint8_t code = dtype == BASCULE_BFLOAT16 ? 4 : FormatOf(dtype).is_float ? 2 : 0;
    uint8_t bits = 32;
    if (dtype == BASCULE_FLOAT16 || dtype == BASCULE_BFLOAT16) bits = 16;
    if (dtype == BASCULE_DOUBLE || dtype == BASCULE_INT64) bits = 64;
    memory_.resize(static_cast<size_t>(CountOf(shape_)) * (bits / 8) + 1);
    view_ = {memory_.data(), 1,       0, static_cast<int32_t>(shape_.size()), code, bits, 1,
             shape_.data(),  nullptr, 0};
    ForEach(view_, [&](int64_t i, char* at) {
      WriteNumber(at, dtype, values.at(static_cast<size_t>(i)));
    });
  }
  Tensor(const Tensor&) = delete;
  const BasculeTensor* get() const { return &view_; }

 private:
  Shape shape_;
  std::vector<char> memory_;
  BasculeTensor view_;
};

Described Describe(const char* name, int32_t dtype, Shape shape) {
  return {name, true, &FormatOf(dtype), std::move(shape)};
}

Values Random(size_t count, uint64_t seed, int32_t dtype = BASCULE_FLOAT) {
  Values values(count);
  for (size_t i = 0; i < count; ++i) values[i] = Round(8 * Unit(seed, i) - 4, FormatOf(dtype));
  return values;
}

Outputs One(Values values) { return {{std::move(values)}, {{}}}; }

// --- numbers

TEST(Numbers, UlpIsTheDistanceToTheNextNumber) {
  const Format& half = FormatOf(BASCULE_FLOAT16);
  EXPECT_EQ(UlpOf(1.0, half), 0x1p-10);
  EXPECT_EQ(UlpOf(-1.999, half), 0x1p-10);
  EXPECT_EQ(UlpOf(2.0, half), 0x1p-9);
  EXPECT_EQ(UlpOf(0.0, half), 0x1p-24);
  EXPECT_EQ(UlpOf(1e-7, half), 0x1p-24);
  EXPECT_EQ(UlpOf(1.0, FormatOf(BASCULE_FLOAT)), 0x1p-23);
  EXPECT_EQ(UlpOf(1.0, FormatOf(BASCULE_BFLOAT16)), 0x1p-7);
  EXPECT_EQ(UlpOf(std::numeric_limits<double>::infinity(), half), UlpOf(0.0, half));
}

TEST(Numbers, RoundsToNearestEven) {
  const Format& half = FormatOf(BASCULE_FLOAT16);
  EXPECT_EQ(Round(1.0 + 0x1p-11, half), 1.0);
  EXPECT_EQ(Round(1.0 + 0x1.8p-10, half), 1.0 + 0x1p-9);
  EXPECT_TRUE(std::isinf(Round(65520.0, half)));
}

TEST(Numbers, ReadsAnyStrides) {
  float memory[] = {0, 1, 2, 3, 4, 5};
  int64_t shape[] = {3, 2};
  int64_t strides[] = {1, 3};
  const BasculeTensor transposed = {memory, 1, 0, 2, 2, 32, 1, shape, strides, 0};
  EXPECT_EQ(Numbers(transposed), (Values{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(TupleText(IndexOf(5, {3, 2})), "(2, 1)");
  EXPECT_EQ(TupleText({3}), "(3,)");
}

// --- cases

json Schema(const std::vector<std::string>& dtypes, const char* kind = "required") {
  json inputs = json::array();
  for (const char* name : {"x", "y"}) {
    inputs.push_back({{"name", name}, {"kind", kind}, {"dtypes", dtypes}});
  }
  return {{"name", "my_op"}, {"inputs", inputs}, {"attributes", json::array()}};
}

TEST(Cases, CoverShapesLayoutsAndValuesOfEveryType) {
  const json cases = MakeCases(Schema({"float16", "float32"}), json::object());
  std::map<std::string, std::set<std::string>> groups;
  std::set<std::string> layouts;
  int64_t number = 0;
  for (const json& one : cases) {
    EXPECT_EQ(one["number"], number++);
    groups[one["dtype"]].insert(one["group"].get<std::string>());
    for (const json& input : one["inputs"]) layouts.insert(input["layout"].get<std::string>());
  }
  const std::set<std::string> expected = {"aligned",
                                          "tail",
                                          "one",
                                          "scalar",
                                          "empty",
                                          "prime",
                                          "more blocks than work",
                                          "every block",
                                          "not contiguous",
                                          "special values",
                                          "large and small values"};
  EXPECT_EQ(groups["float16"], expected);
  EXPECT_EQ(groups["float32"], expected);
  EXPECT_EQ(layouts, (std::set<std::string>{"dense", "transposed", "strided", "offset", "reversed",
                                            "expanded"}));
  // The same list every time.
  EXPECT_EQ(cases, MakeCases(Schema({"float16", "float32"}), json::object()));
}

TEST(Cases, OwnOnesComeFirstAndMayLimitValues) {
  const json own = {{{"shapes", {{3, 5}, {5}}}, {"ranges", {nullptr, {0.5, 2}}}}};
  const json cases = MakeCases(Schema({"float32"}), {{"cases", own}});
  EXPECT_EQ(cases[0]["group"], "own");
  EXPECT_EQ(cases[0]["inputs"][1]["shape"], json({5}));
  float memory[64];
  int64_t shape[] = {64};
  const BasculeTensor tensor = {memory, 1, 0, 1, 2, 32, 1, shape, nullptr, 0};
  for (const json& one : cases) {
    Fill(tensor, one["inputs"][1]["fill"]);
    for (const float value : memory) {
      EXPECT_TRUE(std::isnan(value) || (value >= 0.5f && value <= 2.0f)) << one["name"];
    }
  }
}

TEST(Cases, OwnOnesMayBeForSomeElementTypes) {
  const json own = {{{"shapes", {{8}, {8}}}, {"dtypes", json::array({"float32"})}},
                    {{"shapes", {{16}, {16}}}, {"dtypes", json::array({"float16"})}},
                    {{"shapes", {{5}, {5}}}}};
  std::map<std::string, std::set<int64_t>> lengths;
  for (const json& one : MakeCases(Schema({"float16", "float32"}), {{"cases", own}})) {
    if (one["own"]) lengths[one["dtype"]].insert(one["inputs"][0]["shape"][0].get<int64_t>());
  }
  EXPECT_EQ(lengths["float16"], (std::set<int64_t>{5, 16}));
  EXPECT_EQ(lengths["float32"], (std::set<int64_t>{5, 8}));
}

TEST(Cases, OnesThatCannotBeUsedAreRefused) {
  const auto refusal = [](const json& own) -> std::string {
    try {
      MakeCases(Schema({"float32"}), {{"cases", {own}}});
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  const std::string form =
      "; a case is like {\"shapes\": [(3, 5), (5,)], \"attributes\": {\"axes\": [1]}, \"ranges\": "
      "[(-4, 4), (0.1, 9)]}.";
  EXPECT_EQ(refusal({{"shapes", {{3}}}}),
            "case 0 of the operator's own cases has no \"shapes\" for 2 inputs" + form);
  EXPECT_EQ(refusal({{"shapes", {{3}, {-1}}}}),
            "case 0 of the operator's own cases has [-1] as the shape of input 'y'" + form);
  EXPECT_EQ(refusal({{"shapes", {{3}, {3}}}, {"axis", 1}}),
            "case 0 of the operator's own cases has a member \"axis\", which is not known" + form);
  EXPECT_EQ(refusal({{"shapes", {{3}, {3}}}, {"ranges", {{1, 0}, nullptr}}}),
            "case 0 of the operator's own cases has [1,0] as a range" + form);
  EXPECT_EQ(refusal({{"shapes", {{3}, {3}}}, {"dtypes", "float32"}}),
            "case 0 of the operator's own cases has \"dtypes\" that are no list" + form);
  EXPECT_EQ(
      refusal({{"shapes", {{3}, {3}}}, {"dtypes", json::array({"int8"})}}),
      "case 0 of the operator's own cases is for \"int8\", which input 'x' does not take" + form);
}

// --- forward

json Forward(const Values& got, const Values& exact, int32_t dtype,
             const char* values = "special") {
  const auto count = static_cast<int64_t>(exact.size());
  CaseCheck check({Describe("x", dtype, {count})}, {exact}, {Describe("out", dtype, {count})},
                  [](const std::vector<Values>& in) { return One(in[0]); },
                  {false, values, 0.0, 0.0});
  const Tensor tensor(dtype, {count}, got);
  const BasculeTensor* outputs[] = {tensor.get()};
  return check.Forward(outputs);
}

TEST(Forward, CountsUnitsInTheLastPlace) {
  const json report = Forward({1.0, 2.0, 3.0 + 0x1p-9 * 3}, {1.0, 2.0, 3.0}, BASCULE_FLOAT16);
  EXPECT_EQ(report["verdict"], "ok");
  EXPECT_EQ(report["count"], 3);
  EXPECT_EQ(report["worst_ulp"], 3.0);
}

TEST(Forward, SaysWhereAndThatItIsTheTail) {
  Values got = Random(20, 1);
  const Values exact = got;
  got[18] = got[19] = 0.0;
  const json report = Forward(got, exact, BASCULE_FLOAT);
  EXPECT_EQ(report["verdict"], "failed");
  EXPECT_EQ(report["failed"], 2);
  EXPECT_EQ(report["first"]["index"], json({18}));
  EXPECT_EQ(report["first"]["got"], 0.0);
  EXPECT_EQ(report["guess"], "only the last 2 of 20 elements are wrong: the tail");
  EXPECT_EQ(Forward(Values(20, 0.0), exact, BASCULE_FLOAT)["guess"],
            "every element is 0: nothing was written, or nothing was read");
}

TEST(Forward, SpecialValuesHaveToBeTheSame) {
  const double inf = std::numeric_limits<double>::infinity();
  const double nan = std::nan("");
  EXPECT_EQ(Forward({nan, inf, -inf, 0}, {nan, inf, -inf, 0}, BASCULE_FLOAT16)["verdict"], "ok");
  EXPECT_EQ(Forward({0}, {nan}, BASCULE_FLOAT16)["verdict"], "failed");
  EXPECT_EQ(Forward({65504}, {inf}, BASCULE_FLOAT16)["verdict"], "failed");
  EXPECT_EQ(Forward({nan}, {1}, BASCULE_FLOAT16)["verdict"], "failed");
  // What does not fit rounds to infinity.
  EXPECT_EQ(Forward({inf}, {1e6}, BASCULE_FLOAT16)["verdict"], "ok");
  // Of extreme numbers infinity on the way is told, not judged.
  const json extreme = Forward({inf, 1}, {4, 1}, BASCULE_FLOAT16, "extreme");
  EXPECT_EQ(extreme["verdict"], "ok");
  EXPECT_EQ(extreme["overflowed"], 1);
}

TEST(Forward, AnIllConditionedResultMayMoveAsItsInputsDo) {
  // A sum that cancels: half an ulp of each input is many of the result.
  const Values x = {1000, -999.5};
  const auto sum = [](const std::vector<Values>& in) { return One({in[0][0] + in[0][1]}); };
  const auto judge = [&](double got) {
    CaseCheck check({Describe("x", BASCULE_FLOAT, {2})}, {x}, {Describe("out", BASCULE_FLOAT, {1})},
                    sum, {});
    const Tensor tensor(BASCULE_FLOAT, {1}, {got});
    const BasculeTensor* outputs[] = {tensor.get()};
    return check.Forward(outputs)["verdict"].get<std::string>();
  };
  EXPECT_EQ(judge(0.5 + 1e-4), "ok");
  EXPECT_EQ(judge(0.5 + 1e-2), "failed");
}

TEST(Forward, IntegersHaveToBeEqual) {
  const Described out = Describe("out", BASCULE_INT32, {2});
  CaseCheck check({Describe("x", BASCULE_INT32, {2})}, {{}}, {out},
                  [](const std::vector<Values>&) {
                    return Outputs{{{}}, {{7, 8}}};
                  },
                  {});
  const Tensor right(BASCULE_INT32, {2}, {7, 8});
  const Tensor wrong(BASCULE_INT32, {2}, {7, 9});
  const BasculeTensor* outputs[] = {right.get()};
  EXPECT_EQ(check.Forward(outputs)["verdict"], "ok");
  outputs[0] = wrong.get();
  EXPECT_EQ(check.Forward(outputs)["first"]["expected"], 8);
}

// --- gradients: out = x * y * scale, y broadcast where its shape says so

constexpr double kScale = 2.5;

struct Given {
  Shape x_shape = {6};
  Shape y_shape = {6};
  int32_t dtype = BASCULE_FLOAT;
};

class GradientTest : public testing::Test {
 protected:
  void Set(const Given& given) {
    given_ = given;
    x_ = Random(static_cast<size_t>(CountOf(given.x_shape)), 1, given.dtype);
    y_ = Random(static_cast<size_t>(CountOf(given.y_shape)), 2, given.dtype);
    dout_ = Random(x_.size(), 3, given.dtype);
    const Given& g = given_;
    check_ = std::make_unique<CaseCheck>(
        std::vector<Described>{Describe("x", g.dtype, g.x_shape),
                               Describe("y", g.dtype, g.y_shape)},
        std::vector<Values>{x_, y_}, std::vector<Described>{Describe("out", g.dtype, g.x_shape)},
        [](const std::vector<Values>& in) {
          Values out(in[0].size());
          for (size_t i = 0; i < out.size(); ++i)
            out[i] = in[0][i] * in[1][i % in[1].size()] * kScale;
          return One(std::move(out));
        },
        Settings{});
  }

  // The right gradients.
  Values Dx() const {
    Values dx(x_.size());
    for (size_t i = 0; i < dx.size(); ++i) dx[i] = dout_[i] * y_[i % y_.size()] * kScale;
    return dx;
  }
  Values FullDy() const {
    Values dy(x_.size());
    for (size_t i = 0; i < dy.size(); ++i) dy[i] = dout_[i] * x_[i] * kScale;
    return dy;
  }
  Values Dy() const {
    const Values full = FullDy();
    Values dy(y_.size(), 0.0);
    for (size_t i = 0; i < full.size(); ++i) dy[i % dy.size()] += full[i];
    return dy;
  }
  static Values Times(Values values, double factor) {
    for (double& v : values) v *= factor;
    return values;
  }

  json Judge(const Values& dx, const Values& dy) {
    return Judge(dx, given_.x_shape, dy, given_.y_shape);
  }
  json Judge(const Values& dx, const Shape& dx_shape, const Values& dy, const Shape& dy_shape) {
    Values out(x_.size());
    for (size_t i = 0; i < out.size(); ++i) out[i] = x_[i] * y_[i % y_.size()] * kScale;
    const Tensor result(given_.dtype, given_.x_shape, out);
    const Tensor dout(given_.dtype, given_.x_shape, dout_);
    const Tensor first(given_.dtype, dx_shape, dx);
    const Tensor second(given_.dtype, dy_shape, dy);
    const BasculeTensor* outputs[] = {result.get()};
    const BasculeTensor* douts[] = {dout.get()};
    const BasculeTensor* gradients[] = {first.get(), second.get()};
    return check_->Gradient(outputs, douts, gradients);
  }
  std::string Guess(const Values& dx, const Values& dy) {
    const json report = Judge(dx, dy);
    EXPECT_EQ(report["verdict"], "failed");
    return report.value("guess", "");
  }

  Given given_;
  Values x_, y_, dout_;
  std::unique_ptr<CaseCheck> check_;
};

TEST_F(GradientTest, RightOnesPass) {
  for (const int32_t dtype : {BASCULE_FLOAT, BASCULE_FLOAT16, BASCULE_BFLOAT16, BASCULE_DOUBLE}) {
    for (const Shape& shape : {Shape{6}, Shape{7, 13}, Shape{1}, Shape{}, Shape{0}, Shape{1000}}) {
      Set({shape, shape, dtype});
      const json report = Judge(Dx(), Dy());
      EXPECT_EQ(report["verdict"], "ok") << report;
      EXPECT_EQ(report["count"], 2 * CountOf(shape));
      EXPECT_LT(report["worst_ulp"].get<double>(), 3.0);
    }
    Set({{4, 3}, {3}, dtype});
    EXPECT_EQ(Judge(Dx(), Dy())["verdict"], "ok");
  }
}

TEST_F(GradientTest, GalleryOfWrongOnes) {
  for (const int32_t dtype : {BASCULE_FLOAT, BASCULE_FLOAT16}) {
    Set({{6}, {6}, dtype});
    EXPECT_EQ(Guess(Times(Dx(), -1), Dy()), "the sign");
    EXPECT_EQ(Guess(Dx(), Times(Dy(), -1)), "the sign");
    EXPECT_EQ(Guess(Times(Dx(), 1 / kScale), Dy()), "a factor: it is 0.4 times what it should be");
    EXPECT_EQ(Guess(Times(Dx(), 0.5), Dy()), "a factor: it is 1/2 times what it should be");
    EXPECT_EQ(Guess(Dy(), Dx()), "swapped inputs: this is the gradient of 'y'");
    EXPECT_EQ(Guess(Values(6, 0.0), Dy()), "0 everywhere: nothing flows back, or it was stopped");
    // dout itself, without y * scale, is no single factor; without y times the scale it is y.
    EXPECT_EQ(Guess(Times(dout_, kScale), Dy()), "missing factor: y");
    Values squared = Dx();
    for (size_t i = 0; i < squared.size(); ++i)
      squared[i] = Round(squared[i] * x_[i], FormatOf(dtype));
    EXPECT_EQ(Guess(squared, Dy()), "a factor too many: x");
    Values without = Dx();
    for (size_t i = 0; i < without.size(); ++i) without[i] = y_[i] * kScale;
    EXPECT_EQ(Guess(without, Dy()),
              "missing factor: the gradient of the output (dout) is not multiplied in");
    Values nan = Dx();
    nan[3] = std::nan("");
    EXPECT_EQ(Guess(nan, Dy()), "not a number: a division by 0, or infinity less infinity?");
  }
}

TEST_F(GradientTest, GalleryOfMissingSums) {
  Set({{4, 3}, {3}, BASCULE_FLOAT});
  // Not summed: the shape is wrong.
  json report = Judge(Dx(), {4, 3}, FullDy(), {4, 3});
  EXPECT_EQ(report["verdict"], "failed");
  EXPECT_EQ(report["what"],
            "the gradient of input 'y' has shape (4, 3); expected shape (3,) and type float32");
  EXPECT_EQ(report["guess"],
            "missing sum over the broadcast dimension (0,); summed, it is right: xp.sum_to(…, "
            "y.shape)");
  report = Judge(Dx(), {4, 3}, Times(FullDy(), 2), {4, 3});
  EXPECT_EQ(report["guess"],
            "missing sum over the broadcast dimension (0,); summed, it is still not right: "
            "xp.sum_to(…, y.shape)");
  // The right shape, from one row.
  const Values full = FullDy();
  const Values row(full.begin(), full.begin() + 3);
  EXPECT_EQ(Guess(Dx(), row),
            "missing sum: it is one of 4 terms, those over the broadcast dimensions have to be "
            "summed");
  // The right shape, from a mean.
  EXPECT_EQ(Guess(Dx(), Times(Dy(), 0.25)),
            "a factor: it is 1/4 of what it should be, a mean in place of a sum?");
}

TEST_F(GradientTest, GalleryOfWrongShapes) {
  Set({{4, 3}, {3}, BASCULE_FLOAT});
  json report = Judge(Dx(), {12}, Dy(), {3});
  EXPECT_EQ(report["guess"],
            "wrong shape: its elements are right, a reshape is missing: xp.reshape(…, x.shape)");
  report = Judge(Dy(), {3}, Dx(), {4, 3});
  EXPECT_EQ(report["guess"], "swapped inputs: this is the gradient of 'y'");
  report = Judge(Values(5, 1.0), {5}, Dy(), {3});
  EXPECT_EQ(report["guess"], "wrong shape");
  EXPECT_EQ(report["what"],
            "the gradient of input 'x' has shape (5,); expected shape (4, 3) and type float32");
}

TEST_F(GradientTest, OneWrongElementOfManyIsFound) {
  Set({{5000}, {5000}, BASCULE_FLOAT});
  EXPECT_EQ(Judge(Dx(), Dy())["verdict"], "ok");
  for (const size_t at : {size_t{0}, size_t{1234}, size_t{3333}, size_t{4999}}) {
    Values dx = Dx();
    dx[at] += 1.0;
    EXPECT_EQ(Judge(dx, Dy())["verdict"], "failed") << at;
  }
  Values dx = Dx();
  for (size_t i = 4992; i < 5000; ++i) dx[i] = 0.0;
  const json report = Judge(dx, Dy());
  EXPECT_EQ(report["guess"], "wrong from element 4992 on: the tail");
}

TEST_F(GradientTest, CountNoneAndTypeAreTold) {
  Set({{6}, {6}, BASCULE_FLOAT});
  const Tensor dout(BASCULE_FLOAT, {6}, dout_);
  const Tensor dx(BASCULE_FLOAT, {6}, Dx());
  const Tensor half(BASCULE_FLOAT16, {6}, Dy());
  const BasculeTensor* douts[] = {dout.get()};
  const BasculeTensor* one[] = {dx.get()};
  EXPECT_EQ(check_->Gradient(douts, douts, one)["what"],
            "the gradient function returned 1 gradient for 2 inputs");
  const BasculeTensor* none[] = {dx.get(), nullptr};
  EXPECT_EQ(check_->Gradient(douts, douts, none)["what"],
            "the gradient of input 'y' is None; expected shape (6,) and type float32");
  const BasculeTensor* wrong[] = {dx.get(), half.get()};
  EXPECT_EQ(check_->Gradient(douts, douts, wrong)["guess"], "wrong type: xp.cast(…, y.dtype)");
}

// A function of one input, element by element.
json JudgeUnary(double (*function)(double), double (*derivative)(double), Values x,
                const Settings& settings = {}, int32_t dtype = BASCULE_FLOAT) {
  const auto count = static_cast<int64_t>(x.size());
  Values dx(x.size());
  for (size_t i = 0; i < x.size(); ++i) dx[i] = derivative(x[i]);
  CaseCheck check(
      {Describe("x", dtype, {count})}, {x}, {Describe("out", dtype, {count})},
      [=](const std::vector<Values>& in) {
        Values out = in[0];
        for (double& v : out)
          v = Round(function(v), FormatOf(settings.is_self ? dtype : BASCULE_DOUBLE));
        return One(std::move(out));
      },
      settings);
  const Tensor dout(dtype, {count}, Values(x.size(), 1.0));
  const Tensor gradient(dtype, {count}, dx);
  const BasculeTensor* douts[] = {dout.get()};
  const BasculeTensor* gradients[] = {gradient.get()};
  return check.Gradient(douts, douts, gradients);
}

double Relu(double x) { return x > 0 ? x : 0; }
double StepOf(double x) { return x > 0 ? 1 : 0; }
double Zero(double) { return 0; }
double Square(double x) { return x * x; }
double Twice(double x) { return 2 * x; }

TEST(Differences, AKinkIsNotJudgedAndAMinimumIs) {
  json report = JudgeUnary(Relu, StepOf, {-1, 0, 1});
  EXPECT_EQ(report["verdict"], "ok");
  EXPECT_EQ(report["not_differentiable"], 1);
  EXPECT_EQ(report["count"], 2);
  // A kink within a step, but not here.
  report = JudgeUnary(Relu, StepOf, {-1e-7, 1e-7});
  EXPECT_EQ(report["verdict"], "ok");
  report = JudgeUnary(Square, Twice, {-1, 0, 1, 100});
  EXPECT_EQ(report["verdict"], "ok");
  EXPECT_EQ(report["count"], 4);
  EXPECT_EQ(JudgeUnary(StepOf, Zero, {0})["verdict"], "not checkable");
  EXPECT_EQ(JudgeUnary(StepOf, Zero, {-1, 1})["verdict"], "ok");
}

TEST(Differences, PreciseEnoughForFloat64) {
  const Values x = {0.3, 1.0, -2.0};
  EXPECT_EQ(JudgeUnary(std::exp, std::exp, x, {}, BASCULE_DOUBLE)["verdict"], "ok");
  const auto off = [](double v) { return std::exp(v) * (1 + 1e-7); };
  EXPECT_EQ(JudgeUnary(std::exp, off, x, {}, BASCULE_DOUBLE)["verdict"], "failed");
}

TEST(Differences, OfTheOperatorItself) {
  Settings self;
  self.is_self = true;
  const Values x = Random(40, 9);
  EXPECT_EQ(JudgeUnary(std::sin, std::cos, x, self)["verdict"], "ok");
  const auto wrong = [](double v) { return 1.02 * std::cos(v); };
  EXPECT_EQ(JudgeUnary(std::sin, wrong, x, self)["verdict"], "failed");
  const json half = JudgeUnary(std::sin, std::cos, x, self, BASCULE_FLOAT16);
  EXPECT_EQ(half["verdict"], "not checkable");
  EXPECT_EQ(half["what"],
            "there is no reference, and differences of 16-bit floats say nothing about a gradient");
}

}  // namespace
}  // namespace bascule::check
