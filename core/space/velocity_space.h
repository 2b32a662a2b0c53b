#pragma once

#include <Eigen/Core>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "civita/constraint.h"
#include "civita/coordinates.h"
#include "civita/model.h"

namespace civita {

namespace internal {
struct Access;
struct LoopLayout;
}  // namespace internal

/// Options of the loops of a VelocitySpace.
struct LoopOptions {
  /// Names (Model::VelocityName) of velocity coordinates of the tree that must be independent. The
  /// remaining independent coordinates are chosen so that K_d is well-conditioned; a joint that
  /// follows another is dependent.
  std::vector<std::string> independent = {};
  /// Configuration (nq numbers) from which the loops are closed and at which the independent
  /// coordinates are chosen; empty: Model::DefaultPosition.
  Eigen::VectorXd start = {};
  /// A cluster with a condition above this maximum counts as singular; see Status.
  double max_condition = 1e6;
};

/// The velocities w (nw numbers) in which one wants the dynamics of a model, v = A(q) w with the
/// velocities v (nv numbers) of its tree: these themselves, those that its constraints leave,
/// or coordinates of one's own. Every CalcX(space, …) of civita/space_dynamics.h and its neighbours
/// gives the quantity X in w, in place of that in v which CalcX(model, …) gives. q is always the
/// configuration of the tree; factorizations, forces and frames are those of tree().
///
/// Loops: the tree has the constraints K(q) v = 0. A cluster is a smallest set of coordinates that
/// a group of loops couples; in each cluster v splits into independent and dependent coordinates,
/// v_d = G(q) v_i with G = −K_d⁻¹K_i. The independent coordinates and those in no cluster are w,
/// with A block-diagonal by clusters ([WES], section VI-C). The independent positions and the
/// assembly branch of the loops determine q. Rows of K may be redundant, such as the three of a
/// `connect` in a planar loop: the dependent coordinates are chosen once, by rank, and K_d v_d =
/// −K_i v_i is solved by least squares, which is exact if the rows are consistent.
///
/// Immutable, and shared between threads, but for coordinates, whose copies have scratch memory of
/// their own in each SpaceWorkspace.
class VelocitySpace {
 public:
  /// The tree's own velocities, w = v.
  VelocitySpace(const Model& tree);  // NOLINT(google-explicit-constructor)
  /// Those of `coordinates`, which must be of this model.
  VelocitySpace(const Model& tree, Coordinates coordinates);
  /// The independent velocities of a tree with loops.
  /// @throws UserError if the loops cannot be closed from options.start, if the closed
  /// configuration is singular (the rank of K changes there), if a name of options.independent is
  /// unknown, or if the named coordinates cannot be independent together.
  VelocitySpace(const Model& tree, const Constraints& loops, const LoopOptions& options = {});
  /// The same velocities of another tree, which differs from theirs in inertias and forces alone.
  /// @throws ContractError for another Model::structure, and for coordinates, which belong to one
  /// model.
  VelocitySpace(const VelocitySpace& space, const Model& tree);

  const Model& tree() const { return tree_; }  ///< the spanning tree
  /// Whether w = v: A is the identity, and nothing is multiplied by it.
  bool is_tree() const { return !has_loops_ && !coordinates_; }
  /// Whether w are the independent velocities of loops.
  bool has_loops() const { return has_loops_; }
  /// Those that w belongs to; nullptr: w are velocities of joints.
  const Coordinates* coordinates() const { return coordinates_ ? &*coordinates_ : nullptr; }

  /// Identifies the velocities: a number that copies and the same ones of other trees have in
  /// common. A SpaceWorkspace is for one such number, its state for one Model::id of the tree.
  std::uint64_t structure() const { return structure_; }
  int nv() const { return tree_.nv(); }  ///< size of v, of the tree
  int nw() const;                        ///< size of w
  /// Indices in v of the numbers of w, ascending. Not of coordinates.
  const std::vector<int>& independent() const { return independent_; }
  /// Names of the numbers of w: Model::VelocityName, or those of the coordinates.
  std::vector<std::string> Names() const;

  /// Configuration (nq numbers) with closed loops, reached from LoopOptions::start.
  const Eigen::VectorXd& closed_start() const { return closed_start_; }
  double max_condition() const { return max_condition_; }

  /// A smallest set of coordinates that a group of loops couples.
  struct Cluster {
    std::string name;              ///< names of its constraints
    std::vector<int> coordinates;  ///< indices in v, the independent ones first
    int num_independent = 0;       ///< velocities that its loops leave
    int num_rows = 0;              ///< of K
    bool closes_frames = false;    ///< not joints alone
    /// Unit of length in K (m): the distance that a rotation of 1 rad moves the loops' points.
    double length = 1;

    /// Of the tree, in this cluster.
    int num_coordinates() const { return static_cast<int>(coordinates.size()); }
  };
  /// Of coordinates that loops couple.
  const std::vector<Cluster>& clusters() const { return clusters_; }
  /// Whether v_iv is determined by the other coordinates of its cluster; otherwise it is in w.
  bool dependent(int iv) const;

 private:
  friend struct internal::Access;

  void AllIndependent();
  void MakeClusters(const Constraints& loops);
  void SetUnits();
  void CloseStart();
  void ChooseIndependent(const std::vector<bool>& wanted);
  void CheckGeneric();
  void SetLayout();

  Model tree_;
  std::uint64_t structure_;
  std::vector<Cluster> clusters_;
  std::vector<int> independent_;
  Eigen::VectorXd closed_start_;
  double max_condition_;
  bool has_loops_ = false;
  std::optional<Coordinates> coordinates_;
  std::shared_ptr<internal::LoopLayout> layout_;  ///< changed by the constructor alone
};

}  // namespace civita
