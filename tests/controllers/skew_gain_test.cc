// The skew gain G of Slotine–Li's law and its kind: what it adds to the torque, and that V̇ = −P
// stays (storage_test.cc and closed_chain_laws_test.cc have it among their random gains).

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "civita/error.h"
#include "tests/controllers/closed_loop.h"
#include "tests/controllers/random_gain.h"
#include "tests/oracles/compare.h"
#include "tests/oracles/linear.h"

namespace civita {
namespace skew_gain_test {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> LawsWithG() {
  std::vector<std::string> laws;
  for (const LawInfo* law : Laws()) {
    for (const ParameterInfo& gain : law->parameters) {
      if (gain.shape == GainShape::kSkew) laws.emplace_back(law->type);
    }
  }
  return laws;
}

std::unique_ptr<Controller> Make(const std::string& law, const ControlCase& c,
                                 std::optional<Coordinates> coordinates = {}) {
  return FindLaw(law).make(c.model, {.factorization = {},
                                     .q_start = c.model.DefaultPosition(),
                                     .coordinates = std::move(coordinates)});
}

MatrixXd RandomSkew(int nv, unsigned seed) {
  std::mt19937 random(seed);
  const MatrixXd any = RandomVector(nv * nv, &random).reshaped(nv, nv);
  return any - any.transpose();
}

VectorXd ByRows(const MatrixXd& G) { return G.transpose().reshaped(); }

TEST(SkewGain, IsOfTheLawsWithKDs) {
  EXPECT_THAT(LawsWithG(), ElementsAre("slotine_li", "adaptive", "reference_dynamics"));
}

TEST(SkewGain, TurnsSInTheTorque) {
  for (const std::string& type : LawsWithG()) {
    for (unsigned seed = 0; seed < 10; ++seed) {
      SCOPED_TRACE(type + ", seed " + std::to_string(seed));
      const ControlCase c = MakeControlCase(seed);
      const auto law = Make(type, c);
      if (law->state().size() > 0) law->ResetState({0, c.q, c.v}, c.reference);
      if (type == "reference_dynamics") law->set_state(0.5 * law->state());  // otherwise s = 0
      const StepResult without = RunStep(c, law.get());
      const MatrixXd G = RandomSkew(c.model.nv(), seed);
      law->set_gain("G", ByRows(G));
      const StepResult with = RunStep(c, law.get());
      EXPECT_LE(RelativeError(with.output.tau - without.output.tau, -G * with.output.s), 1e-9);
      EXPECT_EQ(with.output.s, without.output.s);
      EXPECT_EQ(with.storage.P, without.storage.P);
      EXPECT_LE(std::abs(with.storage.Vdot - without.storage.Vdot), 1e-9 * with.scale);
      law->set_gain("G", VectorXd::Zero(1));
      EXPECT_EQ(RunStep(c, law.get()).output.tau, without.output.tau);
    }
  }
}

TEST(SkewGain, IsThatOfOtherCoordinates) {
  for (unsigned seed = 0; seed < 10; ++seed) {
    const ControlCase c = MakeControlCase(seed);
    const int nv = c.model.nv();
    const Coordinates coordinates = MassOrthonormalCoordinates(c.model);
    const auto law = Make("slotine_li", c, coordinates);
    const StepResult without = RunStep(c, law.get());
    const MatrixXd G = RandomSkew(nv, seed);
    law->set_gain("G", ByRows(G));
    const StepResult with = RunStep(c, law.get());
    VelocityMap<double> map(nv, nv);
    Workspace<double> workspace(c.model);
    UpdateKinematics<double>(c.model, c.q, c.v, workspace);
    ASSERT_TRUE(coordinates.update(workspace, map));
    const MatrixXd A = linear::Inverse(map.A);
    EXPECT_LE(
        RelativeError(with.output.tau - without.output.tau, -A.transpose() * G * A * with.output.s),
        1e-8);
    EXPECT_LE(std::abs(with.storage.Vdot + with.storage.P), 1e-9 * with.scale);
  }
}

TEST(SkewGain, RefusesWhatIsNotSkewAndKeepsItsValue) {
  const ControlCase c = MakeControlCase(3);
  const int nv = c.model.nv();
  ASSERT_GT(nv, 2);
  const auto law = Make("slotine_li", c);
  const MatrixXd G = RandomSkew(nv, 1);
  law->set_gain("G", ByRows(G));
  const auto why = [&](const VectorXd& value) -> std::string {
    try {
      law->set_gain("G", value);
    } catch (const UserError& error) {
      return error.what();
    }
    return "";
  };
  MatrixXd wrong = G;
  wrong(0, 2) = 3;
  wrong(2, 0) = 3;
  EXPECT_THAT(why(ByRows(wrong)),
              HasSubstr("gains.G: not skew: entry 0, 2 is 3 and entry 2, 0 is 3"));
  wrong = G;
  wrong(1, 1) = 0.5;
  EXPECT_THAT(why(ByRows(wrong)), HasSubstr("not skew: entry 1, 1 is 0.5"));
  wrong = G;
  wrong(0, 1) = std::numeric_limits<double>::quiet_NaN();
  EXPECT_THAT(why(ByRows(wrong)), HasSubstr("not skew"));
  EXPECT_THAT(why(VectorXd::Zero(nv)), HasSubstr("gains.G: " + std::to_string(nv) + " numbers"));
  EXPECT_THAT(why(VectorXd::Ones(1)), HasSubstr("gains.G: 1 numbers given"));
  EXPECT_EQ(law->gain(2), ByRows(G));
}

}  // namespace skew_gain_test
}  // namespace civita
