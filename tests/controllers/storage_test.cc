// Checks the laws' proofs numerically: with an exact model V̇ = −P to rounding, on random
// mechanisms with ball and free joints, for every factorization and gain form, V̇ from the plant's
// acceleration.

#include "civita/controllers/tracking_error.h"
#include "civita/factorization_text.h"
#include "gtest/gtest.h"
#include "tests/controllers/closed_loop.h"
#include "tests/controllers/legs/legged_motion.h"
#include "tests/controllers/random_gain.h"
#include "tests/oracles/compare.h"

namespace civita {
namespace storage_test {

constexpr unsigned kSeeds = 25;
constexpr double kRounding = 1e-10;

constexpr GainForm kGainForms[] = {GainForm::kMass, GainForm::kDiagonal};

void SetRandomGains(Controller* controller, unsigned seed) {
  std::mt19937 random(seed + 31);
  for (const ParameterInfo& parameter : controller->parameters()) {
    controller->set_gain(parameter.key, RandomGain(parameter, controller->model().nv(), &random));
  }
}

/// Calls f for every seed, gain form and, where the law has it, factorization.
template <typename F>
void ForEach(std::string_view type, bool passive, F&& f) {
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const ControlCase c = MakeControlCase(seed, passive);
    std::vector<Factorization> factorizations = {{}};
    if (FindLaw(type).uses_factorization) {
      factorizations = AdmissibleFactorizations(c.model);
    }
    for (const Factorization& factorization : factorizations) {
      for (const GainForm gain_form : kGainForms) {
        SCOPED_TRACE(ToString(factorization));
        const auto controller = MakeController(type, c.model, gain_form, factorization);
        SetRandomGains(controller.get(), seed);
        f(c, controller.get());
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

ControlCase Standing(ControlCase c) {
  c.reference.v.setZero();
  c.reference.vdot.setZero();
  return c;
}

TEST(StorageTest, SlotineLiDissipatesWhatItPromises) {
  ForEach("slotine_li", false, [](const ControlCase& c, Controller* controller) {
    const StepResult r = RunStep(c, controller);
    ASSERT_GT(r.storage.P, 0);
    ASSERT_GT(r.storage.V, 0);
    ASSERT_LE(std::abs(r.storage.Vdot + r.storage.P), kRounding * r.scale);
  });
}

TEST(StorageTest, SlotineLiPromisesSKs) {
  ForEach("slotine_li", false, [](const ControlCase& c, Controller* controller) {
    const StepResult r = RunStep(c, controller);
    const Eigen::VectorXd& s = r.output.s;
    const Eigen::VectorXd& k = controller->gain(1);
    const Eigen::MatrixXd root = k.cwiseSqrt().asDiagonal();
    const Eigen::MatrixXd K_D = controller->gain_form() == GainForm::kMass
                                    ? Eigen::MatrixXd(root * r.plant.H * root)
                                    : Eigen::MatrixXd(k.asDiagonal());
    ASSERT_LE(RelativeError(r.storage.P, s.dot(K_D * s)), 1e-12);
    ASSERT_LE(RelativeError(r.storage.V, 0.5 * s.dot(r.plant.H * s)), 1e-12);
  });
}

TEST(StorageTest, PassiveForcesAreFedForwardExactly) {
  ForEach("slotine_li", true, [](const ControlCase& c, Controller* controller) {
    const StepResult r = RunStep(c, controller);
    ASSERT_LE(std::abs(r.storage.Vdot + r.storage.P), kRounding * r.scale);
    // Damping and friction only add to P.
    Eigen::VectorXd K_D_s = controller->gain(1).cwiseProduct(r.output.s);
    if (controller->gain_form() == GainForm::kMass) {
      const Eigen::VectorXd root = controller->gain(1).cwiseSqrt();
      K_D_s = root.cwiseProduct(r.plant.H * root.cwiseProduct(r.output.s));
    }
    ASSERT_GT(r.storage.P, r.output.s.dot(K_D_s));
  });
}

TEST(StorageTest, PdGravityDissipatesWhatItPromisesWhereTheReferenceStands) {
  for (const bool passive : {false, true}) {
    ForEach("pd_gravity", passive, [](const ControlCase& c, Controller* controller) {
      const StepResult r = RunStep(Standing(c), controller);
      ASSERT_GT(r.storage.P, 0);
      ASSERT_LE(std::abs(r.storage.Vdot + r.storage.P), kRounding * r.scale);
    });
  }
}

TEST(StorageTest, PdGravityFallsShortByTheForcesThatItDoesNotFeedForward) {
  ForEach("pd_gravity", true, [](const ControlCase& c, Controller* controller) {
    const StepResult r = RunStep(c, controller);
    const Eigen::VectorXd v_d = c.v - r.output.s;
    const double missing = -r.output.s.dot(r.plant.H * r.output.sdot_ref + r.plant.C * v_d);
    ASSERT_LE(std::abs(r.storage.Vdot + r.storage.P - missing), kRounding * r.scale);
    ASSERT_GT(std::abs(missing), 1e-4);
  });
}

TEST(StorageTest, ComputedTorqueDissipatesWhatItPromises) {
  ForEach("computed_torque", true, [](const ControlCase& with_friction, Controller* example) {
    // Friction is model error to this law; damping and springs remain.
    TreeSpec spec = with_friction.spec;
    for (TreeSpec::Body& body : spec.bodies) {
      for (TreeSpec::Joint& joint : body.joints) joint.properties.frictionloss = 0;
    }
    for (TendonProperties& tendon : spec.tendons) tendon.frictionloss = 0;
    const ControlCase c{spec, BuildTree(spec), with_friction.q, with_friction.v,
                        with_friction.reference};
    const auto controller = MakeController("computed_torque", c.model, example->gain_form());
    controller->set_gain("K_P", example->gain(0));
    controller->set_gain("K_D", example->gain(1));
    const StepResult r = RunStep(c, controller.get());
    ASSERT_GT(r.storage.P, 0);
    ASSERT_LE(std::abs(r.storage.Vdot + r.storage.P), kRounding * r.scale);
  });
}

TEST(StorageTest, ExternalPowerIsWhatAPushAdds) {
  for (const LawInfo* law : Laws()) {
    if (law->MovesFrame({}) || law->needs_legs) continue;  // see task_space_law_test.cc, legs/
    SCOPED_TRACE(std::string(law->type));
    ForEach(law->type, false, [](const ControlCase& moving, Controller* controller) {
      const ControlCase c = Standing(moving);
      std::mt19937 random(4);
      const Eigen::VectorXd tau_ext = 5 * RandomVector(c.model.nv(), &random);
      const StepResult r = RunStep(c, controller, tau_ext);
      const double power = controller->CalcExternalPower(r.plant_state(c), tau_ext, r.output);
      ASSERT_LE(std::abs(r.storage.Vdot + r.storage.P - power), kRounding * r.scale);
      ASSERT_GT(std::abs(power), 1e-6);
    });
  }
}

TEST(StorageTest, ModelErrorIsWhatIsMissing) {
  ForEach("slotine_li", false, [](const ControlCase& c, Controller* exact) {
    const Model wrong = c.model.WithScaledInertia(0.8);
    const auto controller =
        MakeController("slotine_li", wrong, exact->gain_form(), exact->factorization());
    const StepResult r = RunStep(c, controller.get());
    const CoreDynamics plant = CalcCoreDynamics(c.model, c.q, c.v, exact->factorization());
    const CoreDynamics model = CalcCoreDynamics(wrong, c.q, c.v, exact->factorization());
    const Eigen::VectorXd error = (model.H - plant.H) * r.output.sdot_ref +
                                  (model.C - plant.C) * (c.v - r.output.s) + model.g - plant.g;
    ASSERT_LE(std::abs(r.storage.Vdot + r.storage.P - r.output.s.dot(error)), kRounding * r.scale);
    ASSERT_GT(std::abs(r.output.s.dot(error)), 1e-6);
  });
}

TEST(StorageTest, VdotIsTheRateOfV) {
  for (const LawInfo* law : Laws()) {
    if (law->MovesFrame({}) || law->needs_legs) continue;  // see task_space_law_test.cc, and below
    SCOPED_TRACE(std::string(law->type));
    ForEach(law->type, true, [](const ControlCase& c, Controller* controller) {
      const StepResult r = RunStep(c, controller);
      const double rate = DifferentiateStorage(c, r, controller);
      ASSERT_LE(std::abs(r.storage.Vdot - rate), 1e-6 * r.scale);
    });
  }
}

// A legged robot in the middle of its gait. The adaptive law's wrong estimates must concern the
// base alone for exact equality, see WholeBody.
TEST(StorageTest, VdotIsTheRateOfVOnLegs) {
  const LeggedRobot light = MakeQuadruped(5), heavy = MakeQuadruped(5, 11), biped = MakeBiped();
  const struct {
    GaitCase c;
    const Model& plant;
  } cases[] = {
      {{"standing", light, GaitPhase::kReturning}, light.model},
      {{"trotting", light, GaitPhase::kSwinging}, heavy.model},
      {{"standing on soles", biped, GaitPhase::kResting, 0.1}, biped.model},
      {{"pushed", biped, GaitPhase::kPushed, 0.1}, biped.model},
      {{"adaptive", light, GaitPhase::kResting, 0, true, true}, heavy.model},
  };
  for (const auto& [c, plant] : cases) {
    SCOPED_TRACE(c.name);
    LeggedMotion motion(c);
    ASSERT_TRUE(motion.found());
    const auto calc = [&, &plant = plant](const Measurement& at, const ControlOutput& output) {
      const CoreDynamics d = CalcCoreDynamics(plant, at.q, at.v);
      return motion.law()->CalcStorage({plant, at.q, at.v, motion.vdot(), d.H, d.Hdot}, output);
    };
    const StorageState storage = motion.At(0, calc);
    const double rate = motion.Differentiate(
        [&](const Measurement& at, const ControlOutput& output) { return calc(at, output).V; });
    EXPECT_GT(std::abs(rate), 0.1);
    EXPECT_LE(std::abs(storage.Vdot - rate), 1e-6 * std::max(storage.V, std::abs(rate)));
    EXPECT_EQ(storage.V_estimation > 0.01, c.adaptive);
  }
}

// ---- Violations of the proof, which show that the tests above can fail.

/// V̇ + sᵀK_D s of Slotine–Li's law with the given v̇_r, K_D = 3 H, Λ = 2.
double Gap(const ControlCase& c, const TrackingError& error, const Eigen::VectorXd& vdot_r,
           const Factorization& factorization) {
  const CoreDynamics d = CalcCoreDynamics(c.model, c.q, c.v, factorization);
  const Eigen::VectorXd v_r = error.v_d - 2 * error.e;
  const Eigen::VectorXd s = c.v - v_r;
  const Eigen::VectorXd tau = d.H * vdot_r + d.C * v_r + d.g - 3 * d.H * s;
  const Eigen::VectorXd sdot = Accelerate(c.model, c.q, c.v, tau) - (error.vdot_d - 2 * error.edot);
  return s.dot(d.H * sdot + 0.5 * d.Hdot * s) + 3 * s.dot(d.H * s);
}

TEST(StorageTest, NaiveRatesOfTheReferenceVelocityBreakTheProof) {
  int tried = 0;
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const ControlCase c = MakeControlCase(seed);
    if (!HasRotation(c.model)) continue;
    ++tried;
    TrackingError error(c.model.nv());
    CalcTrackingError(c.model, c.q, c.v, c.reference, error);
    const Eigen::VectorXd exact = error.vdot_d - 2 * error.edot;
    EXPECT_LE(std::abs(Gap(c, error, exact, {})), 1e-10);
    // The desired velocity and acceleration taken component by component, not carried from q_d to
    // q.
    const Eigen::VectorXd not_carried = c.reference.vdot - 2 * error.edot;
    EXPECT_GT(std::abs(Gap(c, error, not_carried, {})), 1e-3);
    // ė replaced by the difference of velocities.
    const Eigen::VectorXd flat = error.vdot_d - 2 * (c.v - error.v_d);
    EXPECT_GT(std::abs(Gap(c, error, flat, {})), 1e-3);
  }
  EXPECT_GT(tried, 10);
}

TEST(StorageTest, AFactorizationThatIsNotAdmissibleBreaksTheProof) {
  for (unsigned seed = 0; seed < 5; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const ControlCase c = MakeControlCase(seed);
    TrackingError error(c.model.nv());
    CalcTrackingError(c.model, c.q, c.v, c.reference, error);
    const CoreDynamics d = CalcCoreDynamics(c.model, c.q, c.v);
    const Eigen::VectorXd v_r = error.v_d - 2 * error.e;
    const Eigen::VectorXd s = c.v - v_r;
    const Eigen::VectorXd vdot_r = error.vdot_d - 2 * error.edot;
    const Eigen::MatrixXd C = SlowCoriolis(c.spec, {}, c.q, c.v, {.alpha = 0.5});
    const Eigen::VectorXd tau = d.H * vdot_r + C * v_r + d.g - 3 * d.H * s;
    const Eigen::VectorXd sdot = Accelerate(c.model, c.q, c.v, tau) - vdot_r;
    EXPECT_GT(std::abs(s.dot(d.H * sdot + 0.5 * d.Hdot * s) + 3 * s.dot(d.H * s)), 1e-3);
  }
}

}  // namespace storage_test
}  // namespace civita
