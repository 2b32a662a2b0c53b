// Closed chains are measured in the metric and the connections that their loops induce.

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "civita/factorization_text.h"
#include "civita/sim/metrics.h"
#include "tests/oracles/core_dynamics.h"
#include "tests/oracles/linear.h"
#include "tests/sim/sim_fixtures.h"

namespace civita {
namespace closed_chain_metrics_test {

using Eigen::MatrixXd;
using Eigen::VectorXd;

struct Sample {
  VectorXd q, v, s;
};

/// A run's states and the metrics of the program.
struct MeasuredRun {
  MeasuredRun(const std::string& scene, const std::vector<std::string>& overrides)
      : simulation(MakeSimulation(scene, overrides)),
        dt(simulation.control_dt()),
        metrics(simulation.scene()) {}
  void For(double seconds) {
    for (long k = 0; k <= std::lround(seconds / dt); ++k) {
      ASSERT_TRUE(simulation.Step()) << simulation.failure().reason;
      const StepRecord& record = simulation.record();
      metrics.Add(record.q, record.q_d);
      samples.push_back({record.q, record.v, record.s});
    }
  }
  Simulation simulation;
  double dt;
  MotionMetrics metrics;
  std::vector<Sample> samples;
};

TEST(ClosedChainMetrics, NothingTurnsInOneDegreeOfFreedom) {
  for (const char* factorization : {"christoffel", "t:1"}) {
    for (const char* mode : {"held", "every_stage"}) {
      SCOPED_TRACE(std::string(factorization) + ", " + mode);
      MeasuredRun run("four_bar", {std::string("control.mode=") + mode,
                                   std::string("controller.factorization=") + factorization});
      run.For(1);
      EXPECT_LT(run.simulation.record().twist, 1e-11);
      EXPECT_LT(run.simulation.record().ideal_turning, 1e-11);
      EXPECT_GT(run.metrics.path(), 0.1);
    }
  }
}

/// The geared arm in its three joints, v = A w with constant A: MuJoCo's mass matrix, and the
/// Christoffel matrix of its differences.
class GearedArm {
 public:
  explicit GearedArm(const Simulation& simulation)
      : simulation_(simulation), data_(mj_makeData(simulation.mj())), A_(MatrixXd::Zero(6, 3)) {
    const mjModel& m = *simulation.mj();
    for (int a = 0; a < 3; ++a) {
      const int rotor = m.eq_obj1id[a], joint = m.eq_obj2id[a];
      A_(joint, a) = 1;
      A_(rotor, a) = m.eq_data[mjNEQDATA * a + 1];
      joints_[static_cast<size_t>(a)] = joint;
    }
  }

  VectorXd Reduced(const VectorXd& v) const { return v(joints_); }

  MatrixXd MassMatrix(const VectorXd& q) const {
    VectorXd::Map(data_->qpos, 6) = q;
    mj_forward(simulation_.mj(), data_.get());
    Eigen::Matrix<double, 6, 6, Eigen::RowMajor> H;
    mj_fullM(simulation_.mj(), data_.get(), H.data());
    return A_.transpose() * H * A_;
  }

  /// Σ_b Γ_abc w_b with Γ_abc = ½(∂_b H_ac + ∂_c H_ab − ∂_a H_bc).
  MatrixXd Christoffel(const VectorXd& q, const VectorXd& w) const {
    constexpr double kH = 1e-4;
    std::array<MatrixXd, 3> dH;
    for (int a = 0; a < 3; ++a) {
      const VectorXd step = kH * A_.col(a);
      dH[static_cast<size_t>(a)] = (MassMatrix(q + step) - MassMatrix(q - step)) / (2 * kH);
    }
    MatrixXd C = MatrixXd::Zero(3, 3);
    for (size_t a = 0; a < 3; ++a) {
      for (size_t b = 0; b < 3; ++b) {
        for (size_t c = 0; c < 3; ++c) {
          const auto i = static_cast<int>(a), j = static_cast<int>(b), k = static_cast<int>(c);
          C(i, k) += 0.5 * (dH[b](i, k) + dH[c](i, j) - dH[a](j, k)) * w[j];
        }
      }
    }
    return C;
  }

  /// Aᵀ(C − C_christoffel)A of the law's model.
  MatrixXd Contorsion(const Sample& at, const std::string& factorization) const {
    const Model& model = simulation_.scene().control_model;
    const MatrixXd C =
        CalcCoreDynamics(model, at.q, at.v, ParseFactorization(factorization, model)).C;
    return A_.transpose() * (C - CalcCoreDynamics(model, at.q, at.v).C) * A_;
  }

