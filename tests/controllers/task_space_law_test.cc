// The task-space law: V̇ = −P on random mechanisms, damped or not, the rate of each storage, and
// its equality with the induced factorization.

#include "civita/controllers/task_space_law.h"

#include <gtest/gtest.h>

#include <cmath>
#include <span>
#include <string>

#include "civita/error.h"
#include "civita/frame_motion.h"
#include "civita/kinematics.h"
#include "civita/manifold.h"
#include "civita/task_space.h"
#include "tests/controllers/closed_loop.h"

namespace civita {
namespace task_space_law_test {

constexpr unsigned kSeeds = 25;
constexpr TaskKind kKinds[] = {TaskKind::kPosition, TaskKind::kPose, TaskKind::kXZ};

/// The law for the last frame that it can move; null if there is none.
std::unique_ptr<Controller> MakeLaw(const Model& model, TaskKind kind, const Eigen::VectorXd& start,
                                    GainForm form = GainForm::kMass,
                                    const Factorization& factorization = {},
                                    TaskFrame* task = nullptr) {
  for (size_t i = model.frames().size(); i-- > 0;) {
    TaskFrame frame{model.frames()[i], kind};
    frame.frame.X_BF.p += Eigen::Vector3d(0.1, -0.2, 0.15);
    try {
      auto law = FindLaw("task_space")
                     .make(model, {.factorization = factorization,
                                   .gain_form = form,
                                   .q_start = start,
                                   .task = frame});
      if (task != nullptr) *task = frame;
      return law;
    } catch (const UserError&) {
      continue;
    }
  }
  return nullptr;
}

TaskTarget RandomTarget(std::mt19937* random) {
  TaskTarget target;
  target.given = true;
  target.p = RandomVector(3, random);
  const Eigen::Vector3d turn = RandomVector(3, random);
  target.R = QuaternionToMatrix<double>(QuaternionExp(turn));
  target.V = RandomVector(6, random);
  target.Vdot = RandomVector(6, random);
  return target;
}

double Signal(const Controller& law, const ControlOutput& output, std::string_view name) {
  const Eigen::Index at = law.FindSignal(name);
  EXPECT_GE(at, 0) << name;
  return at >= 0 ? output.signals[at] : NAN;
}

template <typename F>
void ForEachLaw(bool passive, F&& f) {
  int laws = 0;
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    ControlCase c = MakeControlCase(seed, passive);
    std::mt19937 random(seed);
    for (const TaskKind kind : kKinds) {
      for (const bool given : {false, true}) {
        if (given) c.reference.task = RandomTarget(&random);
        c.reference.task.given = given;
        for (const GainForm form : {GainForm::kMass, GainForm::kDiagonal}) {
          for (const double t : {0.0, 1.0, -4.0}) {
            const auto law = MakeLaw(c.model, kind, c.q, form, Factorization::Torsion(t));
            if (!law) continue;
            ++laws;
            f(c, law.get());
            if (testing::Test::HasFatalFailure()) return;
          }
        }
      }
    }
  }
  EXPECT_GT(laws, 100);
}

TEST(TaskSpaceLaw, DissipatesWhatItPromises) {
  for (const bool passive : {false, true}) {
    ForEachLaw(passive, [](const ControlCase& c, Controller* law) {
      const StepResult r = RunStep(c, law);
      ASSERT_GT(r.storage.P, 0);
      ASSERT_LE(std::abs(r.storage.Vdot + r.storage.P), 1e-9 * r.scale);
      const double V_x = Signal(*law, r.output, "/law/task/V_J");
      const double V_n = Signal(*law, r.output, "/law/posture/V_J");
      ASSERT_GE(V_x, 0);
      ASSERT_GE(V_n, -1e-12);
      if (Signal(*law, r.output, "/law/task/damped") == 0) {
        ASSERT_NEAR(V_x + V_n, r.storage.V, 1e-9 * r.storage.V);
      }
    });
  }
}

/// The state a time dt later with acceleration vdot, with the reference moved too.
ControlCase Later(const ControlCase& c, const Eigen::VectorXd& vdot, double dt) {
  ControlCase at = c;
  at.q = SlowIntegrate(c.spec, c.q, c.v, dt);
  at.v = c.v + dt * vdot;
  at.reference.q = SlowIntegrate(c.spec, c.reference.q, c.reference.v, dt);
  at.reference.v = c.reference.v + dt * c.reference.vdot;
  TaskTarget& task = at.reference.task;
  task.p += dt * c.reference.task.V.tail<3>();
  const Eigen::Vector3d turn = dt * c.reference.task.V.head<3>();
  task.R = QuaternionToMatrix<double>(QuaternionExp(turn)) * task.R;
  task.V += dt * c.reference.task.Vdot;
  return at;
}

TEST(TaskSpaceLaw, VdotIsTheRateOfV) {
  int tried = 0, damped = 0;
  ForEachLaw(true, [&](const ControlCase& c, Controller* law) {
    if (++tried % 7 != 0) return;
    const StepResult r = RunStep(c, law);
    damped += Signal(*law, r.output, "/law/task/damped") > 0 ? 1 : 0;
    const double h = 1e-3 / std::max(1.0, r.vdot.norm());
    const auto V = [&](double dt) { return RunStep(Later(c, r.vdot, dt), law).storage.V; };
    const double rate = (8 * (V(h) - V(-h)) - (V(2 * h) - V(-2 * h))) / (12 * h);
    ASSERT_LE(std::abs(r.storage.Vdot - rate), 1e-5 * r.scale);
  });
  EXPECT_GT(damped, 0);
}

/// Each law of these kinds, after a step, unless the random target is near a singularity.
template <typename F>
void ForEachUndampedStep(std::span<const TaskKind> kinds, double K_x, double K_D, F&& f) {
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    ControlCase c = MakeControlCase(seed);
    std::mt19937 random(seed);
    c.reference.task = RandomTarget(&random);
    for (const TaskKind kind : kinds) {
      TaskFrame task;
      const auto law = MakeLaw(c.model, kind, c.q, GainForm::kMass, {}, &task);
      if (!law) continue;
      law->set_gain("K_x", Eigen::VectorXd::Constant(1, K_x));
      law->set_gain("K_D", Eigen::VectorXd::Constant(1, K_D));
      const StepResult r = RunStep(c, law.get());
      if (Signal(*law, r.output, "/law/task/damped") == 0) f(c, task, law.get(), r);
    }
  }
}

