#include "civita/controllers/reference_dynamics.h"

#include <functional>

#include "civita/error.h"
#include "civita/factorization_text.h"
#include "civita/frame_motion.h"
#include "civita/kinematics.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "tests/controllers/closed_loop.h"
#include "tests/controllers/random_gain.h"
#include "tests/oracles/compare.h"
#include "tests/oracles/linear.h"

namespace civita {
namespace reference_dynamics_test {

using Goal = FieldOptions::Goal;
using Level = FieldOptions::Level;

constexpr unsigned kSeeds = 25;
constexpr double kRounding = 1e-10;

/// Whether the first two coordinates are not rotations of a ball joint.
bool HasCycle(const Model& model) {
  if (model.nv() < 2) return false;
  for (const Model::NamedJoint& joint : model.joints()) {
    const int rotation = RotationOffset(joint.type);
    if (rotation >= 0 && joint.iv + rotation < 2) return false;
  }
  return true;
}

/// A frame with an offset from the origin of the last one.
TaskFrame LastFrame(const Model& model) {
  TaskFrame task{model.frames().back(), TaskKind::kPosition};
  task.frame.X_BF.p += Eigen::Vector3d(0.1, -0.2, 0.15);
  return task;
}

std::unique_ptr<Controller> MakeLaw(const Model& model, Goal goal, Level level,
                                    const Factorization& factorization = {},
                                    GainForm gain_form = GainForm::kMass) {
  return FindLaw("reference_dynamics")
      .make(model, {.factorization = factorization,
                    .gain_form = gain_form,
                    .q_start = model.DefaultPosition(),
                    .own = {{"goal", std::string(kFieldGoals[static_cast<size_t>(goal)])},
                            {"level", std::string(kFieldLevels[static_cast<size_t>(level)])},
                            {"cycle_radius", 0.7},
                            {"cycle_rate", -1.3}},
                    .task = LastFrame(model)});
}

/// Whether the joints can move that frame in all directions.
bool HasTask(const Model& model) {
  try {
    MakeLaw(model, Goal::kTask, Level::kVelocity);
    return true;
  } catch (const UserError&) {
    return false;
  }
}

/// Sets different gains for each coordinate and a random v_r.
void Disturb(Controller* controller, unsigned seed) {
  std::mt19937 random(seed + 77);
  for (const ParameterInfo& parameter : controller->parameters()) {
    controller->set_gain(parameter.key, RandomGain(parameter, controller->model().nv(), &random));
  }
  controller->set_state(RandomVector(static_cast<int>(controller->state().size()), &random));
}

/// Calls f for every goal and level on random mechanisms with joints of all kinds.
void ForEach(bool passive, const std::function<void(const ControlCase&, Goal, Level)>& f) {
  int cycles = 0, tasks = 0;
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const ControlCase c = MakeControlCase(seed, passive);
    for (const Goal goal : {Goal::kTracking, Goal::kLimitCycle, Goal::kTask}) {
      if (goal == Goal::kLimitCycle && !HasCycle(c.model)) continue;
      if (goal == Goal::kTask && !HasTask(c.model)) continue;
      cycles += goal == Goal::kLimitCycle;
      tasks += goal == Goal::kTask;
      for (const Level level : {Level::kAcceleration, Level::kVelocity}) f(c, goal, level);
    }
  }
  EXPECT_GE(cycles, 5);
  EXPECT_GE(tasks, 5);
}

TEST(ReferenceDynamics, DissipatesWhatItPromises) {
  ForEach(true, [](const ControlCase& c, Goal goal, Level level) {
    for (const Factorization& factorization : AdmissibleFactorizations(c.model)) {
      for (const GainForm gain_form : {GainForm::kMass, GainForm::kDiagonal}) {
        SCOPED_TRACE(ToString(factorization));
        const auto law = MakeLaw(c.model, goal, level, factorization, gain_form);
        Disturb(law.get(), 1);
        const StepResult r = RunStep(c, law.get());
        ASSERT_GT(r.storage.P, 0);
        ASSERT_LE(std::abs(r.storage.Vdot + r.storage.P), kRounding * r.scale);
      }
    }
  });
}

TEST(ReferenceDynamics, RatesAreExact) {
  // With kVelocity the rate of V is that with v_f, which kAcceleration uses too.
  ForEach(true, [](const ControlCase& c, Goal goal, Level level) {
    const auto law = MakeLaw(c.model, goal, level);
    Disturb(law.get(), 2);
    const StepResult r = RunStep(c, law.get());
    ASSERT_LE(std::abs(r.storage.Vdot - DifferentiateStorage(c, r, law.get())), 1e-6 * r.scale);
  });
}

TEST(ReferenceDynamics, AccelerationIsThatOfTheField) {
  ForEach(false, [](const ControlCase& c, Goal goal, Level level) {
    if (level == Level::kVelocity) return;
    const auto field = MakeLaw(c.model, goal, Level::kVelocity);
    const auto law = MakeLaw(c.model, goal, Level::kAcceleration);
    Disturb(field.get(), 3);
    Disturb(law.get(), 3);
    const StepResult f = RunStep(c, field.get()), r = RunStep(c, law.get());
    const Eigen::VectorXd v_r = law->state();
    const Eigen::VectorXd v_f = c.v - f.output.s;
    const Eigen::VectorXd expected =
        f.output.sdot_ref - law->gain(3)[0] * (v_r - c.v) - law->gain(2).cwiseProduct(c.v - v_f);
    ASSERT_LE(RelativeError(r.output.sdot_ref, expected), 1e-12);
    ASSERT_LE(RelativeError(r.output.s, c.v - v_r), 1e-14);
    Eigen::VectorXd rate = v_r;
    law->CalcStateRate(r.output.tau, r.output, rate);
    ASSERT_EQ(rate, r.output.sdot_ref);
  });
}

TEST(ReferenceDynamics, MovesByItsAccelerationFromTheStart) {
  ForEach(true, [](const ControlCase& c, Goal goal, Level level) {
    if (level == Level::kVelocity) return;
    const auto law = MakeLaw(c.model, goal, level);
    Disturb(law.get(), 4);
    law->ResetState({0, c.q, c.v}, c.reference);
    const StepResult r = RunStep(c, law.get());
    ASSERT_EQ(r.output.s, Eigen::VectorXd::Zero(c.model.nv()));
    ASSERT_LE(RelativeError(r.vdot, r.output.sdot_ref), kRounding);
  });
}

TEST(ReferenceDynamics, TrackingByVelocityIsSlotineLi) {
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    const ControlCase c = MakeControlCase(seed, true);
    const auto law = MakeLaw(c.model, Goal::kTracking, Level::kVelocity);
    const auto slotine_li = MakeController("slotine_li", c.model);
    EXPECT_EQ(law->state().size(), 0);
    EXPECT_EQ(RunStep(c, law.get()).output.tau, RunStep(c, slotine_li.get()).output.tau);
  }
}