 private:
  const Simulation& simulation_;
  std::unique_ptr<mjData, MjDataDeleter> data_;
  MatrixXd A_;
  std::array<int, 3> joints_{};
};

/// ‖x⊥‖_H / ‖s‖_H.
double Across(const MatrixXd& H, const VectorXd& s, const VectorXd& x) {
  const double square = s.dot(H * s);
  const VectorXd across = x - s * (s.dot(H * x) / square);
  return std::sqrt(across.dot(H * across) / square);
}

/// The integrals of the metrics by the midpoint rule between the samples, rates by differences.
struct Integrals {
  double twist = 0, ideal_turning = 0, path = 0;
};
Integrals Integrate(const MeasuredRun& run, const std::string& factorization) {
  const GearedArm arm(run.simulation);
  Integrals integrals;
  double largest = 0;
  VectorXd w_before;
  for (size_t k = 1; k < run.samples.size(); ++k) {
    const Sample &from = run.samples[k - 1], &to = run.samples[k];
    const Sample middle{(from.q + to.q) / 2, (to.q - from.q) / run.dt, (from.s + to.s) / 2};
    const VectorXd w = arm.Reduced(middle.v), s = arm.Reduced(middle.s);
    const VectorXd sdot = arm.Reduced(to.s - from.s) / run.dt;
    const MatrixXd H = arm.MassMatrix(middle.q);
    integrals.path += run.dt * std::sqrt(w.dot(H * w));
    const auto size = [&](const Sample& at) {
      const VectorXd s_at = arm.Reduced(at.s);
      return std::sqrt(s_at.dot(H * s_at));
    };
    largest = std::max({largest, size(from), size(to)});
    // What a held torque changes of w in a step is noise to s.
    const VectorXd change = w_before.size() > 0 ? VectorXd(w - w_before) : VectorXd::Zero(w.size());
    w_before = w;
    const double floor =
        std::max(ErrorTurning::kFloor * largest, std::sqrt(change.dot(H * change)));
    if (std::min(size(from), size(to)) <= floor) continue;
    const VectorXd turned = linear::SolvePositive(H, arm.Christoffel(middle.q, w) * s);
    integrals.twist += run.dt * Across(H, s, sdot + turned);
    integrals.ideal_turning +=
        run.dt * Across(H, s, linear::SolvePositive(H, arm.Contorsion(middle, factorization) * s));
  }
  return integrals;
}

TEST(ClosedChainMetrics, AGearedArmTurnsInTheMetricOfItsJoints) {
  MeasuredRun run("geared_arm", {"controller.factorization=t:5"});
  run.For(2);
  const Integrals expected = Integrate(run, "t:5");
  EXPECT_NEAR(run.simulation.record().ideal_turning, expected.ideal_turning,
              1e-6 * expected.ideal_turning);
  EXPECT_NEAR(run.simulation.record().twist, expected.twist, 1e-3 * expected.twist);
  EXPECT_NEAR(run.metrics.path(), expected.path, 1e-6 * expected.path);
  EXPECT_NEAR(expected.ideal_turning, 0.2227, 0.002);
  EXPECT_NEAR(expected.twist, 0.3656, 0.01);
}

TEST(ClosedChainMetrics, ResidualsAreThoseOfTheChain) {
  for (const char* scene : {"four_bar", "geared_arm"}) {
    SCOPED_TRACE(scene);
    Simulation simulation = MakeSimulation(scene, {"controller.factorization=t:1"});
    simulation.RunFor(200);
    const Simulation::Residuals residuals = simulation.CalcResiduals();
    EXPECT_LT(residuals.skew, 1e-12);
    EXPECT_LT(residuals.bias, 1e-11);
    if (scene == std::string("four_bar")) {
      EXPECT_LT(residuals.contorsion, 1e-14) << "one degree of freedom has no torsion";
    } else {
      EXPECT_GT(residuals.contorsion, 1e-6);
    }
    simulation.SetFactorization(ParseFactorization("alpha:1", simulation.scene().control_model));
    if (scene == std::string("geared_arm")) {
      EXPECT_GT(simulation.CalcResiduals().skew, 1e-6);
    }
  }
}

}  // namespace closed_chain_metrics_test
}  // namespace civita
