#include "civita/velocity_space.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "civita/error.h"
#include "civita/kinematics.h"
#include "civita/manifold.h"
#include "civita/space_kinematics.h"
#include "civita/suggest.h"
#include "core/space/internal/loop_rows.h"
#include "core/space/internal/space_scratch.h"

namespace civita {

namespace {

using internal::JointRow;
using internal::Leg;
using internal::LoopRows;
using internal::RigidRows;

std::vector<int> CoordinatesOf(const Model& model, const RigidRows& rows) {
  std::vector<int> coordinates;
  for (const Leg* leg : {&rows.A, &rows.B}) {
    for (const int b : leg->path) {
      const Model::Body& body = model.bodies()[static_cast<size_t>(b)];
      for (int k = body.iv; k < body.iv + body.nv; ++k) coordinates.push_back(k);
    }
  }
  return coordinates;
}

std::vector<int> CoordinatesOf(const Model&, const JointRow& row) {
  if (row.leader_iv < 0) return {row.iv};
  return {row.iv, row.leader_iv};
}

std::uint64_t NewStructure() {
  static std::atomic<std::uint64_t> built = 0;
  return ++built;
}

/// That of all trees of one structure, apart from those of loops.
std::uint64_t TreeStructure(const Model& tree) { return tree.structure() | std::uint64_t{1} << 63; }

std::string Quoted(const std::string& name) { return "'" + name + "'"; }

/// How far columns must stand clear of the span of others, against the largest of K.
constexpr double kRankTolerance = 1e-8;
/// From here on a joint that follows another is a good dependent coordinate.
constexpr double kFollowerTolerance = 0.1;

/// Columns of K one after another that are linearly independent: at every turn the candidate with
/// the largest part outside the span of those taken, as long as that is more than `tolerance`.
/// What is left of K after them is kept for the next choice.
void TakeColumns(const std::vector<bool>& candidates, double tolerance, Eigen::MatrixXd* K,
                 std::vector<int>* taken) {
  while (true) {
    int best = -1;
    double largest = tolerance;
    for (int c = 0; c < K->cols(); ++c) {
      if (!candidates[static_cast<size_t>(c)] || !(K->col(c).norm() > largest)) continue;
      best = c;
      largest = K->col(c).norm();
    }
    if (best < 0) return;
    taken->push_back(best);
    const Eigen::VectorXd direction = K->col(best).normalized();
    *K -= direction * (direction.transpose() * *K).eval();
    K->col(best).setZero();
  }
}

int RankOf(Eigen::MatrixXd K) {
  std::vector<int> taken;
  const double scale = K.size() == 0 ? 0 : K.colwise().norm().maxCoeff();
  TakeColumns(std::vector<bool>(static_cast<size_t>(K.cols()), true), kRankTolerance * scale, &K,
              &taken);
  return static_cast<int>(taken.size());
}

Eigen::MatrixXd RowsAt(const VelocitySpace& model, const LoopRows& cluster,
                       const Eigen::VectorXd& q) {
  Workspace<double> tree(model.tree());
  UpdateKinematics(model.tree(), q, tree);
  Eigen::MatrixXd K(cluster.num_rows, cluster.num_coordinates());
  internal::CalcRows<double>(model, cluster, tree, q, K);
  return K;
}

}  // namespace

VelocitySpace::VelocitySpace(const Model& tree, const Constraints& loops,
                             const LoopOptions& options)
    : tree_(tree),
      structure_(NewStructure()),
      closed_start_(options.start.size() > 0 ? options.start : tree_.DefaultPosition()),
      max_condition_(options.max_condition),
      layout_(std::make_shared<internal::LoopLayout>()) {
  CIVITA_CHECK(
      closed_start_.size() == tree_.nq(),
      "the start has " << closed_start_.size() << " numbers, the model has nq = " << tree_.nq());
  const size_t nv = static_cast<size_t>(tree_.nv());
  std::vector<std::string> names;
  names.reserve(nv);
  for (int k = 0; k < tree_.nv(); ++k) names.push_back(tree_.VelocityName(k));
  std::vector<bool> wanted(nv, false);
  for (const std::string& name : options.independent) {
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end()) throw UserError(UnknownName("coordinate", name, names));
    wanted[static_cast<size_t>(found - names.begin())] = true;
  }
  AllIndependent();
  layout_->support = std::make_shared<const RowSupport>(std::vector<std::vector<int>>(nv), 0);
  MakeClusters(loops);
  SetUnits();
  CloseStart();
  ChooseIndependent(wanted);
  SetLayout();
  if (!has_loops_) structure_ = TreeStructure(tree_);
  CheckGeneric();
}

