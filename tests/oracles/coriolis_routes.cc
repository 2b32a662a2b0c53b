#include "tests/oracles/coriolis_routes.h"

#include "app/verbs/reproduce/printed/dense_spatial.h"
#include "app/verbs/reproduce/printed/equations.h"
#include "civita/kinematics.h"
#include "tests/oracles/linear.h"
#include "tests/oracles/slow_dynamics.h"

namespace civita {
namespace {

/// J of every body in its own axes about its origin.
std::vector<Eigen::MatrixXd> BodyAxesJacobians(const TreeSpec& spec, const Eigen::VectorXd& q) {
  std::vector<Eigen::MatrixXd> all;
  for (const SlowBody& body : SlowBodies(spec, q)) {
    all.push_back(dense::ToFrame(body.X_WB) * body.J);
  }
  return all;
}

}  // namespace

JacobianRoute CalcJacobianRoute(const Model& model, const Eigen::VectorXd& q,
                                const Eigen::VectorXd& v) {
  Workspace<double> workspace(model);
  UpdateKinematics(model, q, v, workspace);
  const Kinematics<double> k = workspace.kinematics(model);
  const auto column = [](const Motion<double>& x) {
    return dense::Vector6d{{x.w.x, x.w.y, x.w.z, x.u.x, x.u.y, x.u.z}};
  };
  JacobianRoute out;
  out.C = out.H = Eigen::MatrixXd::Zero(model.nv(), model.nv());
  for (int b = 0; b < model.num_bodies(); ++b) {
    Eigen::MatrixXd J = Eigen::MatrixXd::Zero(6, model.nv()), Jdot = J;
    for (int a = b; a >= 0; a = model.bodies()[static_cast<size_t>(a)].parent) {
      const Model::Body& carrier = model.bodies()[static_cast<size_t>(a)];
      for (int i = carrier.iv; i < carrier.iv + carrier.nv; ++i) {
        J.col(i) = column(k.Phi[i]);
        Jdot.col(i) = column(k.Phidot[i]);
      }
    }
    const Inertia<double>& I_b = k.bodies[b].I;
    const S3<double>& Ibar = I_b.Ibar;
    const Eigen::Matrix3d rotational{
        {Ibar.xx, Ibar.xy, Ibar.xz}, {Ibar.xy, Ibar.yy, Ibar.yz}, {Ibar.xz, Ibar.yz, Ibar.zz}};
    const dense::Matrix6d I =
        dense::ToMatrix(I_b.m, Eigen::Vector3d(I_b.h.x, I_b.h.y, I_b.h.z), rotational);
    out.H += J.transpose() * I * J;
    out.C += J.transpose() * (dense::DenseChristoffelFactor(I, J * v) * J + I * Jdot);
  }
  return out;
}

Eigen::MatrixXd CalcBodyAxesJacobianRoute(const TreeSpec& spec, const Eigen::VectorXd& q,
                                          const Eigen::VectorXd& v) {
  Eigen::MatrixXd C = Eigen::MatrixXd::Zero(spec.nv, spec.nv);
  const std::vector<Eigen::MatrixXd> jacobians = BodyAxesJacobians(spec, q);
  for (size_t b = 0; b < jacobians.size(); ++b) {
    const Eigen::MatrixXd& J = jacobians[b];
    const Eigen::MatrixXd J_ring = SlowRate(spec, q, v, [&spec, b](const Eigen::VectorXd& at) {
      return BodyAxesJacobians(spec, at)[b];
    });
    const dense::Matrix6d I = dense::ToMatrix(spec.bodies[b].mass);
    const dense::Vector6d x = J * v;
    C += J.transpose() *
         (dense::DenseChristoffelFactor(I, x) * J + I * J_ring + I * dense::MotionCross(x) * J);
  }
  return C;
}

SymbolSlices CalcRneaSymbols(const Model& model,
                             const std::vector<Eigen::MatrixXd>& structure_constants,
                             const Eigen::VectorXd& q) {
  const int n = model.nv();
  const Eigen::MatrixXd H = printed::CalcMassMatrixByInverseDynamics(model, q);
  const auto unit = [n](int k) -> Eigen::VectorXd { return Eigen::VectorXd::Unit(n, k); };
  std::vector<Eigen::VectorXd> single;
  single.reserve(static_cast<size_t>(n));
  for (int k = 0; k < n; ++k) single.push_back(printed::CalcCv(model, q, unit(k)));
  SymbolSlices Gamma(static_cast<size_t>(n), Eigen::MatrixXd(n, n));
  for (int j = 0; j < n; ++j) {
    for (int k = 0; k < n; ++k) {
      Eigen::VectorXd bracket(n);
      for (int l = 0; l < n; ++l) bracket[l] = structure_constants[static_cast<size_t>(l)](j, k);
      const Eigen::VectorXd pair = printed::CalcCv(model, q, unit(j) + unit(k));
      Gamma[static_cast<size_t>(j)].col(k) = 0.5 * (pair - single[static_cast<size_t>(j)] -
                                                    single[static_cast<size_t>(k)] + H * bracket);
    }
  }
  return Gamma;
}

std::vector<Eigen::MatrixXd> CalcHamelCoefficients(const TreeSpec& spec, const Eigen::VectorXd& q) {
  const int n = spec.nv;
  const auto stacked = [&spec](const Eigen::VectorXd& at) {
    const std::vector<SlowBody> bodies = SlowBodies(spec, at);
    Eigen::MatrixXd J(6 * static_cast<Eigen::Index>(bodies.size()), spec.nv);
    for (size_t b = 0; b < bodies.size(); ++b) {
      J.middleRows<6>(6 * static_cast<Eigen::Index>(b)) = bodies[b].J;
    }
    return J;
  };
  const Eigen::MatrixXd J = stacked(q);
  SymbolSlices dJ;
  dJ.reserve(static_cast<size_t>(n));
  for (int j = 0; j < n; ++j) {
    dJ.push_back(SlowRate(spec, q, Eigen::VectorXd::Unit(n, j), stacked));
  }
  Eigen::MatrixXd brackets(J.rows(), n * n);  // column j n + k
  for (int j = 0; j < n; ++j) {
    for (int k = 0; k < n; ++k) {
      Eigen::VectorXd bracket =
          dJ[static_cast<size_t>(j)].col(k) - dJ[static_cast<size_t>(k)].col(j);
      for (Eigen::Index b = 0; b < J.rows(); b += 6) {
        bracket.segment<6>(b) -=
            dense::MotionCross(J.col(j).segment<6>(b)) * J.col(k).segment<6>(b);
      }
      brackets.col(j * n + k) = bracket;
    }
  }
  const Eigen::MatrixXd coefficients = linear::LeastSquares(J, brackets);
  SymbolSlices s;
  for (int l = 0; l < n; ++l) s.emplace_back(coefficients.row(l).reshaped(n, n).transpose());
  return s;
}

Eigen::VectorXd CalcHamelInverseDynamics(const TreeSpec& spec,
                                         const std::vector<Eigen::MatrixXd>& coefficients,
                                         const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                                         const Eigen::VectorXd& vdot) {
  const auto H = [&spec](const Eigen::VectorXd& at) { return SlowMassMatrix(spec, at); };
  const auto L = [&](const Eigen::VectorXd& at) {
    return 0.5 * v.dot(H(at) * v) - SlowPotentialEnergy(spec, at);
  };
  const Eigen::VectorXd p = H(q) * v;
  Eigen::VectorXd tau = H(q) * vdot + SlowRate(spec, q, v, H) * v;
  for (int i = 0; i < spec.nv; ++i) {
    for (int k = 0; k < spec.nv; ++k) {
      tau[i] += coefficients[static_cast<size_t>(k)].row(i).dot(v) * p[k];
    }
    tau[i] -= SlowRate(spec, q, Eigen::VectorXd::Unit(spec.nv, i), L);
  }
  return tau;
}

}  // namespace civita
