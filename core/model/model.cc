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
  for (const NamedJoint& joint : joints()) {
    const int k = iv - joint.iv;
    if (k < 0 || k >= NumVelocities(joint.type)) continue;
    return joint.name + VelocityEnding(joint.type, k);
  }
  CIVITA_CHECK(false, "velocity coordinate " << iv << " of " << nv());
}

const Model::NamedFrame& Model::Data::FrameAt(size_t index) const {
  return index < frames.size() ? frames[index] : added_frames[index - frames.size()];
}

void Model::Data::SortNames() {
  by_name.resize(frames.size() + added_frames.size());
  std::iota(by_name.begin(), by_name.end(), size_t{0});
  std::ranges::sort(by_name, {}, [this](size_t i) { return std::string_view(FrameAt(i).name); });
}

const Model::NamedFrame& Model::FindFrame(std::string_view name) const& {
  const std::vector<size_t>& by_name = data_->by_name;
  const auto found = std::ranges::lower_bound(
      by_name, name, {}, [this](size_t i) { return std::string_view(data_->FrameAt(i).name); });
  if (found != by_name.end() && data_->FrameAt(*found).name == name) return data_->FrameAt(*found);
  std::vector<std::string> names;
  for (const std::vector<NamedFrame>* frames : {&data_->frames, &data_->added_frames}) {
    for (const NamedFrame& frame : *frames) names.push_back(frame.name);
  }
  throw UserError(UnknownName(data_->added_frames.empty() ? "body" : "body or frame", name, names));
}

const Model::NamedJoint& Model::FindJoint(std::string_view name) const& {
  const auto found = std::ranges::find(joints(), name, &NamedJoint::name);
  if (found != joints().end()) return *found;
  std::vector<std::string> names;
  for (const NamedJoint& joint : joints()) names.push_back(joint.name);
  throw UserError(UnknownName("joint", name, names));
}

Eigen::VectorXd Model::DefaultPosition() const { return data_->default_position; }

int Model::parent(int iv) const {
  CIVITA_CHECK(iv >= 0 && iv < nv(), "velocity coordinate " << iv << " of " << nv());
  return data_->tables->tree().parent[iv];
}

int Model::rotation_triple(int iv) const {
  CIVITA_CHECK(iv >= 0 && iv < nv(), "velocity coordinate " << iv << " of " << nv());
  return data_->rotation_triple[static_cast<size_t>(iv)];
}

void ModelBuilder::SetTables(const std::shared_ptr<Model::Data>& model,
                             std::vector<internal::Link> links) {
  for (size_t b = 0; b < model->bodies.size(); ++b) {
    const MassProperties& mass = model->bodies[b].mass;
    links[b].mass = mass.mass;
    links[b].com = internal::ToV3(mass.com);
    links[b].inertia = internal::ToS3(mass.inertia);
  }
  model->SortNames();
  model->tables = std::make_shared<const internal::TreeTables>(Model(model), std::move(links));
  model->structure = model->tables->structure();
  static std::atomic<std::uint64_t> built = 0;
  model->id = ++built;
}

}  // namespace civita
