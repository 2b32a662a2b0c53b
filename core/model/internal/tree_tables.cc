#include "core/model/internal/tree_tables.h"

#include <utility>

#include "civita/model.h"
#include "core/spatial/internal/access.h"

namespace civita::internal {

TreeTables::TreeTables(const Model& model, std::vector<Link> links)
    : links_(std::move(links)),
      parent_(static_cast<size_t>(model.nv()), -1),
      body_(parent_),
      depth_(parent_),
      triple_(parent_),
      armature_(model.armature().data(), model.armature().data() + model.nv()) {
  structure_ = 14695981039346656037u;  // FNV-1a
  const auto mix = [this](int x) {
    structure_ = (structure_ ^ static_cast<std::uint32_t>(x)) * 1099511628211u;
  };
  for (size_t b = 0; b < links_.size(); ++b) {
    const Link& link = links_[b];
    int before = -1;
    if (link.parent >= 0) {
      const Link& parent = links_[static_cast<size_t>(link.parent)];
      before = parent.iv + parent.nv - 1;
    }
    for (const int x : {link.parent, static_cast<int>(link.joint), link.iq, link.iv}) mix(x);
    for (int k = link.iv; k < link.iv + link.nv; ++k) {
      const auto at = static_cast<size_t>(k);
      parent_[at] = before;
      body_[at] = static_cast<int>(b);
      depth_[at] = before < 0 ? 0 : depth_[static_cast<size_t>(before)] + 1;
      triple_[at] = model.rotation_triple(k);
      order_.push_back(k);
      before = k;
    }
  }
  const Eigen::Vector3d& g = model.gravity();
  tree_ = {model.nv(),       model.num_bodies(),   links_.data(), parent_.data(),
           body_.data(),     depth_.data(),        order_.data(), triple_.data(),
           armature_.data(), {g.x(), g.y(), g.z()}};
}

const TreeTables& TablesOf(const Model& model) { return Access::tables(model); }
const Tree& TreeOf(const Model& model) { return TablesOf(model).tree(); }

}  // namespace civita::internal
