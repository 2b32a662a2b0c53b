// The error equations beside the same by the classic rule of order 4 with small steps.

#include "civita/study/advise/error_equations.h"

#include <gtest/gtest.h>

#include <cmath>
#include <string>
#include <vector>

#include "civita/coriolis.h"
#include "civita/error.h"
#include "civita/kinematics.h"
#include "civita/rnea.h"
#include "civita/sim/metric_table.h"
#include "civita/sim/simulation.h"
#include "civita/study/advise/advice.h"
#include "civita/study/advise/ideal_motion.h"
#include "tests/oracles/linear.h"
#include "tests/study/advise/constant_errors.h"

namespace civita {
namespace error_equations_test {

using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr int kN = 4;
constexpr double kEnd = 0.6;

/// What the equations are of, cubic in t, so that samples tell it without error.
struct Smooth {
  explicit Smooth(double gain) : k(gain) {}
  double k;
  MatrixXd H0 = MakeMetric(kN, 1), H1 = 0.02 * MakeNormal(kN, kN, 2), C1 = MakeNormal(kN, kN, 3),
           K1 = MakeContorsion(H0, 12, 4), dH1 = 0.1 * MakeNormal(kN, kN, 5);
  VectorXd d1 = MakeNormal(kN, 1, 6), drift1 = 0.1 * MakeNormal(kN, 1, 7),
           Lambda = VectorXd::LinSpaced(kN, 3, 6);

  MatrixXd H(double t) const { return H0 + t * (H1 + H1.transpose()); }
  MatrixXd C(double t) const { return (1 - t * t) * C1; }
  MatrixXd K(double t) const { return (1 + 2 * t - t * t * t) * K1; }
  /// Rates from k to twice k.
  MatrixXd K_D() const {
    const VectorXd root = VectorXd::LinSpaced(kN, std::sqrt(k), std::sqrt(2 * k));
    return root.asDiagonal() * H0 * root.asDiagonal();
  }
  MatrixXd dH(double t) const { return (1 + t) * (dH1 + dH1.transpose()); }
  VectorXd d(double t) const { return (1 - 3 * t * t) * d1; }
  VectorXd drift(double t) const { return (t - 2 * t * t * t) * drift1; }

