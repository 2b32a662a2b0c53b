#include "app/commands/eval_quantities.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <utility>

#include "core/christoffel.h"
#include "core/coriolis.h"
#include "core/error.h"
#include "core/kinematics.h"
#include "core/mass_matrix.h"
#include "core/passivity_rnea.h"
#include "core/rnea.h"
#include "core/suggest.h"

namespace civita {
namespace {

using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Eigen::Map<Eigen::VectorXd> AsVector(std::span<double> out) {
  return {out.data(), static_cast<Eigen::Index>(out.size())};
}

void StoreMatrix(const Eigen::MatrixXd& matrix, std::span<double> out) {
  Eigen::Map<RowMajor>(out.data(), matrix.rows(), matrix.cols()) = matrix;
}

void EvalH(Evaluator& at, std::span<double> out) {
  CalcMassMatrix(at.model, at.workspace, at.matrix);
  StoreMatrix(at.matrix, out);
}

void EvalC(Evaluator& at, std::span<double> out) {
  CalcCoriolisMatrix(at.model, at.factorization, at.workspace, at.matrix, at.unused);
  StoreMatrix(at.matrix, out);
}

/// Where the symbols of civita eval stand: row-major, as they are written.
std::size_t RowMajorIndex(int nv, int i, int j, int k) {
  const auto n = static_cast<std::size_t>(nv);
  return (static_cast<std::size_t>(i) * n + static_cast<std::size_t>(j)) * n +
         static_cast<std::size_t>(k);
}

/// C is linear in v: Γ_ijk is C_ik at v = e_j, whatever the factorization.
void EvalGammaByColumns(Evaluator& at, std::span<double> out) {
  const int nv = at.model.nv();
  for (int j = 0; j < nv; ++j) {
    UpdateKinematics(at.model, at.q, Eigen::VectorXd::Unit(nv, j), at.unit_workspace);
    CalcCoriolisMatrix(at.model, at.factorization, at.unit_workspace, at.matrix, at.unused);
    for (int i = 0; i < nv; ++i) {
      for (int k = 0; k < nv; ++k) out[RowMajorIndex(nv, i, j, k)] = at.matrix(i, k);
    }
  }
}

void EvalGamma(Evaluator& at, std::span<double> out) {
  if (!at.factorization.torsion_free()) return EvalGammaByColumns(at, out);
  const int nv = at.model.nv();
  std::vector<double> Gamma(out.size());
  CalcChristoffelSymbols(at.model, at.workspace, std::span<double>(Gamma));
  for (int k = 0; k < nv; ++k) {
    for (int j = 0; j < nv; ++j) {
      for (int i = 0; i < nv; ++i) {
        out[RowMajorIndex(nv, i, j, k)] = Gamma[ChristoffelIndex(nv, i, j, k)];
      }
    }
  }
}

void EvalHdot(Evaluator& at, std::span<double> out) {
  CalcMassMatrixDerivative(at.model, at.workspace, at.matrix);
  StoreMatrix(at.matrix, out);
}

void EvalG(Evaluator& at, std::span<double> out) {
  CalcGravityForces(at.model, at.workspace, AsVector(out));
}

void EvalBias(Evaluator& at, std::span<double> out) {
  CalcBiasForces(at.model, at.workspace, AsVector(out));
}

void EvalTau(Evaluator& at, std::span<double> out) {
  CalcInverseDynamics(at.model, at.a, at.workspace, AsVector(out));
}

void EvalCTv(Evaluator& at, std::span<double> out) {
  CalcCoriolisTransposeProduct(at.model, at.factorization, at.v, at.workspace, AsVector(out));
}

using enum QuantityShape;
constexpr std::array<Quantity, 8> kQuantities = {{
    {"H", kMatrix, "kg·m²", "kg", "mass matrix H(q), symmetric", EvalH},
    {"C", kMatrix, "kg·m²/s", "kg/s", "Coriolis matrix C(q,v) of the factorization", EvalC},
    {"Gamma", kTensor, "kg·m²", "kg/m",
     "symbols of the factorization: C[i][k] = Σ_j Gamma[i][j][k] v[j]", EvalGamma},
    {"Hdot", kMatrix, "kg·m²/s", "kg/s", "rate of H along v; it equals C + Cᵀ", EvalHdot},
    {"g", kVector, "N·m", "N", "gravity forces g(q)", EvalG},
    {"bias", kVector, "N·m", "N", "C v + g, the same for every factorization", EvalBias},
    {"tau", kVector, "N·m", "N", "inverse dynamics H a + C v + g", EvalTau},
    {"CTv", kVector, "N·m", "N", "Cᵀ v of the factorization", EvalCTv},
}};

std::vector<std::string> KnownNames() {
  std::vector<std::string> names;
  names.reserve(kQuantities.size() + 1);
  for (const Quantity& row : kQuantities) names.emplace_back(row.name);
  names.emplace_back("all");
  return names;
}

std::string Joined(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) text += (text.empty() ? "" : ", ") + name;
  return text;
}

void AddOnce(const Quantity& row, std::vector<const Quantity*>* found) {
  if (std::find(found->begin(), found->end(), &row) == found->end()) found->push_back(&row);
}

}  // namespace

const char* ToString(QuantityShape shape) {
  switch (shape) {
    case kVector:
      return "nv";
    case kMatrix:
      return "nv × nv";
    default:
      return "nv × nv × nv";
  }
}

std::span<const Quantity> Quantities() { return kQuantities; }

std::size_t RankOf(QuantityShape shape) { return shape == kVector ? 1 : shape == kMatrix ? 2 : 3; }

std::vector<const Quantity*> FindQuantities(const std::vector<std::string>& names) {
  if (names.empty()) {
    throw UserError("--quantities: says what to compute; valid: " + Joined(KnownNames()));
  }
  std::vector<const Quantity*> found;
  for (const std::string& name : names) {
    bool known = false;
    for (const Quantity& row : kQuantities) {
      if (name != "all" && name != row.name) continue;
      AddOnce(row, &found);
      known = true;
    }
    if (!known) {
      throw UserError("--quantities: " + UnknownName("quantity", name, KnownNames()));
    }
  }
  return found;
}

std::string DescribeQuantities() {
  std::string text;
  for (const Quantity& row : kQuantities) {
    std::string line = "  " + std::string(row.name);
    line.resize(9, ' ');
    text += line + std::string(row.doc) + " (" + ToString(row.shape) + ")\n";
  }
  return text;
}

Evaluator::Evaluator(const Model& model_in, Factorization factorization_in)
    : model(model_in),
      factorization(std::move(factorization_in)),
      workspace(model),
      unit_workspace(model),
      q(model.nq()),
      v(model.nv()),
      a(model.nv()),
      matrix(model.nv(), model.nv()),
      unused(model.nv(), model.nv()) {}

void Evaluator::SetState(std::span<const double> q_in, std::span<const double> v_in,
                         std::span<const double> a_in) {
  std::copy(q_in.begin(), q_in.end(), q.begin());
  std::copy(v_in.begin(), v_in.end(), v.begin());
  std::copy(a_in.begin(), a_in.end(), a.begin());
  UpdateKinematics(model, q, v, workspace);
}

}  // namespace civita
