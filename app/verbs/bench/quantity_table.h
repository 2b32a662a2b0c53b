#pragma once

#include <array>
#include <string_view>

#include "app/verbs/bench/bench_task.h"
#include "civita/coriolis.h"
#include "civita/dynamics_derivatives.h"
#include "civita/forward_dynamics.h"
#include "civita/mass_matrix.h"
#include "civita/passivity_rnea.h"
#include "civita/rnea.h"

namespace civita {

/// A quantity to be timed, or with T = Counted to be counted: a call of the public API from the
/// state (including sines and cosines) to the complete output.
template <typename T>
struct BenchQuantity {
  std::string_view name;   ///< "C+H"
  std::string_view about;  ///< what is computed, for display
  void (*call)(BenchTask<T>& at);
  std::size_t (*output)(const Model& model);  ///< count of numbers written
};

namespace bench_calls {

inline std::size_t OneVector(const Model& model) { return static_cast<std::size_t>(model.nv()); }
inline std::size_t OneMatrix(const Model& model) { return OneVector(model) * OneVector(model); }
inline std::size_t TwoMatrices(const Model& model) { return 2 * OneMatrix(model); }
inline std::size_t ThreeMatrices(const Model& model) { return 3 * OneMatrix(model); }
inline std::size_t DenseSymbols(const Model& model) {
  return ChristoffelIndex(model.nv(), 0, 0, model.nv());
}
inline std::size_t PackedSymbols(const Model& model) { return ChristoffelLayout(model).size(); }

inline constexpr auto kCoriolis = [](auto& at) {
  at.UpdateVelocity();
  CalcCoriolisMatrix(at.model, at.factorization, at.workspace, at.C, at.H);
};
inline constexpr auto kMassMatrix = [](auto& at) {
  at.UpdatePosition();
  CalcMassMatrix(at.model, at.workspace, at.H);
};
inline constexpr auto kMassMatrixRate = [](auto& at) {
  at.UpdateVelocity();
  CalcMassMatrixDerivative(at.model, at.workspace, at.D);
};
inline constexpr auto kChristoffel = [](auto& at) {
  const int nv = at.model.nv();
  at.Gamma.resize(ChristoffelIndex(nv, 0, 0, nv));
  at.UpdatePosition();
  CalcChristoffelSymbols(at.model, at.workspace, at.Gamma);
};
inline constexpr auto kPackedChristoffel = [](auto& at) {
  at.packed.resize(at.layout.size());
  at.UpdatePosition();
  CalcPackedChristoffelSymbols(at.model, at.layout, at.workspace, at.packed);
};
inline constexpr auto kInverseDynamics = [](auto& at) {
  at.UpdateVelocity();
  CalcInverseDynamics(at.model, at.state().vdot, at.workspace, at.tau);
};
inline constexpr auto kBias = [](auto& at) {
  at.UpdateVelocity();
  CalcBiasForces(at.model, at.workspace, at.tau);
};
inline constexpr auto kPassivity = [](auto& at) {
  at.UpdateVelocity();
  CalcPassivityInverseDynamics(at.model, at.factorization, at.state().v_r, at.state().vdot_r,
                               at.workspace, at.tau);
};
inline constexpr auto kForwardDynamics = [](auto& at) {
  at.UpdateVelocity();
  CalcForwardDynamics(at.model, at.state().vdot, at.workspace, at.tau);
};
inline constexpr auto kDerivatives = [](auto& at) {
  at.UpdateVelocity();
  CalcInverseDynamicsDerivatives(at.model, at.state().vdot, at.workspace, at.D, at.C, at.H);
};
inline constexpr auto kProductDerivatives = [](auto& at) {
  at.UpdateVelocity();
  CalcCoriolisProductDerivatives(at.model, at.factorization, at.state().v_r, at.workspace, at.D,
                                 at.C);
};

}  // namespace bench_calls

/// All quantities.
template <typename T>
inline constexpr std::array kBenchQuantities = {
    BenchQuantity<T>{"C+H", "C(q,v), Christoffel-consistent, and H(q)", bench_calls::kCoriolis,
                     &bench_calls::TwoMatrices},
    BenchQuantity<T>{"H", "mass matrix", bench_calls::kMassMatrix, &bench_calls::OneMatrix},
    BenchQuantity<T>{"Hdot", "its rate Ḣ", bench_calls::kMassMatrixRate, &bench_calls::OneMatrix},
    BenchQuantity<T>{"Gamma", "all Christoffel symbols, dense", bench_calls::kChristoffel,
                     &bench_calls::DenseSymbols},
    BenchQuantity<T>{"Gamma packed", "each symbol once", bench_calls::kPackedChristoffel,
                     &bench_calls::PackedSymbols},
    BenchQuantity<T>{"RNEA", "H v̇ + C v + g", bench_calls::kInverseDynamics,
                     &bench_calls::OneVector},
    BenchQuantity<T>{"bias", "C v + g", bench_calls::kBias, &bench_calls::OneVector},
    BenchQuantity<T>{"passivity RNEA", "H v̇_r + C v_r + g", bench_calls::kPassivity,
                     &bench_calls::OneVector},
    BenchQuantity<T>{"forward dynamics", "v̇ by articulated bodies", bench_calls::kForwardDynamics,
                     &bench_calls::OneVector},
    BenchQuantity<T>{"RNEA derivatives", "∂τ/∂q, ∂τ/∂v and H", bench_calls::kDerivatives,
                     &bench_calls::ThreeMatrices},
    BenchQuantity<T>{"C w derivatives", "∂(C w)/∂q and ∂(C w)/∂v", bench_calls::kProductDerivatives,
                     &bench_calls::TwoMatrices},
};

}  // namespace civita
