// What a law is given: of its own model, of its own sizes.

#include <memory>
#include <string>
#include <vector>

#include "civita/controllers/adaptive.h"
#include "civita/controllers/computed_torque.h"
#include "civita/controllers/legs/whole_body.h"
#include "civita/controllers/pd_gravity.h"
#include "civita/controllers/reference_dynamics.h"
#include "civita/controllers/slotine_li.h"
#include "civita/controllers/task_space_law.h"
#include "civita/error.h"
#include "gtest/gtest.h"
#include "tests/controllers/closed_loop.h"

namespace civita {
namespace contracts_test {

using Eigen::VectorXd;

const std::vector<std::string>& Types() {
  static const std::vector<std::string> types = {"slotine_li", "adaptive", "pd_gravity",
                                                 "computed_torque"};
  return types;
}

VectorXd Longer(const VectorXd& x) { return VectorXd::Zero(x.size() + 1); }
VectorXd Shorter(const VectorXd& x) { return VectorXd::Zero(x.size() - 1); }

std::unique_ptr<Controller> MakeObserved(const std::string& type, const Model& model) {
  ControllerOptions options;
  options.q_start = model.DefaultPosition();
  options.observer.K_I = VectorXd::Constant(model.nv(), 5);
  return FindLaw(type).make(model, options);
}

TEST(Contracts, StatesHaveTheLawsSize) {
  const ControlCase c = MakeControlCase(2);
  for (const std::string& type : Types()) {
    SCOPED_TRACE(type);
    const auto law = MakeObserved(type, c.model);
    const VectorXd state = law->state();
    ASSERT_GT(state.size(), 0);
    EXPECT_THROW(law->set_state(Shorter(state)), ContractError);
    EXPECT_THROW(law->set_state(Longer(state)), ContractError);
    EXPECT_THROW(law->set_state(VectorXd::Zero(1)), ContractError);
    EXPECT_EQ(law->state(), state);
    ControlOutput output(*law);
    EXPECT_EQ(law->CalcControl({0, c.q, c.v}, c.reference, output), Status::kOk);
    VectorXd next, rate = state;
    EXPECT_NO_THROW(law->CalcStateRate(output.tau, output, rate));
    EXPECT_NO_THROW(law->CalcNextState(0.1, rate, next));
    for (const VectorXd& wrong : {Shorter(state), Longer(state)}) {
      VectorXd rates = wrong;
      EXPECT_THROW(law->CalcStateRate(output.tau, output, rates), ContractError);
      EXPECT_THROW(law->CalcNextState(0.1, wrong, next), ContractError);
    }
    EXPECT_THROW(law->CalcStateRate(Shorter(output.tau), output, rate), ContractError);
  }
}

TEST(Contracts, MeasurementsAndReferencesHaveTheModelsSizes) {
  const ControlCase c = MakeControlCase(2);
  for (const std::string& type : Types()) {
    SCOPED_TRACE(type);
    const auto law = MakeObserved(type, c.model);
    ControlOutput output(*law);
    const auto fails = [&](const Measurement& measured, const ReferenceState& reference) {
      EXPECT_THROW((void)law->CalcControl(measured, reference, output), ContractError);
    };
    fails({0, Shorter(c.q), c.v}, c.reference);
    fails({0, c.q, Shorter(c.v)}, c.reference);
    fails({0, Longer(c.q), c.v}, c.reference);
    fails({0, c.q, c.v}, {Shorter(c.reference.q), c.reference.v, c.reference.vdot});
    fails({0, c.q, c.v}, {c.reference.q, Shorter(c.reference.v), c.reference.vdot});
    fails({0, c.q, c.v}, {c.reference.q, c.reference.v, {}});
    EXPECT_THROW(law->ResetState({0, Shorter(c.q), c.v}, c.reference), ContractError);
    EXPECT_THROW(law->ResetState({0, c.q, Longer(c.v)}, c.reference), ContractError);
    EXPECT_EQ(law->CalcControl({0, c.q, c.v}, c.reference, output), Status::kOk);
  }
}

TEST(Contracts, OutputsAreTheLawsOwn) {
  const ControlCase c = MakeControlCase(2), other = MakeControlCase(5);
  ASSERT_NE(c.model.nv(), other.model.nv());
  const auto foreign = MakeController("slotine_li", other.model);
  const auto without_signals = MakeController("slotine_li", c.model);
  for (const std::string& type : Types()) {
    SCOPED_TRACE(type);
    const auto law = MakeObserved(type, c.model);
    for (const Controller* owner : {foreign.get(), without_signals.get()}) {
      ControlOutput output(*owner);
      EXPECT_THROW((void)law->CalcControl({0, c.q, c.v}, c.reference, output), ContractError);
      VectorXd rate = law->state();
      EXPECT_THROW(law->CalcStateRate(VectorXd::Zero(c.model.nv()), output, rate), ContractError);
    }
  }
}

TEST(Contracts, LoopsAndCoordinatesAreOfTheModel) {
  const ControlCase c = MakeControlCase(2);
  const Model twin = c.model.WithScaledInertia(2);
  ControllerOptions options;
  options.q_start = c.model.DefaultPosition();
  options.closed = std::make_shared<const VelocitySpace>(twin, Constraints());
  EXPECT_THROW((void)FindLaw("slotine_li").make(c.model, options), ContractError);
  options.closed = std::make_shared<const VelocitySpace>(c.model, Constraints());
  EXPECT_NO_THROW((void)FindLaw("slotine_li").make(c.model, options));
  options.closed = {};
  options.coordinates = MassOrthonormalCoordinates(twin);
  EXPECT_THROW((void)FindLaw("slotine_li").make(c.model, options), ContractError);
  options.coordinates = MassOrthonormalCoordinates(c.model);
  EXPECT_NO_THROW((void)FindLaw("slotine_li").make(c.model, options));
}

// Its torque is zero, and nothing in the output is that of an earlier step.
TEST(Contracts, AStepThatFailsLeavesNothingOfAnotherStep) {
  const ControlCase c = MakeControlCase(2);
  ControllerOptions options;
  options.q_start = c.model.DefaultPosition();
  Coordinates coordinates = MassOrthonormalCoordinates(c.model);
  bool exists = true;
  coordinates.update = [&exists, inner = coordinates.update](Workspace<double>& workspace,
                                                             VelocityMap<double>& map) {
    const Status status = inner(workspace, map);
    return exists ? status : Status::kSingularCoordinates;
  };
  options.coordinates = coordinates;
  options.observer.K_I = VectorXd::Constant(c.model.nv(), 5);
  const auto law = FindLaw("slotine_li").make(c.model, options);
  ControlOutput output(*law), before(*law);
  ASSERT_EQ(law->CalcControl({0, c.q, c.v}, c.reference, before), Status::kOk);
  ASSERT_EQ(law->CalcControl({0, c.reference.q, c.v}, c.reference, output), Status::kOk);
  exists = false;
  ASSERT_EQ(law->CalcControl({0, c.q, c.v}, c.reference, output), Status::kSingularCoordinates);
  EXPECT_EQ(output.tau, VectorXd::Zero(c.model.nv()));
  EXPECT_TRUE(output.e.allFinite());
  EXPECT_TRUE(output.s.array().isNaN().all() && output.sdot_ref.array().isNaN().all());
  EXPECT_TRUE(output.signals.size() > 0 && output.signals.array().isNaN().all());
  exists = true;
  ASSERT_EQ(law->CalcControl({0, c.q, c.v}, c.reference, output), Status::kOk);
  EXPECT_EQ(output.s, before.s);
  EXPECT_EQ(output.signals, before.signals);
}

// A law keeps its model: the one that it was made of may be gone.
TEST(Contracts, LawsKeepTheirModel) {
  const ControlCase c = MakeControlCase(2);
  for (const std::string& type : Types()) {
    const auto law = MakeObserved(type, c.model);
    const auto of_temporary = MakeObserved(type, c.model.WithScaledInertia(1));
    ControlOutput expected(*law), output(*of_temporary);
    ASSERT_EQ(law->CalcControl({0, c.q, c.v}, c.reference, expected), Status::kOk);
    ASSERT_EQ(of_temporary->CalcControl({0, c.q, c.v}, c.reference, output), Status::kOk);
    EXPECT_EQ(output.tau, expected.tau) << type;
  }
}

}  // namespace contracts_test
}  // namespace civita
