#pragma once

#include <algorithm>
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

  /// The dynamics with something held in space, of double alone.
  struct Holding {
    std::optional<ConstrainedDynamics> dynamics = {};
    Eigen::VectorXd lambda = {};
  };
  /// Made when first needed: of BenchPoint, and of FindFeet: of two with their axes, of other
  /// numbers the points alone.
  Holding& Point() { return Hold({last}, false, &point); }
  Holding& Feet() {
    if (feet.dynamics) return feet;
    const std::vector<int> ends = FindFeet(model);
    std::vector<Model::NamedFrame> held;
    for (const Model::NamedFrame& frame : frames) {
      if (std::ranges::find(ends, frame.body) != ends.end()) held.push_back(frame);
    }
    return Hold(held, held.size() == 2, &feet);
  }
  Holding& Hold(const std::vector<Model::NamedFrame>& held, bool fixes_rotation, Holding* holding) {
    if (holding->dynamics) return *holding;
    Constraints constraints;
    for (const Model::NamedFrame& frame : held) {
      constraints.rigid.push_back(
          {.B = frame, .point_B = BenchPoint(), .fixes_rotation = fixes_rotation});
    }
    holding->dynamics.emplace(model, constraints, ring.front().q);
    holding->lambda = Eigen::VectorXd::Zero(holding->dynamics->num_rows());
    return *holding;
  }

  const Model& model;
  Workspace<T> workspace;
  MassMatrixCholesky<T> factor;
  ChristoffelLayout layout;
  Factorization factorization;
  std::vector<Model::NamedFrame> frames;  ///< of the bodies
  Model::NamedFrame last;                 ///< of these
  Holding point, feet;
  MatrixX<T> C, H, D, Y, three_rows;
  std::array<MatrixX<T>, 3> six_rows;
  Vector6<T> six = Vector6<T>::Zero();
  VectorX<T> tau;
  VectorX<T> pi, YTs, none;
  std::vector<T> Gamma, packed;  ///< sized by the quantities that use them

  std::vector<BenchState<T>> ring;
  std::size_t at = 0;
};

}  // namespace civita
