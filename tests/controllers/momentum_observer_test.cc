// The observer's estimate, for every law that has it and every C of its model.

#include "civita/controllers/momentum_observer.h"

#include "civita/factorization_text.h"
#include "gtest/gtest.h"
#include "tests/controllers/closed_loop.h"
#include "tests/oracles/compare.h"

namespace civita {
namespace momentum_observer_test {

ObserverOptions Observer(const Model& model, double K_I, double threshold = 0,
                         bool compensate = false) {
  ObserverOptions options;
  options.K_I = Eigen::VectorXd::Constant(model.nv(), K_I);
  if (threshold > 0) options.threshold = Eigen::VectorXd::Constant(model.nv(), threshold);
  options.compensate = compensate;
  return options;
}

std::unique_ptr<Controller> MakeObserved(std::string_view type, const Model& model,
                                         const ObserverOptions& observer,
                                         const Factorization& factorization = {}) {
  ControllerOptions options;
  options.factorization = factorization;
  options.q_start = model.DefaultPosition();
  options.observer = observer;
  return FindLaw(type).make(model, options);
}

/// Calls f(case, law, τ_ext) for every law on mechanisms with all joints and passive forces, with
/// every C that the law supports, at states of the law and the observer other than their initial
/// ones.
template <typename F>
void ForEachObserved(bool compensate, F&& f) {
  for (const LawInfo* type : Laws()) {
    if (type->MovesFrame({}) || type->needs_legs) continue;
    SCOPED_TRACE(std::string(type->type));
    for (unsigned seed = 0; seed < 6; ++seed) {
      SCOPED_TRACE("seed " + std::to_string(seed));
      const ControlCase c = MakeControlCase(seed, true);
      std::mt19937 random(seed);
      const Eigen::VectorXd tau_ext = 5 * RandomVector(c.model.nv(), &random);
      ObserverOptions observer = Observer(c.model, 1, 0.1, compensate);
      observer.K_I = (10 * RandomVector(c.model.nv(), &random)).cwiseAbs();
      std::vector<Factorization> factorizations = {{}};
      if (type->uses_factorization) factorizations = AdmissibleFactorizations(c.model);
      for (const Factorization& factorization : factorizations) {
        SCOPED_TRACE(ToString(factorization));
        const auto law = MakeObserved(type->type, c.model, observer, factorization);
        law->ResetState({0, c.q, 0.5 * c.v}, c.reference);
        Eigen::VectorXd x = law->state();
        x.tail(c.model.nv()) += 0.5 * RandomVector(c.model.nv(), &random);
        law->set_state(x);
        f(c, law.get(), observer, tau_ext);
        if (testing::Test::HasFatalFailure()) return;
      }
    }
  }
}

TEST(MomentumObserverTest, FollowsTheForceAtItsOwnRate) {
  // ṙ = K_I (τ_ext − r), with r = K_I (p − z) and ṗ from the plant's own Ḣ and v̇.
  ForEachObserved(false, [](const ControlCase& c, Controller* law, const ObserverOptions& observer,
                            const Eigen::VectorXd& tau_ext) {
    const StepResult r = RunStep(c, law, tau_ext);
    Eigen::VectorXd xdot = law->state();
    law->CalcStateRate(r.output.tau, r.output, xdot);
    const Eigen::VectorXd zdot = xdot.tail(c.model.nv());
    const Eigen::VectorXd pdot = r.plant.Hdot * c.v + r.plant.H * r.vdot;
    const Eigen::VectorXd rdot = observer.K_I.cwiseProduct(pdot - zdot);
    const Eigen::VectorXd& estimate = law->observer()->r();
    const Eigen::VectorXd expected = observer.K_I.cwiseProduct(tau_ext - estimate);
    ASSERT_GT(estimate.norm(), 1e-3);
    ASSERT_LE((rdot - expected).norm(), 1e-11 * (1 + pdot.norm()) * observer.K_I.norm());
  });
}

TEST(MomentumObserverTest, StartsAtZero) {
  const ControlCase c = MakeControlCase(3);
  const auto law = MakeObserved("slotine_li", c.model, Observer(c.model, 20));
  law->ResetState({0, c.q, c.v}, c.reference);
  RunStep(c, law.get());
  EXPECT_LE(law->observer()->r().norm(), 1e-12);
}

TEST(MomentumObserverTest, CompensationIsOneMoreForceFromOutside) {
  ForEachObserved(true, [](const ControlCase& moving, Controller* law,
                           const ObserverOptions& /*observer*/, const Eigen::VectorXd& tau_ext) {
    ControlCase c = moving;
    // A constant reference, for which the proofs of all laws hold.
    c.reference.v.setZero();
    c.reference.vdot.setZero();
    if (law->info().type == "computed_torque") return;  // for which friction is model error
    const StepResult r = RunStep(c, law, tau_ext);
    const Eigen::VectorXd unknown = tau_ext - law->observer()->r();
    const double power = law->CalcExternalPower(r.plant_state(c), unknown, r.output);
    ASSERT_LE(std::abs(r.storage.Vdot + r.storage.P - power), 1e-10 * r.scale);
    ASSERT_GT(std::abs(power - law->CalcExternalPower(r.plant_state(c), tau_ext, r.output)), 1e-6);
  });
}

/// Rates of the closed loop at a state: accelerations and the rates of the law's state.
struct Rates {
  Eigen::VectorXd vdot, xdot;
};
Rates CalcRates(const ControlCase& c, const Eigen::VectorXd& tau_ext, Controller* law,
                ControlOutput* output) {
  EXPECT_TRUE(law->CalcControl({0, c.q, c.v}, c.reference, *output));
  Rates rates{Accelerate(c.model, c.q, c.v, output->tau + tau_ext), law->state()};
  law->CalcStateRate(output->tau, *output, rates.xdot);
  return rates;
}

/// Maximum error of r relative to τ_ext (1 − e^(−K_I t)) at one, two and four time constants,
/// divided by the push, by Heun's method; the reference is constant.
double ErrorOfStepResponse(unsigned seed, const Factorization& factorization) {
  constexpr double kDt = 2e-4, kRate = 10;
  ControlCase c = MakeControlCase(seed);
  c.reference.v.setZero();
  c.reference.vdot.setZero();
  const auto law = MakeObserved("slotine_li", c.model, Observer(c.model, kRate), factorization);
  const Eigen::VectorXd tau_ext = Eigen::VectorXd::Constant(c.model.nv(), 3);
  law->ResetState({0, c.q, c.v}, c.reference);
  ControlOutput output(*law);
  double error = 0;
  for (int step = 0; step <= 2000; ++step) {
    const ControlCase before = c;
    const Eigen::VectorXd x = law->state();
    const Rates first = CalcRates(c, tau_ext, law.get(), &output);
    if (step == 500 || step == 1000 || step == 2000) {
      const Eigen::VectorXd expected = tau_ext * (1 - std::exp(-kRate * kDt * step));
      error = std::max(error, (output.signals - expected).cwiseAbs().maxCoeff() / 3);
    }
    c.q = SlowIntegrate(c.spec, c.q, c.v, kDt);
    c.v += kDt * first.vdot;
    law->set_state(x + kDt * first.xdot);
    const Rates second = CalcRates(c, tau_ext, law.get(), &output);
    c.q = SlowIntegrate(c.spec, before.q, 0.5 * (before.v + c.v), kDt);
    c.v = before.v + 0.5 * kDt * (first.vdot + second.vdot);
    law->set_state(x + 0.5 * kDt * (first.xdot + second.xdot));
  }
  return error;
}

TEST(MomentumObserverTest, AConstantForceIsFollowedAsPromised) {
  EXPECT_LE(ErrorOfStepResponse(1, {}), 0.01);
  EXPECT_LE(ErrorOfStepResponse(4, Factorization::Torsion(-1)), 0.01);
}

TEST(MomentumObserverTest, TellsContacts) {
  const ControlCase c = MakeControlCase(2);
  const int nv = c.model.nv();
  ObserverOptions options = Observer(c.model, 2, 1);
  options.threshold[1] = 5;
  const auto law = MakeObserved("pd_gravity", c.model, options);
  ASSERT_EQ(law->num_signals(), 2 * nv + 1);
  EXPECT_EQ(law->FindSignal("/observer/disturbance"), 0);
  EXPECT_EQ(law->FindSignal("/observer/contact"), nv);
  EXPECT_EQ(law->FindSignal("/observer/in_contact"), 2 * nv);
  law->ResetState({0, c.q, c.v}, c.reference);
  const auto signals_of = [&](int i, double r) {
    Eigen::VectorXd z = law->state();
    z[i] -= r / 2;
    const Eigen::VectorXd before = law->state();
    law->set_state(z);
    ControlOutput output(*law);
    EXPECT_TRUE(law->CalcControl({0, c.q, c.v}, c.reference, output));
    law->set_state(before);
    EXPECT_NEAR(output.signals[i], r, 1e-12);
    return output.signals;
  };
  EXPECT_EQ(signals_of(0, 0.9).tail(nv + 1), Eigen::VectorXd::Zero(nv + 1));
  EXPECT_EQ(signals_of(1, 4.9).tail(nv + 1), Eigen::VectorXd::Zero(nv + 1));
  for (const double r : {1.1, -1.1}) {
    Eigen::VectorXd expected = Eigen::VectorXd::Zero(nv + 1);
    expected[0] = expected[nv] = 1;
    EXPECT_EQ(signals_of(0, r).tail(nv + 1), expected);
  }
  EXPECT_EQ(signals_of(1, -5.1)[nv + 1], 1);
}

TEST(MomentumObserverTest, NoObserverNoState) {
  const ControlCase c = MakeControlCase(2);
  const auto law = MakeController("slotine_li", c.model);
  EXPECT_EQ(law->observer(), nullptr);
  EXPECT_EQ(law->state().size(), 0);
  EXPECT_TRUE(law->signals().empty());
}

}  // namespace momentum_observer_test
}  // namespace civita
