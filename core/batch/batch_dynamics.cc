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
#include "civita/dynamics_derivatives.h"
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

Batch NewBatch(const Model& model) {
  Batch batch{};
  batch.nq = model.nq();
  return batch;
}

double* Aligned(std::vector<double>& memory) {
  const auto address = reinterpret_cast<std::uintptr_t>(memory.data());
  return memory.data() + (kAlignment - address % kAlignment) % kAlignment / sizeof(double);
}

}  // namespace

struct BatchDynamics::Implementation {
  /// What a thread computes one state with.
  struct OneState {
    OneState(const Model& model, std::string_view instruction_set)
        : workspace(model, instruction_set), factor(model) {}
    Workspace<double> workspace;
    MassMatrixCholesky<double> factor;
  };

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
                    std::initializer_list<const Eigen::Ref<const Eigen::MatrixXd>*> same) const {
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

  void Run(BatchKernels::Function* function, const Batch& batch, Eigen::Index states) {
    const int lanes = kernels.lanes, m = static_cast<int>(states);
    const kernels::PlanView& plan = kernels::PlanOf(model).view();
    workers.Run((m + lanes - 1) / lanes, [&](int thread, int task) {
      const int first = lanes * task;
      function(plan, Aligned(memory[static_cast<size_t>(thread)]), batch, first,
               std::min(lanes, m - first));
    });
  }

  void RunCoriolis(MatrixIn Q, MatrixIn V, MatrixOut<double>& C, MatrixOut<double>& H,
                   bool by_rows) {
    const Eigen::Index m = Q.cols();
    Batch batch = NewBatch(model);
    batch.q = Columns(Q, model.nq(), m, "Q");
    batch.v = Columns(V, model.nv(), m, "V");
    batch.C = Matrices(C, m, "C");
    batch.H = Matrices(H, m, "H");
    internal::CheckApart(C, "C", H, "H");
    for (const auto* result : {&C, &H}) internal::CheckApart(*result, "C or H", Q, "Q", V, "V");
    batch.by_rows = by_rows;
    Run(kernels.coriolis_matrices, batch, m);
  }

  const Model model;
  const BatchKernels& kernels;
  internal::WorkerPool workers;
  std::vector<std::vector<double>> memory;  ///< by thread
  std::vector<OneState> one_state;          ///< by thread, for what has no batch kernel
};

BatchDynamics::BatchDynamics(const Model& model, int threads, std::string_view instruction_set)
    : implementation_(std::make_unique<Implementation>(model, threads, instruction_set)) {}
BatchDynamics::~BatchDynamics() = default;

const char* BatchDynamics::instruction_set() const {
  return implementation_->one_state.front().workspace.instruction_set();
}
int BatchDynamics::threads() const { return implementation_->workers.threads(); }
int BatchDynamics::lanes() const { return implementation_->kernels.lanes; }

void BatchDynamics::CalcMassMatrices(MatrixIn Q, MatrixOut<double> H) {
  Implementation& self = *implementation_;
  const Eigen::Index m = Q.cols();
  Batch batch = NewBatch(self.model);
  batch.q = self.Columns(Q, self.model.nq(), m, "Q");
  batch.H = self.Matrices(H, m, "H");
  internal::CheckApart(H, "H", Q, "Q");
  self.Run(self.kernels.mass_matrices, batch, m);
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
  const Eigen::Index m = Q.cols();
  Batch batch = NewBatch(self.model);
  batch.q = self.Columns(Q, self.model.nq(), m, "Q");
  batch.v = self.Columns(V, self.model.nv(), m, "V");
  batch.vdot_r = self.Columns(Vdot, self.model.nv(), m, "Vdot");
  batch.tau = self.Result(tau, self.model.nv(), Q, "tau", {&V, &Vdot});
  self.Run(self.kernels.inverse_dynamics, batch, m);
}

void BatchDynamics::CalcPassivityInverseDynamics(double t, MatrixIn Q, MatrixIn V, MatrixIn V_r,
                                                 MatrixIn Vdot_r, MatrixOut<double> tau) {
  Implementation& self = *implementation_;
  const Eigen::Index m = Q.cols();
  Batch batch = NewBatch(self.model);
  batch.t = t;
  batch.q = self.Columns(Q, self.model.nq(), m, "Q");
  batch.v = self.Columns(V, self.model.nv(), m, "V");
  batch.v_r = self.Columns(V_r, self.model.nv(), m, "V_r");
  batch.vdot_r = self.Columns(Vdot_r, self.model.nv(), m, "Vdot_r");
  batch.tau = self.Result(tau, self.model.nv(), Q, "tau", {&V, &V_r, &Vdot_r});
  self.Run(self.kernels.passivity_inverse_dynamics, batch, m);
}

