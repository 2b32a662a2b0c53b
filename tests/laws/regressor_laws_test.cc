// The regressor times the parameters is the inverse dynamics with two velocities, for every
// factorization; with other parameters it is the inverse dynamics of the mechanism that has them.

#include <Eigen/Geometry>
#include <algorithm>
#include <set>

#include "civita/error.h"
#include "civita/factorization_text.h"
#include "civita/forward_dynamics.h"
#include "civita/passivity_rnea.h"
#include "civita/regressor.h"
#include "gtest/gtest.h"
#include "tests/oracles/compare.h"
#include "tests/oracles/random_case.h"
#include "tests/oracles/seeds.h"
#include "tests/oracles/slow_dynamics.h"

namespace civita {
namespace regressor_laws_test {

constexpr double kExact = 1e-13;
constexpr double kDifferences = 1e-9;

struct Regressor {
  Eigen::MatrixXd Y;
  Eigen::VectorXd y_0;
};

/// The parameters of the spec's bodies, concatenated.
Eigen::VectorXd SpecParameters(const TreeSpec& spec) {
  Eigen::VectorXd parameters(10 * static_cast<Eigen::Index>(spec.bodies.size()));
  for (size_t b = 0; b < spec.bodies.size(); ++b) {
    parameters.segment<10>(10 * static_cast<Eigen::Index>(b)) =
        CalcBodyParameters(spec.bodies[b].mass);
  }
  return parameters;
}

class RegressorLaws : public testing::TestWithParam<unsigned> {
 protected:
  RegressorLaws() : c_(MakeCase(GetParam())), workspace_(c_.model) {
    std::mt19937 random(GetParam());
    v_r_ = RandomVector(c_.spec.nv, &random);
    vdot_r_ = RandomVector(c_.spec.nv, &random);
    UpdateKinematics(c_.model, c_.q, c_.v, workspace_);
  }

  Regressor Calc(const Factorization& factorization) {
    Regressor out;
    out.Y = Eigen::MatrixXd::Constant(
        c_.spec.nv, 10 * static_cast<Eigen::Index>(c_.model.frames().size()), NAN);
    out.y_0 = Eigen::VectorXd::Constant(c_.spec.nv, NAN);
    CalcRegressor(c_.model, factorization, c_.model.frames(), v_r_, vdot_r_, workspace_, out.Y,
                  out.y_0);
    return out;
  }

  /// H v̇_r + C v_r + g.
  Eigen::VectorXd InverseDynamics(const Model& model, const Factorization& factorization) const {
    Workspace<double> workspace(model);
    UpdateKinematics(model, c_.q, c_.v, workspace);
    Eigen::VectorXd tau(model.nv());
    CalcPassivityInverseDynamics(model, factorization, v_r_, vdot_r_, workspace, tau);
    return tau;
  }

