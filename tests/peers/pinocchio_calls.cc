// Compiled twice (CMakeLists.txt): beside Pinocchio's library, and of its headers alone for another
// instruction set.

#include "tests/peers/pinocchio_calls.h"

#include <Eigen/Geometry>
#include <array>
#include <pinocchio/algorithm/aba-derivatives.hpp>
#include <pinocchio/algorithm/aba.hpp>
#include <pinocchio/algorithm/center-of-mass.hpp>
#include <pinocchio/algorithm/centroidal-derivatives.hpp>
#include <pinocchio/algorithm/centroidal.hpp>
#include <pinocchio/algorithm/cholesky.hpp>
#include <pinocchio/algorithm/constrained-dynamics.hpp>
#include <pinocchio/algorithm/crba.hpp>
#include <pinocchio/algorithm/frames.hpp>
#include <pinocchio/algorithm/impulse-dynamics.hpp>
#include <pinocchio/algorithm/regressor.hpp>
#include <pinocchio/algorithm/rnea-derivatives.hpp>
#include <pinocchio/algorithm/rnea-second-order-derivatives.hpp>
#include <pinocchio/algorithm/rnea.hpp>
#include <pinocchio/multibody.hpp>
#include <pinocchio/multibody/joint.hpp>
#include <string>

namespace civita {

namespace pin = pinocchio;
using Eigen::MatrixXd;
using Eigen::VectorXd;

struct PinocchioMechanism {
  using Rows = Eigen::Matrix<double, 6, Eigen::Dynamic>;
  using Tensor = pin::Data::Tensor3x;
  struct State {
    VectorXd q, v, vdot, tau;
  };

  explicit PinocchioMechanism(const pin::Model& of) : model(of), data(model) {
    for (Tensor* each : {&dqdq, &dvdv, &dqdv, &dadq}) {
      *each = Tensor(model.nv, model.nv, model.nv);
      each->setZero();
    }
    for (Rows* each : {&J, &Jdot, &dh_dq, &dhdot_dq, &dhdot_dv, &dhdot_da}) {
      *each = Rows::Zero(6, model.nv);
    }
    Hold({last}, pin::CONTACT_3D, &held);
    for (pin::FrameIndex frame = 0; frame < model.frames.size(); ++frame) {
      if (model.frames[frame].name.starts_with("foot")) feet.push_back(frame);
    }
    if (!feet.empty()) Hold(feet, feet.size() == 2 ? pin::CONTACT_6D : pin::CONTACT_3D, &standing);
  }

  /// What is held in space.
  struct Holding {
    pin::Data data;
    pin::RigidConstraintModelVector models = {};
    pin::RigidConstraintDataVector datas = {};
    pin::ProximalSettings settings = {};
  };

  void Hold(const std::vector<pin::FrameIndex>& frames, pin::ContactType type, Holding* holding) {
    for (const pin::FrameIndex index : frames) {
      const pin::Frame& frame = model.frames[index];
      holding->models.emplace_back(type, model, frame.parentJoint, frame.placement, pin::LOCAL);
      holding->datas.push_back(holding->models.back().createData());
    }
    pin::initConstraintDynamics(model, holding->data, holding->models, holding->datas);
  }

