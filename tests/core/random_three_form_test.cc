#include "civita/geometry/random_three_form.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <string>

#include "civita/coriolis.h"
#include "civita/error.h"
#include "civita/factorization_text.h"
#include "civita/geometry/three_form.h"
#include "civita/kinematics.h"
#include "civita/mass_matrix.h"
#include "tests/oracles/linear.h"
#include "tests/oracles/random_model.h"

namespace civita {
namespace random_three_form_test {

using Eigen::MatrixXd;
using Eigen::VectorXd;
using testing::HasSubstr;

/// `n` hinges in series about skew axes.
Model Hinges(int n) {
  ModelBuilder builder;
  int body = ModelBuilder::kWorld;
  for (int i = 0; i < n; ++i) {
    const MassProperties mass{1.0 / (i + 1), Eigen::Vector3d(0.1, 0.2, 0.1),
                              0.02 * Eigen::Matrix3d::Identity()};
    body = builder.AddBody("link" + std::to_string(i), body,
                           {Eigen::Matrix3d::Identity(), Eigen::Vector3d(0.1, 0, 0.3)}, mass);
    builder.AddJoint(body, JointType::kHinge,
                     {.name = "joint" + std::to_string(i), .axis = Eigen::Vector3d::Unit(i % 3)});
  }
  return builder.Build();
}

Factorization RandomForm(const Model& model, int seed, double size = 1) {
  Factorization factorization;
  factorization.three_forms.push_back(MakeRandomThreeForm(model, seed, size));
  return factorization;
}

MatrixXd MassMatrixAtDefault(const Model& model) {
  Workspace<double> workspace(model);
  UpdateKinematics<double>(model, model.DefaultPosition(), workspace);
  MatrixXd H(model.nv(), model.nv());
  CalcMassMatrix<double>(model, workspace, H);
  return H;
}

MatrixXd Coriolis(const Model& model, const Factorization& factorization, const VectorXd& v) {
  Workspace<double> workspace(model);
  UpdateKinematics<double>(model, model.DefaultPosition(), v, workspace);
  MatrixXd C(model.nv(), model.nv()), H = C;
  CalcCoriolisMatrix<double>(model, factorization, workspace, {.C = C, .H = H});
  return C;
}

TEST(RandomThreeForm, DiffersFromTheTorsionFreeByASkewMatrixThatLeavesTheForces) {
  for (const int n : {3, 4, 7}) {
    const Model model = Hinges(n);
    std::mt19937 random(static_cast<unsigned>(n));
    const VectorXd v = RandomVector(n, &random);
    const MatrixXd K =
        Coriolis(model, ParseFactorization("form:random:5", model), v) - Coriolis(model, {}, v);
    EXPECT_GT(K.norm(), 1e-3);
    EXPECT_LE((K + K.transpose()).norm(), 1e-12 * K.norm());
    EXPECT_LE((K * v).norm(), 1e-12 * K.norm() * v.norm());
  }
}

TEST(RandomThreeForm, IsTheSameForASeedEverywhere) {
  const Model model = Hinges(3);
  // By the generator as it is documented: SplitMix64, sums of 12 uniform numbers. Of 3 velocities
  // the one component is ±1 times the size by which it turns.
  const auto omega = [&](int seed) {
    return MakeRandomThreeForm(model, seed).components.front().omega.number();
  };
  EXPECT_EQ(omega(4), omega(4));
  double least = 0, largest = 0;
  for (int seed = 0; seed < 20; ++seed) {
    EXPECT_NEAR(std::abs(omega(seed)), std::abs(omega(0)), 1e-12 * std::abs(omega(0)));
    least = std::min(least, omega(seed));
    largest = std::max(largest, omega(seed));
  }
  EXPECT_LT(least, 0);
  EXPECT_GT(largest, 0);
  const Model longer = Hinges(4);
  const Tensor3 a = ThreeFormOf(RandomForm(longer, 1), 4),
                b = ThreeFormOf(RandomForm(longer, 2), 4);
  EXPECT_GT((a - b).MaxAbs(), 0.1 * a.MaxAbs());
}

/// Mean of ‖L⁻¹K(v)L⁻ᵀ‖_F²/n over v of covariance 1, by the coordinates' unit vectors.
TEST(RandomThreeForm, TurnsByItsSize) {
  for (const int n : {3, 5, 8}) {
    const Model model = Hinges(n);
    const MatrixXd L = linear::CholeskyFactor(MassMatrixAtDefault(model));
    const MatrixXd inverse = linear::Inverse(L);
    for (const double size : {1.0, 2.5}) {
      const Factorization form = RandomForm(model, 3, size);
      double mean = 0;
      for (int j = 0; j < n; ++j) {
        const VectorXd v = VectorXd::Unit(n, j);
        const MatrixXd K = Coriolis(model, form, v) - Coriolis(model, {}, v);
        mean += (inverse * K * inverse.transpose()).squaredNorm() / n;
      }
      EXPECT_NEAR(std::sqrt(mean), size, 1e-10);
    }
  }
}

/// In orthonormal velocities all components have one variance.
TEST(RandomThreeForm, HasNoDirectionOfItsOwn) {
  const int n = 4, seeds = 400;
  const Model model = Hinges(n);
  const MatrixXd E = linear::Inverse(linear::CholeskyFactor(MassMatrixAtDefault(model)));
  Eigen::Vector4d squares = Eigen::Vector4d::Zero();  // of ω̂_abc without index 0, 1, 2, 3
  for (int seed = 0; seed < seeds; ++seed) {
    const Tensor3 omega = ThreeFormOf(RandomForm(model, seed), n);
    Eigen::Vector4d components = Eigen::Vector4d::Zero();
    for (int without = 0; without < n; ++without) {
      int at[3], number = 0;
      for (int a = 0; a < n; ++a) {
        if (a != without) at[number++] = a;
      }
      for (int i = 0; i < n; ++i) {
        for (int j = 0; j < n; ++j) {
          for (int k = 0; k < n; ++k) {
            components[without] += E(at[0], i) * E(at[1], j) * E(at[2], k) * omega(i, j, k);
          }
        }
      }
    }
    squares += components.cwiseAbs2() / components.squaredNorm();
  }
  for (const double share : squares / seeds) EXPECT_NEAR(share, 0.25, 0.05);
}

TEST(RandomThreeForm, HasATextThatGivesItBack) {
  const Model model = Hinges(5);
  for (const std::string text :
       {"form:random:0", "form:random:7:0.5", "t:0.3+form:random:7", "plain+form:random:1:-2"}) {
    const Factorization form = ParseFactorization(text, model);
    EXPECT_EQ(ToString(form), text);
    ASSERT_EQ(form.three_forms.size(), 1u);
    EXPECT_EQ(form.three_forms[0].components.size(), 10u);
    EXPECT_FALSE(form.torsion_free());
  }
  EXPECT_EQ(ToString(ParseFactorization("form:random:7:1", model)), "form:random:7");
}

TEST(RandomThreeForm, MistakesAreNamed) {
  const auto why = [](const std::string& text, int n) -> std::string {
    try {
      ParseFactorization(text, Hinges(n));
    } catch (const UserError& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(why("form:random:x", 3),
            "factorization 'form:random:x': SEED must be a whole number from 0 to 2147483647, not "
            "'x'");
  EXPECT_THAT(why("form:random:-1", 3), HasSubstr("SEED must be a whole number"));
  EXPECT_THAT(why("form:random:", 3), HasSubstr("SEED must be a whole number"));
  EXPECT_THAT(why("form:random:1:big", 3), HasSubstr("SIZE must be a number, not 'big'"));
  EXPECT_THAT(why("form:random:1", 2),
              HasSubstr("a random three-form is for 3 to 80 velocities, the model has nv = 2"));
}

}  // namespace random_three_form_test
}  // namespace civita