void VelocitySpace::AllIndependent() {
  const auto nv = static_cast<size_t>(tree_.nv());
  layout_->columns.assign(nv, -1);
  layout_->units.assign(nv, 1);
  layout_->dependent.assign(nv, false);
}

VelocitySpace::VelocitySpace(const Model& tree)
    : tree_(tree),
      structure_(TreeStructure(tree_)),
      closed_start_(tree_.DefaultPosition()),
      max_condition_(LoopOptions().max_condition),
      layout_(std::make_shared<internal::LoopLayout>()) {
  AllIndependent();
  SetLayout();
}

VelocitySpace::VelocitySpace(const Model& tree, Coordinates coordinates) : VelocitySpace(tree) {
  CIVITA_CHECK(coordinates.model == tree_.id(), "the coordinates are of another model");
  coordinates_ = std::move(coordinates);
  structure_ = NewStructure();
}

VelocitySpace::VelocitySpace(const VelocitySpace& space, const Model& tree)
    : tree_(tree),
      structure_(space.structure_),
      clusters_(space.clusters_),
      independent_(space.independent_),
      closed_start_(space.closed_start_),
      max_condition_(space.max_condition_),
      has_loops_(space.has_loops_),
      layout_(space.layout_) {
  CIVITA_CHECK(tree_.structure() == space.tree_.structure(), "the tree has another structure");
  CIVITA_CHECK(!space.coordinates_, "coordinates are of one model");
}

int VelocitySpace::nw() const {
  return coordinates_ ? coordinates_->nw() : static_cast<int>(independent_.size());
}

bool VelocitySpace::dependent(int iv) const {
  CIVITA_CHECK(iv >= 0 && iv < nv(), "velocity " << iv << " of " << nv());
  return layout_->dependent[static_cast<size_t>(iv)];
}

std::vector<std::string> VelocitySpace::Names() const {
  if (coordinates_) return coordinates_->names;
  std::vector<std::string> names;
  names.reserve(independent_.size());
  for (const int k : independent_) names.push_back(tree_.VelocityName(k));
  return names;
}

/// Sets of coordinates that loops couple, joined until none shares a coordinate with another. All
/// coordinates count as dependent as yet.
void VelocitySpace::MakeClusters(const Constraints& loops) {
  std::vector<LoopRows>& clusters = layout_->clusters;
  const auto add = [&](const auto& constraint, auto list) {
    const auto rows = internal::RowsOf(tree_, constraint, "loop");
    std::vector<int> coordinates = CoordinatesOf(tree_, rows);
    LoopRows joined;
    for (size_t i = 0; i < clusters.size();) {
      const std::vector<int>& other = clusters[i].coordinates;
      const bool shared = std::any_of(other.begin(), other.end(), [&](int k) {
        return std::find(coordinates.begin(), coordinates.end(), k) != coordinates.end();
      });
      if (!shared) {
        ++i;
        continue;
      }
      LoopRows& old = clusters[i];
      coordinates.insert(coordinates.end(), old.coordinates.begin(), old.coordinates.end());
      joined.name += old.name + ", ";
      joined.rigid.insert(joined.rigid.end(), old.rigid.begin(), old.rigid.end());
      joined.joints.insert(joined.joints.end(), old.joints.begin(), old.joints.end());
      clusters.erase(clusters.begin() + static_cast<std::ptrdiff_t>(i));
    }
    joined.name += Quoted(constraint.name);
    std::sort(coordinates.begin(), coordinates.end());
    coordinates.erase(std::unique(coordinates.begin(), coordinates.end()), coordinates.end());
    joined.coordinates = std::move(coordinates);
    (joined.*list).push_back(rows);
    clusters.push_back(std::move(joined));
  };
  for (const RigidConstraint& constraint : loops.rigid) add(constraint, &LoopRows::rigid);
  for (const JointConstraint& constraint : loops.joints) add(constraint, &LoopRows::joints);
  has_loops_ = !clusters.empty();
  for (LoopRows& cluster : clusters) {
    cluster.closes_frames = !cluster.rigid.empty();
    cluster.num_rows = cluster.Number();
    for (int c = 0; c < cluster.num_coordinates(); ++c) {
      layout_->columns[static_cast<size_t>(cluster.coordinates[static_cast<size_t>(c)])] = c;
    }
  }
}