TEST(ReferenceDynamics, FieldOfTheCycle) {
  // Against closed forms: on the circle, at its centre, far away.
  ModelBuilder builder;
  const MassProperties mass{1, Eigen::Vector3d::Zero(), Eigen::Matrix3d::Identity()};
  const int body = builder.AddBody("mass", ModelBuilder::kWorld, {}, mass);
  for (int i = 0; i < 3; ++i) {
    builder.AddJoint(body, JointType::kSlide,
                     {.name = std::string(1, "xyz"[i]), .axis = Eigen::Vector3d::Unit(i)});
  }
  const Model model = builder.Build();
  const auto law = MakeLaw(model, Goal::kLimitCycle, Level::kVelocity);  // R = 0.7, Ω = −1.3
  law->set_gain("Lambda", Eigen::VectorXd::Constant(1, 2));
  const Eigen::VectorXd zero = Eigen::Vector3d::Zero();
  const Eigen::Vector3d q_d(0.1, 0.2, 0.3), v_d(1, 2, 3);
  ControlOutput output(*law);
  const auto field = [&](const Eigen::Vector3d& e) -> Eigen::Vector3d {
    EXPECT_TRUE(law->CalcControl({0, q_d + e, zero}, {q_d, v_d, zero}, output));
    EXPECT_NEAR(output.signals[0], e.head<2>().norm(), 1e-15);
    return -output.s - v_d;
  };
  EXPECT_TRUE(field({0.7, 0, 0.5}).isApprox(Eigen::Vector3d(0, -1.3 * 0.7, -1), 1e-14));
  EXPECT_TRUE(field({0, 0.7, 0}).isApprox(Eigen::Vector3d(1.3 * 0.7, 0, 0), 1e-14));
  EXPECT_NEAR(field({0, 0, 0}).norm(), 0, 1e-15);
  EXPECT_NEAR(field({1e-9, 0, 0})[0], 2e-9, 1e-15) << "leaves the centre";
  EXPECT_NEAR(field({1e6, 0, 0})[0], -2e6, 1e-5) << "comes from afar";
  EXPECT_NEAR(field({0.7 + 1e-6, 0, 0})[0], -2e-6, 1e-11) << "at the rate Λ";
}

