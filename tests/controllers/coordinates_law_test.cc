// Slotine–Li's law in other velocities w: what is invariant and what is not ([WES], remark 7).

#include <gtest/gtest.h>

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

}  // namespace coordinates_law_test
}  // namespace civita
