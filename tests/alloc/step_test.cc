#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "civita/controllers/legs/whole_body.h"
#include "civita/factorization_text.h"
#include "civita/sim/metric_table.h"
#include "civita/sim/simulation.h"
#include "tests/alloc/malloc_counter.h"
#include "tests/scenes/temporary_folder.h"

namespace civita {
namespace step_test {

TEST(Step, AllocatesNothing) {
  for (const SceneInfo& scene : Scenes()) {
    if (!scene.is_here) continue;
    for (const LawInfo* law : Laws()) {
      if (law->MovesFrame({}) || law->needs_legs) continue;
      for (const char* mode : {"held", "every_stage"}) {
        SCOPED_TRACE(std::string(scene.name) + ", " + std::string(law->type) + ", " + mode);
        SceneConfig config = ReadConfig(
            std::string(scene.name),
            {"controller.type=" + std::string(law->type), std::string("control.mode=") + mode});
        if (config.reference.moved_frame() != nullptr) continue;  // a task-space reference
        Simulation simulation(LoadScene(config));
        simulation.AddPush({.body = static_cast<int>(simulation.mj()->nbody) - 1,
                            .start_s = 0.01,
                            .duration_s = 0.02,
                            .force = {1, 0, 0}});
        simulation.RunFor(1);
        simulation.ThrowOff({1e-3, 1});
        const MallocCounter counter;
        // The push included, and before Talos fails with the law `adaptive`.
        ASSERT_EQ(simulation.RunFor(40), 40);
        EXPECT_EQ(counter.count(), 0);
      }
    }
  }
}

TEST(Step, AllocatesNothingWithAnObserver) {
  for (const LawInfo* law : Laws()) {
    if (law->needs_legs) continue;
    for (const char* scene : {"arm7", "geared_arm"}) {
      for (const char* mode : {"held", "every_stage"}) {
        SCOPED_TRACE(std::string(law->type) + ", " + scene + ", " + mode);
        Simulation simulation(
            LoadScene(ReadConfig(scene, {"controller.type=" + std::string(law->type),
                                         "observer={gain: 20, threshold: 5, compensate: true}",
                                         "task.kind=xy", std::string("control.mode=") + mode})));
        const MallocCounter counter;
        ASSERT_EQ(simulation.RunFor(50), 50);
        EXPECT_EQ(counter.count(), 0);
      }
    }
  }
}

TEST(Step, AllocatesNothingWithTheEuclideanMetric) {
  Simulation simulation(LoadScene(
      ReadConfig("arm7", {"controller={type: adaptive, metric: euclidean, deadzone_J: 1e-3}"})));
  const MallocCounter counter;
  ASSERT_EQ(simulation.RunFor(50), 50);
  EXPECT_EQ(counter.count(), 0);
}

TEST(Step, AllocatesNothingWithEveryFactorization) {
  Simulation simulation(LoadScene(ReadConfig("arm7")));
  const Model& plant = simulation.scene().plant;
  const std::string& hand = plant.frames().back().name;
  std::string injections = "body:";
  injections += hand + ":ang:0.1+body:" + hand + ":lin:0.1";
  for (const std::string& text : {std::string("christoffel"), std::string("plain"),
                                  std::string("other"), std::string("t:0.3"), injections}) {
    SCOPED_TRACE(text);
    simulation.SetFactorization(ParseFactorization(text, plant));
    const MallocCounter counter;
    ASSERT_EQ(simulation.RunFor(20), 20);
    EXPECT_EQ(counter.count(), 0);
  }
}

TEST(Step, AllocatesNothingWithFormulas) {
  for (const char* form : {"body:link7:ang:{0.1*cos(q[1])}", "plain+body:link3:lin:{q[0]^2}"}) {
    Simulation simulation(
        LoadScene(ReadConfig("arm7", {"controller.factorization=" + std::string(form)})));
    const MallocCounter counter;
    ASSERT_EQ(simulation.RunFor(20), 20);
    EXPECT_EQ(counter.count(), 0);
  }
}

TEST(Step, AllocatesNothingInOtherCoordinates) {
  for (const char* coordinates : {"mass_orthonormal", "body_twists", "task:link7"}) {
    for (const char* mode : {"held", "every_stage"}) {
      SCOPED_TRACE(std::string(coordinates) + ", " + mode);
      Simulation simulation(
          LoadScene(ReadConfig("arm7", {std::string("controller.coordinates=") + coordinates,
                                        std::string("control.mode=") + mode})));
      const MallocCounter counter;
      ASSERT_EQ(simulation.RunFor(50), 50);
      EXPECT_EQ(counter.count(), 0);
    }
  }
}

TEST(Step, AllocatesNothingInTaskSpace) {
  for (const char* kind : {"position", "pose", "yz"}) {
    for (const char* mode : {"held", "every_stage"}) {
      SCOPED_TRACE(std::string(kind) + ", " + mode);
      Simulation simulation(LoadScene(ReadConfig(
          "arm7_circle", {std::string("task.kind=") + kind, std::string("control.mode=") + mode})));
      const MallocCounter counter;
      ASSERT_EQ(simulation.RunFor(50), 50);
      EXPECT_EQ(counter.count(), 0);
    }
  }
}

/// Two fingers on one tendon, and two links on another, coupled or not.
std::string WriteTendons(const TemporaryFolder& folder, const std::string& equalities) {
  return folder.Write("tendons.xml", R"(<mujoco><worldbody>
    <body><joint name="a" axis="0 1 0"/><geom size=".05" pos=".2 0 0"/>
      <body pos=".3 0 0"><joint name="b" axis="0 1 0"/><geom size=".05" pos=".1 0 0"/>
        <body pos=".2 0 0"><joint name="c" axis="0 1 0"/><geom size=".05" pos=".1 0 0"/></body>
      </body></body>
    <body pos="0 1 0"><joint name="d" axis="0 0 1"/><geom size=".05" pos=".1 0 0"/>
      <body pos=".2 0 0"><joint name="e" axis="0 0 1"/><geom size=".05" pos=".1 0 0"/></body></body>
    </worldbody><tendon><fixed name="s"><joint joint="b" coef="1"/><joint joint="c" coef=".5"/></fixed>
    <fixed name="t"><joint joint="d" coef="1"/><joint joint="e" coef="-2"/></fixed></tendon>)" +
                                         equalities + R"(<actuator><motor joint="a"/>
    <motor tendon="s" ctrlrange="-1 1"/><position tendon="t" kp="3" forcerange="-1 1"/></actuator>
    </mujoco>)");
}

TEST(Step, AllocatesNothingWithMotorsOfTendons) {
  const TemporaryFolder folder;
  for (const char* equalities :
       {"", "<equality><joint joint1='c' joint2='b'/></equality>",
        "<equality><joint joint1='e' joint2='b'/></equality>",
        "<equality><joint joint1='c' joint2='b'/><joint joint1='e' joint2='d'/></equality>"}) {
    const std::string file = WriteTendons(folder, equalities);
    for (const char* law : {"slotine_li", "adaptive", "pd_gravity", "computed_torque"}) {
      SCOPED_TRACE(std::string(equalities) + ", " + law);
      Simulation simulation(LoadScene(
          ReadConfig(file, {std::string("controller.type=") + law, "initial.v=[1,1,1,1,1]"})));
      const MallocCounter counter;
      ASSERT_EQ(simulation.RunFor(50), 50);
      EXPECT_EQ(counter.count(), 0);
    }
  }
}

TEST(Step, AllocatesNothingWithClosedChains) {
  for (const char* model : {"four_bar.xml", "geared_arm.xml"}) {
    for (const char* mode : {"held", "every_stage"}) {
      for (const char* loops : {"soft", "exact"}) {
        SCOPED_TRACE(std::string(model) + ", " + mode + ", " + loops);
        Simulation simulation(LoadScene(ReadConfig(
            std::string(CIVITA_TEST_DATA_DIR) + "/closed/" + model,
            {std::string("control.mode=") + mode, std::string("plant.loops=") + loops})));
        simulation.AddPush({.body = 1, .start_s = 0.01, .duration_s = 0.02, .force = {1, 0, 0}});
        const MallocCounter counter;
        // The push included, and before Talos fails with the law `adaptive`.
        ASSERT_EQ(simulation.RunFor(40), 40);
        simulation.CalcResiduals();
        EXPECT_EQ(counter.count(), 0);
      }
    }
  }
}

TEST(Step, AllocatesNothingWithSensors) {
  for (const char* scene : {"arm7", "quadruped"}) {
    Simulation simulation(
        LoadScene(ReadConfig(scene, {"control.delay_s=0.002", "control.encoder_resolution=0.001",
                                     "control.velocity_filter_hz=80", "noise.joint_position=1e-4",
                                     "control.actuation_delay_s=0.001"})));
    const MallocCounter counter;
    ASSERT_EQ(simulation.RunFor(50), 50);
    EXPECT_EQ(counter.count(), 0) << scene;
  }
}

// As the window's thread takes metrics during a comparison.
TEST(Step, AllocatesNothingWhileMetricsAreTaken) {
  for (const char* scene : {"arm7", "four_bar", "point_mass", "quadruped"}) {
    SCOPED_TRACE(scene);
    std::vector<std::string> overrides;
    overrides.emplace_back("controller.factorization=t:1");
    Simulation simulation(LoadScene(ReadConfig(scene, overrides)));
    MetricSet metrics(simulation);
    std::vector<double> values(metrics.infos().size());
    const MallocCounter counter;
    for (int i = 0; i < 1600; ++i) {
      ASSERT_TRUE(simulation.Step());
      metrics.Add(simulation.record());
      if (i % 100 == 0) metrics.Read(&values);
    }
    EXPECT_EQ(counter.count(), 0);
  }
}

TEST(Step, AllocatesNothingOnLegs) {
  for (const char* scene :
       {"quadruped", "quadruped_payload_adaptive", "quadruped_trot", "biped_push", "biped_walk"}) {
    SCOPED_TRACE(scene);
    SceneConfig config = ReadConfig(scene, {"noise.position_m=0.001", "plant.mass_error=0.2"});
    config.pushes.clear();
    Simulation simulation(LoadScene(config));
    simulation.AddPush({.body = 1, .start_s = 0.05, .duration_s = 0.1, .force = {300, 0, 0}});
    const MallocCounter counter;
    ASSERT_EQ(simulation.RunFor(1500), 1500);
    EXPECT_EQ(counter.count(), 0);
    EXPECT_GT(simulation.record().signals[WholeBody::kSteps], 0);
  }
}

}  // namespace step_test
}  // namespace civita
