#include "core/dynamics/internal/serve.h"

#include <algorithm>
#include <iterator>

#include "civita/error.h"
#include "core/kernels/find_kernels.h"
#include "core/kernels/kernels.h"
#include "core/kernels/plan.h"
#include "core/model/internal/checks.h"

namespace civita::kernels {

namespace {

/// Numbers by velocity coordinate, by slot: as they are or in the buffer. At slot 0, as all here.
const double* BySlot(const Plan& plan, const double* x, std::vector<double>* buffer) {
  const PlanView& view = plan.view();
  if (plan.identity_order()) return x + view.base;
  double* slots = buffer->data() + view.base;
  for (int i = -view.base; i < view.n; ++i) slots[i] = x[view.iv[i]];
  return slots;
}

/// The same, always in the buffer, whose padding is zeros; nullptr stands for zeros.
const double* PaddedBySlot(const Plan& plan, const double* x, std::vector<double>* buffer) {
  if (x == nullptr) {
    std::fill(buffer->begin(), buffer->end(), 0);
  } else if (plan.identity_order()) {
    std::copy(x, x + plan.view().nv, buffer->begin());
  } else {
    BySlot(plan, x, buffer);
  }
  return buffer->data() + plan.view().base;
}

/// Where a kernel writes: in place, or by slot.
double* PlaceOf(const Plan& plan, VectorOut<double>& x, std::vector<double>* buffer) {
  return (plan.identity_order() ? x.data() : buffer->data()) + plan.view().base;
}
MatrixView PlaceOf(const Plan& plan, MatrixOut<double>& M, Eigen::MatrixXd& buffer) {
  double* data = plan.identity_order() ? M.data() : buffer.data();
  const std::ptrdiff_t stride = plan.identity_order() ? M.outerStride() : buffer.outerStride();
  return {data + plan.view().base * (1 + stride), stride};
}

/// And from there to the coordinates.
void FromSlots(const Plan& plan, const std::vector<double>& slots, VectorOut<double>& x) {
  if (plan.identity_order()) return;
  const PlanView& view = plan.view();
  for (int i = 0; i < view.nv; ++i) x[view.iv[i - view.base]] = slots[static_cast<size_t>(i)];
}
void FromSlots(const Plan& plan, const Eigen::MatrixXd& slots, MatrixOut<double>& M) {
  if (plan.identity_order()) return;
  const int* iv = plan.view().iv - plan.view().base;
  for (int k = 0; k < plan.view().nv; ++k) {
    for (int i = 0; i < plan.view().nv; ++i) M(iv[i], iv[k]) = slots(i, k);
  }
}

PlanView WithoutGravity(PlanView view) {
  std::fill(std::begin(view.gravity), std::end(view.gravity), 0);
  return view;
}

/// run(scratch, plan) where there are kernels. @returns whether there are.
template <typename Run>
bool Serve(internal::Scratch<double>& s, const Run& run) {
  if (s.kernels.kernels() == nullptr) return false;
  run(s.kernels, s.kernels.plan());
  return true;
}

}  // namespace

bool CalcBodyPoses(internal::Scratch<double>& s) {
  return Serve(s, [&](Scratch& scratch, const Plan& plan) {
    Kinematics<double>::Body* const first = s.bodies.data();
    scratch.kernels()->body_poses(
        plan.view(), scratch.memory(), s.q.data(),
        {first->R_WB.a, &first->r.x, static_cast<std::ptrdiff_t>(sizeof *first / sizeof(double))});
  });
}

bool CalcMassMatrix(internal::Scratch<double>& s, MatrixOut<double>& H) {
  return Serve(s, [&](Scratch& scratch, const Plan& plan) {
    scratch.kernels()->mass_matrix(plan.view(), scratch.memory(), s.q.data(),
                                   PlaceOf(plan, H, scratch.H));
    FromSlots(plan, scratch.H, H);
  });
}

bool CalcMassMatrixDerivative(internal::Scratch<double>& s, MatrixOut<double>& Hdot) {
  return Serve(s, [&](Scratch& scratch, const Plan& plan) {
    scratch.kernels()->mass_matrix_derivative(plan.view(), scratch.memory(), s.q.data(),
                                              BySlot(plan, s.v.data(), &scratch.v),
                                              PlaceOf(plan, Hdot, scratch.H));
    FromSlots(plan, scratch.H, Hdot);
  });
}

namespace {

/// The factorization's part of the bodies, its injections summed in the scratch.
Torsion TorsionOf(const Factorization& factorization, const Eigen::VectorXd& q, Scratch* scratch) {
  if (factorization.body_injections.empty()) return {factorization.t, nullptr};
  std::vector<double>& sums = scratch->injections;
  std::fill(sums.begin(), sums.end(), 0);
  for (const Factorization::BodyInjection& injection : factorization.body_injections) {
    scratch->plan().AddInjection(injection, injection.beta.At(q), sums.data());
  }
  return {factorization.t, sums.data()};
}

}  // namespace

bool CalcCoriolisMatrix(const Factorization& factorization, internal::Scratch<double>& s,
                        MatrixOut<double>& C, MatrixOut<double>& H) {
  if (!factorization.admissible()) return false;
  return Serve(s, [&](Scratch& scratch, const Plan& plan) {
    const MatrixView C_slots = PlaceOf(plan, C, scratch.C);
    scratch.kernels()->coriolis_matrix(plan.view(), scratch.memory(), s.q.data(),
                                       BySlot(plan, s.v.data(), &scratch.v), C_slots,
                                       PlaceOf(plan, H, scratch.H));
    if (factorization.has_body_torsion()) {
      scratch.kernels()->add_torsion(plan.view(), scratch.memory(),
                                     TorsionOf(factorization, s.q, &scratch), C_slots);
    }
    FromSlots(plan, scratch.C, C);
    FromSlots(plan, scratch.H, H);
  });
}

bool CalcInverseDynamics(const double* v, const double* vdot, internal::Scratch<double>& s,
                         VectorOut<double>& tau) {
  return Serve(s, [&](Scratch& scratch, const Plan& plan) {
    scratch.kernels()->inverse_dynamics(
        plan.view(), scratch.memory(), s.q.data(),
        v == nullptr ? PaddedBySlot(plan, v, &scratch.v) : BySlot(plan, v, &scratch.v),
        PaddedBySlot(plan, vdot, &scratch.vdot_r), PlaceOf(plan, tau, &scratch.tau));
    FromSlots(plan, scratch.tau, tau);
  });
}

namespace {

struct ForcesOnBodies {
  const Plan& plan;
  ExternalForces<double> forces;
};

PointForce ForceOnSlot(const void* data, int i) {
  const auto& [plan, forces] = *static_cast<const ForcesOnBodies*>(data);
  const ExternalForce<double>& from = forces[static_cast<size_t>(i)];
  if (from.body < 0) return {.slot = -1, .point = {}, .moment = {}, .force = {}};
  PointForce force = {.slot = plan.last_slot(from.body), .point = {}, .moment = {}, .force = {}};
  const Eigen::Vector3d point = plan.axes(from.body).transpose() * from.point;
  std::copy_n(point.data(), 3, force.point);
  std::copy_n(from.moment.data(), 3, force.moment);
  std::copy_n(from.force.data(), 3, force.force);
  return force;
}

}  // namespace

bool CalcForwardDynamics(VectorIn<double> tau, ExternalForces<double> forces,
                         internal::Scratch<double>& s, VectorOut<double>& vdot) {
  return Serve(s, [&](Scratch& scratch, const Plan& plan) {
    const ForcesOnBodies on_bodies = {plan, forces};
    scratch.kernels()->forward_dynamics(
        plan.view(), scratch.memory(), s.q.data(), BySlot(plan, s.v.data(), &scratch.v),
        PaddedBySlot(plan, nullptr, &scratch.vdot_r), BySlot(plan, tau.data(), &scratch.v_r),
        {&on_bodies, static_cast<int>(forces.size()), &ForceOnSlot},
        PlaceOf(plan, vdot, &scratch.tau));
    FromSlots(plan, scratch.tau, vdot);
  });
}

bool CalcInverseDynamicsDerivatives(const double* vdot, internal::Scratch<double>& s,
                                    MatrixOut<double>& dtau_dq, MatrixOut<double>& dtau_dv,
                                    MatrixOut<double>& H) {
  return Serve(s, [&](Scratch& scratch, const Plan& plan) {
    scratch.kernels()->inverse_dynamics_derivatives(
        plan.view(), scratch.memory(), s.q.data(), BySlot(plan, s.v.data(), &scratch.v),
        PaddedBySlot(plan, vdot, &scratch.vdot_r), PlaceOf(plan, dtau_dq, scratch.D),
        PlaceOf(plan, dtau_dv, scratch.C), PlaceOf(plan, H, scratch.H));
    FromSlots(plan, scratch.D, dtau_dq);
    FromSlots(plan, scratch.C, dtau_dv);
    FromSlots(plan, scratch.H, H);
  });
}

namespace {

bool ServesTwoVelocities(const Factorization& factorization) {
  return factorization.admissible() && factorization.body_injections.empty();
}

FramesView ViewOf(std::span<const Model::NamedFrame> frames) {
  static_assert(sizeof(Pose) == 12 * sizeof(double) && offsetof(Pose, p) == 9 * sizeof(double));
  if (frames.empty()) return {};
  const Model::NamedFrame& first = frames.front();
  return {.body = &first.body,
          .pose = first.X_BF.R.data(),
          .stride = sizeof(Model::NamedFrame),
          .count = static_cast<int>(frames.size())};
}

}  // namespace

bool CalcMassMatrixAndBias(internal::Scratch<double>& s, Eigen::MatrixXd& H,
                           Eigen::VectorXd& bias) {
  Scratch& scratch = s.kernels;
  if (scratch.kernels() == nullptr || !scratch.plan().identity_order()) return false;
  const PlanView& plan = scratch.plan().view();
  MatrixView by_slot = ViewOf(H);
  by_slot.data += plan.base * (1 + by_slot.stride);
  scratch.kernels()->mass_matrix_and_bias(
      plan, scratch.memory(), s.q.data(), s.v.data() + plan.base,
      PaddedBySlot(scratch.plan(), nullptr, &scratch.vdot_r), by_slot, bias.data() + plan.base);
  return true;
}

Motion<double> SetBodyMotion(int body, internal::Scratch<double>& s) {
  BodyMotion motion;
  s.kernels.kernels()->body_motion(s.kernels.plan().view(), s.kernels.memory(), body, &motion);
  Kinematics<double>::Body& to = s.bodies[body];
  to.R_WB = motion.R;
  to.r = motion.r;
  to.V = motion.V;
  return motion.A;
}

void AddJacobian(const JacobianRows& rows, internal::Scratch<double>& s, double* X,
                 std::ptrdiff_t stride) {
  s.kernels.kernels()->add_jacobian(s.kernels.plan().view(), s.kernels.memory(), rows, X, stride);
}

std::optional<bool> CalcForwardDynamicsDerivatives(internal::Scratch<double>& s,
                                                   Eigen::MatrixXd& rows, Eigen::VectorXd& inverse,
                                                   MatrixOut<double>& dtau_dq,
                                                   MatrixOut<double>& dtau_dv,
                                                   MatrixOut<double>& H) {
  Scratch& scratch = s.kernels;
  if (scratch.kernels() == nullptr || !scratch.plan().identity_order()) return std::nullopt;
  return scratch.kernels()->forward_dynamics_derivatives(
      scratch.plan().view(), scratch.memory(), ViewOf(rows), inverse.data(), ViewOf(dtau_dq),
      ViewOf(dtau_dv), ViewOf(H));
}

bool CalcPassivityInverseDynamics(const Factorization& factorization, VectorIn<double> v_r,
                                  VectorIn<double> vdot_r, internal::Scratch<double>& s,
                                  VectorOut<double>& tau) {
  if (!ServesTwoVelocities(factorization)) return false;
  return Serve(s, [&](Scratch& scratch, const Plan& plan) {
    scratch.kernels()->passivity_inverse_dynamics(
        plan.view(), scratch.memory(), factorization.t, s.q.data(),
        BySlot(plan, s.v.data(), &scratch.v), PaddedBySlot(plan, v_r.data(), &scratch.v_r),
        PaddedBySlot(plan, vdot_r.data(), &scratch.vdot_r), PlaceOf(plan, tau, &scratch.tau));
    FromSlots(plan, scratch.tau, tau);
  });
}

bool CalcPassivityDerivatives(const Factorization& factorization, VectorIn<double> v_r,
                              VectorIn<double> vdot_r, bool has_gravity,
                              internal::Scratch<double>& s, MatrixOut<double>& dtau_dq,
                              MatrixOut<double>& dtau_dv) {
  if (!factorization.admissible()) return false;
  return Serve(s, [&](Scratch& scratch, const Plan& plan) {
    scratch.kernels()->passivity_derivatives(
        has_gravity ? plan.view() : WithoutGravity(plan.view()), scratch.memory(),
        TorsionOf(factorization, s.q, &scratch), s.q.data(), BySlot(plan, s.v.data(), &scratch.v),
        PaddedBySlot(plan, v_r.data(), &scratch.v_r),
        PaddedBySlot(plan, vdot_r.data(), &scratch.vdot_r), PlaceOf(plan, dtau_dq, scratch.D),
        PlaceOf(plan, dtau_dv, scratch.C));
    FromSlots(plan, scratch.D, dtau_dq);
    FromSlots(plan, scratch.C, dtau_dv);
  });
}

bool CalcRegressor(const Factorization& factorization, std::span<const Model::NamedFrame> frames,
                   VectorIn<double> v_r, VectorIn<double> vdot_r, internal::Scratch<double>& s,
                   bool transposed, MatrixOut<double>& Y) {
  if (!ServesTwoVelocities(factorization) || s.kernels.kernels() == nullptr) return false;
  Scratch& scratch = s.kernels;
  const Plan& plan = scratch.plan();
  if (!transposed && !plan.identity_order()) return false;
  const double *v = BySlot(plan, s.v.data(), &scratch.v),
               *reference = PaddedBySlot(plan, v_r.data(), &scratch.v_r),
               *rate = PaddedBySlot(plan, vdot_r.data(), &scratch.vdot_r);
  MatrixView to = ViewOf(Y);
  if (transposed) {
    Y.setZero();
  } else {
    to.data += plan.view().base;
  }
  const Kernels& kernels = *scratch.kernels();
  (transposed ? kernels.transposed_regressor : kernels.regressor)(
      plan.view(), scratch.memory(), ViewOf(frames), factorization.t, s.q.data(), v, reference,
      rate, to);
  return true;
}

bool CalcRegressorProducts(const Factorization& factorization,
                           std::span<const Model::NamedFrame> frames, VectorIn<double> v_r,
                           VectorIn<double> vdot_r, VectorIn<double> x, VectorIn<double> sigma,
                           internal::Scratch<double>& s, VectorOut<double>& Yx,
                           VectorOut<double>& YTs) {
  if (!ServesTwoVelocities(factorization)) return false;
  return Serve(s, [&](Scratch& scratch, const Plan& plan) {
    scratch.kernels()->regressor_products(
        plan.view(), scratch.memory(), ViewOf(frames), factorization.t, s.q.data(),
        BySlot(plan, s.v.data(), &scratch.v), PaddedBySlot(plan, v_r.data(), &scratch.v_r),
        PaddedBySlot(plan, vdot_r.data(), &scratch.vdot_r), Yx.size() == 0 ? nullptr : x.data(),
        // Injections, whose memory this is, are none here.
        YTs.size() == 0 ? nullptr : BySlot(plan, sigma.data(), &scratch.injections),
        Yx.size() == 0 ? nullptr : PlaceOf(plan, Yx, &scratch.tau), YTs.data());
    if (Yx.size() > 0) FromSlots(plan, scratch.tau, Yx);
  });
}

FrameQuery QueryOf(const FramePoint& at, ReferenceFrame reference,
                   const internal::Scratch<double>& s, MatrixOut<double>* J,
                   MatrixOut<double>* Jdot) {
  const Plan& plan = s.kernels.plan();
  const Eigen::Matrix3d& R_BZ = plan.axes(at.frame.body);
  FrameQuery query{};
  query.slot = plan.last_slot(at.frame.body);
  query.at_origin = reference == ReferenceFrame::kWorld;
  query.turned = reference == ReferenceFrame::kLocal;
  Eigen::Map<Eigen::Vector3d> point(query.point);
  point.noalias() = R_BZ.transpose() * (at.frame.X_BF * at.point);
  Eigen::Map<Eigen::Matrix<double, 3, 3, Eigen::RowMajor>> axes(query.axes);
  if (query.turned) axes.noalias() = R_BZ.transpose() * at.frame.X_BF.R;
  if (J != nullptr) query.J = ViewOf(*J);
  if (Jdot != nullptr) query.Jdot = ViewOf(*Jdot);
  return query;
}

void CalcFrameJacobians(std::span<const FrameQuery> queries, bool with_rates,
                        internal::Scratch<double>& s) {
  Scratch& scratch = s.kernels;
  const double* v = with_rates ? BySlot(scratch.plan(), s.v.data(), &scratch.v) : nullptr;
  scratch.kernels()->frame_jacobians(scratch.plan().view(), scratch.memory(), s.q.data(), v,
                                     queries.data(), static_cast<int>(queries.size()));
}

bool CalcFrameJacobian(const FramePoint& at, ReferenceFrame reference, bool is_rate,
                       internal::Scratch<double>& s, MatrixOut<double>& J) {
  if (s.kernels.kernels() == nullptr || at.frame.body < 0) return false;
  const FrameQuery query =
      QueryOf(at, reference, s, is_rate ? nullptr : &J, is_rate ? &J : nullptr);
  CalcFrameJacobians({&query, 1}, is_rate, s);
  return true;
}

bool CalcFrameMotion(const FramePoint& at, ReferenceFrame reference, const double* vdot,
                     internal::Scratch<double>& s, Motion<double>* velocity,
                     Motion<double>* acceleration) {
  if (at.frame.body < 0) return false;
  return Serve(s, [&](Scratch& scratch, const Plan& plan) {
    scratch.kernels()->frame_motion(WithoutGravity(plan.view()), scratch.memory(), s.q.data(),
                                    BySlot(plan, s.v.data(), &scratch.v),
                                    vdot == nullptr ? PaddedBySlot(plan, vdot, &scratch.vdot_r)
                                                    : BySlot(plan, vdot, &scratch.vdot_r),
                                    QueryOf(at, reference, s, nullptr, nullptr), velocity,
                                    acceleration);
  });
}

bool CalcCentroidal(const CentroidalQuery& query, bool with_rates, internal::Scratch<double>& s) {
  return Serve(s, [&](Scratch& scratch, const Plan& plan) {
    const double* v = with_rates ? BySlot(plan, s.v.data(), &scratch.v) : nullptr;
    internal::CheckMass(
        scratch.kernels()->centroidal(plan.view(), scratch.memory(), s.q.data(), v, query));
  });
}

bool CalcCentroidalMomentumRateDerivatives(const double* vdot, internal::Scratch<double>& s,
                                           MatrixOut<double>& by_q, MatrixOut<double>& by_v,
                                           MatrixOut<double>& by_vdot) {
  return Serve(s, [&](Scratch& scratch, const Plan& plan) {
    internal::CheckMass(scratch.kernels()->centroidal_derivatives(
        WithoutGravity(plan.view()), scratch.memory(), s.q.data(),
        BySlot(plan, s.v.data(), &scratch.v), BySlot(plan, vdot, &scratch.vdot_r), ViewOf(by_q),
        ViewOf(by_v), ViewOf(by_vdot)));
  });
}

bool CalcChristoffelSymbols(internal::Scratch<double>& s, std::span<double> Gamma) {
  return Serve(s, [&](Scratch& scratch, const Plan& plan) {
    scratch.kernels()->christoffel_symbols(plan.view(), scratch.memory(), s.q.data(), Gamma.data());
  });
}

bool CalcPackedChristoffelSymbols(internal::Scratch<double>& s, std::span<double> packed) {
  return Serve(s, [&](Scratch& scratch, const Plan& plan) {
    scratch.kernels()->packed_christoffel_symbols(plan.view(), scratch.memory(), s.q.data(),
                                                  packed.data());
  });
}

bool CalcCongruence(const Eigen::MatrixXd& A, const Eigen::MatrixXd* Adot, double s,
                    MatrixIn<double> C, MatrixIn<double> H, Eigen::MatrixXd& products,
                    MatrixOut<double> out) {
  static const Kernels* const kernels = FindKernels({});
  if (kernels == nullptr) return false;
  const auto view = [](const auto& M) { return ConstMatrixView{M.data(), M.outerStride()}; };
  const int nv = static_cast<int>(A.rows()), nw = static_cast<int>(A.cols());
  const Product of_v[] = {{view(C), view(A), s}, {view(H), view(Adot == nullptr ? A : *Adot), 1}};
  const Product of_w = {{products.data(), nw}, view(A), 1};
  return kernels->transposed_products({of_v, Adot == nullptr ? 1u : 2u}, nv, nv, nw,
                                      {products.data(), nw}) &&
         kernels->transposed_products({&of_w, 1}, nw, nv, nw, ViewOf(out));
}

}  // namespace civita::kernels
