#include "civita/batch_cluster_dynamics.h"

#include <atomic>
#include <limits>
#include <utility>
#include <vector>

#include "base/worker_pool.h"
#include "civita/cluster_derivatives.h"
#include "civita/cluster_dynamics.h"
#include "civita/error.h"
#include "core/model/internal/checks.h"

namespace civita {

struct BatchClusterDynamics::Implementation {
  /// What a thread computes with.
  struct OneState {
    OneState(const ClusterModel& model, const Factorization& of)
        : workspace(model), factorization(of) {}
    ClusterWorkspace<double> workspace;
    Factorization factorization;  ///< a copy: its formulas are not for several threads
  };
  struct Argument {
    MatrixIn matrix;
    const char* name;
    int rows;
  };
  struct Result {
    MatrixOut<double>& matrix;
    const char* name;
    int columns;  ///< a state
  };

  Implementation(const ClusterModel& model_in, const Factorization& factorization, int threads)
      : model(model_in), workers(threads) {
    factorization.Check(model.tree());
    for (int k = 0; k < threads; ++k) one_state.emplace_back(model, factorization);
  }

  /// Sizes, and that results lie apart from all else.
  void Check(std::initializer_list<Argument> arguments,
             std::initializer_list<Result> results) const {
    const Eigen::Index m = arguments.begin()->matrix.cols();
    for (const Argument& x : arguments) internal::CheckShape(x.matrix, x.rows, m, x.name);
    for (const Result& y : results) {
      internal::CheckShape(y.matrix, model.nw(), y.columns * m, y.name);
      for (const Argument& x : arguments) {
        internal::CheckApart(y.matrix, y.name, x.matrix, x.name);
      }
      for (const Result& other : results) {
        if (&other == &y) break;
        internal::CheckApart(y.matrix, y.name, other.matrix, other.name);
      }
    }
  }

  /// calc(at, state) for all states of Q at which the loops are regular, at W if there is one; it
  /// returns whether the mass matrix is. At the first that is singular the status is found anew.
  template <typename Calc>
  BatchClusterStatus Run(MatrixIn Q, const Eigen::Ref<const Eigen::MatrixXd>* W, const Calc& calc) {
    constexpr int kNone = std::numeric_limits<int>::max();
    std::atomic<int> first = kNone;
    workers.Run(static_cast<int>(Q.cols()), [&](int thread, int state) {
      OneState& at = one_state[static_cast<size_t>(thread)];
      const ClusterStatus status =
          W == nullptr ? UpdateKinematics<double>(model, Q.col(state), at.workspace)
                       : UpdateKinematics<double>(model, Q.col(state), W->col(state), at.workspace);
      if (status.ok() && calc(at, state)) return;
      int known = first;
      while (state < known && !first.compare_exchange_weak(known, state)) {
      }
    });
    if (first == kNone) return {};
    return {first, UpdateKinematics<double>(model, Q.col(first), one_state.front().workspace)};
  }

