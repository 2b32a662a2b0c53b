// Rigid bodies in maximal coordinates: the closed forms for one body against the general formula,
// the laws of a Coriolis matrix in both frames, and C of the joints by projection.

#include "app/verbs/reproduce/printed/dense_spatial.h"
#include "civita/error.h"
#include "civita/factorization_text.h"
#include "civita/geometry/three_form.h"
#include "civita/maximal_coordinates.h"
#include "gtest/gtest.h"
#include "tests/oracles/compare.h"
#include "tests/oracles/random_case.h"
#include "tests/oracles/seeds.h"
#include "tests/oracles/slow_dynamics.h"

namespace civita {
namespace maximal_coordinates_laws_test {

using dense::ForceBarCross;
using dense::Matrix6d;
using dense::MotionCross;
using dense::Vector6d;

constexpr double kExact = 1e-13;
constexpr double kDifferences = 1e-9;

/// A random body that is free, with its frame at the world's, and a twist.
struct RandomBody {
  explicit RandomBody(unsigned seed) : RandomBody(seed, RandomTree(seed).bodies[0].mass) {}
  RandomBody(unsigned seed, const MassProperties& mass)
      : random(seed), model(FreeBody(mass)), matrix(dense::ToMatrix(mass)) {
    twist = RandomVector(6, &random);
  }
  /// C at a twist, and that H is `matrix`.
  Matrix6d CoriolisMatrix(TwistFrame frame, const Vector6d& x) const {
    Vector6d v;
    v << x.tail<3>(), x.head<3>();
    Workspace<double> workspace(model);
    UpdateKinematics(model, model.DefaultPosition(), v, workspace);
    Matrix6d C, H;
    CalcMaximalCoordinates<double>(model, {}, frame, workspace, {&C, 1}, {&H, 1});
    EXPECT_LE(RelativeError(H, matrix), kExact);
    return C;
  }
  static Model FreeBody(const MassProperties& mass) {
    ModelBuilder builder;
    builder.AddJoint(builder.AddBody("body", ModelBuilder::kWorld, {}, mass), JointType::kFree, {});
    return builder.Build();
  }

  std::mt19937 random;
  Model model;
  Matrix6d matrix;
  Vector6d twist;
};

TEST(SingleRigidBody, ClosedFormsAreTheFormulas) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const RandomBody body(seed);
    const Matrix6d& I = body.matrix;
    const Matrix6d cross = MotionCross(body.twist), bar = ForceBarCross(I * body.twist);
    const Matrix6d plain = -cross.transpose() * I;
    EXPECT_LE(RelativeError(body.CoriolisMatrix(TwistFrame::kBody, body.twist),
                            0.5 * (I * cross + plain + bar)),
              kExact);
    EXPECT_LE(RelativeError(body.CoriolisMatrix(TwistFrame::kWorld, body.twist),
                            0.5 * (plain + bar - I * cross)),
              kExact);
  }
}

// C(a) b − C(b) a = I [a, b], with the bracket of each frame's fields.
TEST(SingleRigidBody, HasNoTorsion) {
  for (unsigned seed = 0; seed < 20; ++seed) {
    const RandomBody body(seed);
    for (int j = 0; j < 6; ++j) {
      for (int k = 0; k < 6; ++k) {
        const Vector6d a = Vector6d::Unit(j), b = Vector6d::Unit(k);
        const Vector6d bracket = body.matrix * MotionCross(a) * b;
        const auto in_body = [&](const Vector6d& x) {
          return body.CoriolisMatrix(TwistFrame::kBody, x);
        };
        const auto in_world = [&](const Vector6d& x) {
          return body.CoriolisMatrix(TwistFrame::kWorld, x);
        };
        EXPECT_LE(RelativeError(in_body(a) * b - in_body(b) * a, bracket), kExact);
        EXPECT_LE(RelativeError(in_world(a) * b - in_world(b) * a, -bracket), kExact);
      }
    }
  }
}

/// C, H, A and Ȧ of a mechanism, dense.
struct Maximal {
  Eigen::MatrixXd C, H, A, Adot;
};

Maximal CalcMaximal(const Model& model, const Factorization& factorization, TwistFrame frame,
                    const Eigen::VectorXd& q, const Eigen::VectorXd& v) {
  Workspace<double> workspace(model);
  UpdateKinematics(model, q, v, workspace);
  const size_t n = static_cast<size_t>(model.num_bodies());
  std::vector<Matrix6d> C(n, Matrix6d::Constant(NAN)), H = C;
  CalcMaximalCoordinates(model, factorization, frame, workspace, C, H);
  const int rows = 6 * model.num_bodies();
  Maximal out;
  out.C = out.H = Eigen::MatrixXd::Zero(rows, rows);
  for (int b = 0; b < model.num_bodies(); ++b) {
    out.C.block<6, 6>(6 * b, 6 * b) = C[static_cast<size_t>(b)];
    out.H.block<6, 6>(6 * b, 6 * b) = H[static_cast<size_t>(b)];
  }
  out.A = out.Adot = Eigen::MatrixXd::Constant(rows, model.nv(), NAN);
  CalcMaximalJacobian(model, frame, workspace, out.A, out.Adot);
  return out;
}