/// Until here all units are 1, so that K has the points' velocities in m.
void VelocitySpace::SetUnits() {
  Workspace<double> tree(tree_);
  UpdateKinematics(tree_, closed_start_, tree);
  const Motion<double>* Phi = tree.kinematics(tree_).Phi;
  const auto turns = [Phi](int k) { return Dot(Phi[k].w, Phi[k].w) > 0; };
  for (LoopRows& cluster : layout_->clusters) {
    const Eigen::MatrixXd K = RowsAt(*this, cluster, closed_start_);
    double longest = 0;
    for (int c = 0; c < cluster.num_coordinates(); ++c) {
      if (!turns(cluster.coordinates[static_cast<size_t>(c)])) continue;
      for (const RigidRows& rows : cluster.rigid) {
        longest = std::max(longest, K.col(c).segment<3>(rows.row).norm());
      }
    }
    if (longest > 0) cluster.length = longest;
    for (const int k : cluster.coordinates) {
      if (!turns(k)) layout_->units[static_cast<size_t>(k)] = cluster.length;
    }
  }
}

void VelocitySpace::CloseStart() {
  SpaceWorkspace<double> workspace(*this);
  const Status status = CloseLoops(*this, workspace, closed_start_);
  if (status.ok()) return;
  throw UserError(Describe(*this, status) +
                  "; loops are closed from the start, of a file its own configuration: place its "
                  "bodies, or the ref of its joints, so that they nearly close there");
}

/// In every cluster the dependent coordinates, as many as K has independent rows: first joints that
/// follow others, then what spans the rest best.
void VelocitySpace::ChooseIndependent(const std::vector<bool>& wanted) {
  for (LoopRows& cluster : layout_->clusters) {
    Eigen::MatrixXd K = RowsAt(*this, cluster, closed_start_);
    const int rank = RankOf(K);
    const double scale = K.size() == 0 ? 0 : K.colwise().norm().maxCoeff();
    const size_t n = cluster.coordinates.size();
    std::vector<bool> free(n), followers(n, false);
    for (size_t c = 0; c < n; ++c) free[c] = !wanted[static_cast<size_t>(cluster.coordinates[c])];
    for (const JointRow& row : cluster.joints) {
      const size_t c = static_cast<size_t>(layout_->column(row.iv));
      followers[c] = free[c];
    }
    std::vector<int> taken;
    TakeColumns(followers, kFollowerTolerance, &K, &taken);
    TakeColumns(free, kRankTolerance * scale, &K, &taken);
    if (static_cast<int>(taken.size()) < rank) {
      internal::MessageStream message;
      message << "cluster " << cluster.name << " has " << n - static_cast<size_t>(rank)
              << " independent coordinates; those that were asked for cannot be independent "
              << "together; its coordinates are:";
      for (const int k : cluster.coordinates) message << ' ' << tree_.VelocityName(k);
      throw UserError(message.str());
    }
    for (const int c : taken) {
      layout_->dependent[static_cast<size_t>(cluster.coordinates[static_cast<size_t>(c)])] = true;
    }
  }
}

