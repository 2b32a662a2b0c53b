#include "civita/batch_dynamics.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <initializer_list>
#include <span>
#include <utility>
#include <vector>

#include "base/worker_pool.h"
#include "civita/christoffel.h"
#include "civita/error.h"
#include "civita/kinematics.h"
#include "civita/workspace.h"
#include "core/kernels/batch_kernels.h"
#include "core/kernels/find_kernels.h"
#include "core/kernels/kernels.h"
#include "core/kernels/plan.h"
#include "core/model/internal/checks.h"

namespace civita {

namespace {

using kernels::Batch;
using kernels::BatchKernels;
using kernels::ConstMatrixView;
using kernels::MatrixView;

constexpr std::uintptr_t kAlignment = 64;  // bytes

const BatchKernels& FindBatchKernels(std::string_view instruction_set) {
  const kernels::Kernels* of_one_state = kernels::FindKernels(instruction_set);
  const std::string_view name = of_one_state == nullptr ? "plain" : of_one_state->name;
  for (const BatchKernels* each : kernels::AvailableBatchKernels()) {
    if (name == each->name) return *each;
  }
  return *kernels::AvailableBatchKernels().back();
}

using MatrixRef = Eigen::Ref<const Eigen::MatrixXd>;

double* Aligned(std::vector<double>& memory) {
  const auto address = reinterpret_cast<std::uintptr_t>(memory.data());
  return memory.data() + (kAlignment - address % kAlignment) % kAlignment / sizeof(double);
}

}  // namespace

struct BatchDynamics::Implementation {
  Implementation(const Model& model_in, int threads, std::string_view instruction_set)
      : model(model_in),
        kernels(FindBatchKernels(instruction_set)),
        workers(threads),
        memory(static_cast<size_t>(threads)) {
    const size_t numbers = kernels.memory_numbers(kernels::PlanOf(model).view(), model.nq());
    for (std::vector<double>& each : memory) each.assign(numbers + kAlignment / sizeof(double), 0);
    for (int k = 0; k < threads; ++k) one_state.emplace_back(model, instruction_set);
  }

  ConstMatrixView Columns(MatrixIn X, Eigen::Index rows, Eigen::Index states,
                          const char* name) const {
    internal::CheckShape(X, rows, states, name);
    return {X.data(), X.outerStride()};
  }

  /// A result by columns, which may be the same matrix as an argument of its shape: a task reads
  /// its own columns before it writes them. It lies apart from Q and from parts of others.
  MatrixView Result(MatrixOut<double>& X, Eigen::Index rows, MatrixIn Q, const char* name,
                    std::initializer_list<const MatrixRef*> same) const {
    (void)Columns(X, rows, Q.cols(), name);
    internal::CheckApart(X, name, Q, "Q");
    for (const auto* argument : same) {
      const bool is_same =
          X.data() == argument->data() && X.outerStride() == argument->outerStride();
      CIVITA_CHECK(is_same || !internal::Overlap(X, *argument),
                   name << " lies on a part of an argument");
    }
    return {X.data(), X.outerStride()};
  }

  MatrixView Matrices(MatrixOut<double>& M, Eigen::Index states, const char* name) const {
    const Eigen::Index n = model.nv();
    CIVITA_CHECK(M.rows() == n && M.cols() == n * states && M.outerStride() == n,
                 name << " is " << M.rows() << "×" << M.cols() << ", " << M.outerStride()
                      << " numbers from column to column, wanted " << n << "×" << n * states
                      << " without gaps");
    return {M.data(), n * n};
  }

  /// @returns kSingularMassMatrix with the first state where H is singular, of kernels that tell.
  Status Run(BatchKernels::Function* function, const Batch& batch, Eigen::Index states) {
    const int lanes = kernels.lanes, m = static_cast<int>(states);
    const kernels::PlanView& plan = kernels::PlanOf(model).view();
    std::atomic<int> first = m;
    workers.Run((m + lanes - 1) / lanes, [&](int thread, int task) {
      const int begin = lanes * task;
      Batch part = batch;
      int singular = m;
      part.singular = &singular;
      function(plan, Aligned(memory[static_cast<size_t>(thread)]), part, begin,
               std::min(lanes, m - begin));
      int known = first;
      while (singular < known && !first.compare_exchange_weak(known, singular)) {
      }
    });
    Status status = first < m ? Status::kSingularMassMatrix : Status::kOk;
    if (!status) status.index = first;
    return status;
  }