  TorsionAlongReference Sample(int samples) const {
    auto along = MakeConstantErrors(H0, K1, K_D(), 1, kEnd, samples);
    along.Lambda = Lambda;
    for (auto& sample : along.samples) {
      sample.H = H(sample.t);
      sample.C_LC = C(sample.t);
      sample.K = K(sample.t);
    }
    return along;
  }
  ErrorForcing SampleForcing(const TorsionAlongReference& along) const {
    ErrorForcing forcing;
    for (const auto& sample : along.samples) {
      forcing.d.push_back(d(sample.t));
      forcing.dH.push_back(dH(sample.t));
      forcing.drift.push_back(drift(sample.t));
    }
    return forcing;
  }
};

/// Columns of e and s, and ∫ eᵀe dt.
struct State {
  MatrixXd e, s, squares;
};

/// The classic Runge–Kutta rule in `steps`; `forced`: with all forces, and at half of the time with
/// the impulse p.
State FollowSlowly(const Smooth& of, double factor, bool forced, const VectorXd& p, MatrixXd e,
                   MatrixXd s, int steps) {
  const auto rate = [&](double t, const State& x) {
    const MatrixXd& Lambda = of.Lambda.asDiagonal();
    MatrixXd force = -(of.C(t) + factor * of.K(t) + of.K_D()) * x.s;
    MatrixXd edot = x.s - Lambda * x.e;
    if (forced) {
      force.colwise() += of.d(t);
      force += of.dH(t) * Lambda * (x.s - Lambda * x.e);
      edot.colwise() += of.drift(t);
    }
    return State{edot, linear::Solve(of.H(t), force), x.e.transpose() * x.e};
  };
  const auto move = [](const State& x, double h, const State& r) {
    return State{x.e + h * r.e, x.s + h * r.s, x.squares + h * r.squares};
  };
  State x{e, s, MatrixXd::Zero(e.cols(), e.cols())};
  const double h = kEnd / steps;
  for (int i = 0; i < steps; ++i) {
    const double t = h * i;
    if (forced && 2 * i == steps) x.s.colwise() += VectorXd(linear::Solve(of.H(t), p));
    const State a = rate(t, x), b = rate(t + 0.5 * h, move(x, 0.5 * h, a)),
                c = rate(t + 0.5 * h, move(x, 0.5 * h, b)), d = rate(t + h, move(x, h, c));
    x = move(move(move(move(x, h / 6, a), h / 3, b), h / 3, c), h / 6, d);
  }
  return x;
}

void ExpectNear(const MatrixXd& value, const MatrixXd& expected, double share = 1e-6) {
  EXPECT_LE((value - expected).norm(), share * expected.norm()) << value << "\n\n" << expected;
}

TEST(ErrorEquations, GramiansAreThoseOfSmallSteps) {
  for (const double k : {8.0, 2500.0}) {
    SCOPED_TRACE(k);
    const Smooth of(k);
    const auto along = of.Sample(30);
    for (const double factor : {0.0, 1.0, -2.0}) {
      const int steps = k > 100 ? 12000 : 2000;
      const MatrixXd zero = MatrixXd::Zero(kN, kN), one = MatrixXd::Identity(kN, kN);
      const State slow = FollowSlowly(of, factor, false, {}, zero, one, steps);
      const ErrorDecay decay = CalcErrorDecay(along, factor);
      ExpectNear(decay.parts[0].ss, slow.squares);
      // From e(0) and s(0) together.
      const VectorXd e = MakeNormal(kN, 1, 8), s = MakeNormal(kN, 1, 9);
      const double both = FollowSlowly(of, factor, false, {}, e, s, steps).squares(0, 0);
      EXPECT_NEAR(decay.parts[0].Of(e, s), both, 1e-6 * both);
      EXPECT_NEAR(IntegrateSquares(along, factor, nullptr, e, s, 0)[0], both, 1e-6 * both);
      if (k < 100) ExpectNear(decay.transition, slow.s, 5e-5);
    }
  }
}

// Of gains with which nothing is left at the end, the slowest rate is that of the time until then.
TEST(ErrorEquations, FastErrorsHaveASlowestRate) {
  const MatrixXd H = MakeMetric(kN, 3);
  const auto along = MakeConstantErrors(H, 0 * H, 2500 * H, 5, 2);
  EXPECT_NEAR(CalcSlowestRate(along, CalcErrorDecay(along, 1)), 2500, 0.25);
}

TEST(ErrorEquations, RefusesATurningThatTakesTooLongToFollow) {
  const MatrixXd H = MakeMetric(kN, 3);
  const auto of = [&](double size) {
    return MakeConstantErrors(H, MakeContorsion(H, size, 4), 10 * H, 5, 1);
  };
  EXPECT_NO_THROW(CalcErrorDecay(of(10), 1));
  EXPECT_THROW(CalcErrorDecay(of(1e9), 1), UserError);
  EXPECT_NO_THROW(CalcErrorDecay(of(1e9), 0));
}

TEST(ErrorEquations, ForcesDriftAndImpulsesAreThoseOfSmallSteps) {
  for (const double k : {8.0, 2500.0}) {
    SCOPED_TRACE(k);
    const Smooth of(k);
    const auto along = of.Sample(25);
    ErrorForcing forcing = of.SampleForcing(along);
    const VectorXd p = MakeNormal(kN, 1, 10), e = 0.3 * MakeNormal(kN, 1, 11), s = 0 * e;
    forcing.impulses = {{0.5 * kEnd, p}};
    const double slow = FollowSlowly(of, 1, true, p, e, s, k > 100 ? 12000 : 2000).squares(0, 0);
    EXPECT_NEAR(IntegrateSquares(along, 1, &forcing, e, s, 0)[0], slow, 2e-6 * slow);
  }
}

// After a time, and of a part, the rest of the integral.
TEST(ErrorEquations, SquaresAreThoseAfterATimeAndOfAPart) {
  const Smooth of(8);
  const auto along = of.Sample(25);
  auto late = along;
  late.samples.erase(late.samples.begin() + 13, late.samples.end());  // to the half
  const VectorXd e = MakeNormal(kN, 1, 8), s = MakeNormal(kN, 1, 9);
  const auto all = IntegrateSquares(along, 1, nullptr, e, s, 0);
  const auto rest = IntegrateSquares(along, 1, nullptr, e, s, 0.5 * kEnd);
  const auto first = IntegrateSquares(late, 1, nullptr, e, s, 0);
  for (int part = 0; part < 2; ++part) {
    EXPECT_NEAR(first[part] + rest[part], all[part], 1e-6 * all[part]);
  }
  EXPECT_LT(all[1], 0.9 * all[0]);
}

// Where the matrices of samples are too far apart for a cubic, H is positive definite all the same.
TEST(ErrorEquations, SamplesFarApartAreJoinedByLines) {
  const MatrixXd one = MatrixXd::Identity(kN, kN);
  auto along = MakeConstantErrors(one, 0 * one, 5 * one, 5, 1, 8);
  along.samples[3].H *= 100;
  along.samples[3].K_D *= 100;
  const ErrorDecay decay = CalcErrorDecay(along, 1);
  EXPECT_TRUE(decay.transition.allFinite());
  EXPECT_LT(decay.transition.norm(), one.norm());
}

/// The law's own motion with gains whose rate is far above all else, beside a run.
TEST(IdealMotion, FollowsAStiffLaw) {
  const std::vector<std::string> sets = {"control.mode=every_stage",
                                         "physics.contacts=false",
                                         "reference.fade_s=0",
                                         "duration_s=0.8",
                                         "gains.K_D=400",
                                         "initial.v_error=[3,-2,2,1,-1,2,1,1,-2]",
                                         "controller.factorization=t:-6",
                                         "physics.timestep_s=0.0005"};
  Simulation simulation(LoadScene(ReadConfig("ball_arm", sets)));
  const auto scene = LoadScene(ReadConfig("ball_arm", sets));
  MetricSet metrics(simulation, {"error_rms"});
  for (;;) {
    simulation.Evaluate();
    metrics.Add(simulation.record());
    if (simulation.time() > 0.8 - 1e-6) break;
    ASSERT_TRUE(simulation.Step()) << simulation.failure().reason;
  }
  const ErrorGains gains{VectorXd::Constant(1, 5), VectorXd::Constant(1, 400)};
  const auto parts = FindErrorParts(scene->control_model, nullptr);
  const auto& C = scene->controller->factorization();
  const auto follow = [&](const MotionRates& rates) {
    return FollowIdealMotion(*scene, gains, C, parts, rates, 0.8, 2).squares.front();
  };
  const double own = follow({.fastest = 440, .slow = 40});
  EXPECT_NEAR(std::sqrt(own / 0.8), metrics.value("error_rms"), 2e-3 * metrics.value("error_rms"));
  const double exact = follow({.fastest = 4000, .slow = 4000});
  EXPECT_NEAR(own, exact, 1e-4 * exact);
}

// Far from a reference that rests K(v_r) turns s, which nothing along the reference tells.
TEST(IdealMotion, FollowsATurningThatTheReferenceDoesNotHave) {
  const std::vector<std::string> sets = {"reference.type=hold", "duration_s=1",
                                         "initial.v_error=[10,10,10,10,10,10,10]",
                                         "controller.factorization=t:30"};
  Simulation simulation(LoadScene(ReadConfig("arm7_twist", sets)));
  const auto scene = LoadScene(ReadConfig("arm7_twist", sets));
  MetricSet metrics(simulation, {"error_rms"});
  for (;;) {
    simulation.Evaluate();
    metrics.Add(simulation.record());
    if (simulation.time() > 1 - 1e-6) break;
    ASSERT_TRUE(simulation.Step()) << simulation.failure().reason;
  }
  const ErrorGains gains{VectorXd::Constant(1, 5), VectorXd::Constant(1, 10)};
  const auto parts = FindErrorParts(scene->control_model, nullptr);
  const auto follow = [&](const MotionRates& rates) {
    const IdealMotion motion =
        FollowIdealMotion(*scene, gains, scene->controller->factorization(), parts, rates, 1, 2);
    return std::sqrt(motion.squares.front());
  };
  const double measured = metrics.value("error_rms");
  EXPECT_NEAR(follow({.fastest = 15, .slow = 5}), measured,
              1e-3 * measured);  // 0.71 of it by these rates
  EXPECT_THROW(follow({.fastest = 15, .slow = 1e6}), UserError);
}

// What the plant lacks along the reference is the difference of the two inverse dynamics there, and
// its errors decay by its own H and C.
TEST(WrongModel, LacksTheDifferenceOfInverseDynamics) {
  const auto scene = LoadScene(ReadConfig("arm7_twist", {"reference.fade_s=0"}));
  const Model& model = scene->control_model;
  const Model plant = model.WithScaledInertia(1.3);
  const ErrorGains gains{VectorXd::Constant(1, 5), VectorXd::Constant(1, 10)};
  const auto reference = SampleReference(*scene, 0.2, 1, 3);
  const auto along = SampleTorsion(model, nullptr, Factorization::Torsion(1), gains, reference);
  const WrongModel wrong = MakeWrongModel(along, model, plant, nullptr, reference);
  Workspace<double> workspace(model), of_plant(plant);
  const int n = model.nv();
  VectorXd tau(n), true_tau(n);
  MatrixXd C(n, n), H(n, n);
  for (std::size_t i = 0; i < reference.size(); ++i) {
    const auto& [t, q, v, vdot] = reference[i];
    UpdateKinematics<double>(model, q, v, workspace);
    UpdateKinematics<double>(plant, q, v, of_plant);
    CalcInverseDynamics<double>(model, vdot, workspace, tau);
    CalcInverseDynamics<double>(plant, vdot, of_plant, true_tau);
    CalcCoriolisMatrix<double>(plant, Factorization::Christoffel(), of_plant, {.C = C, .H = H});
    const VectorXd lacking = tau - true_tau;
    EXPECT_LE((wrong.forcing.d[i] - lacking).norm(), 1e-9 * lacking.norm());
    EXPECT_LE((wrong.plant.samples[i].C_LC - C).norm(), 1e-12 * C.norm());
    EXPECT_LE((wrong.plant.samples[i].H - H).norm(), 1e-12 * H.norm());
    EXPECT_LE((wrong.forcing.dH[i] - (H - along.samples[i].H)).norm(), 1e-12 * H.norm());
    EXPECT_EQ(wrong.plant.samples[i].K, along.samples[i].K);
  }
}

// The nominal motion's v̇_r is the rate of its v_r.
TEST(IdealMotion, KnowsTheRateOfTheReferenceVelocity) {
  const auto scene = LoadScene(
      ReadConfig("ball_arm", {"reference.fade_s=0", "initial.v_error=[3,-2,2,1,-1,2,1,1,-2]"}));
  const ErrorGains gains{VectorXd::Constant(1, 5), VectorXd::Constant(1, 10)};
  const auto nominal =
      FollowIdealMotion(*scene, gains, Factorization::Torsion(3),
                        FindErrorParts(scene->control_model, nullptr), {2000, 2000}, 0.1, 100)
          .nominal;
  ASSERT_GT(nominal.size(), 50u);
  for (const std::size_t i : {std::size_t{1}, nominal.size() / 2, nominal.size() - 2}) {
    const double between_s = nominal[i + 1].t - nominal[i - 1].t;
    const VectorXd rate = (nominal[i + 1].v - nominal[i - 1].v) / between_s;
    EXPECT_LE((rate - nominal[i].vdot).norm(), 0.01 * rate.norm()) << nominal[i].t;
  }
}

}  // namespace error_equations_test
}  // namespace civita
