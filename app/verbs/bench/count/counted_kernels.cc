#include "app/verbs/bench/count/counted_kernels.h"

#include <memory>
#include <vector>

#include "app/verbs/bench/bench_task.h"
#include "core/kernels/plan.h"
#include "core/spatial/internal/access.h"

// Every counted operation is a call: optimizing them takes time and changes no count. As a flag of
// the file, -O0 would be for its instances of Eigen, too, which the linker gives to all others.
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC optimize("O0")
#endif
#define CIVITA_INSTRUCTION_SET counted
#define CIVITA_PACK_HEADER "app/verbs/bench/count/counted_pack.h"
#include "core/kernels/batch_coriolis.h"
#include "core/kernels/batch_derivatives.h"
#include "core/kernels/batch_forward_dynamics.h"
#include "core/kernels/batch_rnea.h"
#include "core/kernels/batch_symbols.h"
#include "core/kernels/centroidal_kernel.h"
#include "core/kernels/christoffel_kernel.h"
#include "core/kernels/coriolis_kernel.h"
#include "core/kernels/derivatives_kernel.h"
#include "core/kernels/forward_dynamics_kernel.h"
#include "core/kernels/jacobian_kernel.h"
#include "core/kernels/passivity_derivatives_kernel.h"
#include "core/kernels/regressor_kernel.h"
#include "core/kernels/rnea_kernel.h"
#include "core/kernels/sparse_factor.h"

namespace civita {
namespace {

namespace counted = kernels::counted;

/// A state, memory for the results of a quantity, and the kernels' scratch.
struct Task {
  Task(std::string_view quantity, const Model& model)
      : plan(kernels::PlanOf(model).view()),
        nv(model.nv()),
        state(RandomBenchStates(model).front()),
        frames(BodyFrames(model)) {
    const auto n = static_cast<std::size_t>(nv);
    // Vectors over slots are padded to whole blocks.
    const Eigen::Index padded = plan.base + Eigen::Index{kernels::kLanes} * plan.blocks;
    for (VectorX<double>* x : {&state.v, &state.vdot, &state.v_r, &state.vdot_r}) {
      x->conservativeResizeLike(VectorX<double>::Zero(padded));
    }
    C = H = D = Eigen::MatrixXd::Zero(nv, nv * counted::kWidth);
    MassMatrixCholesky<double> factor(model);
    L = internal::Access::rows(factor);
    tau = Eigen::MatrixXd::Zero(padded, counted::kWidth);
    if (quantity.starts_with("regressor")) {
      const Eigen::Index columns = kNumBodyParameters * static_cast<Eigen::Index>(frames.size());
      Y = Eigen::MatrixXd::Zero(nv, columns);
      pi = Eigen::VectorXd::Ones(columns);
    }
    // Of large models these alone are large.
    if (quantity.starts_with("Gamma")) symbols.resize(n * n * n * counted::kWidth);
    numbers.resize(kAlignment +
                   counted::NumbersWithSymbols(plan, static_cast<int>(state.q.size())));
  }

  double* memory() {
    void* first = numbers.data();
    std::size_t size = numbers.size() * sizeof(double);
    return static_cast<double*>(
        std::align(kAlignment * sizeof(double), sizeof(double), first, size));
  }

  const kernels::PlanView& plan;
  int nv;
  BenchState<double> state;
  std::vector<Model::NamedFrame> frames;
  Eigen::MatrixXd C, H, D, L, tau, Y;
  Eigen::VectorXd pi;
  std::vector<double> symbols, numbers;

