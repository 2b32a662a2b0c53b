// Advice about a scene, beside runs of it.

#include "civita/study/advise/advice.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <atomic>
#include <cmath>
#include <string>
#include <vector>

#include "civita/error.h"
#include "civita/sim/simulation.h"
#include "civita/study/advise/given_disturbances.h"
#include "civita/study/watch.h"
#include "tests/scenes/read_all.h"
#include "tests/scenes/temporary_folder.h"

namespace civita {
namespace advice_test {

using Eigen::VectorXd;
using ::testing::HasSubstr;

using Sets = std::vector<std::string>;

const Sets kExact = {"control.mode=every_stage", "physics.contacts=false", "reference.fade_s=0",
                     "duration_s=1.5"};

Sets Join(Sets a, const Sets& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

std::unique_ptr<Scene> Load(const std::string& scene, const Sets& sets) {
  return LoadScene(ReadConfig(scene, sets));
}

Advice AdviceOn(const std::string& scene, const Sets& sets, AdviceOptions options = {}) {
  return Advise(*Load(scene, sets), options);
}

/// Root over time of the mean of ‖P e‖² of a run, by part of the error, after skip_s; of closed
/// chains of their independent coordinates.
std::vector<double> MeasureErrors(const std::string& scene, const Sets& sets,
                                  const std::vector<ErrorPart>& parts, double skip_s = 0) {
  Simulation simulation(Load(scene, sets));
  const double dt = simulation.control_dt();
  const long steps = std::lround(simulation.scene().config.duration_s / dt);
  std::vector<double> squares(parts.size(), 0.0);
  double counted = 0;
  VectorXd before;
  for (long i = 0; i <= steps; ++i) {
    simulation.Evaluate();
    VectorXd square = simulation.record().e.cwiseAbs2();
    if (const auto& closed = simulation.scene().closed)
      square = square(closed->independent()).eval();
    if (before.size() != 0 && simulation.time() > skip_s + 0.5 * dt) {
      for (std::size_t part = 0; part < parts.size(); ++part) {
        squares[part] += 0.5 * dt * parts[part].mask.dot(before + square);
      }
      counted += dt;
    }
    before = square;
    if (i == steps) break;
    EXPECT_TRUE(simulation.Step()) << simulation.failure().reason;
  }
  for (double& square : squares) square = std::sqrt(square / counted);
  return squares;
}

/// A start with errors of 0.1 rad/s and m/s.
std::string SmallThrow(int nv) {
  std::string text = "initial.v_error=[";
  for (int i = 0; i < nv; ++i) text += (i > 0 ? "," : "") + std::to_string(0.1 * std::cos(3 * i));
  return text + "]";
}

void ExpectOwnRatios(const std::string& scene, const Sets& sets, double linear_share) {
  const Advice advice = AdviceOn(scene, Join(sets, {"controller.factorization=t:1"}));
  ASSERT_TRUE(advice.own);
  const auto with =
      MeasureErrors(scene, Join(sets, {"controller.factorization=t:1"}), advice.parts);
  const auto without =
      MeasureErrors(scene, Join(sets, {"controller.factorization=christoffel"}), advice.parts);
  for (std::size_t part = 0; part < advice.parts.size(); ++part) {
    SCOPED_TRACE(scene + ", " + advice.parts[part].name);
    EXPECT_NEAR(advice.own->parts[part].error / with[part], 1, 0.003);
    EXPECT_NEAR(advice.own->parts[part].ratio() / (with[part] / without[part]), 1, 0.003);
    EXPECT_NEAR(advice.own->linear[part].ratio() / (with[part] / without[part]), 1, linear_share);
  }
}

TEST(Advice, TellsTheErrorAfterASmallThrow) {
  ExpectOwnRatios("arm7_twist", Join(kExact, {SmallThrow(7), "reference.phase=0"}), 0.02);
  ExpectOwnRatios("quadruped_float", Join(kExact, {SmallThrow(26)}), 0.03);
}

TEST(Advice, TellsTheErrorOfAStartNearTheReference) {
  ExpectOwnRatios("arm7_twist", Join(kExact, {"initial.v_error=[2e-6,0,-1e-6,0,1e-6,3e-6,0]"}),
                  0.003);
}

// Off the reference K(v_r)s, not K(v_d)s, turns s: the linear equations are out of their range, and
// the ideal motion is not.
TEST(Advice, TellsTheErrorOfAStartOffTheReference) {
  ExpectOwnRatios("ball_arm", kExact, 0.1);
  const Advice advice = AdviceOn("ball_arm", Join(kExact, {"controller.factorization=t:1"}));
  EXPECT_GT(std::abs(advice.own->linear[0].ratio() / advice.own->parts[0].ratio() - 1), 0.01);
}

// In the independent velocities of their loops and gears, with the contorsion that the tree's
// induces.
TEST(Advice, TellsTheErrorsOfClosedChains) {
  const TemporaryFolder folder;
  for (const std::string mechanism : {"palletizer", "leg_linkage", "differential"}) {
    // Without gravity free bodies have thrusters.
    std::string text = ReadAll(CIVITA_SOURCE_DIR "/tests/data/closed/" + mechanism + ".xml");
    text.insert(text.find('>') + 1, "<option gravity=\"0 0 0\"/>");
    const std::string file = folder.Write(mechanism + ".xml", text);
    const Sets sets = Join(kExact, {"plant.loops=exact", "initial.v_error_prior=joint",
                                    "initial.v_error_size=0.05", "physics.timestep_s=0.001"});
    SCOPED_TRACE(mechanism);
    const Sets torsion = {"controller.factorization=t:6"};
    const Advice advice = AdviceOn(file, Join(sets, torsion));
    ASSERT_TRUE(advice.own);
    const auto with = MeasureErrors(file, Join(sets, torsion), advice.parts);
    const auto without = MeasureErrors(file, sets, advice.parts);
    EXPECT_GT(std::abs(with[0] / without[0] - 1), 0.01);
    for (std::size_t part = 0; part < advice.parts.size(); ++part) {
      SCOPED_TRACE(advice.parts[part].name);
      EXPECT_NEAR(advice.own->parts[part].torsion_free / without[part], 1, 0.02);
      EXPECT_NEAR(advice.own->parts[part].ratio() / (with[part] / without[part]), 1, 0.02);
    }
  }
}

TEST(Advice, TellsTheErrorThatWrongMassesMake) {
  const Sets sets =
      Join(kExact, {"duration_s=3", "initial.v_error=[0,0,0,0,0,0,0]", "plant.mass_scale=1.1"});
  const Advice advice = AdviceOn("arm7_twist", Join(sets, {"controller.factorization=t:-3"}));
  ASSERT_EQ(advice.masses.size(), 2u);  // of 10 %, and of the scene's own plant: the same
  EXPECT_TRUE(std::isnan(advice.masses[1].scale));
  const MassAnswer& mass = advice.masses[0];
  EXPECT_NEAR(mass.parts[0].ratio(), advice.masses[1].parts[0].ratio(), 1e-6);
  const auto with = MeasureErrors("arm7_twist", Join(sets, {"controller.factorization=t:-3"}),
                                  advice.parts, mass.skip_s);
  const auto without =
      MeasureErrors("arm7_twist", Join(sets, {"controller.factorization=christoffel"}),
                    advice.parts, mass.skip_s);
  EXPECT_GT(with[0] / without[0], 1.03);
  EXPECT_NEAR(mass.parts[0].ratio() / (with[0] / without[0]), 1, 0.015);
  EXPECT_NEAR(mass.parts[0].torsion_free / without[0], 1, 0.03);
}

// The largest factor is where V no longer falls over the run.
TEST(Advice, TellsHowMuchTorsionAHeldTorqueBears) {
  const Sets sets = {"control.mode=held", "physics.contacts=false", "reference.fade_s=0",
                     "duration_s=1.5",    "control.rate_hz=500",    SmallThrow(7)};
  const Advice advice = AdviceOn("arm7_twist", Join(sets, {"controller.factorization=t:1"}));
  const auto growth = [&](double factor) {
    Simulation simulation(
        Load("arm7_twist", Join(sets, {"controller.factorization=t:" + std::to_string(factor)})));
    simulation.Evaluate();
    const double V = simulation.record().V;
    const long steps = std::lround(1.5 / simulation.control_dt());
    if (simulation.RunFor(steps) < steps) return 1e9;
    simulation.Evaluate();
    return simulation.record().V / V;
  };
  ASSERT_TRUE(advice.closed_forms);
  EXPECT_LT(advice.safe_factor, advice.largest_factor);
  EXPECT_NEAR(advice.closed_forms->largest_factor / advice.largest_factor, 1, 0.1);
  EXPECT_LT(growth(0.93 * advice.largest_factor), 1);
  EXPECT_GT(growth(1.07 * advice.largest_factor), 1);
}

void ExpectNoEffect(const Advice& advice) {
  EXPECT_EQ(advice.rates.omega_2_max, 0);
  EXPECT_TRUE(std::isinf(advice.largest_factor));
  for (const PartDecay& part : advice.mean_decay) {
    EXPECT_EQ(part.joint.ratio(), 1);
    EXPECT_EQ(part.impulse.ratio(), 1);
    EXPECT_NEAR(part.largest, 1, 1e-9);
    EXPECT_NEAR(part.least, 1, 1e-9);
  }
}

// What a velocity's noise makes of the torque, as it is beside runs (PredictedError), here by its
// mean over four starts.
TEST(Advice, TellsTheErrorsOfNoise) {
  const auto scene = Load("arm7_twist", {"control.mode=held", "control.rate_hz=1000",
                                         "reference.fade_s=0", "noise.joint_velocity=0.5"});
  const ErrorGains gains = FindErrorGains(*scene);
  const auto error = [&](const Factorization& factorization) {
    return CalcNoiseError(*scene, gains, factorization, 0, 1);
  };
  const Advice advice = Advise(*scene, {.factorization = Factorization::Torsion(4)});
  const double ratio = error(Factorization::Torsion(4)) / error(Factorization::Christoffel());
  EXPECT_GT(std::abs(ratio - 1), 0.1);
  EXPECT_NEAR((advice.mean_decay[0].noise.ratio() - 1) / (ratio - 1), 1, 0.15);
}

// Held torques are half a period late; what the scene delays more, and what its filter does.
TEST(Advice, CountsEveryDelay) {
  const auto delay = [](const Sets& sets) {
    return FindErrorGains(
               *Load("arm7_twist", Join({"control.mode=held", "control.rate_hz=500"}, sets)))
        .delay_s;
  };
  EXPECT_EQ(delay({}), 0);
  EXPECT_NEAR(delay({"control.delay_s=0.004", "control.actuation_delay_s=0.002"}), 0.006, 1e-12);
  // How late the filter's v is of a constant acceleration, which semi-implicit Euler integrates.
  for (const int substeps : {1, 4}) {
    const double dt = 0.002, h = dt / substeps, a = std::exp(-2 * M_PI * 50 * dt);
    double q = 0, v = 0, q_before = 0, filtered = 0;
    for (int i = 0; i < 200; ++i) {
      for (int k = 0; k < substeps; ++k) q += h * (v += h);
      filtered = a * filtered + (1 - a) * (q - q_before) / dt;
      q_before = q;
    }
    EXPECT_NEAR(delay({"control.velocity_filter_hz=50", "physics.timestep_s=" + std::to_string(h)}),
                v - filtered, 1e-9);
  }
}

TEST(Advice, TwoVelocitiesHaveNoTorsion) {
  ExpectNoEffect(AdviceOn("planar_2r", {"controller.factorization=t:3"}));
  ExpectNoEffect(AdviceOn("four_bar", {"controller.factorization=t:3"}));
}

TEST(Advice, TheTorsionFreeFactorizationChangesNothing) {
  const Advice advice = AdviceOn("quadruped_float", {"duration_s=1"});
  EXPECT_TRUE(advice.is_torsion_free);
  ExpectNoEffect(advice);
}

TEST(Advice, AReferenceThatRestsHasNoTorsion) {
  const Advice advice = AdviceOn("arm7", {"controller.factorization=t:1", "reference.type=hold"});
  EXPECT_TRUE(advice.rests);
  ExpectNoEffect(advice);
}

TEST(Advice, TellsPartsAndUnitsApart) {
  const Advice advice =
      AdviceOn("quadruped_float", {"controller.factorization=t:1"}, {.follows_errors = false});
  std::vector<std::string> names;
  for (const ErrorPart& part : advice.parts) names.push_back(part.name + " in " + part.unit);
  EXPECT_THAT(names, ::testing::ElementsAre("all in rad, m", "all, rad in rad", "all, m in m",
                                            "joints in rad", "base in rad, m", "base, rad in rad"));
  EXPECT_TRUE(advice.starts.empty());
  ASSERT_TRUE(advice.closed_forms);
  EXPECT_EQ(advice.closed_forms->parts.size(), advice.parts.size());
}

TEST(Advice, GainsThatAreNoMultipleOfTheMassMatrixHaveNoClosedForms) {
  const Advice advice =
      AdviceOn("arm7_twist", {"controller.factorization=t:1", "controller.gain_form=diagonal"});
  EXPECT_FALSE(advice.closed_forms);
  EXPECT_THAT(advice.why_no_closed_forms, HasSubstr("not k H"));
  // Frozen in time torsion-free is the slowest; so it is along this reference.
  EXPECT_GT(advice.starts[0].slowest_rate, advice.starts[0].slowest_rate_torsion_free);
}

TEST(Advice, ALawIsAsItWasBefore) {
  const auto scene = Load("arm7", {});
  const VectorXd state = scene->controller->state();
  Advise(*scene, {.factorization = Factorization::Torsion(1)});
  EXPECT_EQ(scene->controller->state(), state);
  EXPECT_TRUE(scene->controller->factorization().torsion_free());
}

TEST(Advice, SaysWhatItIsNotFor) {
  const auto why = [](const std::string& name, const Sets& sets) -> std::string {
    try {
      AdviceOn(name, Join({"controller.factorization=t:1"}, sets));
    } catch (const UserError& error) {
      return error.what();
    }
    return "nothing is wrong";
  };
  EXPECT_THAT(why("arm7", {"controller.factorization=alpha:0.3"}), HasSubstr("not admissible"));
  EXPECT_THAT(why("arm7", {"gains.K_D=0"}), HasSubstr("gains.K_D is 0"));
  EXPECT_THAT(why("arm7", {"gains.Lambda=[6,6,6,6,6,6,0]"}), HasSubstr("gains.Lambda is 0"));
  EXPECT_THAT(why("arm7", {"controller.type=computed_torque"}), HasSubstr("does not use C"));
  EXPECT_THAT(why("arm7", {"controller.type=pd_gravity"}), HasSubstr("does not use C"));
  EXPECT_THAT(why("arm7", {"controller.type=task_space"}), HasSubstr("moves a frame"));
  EXPECT_THAT(why("arm7", {"controller.type=reference_dynamics"}), HasSubstr("states of its own"));
  EXPECT_THAT(why("quadruped_push", {}), HasSubstr("stands on feet"));
}

/// A skew gain turns errors, too: beside runs with it, and with torsion on top of it.
TEST(Advice, KnowsTheSkewGain) {
  const Sets gain = {"controller.gain_form=diagonal", "gains.K_D=4", "gains.G.0.1=6",
                     "gains.G.1.2=-4", "gains.G.0.3=3"};
  const Sets sets = Join(Join(kExact, gain), {SmallThrow(7), "reference.phase=0"});
  ExpectOwnRatios("arm7_twist", sets, 0.02);
  const Advice with = AdviceOn("arm7_twist", Join(sets, {"controller.factorization=t:1"}));
  Sets none = sets;
  std::erase_if(none, [](const std::string& set) { return set.starts_with("gains.G"); });
  const Advice without = AdviceOn("arm7_twist", Join(none, {"controller.factorization=t:1"}));
  ASSERT_TRUE(with.own && without.own);
  EXPECT_GT(with.omega_G, 1);
  EXPECT_EQ(without.omega_G, 0);
  EXPECT_NEAR(with.k_max, without.k_max, 1e-9 * with.k_max)
      << "G is skew: the rates of decay of V are the same";
  EXPECT_GT(std::abs(with.own->parts[0].error / without.own->parts[0].error - 1), 0.02);
  // The closed formulas are for k H alone.
  const Advice by_mass =
      AdviceOn("arm7_twist", Join(kExact, {"controller.factorization=t:1", "gains.G.0.1=3"}));
  EXPECT_FALSE(by_mass.closed_forms);
  EXPECT_THAT(by_mass.why_no_closed_forms, HasSubstr("The skew gain G turns errors"));
}

/// Where K_D is not kH a skew gain makes the slowest error faster, as its remedy says.
TEST(Advice, ASkewGainSpeedsUpTheSlowestError) {
  const Sets sets =
      Join(kExact, {"controller.gain_form=diagonal", "gains.K_D=[2,30,30,30,30,30,30]",
                    "controller.factorization=t:1"});
  const auto slowest = [&](const Sets& more) {
    return AdviceOn("arm7_twist", Join(sets, more)).starts.front().slowest_rate_torsion_free;
  };
  EXPECT_GT(slowest({"gains.G.0.1=20"}), 1.2 * slowest({}));
}

/// Damping of light fingers on a hand without it: no skew gain that mixes rates of 5 and 10⁵ 1/s is
/// a remedy, and the advice stands without it.
TEST(Advice, IsGivenWhereDampingIsFasterThanErrorsCanBeTurned) {
  const TemporaryFolder folder;
  std::string finger;
  for (int i = 0; i < 3; ++i) {
    finger += "<body pos='0 .002 .03'><joint name='f" + std::to_string(i) +
              "' axis='1 0 0' damping='.2'/><geom type='capsule' fromto='0 0 0 0 .001 .02' "
              "size='.004' mass='.006'/>";
  }
  const std::string file = folder.Write(
      "hand.xml",
      "<mujoco><default><geom contype='0' conaffinity='0'/></default><worldbody>"
      "<body><joint name='wrist' axis='0 1 0'/><geom type='box' size='.04 .01 .05' mass='.5'/>" +
          finger + "</body></body></body></body></worldbody></mujoco>");
  const Advice advice = AdviceOn(file, {"duration_s=2"});
  EXPECT_GT(advice.k_max, 1e4 * advice.k_min);
  ASSERT_FALSE(advice.settings.empty());
  for (const JudgedSetting& setting : advice.settings)
    EXPECT_EQ(setting.G.size(), 0) << setting.name;
}

TEST(TorsionAlongReference, RefusesWhatIsNoReference) {
  const auto scene = Load("planar_2r", {});
  const ErrorGains gains{VectorXd::Constant(1, 5), VectorXd::Constant(1, 10)};
  const auto sample = [&](const std::vector<ReferenceSample>& reference) {
    return SampleTorsion(scene->control_model, nullptr, Factorization::Torsion(1), gains,
                         reference);
  };
  const auto all = SampleReference(*scene, 0, 1, 5);
  EXPECT_EQ(sample(all).samples.size(), 5u);
  EXPECT_THROW(sample({all[0]}), UserError);
  EXPECT_THROW(sample({all[1], all[0]}), UserError);
  EXPECT_THROW(SampleReference(*scene, 1, 1, 5), UserError);
}

TEST(Advice, EndsWhereverItAsksAndIsToldTo) {
  const auto scene = Load("chain20", {"controller.factorization=t:1"});
  std::atomic<bool> stop = false;
  int asked = 0, last = -1;
  const Watch watch = {.stop = &stop,
                       .progress = [&](const std::string&, double) { stop = ++asked == last; }};
  {
    const StopScope scope(watch);
    Advise(*scene);
    const int all = asked;
    EXPECT_GT(all, 10'000) << "each a small share of a second";
    for (const int at : {1, all / 7, all / 3, all / 2, all}) {
      asked = 0;
      last = at;
      EXPECT_THROW(Advise(*scene), Stopped);
      EXPECT_EQ(asked, at);
    }
  }
  last = asked = 0;
  Advise(*scene);
  EXPECT_EQ(asked, 0) << "the watch is gone";
}

TEST(Advice, OfLargeRobotsIsToldToTakeLong) {
  const double chain20 = EstimateAdviceTime(*Load("chain20", {}));
  EXPECT_LT(EstimateAdviceTime(*Load("planar_2r", {})), 0.3 * chain20);
  EXPECT_LT(chain20, 1.5);
}

}  // namespace advice_test
}  // namespace civita
