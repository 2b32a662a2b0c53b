// Laws in other velocities w: what is invariant and what is not ([WES], remark 7), and that each
// law keeps its proof in all velocities that its row allows.

#include <gtest/gtest.h>

#include "civita/error.h"
#include "tests/controllers/closed_loop.h"
#include "tests/oracles/compare.h"

namespace civita {
namespace coordinates_law_test {

class CoordinatesLaw : public testing::TestWithParam<unsigned> {
 protected:
  CoordinatesLaw() : c_(MakeControlCase(GetParam(), true)) {}

  std::unique_ptr<Controller> Make(std::optional<Coordinates> coordinates, GainForm form,
                                   const Factorization& factorization = {}) const {
    return FindLaw("slotine_li")
        .make(c_.model, {.factorization = factorization,
                         .gain_form = form,
                         .q_start = c_.model.DefaultPosition(),
                         .coordinates = std::move(coordinates)});
  }

  ControlCase c_;
};

TEST_P(CoordinatesLaw, WithUniformGainsByMassTheTorqueIsTheSame) {
  for (const Factorization& factorization : AdmissibleFactorizations(c_.model)) {
    const auto plain = Make({}, GainForm::kMass, factorization);
    const StepResult wanted = RunStep(c_, plain.get());
    for (const Coordinates& coordinates :
         {MassOrthonormalCoordinates(c_.model), BodyTwistCoordinates(c_.model)}) {
      SCOPED_TRACE(coordinates.text);
      const auto law = Make(coordinates, GainForm::kMass, factorization);
      const StepResult r = RunStep(c_, law.get());
      EXPECT_LE(RelativeError(r.output.tau, wanted.output.tau), 1e-10);
      EXPECT_LE(RelativeError(r.output.s, wanted.output.s), 1e-10);
      EXPECT_LE(RelativeError(r.output.sdot_ref, wanted.output.sdot_ref), 1e-10);
    }
  }
}

TEST_P(CoordinatesLaw, OtherGainsAreNot) {
  const auto plain = Make({}, GainForm::kDiagonal);
  const auto law = Make(MassOrthonormalCoordinates(c_.model), GainForm::kDiagonal);
  EXPECT_GT(RelativeError(RunStep(c_, law.get()).output.tau, RunStep(c_, plain.get()).output.tau),
            1e-3);
}

/// V̇ = −P, whatever the coordinates and the gains; and v̇_r is the rate of v_r.
TEST_P(CoordinatesLaw, TheProofHolds) {
  for (const GainForm form : {GainForm::kMass, GainForm::kDiagonal}) {
    for (const Factorization& factorization : AdmissibleFactorizations(c_.model)) {
      const auto law = Make(MassOrthonormalCoordinates(c_.model), form, factorization);
      Eigen::VectorXd Lambda = law->gain(0);
      for (Eigen::Index i = 0; i < Lambda.size(); ++i) Lambda[i] += 0.3 * static_cast<double>(i);
      law->set_gain("Lambda", Lambda);
      const StepResult r = RunStep(c_, law.get());
      EXPECT_LE(std::abs(r.storage.Vdot + r.storage.P), 1e-9 * r.scale);
      EXPECT_LE(std::abs(DifferentiateStorage(c_, r, law.get()) - r.storage.Vdot), 1e-5 * r.scale);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, CoordinatesLaw, testing::Range(0u, 8u));

/// A mechanism without dry friction, which to some laws is model error, and a standing reference
/// for the law that has no feedforward.
ControlCase CaseFor(const LawInfo& law, unsigned seed) {
  ControlCase c = MakeControlCase(seed, true);
  for (TreeSpec::Body& body : c.spec.bodies) {
    for (TreeSpec::Joint& joint : body.joints) joint.properties.frictionloss = 0;
  }
  for (TendonProperties& tendon : c.spec.tendons) tendon.frictionloss = 0;
  if (law.type == "pd_gravity") {
    c.reference.v.setZero();
    c.reference.vdot.setZero();
  }
  Model model = BuildTree(c.spec);
  return {std::move(c.spec), model, std::move(c.q), std::move(c.v), std::move(c.reference)};
}

/// The law, for a task that it can move; null where there is none.
std::unique_ptr<Controller> MakeIn(const LawInfo& law, const ControlCase& c,
                                   const std::optional<Coordinates>& coordinates, GainForm form) {
  ControllerOptions options{
      .factorization = {}, .gain_form = form, .q_start = c.model.DefaultPosition()};
  options.coordinates = coordinates;
  if (!law.MovesFrame({})) return law.make(c.model, options);
  for (std::size_t i = c.model.frames().size(); i-- > 0;) {
    options.task = TaskFrame{c.model.frames()[i], TaskKind::kPosition};
    try {
      return law.make(c.model, options);
    } catch (const UserError&) {
      continue;  // its joints do not move it in three directions
    }
  }
  return nullptr;
}

/// V̇ + P at the end of a period in which the torque of its beginning was held.
double HeldResidual(ControlCase c, Controller* law, double dt) {
  constexpr int kSteps = 8;
  const StepResult begin = RunStep(c, law);
  Eigen::VectorXd rate = law->state();
  law->CalcStateRate(begin.output.tau, begin.output, rate);
  const double h = dt / kSteps;
  for (int i = 0; i < kSteps; ++i) {
    const Eigen::VectorXd half = c.v + 0.5 * h * Accelerate(c.model, c.q, c.v, begin.output.tau);
    const Eigen::VectorXd middle = SlowIntegrate(c.spec, c.q, c.v, 0.5 * h);
    c.q = SlowIntegrate(c.spec, c.q, half, h);
    c.v += h * Accelerate(c.model, middle, half, begin.output.tau);
  }
  c.reference.q = SlowIntegrate(c.spec, c.reference.q, c.reference.v, dt);
  c.reference.v += dt * c.reference.vdot;
  const Eigen::VectorXd x = law->state();
  law->set_state(x + dt * rate);
  ControlOutput output(*law);
  EXPECT_TRUE(law->CalcControl({0, c.q, c.v}, c.reference, output));
  const CoreDynamics plant = CalcCoreDynamics(c.model, c.q, c.v);
  const Eigen::VectorXd vdot = Accelerate(c.model, c.q, c.v, begin.output.tau);
  const StorageState storage =
      law->CalcStorage({c.model, c.q, c.v, vdot, plant.H, plant.Hdot}, output);
  law->set_state(x);
  return storage.Vdot + storage.P;
}

// Of the tree's velocities and of coordinates; tests/sim/closed_chain_laws_test.cc has loops.
TEST(LawsInTheirVelocities, KeepTheirProofsAndOrders) {
  for (const LawInfo* info : Laws()) {
    if (info->needs_legs) continue;
    ASSERT_TRUE(info->knows_coordinates && info->knows_loops) << info->type;
    int number = 0;
    for (unsigned seed = 0; seed < 6; ++seed) {
      const ControlCase c = CaseFor(*info, seed);
      for (const auto& coordinates :
           {std::optional<Coordinates>(), std::optional(MassOrthonormalCoordinates(c.model)),
            std::optional(BodyTwistCoordinates(c.model))}) {
        for (const GainForm form : {GainForm::kMass, GainForm::kDiagonal}) {
          SCOPED_TRACE(std::string(info->type) + ", seed " + std::to_string(seed) + ", " +
                       (coordinates ? coordinates->text : "tree"));
          const auto law = MakeIn(*info, c, coordinates, form);
          if (law == nullptr) continue;
          law->ResetState({0, c.q, c.v}, c.reference);
          law->set_state(0.95 * law->state());  // else s is zero of one whose state is v_r
          const StepResult r = RunStep(c, law.get());
          EXPECT_GT(r.storage.P, 0);
          EXPECT_LE(std::abs(r.storage.Vdot + r.storage.P), 1e-8 * r.scale);
          EXPECT_LE(std::abs(DifferentiateStorage(c, r, law.get()) - r.storage.Vdot),
                    1e-4 * r.scale);
          const double dt = 1e-4 / std::max(1.0, r.vdot.norm());
          const double ratio = HeldResidual(c, law.get(), dt) / HeldResidual(c, law.get(), dt / 2);
          EXPECT_NEAR(ratio, 2, 0.2);
          ++number;
        }
      }
    }
    EXPECT_GT(number, 10) << info->type;
  }
}

TEST(LawsInTheirVelocities, RefuseThoseThatTheirProofDoesNotAllow) {
  const ControlCase c = MakeControlCase(1);
  ControllerOptions options;
  options.coordinates = MassOrthonormalCoordinates(c.model);
  try {
    FindLaw("whole_body").make(c.model, options);
    ADD_FAILURE() << "no error";
  } catch (const UserError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("whole_body is not written in other coordinates"), text.npos) << text;
    EXPECT_NE(text.find("slotine_li"), text.npos) << text;
  }
  Coordinates fewer = MassOrthonormalCoordinates(c.model);
  fewer.names.pop_back();
  for (const LawInfo* info : Laws()) {
    if (!info->knows_coordinates) continue;
    if (info->MovesFrame({})) {
      EXPECT_EQ(MakeIn(*info, c, fewer, GainForm::kMass), nullptr) << info->type;
    } else {
      EXPECT_THROW(MakeIn(*info, c, fewer, GainForm::kMass), UserError) << info->type;
    }
  }
}

}  // namespace coordinates_law_test
}  // namespace civita