  /// Q, and V and Vdot where they are given.
  Batch At(MatrixIn Q, const MatrixRef* V = nullptr, const MatrixRef* Vdot = nullptr) const {
    Batch batch{};
    batch.nq = model.nq();
    batch.q = Columns(Q, model.nq(), Q.cols(), "Q");
    if (V != nullptr) batch.v = Columns(*V, model.nv(), Q.cols(), "V");
    if (Vdot != nullptr) batch.vdot_r = Columns(*Vdot, model.nv(), Q.cols(), "Vdot");
    return batch;
  }

  Status RunMass(BatchKernels::Function* function, MatrixIn Q, MatrixOut<double>& H,
                 const char* name) {
    Batch batch = At(Q);
    batch.H = Matrices(H, Q.cols(), name);
    internal::CheckApart(H, name, Q, "Q");
    return Run(function, batch, Q.cols());
  }

  void RunCoriolis(MatrixIn Q, MatrixIn V, MatrixOut<double>& C, MatrixOut<double>& H,
                   bool by_rows) {
    const Eigen::Index m = Q.cols();
    Batch batch = At(Q, &V);
    batch.C = Matrices(C, m, "C");
    batch.H = Matrices(H, m, "H");
    internal::CheckApart(C, "C", H, "H");
    for (const auto* result : {&C, &H}) internal::CheckApart(*result, "C or H", Q, "Q", V, "V");
    batch.by_rows = by_rows;
    (void)Run(kernels.coriolis_matrices, batch, m);
  }

  /// Derivatives by q, by v and by the third argument.
  Status RunDerivatives(BatchKernels::Function* function, MatrixIn Q, MatrixIn V, MatrixIn Vdot,
                        const std::array<std::pair<MatrixOut<double>*, const char*>, 3>& results) {
    Batch batch = At(Q, &V, &Vdot);
    MatrixView* const views[3] = {&batch.D, &batch.C, &batch.H};
    for (size_t i = 0; i < 3; ++i) {
      const auto& [result, name] = results[i];
      *views[i] = Matrices(*result, Q.cols(), name);
      internal::CheckApart(*result, name, Q, "Q", V, "V", Vdot, "Vdot");
      for (size_t j = 0; j < i; ++j) {
        internal::CheckApart(*results[j].first, results[j].second, *result, name);
      }
    }
    return Run(function, batch, Q.cols());
  }

