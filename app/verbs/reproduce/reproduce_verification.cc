#include "app/verbs/reproduce/reproduce_verification.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "app/verbs/reproduce/reproduce.h"
#include "app/verbs/reproduce/reproduction.h"
#include "app/verbs/reproduce/tube_tree.h"
#include "civita/christoffel.h"
#include "civita/coriolis.h"
#include "civita/dual.h"
#include "civita/kinematics.h"
#include "civita/manifold.h"
#include "civita/mass_matrix.h"
#include "civita/rnea.h"

namespace civita {
namespace {

constexpr double kPi = std::numbers::pi;
constexpr double kVerified = 1e-13;
constexpr const char* kScaleRemark =
    "rounding grows with the bodies' size, which the paper does not give; the relative residual "
    "is judged";

template <typename A, typename B>
Residual Compare(const Eigen::MatrixBase<A>& a, const Eigen::MatrixBase<B>& b) {
  if (!a.allFinite() || !b.allFinite()) return {HUGE_VAL, 1};
  return {(a - b).cwiseAbs().maxCoeff(), b.cwiseAbs().maxCoeff()};
}

Eigen::MatrixXd DualMassMatrixRate(const Model& model, const Eigen::VectorXd& q,
                                   const Eigen::VectorXd& v) {
  Workspace<Dual> workspace(model);
  VectorX<Dual> moved(model.nq());
  MatrixX<Dual> H(model.nv(), model.nv());
  IntegratePosition<Dual>(model, q.cast<Dual>(), v.cast<Dual>(), Dual(0, 1), moved);
  UpdateKinematics(model, moved, workspace);
  CalcMassMatrix(model, workspace, H);
  return Derivatives(H);
}

/// Maximum residual over many states, for each law.
struct Worst {
  double absolute = 0, relative = 0;
  void Add(const Residual& residual) {
    absolute = std::max(absolute, residual.absolute);
    relative = std::max(relative, residual.relative());
  }
};

/// A law and the result of [EW]; one of several sizes stands with the largest of them.
struct Law {
  const char *absolute, *relative;
  std::optional<double> paper_10, paper_30;
  const char* source_30;  ///< which sizes paper_30 is of
  Residual LawResiduals::*residual;
};
constexpr const char* kOfAll = "[EW], section 5, largest of 10, 20 and 30 bodies";
constexpr std::array<Law, 3> kLaws = {{
    {"max |C v − RNEA|, N·m", "max |C v − RNEA| / max |C v|", 1.3e-11, 1.4e-9,
     "[EW], section 5, largest of 20 and 30 bodies", &LawResiduals::bias},
    {"max |Ḣ − C − Cᵀ|, N·m·s", "max |Ḣ − C − Cᵀ| / max |Ḣ|", std::nullopt, 1.8e-12, kOfAll,
     &LawResiduals::skew},
    {"max |C − Γ·v|, N·m·s", "max |C − Γ·v| / max |C|", std::nullopt, 1.6e-11, kOfAll,
     &LawResiduals::christoffel},
}};

/// All trials with this number of bodies. @returns false when stopped.
bool VerifySize(Reproduction* reproduction, int bodies, int trials,
                const Factorization& factorization, std::vector<std::vector<double>>* rows) {
  std::array<Worst, kLaws.size()> worst;
  std::mt19937_64 random(static_cast<unsigned>(bodies));
  for (int trial = 0; trial < trials; ++trial) {
    if (reproduction->ShouldStop(std::to_string(bodies) + " bodies, trial " +
                                 std::to_string(trial + 1) + " of " + std::to_string(trials))) {
      return false;
    }
    for (const bool branched : {false, true}) {
      const Model model =
          TubeTree(branched ? RandomTreeParents(bodies, &random) : ChainParents(bodies), kPi / 3);
      const Eigen::VectorXd q = UniformVector(bodies, 2 * kPi, &random);
      const Eigen::VectorXd v = UniformVector(bodies, 10, &random);
      const LawResiduals residuals = CalcLawResiduals(model, factorization, q, v);
      std::vector<double>& row = rows->emplace_back();
      row = {static_cast<double>(bodies), branched ? 1.0 : 0.0, static_cast<double>(trial)};
      for (std::size_t law = 0; law < kLaws.size(); ++law) {
        const Residual& residual = residuals.*kLaws[law].residual;
        worst[law].Add(residual);
        row.insert(row.end(), {residual.absolute, residual.scale});
      }
    }
  }
  for (std::size_t law = 0; law < kLaws.size(); ++law) {
    const std::string of = ", " + std::to_string(bodies) + " bodies";
    std::optional<Expected> paper;
    if (bodies == 10) paper = kLaws[law].paper_10;
    if (bodies == 30) paper.emplace(*kLaws[law].paper_30, kLaws[law].source_30);
    reproduction->Record(kLaws[law].absolute + of, paper, worst[law].absolute,
                         paper && worst[law].absolute > 1.2 * paper->value ? kScaleRemark : "");
    reproduction->ExpectAtMost(kLaws[law].relative + of, worst[law].relative, kVerified);
  }
  return true;
}

}  // namespace

LawResiduals CalcLawResiduals(const Model& model, const Factorization& factorization,
                              const Eigen::VectorXd& q, const Eigen::VectorXd& v) {
  const int nv = model.nv();
  Workspace<double> workspace(model);
  Eigen::MatrixXd C(nv, nv), H(nv, nv);
  Eigen::VectorXd bias(nv);
  Tensor3 Gamma(nv);
  UpdateKinematics(model, q, v, workspace);
  CalcCoriolisMatrix(model, factorization, workspace, {.C = C, .H = H});
  CalcInverseDynamics(model, Eigen::VectorXd::Zero(nv), workspace, bias);
  CalcChristoffelSymbols(model, workspace, Gamma.numbers());
  const Eigen::MatrixXd Hdot = DualMassMatrixRate(model, q, v);
  return {Compare(C * v, bias), Compare(C + C.transpose(), Hdot), Compare(Contract(Gamma, v), C)};
}

void VerifyLaws(Reproduction* reproduction, int trials, const Factorization& factorization) {
  std::vector<std::vector<double>> rows;
  for (const int bodies : {10, 20, 30}) {
    if (!VerifySize(reproduction, bodies, trials, factorization, &rows)) break;
  }
  reproduction->WriteCsv(".csv",
                         {"bodies", "branched", "trial", "bias_residual", "bias", "skew_residual",
                          "Hdot", "christoffel_residual", "C"},
                         rows);
}

void ReproduceVerification(Reproduction* reproduction) {
  VerifyLaws(reproduction, 100, Factorization());
}

}  // namespace civita
