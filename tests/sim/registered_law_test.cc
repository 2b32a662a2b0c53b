// A user's law: registered by its row alone, it is read from configs, constructed, run and
// measured like those of the library.

#include <cmath>
#include <string>
#include <vector>

#include "civita/error.h"
#include "civita/scenes/scene.h"
#include "civita/sim/run_summary.h"
#include "civita/sim/simulation.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace civita {
namespace registered_law_test {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr ParameterInfo kSpringGains[] = {
    {"K", "K", "Stiffness", "N·m/rad", "N·m/rad", "spring towards q_d", 0.1, 100, 20}};
constexpr std::string_view kShapes[] = {"linear", "cubic"};
constexpr double kDefaultOffset[] = {0, 0};
constexpr OptionInfo kSpringOptions[] = {
    {.key = "shape",
     .unit = "",
     .doc = "of the spring",
     .default_value = kShapes[0],
     .choices = kShapes},
    {.key = "damped", .unit = "", .doc = "with a damper", .default_value = true},
    {.key = "damping",
     .unit = "N·m·s/rad",
     .doc = "the damper's",
     .default_value = 2.0,
     .range = NumberRange::kNotNegative},
    {.key = "offset",
     .unit = "rad",
     .doc = "added to the error, nv numbers",
     .default_value = std::span<const double>(kDefaultOffset)},
    {.key = "labels",
     .unit = "",
     .doc = "said nowhere",
     .default_value = std::span<const std::string_view>()},
};

class Spring;
constexpr LawInfo kSpringLaw = {
    .type = "test_spring",
    .title = "Spring",
    .law = "τ = g − K e − D (v − v_d)",
    .parameters = kSpringGains,
    .options = kSpringOptions,
    .make = &MakeLaw<Spring>,
    .units = {.storage = "N·m"},
};

class Spring final : public Controller {
 public:
  Spring(const Model& model, const ControllerOptions& options)
      : Controller(model, kSpringLaw, options),
        cubic_(options_.own.Text("shape") == "cubic"),
        damping_(options_.own.Flag("damped") ? options_.own.Number("damping") : 0) {
    if (options_.own.Texts("labels").size() > 2) {
      throw UserError("controller.labels: at most 2 of them");
    }
  }

  Status CalcControl(const Measurement& measured, const ReferenceState& reference,
                     ControlOutput& output) override {
    UpdateDynamics(measured.q, measured.v, output);
    output.e = measured.q - reference.q;
    for (Eigen::Index i = 0; i < output.e.size(); ++i) {
      output.e[i] += options_.own.Numbers("offset")[static_cast<size_t>(i)];
    }
    output.s = measured.v - reference.v;
    output.sdot_ref = reference.vdot;
    output.tau = g_ - damping_ * output.s;
    output.tau -= gain(0).cwiseProduct(cubic_ ? output.e.cwiseProduct(output.e.cwiseAbs2()).eval()
                                              : output.e);
    return FinishControl(output);
  }
  StorageState CalcStorage(const PlantState& /*plant*/, const ControlOutput& output) override {
    return {.V = 0.5 * output.e.dot(gain(0).cwiseProduct(output.e))};
  }

 private:
  bool cubic_;
  double damping_;
};

class RegisteredLaw : public testing::Test {
 protected:
  RegisteredLaw() { RegisterLaw(kSpringLaw); }