  pin::Model model;
  pin::Data data;
  pin::FrameIndex last = static_cast<pin::FrameIndex>(model.nframes - 1);
  // All need zeros only before the first call.
  Rows J, Jdot, dh_dq, dhdot_dq, dhdot_dv, dhdot_da;
  Tensor dqdq, dvdv, dqdv, dadq;
  Eigen::Matrix<double, 6, 1> acceleration;
  VectorXd solution;
  Holding held{pin::Data(model)}, standing{pin::Data(model)};
  std::vector<pin::FrameIndex> feet;
  std::vector<State> states;
};

namespace {

using At = PinocchioMechanism;

Eigen::Vector3d ToVector(const std::array<double, 3>& x) { return {x[0], x[1], x[2]}; }
Eigen::Matrix3d ToMatrix(const std::array<double, 9>& x) {
  return Eigen::Map<const Eigen::Matrix3d>(x.data());
}

pin::Model BuildPinocchio(std::span<const PinocchioBody> bodies, const std::array<double, 3>& point,
                          std::span<const int> feet) {
  pin::Model model;
  std::vector<Eigen::Matrix3d> turned;  // R_BZ
  for (const PinocchioBody& body : bodies) {
    Eigen::Matrix3d R_BZ = Eigen::Matrix3d::Identity();
    if (!body.free) {
      R_BZ = Eigen::Quaterniond::FromTwoVectors(Eigen::Vector3d::UnitZ(), ToVector(body.axis));
    }
    Eigen::Matrix3d R_PB = ToMatrix(body.R_PB) * R_BZ;
    Eigen::Vector3d p_PB = ToVector(body.p_PB);
    if (body.parent >= 0) {
      const Eigen::Matrix3d& R_PZ = turned[static_cast<std::size_t>(body.parent)];
      R_PB = (R_PZ.transpose() * R_PB).eval();
      p_PB = (R_PZ.transpose() * p_PB).eval();
    }
    const std::string name = "joint" + std::to_string(turned.size());
    const auto parent = static_cast<pin::JointIndex>(body.parent + 1);
    // A free joint's q is the pose itself.
    const pin::JointIndex joint =
        body.free ? model.addJoint(parent, pin::JointModelFreeFlyer(), pin::SE3::Identity(), name)
                  : model.addJoint(parent, pin::JointModelRZ(), pin::SE3(R_PB, p_PB), name);
    const Eigen::Matrix3d inertia = R_BZ.transpose() * ToMatrix(body.inertia) * R_BZ;
    const Eigen::Vector3d com = R_BZ.transpose() * ToVector(body.com);
    model.appendBodyToJoint(joint, pin::Inertia(body.mass, com, inertia), pin::SE3::Identity());
    turned.push_back(R_BZ);
  }
  const auto add = [&](const std::string& name, std::size_t body) {
    const Eigen::Matrix3d R_ZB = turned[body].transpose();
    model.addFrame(pin::Frame(name, static_cast<pin::JointIndex>(body + 1), 0,
                              pin::SE3(R_ZB, R_ZB * ToVector(point)), pin::OP_FRAME));
  };
  for (const int foot : feet) add("foot" + std::to_string(foot), static_cast<std::size_t>(foot));
  add("point", bodies.size() - 1);
  return model;
}

template <typename M>
std::vector<double> ToNumbers(const Eigen::MatrixBase<M>& matrix) {
  const MatrixXd plain = matrix;
  return {plain.data(), plain.data() + plain.size()};
}

/// Of rows [linear; angular], [angular; linear].
std::vector<double> Swapped(const MatrixXd& rows) {
  MatrixXd swapped(rows.rows(), rows.cols());
  swapped << rows.bottomRows(3), rows.topRows(3);
  return ToNumbers(swapped);
}

/// The force Y π of the model's parameters.
VectorXd RegressorForce(const At& at) {
  VectorXd pi(10 * (at.model.njoints - 1));
  for (int j = 1; j < at.model.njoints; ++j) {
    pi.segment<10>(10 * (j - 1)) =
        at.model.inertias[static_cast<std::size_t>(j)].toDynamicParameters();
  }
  return at.data.jointTorqueRegressor * pi;
}

/// A call with what is held in space, and the accelerations or velocities that it gives.
template <auto holding, auto result, typename Solve>
constexpr PinocchioCall Held(const char* quantity, const char* name, Solve /*solve*/) {
  return {quantity, name,
          [](At& at, std::size_t state) { Solve{}(at.model, at.states[state], at.*holding); },
          [](const At& at) { return ToNumbers((at.*holding).data.*result); }};
}

using Holding = At::Holding;
constexpr auto kConstraint = [](const pin::Model& model, const At::State& x, Holding& at) {
  at.settings = {};
  pin::constraintDynamics(model, at.data, x.q, x.v, x.tau, at.models, at.datas, at.settings);
};
// Holds by masses µ in the points, and iterates what these leave.
constexpr auto kContactABA = [](const pin::Model& model, const At::State& x, Holding& at) {
  at.settings.mu = 1e6;
  at.settings.max_iter = 20;
  at.settings.absolute_accuracy = 1e-9;
  pin::contactABA(model, at.data, x.q, x.v, x.tau, at.models, at.datas, at.settings);
};
constexpr auto kImpulse = [](const pin::Model& model, const At::State& x, Holding& at) {
  at.settings = {};
  pin::impulseDynamics(model, at.data, x.q, x.v, at.models, at.datas, 0.0, at.settings);
};
constexpr auto kAcceleration = &pin::Data::ddq;
constexpr auto kAfter = &pin::Data::dq_after;

constexpr pin::ReferenceFrame kAligned = pin::LOCAL_WORLD_ALIGNED;

constexpr std::array kCalls = {
    PinocchioCall{"C+H", "computeCoriolisMatrix (C alone)",
                  [](At& at, std::size_t state) {
                    const auto& [q, v, a, tau] = at.states[state];
                    pin::computeCoriolisMatrix(at.model, at.data, q, v);
                  },
                  [](const At& at) { return ToNumbers(at.data.C); }},
    PinocchioCall{"H", "crba",
                  [](At& at, std::size_t state) {
                    pin::crba(at.model, at.data, at.states[state].q, pin::Convention::WORLD);
                  },
                  [](const At& at) {  // it writes only the upper half
                    return ToNumbers(MatrixXd(at.data.M.selfadjointView<Eigen::Upper>()));
                  }},
    PinocchioCall{"H inverse", "computeMinverse",
                  [](At& at, std::size_t state) {
                    pin::computeMinverse(at.model, at.data, at.states[state].q);
                  },
                  [](const At& at) {
                    return ToNumbers(MatrixXd(at.data.Minv.selfadjointView<Eigen::Upper>()));
                  }},
    PinocchioCall{"factor and solve", "crba, cholesky::decompose, cholesky::solve",
                  [](At& at, std::size_t state) {
                    const auto& [q, v, a, tau] = at.states[state];
                    pin::crba(at.model, at.data, q, pin::Convention::WORLD);
                    pin::cholesky::decompose(at.model, at.data);
                    at.solution = a;
                    pin::cholesky::solve(at.model, at.data, at.solution);
                  },
                  [](const At& at) { return ToNumbers(at.solution); }},
    // ∂²τ/∂v²
    PinocchioCall{
        "Gamma", "ComputeRNEASecondOrderDerivatives (four tensors)",
        [](At& at, std::size_t state) {
          const auto& [q, v, a, tau] = at.states[state];
          pin::ComputeRNEASecondOrderDerivatives(at.model, at.data, q, v, a, at.dqdq, at.dvdv,
                                                 at.dqdv, at.dadq);
        },
        [](const At& at) { return std::vector(at.dvdv.data(), at.dvdv.data() + at.dvdv.size()); }},
    PinocchioCall{"RNEA", "rnea",
                  [](At& at, std::size_t state) {
                    const auto& [q, v, a, tau] = at.states[state];
                    pin::rnea(at.model, at.data, q, v, a);
                  },
                  [](const At& at) { return ToNumbers(at.data.tau); }},
    PinocchioCall{"bias", "nonLinearEffects",
                  [](At& at, std::size_t state) {
                    const auto& [q, v, a, tau] = at.states[state];
                    pin::nonLinearEffects(at.model, at.data, q, v);
                  },
                  [](const At& at) { return ToNumbers(at.data.nle); }},
    PinocchioCall{"forward dynamics", "aba",
                  [](At& at, std::size_t state) {
                    const auto& [q, v, a, tau] = at.states[state];
                    pin::aba(at.model, at.data, q, v, tau, pin::Convention::WORLD);
                  },
                  [](const At& at) { return ToNumbers(at.data.ddq); }},
    // ∂τ/∂q
    PinocchioCall{"RNEA derivatives", "computeRNEADerivatives",
                  [](At& at, std::size_t state) {
                    const auto& [q, v, a, tau] = at.states[state];
                    pin::computeRNEADerivatives(at.model, at.data, q, v, a);
                  },
                  [](const At& at) { return ToNumbers(at.data.dtau_dq); }},
    // ∂v̇/∂q
    PinocchioCall{"forward dynamics derivatives", "computeABADerivatives",
                  [](At& at, std::size_t state) {
                    const auto& [q, v, a, tau] = at.states[state];
                    pin::computeABADerivatives(at.model, at.data, q, v, tau);
                  },
                  [](const At& at) { return ToNumbers(at.data.ddq_dq); }},
    // Y π
    PinocchioCall{"regressor", "computeJointTorqueRegressor",
                  [](At& at, std::size_t state) {
                    const auto& [q, v, a, tau] = at.states[state];
                    pin::computeJointTorqueRegressor(at.model, at.data, q, v, a);
                  },
                  [](const At& at) { return ToNumbers(RegressorForce(at)); }},
    PinocchioCall{"Jacobian", "computeFrameJacobian",
                  [](At& at, std::size_t state) {
                    pin::computeFrameJacobian(at.model, at.data, at.states[state].q, at.last,
                                              kAligned, at.J);
                  },
                  [](const At& at) { return Swapped(at.J); }},
    PinocchioCall{
        "Jacobian rate", "computeJointJacobiansTimeVariation, getFrameJacobianTimeVariation",
        [](At& at, std::size_t state) {
          const auto& [q, v, a, tau] = at.states[state];
          pin::computeJointJacobiansTimeVariation(at.model, at.data, q, v);
          pin::getFrameJacobianTimeVariation(at.model, at.data, at.last, kAligned, at.Jdot);
        },
        [](const At& at) { return Swapped(at.Jdot); }},
    PinocchioCall{"frame acceleration", "forwardKinematics, getFrameAcceleration",
                  [](At& at, std::size_t state) {
                    const auto& [q, v, a, tau] = at.states[state];
                    pin::forwardKinematics(at.model, at.data, q, v, a);
                    at.acceleration =
                        pin::getFrameAcceleration(at.model, at.data, at.last, kAligned).toVector();
                  },
                  [](const At& at) { return Swapped(at.acceleration); }},
    PinocchioCall{"centroidal matrix", "computeCentroidalMap",
                  [](At& at, std::size_t state) {
                    pin::computeCentroidalMap(at.model, at.data, at.states[state].q);
                  },
                  [](const At& at) { return Swapped(at.data.Ag); }},
    // And the matrix.
    PinocchioCall{"centroidal rate", "dccrba",
                  [](At& at, std::size_t state) {
                    const auto& [q, v, a, tau] = at.states[state];
                    pin::dccrba(at.model, at.data, q, v);
                  },
                  [](const At& at) { return Swapped(at.data.dAg); }},
    PinocchioCall{"center of mass Jacobian", "jacobianCenterOfMass",
                  [](At& at, std::size_t state) {
                    pin::jacobianCenterOfMass(at.model, at.data, at.states[state].q, false);
                  },
                  [](const At& at) { return ToNumbers(at.data.Jcom); }},
    // ∂ḣ_G/∂q
    PinocchioCall{"centroidal derivatives", "computeCentroidalDynamicsDerivatives",
                  [](At& at, std::size_t state) {
                    const auto& [q, v, a, tau] = at.states[state];
                    pin::computeCentroidalDynamicsDerivatives(at.model, at.data, q, v, a, at.dh_dq,
                                                              at.dhdot_dq, at.dhdot_dv,
                                                              at.dhdot_da);
                  },
                  [](const At& at) { return Swapped(at.dhdot_dq); }},
    // The third, pv, does not compile in 4.1.0.
    Held<&At::held, kAcceleration>("constrained dynamics", "constraintDynamics", kConstraint),
    Held<&At::held, kAcceleration>("constrained dynamics", "contactABA", kContactABA),
    Held<&At::held, kAfter>("impulse", "impulseDynamics", kImpulse),
    Held<&At::standing, kAcceleration>("constrained dynamics of feet", "constraintDynamics",
                                       kConstraint),
    Held<&At::standing, kAcceleration>("constrained dynamics of feet", "contactABA", kContactABA),
    Held<&At::standing, kAfter>("impulse of feet", "impulseDynamics", kImpulse),
};

}  // namespace

PinocchioMechanism* MakePinocchioMechanism(std::span<const PinocchioBody> bodies,
                                           const std::array<double, 3>& point,
                                           std::span<const int> feet) {
  return new PinocchioMechanism(BuildPinocchio(bodies, point, feet));
}

void Delete(PinocchioMechanism* mechanism) { delete mechanism; }

void AddState(PinocchioMechanism& to, const double* q, const double* v, const double* vdot,
              const double* tau) {
  const auto map = [](const double* x, int n) { return Eigen::Map<const VectorXd>(x, n); };
  const int nv = to.model.nv;
  to.states.push_back({map(q, to.model.nq), map(v, nv), map(vdot, nv), map(tau, nv)});
}

std::span<const PinocchioCall> PinocchioCalls() { return kCalls; }

const char* PinocchioCode() { return CIVITA_PINOCCHIO_CODE; }

}  // namespace civita