// With K_x = k Λ each storage decreases at the rate 2k, independently of the other one.
TEST(TaskSpaceLaw, TaskAndPostureDoNotDisturbEachOther) {
  int tried = 0;
  ForEachUndampedStep(
      kKinds, 3, 2,
      [&](const ControlCase& c, const TaskFrame&, Controller* law, const StepResult& r) {
        ++tried;
        const double h = 1e-3 / std::max(1.0, r.vdot.norm());
        for (const auto& [name, k] : {std::pair{"/law/task/V_J", 3.0}, {"/law/posture/V_J", 2.0}}) {
          const auto V = [&, signal = name](double dt) {
            return Signal(*law, RunStep(Later(c, r.vdot, dt), law).output, signal);
          };
          const double rate = (8 * (V(h) - V(-h)) - (V(2 * h) - V(-2 * h))) / (12 * h);
          EXPECT_LE(std::abs(rate + 2 * k * V(0)), 1e-5 * r.scale) << name;
        }
      });
  EXPECT_GT(tried, 10);
}

// The closed loop is that of core's TaskSpace, in a basis N of the null space.
TEST(TaskSpaceLaw, IsTheLawOfTheInducedFactorization) {
  constexpr TaskKind kPosition[] = {TaskKind::kPosition};
  int tried = 0;
  ForEachUndampedStep(
      kPosition, 20, 10,
      [&](const ControlCase& c, const TaskFrame& task, Controller*, const StepResult& r) {
        const int nv = c.model.nv();
        if (nv <= 3) return;
        ++tried;
        Workspace<double> workspace(c.model);
        UpdateKinematics(c.model, c.q, c.v, workspace);
        Eigen::MatrixXd J(6, nv), Jdot(6, nv);
        CalcFrameJacobian<double>(c.model, task.frame, workspace, J);
        CalcFrameJacobianDerivative<double>(c.model, task.frame, workspace, Jdot);
        TaskSpace<double> induced(c.model, J.bottomRows(3));
        ASSERT_EQ(
            induced.Update({.C = r.plant.C, .H = r.plant.H}, J.bottomRows(3), Jdot.bottomRows(3)),
            Status::kOk);
        // σ of s; then blockdiag(Λ, H_nn) σ̇ + blockdiag(C_xx, C_nn) σ = −K σ.
        Eigen::VectorXd sigma(nv);
        induced.CalcVelocity(r.output.s, sigma);
        const Eigen::VectorXd sdot = r.vdot - r.output.sdot_ref;
        Eigen::MatrixXd A(nv, nv);
        A << induced.A_x, induced.null_space.A;
        const Eigen::VectorXd force = A.transpose() * (r.plant.H * sdot + r.plant.C * r.output.s);
        const Eigen::VectorXd x = sigma.head(3), n = sigma.tail(nv - 3);
        const Eigen::VectorXd force_x = induced.C_xn * n - 20 * induced.Lambda * x;
        const Eigen::VectorXd force_n = induced.C_nx * x - 10 * induced.H_nn * n;
        EXPECT_LE((force.head(3) - force_x).norm(), 1e-8 * (1 + force.norm()));
        EXPECT_LE((force.tail(nv - 3) - force_n).norm(), 1e-8 * (1 + force.norm()));
      });
  EXPECT_GT(tried, 10);
}

TEST(TaskSpaceLaw, FramesThatCannotBeMovedAreRefused) {
  const ControlCase c = MakeControlCase(3);
  const TaskFrame fixed{.frame = {.name = "wall", .body = -1, .X_BF = {}}};
  try {
    FindLaw("task_space").make(c.model, {.factorization = {}, .q_start = c.q, .task = fixed});
    FAIL() << "made";
  } catch (const UserError& error) {
    EXPECT_STREQ(error.what(),
                 "task.frame: the joints on the way to 'wall' move its position in 0 of 3 "
                 "directions; choose another frame");
  }
}

}  // namespace task_space_law_test
}  // namespace civita
