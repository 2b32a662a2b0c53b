#include "civita/scenes/plant/holding.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <utility>

#include "base/decompositions.h"
#include "base/text.h"
#include "civita/kinematics.h"
#include "civita/passive_forces.h"
#include "civita/rnea.h"
#include "civita/scenes/plant/coupling.h"
#include "civita/workspace.h"

namespace civita {
namespace {

/// What the drives must give at rest, in the coordinates where that is known: not in loops, which
/// share loads, and not in what is on a free joint, which falls or stands on something.
class Loads {
 public:
  Loads(const Model& plant, const Actuation& actuation, const VelocitySpace* closed)
      : plant_(plant),
        actuation_(actuation),
        workspace_(plant),
        rest_(Eigen::VectorXd::Zero(plant.nv())),
        known_(static_cast<size_t>(plant.nv())) {
    std::vector<bool> falls(known_.size(), false);
    for (const Model::NamedJoint& joint : plant.joints())
      if (joint.type == JointType::kFree) falls[static_cast<size_t>(joint.iv)] = true;
    const std::vector<bool> shared = FindSharedLoads(closed, plant.nv());
    for (int iv = 0; iv < plant.nv(); ++iv) {
      const int parent = plant.parent(iv);
      const auto i = static_cast<size_t>(iv);
      if (parent >= 0) falls[i] = falls[i] || falls[static_cast<size_t>(parent)];
      known_[i] = !actuation.is_passive(iv) && !falls[i] && !shared[i];
    }
  }

  bool is_known(int iv) const { return known_[static_cast<size_t>(iv)]; }
  bool has_springs() const { return has_springs_; }

  /// g + springs at q, nv.
  Eigen::VectorXd At(const Eigen::VectorXd& q) {
    Eigen::VectorXd g(plant_.nv());
    UpdateKinematics(plant_, q, workspace_);
    CalcGravityForces<double>(plant_, workspace_, g);
    Eigen::VectorXd load = g;
    AddPassiveForces(plant_, q, rest_, {.speed = 1}, -1, load);
    has_springs_ = load != g;
    return load;
  }

  /// The part of a load that a share of the drive's limit does not hold.
  double Excess(int iv, double load, double share) const {
    if (!is_known(iv)) return 0;
    return load - std::clamp(load, share * actuation_.lower()[iv], share * actuation_.upper()[iv]);
  }