  static std::unique_ptr<Scene> Load(std::vector<std::string> overrides) {
    overrides.insert(overrides.begin(), "controller.type=test_spring");
    return LoadScene(ReadConfig("planar_2r", overrides));
  }
  static std::string ErrorOf(const std::vector<std::string>& overrides) {
    try {
      Load(overrides);
    } catch (const UserError& error) {
      return error.what();
    }
    return "";
  }
};

TEST_F(RegisteredLaw, IsRunWithItsOwnGainsAndOptions) {
  Simulation simulation(Load({"gains.K=30", "controller.damping=5", "controller.offset=[0.1, 0]"}));
  EXPECT_EQ(&simulation.controller().info(), &kSpringLaw);
  EXPECT_EQ(simulation.controller().gain(0), Eigen::Vector2d::Constant(30));
  ASSERT_TRUE(simulation.Step());
  const StepRecord record = simulation.record();
  Simulation centred(Load({"gains.K=30", "controller.damping=5"}));
  ASSERT_TRUE(centred.Step());
  EXPECT_NEAR(record.e[0] - centred.record().e[0], 0.1, 1e-12) << "the option's offset";
  EXPECT_EQ(record.e[1], centred.record().e[1]);
  EXPECT_NEAR(record.V, 0.5 * 30 * record.e.squaredNorm(), 1e-12);
  EXPECT_EQ(simulation.RunFor(2000), 2000);
  EXPECT_FALSE(simulation.failure().failed);
}

TEST_F(RegisteredLaw, OptionsOfAllTypesReadBackTheSame) {
  const auto scene = Load({"controller.shape=cubic", "controller.damped=false",
                           "controller.offset=[0.5, -1]", "controller.labels=[a, 'b: c']"});
  const std::string yaml = ToYaml(scene->config);
  EXPECT_THAT(yaml, HasSubstr("\n  shape: cubic\n  damped: false\n  damping: 2\n"
                              "  offset: [0.5, -1]\n  labels: [a, \"b: c\"]\n"));
}

TEST_F(RegisteredLaw, BadOptionsGiveOneLineWithThePlace) {
  EXPECT_EQ(ErrorOf({"controller.shape=square"}),
            "--set controller.shape: unknown controller.shape 'square'; valid: linear, cubic");
  EXPECT_EQ(ErrorOf({"controller.damping=-1"}),
            "--set controller.damping: controller.damping must be a number ≥ 0, not '-1'");
  EXPECT_EQ(ErrorOf({"controller.damped=1"}),
            "--set controller.damped: controller.damped must be true or false, not '1'");
  EXPECT_EQ(ErrorOf({"controller.offset=1"}),
            "--set controller.offset: controller.offset must be a list of numbers, not '1'");
  EXPECT_EQ(ErrorOf({"controller.labels=[a, b, c]"}),
            "--set controller.labels: controller.labels: at most 2 of them");
  EXPECT_EQ(
      ErrorOf({"controller.metric=log_det"}),
      "--set controller.metric: controller.metric is an option of adaptive, "
      "adaptive_whole_body, not of controller.type test_spring; valid: type, factorization, "
      "coordinates, gain_form, model_scale, estimate, shape, damped, damping, offset, labels");
  EXPECT_EQ(ErrorOf({"gains.K_D=1"}), "--set gains.K_D: unknown key 'K_D'; valid: K");
}

TEST_F(RegisteredLaw, EveryTableKnowsIt) {
  EXPECT_EQ(&FindLaw("test_spring"), &kSpringLaw);
  EXPECT_EQ(Laws().back(), &kSpringLaw);
  std::vector<std::string> keys;
  for (const ConfigKey& row : ConfigKeys()) keys.emplace_back(row.key);
  EXPECT_THAT(keys, testing::Contains("controller.shape"));
  const size_t laws = Laws().size();
  RegisterLaw(kSpringLaw);
  EXPECT_EQ(Laws().size(), laws);
}

TEST_F(RegisteredLaw, ATypeIsTakenOnce) {
  static constexpr LawInfo kOther = {
      .type = "pd_gravity", .title = "", .law = "", .parameters = {}, .make = nullptr};
  try {
    RegisterLaw(kOther);
    FAIL() << "registered";
  } catch (const UserError& error) {
    EXPECT_STREQ(error.what(),
                 "there is a control law 'pd_gravity' already; one that is added needs a name of "
                 "its own");
  }
}

}  // namespace registered_law_test
}  // namespace civita