class MaximalCoordinatesLaws : public testing::TestWithParam<unsigned> {
 protected:
  /// Without armature, which belongs to joints.
  MaximalCoordinatesLaws() : c_(MakeCase(GetParam(), {.armature = false})) {}
  template <typename F>
  void ForEachFactorization(F&& f) const {
    for (const TwistFrame frame : {TwistFrame::kBody, TwistFrame::kWorld}) {
      for (const Factorization& factorization : AllFactorizations(c_, GetParam())) {
        SCOPED_TRACE(ToString(factorization) + (frame == TwistFrame::kBody ? " body" : " world"));
        f(frame, factorization, CalcMaximal(c_.model, factorization, frame, c_.q, c_.v));
      }
    }
  }
  Case c_;
};

// [WES] (20).
TEST_P(MaximalCoordinatesLaws, ProjectToTheCoriolisMatrix) {
  ForEachFactorization([&](TwistFrame, const Factorization& factorization, const Maximal& m) {
    const CoreDynamics d = CalcCoreDynamics(c_.model, c_.q, c_.v, factorization);
    Eigen::MatrixXd C = m.A.transpose() * (m.C * m.A + m.H * m.Adot);
    C += Contract(ThreeFormOf(factorization, c_.model.nv(), c_.q), c_.v);
    EXPECT_LE(RelativeError(C, d.C), kExact);
    EXPECT_LE(RelativeError(m.A.transpose() * m.H * m.A, d.H), kExact);
  });
}

// The force on a body: ξ×* I ξ in either frame.
TEST_P(MaximalCoordinatesLaws, CTimesTwistIsTheBias) {
  ForEachFactorization([&](TwistFrame, const Factorization&, const Maximal& m) {
    const Eigen::VectorXd twists = m.A * c_.v;
    Eigen::VectorXd expected(twists.size());
    for (Eigen::Index b = 0; b < twists.size(); b += 6) {
      const Vector6d x = twists.segment<6>(b);
      expected.segment<6>(b) = -MotionCross(x).transpose() * m.H.block<6, 6>(b, b) * x;
    }
    EXPECT_LE(RelativeError(m.C * twists, expected), kExact);
  });
}

// Zero in body axes; in world axes İ as the body moves past the fixed reference point.
TEST_P(MaximalCoordinatesLaws, CPlusItsTransposeIsTheRateOfH) {
  ForEachFactorization([&](TwistFrame frame, const Factorization&, const Maximal& m) {
    Eigen::MatrixXd Hdot = Eigen::MatrixXd::Zero(m.H.rows(), m.H.rows());
    if (frame == TwistFrame::kWorld) {
      const Eigen::VectorXd twists = m.A * c_.v;
      for (Eigen::Index b = 0; b < twists.size(); b += 6) {
        const Matrix6d I = m.H.block<6, 6>(b, b);
        const Matrix6d x = MotionCross(twists.segment<6>(b));
        Hdot.block<6, 6>(b, b) = -x.transpose() * I - I * x;
      }
    }
    EXPECT_LE(RelativeError(m.C + m.C.transpose(), Hdot), kExact);
  });
}

TEST_P(MaximalCoordinatesLaws, AdotIsTheRateOfA) {
  const auto A = [&](const Eigen::VectorXd& q) {
    return CalcMaximal(c_.model, {}, TwistFrame::kBody, q, c_.v).A;
  };
  EXPECT_LE(RelativeError(CalcMaximal(c_.model, {}, TwistFrame::kBody, c_.q, c_.v).Adot,
                          SlowRate(c_.spec, c_.q, c_.v, A)),
            kDifferences);
}

INSTANTIATE_TEST_SUITE_P(Seeds, MaximalCoordinatesLaws, testing::Range(0u, Seeds(20)));

TEST(MaximalCoordinates, CheckTheirArguments) {
  const Case c = MakeCase(1);
  const size_t n = static_cast<size_t>(c.model.num_bodies());
  Workspace<double> workspace(c.model);
  std::vector<Matrix6d> C(n), H(n), few(n - 1);
  Eigen::MatrixXd A(6 * c.model.num_bodies(), c.spec.nv), Adot = A;
  UpdateKinematics(c.model, c.q, workspace);
  constexpr TwistFrame kBody = TwistFrame::kBody;
  EXPECT_THROW(CalcMaximalCoordinates(c.model, {}, kBody, workspace, C, H), ContractError);
  EXPECT_THROW(CalcMaximalJacobian(c.model, kBody, workspace, A, Adot), ContractError);
  UpdateKinematics(c.model, c.q, c.v, workspace);
  EXPECT_NO_THROW(CalcMaximalCoordinates(c.model, {}, kBody, workspace, C, H));
  EXPECT_THROW(CalcMaximalCoordinates(c.model, {}, kBody, workspace, few, H), ContractError);
  EXPECT_THROW(CalcMaximalJacobian(c.model, kBody, workspace, A.topRows(6), Adot), ContractError);
}

}  // namespace maximal_coordinates_laws_test
}  // namespace civita
