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
  std::string_view name;  ///< "C+H"
  bool is_of_velocity;    ///< otherwise of positions alone
  /// Count of numbers written; 0 where the model has nothing that it is of.
  std::size_t (*output)(const Model& model);
  /// From the kinematics on; nullptr where there is none for this T.
  void (*calc)(BenchTask<T>& at);

  /// Computes it of the next state.
  void Run(BenchTask<T>& at) const {
    at.Update(is_of_velocity);
    calc(at);
  }
};

namespace bench_rows {

template <int count>
std::size_t Vectors(const Model& model) {
  return count * static_cast<std::size_t>(model.nv());
}
template <int count>
std::size_t Matrices(const Model& model) {
  return Vectors<count>(model) * Vectors<1>(model);
}
inline std::size_t SixNumbers(const Model& /*model*/) { return 6; }
inline std::size_t VectorAndPoint(const Model& model) { return Vectors<1>(model) + 3; }
inline std::size_t VectorAndFeet(const Model& model) {
  const std::size_t feet = FindFeet(model).size();
  return feet == 0 ? 0 : Vectors<1>(model) + feet * (feet == 2 ? 6 : 3);
}
inline std::size_t Parameters(const Model& model) {
  return Vectors<1>(model) * (kNumBodyParameters * BodyFrames(model).size() + 1);
}
inline std::size_t ParametersAlone(const Model& model) {
  return kNumBodyParameters * BodyFrames(model).size();
}
inline std::size_t DenseSymbols(const Model& model) {
  return ChristoffelIndex(model.nv(), 0, 0, model.nv());
}
inline std::size_t PackedSymbols(const Model& model) { return ChristoffelLayout(model).size(); }

/// A call of functions that are there for double alone, whose operations are not counted.
template <typename T, typename Calc>
constexpr auto OfDouble(Calc calc) -> void (*)(BenchTask<T>&) {
  if constexpr (std::is_same_v<T, double>) {
    return calc;
  } else {
    return nullptr;
  }
}

/// v̇ and λ of what is held, or v⁺ and Λ where it stops.
template <BenchTask<double>::Holding& (BenchTask<double>::*held)()>
void CalcHeld(BenchTask<double>& at) {
  auto& [dynamics, lambda] = (at.*held)();
  (void)dynamics->Update(at.workspace);
  (void)dynamics->CalcForwardDynamics(at.state().vdot, at.workspace, at.tau, lambda);
}
template <BenchTask<double>::Holding& (BenchTask<double>::*held)()>
void CalcStopped(BenchTask<double>& at) {
  auto& [dynamics, lambda] = (at.*held)();
  (void)dynamics->Update(at.workspace);
  (void)dynamics->CalcImpulse(at.state().v, 0, at.tau, lambda);
}

}  // namespace bench_rows

