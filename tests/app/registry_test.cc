// Each addition to the program is one row of the given registry.

#include "civita/scenes/registry.h"

#include <CLI/CLI.hpp>
#include <memory>
#include <string>
#include <vector>

#include "app/program.h"
#include "app/verbs/verb.h"
#include "civita/scenes/motion/reference.h"
#include "civita/scenes/motion/reference_types.h"
#include "civita/scenes/scene.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace civita {
namespace registry_test {

using testing::HasSubstr;

constexpr Verb kDouble = {
    "double", [](CLI::App* command, const Registry& registry) -> std::function<int()> {
      const auto number = std::make_shared<int>(0);
      command->add_option("number", *number)->required();
      return
          [number, verbs = registry.verbs.size()] { return 2 * *number + (verbs > 1 ? 0 : 100); };
    }};

constexpr ParameterInfo kGains[] = {{"K", "K", "Damping", "1/s", "N·m·s/rad", "of v", 0.1, 100, 3}};

class Brake final : public Controller {
 public:
  Brake(const Model& model, const ControllerOptions& options);
  Status CalcControl(const Measurement& measured, const ReferenceState& /*reference*/,
                     ControlOutput& output) override {
    UpdateDynamics(measured.q, measured.v, output);
    output.tau = g_ - gain(0).cwiseProduct(measured.v);
    return FinishControl(output);
  }
  StorageState CalcStorage(const PlantState& /*plant*/, const ControlOutput& /*output*/) override {
    return {};
  }
};

constexpr LawInfo kBrake = {.type = "test_brake",
                            .title = "Brake",
                            .law = "τ = g − K v",
                            .parameters = kGains,
                            .make = &MakeLaw<Brake>};

Brake::Brake(const Model& model, const ControllerOptions& options)
    : Controller(model, kBrake, options) {}

struct Result {
  int code;
  std::string out, err;
};

Result Execute(std::vector<const char*> arguments, const Registry& registry) {
  arguments.insert(arguments.begin(), "civita");
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  const int code = RunProgram(static_cast<int>(arguments.size()), arguments.data(), registry);
  const std::string out = testing::internal::GetCapturedStdout();
  return {code, out, testing::internal::GetCapturedStderr()};
}

std::vector<const char*> ShortRunWith(const char* setting) {
  return {"run", "planar_2r", "--headless", "--duration", "0.05", "--set", setting};
}

TEST(RegistryTest, AVerbIsARow) {
  Registry registry = BuiltinRegistry();
  EXPECT_EQ(Execute({"double", "21"}, registry).code, kExitBadInput);
  registry.verbs.push_back(&kDouble);
  EXPECT_EQ(Execute({"double", "21"}, registry).code, 42);
  EXPECT_THAT(Execute({"doubel", "21"}, registry).err,
              HasSubstr("unknown command 'doubel' (did you mean 'double'?); valid: run, "));
  EXPECT_THAT(Execute({"--help"}, registry).out, HasSubstr("double"));
}

TEST(RegistryTest, ALawIsARow) {
  Registry registry = BuiltinRegistry();
  const std::vector<const char*> run = ShortRunWith("controller.type=test_brake");
  const Result unknown = Execute(run, registry);
  EXPECT_EQ(unknown.code, kExitBadInput);
  EXPECT_THAT(unknown.err, HasSubstr("unknown controller.type 'test_brake'"));
  registry.laws.push_back(&kBrake);
  const Result known = Execute(run, registry);
  EXPECT_EQ(known.code, kExitDone) << known.err;
  EXPECT_THAT(known.out, HasSubstr("test_brake"));
}

std::unique_ptr<Reference> MakeHalf(NoKeys& /*keys*/, const MotionContext& context) {
  return MakeHold(context.plant, 0.5 * context.center);
}

constexpr ReferenceType kHalf = ReferenceTypeOf<kNoKeys, MakeHalf>(
    "test_half", "stands still at half of each coordinate of the start");

TEST(RegistryTest, AReferenceIsARow) {
  Registry registry = BuiltinRegistry();
  const std::vector<const char*> run = ShortRunWith("reference={type: test_half}");
  const Result unknown = Execute(run, registry);
  EXPECT_EQ(unknown.code, kExitBadInput);
  EXPECT_THAT(unknown.err, HasSubstr("unknown reference.type 'test_half'"));
  registry.references.push_back(&kHalf);
  EXPECT_EQ(Execute(run, registry).code, kExitDone);
  const auto scene = LoadScene(ReadConfig("planar_2r", {"reference={type: test_half}"}));
  ReferenceState state{scene->q_start, scene->v_start, scene->v_start};
  scene->reference->Sample(3, state);
  EXPECT_EQ(state.q, 0.5 * scene->q_home);
  EXPECT_NE(state.q, scene->q_home);
}

TEST(RegistryTest, WithoutAWindowARunNeedsHeadless) {
  EXPECT_EQ(Execute({}, BuiltinRegistry()).err,
            "civita: this civita was built without its window; civita run SCENE --headless runs "
            "without one\n");
}

}  // namespace registry_test
}  // namespace civita