// J v_f = ẋ_d − Λ_x e_x, and the rest of v_f moves no task: it is H-orthogonal to A_x.
TEST(ReferenceDynamics, FieldOfTheTask) {
  int tried = 0;
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    ControlCase c = MakeControlCase(seed);
    if (!HasTask(c.model)) continue;
    std::mt19937 random(seed);
    TaskTarget& target = c.reference.task;
    target.given = true;
    target.p = RandomVector(3, &random);
    target.V = RandomVector(6, &random);
    const auto law = MakeLaw(c.model, Goal::kTask, Level::kVelocity);
    law->set_gain("Lambda_x", Eigen::VectorXd::Constant(1, 3));
    const StepResult r = RunStep(c, law.get());
    if (r.output.signals[2] > 0) continue;  // damped
    ++tried;
    const TaskFrame task = LastFrame(c.model);
    Workspace<double> workspace(c.model);
    UpdateKinematics(c.model, c.q, c.v, workspace);
    Eigen::MatrixXd J(6, c.model.nv());
    CalcFrameJacobian<double>(c.model, task.frame, workspace, J);
    const Eigen::Vector3d e = CalcFramePose(c.model, task.frame, workspace).p - target.p;
    const Eigen::VectorXd v_f = c.v - r.output.s;
    EXPECT_LE(RelativeError(J.bottomRows(3) * v_f, target.V.tail<3>() - 3 * e), 1e-9);
    EXPECT_NEAR(r.output.signals[0], e.norm(), 1e-12);
    // v_f differs from v_p by a vector in the range of H⁻¹Jᵀ.
    TrackingError posture(c.model.nv());
    CalcTrackingError(c.model, c.q, c.v, c.reference, posture);
    const Eigen::VectorXd v_p = posture.v_d - law->gain(0).cwiseProduct(posture.e);
    const Eigen::VectorXd taken = r.plant.H * (v_f - v_p);
    const Eigen::MatrixXd Jx = J.bottomRows(3).transpose();
    const Eigen::VectorXd force = linear::LeastSquares(Jx, taken);
    EXPECT_LE(RelativeError(Jx * force, taken), 1e-8);
  }
  EXPECT_GT(tried, 5);
}

TEST(ReferenceDynamics, NoCycleOfABall) {
  int refused = 0;
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    const ControlCase c = MakeControlCase(seed);
    if (HasCycle(c.model)) continue;
    ++refused;
    try {
      MakeLaw(c.model, Goal::kLimitCycle, Level::kVelocity);
      ADD_FAILURE() << "seed " << seed;
    } catch (const UserError& error) {
      EXPECT_THAT(error.what(), testing::StartsWith("controller.goal: a limit_cycle is in the "
                                                    "first two coordinates"));
    }
  }
  EXPECT_GT(refused, 0);
}

}  // namespace reference_dynamics_test
}  // namespace civita
