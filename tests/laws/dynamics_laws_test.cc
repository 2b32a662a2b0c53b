// Laws of H, C and g that hold for every factorization, on random mechanisms with all joint types,
// and slow independent computations.

#include <Eigen/Geometry>

#include "civita/factorization_text.h"
#include "civita/manifold.h"
#include "gtest/gtest.h"
#include "tests/oracles/compare.h"
#include "tests/oracles/core_dynamics.h"
#include "tests/oracles/linear.h"
#include "tests/oracles/random_case.h"
#include "tests/oracles/seeds.h"
#include "tests/oracles/slow_dynamics.h"

namespace civita {
namespace dynamics_laws_test {

const unsigned kSeeds = Seeds(40);
/// Tolerances: algebraic identities of numbers of order 10, and differences along a motion.
constexpr double kExact = 1e-13;
constexpr double kDifferences = 1e-9;

template <typename F>
void ForEachCase(F&& f, unsigned seeds = kSeeds) {
  for (unsigned seed = 0; seed < seeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Case c = MakeCase(seed);
    for (const Factorization& factorization : AllFactorizations(c, seed)) {
      SCOPED_TRACE(ToString(factorization));
      f(c, factorization);
      if (testing::Test::HasFatalFailure()) return;
    }
  }
}

TEST(DynamicsLaws, MassMatrixRateIsCPlusItsTranspose) {
  ForEachCase([](const Case& c, const Factorization& factorization) {
    const CoreDynamics d = CalcCoreDynamics(c.model, c.q, c.v, factorization);
    ASSERT_LE(RelativeError(d.C + d.C.transpose(), d.Hdot), kExact);
    ASSERT_LE(RelativeError(d.H_of_C, d.H), 1e-14);
  });
}

TEST(DynamicsLaws, CvIsTheBias) {
  ForEachCase([](const Case& c, const Factorization& factorization) {
    const CoreDynamics d = CalcCoreDynamics(c.model, c.q, c.v, factorization);
    ASSERT_LE(RelativeError(d.C * c.v + d.g, d.bias), kExact);
  });
}

TEST(DynamicsLaws, InverseDynamicsIsTheEquationOfMotion) {
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Case c = MakeCase(seed);
    std::mt19937 random(seed);
    const Eigen::VectorXd vdot = RandomVector(c.spec.nv, &random);
    const CoreDynamics d = CalcCoreDynamics(c.model, c.q, c.v);
    EXPECT_LE(RelativeError(CalcCoreInverseDynamics(c.model, c.q, c.v, vdot), d.H * vdot + d.bias),
              kExact);
  }
}

TEST(DynamicsLaws, CIsTheSumOverBodies) {
  ForEachCase(
      [](const Case& c, const Factorization& factorization) {
        const CoreDynamics d = CalcCoreDynamics(c.model, c.q, c.v, factorization);
        ASSERT_LE(RelativeError(d.C, SlowCoriolis(c.spec, factorization, c.q, c.v)), kDifferences);
      },
      20);
}

TEST(DynamicsLaws, ChristoffelIsKoszuls) {
  for (unsigned seed = 0; seed < 25; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Case c = MakeCase(seed);
    const Eigen::MatrixXd expected = SlowKoszulCoriolis(c.spec, c.q, c.v);
    const double christoffel = RelativeError(CalcCoreDynamics(c.model, c.q, c.v).C, expected);
    EXPECT_LE(christoffel, kDifferences);
    // Members of the family with torsion differ, though all other laws hold for them.
    for (const double t : {1.0, -1.0, 0.3}) {
      EXPECT_GT(
          RelativeError(CalcCoreDynamics(c.model, c.q, c.v, Factorization::Torsion(t)).C, expected),
          1e-4);
    }
  }
}

TEST(DynamicsLaws, MassMatrixIsTheSumOverBodies) {
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Case c = MakeCase(seed);
    const CoreDynamics d = CalcCoreDynamics(c.model, c.q, c.v);
    EXPECT_LE(RelativeError(d.H, SlowMassMatrix(c.spec, c.q)), kExact);
    EXPECT_EQ(d.H, d.H.transpose());
    EXPECT_GT(linear::SymmetricEigenvalues(d.H).minCoeff(), 0);
  }
}

TEST(DynamicsLaws, MassMatrixRateIsItsDerivativeAlongTheMotion) {
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Case c = MakeCase(seed);
    const auto mass_matrix = [&c](const Eigen::VectorXd& q) {
      return CalcCoreDynamics(c.model, q, c.v).H;
    };
    EXPECT_LE(RelativeError(CalcCoreDynamics(c.model, c.q, c.v).Hdot,
                            SlowRate(c.spec, c.q, c.v, mass_matrix)),
              kDifferences);
  }
}