  Case c_;
  Workspace<double> workspace_;
  Eigen::VectorXd v_r_, vdot_r_;
};

TEST_P(RegressorLaws, TimesParametersIsTheInverseDynamics) {
  const Eigen::VectorXd of_spec = SpecParameters(c_.spec);
  const Eigen::VectorXd of_model = CalcModelParameters(c_.model, c_.model.frames());
  for (const Factorization& factorization : AllFactorizations(c_, GetParam())) {
    SCOPED_TRACE(ToString(factorization));
    const Regressor r = Calc(factorization);
    const Eigen::VectorXd expected = InverseDynamics(c_.model, factorization);
    EXPECT_LE(RelativeError(r.Y * of_spec + r.y_0, expected), kExact);
    EXPECT_LE(RelativeError(r.Y * of_model + r.y_0, expected), kExact);
  }
}

TEST_P(RegressorLaws, TimesOtherParametersIsThatOfAnotherMechanism) {
  TreeSpec other = c_.spec;
  const TreeSpec donor = RandomTree(GetParam() + 1000);
  for (size_t b = 0; b < other.bodies.size(); ++b) other.bodies[b].mass = donor.bodies[b].mass;
  const Model model = BuildTree(other);
  const Eigen::VectorXd parameters = SpecParameters(other);
  EXPECT_GT(RelativeError(parameters, SpecParameters(c_.spec)), 1e-2);
  for (const Factorization& factorization : AllFactorizations(c_, GetParam())) {
    SCOPED_TRACE(ToString(factorization));
    const Regressor r = Calc(factorization);
    EXPECT_LE(RelativeError(r.Y * parameters + r.y_0, InverseDynamics(model, factorization)),
              kExact);
  }
}

TEST_P(RegressorLaws, ProductsAreThoseOfTheMatrix) {
  std::mt19937 random(GetParam() + 3);
  const auto columns = static_cast<int>(10 * c_.model.frames().size());
  const Eigen::VectorXd x = RandomVector(columns, &random);
  const Eigen::VectorXd s = RandomVector(c_.spec.nv, &random);
  for (const Factorization& factorization : AllFactorizations(c_, GetParam())) {
    SCOPED_TRACE(ToString(factorization));
    const Regressor r = Calc(factorization);
    Eigen::VectorXd Yx = Eigen::VectorXd::Constant(c_.spec.nv, NAN);
    Eigen::VectorXd YTs = Eigen::VectorXd::Constant(columns, NAN);
    CalcRegressorProducts(c_.model, factorization, c_.model.frames(), v_r_, vdot_r_, x, s,
                          workspace_, Yx, YTs);
    EXPECT_LE(RelativeError(Yx, r.Y * x), kExact);
    EXPECT_LE(RelativeError(YTs, r.Y.transpose() * s), kExact);
    Eigen::VectorXd Yx_alone = Yx * NAN, YTs_alone = YTs * NAN, none;
    CalcRegressorProducts(c_.model, factorization, c_.model.frames(), v_r_, vdot_r_, x, none,
                          workspace_, Yx_alone, none);
    CalcRegressorProducts(c_.model, factorization, c_.model.frames(), v_r_, vdot_r_, none, s,
                          workspace_, none, YTs_alone);
    EXPECT_LE(RelativeError(Yx_alone, Yx), kExact);
    EXPECT_LE(RelativeError(YTs_alone, YTs), kExact);
    // With the model's parameters Y x is the inverse dynamics.
    const Eigen::VectorXd pi = SpecParameters(c_.spec);
    CalcRegressorProducts(c_.model, factorization, c_.model.frames(), v_r_, vdot_r_, pi, none,
                          workspace_, Yx_alone, none);
    EXPECT_LE(RelativeError(Yx_alone + r.y_0, InverseDynamics(c_.model, factorization)), kExact);
  }
}

TEST_P(RegressorLaws, TheTransposeIsThatOfTheMatrix) {
  for (const Factorization& factorization : AllFactorizations(c_, GetParam())) {
    SCOPED_TRACE(ToString(factorization));
    const Regressor r = Calc(factorization);
    Eigen::MatrixXd YT = Eigen::MatrixXd::Constant(r.Y.cols(), r.Y.rows(), NAN);
    Eigen::VectorXd y_0 = Eigen::VectorXd::Constant(c_.spec.nv, NAN);
    CalcTransposedRegressor(c_.model, factorization, c_.model.frames(), v_r_, vdot_r_, workspace_,
                            YT, y_0);
    EXPECT_LE(RelativeError(YT.transpose(), r.Y), kExact);
    EXPECT_EQ(y_0, r.y_0);
  }
}

// One frame a body has all: the columns are those of these frames, whatever others there are.
TEST_P(RegressorLaws, OfTheBodiesThatMove) {
  const std::vector<Model::NamedFrame> frames = BodyFrames(c_.model);
  std::set<int> bodies;
  for (const Model::NamedFrame& frame : frames) {
    EXPECT_GE(frame.body, 0);
    EXPECT_TRUE(bodies.insert(frame.body).second) << frame.name;
  }
  for (const Model::NamedFrame& frame : c_.model.frames()) {
    EXPECT_TRUE(frame.body < 0 || bodies.contains(frame.body)) << frame.name;
  }
  const Eigen::VectorXd parameters = CalcModelParameters(c_.model, frames);
  Eigen::MatrixXd Y(c_.spec.nv, parameters.size());
  Eigen::VectorXd y_0(c_.spec.nv);
  for (const Factorization& factorization : AllFactorizations(c_, GetParam())) {
    SCOPED_TRACE(ToString(factorization));
    CalcRegressor(c_.model, factorization, frames, v_r_, vdot_r_, workspace_, Y, y_0);
    EXPECT_LE(RelativeError(Y * parameters + y_0, InverseDynamics(c_.model, factorization)),
              kExact);
    const Regressor all = Calc(factorization);
    for (size_t i = 0; i < frames.size(); ++i) {
      const auto& given = c_.model.frames();
      const auto f = std::ranges::find(given, frames[i].name, &Model::NamedFrame::name);
      EXPECT_EQ(Y.middleCols<10>(10 * static_cast<Eigen::Index>(i)),
                all.Y.middleCols<10>(10 * (f - given.begin())));
    }
  }
}

TEST_P(RegressorLaws, IsTheOraclesEquationOfMotion) {
  const Eigen::VectorXd parameters = SpecParameters(c_.spec);
  const Eigen::VectorXd inertial = SlowMassMatrix(c_.spec, c_.q) * vdot_r_;
  const Eigen::VectorXd gravity = SlowGravityForces(c_.spec, c_.q);
  for (const double t : {0.0, 1.0, -0.6}) {
    SCOPED_TRACE("t " + std::to_string(t));
    const Regressor r = Calc(Factorization::Torsion(t));
    const Eigen::MatrixXd C = SlowCoriolis(c_.spec, Factorization::Torsion(t), c_.q, c_.v);
    EXPECT_LE(RelativeError(r.Y * parameters + r.y_0, inertial + C * v_r_ + gravity), kDifferences);
  }
}

// The remainder contains nothing of the bodies' inertias, and the state is unchanged.
TEST_P(RegressorLaws, TheRestIsArmatureAndInjections) {
  const Regressor r = Calc({});
  Eigen::VectorXd expected = c_.model.armature().cwiseProduct(vdot_r_);
  for (int k = 0; k < c_.spec.nv; ++k) {
    if (c_.model.rotation_triple(k) != k) continue;
    const Eigen::Vector3d v = c_.v.segment<3>(k), v_r = v_r_.segment<3>(k);
    expected.segment<3>(k) += 0.5 * c_.model.armature()[k] * v.cross(v_r);
  }
  EXPECT_LE(RelativeError(r.y_0, expected), kExact);

  Eigen::VectorXd bias(c_.spec.nv);
  CalcBiasForces(c_.model, workspace_, bias);
  EXPECT_LE(RelativeError(bias, CalcCoreDynamics(c_.model, c_.q, c_.v).bias), 0);
}

TEST_P(RegressorLaws, FloatKeepsItsDigits) {
  const Regressor expected = Calc(Factorization::Torsion(0.3));
  Workspace<float> workspace(c_.model);
  UpdateKinematics(c_.model, c_.q.cast<float>(), c_.v.cast<float>(), workspace);
  Eigen::MatrixXf Y(expected.Y.rows(), expected.Y.cols());
  Eigen::VectorXf y_0(c_.spec.nv);
  CalcRegressor(c_.model, Factorization::Torsion(0.3), c_.model.frames(), v_r_.cast<float>(),
                vdot_r_.cast<float>(), workspace, Y, y_0);
  EXPECT_LE(RelativeError(Y.cast<double>(), expected.Y), 1e-5);
  EXPECT_LE(RelativeError(y_0.cast<double>(), expected.y_0), 1e-5);
}

// Regressors of different factorizations differ: a wrong torsion term would be detected.
TEST_P(RegressorLaws, FactorizationsDiffer) {
  const Eigen::VectorXd parameters = SpecParameters(c_.spec);
  const Eigen::VectorXd expected = InverseDynamics(c_.model, Factorization::Torsion(0.3));
  const Regressor wrong = Calc(Factorization::Torsion(-0.3));
  EXPECT_GT(RelativeError(wrong.Y * parameters + wrong.y_0, expected), 1e-4);
}

/// ∂v̇/∂π by differences: each frame heavier by a point mass and a pure inertia on it.
TEST_P(RegressorLaws, ForwardDynamicsByParametersAreDifferences) {
  constexpr double kStep = 1e-5;
  const int nv = c_.model.nv();
  std::mt19937 random(GetParam() + 40);
  const Eigen::VectorXd tau = RandomVector(nv, &random);
  const auto forward = [&](const Model& model) {
    Workspace<double> workspace(model);
    UpdateKinematics(model, c_.q, c_.v, workspace);
    Eigen::VectorXd vdot(nv);
    CalcForwardDynamics(model, tau, workspace, vdot);
    return vdot;
  };
  const Eigen::VectorXd vdot = forward(c_.model);
  Eigen::MatrixXd by_pi =
      Eigen::MatrixXd::Constant(nv, 10 * static_cast<Eigen::Index>(c_.model.frames().size()), NAN);
  MassMatrixCholesky<double> factor(c_.model);
  ASSERT_TRUE(CalcForwardDynamicsParameterDerivatives(c_.model, c_.model.frames(), vdot, workspace_,
                                                      factor, by_pi));
  for (size_t b = 0; b < c_.spec.bodies.size(); ++b) {
    // π along (point mass at p, added moments of inertia).
    const Eigen::Vector3d p = RandomVector(3, &random);
    const Eigen::Matrix3d added = Eigen::Vector3d(0.3, 0.4, 0.5).asDiagonal();
    const auto heavier = [&](double step) {
      TreeSpec spec = c_.spec;
      MassProperties& x = spec.bodies[b].mass;
      const MassProperties before = x;
      x.mass += step;
      x.com = x.mass == 0 ? p : Eigen::Vector3d((before.mass * before.com + step * p) / x.mass);
      const auto steiner = [](double m, const Eigen::Vector3d& r) {
        return Eigen::Matrix3d(m *
                               (r.squaredNorm() * Eigen::Matrix3d::Identity() - r * r.transpose()));
      };
      x.inertia = before.inertia + steiner(before.mass, before.com) + steiner(step, p) +
                  step * added - steiner(x.mass, x.com);
      return spec;
    };
    const TreeSpec more = heavier(kStep);
    const Eigen::VectorXd direction = (SpecParameters(more) - SpecParameters(c_.spec)) / kStep;
    const Eigen::VectorXd rate = (4 * forward(BuildTree(more, true)) -
                                  forward(BuildTree(heavier(2 * kStep), true)) - 3 * vdot) /
                                 (2 * kStep);
    EXPECT_LE(RelativeError(by_pi * direction, rate), 1e-5) << c_.spec.bodies[b].name;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RegressorLaws, testing::Range(0u, Seeds(30)));

/// A body that only rotates: h and Ī about the frame's origin need no centre of mass.
TEST(Regressor, OfABodyWithInertiaAndNoMass) {
  TreeSpec spec;
  const Pose X_PB{Eigen::AngleAxisd(0.7, Eigen::Vector3d(1, 2, 3).normalized()).toRotationMatrix(),
                  {0.1, 0.2, 0.3}};
  const int link = spec.AddBody("link", ModelBuilder::kWorld, X_PB, RandomTree(1).bodies[0].mass);
  spec.AddJoint(link, JointType::kHinge, {.name = "link", .anchor = {0.2, 0, 0.1}});
  const int rotor = spec.AddBody(
      "rotor", link, X_PB,
      {.mass = 0, .inertia = Eigen::Vector3d(0.3, 0.4, 0.5).asDiagonal().toDenseMatrix()});
  spec.AddJoint(rotor, JointType::kHinge, {.name = "rotor", .axis = {1, 1, 0}});
  const Model model = BuildTree(spec);
  const Eigen::VectorXd parameters = CalcModelParameters(model, model.frames());
  EXPECT_LE(RelativeError(parameters, SpecParameters(spec)), kExact);

  const Eigen::Vector2d q(0.3, -1.2), v(2, -3), v_r(1, 4), vdot_r(-5, 6);
  Workspace<double> workspace(model);
  UpdateKinematics(model, q, v, workspace);
  Eigen::MatrixXd Y(2, 20);
  Eigen::VectorXd y_0(2), tau(2);
  CalcRegressor(model, Factorization::Torsion(0.3), model.frames(), v_r, vdot_r, workspace, Y, y_0);
  CalcPassivityInverseDynamics(model, Factorization::Torsion(0.3), v_r, vdot_r, workspace, tau);
  EXPECT_LE(RelativeError(Y * parameters + y_0, tau), kExact);
}

TEST(RegressorContracts, StageAndSizes) {
  const Case c = MakeCase(1);
  const Eigen::VectorXd x = Eigen::VectorXd::Zero(c.spec.nv);
  const auto columns = 10 * static_cast<Eigen::Index>(c.model.frames().size());
  Workspace<double> workspace(c.model);
  Eigen::MatrixXd Y(c.spec.nv, columns), narrow(c.spec.nv, columns - 10);
  Eigen::VectorXd y_0(c.spec.nv);
  UpdateKinematics(c.model, c.q, workspace);
  EXPECT_THROW(CalcRegressor(c.model, {}, c.model.frames(), x, x, workspace, Y, y_0),
               ContractError);
  UpdateKinematics(c.model, c.q, c.v, workspace);
  EXPECT_NO_THROW(CalcRegressor(c.model, {}, c.model.frames(), x, x, workspace, Y, y_0));
  EXPECT_THROW(CalcRegressor(c.model, {}, c.model.frames(), x, x, workspace, narrow, y_0),
               ContractError);
  EXPECT_THROW(CalcRegressor(c.model, {}, c.model.frames(), x.head(1), x, workspace, Y, y_0),
               ContractError);
  Eigen::VectorXd pi = Eigen::VectorXd::Zero(columns), few = pi.head(3);
  EXPECT_NO_THROW(
      CalcRegressorProducts(c.model, {}, c.model.frames(), x, x, pi, x, workspace, y_0, pi));
  EXPECT_THROW(
      CalcRegressorProducts(c.model, {}, c.model.frames(), x, x, few, x, workspace, y_0, pi),
      ContractError);
  EXPECT_THROW(
      CalcRegressorProducts(c.model, {}, c.model.frames(), x, x, pi, x, workspace, y_0, few),
      ContractError);
}

}  // namespace regressor_laws_test
}  // namespace civita
