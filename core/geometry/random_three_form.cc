#include "civita/geometry/random_three_form.h"

#include <cmath>
#include <cstdint>

#include "base/decompositions.h"
#include "base/random.h"
#include "civita/error.h"
#include "civita/kinematics.h"
#include "civita/mass_matrix.h"
#include "civita/tensor3.h"
#include "civita/workspace.h"

namespace civita {
namespace {

using Eigen::MatrixXd;

/// Of mean 0 and variance 1; additions alone, so that no library's log or cosine is in it.
double NearlyNormal(Random* random) {
  double sum = -6;
  for (int i = 0; i < 12; ++i) sum += random->Uniform();
  return sum;
}

Tensor3 DrawThreeForm(int n, int seed) {
  Random random(seed, Random::Stream::kThreeForm);
  Tensor3 omega(n);
  for (int a = 0; a < n; ++a) {
    for (int b = a + 1; b < n; ++b) {
      for (int c = b + 1; c < n; ++c) {
        const double x = NearlyNormal(&random);
        omega(a, b, c) = omega(b, c, a) = omega(c, a, b) = x;
        omega(c, b, a) = omega(b, a, c) = omega(a, c, b) = -x;
      }
    }
  }
  return omega;
}

/// Mean of ‖K̂‖_F²/n, K̂_ac = Σ_b ω̂_abc σ_b, over σ = Lᵀv with v of covariance 1.
double MeanSquareTurning(const Tensor3& omega, const MatrixXd& L) {
  const int n = omega.n();
  const MatrixXd W = L.transpose() * L;
  double sum = 0;
  for (int b = 0; b < n; ++b) {
    for (int d = 0; d < n; ++d) {
      double product = 0;
      for (int a = 0; a < n; ++a) {
        for (int c = 0; c < n; ++c) product += omega(a, b, c) * omega(a, d, c);
      }
      sum += product * W(b, d);
    }
  }
  return sum / n;
}

/// The tensor with its first index i, Σ_a L_ia ω_abc, put last: three times gives all three.
Tensor3 TransformFirst(const Tensor3& omega, const MatrixXd& L) {
  const int n = omega.n();
  return MakeTensor3(n, [&](int b, int c, int i) {
    double sum = 0;
    for (int a = 0; a <= i; ++a) sum += L(i, a) * omega(a, b, c);
    return sum;
  });
}

}  // namespace

Factorization::ThreeForm MakeRandomThreeForm(const Model& model, int seed, double size) {
  const int n = model.nv();
  if (n < 3 || n > kMostVelocities) {
    throw UserError("a random three-form is for 3 to " + std::to_string(kMostVelocities) +
                    " velocities, the model has nv = " + std::to_string(n));
  }
  Workspace<double> workspace(model);
  UpdateKinematics<double>(model, model.DefaultPosition(), workspace);
  MatrixXd H(n, n);
  CalcMassMatrix<double>(model, workspace, H);
  const auto metric = internal::DecomposePositiveDefinite(H);
  if (!metric) {
    throw UserError("a random three-form: H is singular at the model's default position");
  }
  Tensor3 omega = DrawThreeForm(n, seed);
  const double scale = size / std::sqrt(MeanSquareTurning(omega, metric->L));
  for (int index = 0; index < 3; ++index) omega = TransformFirst(omega, metric->L);
  Factorization::ThreeForm form;
  for (int i = 0; i < n; ++i) {
    for (int j = i + 1; j < n; ++j) {
      for (int k = j + 1; k < n; ++k) form.components.push_back({i, j, k, scale * omega(i, j, k)});
    }
  }
  return form;
}

}  // namespace civita
