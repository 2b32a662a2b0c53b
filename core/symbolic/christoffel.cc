#include "core/symbolic/christoffel.h"

#include <cmath>
#include <map>
#include <string>

#include "civita/christoffel.h"
#include "civita/error.h"
#include "civita/kinematics.h"
#include "civita/mass_matrix.h"
#include "core/symbolic/scalars.h"

namespace civita {
namespace {

using GiNaC::ex;

std::vector<GiNaC::symbol> MakeSymbols(const Model& model) {
  CIVITA_CHECK(model.nq() == model.nv() && !model.has_rotation_triples(),
               "the model has joints whose velocities are not the rates of q");
  std::vector<GiNaC::symbol> q;
  q.reserve(static_cast<size_t>(model.nq()));
  for (int k = 0; k < model.nq(); ++k) q.emplace_back("q" + std::to_string(k));
  return q;
}

Workspace<ex> UpdateSymbolicKinematics(const Model& model, const std::vector<GiNaC::symbol>& q) {
  VectorX<ex> position(model.nq());
  for (int k = 0; k < model.nq(); ++k) position[k] = q[static_cast<size_t>(k)];
  Workspace<ex> workspace(model);
  UpdateKinematics(model, position, workspace);
  return workspace;
}

/// The value of an expression of sums, products, whole powers, sines and cosines. Shared parts are
/// evaluated once.
class Evaluator {
 public:
  Evaluator(const std::vector<GiNaC::symbol>& q, const Eigen::VectorXd& values) {
    for (size_t k = 0; k < q.size(); ++k) known_[q[k]] = values[static_cast<Eigen::Index>(k)];
  }

  double operator()(const ex& e) {
    if (GiNaC::is_a<GiNaC::numeric>(e)) return GiNaC::ex_to<GiNaC::numeric>(e).to_double();
    const auto found = known_.find(e);
    if (found != known_.end()) return found->second;
    const double value = Calc(e);
    known_.emplace(e, value);
    return value;
  }

 private:
  double Calc(const ex& e) {
    if (GiNaC::is_a<GiNaC::add>(e)) {
      double sum = 0;
      for (size_t n = 0; n < e.nops(); ++n) sum += (*this)(e.op(n));
      return sum;
    }
    if (GiNaC::is_a<GiNaC::mul>(e)) {
      double product = 1;
      for (size_t n = 0; n < e.nops(); ++n) product *= (*this)(e.op(n));
      return product;
    }
    if (GiNaC::is_a<GiNaC::power>(e)) return std::pow((*this)(e.op(0)), (*this)(e.op(1)));
    CIVITA_CHECK(GiNaC::is_a<GiNaC::function>(e), "an expression of another kind: " << e);
    const std::string name = GiNaC::ex_to<GiNaC::function>(e).get_name();
    CIVITA_CHECK(name == "sin" || name == "cos", "an expression of another kind: " << e);
    return name == "sin" ? std::sin((*this)(e.op(0))) : std::cos((*this)(e.op(0)));
  }

  std::map<ex, double, GiNaC::ex_is_less> known_;
};

}  // namespace

std::vector<double> SymbolicChristoffel::Evaluate(const Eigen::VectorXd& values) const {
  CIVITA_CHECK(values.size() == static_cast<Eigen::Index>(q.size()),
               values.size() << " values for " << q.size() << " symbols");
  Evaluator evaluate(q, values);
  std::vector<double> numbers;
  numbers.reserve(Gamma.size());
  for (const ex& symbol : Gamma) numbers.push_back(evaluate(symbol));
  return numbers;
}

SymbolicChristoffel CalcSymbolicChristoffel(const Model& model) {
  SymbolicChristoffel result{MakeSymbols(model), {}};
  result.Gamma.resize(ChristoffelIndex(model.nv(), 0, 0, model.nv()));
  Workspace<ex> workspace = UpdateSymbolicKinematics(model, result.q);
  CalcChristoffelSymbols(model, workspace, std::span<ex>(result.Gamma));
  return result;
}

SymbolicChristoffel CalcSymbolicChristoffelByPartials(const Model& model) {
  const int nv = model.nv();
  SymbolicChristoffel result{MakeSymbols(model), {}};
  Workspace<ex> workspace = UpdateSymbolicKinematics(model, result.q);
  MatrixX<ex> H(nv, nv);
  CalcMassMatrix(model, workspace, H);
  std::vector<MatrixX<ex>> dH;
  for (const GiNaC::symbol& q : result.q) {
    MatrixX<ex>& partial = dH.emplace_back(nv, nv);
    for (int k = 0; k < nv; ++k) {
      for (int i = 0; i <= k; ++i) partial(i, k) = partial(k, i) = H(i, k).diff(q);
    }
  }
  for (int k = 0; k < nv; ++k) {
    for (int j = 0; j < nv; ++j) {
      for (int i = 0; i < nv; ++i) {
        const auto d = [&](int along, int row, int column) -> const ex& {
          return dH[static_cast<size_t>(along)](row, column);
        };
        result.Gamma.push_back((d(j, i, k) + d(k, i, j) - d(i, j, k)) / 2);
      }
    }
  }
  return result;
}

}  // namespace civita
