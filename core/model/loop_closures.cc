#include "civita/loop_closures.h"

#include <algorithm>
#include <cmath>

#include "civita/error.h"
#include "core/model/internal/rigid.h"
#include "core/spatial/internal/polynomial.h"

namespace civita {

namespace {

constexpr double kClosed = 1e-6;  // rad or m

bool IsConstant(const std::array<double, 5>& polynomial, int from) {
  return std::all_of(polynomial.begin() + from, polynomial.end(), [](double c) { return c == 0; });
}

}  // namespace

Model::NamedFrame FrameOfSide(const Model& model, const FrameClosure::Side& side,
                              const std::string& closure) {
  CIVITA_CHECK(side.frame >= -1 && side.frame < static_cast<int>(model.frames().size()),
               "loop '" << closure << "' names frame " << side.frame);
  internal::CheckRigid("loop '" + closure + "'", "the pose of its side", {side.axes, side.point});
  Model::NamedFrame frame;
  if (side.frame >= 0) frame = model.frames()[static_cast<size_t>(side.frame)];
  frame.X_BF = frame.X_BF * Pose{side.axes, side.point};
  return frame;
}

void CheckCoupling(const Model& model, const JointClosure& coupling, const std::string& who) {
  for (const int index : {coupling.joint, coupling.leader < 0 ? coupling.joint : coupling.leader}) {
    CIVITA_CHECK(index >= 0 && index < static_cast<int>(model.joints().size()),
                 who << ": no joint has the index " << index);
    const Model::NamedJoint& joint = model.joints()[static_cast<size_t>(index)];
    if (NumVelocities(joint.type) == 1) continue;
    throw UserError(who + ": joint '" + joint.name +
                    "' has several coordinates; a coupling is one of joints with one");
  }
  if (coupling.leader == coupling.joint) throw UserError(who + ": a joint cannot follow itself");
  if (!Eigen::Map<const Eigen::Array<double, 5, 1>>(coupling.polynomial.data()).allFinite() ||
      !std::isfinite(coupling.reference) || !std::isfinite(coupling.leader_reference)) {
    throw UserError(who + ": coefficients and references must be finite");
  }
}

LoopClosures LockJoints(const LoopClosures& closures, const Model& model,
                        const std::vector<std::string>& joints,
                        const Eigen::Ref<const Eigen::VectorXd>& q) {
  CIVITA_CHECK(q.size() == model.nq(),
               "q has " << q.size() << " numbers, the model has nq = " << model.nq());
  std::vector<bool> is_locked(model.joints().size(), false);
  for (const std::string& name : joints) {
    is_locked[static_cast<size_t>(&model.FindJoint(name) - model.joints().data())] = true;
  }
  const auto locked = [&](int j) { return is_locked[static_cast<size_t>(j)]; };
  const auto number = [&](int j) {
    return j - static_cast<int>(std::count(is_locked.begin(), is_locked.begin() + j, true));
  };
  const auto position = [&](int j) { return q[model.joints()[static_cast<size_t>(j)].iq]; };
  LoopClosures result{closures.frames, {}};
  for (JointClosure closure : closures.joints) {
    const std::string who = "coupling '" + closure.name + "': ";
    for (const int j : {closure.joint, std::max(closure.leader, 0)}) {
      CIVITA_CHECK(j >= 0 && j < static_cast<int>(model.joints().size()),
                   who << "joint " << j << " of " << model.joints().size());
    }
    if (closure.leader >= 0 && (locked(closure.leader) || IsConstant(closure.polynomial, 1))) {
      const double x = position(closure.leader) - closure.leader_reference;
      closure.polynomial = {internal::EvaluatePolynomial(closure.polynomial, x)[0], 0, 0, 0, 0};
      closure.leader = -1;
      closure.leader_reference = 0;
    }
    if (locked(closure.joint)) {
      const double excess = position(closure.joint) - closure.reference - closure.polynomial[0];
      if (closure.leader < 0) {
        if (std::abs(excess) <= kClosed) continue;
        internal::MessageStream message;
        message << who << "the locked joints violate it by " << excess;
        throw UserError(message.str());
      }
      if (closure.polynomial[1] == 0 || !IsConstant(closure.polynomial, 2)) {
        throw UserError(who + "its locked joint follows one that is not locked, and not in " +
                        "proportion: lock both");
      }
      closure.joint = closure.leader;
      closure.reference = closure.leader_reference;
      closure.polynomial = {excess / closure.polynomial[1], 0, 0, 0, 0};
      closure.leader = -1;
      closure.leader_reference = 0;
    }
    closure.joint = number(closure.joint);
    if (closure.leader >= 0) closure.leader = number(closure.leader);
    result.joints.push_back(closure);
  }
  return result;
}

LoopClosures JoinClosures(const LoopClosures& closures, const Model& model,
                          const LoopClosures& of_other, const Model::NamedFrame& G,
                          const Pose& X_GO, const std::string& prefix) {
  LoopClosures result = closures;
  const int num_frames = static_cast<int>(model.frames().size());
  const int num_joints = static_cast<int>(model.joints().size());
  // What is fixed to the world of `other` is fixed to a body that carries G.
  const auto carrier = std::ranges::find(model.frames(), G.body, &Model::NamedFrame::body);
  const bool moves = G.body >= 0;
  CIVITA_CHECK(!moves || carrier != model.frames().end(), "frame '" << G.name << "' of no body");
  const Pose X_CO = (moves ? carrier->X_BF.Inverse() : Pose{}) * G.X_BF * X_GO;
  for (FrameClosure closure : of_other.frames) {
    if (!closure.name.empty()) closure.name = prefix + closure.name;
    for (FrameClosure::Side* side : {&closure.a, &closure.b}) {
      if (side->frame >= 0) {
        side->frame += num_frames;
        continue;
      }
      side->frame = moves ? static_cast<int>(carrier - model.frames().begin()) : -1;
      side->point = X_CO * side->point;
      side->axes = X_CO.R * side->axes;
    }
    result.frames.push_back(closure);
  }
  for (JointClosure closure : of_other.joints) {
    if (!closure.name.empty()) closure.name = prefix + closure.name;
    closure.joint += num_joints;
    if (closure.leader >= 0) closure.leader += num_joints;
    result.joints.push_back(closure);
  }
  return result;
}

}  // namespace civita
