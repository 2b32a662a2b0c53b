#pragma once

#include <Eigen/Core>
#include <vector>

#include "civita/factorization.h"
#include "civita/model.h"
#include "core/kernels/plan_view.h"
#include "core/model/internal/tree_tables.h"

namespace civita::kernels {

/// The tables of a model.
class Plan {
 public:
  /// `links` are the model's.
  Plan(const Model& model, const std::vector<internal::Link>& links);
  Plan(const Plan&) = delete;
  Plan& operator=(const Plan&) = delete;

  const PlanView& view() const { return view_; }

  /// Slot i is velocity coordinate i + base.
  bool identity_order() const { return view_.identity_order; }

  /// The last slot of a body, and the slot's axes Z: R_BZ.
  int last_slot(int body) const { return last_slot_[static_cast<size_t>(body)]; }
  const Eigen::Matrix3d& axes(int body) const { return axes_[static_cast<size_t>(body)]; }

  /// Adds a body's injection to the sums by slot (Torsion).
  void AddInjection(const Factorization::BodyInjection& injection, double beta, double* sums) const;

 private:
  /// `axes`: R_BZ of the joint axes Z.
  void AddBody(const Model& model, const internal::Link& body, const Eigen::Matrix3d& axes,
               int carrier);
  /// Where a slot is in what stands by slot.
  size_t At(int slot) const {
    const int at = view_.base + slot;
    return static_cast<size_t>(at);
  }
  void SetRelations();
  void SetZeros();
  void SetSupernodes();

  internal::TreeTables tables_;  ///< of the bodies in their joints' axes
  PlanView view_{};
  // By body.
  std::vector<int> last_slot_;  ///< the one that has its mass
  std::vector<Eigen::Matrix3d> axes_;
  // By slot, those of the base first.
  std::vector<SlotKind> kind_;
  std::vector<int> parent_, end_, depth_, iq_, iv_, triples_;
  std::vector<double> armature_;
  // By slot from 0 on.
  std::vector<double> reference_;
  std::vector<LinkBlock> links_;
  std::vector<uint8_t> before_, after_;
  std::vector<Run> zeros_;
  std::vector<Supernode> supernodes_;
  std::vector<int> supernode_of_;
};

/// The plan of a model, made in the first call for it or one of its copies, which allocates.
const Plan& PlanOf(const Model& model);

}  // namespace civita::kernels