 private:
  static constexpr std::size_t kAlignment = 8;
};

kernels::MatrixView FirstOf(Eigen::MatrixXd& M) { return {M.data(), M.outerStride()}; }

template <typename Call>
std::int64_t CountOperations(const Call& call) {
  kernels::kernel_operations = 0;
  call();
  return kernels::kernel_operations;
}

void CountRegressor(std::string_view quantity, double* memory, Task& at) {
  const BenchState<double>& x = at.state;
  const int base = at.plan.base;
  const double *v = x.v.data() + base, *v_r = x.v_r.data() + base, *rate = x.vdot_r.data() + base;
  const Model::NamedFrame& first = at.frames.front();
  const kernels::FramesView frames = {&first.body, first.X_BF.R.data(), sizeof(first),
                                      static_cast<int>(at.frames.size())};
  if (quantity == "regressor" && at.plan.identity_order) {
    counted::CalcRegressor<false>(at.plan, memory, frames, 0, x.q.data(), v, v_r, rate,
                                  {at.Y.data() + base, at.nv});
  } else if (quantity == "regressor product") {
    counted::CalcRegressorProducts(at.plan, memory, frames, 0, x.q.data(), v, v_r, rate,
                                   at.pi.data(), nullptr, at.tau.data() + base, nullptr);
  } else if (quantity == "regressor transpose product") {
    counted::CalcRegressorProducts(at.plan, memory, frames, 0, x.q.data(), v, v_r, rate, nullptr,
                                   x.vdot.data() + base, nullptr, at.pi.data());
  }
}

}  // namespace

// NOLINTNEXTLINE(readability-function-size): a case for each quantity
std::int64_t CountKernelFlops(std::string_view quantity, const Model& model) {
  Task at(quantity, model);
  const BenchState<double>& x = at.state;
  double* memory = at.memory();
  const int base = at.plan.base;  // the kernels of one state take the pointer of slot 0
  const double *v = x.v.data() + base, *vdot = x.vdot.data() + base;
  const kernels::MatrixView C = {at.C.data() + base * (1 + at.nv), at.nv};
  const kernels::MatrixView D = {at.D.data() + base * (1 + at.nv), at.nv};
  const kernels::MatrixView H = {at.H.data() + base * (1 + at.nv), at.nv};
  const kernels::MatrixView L = FirstOf(at.L);  // a factor's are by coordinate
  kernels::FrameQuery last{};
  if (!BodyFrames(model).empty()) {
    last.slot = kernels::PlanOf(model).last_slot(BodyFrames(model).back().body);
  }
  const auto six = [nv = at.nv](Eigen::MatrixXd& M) {
    M.resize(6, nv);
    return kernels::MatrixView{M.data(), 6};
  };
  return CountOperations([&] {
    if (quantity == "C+H") {
      counted::CalcCoriolisMatrix(at.plan, memory, x.q.data(), v, C, H);
    } else if (quantity == "H") {
      counted::CalcMassMatrix(at.plan, memory, x.q.data(), H);
    } else if (quantity == "Hdot") {
      counted::CalcMassMatrixDerivative(at.plan, memory, x.q.data(), v, H);
    } else if (quantity == "Gamma") {
      counted::CalcChristoffelSymbols(at.plan, memory, x.q.data(), at.symbols.data());
    } else if (quantity == "Gamma packed") {
      counted::CalcPackedChristoffelSymbols(at.plan, memory, x.q.data(), at.symbols.data());
    } else if (quantity == "RNEA" || quantity == "bias") {
      counted::CalcInverseDynamics(at.plan, memory, x.q.data(), v, vdot, at.tau.data() + base);
    } else if (quantity == "forward dynamics") {
      const Eigen::VectorXd zeros = Eigen::VectorXd::Zero(x.v.size());
      counted::CalcForwardDynamics(at.plan, memory, x.q.data(), v, zeros.data() + base, vdot,
                                   {nullptr, 0, nullptr}, at.tau.data() + base);
    } else if (quantity == "RNEA derivatives") {
      counted::CalcInverseDynamicsDerivatives(at.plan, memory, x.q.data(), v, vdot, D, C, H);
    } else if (quantity == "forward dynamics derivatives" && at.plan.identity_order) {
      counted::CalcInverseDynamicsDerivatives(at.plan, memory, x.q.data(), v, vdot, D, C, H);
      (void)counted::CalcForwardDynamicsDerivatives(at.plan, memory, L, at.tau.data(),
                                                    FirstOf(at.D), FirstOf(at.C), FirstOf(at.H));
    } else if ((quantity == "H inverse" || quantity == "factor and solve") &&
               at.plan.identity_order) {
      counted::CalcMassMatrix(at.plan, memory, x.q.data(), H);
      (void)counted::Factor(at.plan, memory, {at.H.data(), at.nv}, L, at.tau.data());
      if (quantity == "H inverse") {
        counted::Invert(at.plan, memory, {L.data, L.stride}, at.tau.data(), FirstOf(at.D));
      } else {
        counted::Solve(at.plan, memory, {L.data, L.stride}, at.tau.data(), FirstOf(at.D), 1);
      }
    } else if (quantity == "Jacobian") {
      last.J = six(at.C);
      counted::CalcFrameJacobians(at.plan, memory, x.q.data(), nullptr, &last, 1);
    } else if (quantity == "Jacobian rate") {
      last.Jdot = six(at.C);
      counted::CalcFrameJacobians(at.plan, memory, x.q.data(), v, &last, 1);
    } else if (quantity == "frame acceleration") {
      Motion<double> V, A;
      counted::CalcFrameMotion(at.plan, memory, x.q.data(), v, vdot, last, &V, &A);
    } else if (quantity == "centroidal matrix") {
      counted::CalcCentroidal(at.plan, memory, x.q.data(), nullptr, {.A = six(at.C)});
    } else if (quantity == "centroidal rate") {
      counted::CalcCentroidal(at.plan, memory, x.q.data(), v, {.Adot = six(at.C)});
    } else if (quantity == "center of mass Jacobian") {
      counted::CalcCentroidal(at.plan, memory, x.q.data(), nullptr, {.J = six(at.C)});
    } else if (quantity == "centroidal derivatives") {
      counted::CalcCentroidalDerivatives(at.plan, memory, x.q.data(), v, vdot, six(at.C), six(at.D),
                                         six(at.H));
    } else if (quantity == "C w derivatives") {
      counted::CalcPassivityDerivatives(at.plan, memory, {0, nullptr}, x.q.data(), v,
                                        x.v_r.data() + base, vdot, D, C);
    } else if (quantity == "passivity RNEA") {
      counted::CalcPassivityInverseDynamics(at.plan, memory, 0, x.q.data(), v, x.v_r.data() + base,
                                            x.vdot_r.data() + base, at.tau.data() + base);
    } else if (quantity.starts_with("regressor") && !at.frames.empty()) {
      CountRegressor(quantity, memory, at);
    }
  });
}

std::int64_t CountBatchKernelFlops(std::string_view quantity, const Model& model) {
  Task at(quantity, model);
  const auto nv = static_cast<std::ptrdiff_t>(at.nv);
  const int nq = static_cast<int>(at.state.q.size());
  int singular = 0;
  // The same state in all lanes.
  const kernels::Batch batch = {.nq = nq,
                                .t = 0,
                                .q = {at.state.q.data(), 0},
                                .v = {at.state.v.data(), 0},
                                .v_r = {at.state.v_r.data(), 0},
                                .vdot_r = {at.state.vdot_r.data(), 0},
                                .force = {at.state.vdot.data(), 0},
                                .H = {at.H.data(), nv * nv},
                                .C = {at.C.data(), nv * nv},
                                .D = {at.D.data(), nv * nv},
                                .Gamma = {at.symbols.data(), nv * nv * nv},
                                .tau = {at.tau.data(), at.tau.outerStride()},
                                .vdot = {at.tau.data(), at.tau.outerStride()},
                                .by_rows = false,
                                .singular = &singular};
  kernels::BatchKernels::Function* function = nullptr;
  if (quantity == "C+H") function = &counted::CalcCoriolisMatrices;
  if (quantity == "H") function = &counted::CalcMassMatrices;
  if (quantity == "H inverse") function = &counted::CalcInverseMassMatrices;
  if (quantity == "Gamma") function = &counted::CalcSymbolsOfEach;
  if (quantity == "RNEA") function = &counted::CalcInverseDynamics;
  if (quantity == "passivity RNEA") function = &counted::CalcPassivityInverseDynamics;
  if (quantity == "forward dynamics") function = &counted::CalcForwardDynamics;
  if (quantity == "RNEA derivatives") function = &counted::CalcInverseDynamicsDerivatives;
  if (quantity == "forward dynamics derivatives") {
    function = &counted::CalcForwardDynamicsDerivatives;
  }
  if (function == nullptr) return 0;
  return CountOperations([&] { function(at.plan, at.memory(), batch, 0, counted::kStates); }) /
         counted::kStates;
}

}  // namespace civita
