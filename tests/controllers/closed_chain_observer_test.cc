// The momentum observer on a closed chain: what the loops do to the joints is no disturbance.

#include <cmath>
#include <memory>

#include "civita/controllers/controller.h"
#include "civita/controllers/slotine_li.h"
#include "civita/error.h"
#include "civita/manifold.h"
#include "civita/space_dynamics.h"
#include "gtest/gtest.h"

namespace civita {
namespace closed_chain_observer_test {

using Eigen::VectorXd;

/// A four-bar: a crank with the motor, a coupler on it and a rocker, 2 kg each.
Model MakeFourBar() {
  ModelBuilder builder;
  const MassProperties mass{2, Eigen::Vector3d(0.25, 0, 0), 0.01 * Eigen::Matrix3d::Identity()};
  const auto add = [&](const std::string& name, int parent, double x) {
    const int body = builder.AddBody(name, parent,
                                     {Eigen::Matrix3d::Identity(), Eigen::Vector3d(x, 0, 0)}, mass);
    builder.AddJoint(body, JointType::kHinge,
                     {.name = "j" + name, .axis = Eigen::Vector3d::UnitY(), .damping = 0.3});
    return body;
  };
  const int crank = add("crank", ModelBuilder::kWorld, 0);
  add("coupler", crank, 0.5);
  add("rocker", ModelBuilder::kWorld, 0.8);
  return builder.Build();
}

struct FourBar {
  FourBar() {
    Constraints loops;
    loops.rigid.push_back({.name = "pin",
                           .A = model.frames()[1],
                           .B = model.frames()[2],
                           .point_A = {0.5, 0, 0},
                           .point_B = {0.5, 0, 0}});
    LoopOptions options;
    options.independent = {"jcrank"};
    options.start = Eigen::Vector3d(-1.2, 0.9, -1.6);
    closed = std::make_shared<const VelocitySpace>(model, loops, options);
  }

  const Model model = MakeFourBar();
  std::shared_ptr<const VelocitySpace> closed;
};

/// The law, its state and the chain's, under a force on the tree's joints.
class Motion {
 public:
  Motion(const FourBar& chain, double K_I, bool compensate, const VectorXd& tau_ext,
         const Factorization& factorization = {})
      : chain_(chain),
        law_(chain.model, Options(chain, K_I, compensate, factorization)),
        output_(law_),
        workspace_(*chain.closed),
        q_(chain.closed->closed_start()),
        w_(VectorXd::Zero(1)),
        tau_ext_(tau_ext) {
    law_.set_gain("Lambda", VectorXd::Constant(1, 5));
    law_.set_gain("K_D", VectorXd::Constant(1, 10));
    law_.ResetState({0, q_, VectorXd::Zero(3)}, Reference(0));
  }

  /// Heun's steps of the law and the chain at once, to time `end`. `amplitude` of the reference,
  /// rad, which begins to move now.
  void GoTo(double end, double amplitude) {
    amplitude_ = amplitude;
    begin_ = t_;
    for (; t_ < end - kDt / 2; t_ += kDt) {
      const VectorXd q = q_, w = w_, x = law_.state();
      const Rates first = CalcRates(t_);
      Note();
      q_ = Moved(q, first.v);
      w_ = w + kDt * first.wdot;
      law_.set_state(x + kDt * first.xdot);
      const Rates second = CalcRates(t_ + kDt);
      q_ = Moved(q, 0.5 * (first.v + second.v));
      EXPECT_TRUE(CloseLoops(*chain_.closed, workspace_, q_).ok());
      w_ = w + kDt / 2 * (first.wdot + second.wdot);
      law_.set_state(x + kDt / 2 * (first.xdot + second.xdot));
    }
    CalcRates(t_);
  }

  double largest_r() const { return largest_r_; }
  double rms_e() const { return std::sqrt(sum_e2_ / steps_); }
  double e() const { return output_.e[0]; }
  const VectorXd& r() const { return law_.observer()->r(); }
  double contact() const { return output_.signals[6]; }
  /// Aᵀτ_ext where the chain is.
  double ReducedForce() {
    VectorXd reduced(1);
    CalcReducedForces<double>(*chain_.closed, tau_ext_, workspace_, reduced);
    return reduced[0];
  }

 private:
  static constexpr double kDt = 5e-4;
  struct Rates {
    VectorXd v, wdot, xdot;
  };

