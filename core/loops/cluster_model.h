#pragma once

#include <Eigen/Core>
#include <array>
#include <string>
#include <vector>

#include "civita/loop_closures.h"
#include "civita/model.h"

namespace civita {

struct ClusterOptions {
  /// Velocity coordinates of the tree (Model::VelocityName) that shall be independent. Any number
  /// of them: what they leave open is chosen so that K_d is well-conditioned, a joint that follows
  /// another being dependent.
  std::vector<std::string> independent = {};
  /// Where the choice is made, nq numbers; the loops are closed from there first. Empty: the
  /// model's own configuration.
  Eigen::VectorXd start = {};
  /// A cluster whose condition is larger counts as singular; see ClusterStatus.
  double max_condition = 1e6;
};

/// A mechanism with closed loops: a spanning tree and K(q) v = 0. Coordinates that a group of loops
/// couples make up a cluster, the smallest such set; in each, v splits into independent and
/// dependent coordinates, v_d = G(q) v_i with G = −K_d⁻¹K_i. The independent ones and those that
/// are in no cluster are the velocities w of the whole, v = A(q) w, with A block-diagonal by
/// clusters ([WES], section VI-C). Their positions together with the branch on which the loops
/// are assembled fix q, which always is that of the tree.
///
/// Rows of K may be redundant, as the three of a `connect` in a planar loop are: the dependent
/// coordinates are chosen once, by rank, and K_d v_d = −K_i v_i is solved in the sense of least
/// squares, which is exact where the rows are consistent. Immutable once built, as Model.
class ClusterModel {
 public:
  /// @throws UserError where the loops cannot be closed from the start, where the start is a
  /// singular configuration (the rank of K changes there, so that nothing can be chosen), for
  /// unknown names and for named coordinates that cannot be independent together.
  ClusterModel(Model tree, const LoopClosures& closures, const ClusterOptions& options = {});

  const Model& tree() const { return tree_; }
  int nv() const { return tree_.nv(); }  ///< of the tree
  int nw() const { return static_cast<int>(independent_.size()); }
  /// Coordinates of v that w consists of, ascending; and their names.
  const std::vector<int>& independent() const { return independent_; }
  std::vector<std::string> IndependentNames() const;

  /// The start with its loops closed.
  const Eigen::VectorXd& closed_start() const { return closed_start_; }
  double max_condition() const { return max_condition_; }

  /// From the innermost body that carries both ends of a closure to one of the ends.
  struct Leg {
    int end = -1;           ///< index in Model::bodies(), −1 the world
    Pose X_BE;              ///< the point and axes in it
    std::vector<int> path;  ///< bodies beyond the common one, outwards
  };
  struct FrameRows {
    int row = 0;  ///< the first of three or six
    Leg a, b;
    bool fixes_rotation = false;
  };
  struct JointRow {
    int row = 0;
    int iq = 0, iv = 0;
    int leader_iq = -1, leader_iv = -1;
    std::array<double, 5> polynomial{};
    double reference = 0, leader_reference = 0;
  };
  struct Cluster {
    std::string name;              ///< those of its closures
    std::vector<int> coordinates;  ///< of v, by column of K: the independent ones first
    int num_independent = 0;
    std::vector<int> reduced;  ///< where in w the independent ones are
    int num_rows = 0;
    std::vector<FrameRows> frames;
    std::vector<JointRow> joints;
    /// Lengths are told in this unit inside K (m): how far a rotation of 1 rad moves the points.
    double length = 1;

    int num_coordinates() const { return static_cast<int>(coordinates.size()); }
    int num_dependent() const { return num_coordinates() - num_independent; }
    /// The d-th dependent one.
    int dependent(int d) const { return *(coordinates.begin() + num_independent + d); }
  };
  const std::vector<Cluster>& clusters() const { return clusters_; }

  /// By coordinate of v: its column in K of its cluster; the unit in which it is told there (1 of a
  /// rotation); the one before it on its path, −1 the world; what row of A it has.
  int column(int iv) const { return column_[static_cast<size_t>(iv)]; }
  double unit(int iv) const { return unit_[static_cast<size_t>(iv)]; }
  int parent(int iv) const { return tree_.parent(iv); }
  /// Places in w that move coordinate iv of v.
  const std::vector<int>& support(int iv) const { return support_[static_cast<size_t>(iv)]; }
  /// Whether iv is told by its cluster's others; else v_iv is a number of w.
  bool dependent(int iv) const { return dependent_[static_cast<size_t>(iv)]; }
  int max_support() const { return max_support_; }

 private:
  void MakeClusters(const LoopClosures& closures);
  void SetUnits();
  void CloseStart();
  void ChooseIndependent(const std::vector<bool>& wanted);
  void CheckGeneric();
  void SetLayout();

  Model tree_;
  std::vector<Cluster> clusters_;
  std::vector<int> independent_;
  Eigen::VectorXd closed_start_;
  double max_condition_;
  int max_support_ = 1;
  std::vector<int> column_;
  std::vector<double> unit_;
  std::vector<std::vector<int>> support_;
  std::vector<bool> dependent_;
};

}  // namespace civita
