// What a ModelBuilder does with springs, dampers, dry friction and tendons.

#include <Eigen/Geometry>
#include <cmath>

#include "civita/error.h"
#include "civita/model.h"
#include "core/model/internal/passive_checks.h"

namespace civita {

namespace internal {

void CheckNotNegative(double value, const std::string& what) {
  if (std::isfinite(value) && value >= 0) return;
  internal::MessageStream message;
  message << what << " must be a number ≥ 0, not " << value;
  throw UserError(message.str());
}

namespace {

void CheckCoefficients(double linear, const std::array<double, 2>& poly, const std::string& what) {
  for (const double value : {linear, poly[0], poly[1]}) {
    if (std::isfinite(value)) continue;
    internal::MessageStream message;
    message << what << " must be finite, not " << value;
    throw UserError(message.str());
  }
}

template <typename Properties>
void CheckForces(const Properties& p, const std::string& who) {
  CheckNotNegative(p.frictionloss, who + "dry friction");
  CheckCoefficients(p.damping, p.damping_poly, who + "damping");
  CheckCoefficients(p.stiffness, p.stiffness_poly, who + "stiffness");
}

}  // namespace

void CheckPassive(const JointProperties& joint, const std::string& who) {
  CheckForces(joint, who);
  if (!joint.spring_pose) return;
  const Pose& rest = *joint.spring_pose;
  const double error = (rest.R.transpose() * rest.R - Eigen::Matrix3d::Identity()).norm();
  if (rest.p.allFinite() && error <= 1e-9 && rest.R.determinant() > 0) return;
  throw UserError(who + "spring_pose must be finite, its R a rotation");
}

void CheckPassive(const TendonProperties& tendon, const std::string& who) {
  CheckForces(tendon, who);
  if (std::isfinite(tendon.rest_lower) && std::isfinite(tendon.rest_upper) &&
      tendon.rest_lower <= tendon.rest_upper) {
    return;
  }
  throw UserError(who + "rest_lower and rest_upper must be finite, the first not the greater");
}

}  // namespace internal

int ModelBuilder::FindVelocity(int iq) const {
  for (const Joint& joint : joints_) {
    if (iq < joint.iq || iq >= joint.iq + NumPositions(joint.type)) continue;
    return RotationOffset(joint.type) >= 0 ? -1 : joint.iv + iq - joint.iq;
  }
  return -1;
}

void ModelBuilder::AddTendon(const TendonProperties& tendon) {
  const std::string who = "tendon '" + tendon.name + "': ";
  internal::CheckPassive(tendon, who);
  Model::Tendon added{tendon, {}};
  for (const TendonProperties::Term& term : tendon.terms) {
    if (!std::isfinite(term.coefficient)) throw UserError(who + "coefficients must be finite");
    added.iv.push_back(FindVelocity(term.iq));
    if (added.iv.back() >= 0) continue;
    throw UserError(who + "number " + std::to_string(term.iq) +
                    " of q is no coordinate of a joint that has one rate for it");
  }
  tendons_.push_back(std::move(added));
}

/// The springs of a joint whose body is placed at `placement`.
void ModelBuilder::AppendSprings(const Joint& joint, const Pose& placement, Model::Data* model) {
  const JointProperties& p = joint.properties;
  if (p.stiffness == 0 && p.stiffness_poly[0] == 0 && p.stiffness_poly[1] == 0) return;
  const int rotation = RotationOffset(joint.type);
  if (rotation < 0) {
    model->springs.push_back(
        {joint.iq, joint.iv, p.stiffness, p.spring_reference, p.stiffness_poly});
    return;
  }
  const Pose rest = p.spring_pose.value_or(joint.type == JointType::kFree ? placement : Pose{});
  Model::VectorSpring spring{joint.iq, joint.iv, false, p.stiffness, p.stiffness_poly, {}};
  if (joint.type == JointType::kFree) {
    spring.reference << rest.p, 0;
    model->vector_springs.push_back(spring);
  }
  spring.iq += rotation;
  spring.iv += rotation;
  spring.rotates = true;
  const Eigen::Quaterniond orientation(rest.R);
  spring.reference << orientation.w(), orientation.vec();
  model->vector_springs.push_back(spring);
}

}  // namespace civita