  const Model model;
  const BatchKernels& kernels;
  internal::WorkerPool workers;
  std::vector<std::vector<double>> memory;   ///< by thread
  std::vector<Workspace<double>> one_state;  ///< by thread, for what has no batch kernel
};

BatchDynamics::BatchDynamics(const Model& model, int threads, std::string_view instruction_set)
    : implementation_(std::make_unique<Implementation>(model, threads, instruction_set)) {}
BatchDynamics::~BatchDynamics() = default;

const char* BatchDynamics::instruction_set() const {
  return implementation_->one_state.front().instruction_set();
}
int BatchDynamics::threads() const { return implementation_->workers.threads(); }
int BatchDynamics::lanes() const { return implementation_->kernels.lanes; }

void BatchDynamics::CalcMassMatrices(MatrixIn Q, MatrixOut<double> H) {
  (void)implementation_->RunMass(implementation_->kernels.mass_matrices, Q, H, "H");
}

Status BatchDynamics::CalcInverseMassMatrices(MatrixIn Q, MatrixOut<double> H_inverse) {
  return implementation_->RunMass(implementation_->kernels.inverse_mass_matrices, Q, H_inverse,
                                  "H_inverse");
}

void BatchDynamics::CalcCoriolisMatrices(MatrixIn Q, MatrixIn V, CoriolisOut<double> out) {
  implementation_->RunCoriolis(Q, V, out.C, out.H, false);
}

void BatchDynamics::CalcTransposedCoriolisMatrices(MatrixIn Q, MatrixIn V,
                                                   CoriolisOut<double> out) {
  implementation_->RunCoriolis(Q, V, out.C, out.H, true);
}

void BatchDynamics::CalcInverseDynamics(MatrixIn Q, MatrixIn V, MatrixIn Vdot,
                                        MatrixOut<double> tau) {
  Implementation& self = *implementation_;
  Batch batch = self.At(Q, &V, &Vdot);
  batch.tau = self.Result(tau, self.model.nv(), Q, "tau", {&V, &Vdot});
  (void)self.Run(self.kernels.inverse_dynamics, batch, Q.cols());
}

void BatchDynamics::CalcPassivityInverseDynamics(double t, MatrixIn Q, MatrixIn V, MatrixIn V_r,
                                                 MatrixIn Vdot_r, MatrixOut<double> tau) {
  Implementation& self = *implementation_;
  const Eigen::Index m = Q.cols(), n = self.model.nv();
  Batch batch = self.At(Q, &V);
  batch.t = t;
  batch.v_r = self.Columns(V_r, n, m, "V_r");
  batch.vdot_r = self.Columns(Vdot_r, n, m, "Vdot_r");
  batch.tau = self.Result(tau, n, Q, "tau", {&V, &V_r, &Vdot_r});
  (void)self.Run(self.kernels.passivity_inverse_dynamics, batch, m);
}

void BatchDynamics::CalcForwardDynamics(MatrixIn Q, MatrixIn V, MatrixIn tau,
                                        MatrixOut<double> vdot) {
  Implementation& self = *implementation_;
  Batch batch = self.At(Q, &V);
  batch.force = self.Columns(tau, self.model.nv(), Q.cols(), "tau");
  batch.vdot = self.Result(vdot, self.model.nv(), Q, "vdot", {&V, &tau});
  (void)self.Run(self.kernels.forward_dynamics, batch, Q.cols());
}

void BatchDynamics::CalcInverseDynamicsDerivatives(MatrixIn Q, MatrixIn V, MatrixIn Vdot,
                                                   MatrixOut<double> dtau_dq,
                                                   MatrixOut<double> dtau_dv, MatrixOut<double> H) {
  (void)implementation_->RunDerivatives(
      implementation_->kernels.inverse_dynamics_derivatives, Q, V, Vdot,
      {{{&dtau_dq, "dtau_dq"}, {&dtau_dv, "dtau_dv"}, {&H, "H"}}});
}

Status BatchDynamics::CalcForwardDynamicsDerivatives(MatrixIn Q, MatrixIn V, MatrixIn Vdot,
                                                     MatrixOut<double> dvdot_dq,
                                                     MatrixOut<double> dvdot_dv,
                                                     MatrixOut<double> dvdot_dtau) {
  return implementation_->RunDerivatives(
      implementation_->kernels.forward_dynamics_derivatives, Q, V, Vdot,
      {{{&dvdot_dq, "dvdot_dq"}, {&dvdot_dv, "dvdot_dv"}, {&dvdot_dtau, "dvdot_dtau"}}});
}

void BatchDynamics::CalcChristoffelSymbols(MatrixIn Q, MatrixOut<double> Gamma) {
  Implementation& self = *implementation_;
  const Eigen::Index m = Q.cols(), n = self.model.nv();
  Batch batch = self.At(Q);
  batch.Gamma = self.Result(Gamma, n * n * n, Q, "Gamma", {});
  if (self.kernels.christoffel_symbols != nullptr) {
    (void)self.Run(self.kernels.christoffel_symbols, batch, m);
    return;
  }
  self.workers.Run(static_cast<int>(m), [&](int thread, int state) {
    Workspace<double>& workspace = self.one_state[static_cast<size_t>(thread)];
    UpdateKinematics(self.model, Q.col(state), workspace);
    civita::CalcChristoffelSymbols(
        self.model, workspace, std::span(Gamma.col(state).data(), static_cast<size_t>(n * n * n)));
  });
}

}  // namespace civita
