#include "app/verbs/bench/bench_quantities.h"

#include <algorithm>
#include <array>

#include "core/coriolis.h"
#include "core/dynamics_derivatives.h"
#include "core/error.h"
#include "core/forward_dynamics.h"
#include "core/mass_matrix.h"
#include "core/passivity_rnea.h"
#include "core/rnea.h"
#include "core/suggest.h"

namespace civita {
namespace {

std::size_t OneVector(const Model& model) { return static_cast<std::size_t>(model.nv()); }
std::size_t OneMatrix(const Model& model) { return OneVector(model) * OneVector(model); }
std::size_t TwoMatrices(const Model& model) { return 2 * OneMatrix(model); }
std::size_t ThreeMatrices(const Model& model) { return 3 * OneMatrix(model); }
std::size_t DenseSymbols(const Model& model) {
  return ChristoffelIndex(model.nv(), 0, 0, model.nv());
}
std::size_t PackedSymbols(const Model& model) { return ChristoffelLayout(model).size(); }

constexpr auto kCoriolis = [](auto& at) {
  at.UpdateVelocity();
  CalcCoriolisMatrix(at.model, at.factorization, at.workspace, at.C, at.H);
};
constexpr auto kMassMatrix = [](auto& at) {
  at.UpdatePosition();
  CalcMassMatrix(at.model, at.workspace, at.H);
};
constexpr auto kMassMatrixRate = [](auto& at) {
  at.UpdateVelocity();
  CalcMassMatrixDerivative(at.model, at.workspace, at.D);
};
constexpr auto kChristoffel = [](auto& at) {
  const int nv = at.model.nv();
  at.Gamma.resize(ChristoffelIndex(nv, 0, 0, nv));
  at.UpdatePosition();
  CalcChristoffelSymbols(at.model, at.workspace, at.Gamma);
};
constexpr auto kPackedChristoffel = [](auto& at) {
  at.packed.resize(at.layout.size());
  at.UpdatePosition();
  CalcPackedChristoffelSymbols(at.model, at.layout, at.workspace, at.packed);
};
constexpr auto kInverseDynamics = [](auto& at) {
  at.UpdateVelocity();
  CalcInverseDynamics(at.model, at.state().vdot, at.workspace, at.tau);
};
constexpr auto kBias = [](auto& at) {
  at.UpdateVelocity();
  CalcBiasForces(at.model, at.workspace, at.tau);
};
constexpr auto kPassivity = [](auto& at) {
  at.UpdateVelocity();
  CalcPassivityInverseDynamics(at.model, at.factorization, at.state().v_r, at.state().vdot_r,
                               at.workspace, at.tau);
};
constexpr auto kForwardDynamics = [](auto& at) {
  at.UpdateVelocity();
  CalcForwardDynamics(at.model, at.state().vdot, at.workspace, at.tau);
};
constexpr auto kDerivatives = [](auto& at) {
  at.UpdateVelocity();
  CalcInverseDynamicsDerivatives(at.model, at.state().vdot, at.workspace, at.D, at.C, at.H);
};

constexpr std::array kQuantities = {
    BenchQuantity{"C+H", "C(q,v), Christoffel-consistent, and H(q)", kCoriolis, kCoriolis,
                  &TwoMatrices},
    BenchQuantity{"H", "mass matrix", kMassMatrix, kMassMatrix, &OneMatrix},
    BenchQuantity{"Hdot", "its rate Ḣ", kMassMatrixRate, kMassMatrixRate, &OneMatrix},
    BenchQuantity{"Gamma", "all Christoffel symbols, dense", kChristoffel, kChristoffel,
                  &DenseSymbols},
    BenchQuantity{"Gamma packed", "each symbol once", kPackedChristoffel, kPackedChristoffel,
                  &PackedSymbols},
    BenchQuantity{"RNEA", "H v̇ + C v + g", kInverseDynamics, kInverseDynamics, &OneVector},
    BenchQuantity{"bias", "C v + g", kBias, kBias, &OneVector},
    BenchQuantity{"passivity RNEA", "H v̇_r + C v_r + g", kPassivity, kPassivity, &OneVector},
    BenchQuantity{"forward dynamics", "v̇ by articulated bodies", kForwardDynamics, kForwardDynamics,
                  &OneVector},
    BenchQuantity{"RNEA derivatives", "∂τ/∂q, ∂τ/∂v and H", kDerivatives, kDerivatives,
                  &ThreeMatrices},
};

}  // namespace

std::span<const BenchQuantity> BenchQuantities() { return kQuantities; }

const BenchQuantity& FindBenchQuantity(std::string_view name) {
  const auto found = std::ranges::find(kQuantities, name, &BenchQuantity::name);
  if (found != kQuantities.end()) return *found;
  std::vector<std::string> names;
  names.reserve(std::size(kQuantities));
  for (const BenchQuantity& quantity : kQuantities) names.emplace_back(quantity.name);
  throw UserError(UnknownName("quantity", std::string(name), names));
}

double CountFlops(const BenchQuantity& quantity, const Model& model) {
  BenchTask<Counted> task(model);
  Counted::operations = {};
  quantity.count(task);
  return static_cast<double>(Counted::operations.flops());
}

}  // namespace civita
