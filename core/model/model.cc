#include "civita/model.h"

#include <algorithm>
#include <atomic>

#include "civita/error.h"
#include "civita/suggest.h"
#include "core/model/internal/tree_tables.h"
#include "core/spatial/internal/eigen.h"

namespace civita {

int NumPositions(JointType type) {
  switch (type) {
    case JointType::kBall:
      return 4;
    case JointType::kFree:
      return 7;
    default:
      return NumVelocities(type);
  }
}

int NumVelocities(JointType type) {
  switch (type) {
    case JointType::kBall:
      return 3;
    case JointType::kFree:
      return 6;
    case JointType::kUniversal:
      return 2;
    case JointType::kPlanar:
      return 3;
    case JointType::kHinge:
    case JointType::kSlide:
    case JointType::kHelical:
      break;
  }
  return 1;
}

int RotationOffset(JointType type) {
  if (type == JointType::kBall) return 0;
  return type == JointType::kFree ? 3 : -1;
}

bool HasTranslations(JointType type) {
  return type == JointType::kSlide || type == JointType::kFree || type == JointType::kPlanar;
}

const char* ToString(JointType type) {
  switch (type) {
    case JointType::kHinge:
      return "hinge";
    case JointType::kSlide:
      return "slide";
    case JointType::kBall:
      return "ball";
    case JointType::kFree:
      return "free";
    case JointType::kHelical:
      return "helical";
    case JointType::kUniversal:
      return "universal";
    case JointType::kPlanar:
      return "planar";
  }
  return "";
}

std::string Model::VelocityName(int iv) const {
  for (const NamedJoint& joint : joints_) {
    const int k = iv - joint.iv;
    if (k < 0 || k >= NumVelocities(joint.type)) continue;
    switch (joint.type) {
      case JointType::kBall:
        return joint.name + "." + "xyz"[k];
      case JointType::kFree:
        return joint.name + (k < 3 ? ".p" : ".w") + "xyz"[k % 3];
      case JointType::kUniversal:
        return joint.name + "." + "12"[k];
      case JointType::kPlanar:
        return joint.name + (k == 0 ? ".x" : k == 1 ? ".y" : ".angle");
      case JointType::kHinge:
      case JointType::kSlide:
      case JointType::kHelical:
        return joint.name;
    }
  }
  CIVITA_CHECK(false, "velocity coordinate " << iv << " of " << nv_);
}

const Model::NamedFrame& Model::FindFrame(std::string_view name) const& {
  for (const std::vector<NamedFrame>* frames : {&frames_, &added_frames_}) {
    const auto found = std::ranges::find(*frames, name, &NamedFrame::name);
    if (found != frames->end()) return *found;
  }
  std::vector<std::string> names;
  for (const std::vector<NamedFrame>* frames : {&frames_, &added_frames_}) {
    for (const NamedFrame& frame : *frames) names.push_back(frame.name);
  }
  throw UserError(UnknownName(added_frames_.empty() ? "body" : "body or frame", name, names));
}

const Model::NamedJoint& Model::FindJoint(std::string_view name) const& {
  const auto found = std::ranges::find(joints_, name, &NamedJoint::name);
  if (found != joints_.end()) return *found;
  std::vector<std::string> names;
  for (const NamedJoint& joint : joints_) names.push_back(joint.name);
  throw UserError(UnknownName("joint", name, names));
}

Eigen::VectorXd Model::DefaultPosition() const { return default_position_; }

int Model::parent(int iv) const {
  CIVITA_CHECK(iv >= 0 && iv < nv_, "velocity coordinate " << iv << " of " << nv_);
  return tree().parent[iv];
}

int Model::rotation_triple(int iv) const {
  CIVITA_CHECK(iv >= 0 && iv < nv_, "velocity coordinate " << iv << " of " << nv_);
  return rotation_triple_[static_cast<size_t>(iv)];
}

const internal::Tree& Model::tree() const { return tables_->tree(); }

void Model::SetTables(std::vector<internal::Link> links) {
  for (size_t b = 0; b < bodies_.size(); ++b) {
    links[b].mass = bodies_[b].mass.mass;
    links[b].com = internal::ToV3(bodies_[b].mass.com);
    links[b].inertia = internal::ToS3(bodies_[b].mass.inertia);
  }
  tables_ = std::make_shared<const internal::TreeTables>(*this, std::move(links));
  structure_ = tables_->structure();
  static std::atomic<std::uint64_t> built = 0;
  id_ = ++built;
}

}  // namespace civita
