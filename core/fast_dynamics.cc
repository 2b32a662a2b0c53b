#include "core/fast_dynamics.h"

#include <cstdint>

#include "core/christoffel.h"
#include "core/coriolis.h"
#include "core/error.h"
#include "core/kinematics.h"
#include "core/mass_matrix.h"
#include "core/passivity_rnea.h"
#include "core/rnea.h"
#include "core/suggest.h"

namespace civita {

namespace {

using kernels::kLanes;
using kernels::MatrixView;
using kernels::PlanView;

constexpr std::uintptr_t kAlignment = 64;  // bytes

void ToSlots(const PlanView& plan, VectorIn<double> x, std::vector<double>* slots) {
  for (int i = 0; i < plan.n; ++i) (*slots)[static_cast<size_t>(i)] = x[plan.iv[i]];
}

void FromSlots(const PlanView& plan, const std::vector<double>& slots, VectorOut<double>& x) {
  for (int i = 0; i < plan.n; ++i) x[plan.iv[i]] = slots[static_cast<size_t>(i)];
}

void FromSlots(const PlanView& plan, const Eigen::MatrixXd& slots, MatrixOut<double>& M) {
  for (int k = 0; k < plan.n; ++k) {
    for (int i = 0; i < plan.n; ++i) M(plan.iv[i], plan.iv[k]) = slots(i, k);
  }
}

template <typename Matrix>
MatrixView ViewOf(Matrix& M) {
  return {M.data(), M.outerStride()};
}

void CheckLength(Eigen::Index size, int wanted, const char* name) {
  CIVITA_CHECK(size == wanted, name << " has " << size << " numbers, wanted " << wanted);
}

void CheckSquare(const MatrixOut<double>& M, int n, const char* name) {
  CIVITA_CHECK(M.rows() == n && M.cols() == n,
               name << " is " << M.rows() << "×" << M.cols() << ", the model has nv = " << n);
}

const kernels::Kernels* FindKernels(std::string_view name) {
  const auto all = kernels::AvailableKernels();
  if (name.empty()) return all.empty() ? nullptr : all.front();
  for (const kernels::Kernels* each : all) {
    if (name == each->name) return each;
  }
  if (name == "plain") return nullptr;
  throw UserError(UnknownName("instruction set", name, FastDynamics::InstructionSets()));
}

}  // namespace

std::vector<std::string> FastDynamics::InstructionSets() {
  std::vector<std::string> names;
  for (const kernels::Kernels* each : kernels::AvailableKernels()) names.emplace_back(each->name);
  names.emplace_back("plain");
  return names;
}

FastDynamics::FastDynamics(const Model& model, std::string_view instruction_set)
    : model_(model),
      plan_(model),
      kernels_(FindKernels(instruction_set)),
      layout_(model),
      workspace_(model) {
  const size_t padded = size_t{kLanes} * static_cast<size_t>(plan().blocks);
  v_.assign(padded, 0);
  v_r_.assign(padded, 0);
  vdot_r_.assign(padded, 0);
  tau_.assign(padded, 0);
  if (!plan_.identity_order()) C_ = H_ = Eigen::MatrixXd::Zero(model.nv(), model.nv());
  if (kernels_ != nullptr) {
    memory_.assign(kernels_->memory_numbers(plan()) + kAlignment / sizeof(double), 0);
  }
}

double* FastDynamics::memory() {
  const auto address = reinterpret_cast<std::uintptr_t>(memory_.data());
  return memory_.data() + (kAlignment - address % kAlignment) % kAlignment / sizeof(double);
}

void FastDynamics::CalcMassMatrix(VectorIn<double> q, MatrixOut<double> H) {
  CheckLength(q.size(), model_.nq(), "q");
  CheckSquare(H, model_.nv(), "H");
  if (kernels_ == nullptr) {
    UpdateKinematics(model_, q, workspace_);
    civita::CalcMassMatrix(model_, workspace_, H);
  } else if (plan_.identity_order()) {
    kernels_->mass_matrix(plan(), memory(), q.data(), ViewOf(H));
  } else {
    kernels_->mass_matrix(plan(), memory(), q.data(), ViewOf(H_));
    FromSlots(plan(), H_, H);
  }
}

void FastDynamics::CalcCoriolisMatrix(VectorIn<double> q, VectorIn<double> v, MatrixOut<double> C,
                                      MatrixOut<double> H) {
  CheckLength(q.size(), model_.nq(), "q");
  CheckLength(v.size(), model_.nv(), "v");
  CheckSquare(C, model_.nv(), "C");
  CheckSquare(H, model_.nv(), "H");
  if (kernels_ == nullptr) {
    UpdateKinematics(model_, q, v, workspace_);
    civita::CalcCoriolisMatrix(model_, {}, workspace_, C, H);
    return;
  }
  ToSlots(plan(), v, &v_);
  if (plan_.identity_order()) {
    kernels_->coriolis_matrix(plan(), memory(), q.data(), v_.data(), ViewOf(C), ViewOf(H));
  } else {
    kernels_->coriolis_matrix(plan(), memory(), q.data(), v_.data(), ViewOf(C_), ViewOf(H_));
    FromSlots(plan(), C_, C);
    FromSlots(plan(), H_, H);
  }
}

void FastDynamics::CalcInverseDynamics(VectorIn<double> q, VectorIn<double> v,
                                       VectorIn<double> vdot, VectorOut<double> tau) {
  CheckLength(q.size(), model_.nq(), "q");
  CheckLength(v.size(), model_.nv(), "v");
  CheckLength(vdot.size(), model_.nv(), "vdot");
  CheckLength(tau.size(), model_.nv(), "tau");
  if (kernels_ == nullptr) {
    UpdateKinematics(model_, q, v, workspace_);
    civita::CalcInverseDynamics(model_, vdot, workspace_, tau);
    return;
  }
  ToSlots(plan(), v, &v_);
  ToSlots(plan(), vdot, &vdot_r_);
  kernels_->inverse_dynamics(plan(), memory(), q.data(), v_.data(), vdot_r_.data(), tau_.data());
  FromSlots(plan(), tau_, tau);
}

void FastDynamics::CalcPassivityInverseDynamics(double t, VectorIn<double> q, VectorIn<double> v,
                                                VectorIn<double> v_r, VectorIn<double> vdot_r,
                                                VectorOut<double> tau) {
  CheckLength(q.size(), model_.nq(), "q");
  CheckLength(v.size(), model_.nv(), "v");
  CheckLength(v_r.size(), model_.nv(), "v_r");
  CheckLength(vdot_r.size(), model_.nv(), "vdot_r");
  CheckLength(tau.size(), model_.nv(), "tau");
  if (kernels_ == nullptr) {
    Factorization family;
    family.t = t;
    UpdateKinematics(model_, q, v, workspace_);
    civita::CalcPassivityInverseDynamics(model_, family, v_r, vdot_r, workspace_, tau);
    return;
  }
  ToSlots(plan(), v, &v_);
  ToSlots(plan(), v_r, &v_r_);
  ToSlots(plan(), vdot_r, &vdot_r_);
  kernels_->passivity_inverse_dynamics(plan(), memory(), t, q.data(), v_.data(), v_r_.data(),
                                       vdot_r_.data(), tau_.data());
  FromSlots(plan(), tau_, tau);
}

void FastDynamics::CalcChristoffelSymbols(VectorIn<double> q, std::span<double> Gamma) {
  CheckLength(q.size(), model_.nq(), "q");
  const int n = model_.nv();
  CheckLength(static_cast<Eigen::Index>(Gamma.size()), n * n * n, "Gamma");
  if (kernels_ != nullptr && plan_.identity_order()) {
    kernels_->christoffel_symbols(plan(), memory(), q.data(), Gamma.data());
    return;
  }
  UpdateKinematics(model_, q, workspace_);
  civita::CalcChristoffelSymbols(model_, workspace_, Gamma);
}

void FastDynamics::CalcPackedChristoffelSymbols(VectorIn<double> q, std::span<double> packed) {
  CheckLength(q.size(), model_.nq(), "q");
  CIVITA_CHECK(packed.size() == layout_.size(),
               "the packed form has " << packed.size() << " numbers, wanted " << layout_.size());
  if (kernels_ != nullptr) {
    kernels_->packed_christoffel_symbols(plan(), memory(), q.data(), packed.data());
    return;
  }
  UpdateKinematics(model_, q, workspace_);
  civita::CalcPackedChristoffelSymbols(model_, layout_, workspace_, packed);
}

}  // namespace civita
