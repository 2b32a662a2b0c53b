#include "civita/model.h"

#include <algorithm>
#include <atomic>
#include <numeric>
#include <string_view>

#include "civita/error.h"
#include "civita/suggest.h"
#include "core/model/internal/tree_tables.h"
#include "core/spatial/internal/eigen.h"

namespace civita {

std::string Model::VelocityName(int iv) const {
  for (const NamedJoint& joint : joints_) {
    const int k = iv - joint.iv;
    if (k < 0 || k >= NumVelocities(joint.type)) continue;
    return joint.name + VelocityEnding(joint.type, k);
  }
  CIVITA_CHECK(false, "velocity coordinate " << iv << " of " << nv_);
}

/// Of frames() and added_frames(), one after the other.
const Model::NamedFrame& Model::FrameAt(size_t index) const {
  return index < frames_.size() ? frames_[index] : added_frames_[index - frames_.size()];
}

void Model::SortNames() {
  by_name_.resize(frames_.size() + added_frames_.size());
  std::iota(by_name_.begin(), by_name_.end(), size_t{0});
  std::ranges::sort(by_name_, {}, [this](size_t i) { return std::string_view(FrameAt(i).name); });
}

const Model::NamedFrame& Model::FindFrame(std::string_view name) const& {
  const auto found = std::ranges::lower_bound(
      by_name_, name, {}, [this](size_t i) { return std::string_view(FrameAt(i).name); });
  if (found != by_name_.end() && FrameAt(*found).name == name) return FrameAt(*found);
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
  SortNames();
  tables_ = std::make_shared<const internal::TreeTables>(*this, std::move(links));
  structure_ = tables_->structure();
  static std::atomic<std::uint64_t> built = 0;
  id_ = ++built;
}

}  // namespace civita
