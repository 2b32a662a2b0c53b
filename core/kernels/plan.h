#pragma once

#include <vector>

#include "core/kernels/plan_view.h"
#include "core/model.h"

namespace civita::kernels {

/// The tables of a model.
class Plan {
 public:
  explicit Plan(const Model& model);
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;

  const PlanView& view() const { return view_; }

  /// Slot i is velocity coordinate i.
  bool identity_order() const { return identity_order_; }

 private:
  void AddBody(const Model& model, const Model::Body& body, int carrier);
  void SetPairs();
  void SetTiles();

  PlanView view_{};
  bool identity_order_ = true;
  std::vector<SlotKind> kind_;
  std::vector<int> parent_, depth_, iq_, iv_, triples_;
  std::vector<double> reference_, armature_;
  std::vector<LinkBlock> links_;
  std::vector<PairBlock> pairs_, apart_;
  std::vector<TileStep> tile_steps_;
  std::vector<Tile> tiles_;
  std::vector<uint8_t> related_, ancestors_;
};

}  // namespace civita::kernels
