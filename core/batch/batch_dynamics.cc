#include "civita/batch_dynamics.h"

#include <algorithm>
#include <cstdint>
#include <span>

#include "civita/christoffel.h"
#include "civita/error.h"
#include "civita/kinematics.h"
#include "core/kernels/plan.h"
#include "core/kernels/scratch.h"

namespace civita {

namespace {

using kernels::Batch;
using kernels::BatchKernels;
using kernels::ConstMatrixView;
using kernels::MatrixView;

constexpr std::uintptr_t kAlignment = 64;  // bytes

const BatchKernels& FindKernels(const Model& model, std::string_view instruction_set) {
  const std::string_view name = kernels::Scratch(model, instruction_set).instruction_set();
  for (const BatchKernels* each : kernels::AvailableBatchKernels()) {
    if (name == each->name) return *each;
  }
  return *kernels::AvailableBatchKernels().back();
}

Batch NewBatch(const Model& model) {
  Batch batch{};
  batch.tree = &model.tree();
  batch.nq = model.nq();
  return batch;
}

double* Aligned(std::vector<double>& memory) {
  const auto address = reinterpret_cast<std::uintptr_t>(memory.data());
  return memory.data() + (kAlignment - address % kAlignment) % kAlignment / sizeof(double);
}

}  // namespace

BatchDynamics::BatchDynamics(const Model& model, int threads, std::string_view instruction_set)
    : model_(model),
      kernels_(FindKernels(model, instruction_set)),
      workers_(threads),
      memory_(static_cast<size_t>(threads)) {
  const size_t numbers = kernels_.memory_numbers(model.plan().view(), model.nq());
  for (std::vector<double>& each : memory_) each.assign(numbers + kAlignment / sizeof(double), 0);
  if (kernels_.christoffel_symbols != nullptr) return;
  for (int k = 0; k < threads; ++k) workspaces_.emplace_back(model, "plain");
}

ConstMatrixView BatchDynamics::Columns(MatrixIn X, Eigen::Index rows, Eigen::Index states,
                                       const char* name) const {
  CIVITA_CHECK(X.rows() == rows && X.cols() == states, name << " is " << X.rows() << "×" << X.cols()
                                                            << ", wanted " << rows << "×"
                                                            << states);
  return {X.data(), X.outerStride()};
}

MatrixView BatchDynamics::Matrices(MatrixOut<double>& M, Eigen::Index states,
                                   const char* name) const {
  const Eigen::Index n = model_.nv();
  CIVITA_CHECK(M.rows() == n && M.cols() == n * states && M.outerStride() == n,
               name << " is " << M.rows() << "×" << M.cols() << ", " << M.outerStride()
                    << " numbers from column to column, wanted " << n << "×" << n * states
                    << " without gaps");
  return {M.data(), n * n};
}

void BatchDynamics::Run(BatchKernels::Function* function, const Batch& batch, Eigen::Index states) {
  const int lanes = kernels_.lanes, m = static_cast<int>(states);
  workers_.Run((m + lanes - 1) / lanes, [&](int thread, int task) {
    const int first = lanes * task;
    function(model_.plan().view(), Aligned(memory_[static_cast<size_t>(thread)]), batch, first,
             std::min(lanes, m - first));
  });
}

void BatchDynamics::CalcMassMatrices(MatrixIn Q, MatrixOut<double> H) {
  const Eigen::Index m = Q.cols();
  Batch batch = NewBatch(model_);
  batch.q = Columns(Q, model_.nq(), m, "Q");
  batch.H = Matrices(H, m, "H");
  Run(kernels_.mass_matrices, batch, m);
}

void BatchDynamics::CalcCoriolisMatrices(MatrixIn Q, MatrixIn V, MatrixOut<double> C,
                                         MatrixOut<double> H) {
  const Eigen::Index m = Q.cols();
  Batch batch = NewBatch(model_);
  batch.q = Columns(Q, model_.nq(), m, "Q");
  batch.v = Columns(V, model_.nv(), m, "V");
  batch.C = Matrices(C, m, "C");
  batch.H = Matrices(H, m, "H");
  Run(kernels_.coriolis_matrices, batch, m);
}

void BatchDynamics::CalcInverseDynamics(MatrixIn Q, MatrixIn V, MatrixIn Vdot,
                                        MatrixOut<double> tau) {
  const Eigen::Index m = Q.cols();
  Batch batch = NewBatch(model_);
  batch.q = Columns(Q, model_.nq(), m, "Q");
  batch.v = Columns(V, model_.nv(), m, "V");
  batch.vdot_r = Columns(Vdot, model_.nv(), m, "Vdot");
  (void)Columns(tau, model_.nv(), m, "tau");
  batch.tau = {tau.data(), tau.outerStride()};
  Run(kernels_.inverse_dynamics, batch, m);
}

void BatchDynamics::CalcPassivityInverseDynamics(double t, MatrixIn Q, MatrixIn V, MatrixIn V_r,
                                                 MatrixIn Vdot_r, MatrixOut<double> tau) {
  const Eigen::Index m = Q.cols();
  Batch batch = NewBatch(model_);
  batch.t = t;
  batch.q = Columns(Q, model_.nq(), m, "Q");
  batch.v = Columns(V, model_.nv(), m, "V");
  batch.v_r = Columns(V_r, model_.nv(), m, "V_r");
  batch.vdot_r = Columns(Vdot_r, model_.nv(), m, "Vdot_r");
  (void)Columns(tau, model_.nv(), m, "tau");
  batch.tau = {tau.data(), tau.outerStride()};
  Run(kernels_.passivity_inverse_dynamics, batch, m);
}

void BatchDynamics::CalcChristoffelSymbols(MatrixIn Q, MatrixOut<double> Gamma) {
  const Eigen::Index m = Q.cols();
  const Eigen::Index n = model_.nv();
  Batch batch = NewBatch(model_);
  batch.q = Columns(Q, model_.nq(), m, "Q");
  (void)Columns(Gamma, n * n * n, m, "Gamma");
  batch.Gamma = {Gamma.data(), Gamma.outerStride()};
  if (kernels_.christoffel_symbols != nullptr) return Run(kernels_.christoffel_symbols, batch, m);
  workers_.Run(static_cast<int>(m), [&](int thread, int state) {
    Workspace<double>& workspace = workspaces_[static_cast<size_t>(thread)];
    UpdateKinematics(model_, Q.col(state), workspace);
    civita::CalcChristoffelSymbols(
        model_, workspace, std::span(Gamma.col(state).data(), static_cast<size_t>(n * n * n)));
  });
}

}  // namespace civita