TEST(DynamicsLaws, EnergiesAndGravity) {
  for (unsigned seed = 0; seed < kSeeds; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Case c = MakeCase(seed);
    const CoreDynamics d = CalcCoreDynamics(c.model, c.q, c.v);
    EXPECT_LE(RelativeError(d.kinetic_energy, 0.5 * c.v.dot(d.H * c.v)), kExact);
    EXPECT_LE(RelativeError(d.potential_energy, SlowPotentialEnergy(c.spec, c.q)), kExact);
    EXPECT_LE(RelativeError(d.g, SlowGravityForces(c.spec, c.q)), kDifferences);
    const auto potential_energy = [&c](const Eigen::VectorXd& q) {
      return CalcCoreDynamics(c.model, q, c.v).potential_energy;
    };
    EXPECT_LE(RelativeError(SlowRate(c.spec, c.q, c.v, potential_energy), d.g.dot(c.v)),
              kDifferences);
  }
}

TEST(DynamicsLaws, CIsLinearInTheVelocity) {
  ForEachCase([](const Case& c, const Factorization& factorization) {
    std::mt19937 random(17);
    const Eigen::VectorXd w = RandomVector(c.spec.nv, &random);
    const auto C = [&](const Eigen::VectorXd& v) {
      return CalcCoreDynamics(c.model, c.q, v, factorization).C;
    };
    ASSERT_LE(RelativeError(C(2 * c.v - 3 * w), 2 * C(c.v) - 3 * C(w)), kExact);
  });
}

TEST(DynamicsLaws, InjectionsAreSkewAndDoNotTouchCv) {
  int with_torsion = 0;
  ForEachCase([&with_torsion](const Case& c, const Factorization& factorization) {
    const Eigen::MatrixXd T = CalcCoreDynamics(c.model, c.q, c.v, factorization).C -
                              CalcCoreDynamics(c.model, c.q, c.v).C;
    ASSERT_LE(RelativeError(T, -T.transpose()), kExact);
    ASSERT_LE((T * c.v).cwiseAbs().maxCoeff(), 10 * kExact);
    // A body with fewer than three DoF has no torsion, whatever is injected.
    if (factorization.torsion_free()) {
      ASSERT_TRUE(T.isZero(0));
    }
    with_torsion += T.cwiseAbs().maxCoeff() > 1e-3 ? 1 : 0;
  });
  EXPECT_GT(with_torsion, 10 * static_cast<int>(kSeeds));
}

/// The whole mechanism displaced and rotated, including gravity.
TreeSpec Moved(const TreeSpec& spec, const Pose& X) {
  TreeSpec moved = spec;
  moved.gravity = X.R * spec.gravity;
  for (TreeSpec::Body& body : moved.bodies) {
    if (body.parent == ModelBuilder::kWorld) body.X_PB = X * body.X_PB;
  }
  return moved;
}

bool BeginsWithAFreeBody(const TreeSpec& spec) {
  const std::vector<TreeSpec::Joint>& joints = spec.bodies.front().joints;
  return !joints.empty() && joints.front().type == JointType::kFree;
}

bool HasFreeJoint(const TreeSpec& spec) {
  for (const TreeSpec::Body& body : spec.bodies) {
    for (const TreeSpec::Joint& joint : body.joints) {
      if (joint.type == JointType::kFree) return true;
    }
  }
  return false;
}

TEST(DynamicsLaws, ThePlaceInTheWorldDoesNotMatter) {
  const Pose X{Eigen::AngleAxisd(1.1, Eigen::Vector3d(1, 2, 3).normalized()).toRotationMatrix(),
               Eigen::Vector3d(3, -2, 5)};
  int moved = 0;
  for (unsigned seed = 0; seed < 40; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Case c = MakeCase(seed);
    // The velocities of a free joint are in world axes and would have to be rotated themselves.
    if (HasFreeJoint(c.spec)) continue;
    ++moved;
    const Model there = BuildTree(Moved(c.spec, X));
    for (const Factorization& factorization : AllFactorizations(c, seed)) {
      SCOPED_TRACE(ToString(factorization));
      const CoreDynamics a = CalcCoreDynamics(c.model, c.q, c.v, factorization);
      const CoreDynamics b = CalcCoreDynamics(there, c.q, c.v, factorization);
      EXPECT_LE(RelativeError(b.H, a.H), kExact);
      EXPECT_LE(RelativeError(b.C, a.C), kExact);
      EXPECT_LE(RelativeError(b.bias, a.bias), kExact);
    }
  }
  EXPECT_GT(moved, 10);
}

