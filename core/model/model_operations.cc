// Copies of a Model with a change: edits of its description, which is built anew.

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <utility>

#include "civita/error.h"
#include "civita/model.h"
#include "core/model/internal/placed_mass.h"
#include "core/model/internal/rigid.h"

namespace civita {

namespace {

/// The joint as it acts on the body that T, in its frame, is put before.
void Turn(const Pose& T, JointProperties* joint) {
  joint->axis = T.R.transpose() * joint->axis;
  joint->axis2 = T.R.transpose() * joint->axis2;
  joint->anchor = T.Inverse() * joint->anchor;
}

std::string Prefixed(const std::string& prefix, const std::string& name) {
  return name.empty() ? name : prefix + name;
}

/// The tendon over the coordinates that have a new number in q; the others are fixed at q.
TendonProperties OverOthers(TendonProperties tendon, const std::vector<int>& new_iq,
                            const Eigen::Ref<const Eigen::VectorXd>& q) {
  std::vector<TendonProperties::Term> terms;
  for (const TendonProperties::Term& term : tendon.terms) {
    if (const int iq = new_iq[static_cast<size_t>(term.iq)]; iq >= 0) {
      terms.push_back({iq, term.coefficient});
      continue;
    }
    tendon.rest_lower -= term.coefficient * q[term.iq];
    tendon.rest_upper -= term.coefficient * q[term.iq];
  }
  tendon.terms = std::move(terms);
  return tendon;
}

}  // namespace

Model::Placement Model::PlacementOf(const NamedFrame& F) const {
  CIVITA_CHECK(F.body >= -1 && F.body < num_bodies(), "frame '" << F.name << "' is on body "
                                                                << F.body << ", the model has "
                                                                << num_bodies());
  if (F.body < 0) return {ModelBuilder::kWorld, F.X_BF};
  const auto is_F = [&F](const NamedFrame& G) {
    return G.body == F.body && G.X_BF.R == F.X_BF.R && G.X_BF.p == F.X_BF.p;
  };
  if (const auto same = std::ranges::find_if(frames(), is_F); same != frames().end())
    return {static_cast<int>(same - frames().begin()), {}};
  if (const auto same = std::ranges::find_if(added_frames(), is_F); same != added_frames().end()) {
    const NamedFrame& given =
        data_->description->frames()[static_cast<size_t>(same - added_frames().begin())];
    return {given.body, given.X_BF};
  }
  const auto carrier = std::ranges::find(frames(), F.body, &NamedFrame::body);
  CIVITA_CHECK(carrier != frames().end(), "frame '" << F.name << "' is on body " << F.body
                                                    << ", which has no frame of this model");
  return {static_cast<int>(carrier - frames().begin()), carrier->X_BF.Inverse() * F.X_BF};
}

Model Model::WithFrame(std::string name, const NamedFrame& G, const Pose& X_GF) const {
  const Placement at = PlacementOf(G);
  internal::CheckRigid("frame '" + name + "'", "X_GF", X_GF);
  auto description = std::make_shared<ModelBuilder>(*this);
  description->AddFrame(name, at.body, at.X_BF * X_GF);
  auto with = std::make_shared<Data>(*data_);
  const NamedFrame& added = description->frames().back();
  with->added_frames.push_back(ModelBuilder::Place(name, added.body, added.X_BF, *data_));
  with->description = std::move(description);
  with->SortNames();
  return Model(std::move(with));
}

Model Model::WithScaledInertia(double factor) const {
  CIVITA_CHECK(std::isfinite(factor) && factor > 0, "factor is " << factor);
  ModelBuilder scaled(*this);
  for (size_t b = 0; b < scaled.bodies().size(); ++b) {
    const MassProperties& mass = scaled.bodies()[b].mass;
    scaled.SetMass(static_cast<int>(b), {factor * mass.mass, mass.com, factor * mass.inertia});
  }
  return scaled.Build();
}

Model Model::WithPayload(const NamedFrame& F, const MassProperties& payload) const {
  const Placement at = PlacementOf(F);
  if (at.body < 0 || F.body < 0)
    throw UserError("frame '" + F.name + "' is fixed to the world, where a payload moves nothing");
  ModelBuilder loaded(*this);
  ModelBuilder::CheckMass("payload of " + F.name, payload, false);
  MassProperties mass = loaded.bodies()[static_cast<size_t>(at.body)].mass;
  internal::AddPlaced(payload, at.X_BF, &mass);
  loaded.SetMass(at.body, mass);
  return loaded.Build();
}

Model Model::WithInertia(std::string_view body, const MassProperties& mass) const {
  const auto found = std::ranges::find(frames(), body, &NamedFrame::name);
  if (found == frames().end()) {
    const NamedFrame& added = FindFrame(body);  // throws for an unknown name
    throw UserError("'" + added.name + "' is a frame without mass, not a body");
  }
  ModelBuilder::CheckMass(found->name, mass, false);
  ModelBuilder changed(*this);
  changed.SetMass(static_cast<int>(found - frames().begin()), mass);
  return changed.Build();
}

Model Model::WithLockedJoints(const std::vector<std::string>& joints,
                              const Eigen::Ref<const Eigen::VectorXd>& q) const {
  CIVITA_CHECK(q.size() == nq(), "q has " << q.size() << " numbers, the model has nq = " << nq());
  ModelBuilder all(*this);
  std::vector<bool> is_locked(this->joints().size(), false);
  for (const std::string& name : joints) {
    const NamedJoint& joint = FindJoint(name);
    if (!q.segment(joint.iq, NumPositions(joint.type)).allFinite())
      throw UserError("q of joint '" + name + "' is not finite");
    is_locked[static_cast<size_t>(&joint - this->joints().data())] = true;
  }
  ModelBuilder rest;
  rest.gravity_ = all.gravity_;
  rest.impossible_moments_allowed_ = all.impossible_moments_allowed_;
  for (const ModelBuilder::Body& body : all.bodies_) {
    Pose X_PB = body.X_PB;
    for (const int j : body.joints) {
      if (!is_locked[static_cast<size_t>(j)]) continue;
      const ModelBuilder::Joint& joint = all.joints_[static_cast<size_t>(j)];
      const Pose T = ModelBuilder::Moved(joint, q);
      X_PB = joint.type == JointType::kFree ? T : X_PB * T;
      for (const int before : body.joints) {
        if (before >= j || is_locked[static_cast<size_t>(before)]) continue;
        ModelBuilder::Joint& kept = all.joints_[static_cast<size_t>(before)];
        if (kept.type == JointType::kBall) {
          throw UserError("joint '" + joint.properties.name + "' follows the ball joint '" +
                          kept.properties.name +
                          "' in one body, whose axes are those of its velocity: lock both");
        }
        Turn(T, &kept.properties);
      }
    }
    rest.AddBody(body.name, body.parent, X_PB, body.mass);
  }
  std::vector<int> new_iq(static_cast<size_t>(nq()), -1);
  for (size_t j = 0; j < all.joints_.size(); ++j) {
    const ModelBuilder::Joint& joint = all.joints_[j];
    if (is_locked[j]) continue;
    const auto place = new_iq.begin() + joint.iq;
    std::iota(place, place + NumPositions(joint.type), rest.nq_);
    rest.AddJoint(joint.body, joint.type, joint.properties);
  }
  for (const NamedFrame& frame : all.frames_) rest.AddFrame(frame.name, frame.body, frame.X_BF);
  for (const TendonProperties& tendon : all.tendons_) {
    const TendonProperties left = OverOthers(tendon, new_iq, q);
    if (!left.terms.empty()) rest.AddTendon(left);
  }
  return rest.Build();
}

Model Model::WithModel(const Model& other, const NamedFrame& G, const Pose& X_GO,
                       const std::string& prefix) const {
  const Placement at = PlacementOf(G);
  internal::CheckRigid("the model's place", "X_GO", X_GO);
  const Pose X_BO = at.X_BF * X_GO;
  ModelBuilder both(*this);
  const int first = static_cast<int>(both.bodies_.size()), nq = both.nq_;
  const ModelBuilder& added = *other.data_->description;
  both.impossible_moments_allowed_ |= added.impossible_moments_allowed_;
  const auto number = [&](int body) { return body < 0 ? at.body : first + body; };
  try {
    for (const ModelBuilder::Body& body : added.bodies_) {
      both.AddBody(Prefixed(prefix, body.name), number(body.parent),
                   body.parent < 0 ? X_BO * body.X_PB : body.X_PB, body.mass);
    }
    for (ModelBuilder::Joint joint : added.joints_) {
      joint.properties.name = Prefixed(prefix, joint.properties.name);
      if (std::optional<Pose>& rest = joint.properties.spring_pose;
          rest && joint.type == JointType::kFree) {
        rest = X_BO * *rest;  // in the world, as the body's placement
      }
      both.AddJoint(first + joint.body, joint.type, joint.properties);
    }
    for (const NamedFrame& frame : added.frames_) {
      both.AddFrame(prefix + frame.name, number(frame.body),
                    frame.body < 0 ? X_BO * frame.X_BF : frame.X_BF);
    }
  } catch (const UserError& error) {
    throw UserError(std::string("model added at '") + G.name + "' with prefix '" + prefix +
                    "': " + error.what());
  }
  for (TendonProperties tendon : added.tendons_) {
    tendon.name = Prefixed(prefix, tendon.name);
    for (TendonProperties::Term& term : tendon.terms) term.iq += nq;
    both.AddTendon(tendon);
  }
  return both.Build();
}

}  // namespace civita