/// All quantities. Pinocchio's calls for them are rows of tests/peers/pinocchio_calls.cc.
template <typename T>
inline constexpr std::array kBenchQuantities = {
    // Christoffel-consistent.
    BenchQuantity<T>{"C+H", true, &bench_rows::Matrices<2>,
                     [](auto& at) {
                       CalcCoriolisMatrix(at.model, at.factorization, at.workspace,
                                          {.C = at.C, .H = at.H});
                     }},
    BenchQuantity<T>{"H", false, &bench_rows::Matrices<1>,
                     [](auto& at) { CalcMassMatrix(at.model, at.workspace, at.H); }},
    BenchQuantity<T>{"Hdot", true, &bench_rows::Matrices<1>,
                     [](auto& at) { CalcMassMatrixDerivative(at.model, at.workspace, at.D); }},
    BenchQuantity<T>{"H inverse", false, &bench_rows::Matrices<1>,
                     [](auto& at) {
                       (void)at.factor.Compute(at.workspace);
                       at.factor.CalcInverse(at.D);
                     }},
    // H⁻¹ x by the factor of H.
    BenchQuantity<T>{"factor and solve", false, &bench_rows::Vectors<1>,
                     [](auto& at) {
                       (void)at.factor.Compute(at.workspace);
                       at.tau = at.state().vdot;
                       at.factor.SolveInPlace(at.tau);
                     }},
    BenchQuantity<T>{"Gamma", false, &bench_rows::DenseSymbols,
                     [](auto& at) {
                       at.Gamma.resize(bench_rows::DenseSymbols(at.model));
                       CalcChristoffelSymbols(at.model, at.workspace, at.Gamma);
                     }},
    // Each symbol once.
    BenchQuantity<T>{"Gamma packed", false, &bench_rows::PackedSymbols,
                     [](auto& at) {
                       at.packed.resize(at.layout.size());
                       CalcPackedChristoffelSymbols(at.model, at.layout, at.workspace, at.packed);
                     }},
    BenchQuantity<T>{
        "RNEA", true, &bench_rows::Vectors<1>,
        [](auto& at) { CalcInverseDynamics(at.model, at.state().vdot, at.workspace, at.tau); }},
    BenchQuantity<T>{"bias", true, &bench_rows::Vectors<1>,
                     [](auto& at) { CalcBiasForces(at.model, at.workspace, at.tau); }},
    BenchQuantity<T>{"passivity RNEA", true, &bench_rows::Vectors<1>,
                     [](auto& at) {
                       CalcPassivityInverseDynamics(at.model, at.factorization, at.state().v_r,
                                                    at.state().vdot_r, at.workspace, at.tau);
                     }},
    // By articulated bodies.
    BenchQuantity<T>{
        "forward dynamics", true, &bench_rows::Vectors<1>,
        [](auto& at) { CalcForwardDynamics(at.model, at.state().vdot, at.workspace, at.tau); }},
    // And H.
    BenchQuantity<T>{"RNEA derivatives", true, &bench_rows::Matrices<3>,
                     [](auto& at) {
                       CalcInverseDynamicsDerivatives(at.model, at.state().vdot, at.workspace, at.D,
                                                      at.C, at.H);
                     }},
    BenchQuantity<T>{"C w derivatives", true, &bench_rows::Matrices<2>,
                     [](auto& at) {
                       CalcCoriolisProductDerivatives(at.model, at.factorization, at.state().v_r,
                                                      at.workspace, at.D, at.C);
                     }},
    // And H⁻¹.
    BenchQuantity<T>{"forward dynamics derivatives", true, &bench_rows::Matrices<3>,
                     [](auto& at) {
                       (void)CalcForwardDynamicsDerivatives(at.model, at.state().vdot, at.workspace,
                                                            at.factor, at.D, at.C, at.H);
                     }},
    // Y and y_0 with Y π + y_0 = H v̇_r + C v_r + g.
    BenchQuantity<T>{"regressor", true, &bench_rows::Parameters,
                     [](auto& at) {
                       CalcRegressor(at.model, at.factorization, at.frames, at.state().v_r,
                                     at.state().vdot_r, at.workspace, at.Y, at.tau);
                     }},
    // Y π and Yᵀs without Y.
    BenchQuantity<T>{"regressor product", true, &bench_rows::Vectors<1>,
                     [](auto& at) {
                       CalcRegressorProducts(at.model, at.factorization, at.frames, at.state().v_r,
                                             at.state().vdot_r, at.pi, at.none, at.workspace,
                                             at.tau, at.none);
                     }},
    BenchQuantity<T>{"regressor transpose product", true, &bench_rows::ParametersAlone,
                     [](auto& at) {
                       CalcRegressorProducts(at.model, at.factorization, at.frames, at.state().v_r,
                                             at.state().vdot_r, at.none, at.state().vdot,
                                             at.workspace, at.none, at.YTs);
                     }},
    // Of a point of the last body.
    BenchQuantity<T>{
        "Jacobian", false, &bench_rows::Vectors<6>,
        [](auto& at) {
          CalcFrameJacobian(at.model, {at.last, BenchPoint()}, at.workspace, at.six_rows[0]);
        }},
    BenchQuantity<T>{"Jacobian rate", true, &bench_rows::Vectors<6>,
                     [](auto& at) {
                       CalcFrameJacobianDerivative(at.model, {at.last, BenchPoint()}, at.workspace,
                                                   at.six_rows[0]);
                     }},
    BenchQuantity<T>{"frame acceleration", true, &bench_rows::SixNumbers,
                     [](auto& at) {
                       at.six = CalcFrameAcceleration(at.model, {at.last, BenchPoint()},
                                                      ReferenceFrame::kLocalWorldAligned,
                                                      at.state().vdot, at.workspace);
                     }},
    BenchQuantity<T>{
        "centroidal matrix", false, &bench_rows::Vectors<6>,
        [](auto& at) { CalcCentroidalMomentumMatrix(at.model, at.workspace, at.six_rows[0]); }},
    BenchQuantity<T>{"centroidal rate", true, &bench_rows::Vectors<6>,
                     [](auto& at) {
                       CalcCentroidalMomentumMatrixDerivative(at.model, at.workspace,
                                                              at.six_rows[0]);
                     }},
    BenchQuantity<T>{
        "center of mass Jacobian", false, &bench_rows::Vectors<3>,
        [](auto& at) { CalcCenterOfMassJacobian(at.model, at.workspace, at.three_rows); }},
    // Of its momentum's rate by q, v and v̇.
    BenchQuantity<T>{"centroidal derivatives", true, &bench_rows::Vectors<18>,
                     [](auto& at) {
                       CalcCentroidalMomentumRateDerivatives(at.model, at.state().vdot,
                                                             at.workspace, at.six_rows[0],
                                                             at.six_rows[1], at.six_rows[2]);
                     }},
    // With this point held, and stopped.
    BenchQuantity<T>{"constrained dynamics", true, &bench_rows::VectorAndPoint,
                     bench_rows::OfDouble<T>(&bench_rows::CalcHeld<&BenchTask<double>::Point>)},
    BenchQuantity<T>{"impulse", true, &bench_rows::VectorAndPoint,
                     bench_rows::OfDouble<T>(&bench_rows::CalcStopped<&BenchTask<double>::Point>)},
    // On the ends of its legs: four points, or two frames.
    BenchQuantity<T>{"constrained dynamics of feet", true, &bench_rows::VectorAndFeet,
                     bench_rows::OfDouble<T>(&bench_rows::CalcHeld<&BenchTask<double>::Feet>)},
    BenchQuantity<T>{"impulse of feet", true, &bench_rows::VectorAndFeet,
                     bench_rows::OfDouble<T>(&bench_rows::CalcStopped<&BenchTask<double>::Feet>)},
};

}  // namespace civita
