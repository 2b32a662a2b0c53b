#pragma once

#include <array>
#include <string_view>
#include <type_traits>

#include "app/verbs/bench/bench_task.h"
#include "civita/centroidal.h"
#include "civita/coriolis.h"
#include "civita/dynamics_derivatives.h"
#include "civita/forward_dynamics.h"
#include "civita/frame_motion.h"
#include "civita/mass_matrix.h"
#include "civita/passivity_rnea.h"
#include "civita/rnea.h"

namespace civita {

/// A quantity to be timed, or with T = Counted to be counted: a call of the public API from the
/// state (including sines and cosines) to the complete output.
template <typename T>
struct BenchQuantity {
  std::string_view name;                      ///< "C+H"
  std::string_view about;                     ///< what is computed, for display
  void (*call)(BenchTask<T>& at);             ///< nullptr where there is none for this T
  std::size_t (*output)(const Model& model);  ///< count of numbers written
};

namespace bench_calls {

inline std::size_t OneVector(const Model& model) { return static_cast<std::size_t>(model.nv()); }
inline std::size_t OneMatrix(const Model& model) { return OneVector(model) * OneVector(model); }
inline std::size_t TwoMatrices(const Model& model) { return 2 * OneMatrix(model); }
inline std::size_t ThreeMatrices(const Model& model) { return 3 * OneMatrix(model); }
inline std::size_t SixNumbers(const Model& /*model*/) { return 6; }
inline std::size_t VectorAndPoint(const Model& model) { return OneVector(model) + 3; }
inline std::size_t SixRows(const Model& model) { return 6 * OneVector(model); }
inline std::size_t ThreeTimesSixRows(const Model& model) { return 3 * SixRows(model); }
inline std::size_t Parameters(const Model& model) {
  return OneVector(model) * (kNumBodyParameters * BodyFrames(model).size() + 1);
}
inline std::size_t DenseSymbols(const Model& model) {
  return ChristoffelIndex(model.nv(), 0, 0, model.nv());
}
inline std::size_t PackedSymbols(const Model& model) { return ChristoffelLayout(model).size(); }

inline constexpr auto kCoriolis = [](auto& at) {
  at.UpdateVelocity();
  CalcCoriolisMatrix(at.model, at.factorization, at.workspace, {.C = at.C, .H = at.H});
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
inline constexpr auto kForwardDerivatives = [](auto& at) {
  at.UpdateVelocity();
  (void)CalcForwardDynamicsDerivatives(at.model, at.state().vdot, at.workspace, at.factor, at.D,
                                       at.C, at.H);
};
inline constexpr auto kRegressor = [](auto& at) {
  at.UpdateVelocity();
  CalcRegressor(at.model, at.factorization, at.frames, at.state().v_r, at.state().vdot_r,
                at.workspace, at.Y, at.tau);
};
inline constexpr auto kJacobian = [](auto& at) {
  at.UpdatePosition();
  CalcFrameJacobian(at.model, {at.last, BenchPoint()}, at.workspace, at.six_rows[0]);
};
inline constexpr auto kJacobianRate = [](auto& at) {
  at.UpdateVelocity();
  CalcFrameJacobianDerivative(at.model, {at.last, BenchPoint()}, at.workspace, at.six_rows[0]);
};
inline constexpr auto kFrameAcceleration = [](auto& at) {
  at.UpdateVelocity();
  at.six = CalcFrameAcceleration(at.model, {at.last, BenchPoint()},
                                 ReferenceFrame::kLocalWorldAligned, at.state().vdot, at.workspace);
};
inline constexpr auto kCentroidalMatrix = [](auto& at) {
  at.UpdatePosition();
  CalcCentroidalMomentumMatrix(at.model, at.workspace, at.six_rows[0]);
};
inline constexpr auto kCentroidalDerivatives = [](auto& at) {
  at.UpdateVelocity();
  CalcCentroidalMomentumRateDerivatives(at.model, at.state().vdot, at.workspace, at.six_rows[0],
                                        at.six_rows[1], at.six_rows[2]);
};
inline constexpr auto kConstrainedDynamics = [](auto& at) {
  at.UpdateVelocity();
  ConstrainedDynamics& held = at.Held();
  (void)held.Update(at.workspace);
  (void)held.CalcForwardDynamics(at.state().vdot, at.workspace, at.tau, at.lambda);
};
inline constexpr auto kImpulse = [](auto& at) {
  at.UpdateVelocity();
  ConstrainedDynamics& held = at.Held();
  (void)held.Update(at.workspace);
  (void)held.CalcImpulse(at.state().v, 0, at.tau, at.lambda);
};

/// A call of functions that are there for double alone, whose operations are not counted.
template <typename T, typename Call>
constexpr auto OfDouble(Call call) -> void (*)(BenchTask<T>&) {
  if constexpr (std::is_same_v<T, double>) {
    return call;
  } else {
    return nullptr;
  }
}

}  // namespace bench_calls

/// All quantities. Pinocchio's calls for them are rows of tests/peers/pinocchio_calls.cc.
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
    BenchQuantity<T>{"forward dynamics derivatives", "∂v̇/∂q, ∂v̇/∂v and H⁻¹",
                     bench_calls::kForwardDerivatives, &bench_calls::ThreeMatrices},
    BenchQuantity<T>{"regressor", "Y and y_0 with Y π + y_0 = H v̇_r + C v_r + g",
                     bench_calls::kRegressor, &bench_calls::Parameters},
    BenchQuantity<T>{"Jacobian", "J of a point of the last body", bench_calls::kJacobian,
                     &bench_calls::SixRows},
    BenchQuantity<T>{"Jacobian rate", "J̇ of this point", bench_calls::kJacobianRate,
                     &bench_calls::SixRows},
    BenchQuantity<T>{"frame acceleration", "of this point, spatial",
                     bench_calls::kFrameAcceleration, &bench_calls::SixNumbers},
    BenchQuantity<T>{"centroidal matrix", "A_G with h_G = A_G v", bench_calls::kCentroidalMatrix,
                     &bench_calls::SixRows},
    BenchQuantity<T>{"centroidal derivatives", "of ḣ_G by q, v and v̇",
                     bench_calls::kCentroidalDerivatives, &bench_calls::ThreeTimesSixRows},
    BenchQuantity<T>{"constrained dynamics", "v̇ and λ with this point held",
                     bench_calls::OfDouble<T>(bench_calls::kConstrainedDynamics),
                     &bench_calls::VectorAndPoint},
    BenchQuantity<T>{"impulse", "v⁺ and Λ with this point stopped",
                     bench_calls::OfDouble<T>(bench_calls::kImpulse), &bench_calls::VectorAndPoint},
};

}  // namespace civita