void BatchDynamics::CalcForwardDynamics(MatrixIn Q, MatrixIn V, MatrixIn tau,
                                        MatrixOut<double> vdot) {
  Implementation& self = *implementation_;
  const Eigen::Index m = Q.cols();
  Batch batch = NewBatch(self.model);
  batch.q = self.Columns(Q, self.model.nq(), m, "Q");
  batch.v = self.Columns(V, self.model.nv(), m, "V");
  batch.force = self.Columns(tau, self.model.nv(), m, "tau");
  batch.vdot = self.Result(vdot, self.model.nv(), Q, "vdot", {&V, &tau});
  self.Run(self.kernels.forward_dynamics, batch, m);
}

Status BatchDynamics::CalcForwardDynamicsDerivatives(MatrixIn Q, MatrixIn V, MatrixIn Vdot,
                                                     MatrixOut<double> dvdot_dq,
                                                     MatrixOut<double> dvdot_dv,
                                                     MatrixOut<double> dvdot_dtau) {
  Implementation& self = *implementation_;
  const Eigen::Index m = Q.cols(), n = self.model.nv();
  (void)self.Columns(Q, self.model.nq(), m, "Q");
  (void)self.Columns(V, n, m, "V");
  (void)self.Columns(Vdot, n, m, "Vdot");
  const std::array results = {std::pair(&dvdot_dq, "dvdot_dq"), std::pair(&dvdot_dv, "dvdot_dv"),
                              std::pair(&dvdot_dtau, "dvdot_dtau")};
  for (const auto& [result, name] : results) {
    (void)self.Matrices(*result, m, name);
    internal::CheckApart(*result, name, Q, "Q", V, "V", Vdot, "Vdot");
  }
  internal::CheckApart(dvdot_dq, "dvdot_dq", dvdot_dv, "dvdot_dv", dvdot_dtau, "dvdot_dtau");
  internal::CheckApart(dvdot_dv, "dvdot_dv", dvdot_dtau, "dvdot_dtau");
  const int states = static_cast<int>(m);
  std::atomic<int> first = states;  // that is singular
  self.workers.Run(states, [&](int thread, int state) {
    auto& [workspace, factor] = self.one_state[static_cast<size_t>(thread)];
    UpdateKinematics(self.model, Q.col(state), V.col(state), workspace);
    if (!civita::CalcForwardDynamicsDerivatives<double>(
            self.model, Vdot.col(state), workspace, factor, dvdot_dq.middleCols(n * state, n),
            dvdot_dv.middleCols(n * state, n), dvdot_dtau.middleCols(n * state, n))) {
      int known = first;
      while (state < known && !first.compare_exchange_weak(known, state)) {
      }
    }
  });
  Status status = first < states ? Status::kSingularMassMatrix : Status::kOk;
  if (!status) status.index = first;
  return status;
}

void BatchDynamics::CalcChristoffelSymbols(MatrixIn Q, MatrixOut<double> Gamma) {
  Implementation& self = *implementation_;
  const Eigen::Index m = Q.cols();
  const Eigen::Index n = self.model.nv();
  Batch batch = NewBatch(self.model);
  batch.q = self.Columns(Q, self.model.nq(), m, "Q");
  batch.Gamma = self.Result(Gamma, n * n * n, Q, "Gamma", {});
  if (self.kernels.christoffel_symbols != nullptr)
    return self.Run(self.kernels.christoffel_symbols, batch, m);
  self.workers.Run(static_cast<int>(m), [&](int thread, int state) {
    Workspace<double>& workspace = self.one_state[static_cast<size_t>(thread)].workspace;
    UpdateKinematics(self.model, Q.col(state), workspace);
    civita::CalcChristoffelSymbols(
        self.model, workspace, std::span(Gamma.col(state).data(), static_cast<size_t>(n * n * n)));
  });
}

}  // namespace civita