  const ClusterModel model;
  internal::WorkerPool workers;
  std::vector<OneState> one_state;  ///< by thread
};

BatchClusterDynamics::BatchClusterDynamics(const ClusterModel& model,
                                           const Factorization& factorization, int threads) {
  CIVITA_CHECK(threads >= 1, "threads is " << threads);
  implementation_ = std::make_unique<Implementation>(model, factorization, threads);
}
BatchClusterDynamics::~BatchClusterDynamics() = default;

int BatchClusterDynamics::threads() const { return implementation_->workers.threads(); }

BatchClusterStatus BatchClusterDynamics::CalcMassMatrices(MatrixIn Q, MatrixOut<double> H) {
  Implementation& self = *implementation_;
  const ClusterModel& model = self.model;
  const int n = model.nw();
  self.Check({{Q, "Q", model.tree().nq()}}, {{H, "H", n}});
  return self.Run(Q, nullptr, [&](Implementation::OneState& at, int s) {
    CalcMassMatrix<double>(model, at.workspace, H.middleCols(n * s, n));
    return true;
  });
}

BatchClusterStatus BatchClusterDynamics::CalcCoriolisMatrices(MatrixIn Q, MatrixIn W,
                                                              CoriolisOut<double> out) {
  Implementation& self = *implementation_;
  const ClusterModel& model = self.model;
  const int n = model.nw();
  self.Check({{Q, "Q", model.tree().nq()}, {W, "W", n}}, {{out.C, "C", n}, {out.H, "H", n}});
  return self.Run(Q, &W, [&](Implementation::OneState& at, int s) {
    CalcCoriolisMatrix<double>(model, at.factorization, at.workspace,
                               {.C = out.C.middleCols(n * s, n), .H = out.H.middleCols(n * s, n)});
    return true;
  });
}

BatchClusterStatus BatchClusterDynamics::CalcInverseDynamics(MatrixIn Q, MatrixIn W, MatrixIn Wdot,
                                                             MatrixOut<double> tau) {
  Implementation& self = *implementation_;
  const ClusterModel& model = self.model;
  const int n = model.nw();
  self.Check({{Q, "Q", model.tree().nq()}, {W, "W", n}, {Wdot, "Wdot", n}}, {{tau, "tau", 1}});
  return self.Run(Q, &W, [&](Implementation::OneState& at, int s) {
    civita::CalcInverseDynamics<double>(model, Wdot.col(s), at.workspace, tau.col(s));
    return true;
  });
}

BatchClusterStatus BatchClusterDynamics::CalcPassivityInverseDynamics(MatrixIn Q, MatrixIn W,
                                                                      MatrixIn W_r, MatrixIn Wdot_r,
                                                                      MatrixOut<double> tau) {
  Implementation& self = *implementation_;
  const ClusterModel& model = self.model;
  const int n = model.nw();
  self.Check({{Q, "Q", model.tree().nq()}, {W, "W", n}, {W_r, "W_r", n}, {Wdot_r, "Wdot_r", n}},
             {{tau, "tau", 1}});
  return self.Run(Q, &W, [&](Implementation::OneState& at, int s) {
    civita::CalcPassivityInverseDynamics<double>(model, at.factorization, W_r.col(s), Wdot_r.col(s),
                                                 at.workspace, tau.col(s));
    return true;
  });
}

BatchClusterStatus BatchClusterDynamics::CalcForwardDynamics(MatrixIn Q, MatrixIn W, MatrixIn tau,
                                                             MatrixOut<double> Wdot) {
  Implementation& self = *implementation_;
  const ClusterModel& model = self.model;
  const int n = model.nw();
  self.Check({{Q, "Q", model.tree().nq()}, {W, "W", n}, {tau, "tau", n}}, {{Wdot, "Wdot", 1}});
  return self.Run(Q, &W, [&](Implementation::OneState& at, int s) {
    return civita::CalcForwardDynamics<double>(model, tau.col(s), at.workspace, Wdot.col(s));
  });
}

BatchClusterStatus BatchClusterDynamics::CalcForwardDynamicsDerivatives(
    MatrixIn Q, MatrixIn W, MatrixIn Wdot, MatrixOut<double> dwdot_dq, MatrixOut<double> dwdot_dw,
    MatrixOut<double> dwdot_dtau) {
  Implementation& self = *implementation_;
  const ClusterModel& model = self.model;
  const int n = model.nw();
  self.Check({{Q, "Q", model.tree().nq()}, {W, "W", n}, {Wdot, "Wdot", n}},
             {{dwdot_dq, "dwdot_dq", n}, {dwdot_dw, "dwdot_dw", n}, {dwdot_dtau, "dwdot_dtau", n}});
  return self.Run(Q, &W, [&](Implementation::OneState& at, int s) {
    return civita::CalcForwardDynamicsDerivatives<double>(
        model, Wdot.col(s), at.workspace, dwdot_dq.middleCols(n * s, n),
        dwdot_dw.middleCols(n * s, n), dwdot_dtau.middleCols(n * s, n));
  });
}

}  // namespace civita