 private:
  const Model& plant_;
  const Actuation& actuation_;
  Workspace<double> workspace_;
  Eigen::VectorXd rest_;
  std::vector<bool> known_;
  bool has_springs_ = false;
};

/// A hinge or slide that may move, with its range.
struct MovingJoint {
  int iq = 0, iv = 0;
  double lower = 0, upper = 0;
  double unit = 1;  ///< rad or m: slides move by a quarter of a metre for each radian
};

std::vector<MovingJoint> FindMoving(const mjModel& m, const Loads& loads,
                                    const std::vector<bool>& kept) {
  constexpr double kNoLimit = std::numeric_limits<double>::infinity();
  std::vector<MovingJoint> moving;
  for (int joint = 0; joint < m.njnt; ++joint) {
    const int iv = m.jnt_dofadr[joint];
    if (!IsScalarJoint(m, joint) || !loads.is_known(iv) || kept[static_cast<size_t>(iv)]) continue;
    const double lower = m.jnt_range[2 * joint], upper = m.jnt_range[2 * joint + 1];
    const bool limited = IsLimited(m, joint);
    const double margin = 0.1 * (upper - lower);
    moving.push_back({.iq = m.jnt_qposadr[joint],
                      .iv = iv,
                      .lower = limited ? lower + margin : -kNoLimit,
                      .upper = limited ? upper - margin : kNoLimit,
                      .unit = m.jnt_type[joint] == mjJNT_SLIDE ? 0.25 : 1});
  }
  return moving;
}

/// The least step, in units of MovingJoint::unit, that takes `excess` away to first order: J has a
/// row for each excess and a column for each joint, and joints that a step would press against
/// their range do not take part.
Eigen::VectorXd FindStep(const std::vector<MovingJoint>& moving, const Eigen::VectorXd& q,
                         Eigen::MatrixXd J, const Eigen::VectorXd& excess) {
  Eigen::VectorXd step;
  for (size_t round = 0; round <= moving.size(); ++round) {
    Eigen::MatrixXd normal = J * J.transpose();
    normal.diagonal().array() += 1e-9 * (normal.trace() + 1e-12);
    step = -J.transpose() * internal::SolvePositiveDefinite(normal, excess);
    bool all_free = true;
    for (size_t j = 0; j < moving.size(); ++j) {
      const Eigen::Index column = static_cast<Eigen::Index>(j);
      const double at = q[moving[j].iq], by = step[column];
      if (!(by < 0 && at <= moving[j].lower) && !(by > 0 && at >= moving[j].upper)) continue;
      J.col(column).setZero();
      all_free = false;
    }
    if (all_free) break;
  }
  return step;
}

/// Moves q, by Newton steps of least size, to where `share` of the limits hold the robot.
/// @returns whether it did.
bool MoveToShare(double share, const std::vector<MovingJoint>& moving, Loads* loads,
                 Eigen::VectorXd* q) {
  constexpr double kAlmost = 0.01, kLongest = 0.1, kDifference = 1e-5;
  constexpr int kMostSteps = 200;
  for (int number = 0; number < kMostSteps; ++number) {
    const Eigen::VectorXd load = loads->At(*q);
    std::vector<int> rows;
    bool holds = true;
    for (int iv = 0; iv < static_cast<int>(load.size()); ++iv) {
      if (loads->Excess(iv, load[iv], share) != 0) rows.push_back(iv);
      holds = holds && loads->Excess(iv, load[iv], share + kAlmost) == 0;
    }
    if (holds) return true;
    Eigen::VectorXd excess = load(rows);
    for (size_t i = 0; i < rows.size(); ++i) {
      double& value = excess[static_cast<Eigen::Index>(i)];
      value = loads->Excess(rows[i], value, share);
    }
    Eigen::MatrixXd J(excess.size(), static_cast<Eigen::Index>(moving.size()));
    for (size_t j = 0; j < moving.size(); ++j) {
      Eigen::VectorXd aside = *q;
      aside[moving[j].iq] += kDifference * moving[j].unit;
      J.col(static_cast<Eigen::Index>(j)) = ((loads->At(aside) - load) / kDifference)(rows);
    }
    const Eigen::VectorXd step = FindStep(moving, *q, J, excess);
    const double longest = step.lpNorm<Eigen::Infinity>();
    if (!(longest > 1e-9)) return false;
    const double part = std::min(1.0, kLongest / longest);
    for (size_t j = 0; j < moving.size(); ++j) {
      const MovingJoint& joint = moving[j];
      double& value = (*q)[joint.iq];
      value = std::clamp(value + part * step[static_cast<Eigen::Index>(j)] * joint.unit,
                         joint.lower, joint.upper);
    }
  }
  return false;
}

}  // namespace

std::vector<bool> FindSharedLoads(const VelocitySpace* closed, int nv) {
  std::vector<bool> shared(static_cast<size_t>(nv), false);
  if (closed == nullptr) return shared;
  for (const VelocitySpace::Cluster& cluster : closed->clusters())
    for (const int iv : cluster.coordinates) shared[static_cast<size_t>(iv)] = true;
  return shared;
}

std::string DescribeWeakLimits(const Model& plant, const Actuation& actuation,
                               const VelocitySpace* closed, const Eigen::VectorXd& q) {
  Loads loads(plant, actuation, closed);
  const Eigen::VectorXd load = loads.At(q);
  std::vector<std::string> weak;
  for (int iv = 0; iv < plant.nv(); ++iv)
    if (loads.Excess(iv, load[iv], 1) != 0) weak.push_back(plant.VelocityName(iv));
  if (weak.empty()) return "";
  return std::string("the effort limits cannot hold the start against gravity") +
         (loads.has_springs() ? " and springs" : "") + ": " + internal::List(weak);
}

void MoveToWhereDrivesHold(const mjModel& m, const Model& plant, const Actuation& actuation,
                           const VelocitySpace* closed, const std::vector<bool>& kept,
                           Eigen::VectorXd* q, std::vector<std::string>* notices) {
  const std::string weak = DescribeWeakLimits(plant, actuation, closed, *q);
  if (weak.empty()) return;
  Loads loads(plant, actuation, closed);
  const std::vector<MovingJoint> moving = FindMoving(m, loads, kept);
  Eigen::VectorXd at;
  const auto holds = [&](double share) {
    at = *q;
    return MoveToShare(share, moving, &loads, &at);
  };
  if (moving.empty() || !std::ranges::any_of(std::array{0.7, 0.95}, holds)) return;
  std::vector<std::pair<double, std::string>> moved;
  for (const MovingJoint& joint : moving) {
    const double by = at[joint.iq] - (*q)[joint.iq];
    if (std::abs(by) > 0.01 * joint.unit) {
      moved.emplace_back(-std::abs(by) / joint.unit,
                         plant.VelocityName(joint.iv) + " (" + internal::ShortNumber(by) + ")");
    }
  }
  std::ranges::sort(moved);
  std::vector<std::string> names;
  for (auto& [size, text] : moved) names.push_back(std::move(text));
  notices->push_back(
      DescribeWeakLimits(plant, actuation, closed, *q) +
      "; it is moved to where they can, by the rad or m in brackets: " + internal::List(names));
  *q = at;
}

}  // namespace civita
