#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "civita/error.h"
#include "civita/manifold.h"
#include "civita/model.h"
#include "core/model/internal/passive_checks.h"
#include "core/model/internal/placed_mass.h"
#include "core/model/internal/rigid.h"
#include "core/model/internal/tree_tables.h"
#include "core/spatial/internal/eigen.h"

namespace civita {

namespace {

template <typename... Values>
[[noreturn]] void FailBody(const std::string& body, const Values&... values) {
  internal::MessageStream message;
  message << "body '" << body << "': ";
  (message << ... << values);
  throw UserError(message.str());
}

/// Symmetric, and unless `any_moments` with principal moments that some body has: A ≥ 0 and
/// A + B ≥ C for A ≤ B ≤ C.
void CheckInertia(const std::string& body, const Eigen::Matrix3d& inertia, bool any_moments) {
  const double skew = (inertia - inertia.transpose()).cwiseAbs().maxCoeff();
  // Where numbers become too small for their digits, they differ by their rounding.
  const double least = std::numeric_limits<double>::min();
  if (skew > std::max(internal::kRounding * inertia.norm(), least)) {
    FailBody(body, "the inertia must be symmetric, but two of its numbers differ by ", skew);
  }
  if (any_moments) return;
  const Eigen::Vector3d moments =
      Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d>(inertia, Eigen::EigenvaluesOnly).eigenvalues();
  const double tolerance = std::max(internal::kRounding * moments.cwiseAbs().maxCoeff(), least);
  if (moments[0] < -tolerance) {
    FailBody(body, "the inertia has a negative principal moment, ", moments[0]);
  }
  if (moments[0] + moments[1] < moments[2] - tolerance) {
    FailBody(body, "the principal moments ", moments[0], ", ", moments[1], " and ", moments[2],
             " violate the triangle inequality A + B ≥ C");
  }
}

void CheckLimits(JointType type, const JointProperties& joint) {
  const auto check = [&joint](bool valid, const char* text, double lower, double upper) {
    if (valid) return;
    internal::MessageStream message;
    message << "joint '" << joint.name << "': " << text << ", not " << lower << " and " << upper;
    throw UserError(message.str());
  };
  check(joint.position_lower <= joint.position_upper,
        "position_lower must be at most position_upper", joint.position_lower,
        joint.position_upper);
  check(joint.position_lower < HUGE_VAL && joint.position_upper > -HUGE_VAL,
        "position_lower must be below infinity and position_upper above minus infinity",
        joint.position_lower, joint.position_upper);
  check(joint.effort_lower <= joint.effort_upper, "effort_lower must be at most effort_upper",
        joint.effort_lower, joint.effort_upper);
  if (!(joint.velocity_limit >= 0))
    throw UserError("joint '" + joint.name + "': velocity_limit must not be negative");
  if (type != JointType::kBall && type != JointType::kFree) return;
  if (std::isfinite(joint.position_lower) || std::isfinite(joint.position_upper)) {
    throw UserError("joint '" + joint.name +
                    "': position_lower and position_upper are limits of a single number of q, a " +
                    ToString(type) + " joint has none");
  }
}

/// With unit axes, the second one of a planar joint in the plane.
JointProperties NormalizeAxes(JointType type, JointProperties joint) {
  const auto normalize = [&joint](const char* what, Eigen::Vector3d* axis) {
    const double norm = axis->norm();
    if (!(norm > 1e-12) || !std::isfinite(norm)) {
      throw UserError("joint '" + joint.name + "': " + what);
    }
    *axis /= norm;
  };
  normalize("the axis must be finite and not zero", &joint.axis);
  if (type != JointType::kUniversal && type != JointType::kPlanar) return joint;
  normalize("axis2 must be finite and not zero", &joint.axis2);
  Eigen::Vector3d across = joint.axis2 - joint.axis * joint.axis.dot(joint.axis2);
  if (!(across.norm() > 1e-9)) {
    throw UserError("joint '" + joint.name + "': axis2 must not lie along the axis");
  }
  if (type == JointType::kPlanar) joint.axis2 = across.normalized();
  return joint;
}

}  // namespace

void ModelBuilder::CheckMass(const std::string& name, const MassProperties& mass,
                             bool any_moments) {
  if (!(mass.mass >= 0) || !std::isfinite(mass.mass) || !mass.com.allFinite() ||
      !mass.inertia.allFinite()) {
    FailBody(name, "mass, com and inertia must be finite, the mass ≥ 0");
  }
  CheckInertia(name, mass.inertia, any_moments);
}

int ModelBuilder::AddBody(std::string name, int parent, const Pose& X_PB,
                          const MassProperties& mass) {
  CIVITA_CHECK(parent >= kWorld && parent < static_cast<int>(bodies_.size()),
               "parent " << parent << " of body '" << name << "'");
  CheckMass(name, mass, impossible_moments_allowed_);
  internal::CheckRigid("body '" + name + "'", "X_PB", X_PB);
  if (!name.empty() && !frame_names_.insert(name).second) {
    throw UserError("two bodies are named '" + name + "'");
  }
  bodies_.push_back({std::move(name), parent, X_PB, mass, {}});
  return static_cast<int>(bodies_.size()) - 1;
}

void ModelBuilder::SetMass(int body, const MassProperties& mass) {
  CIVITA_CHECK(body >= 0 && body < static_cast<int>(bodies_.size()), "body " << body);
  Body& changed = bodies_[static_cast<size_t>(body)];
  CheckMass(changed.name, mass, impossible_moments_allowed_);
  changed.mass = mass;
}

void ModelBuilder::AddFrame(std::string name, int body, const Pose& X_BF) {
  CIVITA_CHECK(body >= kWorld && body < static_cast<int>(bodies_.size()),
               "body " << body << " of frame '" << name << "'");
  if (name.empty()) throw UserError("a frame needs a name");
  internal::CheckRigid("frame '" + name + "'", "X_BF", X_BF);
  if (!frame_names_.insert(name).second) {
    throw UserError("two bodies or frames are named '" + name + "'");
  }
  frames_.push_back({std::move(name), body, X_BF});
}

void ModelBuilder::AddJoint(int body, JointType type, const JointProperties& joint) {
  CIVITA_CHECK(body >= 0 && body < static_cast<int>(bodies_.size()), "body " << body);
  Body& moved = bodies_[static_cast<size_t>(body)];
  const std::string who = "joint '" + joint.name + "': ";
  internal::CheckNotNegative(joint.armature, who + "armature");
  internal::CheckPassive(joint, who);
  CheckLimits(type, joint);
  if (!joint.anchor.allFinite() || !std::isfinite(joint.position_reference) ||
      !std::isfinite(joint.spring_reference) || !std::isfinite(joint.pitch)) {
    throw UserError("joint '" + joint.name + "': anchor, pitch and references must be finite");
  }
  const bool is_first = moved.joints.empty();
  const bool has_free =
      !is_first && joints_[static_cast<size_t>(moved.joints[0])].type == JointType::kFree;
  if (has_free || (type == JointType::kFree && (moved.parent != kWorld || !is_first))) {
    throw UserError("joint '" + joint.name + "': a free joint must be the only joint of a body " +
                    "that hangs on the world");
  }
  const bool rotates_freely = type == JointType::kBall || type == JointType::kFree;
  if (!(joint.scale > 0) || !std::isfinite(joint.scale) || (joint.scale != 1 && rotates_freely)) {
    throw UserError("joint '" + joint.name +
                    "': scale must be a number > 0, and 1 for ball and free joints");
  }
  if (!rotates_freely) NormalizeAxes(type, joint);
  if (!joint.name.empty() && !joint_names_.insert(joint.name).second) {
    throw UserError("two joints are named '" + joint.name + "'");
  }
  moved.joints.push_back(static_cast<int>(joints_.size()));
  joints_.push_back({body, type, joint, nq_, nv_});
  nq_ += NumPositions(type);
  nv_ += NumVelocities(type);
}

std::vector<ModelBuilder::Joint> ModelBuilder::Links(const Joint& joint) {
  Joint whole = joint;
  JointProperties& p = whole.properties;
  if (RotationOffset(joint.type) < 0) p = NormalizeAxes(joint.type, p);
  if (joint.type == JointType::kSlide || joint.type == JointType::kFree) p.anchor.setZero();
  const auto link = [&whole](JointType type, const Eigen::Vector3d& axis, int coordinate) {
    Joint part = whole;
    part.type = type;
    part.iq += coordinate;
    part.iv += coordinate;
    part.properties.axis = axis;
    return part;
  };
  switch (joint.type) {
    case JointType::kUniversal:
      return {link(JointType::kHinge, p.axis, 0), link(JointType::kHinge, p.axis2, 1)};
    case JointType::kPlanar:
      return {link(JointType::kSlide, p.axis2, 0),
              link(JointType::kSlide, p.axis.cross(p.axis2), 1),
              link(JointType::kHinge, p.axis, 2)};
    default:
      return {whole};
  }
}

Pose ModelBuilder::Moved(const Joint& joint, const Eigen::Ref<const Eigen::VectorXd>& q) {
  Pose X;
  for (const Joint& link : Links(joint)) {
    const JointProperties& p = link.properties;
    if (link.type == JointType::kFree) {
      return {QuaternionToMatrix<double>(q.segment<4>(link.iq + 3)), q.segment<3>(link.iq)};
    }
    Pose turned;
    if (link.type == JointType::kBall) {
      turned.R = QuaternionToMatrix<double>(q.segment<4>(link.iq));
    } else {
      const double x = p.scale * (q[link.iq] - p.position_reference);
      if (link.type != JointType::kSlide) turned.R = Eigen::AngleAxisd(x, p.axis);
      if (link.type == JointType::kSlide) turned.p = x * p.axis;
      if (link.type == JointType::kHelical) turned.p = p.pitch * x * p.axis;
    }
    X = X * Pose{Eigen::Matrix3d::Identity(), p.anchor} * turned *
        Pose{Eigen::Matrix3d::Identity(), -p.anchor};
  }
  return X;
}

namespace {

/// The numbers of a joint of a body that is placed at X_PB in its parent.
internal::Link MakeLink(const Model::Body& body, const JointProperties& p, const Pose& X_PB) {
  internal::Link link{};
  link.joint = body.joint;
  link.parent = body.parent;
  link.iq = body.iq;
  link.iv = body.iv;
  link.nv = body.nv;
  const bool is_free = body.joint == JointType::kFree;
  const Pose X_PF = is_free ? Pose{} : X_PB * Pose{Eigen::Matrix3d::Identity(), p.anchor};
  link.R_PF = internal::ToM3(X_PF.R);
  link.p_PF = internal::ToV3(X_PF.p);
  link.axis = internal::ToV3<double>(p.axis * p.scale);
  link.pitch = p.pitch;
  link.reference = p.position_reference;
  link.scale = p.scale;
  link.along_z = p.axis == Eigen::Vector3d::UnitZ();
  const Eigen::Matrix3d R_axis = X_PF.R * p.axis * p.axis.transpose();
  link.R_axis = internal::ToM3(R_axis);
  link.R_cos = internal::ToM3<double>(X_PF.R - R_axis);
  link.R_sin = internal::ToM3<double>(X_PF.R * Skew<double>(p.axis));
  return link;
}

}  // namespace

/// The body has its origin on the joint's anchor and the user's axes.
void ModelBuilder::AppendLink(const Joint& joint, Model::NamedFrame* frame, Model::Data* model,
                              std::vector<internal::Link>* links) {
  const JointProperties& p = joint.properties;
  Model::Body body;
  body.name = frame->name;
  body.parent = frame->body;
  body.joint = joint.type;
  body.iq = joint.iq;
  body.iv = joint.iv;
  body.nv = NumVelocities(joint.type);
  links->push_back(MakeLink(body, p, frame->X_BF));
  const int b = static_cast<int>(model->bodies.size());
  body.root = body.parent < 0 ? b : model->bodies[static_cast<size_t>(body.parent)].root;
  if (body.parent >= 0) {
    const Model::Body& parent = model->bodies[static_cast<size_t>(body.parent)];
    body.depth = parent.depth + parent.nv;
  }
  model->max_depth = std::max(model->max_depth, body.depth + body.nv);
  model->bodies.push_back(body);
  if (const int offset = RotationOffset(joint.type); offset >= 0) {
    const int first = body.iv + offset;
    for (int k = first; k < first + 3; ++k) model->rotation_triple[static_cast<size_t>(k)] = first;
    model->has_rotation_triples = true;
  }
  model->armature.segment(joint.iv, body.nv).setConstant(p.armature);
  model->damping.segment(joint.iv, body.nv).setConstant(p.damping);
  model->frictionloss.segment(joint.iv, body.nv).setConstant(p.frictionloss);
  for (const int k : {0, 1}) {
    model->damping_poly.col(k)
        .segment(joint.iv, body.nv)
        .setConstant(p.damping_poly[static_cast<size_t>(k)]);
  }
  model->velocity_limit.segment(joint.iv, body.nv).setConstant(p.velocity_limit);
  model->effort_lower.segment(joint.iv, body.nv).setConstant(p.effort_lower);
  model->effort_upper.segment(joint.iv, body.nv).setConstant(p.effort_upper);
  model->position_lower.segment(joint.iq, NumPositions(joint.type)).setConstant(p.position_lower);
  model->position_upper.segment(joint.iq, NumPositions(joint.type)).setConstant(p.position_upper);
  Eigen::VectorXd& q = model->default_position;
  if (joint.type == JointType::kFree) {
    const Eigen::Quaterniond orientation(frame->X_BF.R);
    q.segment<3>(joint.iq) = frame->X_BF.p;
    q.segment<4>(joint.iq + 3) << orientation.w(), orientation.vec();
  } else if (joint.type == JointType::kBall) {
    q.segment<4>(joint.iq) << 1, 0, 0, 0;
  } else {
    q[joint.iq] = p.position_reference;
  }
  AppendSprings(joint, frame->X_BF, model);
  frame->body = b;
  frame->X_BF = Pose{Eigen::Matrix3d::Identity(), -p.anchor};
}

Model::NamedFrame ModelBuilder::Place(const std::string& name, int body, const Pose& X,
                                      const Model::Data& model) {
  if (body == kWorld) return {name, kWorld, X};
  const Model::NamedFrame& carrier = model.frames[static_cast<size_t>(body)];
  return {name, carrier.body, carrier.X_BF * X};
}

void ModelBuilder::AppendBody(int index, Model::Data* model,
                              std::vector<internal::Link>* links) const {
  const Body& body = bodies_[static_cast<size_t>(index)];
  Model::NamedFrame frame = Place(body.name, body.parent, body.X_PB, *model);
  for (const int j : body.joints) {
    const Joint& joint = joints_[static_cast<size_t>(j)];
    for (const Joint& link : Links(joint)) AppendLink(link, &frame, model, links);
    model->joints[static_cast<size_t>(j)] = {joint.properties.name, joint.type, frame.body,
                                             joint.iq, joint.iv};
  }
  if (frame.body >= 0) {
    internal::AddPlaced(body.mass, frame.X_BF,
                        &model->bodies[static_cast<size_t>(frame.body)].mass);
  }
  model->frames[static_cast<size_t>(index)] = frame;
}

std::vector<int> ModelBuilder::DepthFirst() const {
  const int n = static_cast<int>(bodies_.size());
  std::vector<std::vector<int>> children(bodies_.size() + 1);  // those of the world last
  for (int body = n - 1; body >= 0; --body) {
    const int parent = bodies_[static_cast<size_t>(body)].parent;
    children[static_cast<size_t>(parent == kWorld ? n : parent)].push_back(body);
  }
  std::vector<int> order, open = children.back();
  while (!open.empty()) {
    const int body = open.back();
    open.pop_back();
    order.push_back(body);
    const std::vector<int>& next = children[static_cast<size_t>(body)];
    open.insert(open.end(), next.begin(), next.end());
  }
  return order;
}

Model ModelBuilder::Build() const {
  if (nv_ == 0) throw UserError("the model has no joints");
  if (!gravity_.allFinite()) {
    internal::MessageStream message;
    message << "gravity must be finite, not [" << gravity_.transpose() << "]";
    throw UserError(message.str());
  }
  const auto made = std::make_shared<Model::Data>();
  Model::Data& model = *made;
  model.gravity = gravity_;
  model.nq = nq_;
  model.nv = nv_;
  model.armature.setZero(nv_);
  model.damping.setZero(nv_);
  model.damping_poly.setZero(nv_, 2);
  model.tendons = tendons_;
  model.frictionloss.setZero(nv_);
  model.default_position.setZero(nq_);
  for (Eigen::VectorXd* limit : {&model.position_lower, &model.position_upper}) limit->resize(nq_);
  for (Eigen::VectorXd* limit : {&model.velocity_limit, &model.effort_lower, &model.effort_upper})
    limit->resize(nv_);
  model.rotation_triple.assign(static_cast<size_t>(nv_), -1);
  model.frames.resize(bodies_.size());
  model.joints.resize(joints_.size());
  std::vector<internal::Link> links;
  for (const int body : DepthFirst()) AppendBody(body, &model, &links);
  for (const Model::NamedFrame& frame : frames_) {
    model.added_frames.push_back(Place(frame.name, frame.body, frame.X_BF, model));
  }
  SetTables(made, std::move(links));
  model.description = std::make_shared<const ModelBuilder>(*this);
  return Model(made);
}

}  // namespace civita
