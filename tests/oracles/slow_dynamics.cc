#include "tests/oracles/slow_dynamics.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "app/verbs/reproduce/printed/dense_spatial.h"

namespace civita {
namespace {

using dense::Cross;
using dense::ForceBarCross;
using dense::Matrix6d;
using dense::MotionCross;
using dense::Vector6d;

Eigen::Quaterniond QuaternionOf(const Eigen::VectorXd& q, int i) {
  return Eigen::Quaterniond(q[i], q[i + 1], q[i + 2], q[i + 3]).normalized();
}

void IntegrateRotation(const Eigen::VectorXd& q, int iq, const Eigen::Vector3d& rotation,
                       Eigen::VectorXd* next) {
  const double angle = rotation.norm();
  Eigen::Quaterniond delta = Eigen::Quaterniond::Identity();
  if (angle > 0) delta = Eigen::AngleAxisd(angle, rotation / angle);
  const Eigen::Quaterniond result = QuaternionOf(q, iq) * delta;
  next->segment<4>(iq) << result.w(), result.x(), result.y(), result.z();
}

void RotateAbout(const Eigen::Vector3d& anchor, const Eigen::Matrix3d& R, Pose* X) {
  const Eigen::Vector3d fixed = X->R * anchor + X->p;
  X->R = X->R * R;
  X->p = fixed - X->R * anchor;
}

/// The displacement by `angle` about an axis through the anchor, with an advance of pitch·angle
/// along it, and its column.
void Turn(const Eigen::Vector3d& axis, const Eigen::Vector3d& anchor, double pitch, double angle,
          int iv, SlowBody* body) {
  Pose* X = &body->X_WB;
  const Eigen::Vector3d axis_W = X->R * axis;
  const Eigen::Vector3d point = X->R * anchor + X->p;
  body->J.col(iv) << axis_W, point.cross(axis_W) + pitch * axis_W;
  RotateAbout(anchor, Eigen::AngleAxisd(angle, axis).toRotationMatrix(), X);
  X->p += axis_W * pitch * angle;
}

void Shift(const Eigen::Vector3d& axis, double distance, int iv, SlowBody* body) {
  const Eigen::Vector3d axis_W = body->X_WB.R * axis;
  body->J.col(iv) << Eigen::Vector3d::Zero(), axis_W;
  body->X_WB.p += axis_W * distance;
}

void SetRotationColumns(int iv, const Eigen::Matrix3d& R, const Eigen::Vector3d& point,
                        Eigen::MatrixXd* J) {
  for (int k = 0; k < 3; ++k) {
    J->col(iv + k) << R.col(k), point.cross(R.col(k));
  }
}

void ApplyJoint(const TreeSpec::Joint& joint, const Eigen::VectorXd& q, SlowBody* body) {
  const JointProperties& p = joint.properties;
  Pose* X = &body->X_WB;
  const Eigen::Vector3d axis = p.axis.normalized();
  const int iv = joint.iv;
  const auto displacement = [&](int k) { return q[joint.iq + k] - p.position_reference; };
  switch (joint.type) {
    case JointType::kHinge:
      Turn(axis, p.anchor, 0, displacement(0), iv, body);
      break;
    case JointType::kHelical:
      Turn(axis, p.anchor, p.pitch, displacement(0), iv, body);
      break;
    case JointType::kUniversal:
      Turn(axis, p.anchor, 0, displacement(0), iv, body);
      Turn(p.axis2.normalized(), p.anchor, 0, displacement(1), iv + 1, body);
      break;
    case JointType::kSlide:
      Shift(axis, displacement(0), iv, body);
      break;
    case JointType::kPlanar: {
      const Eigen::Vector3d y = axis.cross(p.axis2).normalized();
      Shift(y.cross(axis), displacement(0), iv, body);
      Shift(y, displacement(1), iv + 1, body);
      Turn(axis, p.anchor, 0, displacement(2), iv + 2, body);
      break;
    }
    case JointType::kBall:
      RotateAbout(p.anchor, QuaternionOf(q, joint.iq).toRotationMatrix(), X);
      SetRotationColumns(iv, X->R, X->R * p.anchor + X->p, &body->J);
      break;
    case JointType::kFree:
      X->p = q.segment<3>(joint.iq);
      X->R = QuaternionOf(q, joint.iq + 3).toRotationMatrix();
      body->J.block<3, 3>(3, iv).setIdentity();
      SetRotationColumns(iv + 3, X->R, X->p, &body->J);
      break;
  }
}

Matrix6d WorldInertia(const MassProperties& mass, const Pose& X) {
  const Eigen::Matrix3d c = Cross(X.R * mass.com + X.p);
  Matrix6d I;
  I << X.R * mass.inertia * X.R.transpose() - mass.mass * c * c, mass.mass * c, -mass.mass * c,
      mass.mass * Eigen::Matrix3d::Identity();
  return I;
}

Matrix6d BodyFactor(const Matrix6d& I, const Vector6d& x, double t, double alpha) {
  const Matrix6d left = -MotionCross(x).transpose() * I;
  const Matrix6d right = ForceBarCross(I * x) - I * MotionCross(x);
  return 0.5 * (left + right) + 0.5 * t * (left - right) + alpha * I * MotionCross(x);
}

Matrix6d BodyTorsion(const Factorization::BodyInjection& injection, const Eigen::VectorXd& q,
                     const Pose& X, const Vector6d& x) {
  Eigen::Matrix<double, 3, 6> S = Eigen::Matrix<double, 3, 6>::Zero();
  if (injection.part == Factorization::Part::kAngular) {
    S.leftCols<3>().setIdentity();
  } else {
    S << -Cross(X.p), Eigen::Matrix3d::Identity();
  }
  return injection.beta.At(q) * S.transpose() * Cross(S * x) * S;
}

/// Index of the first of the three rotational rates of a ball or free joint; −1 without one.
int FirstRotation(const TreeSpec::Joint& joint) {
  if (joint.type == JointType::kBall) return joint.iv;
  return joint.type == JointType::kFree ? joint.iv + 3 : -1;
}

void AddArmatureTerm(const TreeSpec& spec, const Eigen::VectorXd& v, double sign,
                     Eigen::MatrixXd* C) {
  for (const TreeSpec::Body& body : spec.bodies) {
    for (const TreeSpec::Joint& joint : body.joints) {
      const int iv = FirstRotation(joint);
      if (iv < 0) continue;
      // E_ik = Σ_j ε_ijk v_j, which is v×.
      C->block<3, 3>(iv, iv) += sign * 0.5 * joint.properties.armature * Cross(v.segment<3>(iv));
    }
  }
}

}  // namespace

Eigen::VectorXd SlowIntegrate(const TreeSpec& spec, const Eigen::VectorXd& q,
                              const Eigen::VectorXd& v, double dt) {
  Eigen::VectorXd next = q;
  for (const TreeSpec::Body& body : spec.bodies) {
    for (const TreeSpec::Joint& joint : body.joints) {
      switch (joint.type) {
        case JointType::kHinge:
        case JointType::kSlide:
        case JointType::kHelical:
          next[joint.iq] += v[joint.iv] * dt;
          break;
        case JointType::kUniversal:
          next.segment<2>(joint.iq) += v.segment<2>(joint.iv) * dt;
          break;
        case JointType::kPlanar:
          next.segment<3>(joint.iq) += v.segment<3>(joint.iv) * dt;
          break;
        case JointType::kBall:
          IntegrateRotation(q, joint.iq, v.segment<3>(joint.iv) * dt, &next);
          break;
        case JointType::kFree:
          next.segment<3>(joint.iq) += v.segment<3>(joint.iv) * dt;
          IntegrateRotation(q, joint.iq + 3, v.segment<3>(joint.iv + 3) * dt, &next);
          break;
      }
    }
  }
  return next;
}

std::vector<SlowBody> SlowBodies(const TreeSpec& spec, const Eigen::VectorXd& q) {
  std::vector<SlowBody> bodies;
  for (const TreeSpec::Body& row : spec.bodies) {
    SlowBody body{row.X_PB, Eigen::MatrixXd::Zero(6, spec.nv)};
    if (row.parent != ModelBuilder::kWorld) {
      const SlowBody& parent = bodies[static_cast<size_t>(row.parent)];
      body.X_WB = parent.X_WB * row.X_PB;
      body.J = parent.J;
    }
    for (const TreeSpec::Joint& joint : row.joints) ApplyJoint(joint, q, &body);
    bodies.push_back(body);
  }
  return bodies;
}

Eigen::MatrixXd SlowMassMatrix(const TreeSpec& spec, const Eigen::VectorXd& q) {
  Eigen::MatrixXd H = Eigen::MatrixXd::Zero(spec.nv, spec.nv);
  const std::vector<SlowBody> bodies = SlowBodies(spec, q);
  for (size_t i = 0; i < bodies.size(); ++i) {
    const TreeSpec::Body& row = spec.bodies[i];
    H += bodies[i].J.transpose() * WorldInertia(row.mass, bodies[i].X_WB) * bodies[i].J;
    for (const TreeSpec::Joint& joint : row.joints) {
      H.diagonal().segment(joint.iv, NumVelocities(joint.type)).array() +=
          joint.properties.armature;
    }
  }
  return H;
}

double SlowPotentialEnergy(const TreeSpec& spec, const Eigen::VectorXd& q) {
  double energy = 0;
  const std::vector<SlowBody> bodies = SlowBodies(spec, q);
  for (size_t i = 0; i < bodies.size(); ++i) {
    const MassProperties& mass = spec.bodies[i].mass;
    // A body fixed to the world has no effect on the motion.
    if (bodies[i].J.isZero(0)) continue;
    energy -= mass.mass * spec.gravity.dot(bodies[i].X_WB.R * mass.com + bodies[i].X_WB.p);
  }
  return energy;
}

namespace {

/// ∫ k x + k₂ x² + k₃ x³ dx
template <typename Properties>
double EnergyAt(double x, const Properties& p) {
  return p.stiffness * x * x / 2 + p.stiffness_poly[0] * std::pow(x, 3) / 3 +
         p.stiffness_poly[1] * std::pow(x, 4) / 4;
}

double SpringEnergyOfJoint(const TreeSpec::Joint& joint, const Pose& placement,
                           const Eigen::VectorXd& q) {
  const JointProperties& p = joint.properties;
  const int rotation = RotationOffset(joint.type);
  double energy = 0;
  if (rotation < 0) {
    for (int k = 0; k < NumPositions(joint.type); ++k) {
      energy += EnergyAt(q[joint.iq + k] - p.spring_reference, p);
    }
    return energy;
  }
  Pose rest;
  if (rotation > 0) rest = placement;
  if (p.spring_pose) rest = *p.spring_pose;
  if (rotation > 0) energy += EnergyAt((q.segment<3>(joint.iq) - rest.p).norm(), p);
  const Eigen::VectorXd wxyz = q.segment<4>(joint.iq + rotation);
  const Eigen::Quaterniond at(wxyz[0], wxyz[1], wxyz[2], wxyz[3]);
  return energy + EnergyAt(Eigen::Quaterniond(rest.R).angularDistance(at), p);
}

}  // namespace

double SlowSpringEnergy(const TreeSpec& spec, const Eigen::VectorXd& q) {
  double energy = 0;
  for (const TreeSpec::Body& body : spec.bodies) {
    for (const TreeSpec::Joint& joint : body.joints) {
      energy += SpringEnergyOfJoint(joint, body.X_PB, q);
    }
  }
  for (const TendonProperties& tendon : spec.tendons) {
    double length = 0;
    for (const TendonProperties::Term& term : tendon.terms) length += term.coefficient * q[term.iq];
    const double over = std::max(0.0, length - tendon.rest_upper);
    const double under = std::min(0.0, length - tendon.rest_lower);
    energy += EnergyAt(over, tendon) + EnergyAt(under, tendon);
  }
  return energy;
}

Eigen::VectorXd SlowGravityForces(const TreeSpec& spec, const Eigen::VectorXd& q) {
  Eigen::VectorXd g(spec.nv);
  for (int i = 0; i < spec.nv; ++i) {
    g[i] = SlowRate(spec, q, Eigen::VectorXd::Unit(spec.nv, i),
                    [&spec](const Eigen::VectorXd& at) { return SlowPotentialEnergy(spec, at); });
  }
  return g;
}

/// β Sᵀ((S v)×)S, and ω(·, v, ·) by all six permutations of each component.
void AddCoordinateInjections(const Factorization& factorization, const Eigen::VectorXd& q,
                             const Eigen::VectorXd& v, Eigen::MatrixXd* C) {
  for (const Factorization::JointInjection& injection : factorization.joint_injections) {
    const Eigen::Matrix3Xd& S = injection.S;
    *C += injection.beta.At(q) * S.transpose() * Cross(S * v) * S;
  }
  for (const Factorization::ThreeForm& form : factorization.three_forms) {
    for (const auto& component : form.components) {
      const int at[3] = {component.i, component.j, component.k};
      int p[3] = {0, 1, 2};
      do {
        const int inversions = (p[0] > p[1]) + (p[0] > p[2]) + (p[1] > p[2]);
        const double sign = inversions % 2 == 0 ? 1 : -1;
        (*C)(at[p[0]], at[p[2]]) += sign * component.omega.At(q) * v[at[p[1]]];
      } while (std::next_permutation(p, p + 3));
    }
  }
}

Eigen::MatrixXd SlowCoriolis(const TreeSpec& spec, const Factorization& factorization,
                             const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                             const SlowOptions& options) {
  Eigen::MatrixXd C = Eigen::MatrixXd::Zero(spec.nv, spec.nv);
  const std::vector<SlowBody> bodies = SlowBodies(spec, q);
  for (size_t i = 0; i < bodies.size(); ++i) {
    const TreeSpec::Body& row = spec.bodies[i];
    const Eigen::MatrixXd& J = bodies[i].J;
    const Vector6d x = J * v;
    const Matrix6d I = WorldInertia(row.mass, bodies[i].X_WB);
    Matrix6d B = BodyFactor(I, x, factorization.t, options.alpha);
    for (const Factorization::BodyInjection& injection : factorization.body_injections) {
      if (injection.name == row.name) B += BodyTorsion(injection, q, bodies[i].X_WB, x);
    }
    const Eigen::MatrixXd Jdot = SlowRate(
        spec, q, v, [&spec, i](const Eigen::VectorXd& at) { return SlowBodies(spec, at)[i].J; });
    C += J.transpose() * (I * Jdot + B * J);
  }
  AddArmatureTerm(spec, v, options.armature_sign, &C);
  AddCoordinateInjections(factorization, q, v, &C);
  return C;
}

std::vector<Eigen::MatrixXd> SlowStructureConstants(const TreeSpec& spec) {
  std::vector<Eigen::MatrixXd> c(static_cast<size_t>(spec.nv),
                                 Eigen::MatrixXd::Zero(spec.nv, spec.nv));
  for (const TreeSpec::Body& body : spec.bodies) {
    for (const TreeSpec::Joint& joint : body.joints) {
      const int iv = FirstRotation(joint);
      if (iv < 0) continue;
      for (int n = 0; n < 3; ++n) {
        const int j = iv + (n + 1) % 3;
        const int k = iv + (n + 2) % 3;
        const int l = iv + n;
        c[static_cast<size_t>(l)](j, k) = 1;
        c[static_cast<size_t>(l)](k, j) = -1;
      }
    }
  }
  return c;
}

Eigen::MatrixXd SlowKoszulCoriolis(const TreeSpec& spec, const Eigen::VectorXd& q,
                                   const Eigen::VectorXd& v) {
  const int n = spec.nv;
  const auto mass_matrix = [&spec](const Eigen::VectorXd& at) { return SlowMassMatrix(spec, at); };
  const Eigen::MatrixXd H = mass_matrix(q);
  std::vector<Eigen::MatrixXd> dH;
  dH.reserve(static_cast<size_t>(n));
  for (int j = 0; j < n; ++j) {
    dH.push_back(SlowRate(spec, q, Eigen::VectorXd::Unit(n, j), mass_matrix));
  }
  const std::vector<Eigen::MatrixXd> c = SlowStructureConstants(spec);
  // ⟨[e_j, e_k], e_i⟩ as lowered[i](j, k).
  std::vector<Eigen::MatrixXd> lowered(static_cast<size_t>(n), Eigen::MatrixXd::Zero(n, n));
  for (int i = 0; i < n; ++i) {
    for (int l = 0; l < n; ++l) {
      lowered[static_cast<size_t>(i)] += H(i, l) * c[static_cast<size_t>(l)];
    }
  }
  Eigen::MatrixXd C = Eigen::MatrixXd::Zero(n, n);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) {
      for (int k = 0; k < n; ++k) {
        const size_t a = static_cast<size_t>(i), b = static_cast<size_t>(j),
                     d = static_cast<size_t>(k);
        const double Gamma = 0.5 * (dH[b](i, k) + dH[d](i, j) - dH[a](j, k) + lowered[a](j, k) -
                                    lowered[b](k, i) + lowered[d](i, j));
        C(i, k) += Gamma * v[j];
      }
    }
  }
  return C;
}

}  // namespace civita