TEST(DynamicsLaws, FarFromTheOriginDigitsAreKept) {
  int moved = 0;
  for (unsigned seed = 0; seed < 200; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Case c = MakeCase(seed);
    if (!BeginsWithAFreeBody(c.spec)) continue;
    ++moved;
    Eigen::VectorXd far = c.q;
    far.head<3>() += Eigen::Vector3d(5e3, -7e3, 1e3);
    const CoreDynamics a = CalcCoreDynamics(c.model, c.q, c.v, Factorization::Torsion(0.3));
    const CoreDynamics b = CalcCoreDynamics(c.model, far, c.v, Factorization::Torsion(0.3));
    EXPECT_LE(RelativeError(b.C, a.C), kExact);
    EXPECT_LE(RelativeError(b.H, a.H), kExact);
  }
  EXPECT_GT(moved, 3);
}

// Shows that the laws above can fail: they detect an omitted term, a wrong sign, and a body-level
// factorization that is not admissible.
TEST(DynamicsLaws, WrongTermsAreSeen) {
  bool armature_seen = false;
  for (unsigned seed = 0; seed < 10; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Case c = MakeCase(seed);
    const CoreDynamics d = CalcCoreDynamics(c.model, c.q, c.v);
    const Eigen::MatrixXd not_admissible = SlowCoriolis(c.spec, {}, c.q, c.v, {.alpha = 0.5});
    EXPECT_GT(RelativeError(not_admissible + not_admissible.transpose(), d.Hdot), 1e-3);
    EXPECT_LE(RelativeError(not_admissible * c.v + d.g, d.bias), kDifferences);

    bool has_armature = false;
    for (const TreeSpec::Body& body : c.spec.bodies) {
      for (const TreeSpec::Joint& joint : body.joints) {
        has_armature |= joint.properties.armature > 0 && RotationOffset(joint.type) >= 0;
      }
    }
    if (!has_armature) continue;
    armature_seen = true;
    const Eigen::MatrixXd koszul = SlowKoszulCoriolis(c.spec, c.q, c.v);
    for (const double sign : {0.0, -1.0}) {
      const Eigen::MatrixXd wrong = SlowCoriolis(c.spec, {}, c.q, c.v, {.armature_sign = sign});
      EXPECT_GT(RelativeError(wrong, koszul), 1e-4);
      EXPECT_GT(RelativeError(wrong, d.C), 1e-4);
    }
  }
  EXPECT_TRUE(armature_seen);
}

// The slow oracle's Jacobians depend on the poses alone.
TEST(DynamicsLaws, OracleJacobiansAreRatesOfPoses) {
  for (unsigned seed = 0; seed < 10; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Case c = MakeCase(seed);
    const std::vector<SlowBody> bodies = SlowBodies(c.spec, c.q);
    for (size_t b = 0; b < bodies.size(); ++b) {
      const Pose& X = bodies[b].X_WB;
      const auto R = [&](const Eigen::VectorXd& q) { return SlowBodies(c.spec, q)[b].X_WB.R; };
      const auto p = [&](const Eigen::VectorXd& q) { return SlowBodies(c.spec, q)[b].X_WB.p; };
      const Eigen::Matrix3d W = SlowRate(c.spec, c.q, c.v, R) * X.R.transpose();
      const Eigen::Vector3d w(W(2, 1), W(0, 2), W(1, 0));
      Eigen::Matrix<double, 6, 1> twist;
      twist << w, SlowRate(c.spec, c.q, c.v, p) - w.cross(X.p);
      EXPECT_LE(RelativeError(bodies[b].J * c.v, twist), kDifferences);
    }
  }
}

TEST(DynamicsLaws, FloatKeepsItsDigits) {
  for (unsigned seed = 0; seed < 10; ++seed) {
    SCOPED_TRACE("seed " + std::to_string(seed));
    const Case c = MakeCase(seed);
    const CoreDynamics d = CalcCoreDynamics(c.model, c.q, c.v);
    Workspace<float> workspace(c.model);
    Eigen::MatrixXf C(c.spec.nv, c.spec.nv), H(c.spec.nv, c.spec.nv);
    UpdateKinematics(c.model, c.q.cast<float>(), c.v.cast<float>(), workspace);
    CalcCoriolisMatrix(c.model, {}, workspace, {.C = C, .H = H});
    EXPECT_LE(RelativeError(C.cast<double>(), d.C), 1e-4);
    EXPECT_LE(RelativeError(H.cast<double>(), d.H), 1e-4);
  }
}

}  // namespace dynamics_laws_test
}  // namespace civita
