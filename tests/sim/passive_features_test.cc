// Springs, dampers and dry friction of every kind that a model file can give joints and tendons:
// the law's feedforward is exact, and tracking is as good as without them.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "civita/sim/simulation.h"
#include "tests/scenes/temporary_folder.h"

namespace civita {
namespace passive_features_test {

/// What an arm of two hinges and a ball joint has besides.
struct Feature {
  std::string name;
  std::string shoulder = "", wrist = "";  ///< attributes of joints
  std::string cord = "";                  ///< of a fixed tendon
  std::string flags = "", motors = "";
  bool dry = false;  ///< acts as a constraint, softly
};

std::string Arm(const Feature& f) {
  return "<mujoco><option timestep='.001'><flag " + f.flags +
         "/></option><worldbody><body pos='0 0 1'><joint name='shoulder' axis='0 1 0' " +
         f.shoulder +
         "/><geom type='capsule' size='.04' fromto='0 0 0 .4 0 0'/><body pos='.4 0 0'>"
         "<joint name='elbow' axis='0 0 1'/><geom type='capsule' size='.04' fromto='0 0 0 .4 0 0'/>"
         "<body pos='.4 0 0'><joint name='wrist' type='ball' " +
         f.wrist +
         "/><geom type='box' size='.1 .05 .04' pos='.1 .02 0'/></body></body></body></worldbody>"
         "<tendon><fixed name='cord' " +
         f.cord +
         "><joint joint='shoulder' coef='1'/><joint joint='elbow' coef='-1.5'/></fixed></tendon>" +
         (f.motors.empty() ? "" : "<actuator>" + f.motors + "</actuator>") + "</mujoco>";
}

const std::vector<Feature>& Features() {
  static const std::vector<Feature> features = {
      {.name = "spring", .shoulder = "stiffness='30' springref='60'"},
      {.name = "spring off",
       .shoulder = "stiffness='30' springref='60'",
       .flags = "spring='disable'"},
      {.name = "stiffening spring", .shoulder = "stiffness='5 8 12'"},
      {.name = "repelling spring", .shoulder = "stiffness='-8'"},
      {.name = "damper", .shoulder = "damping='4'"},
      {.name = "damper off", .shoulder = "damping='4'", .flags = "damper='disable'"},
      {.name = "drag", .shoulder = "damping='.5 3 2'"},
      {.name = "drag of motors",
       .motors = "<motor joint='shoulder' gear='3' damping='.2 .1 .1'/>"
                 "<motor joint='shoulder' gear='-2' damping='.1'/><motor joint='elbow'/>"
                 "<motor joint='wrist' gear='1 0 0'/><motor joint='wrist' gear='0 1 0'/>"
                 "<motor joint='wrist' gear='0 0 1'/>"},
      {.name = "spring of a ball", .wrist = "stiffness='6 4 2' damping='.3 .2 .1'"},
      {.name = "cord", .cord = "stiffness='20 10 5' springlength='-.1 .1' damping='.5 .4 .3'"},
      {.name = "cord off",
       .cord = "stiffness='20 10 5' damping='3' frictionloss='2'",
       .flags = "spring='disable' damper='disable' frictionloss='disable'"},
      {.name = "friction", .shoulder = "frictionloss='2'", .dry = true},
      {.name = "friction of a cord", .cord = "frictionloss='2'", .dry = true},
      {.name = "friction off", .shoulder = "frictionloss='2'", .flags = "frictionloss='disable'"},
      {.name = "constraints off",
       .shoulder = "frictionloss='2'",
       .cord = "frictionloss='2'",
       .flags = "constraint='disable'"},
      {.name = "limits off", .shoulder = "range='-5 5'", .flags = "limit='disable'"},
  };
  return features;
}

Simulation Load(const TemporaryFolder& folder, const Feature& feature,
                std::vector<std::string> overrides) {
  const std::string file = folder.Write("arm.xml", Arm(feature));
  overrides.insert(overrides.end(), {"reference.amplitude=0.5", "duration_s=2"});
  return Simulation(LoadScene(ReadConfig(file, overrides)));
}

double RmsError(const TemporaryFolder& folder, const Feature& feature) {
  Simulation simulation = Load(folder, feature, {"control.mode=held"});
  double sum = 0;
  long steps = 0;
  while (simulation.time() < 2) {
    EXPECT_TRUE(simulation.Step()) << simulation.failure().reason;
    sum += simulation.record().e.squaredNorm();
    ++steps;
  }
  return std::sqrt(sum / static_cast<double>(steps));
}

TEST(PassiveFeatures, TrackingIsAsGoodAsWithoutThem) {
  const TemporaryFolder folder;
  const double without = RmsError(folder, {"nothing"});
  EXPECT_LT(without, 2e-3);
  for (const Feature& feature : Features()) {
    SCOPED_TRACE(feature.name);
    const double e = RmsError(folder, feature);
    RecordProperty(feature.name, std::to_string(e / without));
    // Dry friction is softer in MuJoCo than in the law.
    EXPECT_LT(e, feature.dry ? 10 * without : 1.5 * without);
  }
}

TEST(PassiveFeatures, StorageFallsByWhatTheLawPromises) {
  const TemporaryFolder folder;
  for (const Feature& feature : Features()) {
    if (feature.dry) continue;
    SCOPED_TRACE(feature.name);
    Simulation simulation =
        Load(folder, feature,
             {"control.mode=every_stage", "initial.v_error=[0.3, -0.2, 0.2, 0.1, -0.3]"});
    double residual = 0, P = 0, V = 0, balance = 0;
    while (simulation.time() < 1) {
      ASSERT_TRUE(simulation.Step()) << simulation.failure().reason;
      const StepRecord& r = simulation.record();
      residual = std::max(residual, std::abs(r.Vdot + r.P));
      balance = std::max(balance, std::abs(r.energy_balance));
      P = std::max(P, r.P);
      V = std::max(V, r.V);
    }
    EXPECT_LE(residual, 1e-9 * P);
    EXPECT_LE(balance, 1e-6 * V);
    EXPECT_GT(V, 1e-4);
  }
}

}  // namespace passive_features_test
}  // namespace civita