  static ControllerOptions Options(const FourBar& chain, double K_I, bool compensate,
                                   const Factorization& factorization) {
    ControllerOptions options;
    options.factorization = factorization;
    options.q_start = chain.closed->closed_start();
    options.closed = chain.closed;
    options.observer = {VectorXd::Constant(3, K_I), VectorXd::Constant(3, 0.5), compensate};
    options.motors = Transmission({true, false, false}, Eigen::MatrixXd(3, 0));
    return options;
  }

  ReferenceState Reference(double t) const {
    ReferenceState reference{chain_.closed->closed_start(), VectorXd::Zero(3), VectorXd::Zero(3)};
    const double phase = 6 * (t - begin_);
    reference.q[0] += amplitude_ * (1 - std::cos(phase));
    reference.v[0] = 6 * amplitude_ * std::sin(phase);
    reference.vdot[0] = 36 * amplitude_ * std::cos(phase);
    return reference;
  }

  Rates CalcRates(double t) {
    Rates rates{VectorXd(3), VectorXd(1), law_.state()};
    EXPECT_TRUE(UpdateKinematics<double>(*chain_.closed, q_, w_, workspace_).ok());
    CalcTreeVelocity<double>(*chain_.closed, w_, workspace_, rates.v);
    EXPECT_EQ(law_.CalcControl({t, q_, rates.v}, Reference(t), output_), Status::kOk);
    law_.CalcStateRate(output_.tau, output_, rates.xdot);
    const VectorXd tau = output_.tau + tau_ext_ - 0.3 * rates.v;
    VectorXd reduced(1), bias(1);
    Eigen::MatrixXd H(1, 1);
    CalcReducedForces<double>(*chain_.closed, tau, workspace_, reduced);
    CalcBiasForces<double>(*chain_.closed, workspace_, bias);
    CalcMassMatrix<double>(*chain_.closed, workspace_, H);
    rates.wdot = (reduced - bias) / H(0, 0);
    return rates;
  }

  void Note() {
    largest_r_ = std::max(largest_r_, r().cwiseAbs().maxCoeff());
    sum_e2_ += e() * e();
    ++steps_;
  }

  VectorXd Moved(const VectorXd& q, const VectorXd& v) const {
    VectorXd moved(3);
    IntegratePosition(chain_.model, q, v, kDt, moved);
    return moved;
  }

  const FourBar& chain_;
  SlotineLi law_;
  ControlOutput output_;
  SpaceWorkspace<double> workspace_;
  VectorXd q_, w_;
  VectorXd tau_ext_;
  double t_ = 0, begin_ = 0, amplitude_ = 0, largest_r_ = 0, sum_e2_ = 0;
  int steps_ = 0;
};

TEST(ClosedChainObserver, APerfectModelHasNoDisturbance) {
  const FourBar chain;
  const VectorXd none = VectorXd::Zero(3);
  for (const Factorization& factorization : {Factorization(), Factorization::Torsion(-2)}) {
    Motion watched(chain, 20, false, none, factorization);
    Motion compensated(chain, 20, true, none, factorization);
    for (Motion* run : {&watched, &compensated}) {
      run->GoTo(0.5, 0);
      EXPECT_LE(run->largest_r(), 1e-9);  // at rest
      EXPECT_EQ(run->contact(), 0);
      run->GoTo(2.5, 0.4);
      EXPECT_LE(run->largest_r(), 1e-3);  // of torques up to 40 N·m
      EXPECT_EQ(run->contact(), 0);
    }
    EXPECT_LE(watched.rms_e(), 1e-4);
    EXPECT_NEAR(compensated.rms_e(), watched.rms_e(), 1e-6);
  }
}

TEST(ClosedChainObserver, FindsAForceOnAnyJoint) {
  const FourBar chain;
  for (const int joint : {0, 1, 2}) {
    SCOPED_TRACE(joint);
    const VectorXd tau_ext = 3 * VectorXd::Unit(3, joint);
    Motion watched(chain, 10, false, tau_ext);
    watched.GoTo(2, 0);
    const double force = watched.ReducedForce();
    ASSERT_GT(std::abs(force), 0.5);
    EXPECT_NEAR(watched.r()[0], force, 1e-5 * std::abs(force));
    EXPECT_EQ(watched.r().tail(2), VectorXd::Zero(2));
    EXPECT_EQ(watched.contact(), 1);

    Motion compensated(chain, 10, true, tau_ext);
    compensated.GoTo(6, 0);
    EXPECT_GT(std::abs(watched.e()), 1e-3);
    EXPECT_LE(std::abs(compensated.e()), 1e-2 * std::abs(watched.e()));
    EXPECT_NEAR(compensated.r()[0], compensated.ReducedForce(), 1e-4 * std::abs(force));
  }
}

}  // namespace closed_chain_observer_test
}  // namespace civita