/// Columns of K with the independent coordinates first, and what the rows of A have.
void VelocitySpace::SetLayout() {
  std::erase_if(layout_->clusters,
                [](const LoopRows& cluster) { return cluster.coordinates.empty(); });
  has_loops_ = !layout_->clusters.empty();
  std::vector<std::vector<int>> support(static_cast<size_t>(tree_.nv()));
  for (int k = 0; k < tree_.nv(); ++k) {
    if (dependent(k)) continue;
    support[static_cast<size_t>(k)] = {nw()};
    independent_.push_back(k);
  }
  for (LoopRows& cluster : layout_->clusters) {
    std::vector<int>& coordinates = cluster.coordinates;
    const auto first_dependent = std::stable_partition(coordinates.begin(), coordinates.end(),
                                                       [this](int k) { return !dependent(k); });
    cluster.num_independent = static_cast<int>(first_dependent - coordinates.begin());
    for (auto k = coordinates.begin(); k != first_dependent; ++k) {
      cluster.reduced.push_back(support[static_cast<size_t>(*k)].front());
    }
    for (size_t c = 0; c < coordinates.size(); ++c) {
      const auto k = static_cast<size_t>(coordinates[c]);
      layout_->columns[k] = static_cast<int>(c);
      if (layout_->dependent[k]) support[k] = cluster.reduced;
    }
    clusters_.push_back(cluster);
  }
  layout_->support = std::make_shared<const RowSupport>(support, nw());
}

/// The rank of K must be the same at configurations next to the start.
void VelocitySpace::CheckGeneric() {
  constexpr double kStep = 0.02;  // rad, or Cluster::length
  SpaceWorkspace<double> workspace(*this);
  const Status status = UpdateKinematics<double>(*this, closed_start_, workspace);
  if (!status.ok()) throw UserError(Describe(*this, status));
  // Both directions of every independent coordinate of every cluster, all clusters at once.
  int turns = 0;
  for (const Cluster& cluster : clusters_) turns = std::max(turns, 2 * cluster.num_independent);
  for (int turn = 0; turn < turns; ++turn) {
    Eigen::VectorXd w = Eigen::VectorXd::Zero(nw()), v(nv());
    for (const LoopRows& cluster : layout_->clusters) {
      if (turn / 2 >= cluster.num_independent) continue;
      const auto c = static_cast<size_t>(turn / 2);
      w[cluster.reduced[c]] = layout_->unit(cluster.coordinates[c]);
    }
    CalcTreeVelocity<double>(*this, w, workspace, v);
    // Large steps of strongly geared coordinates would leave the neighbourhood.
    const double step = (turn % 2 == 0 ? kStep : -kStep) / std::max(1.0, v.cwiseAbs().maxCoeff());
    Eigen::VectorXd q = closed_start_;
    IntegratePosition(tree_, q, v, step, q);
    SpaceWorkspace<double> nearby(*this);
    const bool closed = CloseLoops(*this, nearby, q).ok();
    for (const LoopRows& cluster : layout_->clusters) {
      if (turn / 2 >= cluster.num_independent) continue;
      const int rank = closed ? RankOf(RowsAt(*this, cluster, q)) : -1;
      if (rank == cluster.num_dependent()) continue;
      throw UserError("cluster " + cluster.name +
                      " is singular at its start: its loops allow other motions there than next "
                      "to it; start from another configuration");
    }
  }
}

std::string Describe(const VelocitySpace& model, const Status& status) {
  if (const Coordinates* coordinates = model.coordinates();
      coordinates != nullptr && status == Status::kSingularCoordinates) {
    return "the coordinates " + coordinates->text + " do not exist: A is singular";
  }
  if (status.index < 0) return status.ok() ? "no loops" : Describe(status);
  internal::MessageStream text;
  text << (status.ok() ? "worst cluster " : "cluster ")
       << internal::LayoutOf(model).clusters[static_cast<size_t>(status.index)].name;
  if (status == Status::kNotClosed) {
    text << " does not close: it stays open by " << status.residual;
  } else if (status == Status::kSingularLoops) {
    text << " is singular here: its condition is " << status.condition << ", the limit "
         << model.max_condition();
  } else {
    text << ": condition " << status.condition << ", open by " << status.residual;
  }
  return text.str();
}

}  // namespace civita
