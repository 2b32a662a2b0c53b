#pragma once

#include <array>
#include <numbers>
#include <optional>
#include <random>
#include <string_view>
#include <vector>

#include "app/verbs/bench/bench_models.h"
#include "civita/christoffel.h"
#include "civita/constrained_dynamics.h"
#include "civita/factorization.h"
#include "civita/kinematics.h"
#include "civita/manifold.h"
#include "civita/mass_matrix_cholesky.h"
#include "civita/model.h"
#include "civita/regressor.h"
#include "civita/workspace.h"

namespace civita {

/// A state and the other arguments of a benchmark's calls.
template <typename T>
struct BenchState {
  VectorX<T> q, v, vdot, v_r, vdot_r;
};

constexpr std::size_t kBenchStates = 64;  ///< a multiple of all vectors' lanes

/// Random states, identical on every machine. All have the same cost.
inline std::vector<BenchState<double>> RandomBenchStates(const Model& model) {
  std::mt19937_64 random(1);
  const auto draw = [&](double size) {
    Eigen::VectorXd x(model.nv());
    for (double& number : x) {
      number = size * (static_cast<double>(random() >> 11) * 0x1p-52 - 1);
    }
    return x;
  };
  std::vector<BenchState<double>> states(kBenchStates);
  for (BenchState<double>& state : states) {
    state.q = model.DefaultPosition();
    IntegratePosition(model, state.q, draw(std::numbers::pi), 1, state.q);
    state.v = draw(1);
    state.vdot = draw(1);
    state.v_r = draw(1);
    state.vdot_r = draw(1);
  }
  return states;
}

/// Scratch of a benchmark: a model, its workspace, a ring of states and memory for the results.
/// Every call takes another state, so that no result can be cached.
template <typename T>
struct BenchTask {
  explicit BenchTask(const Model& of, std::string_view instruction_set = {})
      : model(of),
        workspace(model, instruction_set),
        factor(model),
        layout(model),
        frames(BodyFrames(model)),
        C(MatrixX<T>::Zero(model.nv(), model.nv())),
        H(C),
        D(C),
        Y(MatrixX<T>::Zero(model.nv(),
                           kNumBodyParameters * static_cast<Eigen::Index>(frames.size()))),
        tau(VectorX<T>::Zero(model.nv())),
        pi(CalcModelParameters(model, frames).template cast<T>()),
        YTs(pi) {
    if (!frames.empty()) last = frames.back();
    for (MatrixX<T>& each : six_rows) each = MatrixX<T>::Zero(6, model.nv());
    three_rows = MatrixX<T>::Zero(3, model.nv());
    for (const BenchState<double>& x : RandomBenchStates(model)) {
      ring.push_back({x.q.template cast<T>(), x.v.template cast<T>(), x.vdot.template cast<T>(),
                      x.v_r.template cast<T>(), x.vdot_r.template cast<T>()});
    }
  }

  const BenchState<T>& state() const { return ring[at]; }

  /// Updates the kinematics of the next state: positions alone, or with velocities.
  void Update(bool with_velocity) {
    at = (at + 1) % kBenchStates;
    if (with_velocity) {
      UpdateKinematics(model, state().q, state().v, workspace);
    } else {
      UpdateKinematics(model, state().q, workspace);
    }
  }

  /// The dynamics with BenchPoint held in space, made when first needed, for double alone.
  ConstrainedDynamics& Held() {
    if (!held) {
      held.emplace(model, Constraints{.rigid = {{.B = last, .point_B = BenchPoint()}}},
                   ring.front().q);
      lambda = VectorX<T>::Zero(held->num_rows());
    }
    return *held;
  }

  const Model& model;
  Workspace<T> workspace;
  MassMatrixCholesky<T> factor;
  ChristoffelLayout layout;
  Factorization factorization;
  std::vector<Model::NamedFrame> frames;  ///< of the bodies
  Model::NamedFrame last;                 ///< of these
  std::optional<ConstrainedDynamics> held;
  MatrixX<T> C, H, D, Y, three_rows;
  std::array<MatrixX<T>, 3> six_rows;
  Vector6<T> six = Vector6<T>::Zero();
  VectorX<T> tau, lambda;
  VectorX<T> pi, YTs, none;
  std::vector<T> Gamma, packed;  ///< sized by the quantities that use them

  std::vector<BenchState<T>> ring;
  std::size_t at = 0;
};

}  // namespace civita
