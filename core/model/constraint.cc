#include "civita/constraint.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "civita/error.h"
#include "core/model/internal/constraint_layout.h"
#include "core/model/internal/rigid.h"
#include "core/spatial/internal/polynomial.h"

namespace civita {

namespace {

constexpr double kClosed = 1e-6;  // rad or m

bool IsConstant(const std::array<double, 5>& polynomial, int from) {
  return std::all_of(polynomial.begin() + from, polynomial.end(), [](double c) { return c == 0; });
}

void CheckBaumgarte(const std::string& who, double stiffness, double damping) {
  for (const auto& [name, x] : {std::pair("stiffness", stiffness), {"damping", damping}}) {
    if (x >= 0 && std::isfinite(x)) continue;
    internal::MessageStream message;
    message << who << ": " << name << " must be a number ≥ 0, not " << x;
    throw UserError(message.str());
  }
}

void CheckEnd(const Model& model, const std::string& who, const std::string& name,
              const Model::NamedFrame& frame, const Pose& X) {
  if (frame.body < -1) throw UserError(who + ": " + name + " is not set");
  if (frame.body >= model.num_bodies())
    throw UserError(who + ": " + name + ", '" + frame.name + "', is on no body of the model");
  internal::CheckRigid(who, name.c_str(), frame.X_BF);
  if (!X.p.allFinite()) throw UserError(who + ": point_" + name + " must be finite");
  internal::CheckRigid(who, ("axes_" + name).c_str(), {X.R, {0, 0, 0}});
}

}  // namespace

void CheckConstraint(const Model& model, const RigidConstraint& c, const std::string& who) {
  CheckBaumgarte(who, c.stiffness, c.damping);
  CheckEnd(model, who, "A", c.A, {c.axes_A, c.point_A});
  CheckEnd(model, who, "B", c.B, {c.axes_B, c.point_B});
}

void CheckConstraint(const Model& model, const JointConstraint& c, const std::string& who) {
  CheckBaumgarte(who, c.stiffness, c.damping);
  for (const int index : {c.joint, c.leader < 0 ? c.joint : c.leader}) {
    CIVITA_CHECK(index >= 0 && index < static_cast<int>(model.joints().size()),
                 who << ": no joint has the index " << index);
    const Model::NamedJoint& joint = model.joints()[static_cast<size_t>(index)];
    if (NumVelocities(joint.type) == 1) continue;
    throw UserError(who + ": joint '" + joint.name +
                    "' has several coordinates; a coupling is one of joints with one");
  }
  if (c.leader == c.joint) throw UserError(who + ": a joint cannot follow itself");
  if (!Eigen::Map<const Eigen::Array<double, 5, 1>>(c.polynomial.data()).allFinite() ||
      !std::isfinite(c.reference) || !std::isfinite(c.leader_reference)) {
    throw UserError(who + ": coefficients and references must be finite");
  }
}

namespace {

/// A frame of `model` as one of `made`, whose description has the bodies of the model's from number
/// `first` on; frames that are fixed to the world are as they were.
Model::NamedFrame FrameIn(const Model& made, int first, const Model& model,
                          const Model::NamedFrame& frame) {
  const Model::Placement at = model.PlacementOf(frame);
  if (at.body < 0) return frame;
  const int number = first + at.body;
  const Model::NamedFrame& carrier = made.frames()[static_cast<size_t>(number)];
  return {frame.name, carrier.body, carrier.X_BF * at.X_BF};
}

}  // namespace

Constraints LockJoints(const Constraints& constraints, const Model& model,
                       const std::vector<std::string>& joints,
                       const Eigen::Ref<const Eigen::VectorXd>& q) {
  CIVITA_CHECK(q.size() == model.nq(),
               "q has " << q.size() << " numbers, the model has nq = " << model.nq());
  Constraints result;
  if (!constraints.rigid.empty()) {
    const Model locked = model.WithLockedJoints(joints, q);
    for (RigidConstraint c : constraints.rigid) {
      for (Model::NamedFrame* frame : {&c.A, &c.B}) *frame = FrameIn(locked, 0, model, *frame);
      result.rigid.push_back(c);
    }
  }
  std::vector<bool> is_locked(model.joints().size(), false);
  for (const std::string& name : joints) {
    is_locked[static_cast<size_t>(&model.FindJoint(name) - model.joints().data())] = true;
  }
  const auto locked = [&](int j) { return is_locked[static_cast<size_t>(j)]; };
  const auto number = [&](int j) {
    return j - static_cast<int>(std::count(is_locked.begin(), is_locked.begin() + j, true));
  };
  const auto position = [&](int j) { return q[model.joints()[static_cast<size_t>(j)].iq]; };
  for (JointConstraint c : constraints.joints) {
    const std::string who = "coupling '" + c.name + "': ";
    for (const int j : {c.joint, std::max(c.leader, 0)}) {
      CIVITA_CHECK(j >= 0 && j < static_cast<int>(model.joints().size()),
                   who << "joint " << j << " of " << model.joints().size());
    }
    if (c.leader >= 0 && (locked(c.leader) || IsConstant(c.polynomial, 1))) {
      const double x = position(c.leader) - c.leader_reference;
      c.polynomial = {internal::EvaluatePolynomial(c.polynomial, x)[0], 0, 0, 0, 0};
      c.leader = -1;
      c.leader_reference = 0;
    }
    if (locked(c.joint)) {
      const double excess = position(c.joint) - c.reference - c.polynomial[0];
      if (c.leader < 0) {
        if (std::abs(excess) <= kClosed) continue;
        internal::MessageStream message;
        message << who << "the locked joints violate it by " << excess;
        throw UserError(message.str());
      }
      if (c.polynomial[1] == 0 || !IsConstant(c.polynomial, 2)) {
        throw UserError(who + "its locked joint follows one that is not locked, and not in " +
                        "proportion: lock both");
      }
      c.joint = c.leader;
      c.reference = c.leader_reference;
      c.polynomial = {excess / c.polynomial[1], 0, 0, 0, 0};
      c.leader = -1;
      c.leader_reference = 0;
    }
    c.joint = number(c.joint);
    if (c.leader >= 0) c.leader = number(c.leader);
    result.joints.push_back(c);
  }
  return result;
}

Constraints JoinConstraints(const Constraints& constraints, const Model& model,
                            const Constraints& of_other, const Model& other,
                            const Model::NamedFrame& G, const Pose& X_GO,
                            const std::string& prefix) {
  const Model both = model.WithModel(other, G, X_GO, prefix);
  const int num_joints = static_cast<int>(model.joints().size());
  const int num_frames = static_cast<int>(model.frames().size());
  const Model::NamedFrame G_both = FrameIn(both, 0, model, G);
  Constraints result = constraints;
  for (RigidConstraint& c : result.rigid) {
    for (Model::NamedFrame* frame : {&c.A, &c.B}) *frame = FrameIn(both, 0, model, *frame);
  }
  for (RigidConstraint c : of_other.rigid) {
    if (!c.name.empty()) c.name = prefix + c.name;
    for (Model::NamedFrame* frame : {&c.A, &c.B}) {
      *frame = FrameIn(both, num_frames, other, *frame);
      if (!frame->name.empty()) frame->name = prefix + frame->name;
      if (frame->body < 0) {  // fixed to the world of `other`
        frame->body = G_both.body;
        frame->X_BF = G_both.X_BF * X_GO * frame->X_BF;
      }
    }
    result.rigid.push_back(c);
  }
  for (JointConstraint c : of_other.joints) {
    if (!c.name.empty()) c.name = prefix + c.name;
    c.joint += num_joints;
    if (c.leader >= 0) c.leader += num_joints;
    result.joints.push_back(c);
  }
  return result;
}

namespace internal {

namespace {

Leg LegOf(const Model& model, const Model::NamedFrame& frame, const Pose& X) {
  Leg leg{.end = {frame.name, frame.body, frame.X_BF * X}, .path = {}};
  for (int b = frame.body; b >= 0; b = model.bodies()[static_cast<size_t>(b)].parent)
    leg.path.push_back(b);
  std::reverse(leg.path.begin(), leg.path.end());
  return leg;
}

}  // namespace

int ConstraintRows::Number() {
  int row = 0;
  for (RigidRows& rows : rigid) {
    rows.row = row;
    row += rows.fixes_rotation ? 6 : 3;
  }
  for (JointRow& each : joints) each.row = row++;
  return row;
}

RigidRows RowsOf(const Model& model, const RigidConstraint& c, const std::string& kind) {
  CheckConstraint(model, c, kind + " '" + c.name + "'");
  RigidRows rows{.A = LegOf(model, c.A, {c.axes_A, c.point_A}),
                 .B = LegOf(model, c.B, {c.axes_B, c.point_B}),
                 .fixes_rotation = c.fixes_rotation};
  std::vector<int>&a = rows.A.path, &b = rows.B.path;
  const auto [end_a, end_b] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  a.erase(a.begin(), end_a);
  b.erase(b.begin(), end_b);
  return rows;
}

JointRow RowsOf(const Model& model, const JointConstraint& c, const std::string& kind) {
  CheckConstraint(model, c, kind + " '" + c.name + "'");
  const auto joint = [&](int index) -> const Model::NamedJoint& {
    return model.joints()[static_cast<size_t>(index)];
  };
  JointRow row{.iq = joint(c.joint).iq, .iv = joint(c.joint).iv, .of = c};
  if (c.leader >= 0) {
    row.leader_iq = joint(c.leader).iq;
    row.leader_iv = joint(c.leader).iv;
  }
  return row;
}

}  // namespace internal

}  // namespace civita
