#include "civita/study/advise/torsion_along_reference.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "base/decompositions.h"
#include "base/max_abs.h"
#include "base/text.h"
#include "civita/controllers/damping_force.h"
#include "civita/error.h"
#include "civita/sim/plant_geometry.h"
#include "civita/study/watch.h"

namespace civita {

using Eigen::MatrixXd;
using Eigen::VectorXd;

namespace {

void CheckSamples(std::span<const ReferenceSample> reference) {
  if (reference.size() < 2) {
    throw UserError("a reference without duration: at least two samples are needed, there are " +
                    std::to_string(reference.size()));
  }
  for (std::size_t i = 1; i < reference.size(); ++i) {
    if (reference[i].t > reference[i - 1].t) continue;
    throw UserError(
        "the times of a reference must ascend: " + internal::ShortNumber(reference[i].t) +
        " s comes after " + internal::ShortNumber(reference[i - 1].t) + " s");
  }
}

/// A gain as one number for each velocity of the geometry.
VectorXd SpreadGain(const char* name, const VectorXd& gain, int nv, const PlantGeometry& geometry) {
  CIVITA_CHECK(gain.size() == 1 || gain.size() == nv,
               name << " has " << gain.size() << " numbers, the model nv = " << nv);
  VectorXd spread(geometry.size());
  geometry.Select(gain.size() == 1 ? VectorXd::Constant(nv, gain[0]) : gain, spread);
  for (const double k : spread) {
    if (k > 0 && std::isfinite(k * k)) continue;
    throw UserError(std::string("gains.") + name + " is " + internal::ShortNumber(k) +
                    ": errors along a reference decay with gains > 0 alone, whose squares are "
                    "numbers, too");
  }
  return spread;
}

/// G of the geometry's velocities, n × n; without one zero.
MatrixXd SelectSkewGain(const MatrixXd& G, int nv, const PlantGeometry& geometry) {
  const int n = geometry.size();
  MatrixXd selected = MatrixXd::Zero(n, n);
  if (G.size() == 0) return selected;
  CIVITA_CHECK(G.rows() == nv && G.cols() == nv && G == -G.transpose(),
               "G has " << G.rows() << " × " << G.cols() << " numbers or is not skew");
  MatrixXd columns(n, nv);
  VectorXd of_column(n);
  for (int j = 0; j < nv; ++j) {
    geometry.Select(G.col(j), of_column);
    columns.col(j) = of_column;
  }
  for (int i = 0; i < n; ++i) {
    geometry.Select(columns.row(i).transpose(), of_column);
    selected.row(i) = of_column.transpose();
  }
  return selected;
}

[[noreturn]] void RefuseSingular(const char* what, double t) {
  throw UserError(std::string(what) + " at t = " + internal::ShortNumber(t) +
                  " s of the reference: errors have no equations there");
}

/// The least, mean and largest eigenvalue of H⁻¹(K_D + D) of a sample; `k`: all of them, if known.
void AddRates(const TorsionAlongReference::Sample& sample, std::optional<double> k,
              TorsionAlongReference* along) {
  if (k && sample.D.isZero(0)) {
    along->k_min = std::min(along->k_min, *k);
    along->k_max = std::max(along->k_max, *k);
    along->k_mean += *k;
    return;
  }
  const MatrixXd damping = 0.5 * (sample.K_D + sample.K_D.transpose()) + sample.D;
  const auto eigen = internal::DecomposeGeneralized(damping, sample.H);
  if (!eigen) RefuseSingular("H is singular", sample.t);
  along->k_min = std::min(along->k_min, eigen->values.minCoeff());
  along->k_max = std::max(along->k_max, eigen->values.maxCoeff());
  along->k_mean += eigen->values.mean();
}

}  // namespace

bool TorsionAlongReference::rests() const {
  return std::ranges::all_of(samples, [](const Sample& sample) { return sample.v_d.isZero(0); });
}

bool TorsionAlongReference::has_one_rate() const {
  return omega_G == 0 && k_max - k_min <= kAlike * k_max &&
         Lambda.maxCoeff() - Lambda.minCoeff() <= kAlike * Lambda.maxCoeff();
}

MatrixXd CalcDampingRate(const Model& model, const VectorXd& v) {
  const auto rate = [](double d, double d2, double d3, double speed) {
    return d + 2 * d2 * std::abs(speed) + 3 * d3 * speed * speed;
  };
  MatrixXd D = MatrixXd::Zero(model.nv(), model.nv());
  for (int i = 0; i < model.nv(); ++i) {
    D(i, i) =
        rate(model.damping()[i], model.damping_poly()(i, 0), model.damping_poly()(i, 1), v[i]);
  }
  for (const Model::Tendon& tendon : model.tendons()) {
    VectorXd arm = VectorXd::Zero(model.nv());
    for (std::size_t k = 0; k < tendon.terms.size(); ++k) {
      arm[tendon.iv[k]] += tendon.terms[k].coefficient;
    }
    D += rate(tendon.damping, tendon.damping_poly[0], tendon.damping_poly[1], arm.dot(v)) * arm *
         arm.transpose();
  }
  return D;
}

TorsionAlongReference SampleTorsion(const Model& model, const VelocitySpace* closed,
                                    const Factorization& factorization, const ErrorGains& gains,
                                    std::span<const ReferenceSample> reference) {
  if (!factorization.admissible()) {
    throw UserError(
        "factorization: a C with alpha is not admissible (Ḣ ≠ C + Cᵀ), so that it differs from the "
        "torsion-free one by more than torsion");
  }
  factorization.Check(model);
  CheckSamples(reference);
  PlantGeometry geometry(model, closed);
  const int n = geometry.size();
  if (n == 0) throw UserError("the loops leave no velocity: nothing can move");
  TorsionAlongReference along;
  along.parts = FindErrorParts(model, closed);
  along.period_s = gains.period_s;
  along.delay_s = gains.delay_s;
  along.Lambda = SpreadGain("Lambda", gains.Lambda, model.nv(), geometry);
  const VectorXd K_D = SpreadGain("K_D", gains.K_D, model.nv(), geometry);
  const MatrixXd G = SelectSkewGain(gains.G, model.nv(), geometry);
  along.k_min = std::numeric_limits<double>::infinity();
  std::optional<double> k;
  if (gains.form == GainForm::kMass && K_D.minCoeff() == K_D.maxCoeff()) k = K_D[0];
  MatrixXd A;
  for (const ReferenceSample& state : reference) {
    StopScope::Ask();
    CIVITA_CHECK(state.q.size() == model.nq() && state.v.size() == model.nv(),
                 "a sample has " << state.q.size() << " and " << state.v.size() << " numbers");
    if (!geometry.Update(state.q, state.v)) RefuseSingular("the loops are singular", state.t);
    TorsionAlongReference::Sample sample;
    sample.t = state.t;
    sample.v_d = VectorXd(n);
    geometry.Select(state.v, sample.v_d);
    sample.H = sample.C_LC = sample.K = MatrixXd(n, n);
    geometry.CalcCoriolisMatrix(factorization, {.C = sample.K, .H = sample.H});
    geometry.CalcCoriolisMatrix(Factorization::Christoffel(), {.C = sample.C_LC, .H = sample.H});
    // What rounding leaves is no torsion.
    const double size = internal::MaxAbs(sample.K) + internal::MaxAbs(sample.C_LC);
    sample.K -= sample.C_LC;
    if (internal::MaxAbs(sample.K) <= 1e-12 * size) sample.K.setZero();
    sample.K_D = CalcDampingMatrix(gains.form, K_D, sample.H) + G;
    sample.D = CalcDampingRate(model, state.v);
    if (closed != nullptr) {
      geometry.CalcTreeVelocities(MatrixXd::Identity(n, n), A);
      sample.D = A.transpose() * sample.D * A;
    }
    if (!(internal::CalcReciprocalCondition(sample.H) > 1e-14)) {
      RefuseSingular("H is singular", state.t);
    }
    AddRates(sample, k, &along);
    if (!G.isZero(0)) {
      const MatrixXd A_G = internal::SolvePositiveDefinite(sample.H, G);
      const double turning = -0.5 * A_G.cwiseProduct(A_G.transpose()).sum();
      along.omega_G = std::max(along.omega_G, std::sqrt(turning));
    }
    along.samples.push_back(std::move(sample));
  }
  along.k_mean /= static_cast<double>(along.samples.size());
  return along;
}

}  // namespace civita
