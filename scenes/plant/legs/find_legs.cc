#include <mujoco/mujoco.h>

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <set>

#include "base/decompositions.h"
#include "base/text.h"
#include "civita/mujoco/joint_limits.h"
#include "civita/scenes/plant/auto_legs.h"
#include "civita/scenes/plant/coupling.h"
#include "civita/scenes/plant/legs.h"
#include "civita/scenes/plant/model_file.h"

namespace civita {
namespace {

using Eigen::Vector3d;
using Leg = FoundLegs::Leg;

constexpr double kFootBand = 0.15;                     // of the robot's height
constexpr double kBentPoint = 0.75, kBentFlat = 0.93;  // of the longest distance hip – foot
constexpr double kWidest = 2.5;                        // rad, the widest range of a hinge
constexpr double kInside = 0.02;                       // rad, of the pose from limits
constexpr double kToes = 0.05;                         // of a sole's diagonal
constexpr double kTurned = 0.02;                       // of a leg's length: a knee's other side
constexpr double kMostUpward = 0.9;                    // of the direction ahead, as of TakeHome
constexpr double kFlatRadius = 0.005, kPointRadius = 0.02;  // m
constexpr double kMissed = 1e-3;                            // m, rad: of the pose
constexpr size_t kLeastJoints = 3, kFlatJoints = 6, kMostShared = 3;
constexpr double kAbove = 0.3;  // of the height of the hips: farther above the base arms hang
constexpr double kOfWheel =
    0.3;  // of a shape's half extents: its middle on an endless joint's axis

Eigen::Map<const Vector3d> At(const mjtNum* x, int i) {
  return Eigen::Map<const Vector3d>(x + 3 * i);
}
using Matrix3Map = Eigen::Map<const Eigen::Matrix<double, 3, 3, Eigen::RowMajor>>;

// Half the size of the geom's box along the world's axes, about `center`.
Vector3d BoxOf(const mjModel& m, const mjData& d, int geom, Vector3d* center) {
  const Matrix3Map R(d.geom_xmat + 9 * geom);
  const mjtNum* const box = m.geom_aabb + 6 * geom;
  *center = At(d.geom_xpos, geom) + R * Eigen::Map<const Vector3d>(box);
  return R.cwiseAbs() * Eigen::Map<const Vector3d>(box + 3);
}

class Finder {
 public:
  Finder(const mjModel& m, bool fixed, const std::optional<Vector3d>& ahead)
      : m_(m), fixed_(fixed), given_ahead_(ahead), d_(mj_makeData(&m)) {
    for (int joint = 0; joint < m.njnt; ++joint) {
      if (!IsScalarJoint(m, joint)) continue;
      const auto [lower, upper] = RangeOf(joint);
      double& q = Angle(joint);
      q = std::clamp(0.0, lower, upper);
    }
    Update();
  }

  FoundLegs Find() {
    FoundLegs found;
    found.why = FindFeet(&found);
    if (!found.why.empty()) return found;
    FindAhead(&found);
    found.uneven_key = MeasureKey(found);
    FindPose(&found);
    return found;
  }

 private:
  void Update() const {
    mj_kinematics(&m_, d_.get());
    mj_comPos(&m_, d_.get());
  }
  double& Angle(int joint) { return d_->qpos[m_.jnt_qposadr[joint]]; }
  std::pair<double, double> RangeOf(int joint) const {
    if (!m_.jnt_limited[joint]) return {-kWidest, kWidest};
    const double lower = m_.jnt_range[2 * joint], upper = m_.jnt_range[2 * joint + 1];
    // Limits of more than a turn would let a leg bend the long way round.
    if (m_.jnt_type[joint] != mjJNT_HINGE || lower > kWidest || upper < -kWidest)
      return {lower, upper};
    return {std::max(lower, -kWidest), std::min(upper, kWidest)};
  }

  // Whether a body moves on the one fixed together as `weld`.
  bool IsLeaf(int weld) const {
    for (int body = 1; body < m_.nbody; ++body) {
      const bool hangs = m_.body_weldid[m_.body_parentid[body]] == weld;
      if (hangs && m_.body_weldid[body] != weld) return false;
    }
    return m_.body_jntnum[weld] > 0 && IsScalarJoint(m_, m_.body_jntadr[weld]);
  }

  std::vector<int> ChainOf(int weld) const {
    std::vector<int> joints;
    for (int body = weld; body > 0; body = m_.body_parentid[body]) {
      for (int k = m_.body_jntnum[body] - 1; k >= 0; --k) {
        const int joint = m_.body_jntadr[body] + k;
        if (IsScalarJoint(m_, joint)) joints.push_back(joint);
      }
    }
    std::reverse(joints.begin(), joints.end());
    return joints;
  }

  // The body whose name stands for the foot: the one with the lowest sphere, else with the lowest
  // shape.
  Leg DescribeFoot(int weld) const {
    Leg leg{.body = weld, .foot = "", .joints = ChainOf(weld), .points = {}};
    double lowest = std::numeric_limits<double>::infinity();
    for (int geom = 0; geom < m_.ngeom; ++geom) {
      const int body = m_.geom_bodyid[geom];
      if (m_.body_weldid[body] != weld) continue;
      Vector3d center;
      const Vector3d half = BoxOf(m_, *d_, geom, &center);
      const double low = center.z() - half.z();
      const bool is_ball = CanTouchAny(m_, geom) && m_.geom_type[geom] == mjGEOM_SPHERE;
      if (leg.has_balls && !is_ball) continue;
      if (is_ball && !leg.has_balls) lowest = std::numeric_limits<double>::infinity();
      if (low >= lowest) continue;
      lowest = low;
      leg.body = body;
      leg.has_balls = is_ball;
      leg.radius = m_.geom_size[3 * geom];
    }
    const char* name = mj_id2name(&m_, mjOBJ_BODY, leg.body);
    leg.foot = name == nullptr ? "" : name;
    return leg;
  }

  // Where balls would be: those of the body, the corners of a flat foot's box, or its lowest point.
  void PlaceBalls(Leg* leg) const {
    Vector3d low = Vector3d::Constant(std::numeric_limits<double>::infinity()), high = -low;
    std::vector<Vector3d> points;
    for (int geom = 0; geom < m_.ngeom; ++geom) {
      const int body = m_.geom_bodyid[geom];
      if (m_.body_weldid[body] != m_.body_weldid[leg->body]) continue;
      Vector3d center;
      const Vector3d half = BoxOf(m_, *d_, geom, &center);
      low = low.cwiseMin(center - half);
      high = high.cwiseMax(center + half);
      const bool is_ball = m_.geom_type[geom] == mjGEOM_SPHERE && IsFixedTo(m_, body, leg->body);
      if (leg->has_balls && is_ball) points.push_back(center);
    }
    if (!leg->has_balls && leg->joints.size() >= kFlatJoints) {
      leg->radius = kFlatRadius;
      const Vector3d center = 0.5 * (low + high), half = 0.45 * (high - low);
      for (const double x : {1.0, -1.0}) {
        for (const double y : {1.0, -1.0}) {
          points.emplace_back(center.x() + x * half.x(), center.y() + y * half.y(),
                              low.z() + kFlatRadius);
        }
      }
    } else if (!leg->has_balls) {
      leg->radius = kPointRadius;
      points.emplace_back(0.5 * (low.x() + high.x()), 0.5 * (low.y() + high.y()),
                          low.z() + kPointRadius);
    }
    const Matrix3Map R(d_->xmat + 9 * leg->body);
    for (const Vector3d& point : points) {
      leg->points.emplace_back(R.transpose() * (point - At(d_->xpos, leg->body)));
    }
  }

  // @returns why there are no feet; empty: `found` has them.
  std::string FindFeet(FoundLegs* found) const {
    double floor = std::numeric_limits<double>::infinity(), top = -floor;
    std::map<int, double> leaves;  // lowest point by body
    for (int geom = 0; geom < m_.ngeom; ++geom) {
      const int weld = m_.body_weldid[m_.geom_bodyid[geom]];
      if (weld == 0 && !fixed_) continue;
      Vector3d center;
      const double half = BoxOf(m_, *d_, geom, &center).z();
      top = std::max(top, center.z() + half);
      floor = std::min(floor, center.z() - half);
      if (weld == 0 || !IsLeaf(weld)) continue;
      const auto [leaf, is_new] = leaves.emplace(weld, center.z() - half);
      if (!is_new) leaf->second = std::min(leaf->second, center.z() - half);
    }
    std::vector<Leg> legs;
    std::vector<std::string> lowest;
    for (const auto& [weld, low] : leaves) {
      if (low > floor + kFootBand * (top - floor)) continue;
      legs.push_back(DescribeFoot(weld));
      lowest.push_back(legs.back().foot);
    }
    if (leaves.empty()) return "no end of a chain of joints has a shape that could be read";
    if (legs.empty()) return "none of the ends of its chains of joints is among its lowest shapes";
    const std::string ends = "the lowest ends of chains of joints are " + internal::List(lowest);
    if (legs.size() != 2 && legs.size() != 4) return ends + ", not two or four";
    const std::string why = KeepOwnJoints(&legs);
    if (!why.empty()) return ends + ", " + why;
    const double base = m_.nbody > 1 ? d_->xpos[3 * Root(legs) + 2] : 0;
    for (Leg& leg : legs) {
      if (IsWheel(leg)) return ends + ", and " + leg.foot + " is a wheel";
      const double hip = At(d_->xanchor, leg.joints.front()).z();
      if (hip - base > kAbove * (hip - floor))
        return ends + ", which hang from above its base, as arms do";
    }
    const Eigen::VectorXd kept = GoToKey();
    for (Leg& leg : legs) PlaceBalls(&leg);
    GoTo(kept);
    found->flat = legs.front().joints.size() >= kFlatJoints;
    found->legs = std::move(legs);
    return "";
  }

  // An endless joint in the middle of what it turns.
  bool IsWheel(const Leg& leg) const {
    const int joint = leg.joints.back();
    if (m_.jnt_limited[joint] || m_.jnt_type[joint] != mjJNT_HINGE) return false;
    for (int geom = 0; geom < m_.ngeom; ++geom) {
      if (m_.body_weldid[m_.geom_bodyid[geom]] != m_.body_weldid[leg.body]) continue;
      Vector3d center;
      const Vector3d half = BoxOf(m_, *d_, geom, &center), axis = At(d_->xaxis, joint);
      const Vector3d off = (center - At(d_->xanchor, joint)).cross(axis);
      if (off.norm() > kOfWheel * half.maxCoeff()) return false;
    }
    return true;
  }

  // Leaves out joints that legs share. @returns why they are no legs; empty: they may be.
  static std::string KeepOwnJoints(std::vector<Leg>* legs) {
    std::map<int, size_t> uses;
    for (const Leg& leg : *legs) {
      for (const int joint : leg.joints) ++uses[joint];
    }
    size_t shared = 0;
    for (const auto& [joint, number] : uses) {
      if (number == legs->size()) ++shared;
      if (number > 1 && number < legs->size()) return "some of which share joints";
    }
    for (Leg& leg : *legs) {
      std::erase_if(leg.joints, [&](int joint) { return uses[joint] == legs->size(); });
      const size_t joints = leg.joints.size();
      if (leg.foot.empty()) return "one of which has no name";
      if (joints < kLeastJoints) return "on " + internal::Count(joints, "joint") + " of their own";
      if (joints != legs->front().joints.size()) return "on chains of different length";
    }
    if (shared > kMostShared)
      return "which share " + internal::Count(shared, "joint") + ", an arm's";
    return "";
  }

  Vector3d MiddleOf(const Leg& leg) const {
    Vector3d mean = Vector3d::Zero();
    for (const Vector3d& point : leg.points) mean += point;
    mean /= static_cast<double>(leg.points.size());
    return At(d_->xpos, leg.body) + Matrix3Map(d_->xmat + 9 * leg.body) * mean;
  }
  static bool IsFlat(const Leg& leg) { return leg.joints.size() >= kFlatJoints; }
  Vector3d HipOf(const Leg& leg) const {
    const size_t n = leg.joints.size();
    return At(d_->xanchor, leg.joints[IsFlat(leg) ? 2 : n - 2]);
  }
  Vector3d TipOf(const Leg& leg) const {
    return IsFlat(leg) ? Vector3d(At(d_->xanchor, leg.joints.back())) : MiddleOf(leg);
  }

  // Ahead is the base's x axis; on soles that are longer to one side of the ankles, the axis whose
  // end is nearest to that side.
  void FindAhead(FoundLegs* found) {
    const Matrix3Map R(d_->xmat + 9 * Root(found->legs));
    found->ahead = given_ahead_.value_or(Vector3d::UnitX());
    if (found->flat && !given_ahead_) {
      Vector3d toes = Vector3d::Zero();
      double size = 0;
      for (const Leg& leg : found->legs) {
        toes += MiddleOf(leg) - TipOf(leg);
        size += (leg.points.front() - leg.points.back()).norm();
      }
      toes.z() = 0;
      const Vector3d own = R.transpose() * toes;
      Eigen::Index axis = 0;
      found->by_toes = own.cwiseAbs().maxCoeff(&axis) > kToes * size;
      if (found->by_toes) found->ahead = Vector3d::Unit(axis) * (own[axis] < 0 ? -1 : 1);
    }
    const Vector3d ahead = R * found->ahead.normalized();
    if (std::abs(ahead.z()) < kMostUpward) ahead_ = Vector3d(ahead.x(), ahead.y(), 0).normalized();
  }

  struct Knee {
    int joint = -1;
    double angle = 0, length = 0, longest = 0;  // hip – tip there and at most, m
  };

  // The joint that changes the distance from hip to tip most, bent so that the knee of a flat foot
  // is ahead of the line and that of a point foot behind it, unless it bends far enough only the
  // other way.
  Knee BendKnee(const Leg& leg) {
    constexpr int kSamples = 60;
    Knee best;
    double most = 0;
    for (const int joint : leg.joints) {
      const double q0 = Angle(joint);
      const auto [lower, upper] = RangeOf(joint);
      std::vector<double> lengths, sides;
      for (int k = 0; k <= kSamples; ++k) {
        Angle(joint) = lower + (upper - lower) * k / kSamples;
        Update();
        const Vector3d hip = HipOf(leg), tip = TipOf(leg), knee = At(d_->xanchor, joint);
        lengths.push_back((tip - hip).norm());
        sides.push_back(ahead_.dot((tip - knee) - (knee - hip)));
      }
      Angle(joint) = q0;
      const auto [least, longest] = std::ranges::minmax(lengths);
      if (longest - least <= most) continue;
      most = longest - least;
      const double wanted = (IsFlat(leg) ? kBentFlat : kBentPoint) * longest;
      double cost = std::numeric_limits<double>::infinity();
      for (int k = 0; k <= kSamples; ++k) {
        const auto i = static_cast<size_t>(k);
        const bool turned = (sides[i] > 0) == IsFlat(leg);  // the knee on the other side
        const double miss = std::abs(lengths[i] - wanted) / longest + (turned ? kTurned : 0);
        if (miss >= cost) continue;
        cost = miss;
        best = {joint, lower + (upper - lower) * k / kSamples, lengths[i], longest};
      }
    }
    Update();
    return best;
  }

  struct Goal {
    Knee knee;
    Vector3d hip, middle;
    Eigen::Matrix3d R;  // of the foot
  };

  // One Newton step of a leg towards its goal, x ahead. @returns what is missed.
  double MoveLeg(const Leg& leg, const Goal& goal, double x, double height) {
    const bool flat = IsFlat(leg);
    std::vector<int> joints = leg.joints;
    if (flat) std::erase(joints, goal.knee.joint);
    const Vector3d p = MiddleOf(leg);
    Eigen::Matrix<double, 3, Eigen::Dynamic, Eigen::RowMajor> Jp(3, m_.nv), Jr(3, m_.nv);
    mj_jac(&m_, d_.get(), Jp.data(), Jr.data(), p.data(), leg.body);
    Eigen::VectorXd e(flat ? 5 : 3);
    const Vector3d left = Vector3d::UnitZ().cross(ahead_);
    e.head<2>() << x - ahead_.dot(p), left.dot(goal.middle - p);
    if (flat) {
      const Eigen::AngleAxisd turn(goal.R * Matrix3Map(d_->xmat + 9 * leg.body).transpose());
      e.tail<3>() = turn.angle() * turn.axis();
    } else {
      e[2] = height - p.z();
    }
    Eigen::MatrixXd J(e.size(), joints.size());
    for (Eigen::Index k = 0; k < J.cols(); ++k) {
      const int iv = m_.jnt_dofadr[joints[static_cast<size_t>(k)]];
      if (flat) {
        J.col(k) << ahead_.dot(Jp.col(iv)), left.dot(Jp.col(iv)), Jr.col(iv);
      } else {
        J.col(k) << ahead_.dot(Jp.col(iv)), left.dot(Jp.col(iv)), Jp(2, iv);
      }
    }
    Eigen::MatrixXd JJ = J * J.transpose();
    JJ.diagonal().array() += 1e-6;
    const Eigen::VectorXd step = J.transpose() * internal::SolvePositiveDefinite(JJ, e);
    for (Eigen::Index k = 0; k < step.size(); ++k) {
      const int joint = joints[static_cast<size_t>(k)];
      const auto [lower, upper] = RangeOf(joint);
      Angle(joint) = std::clamp(Angle(joint) + std::clamp(step[k], -0.1, 0.1), lower + kInside,
                                std::max(lower + kInside, upper - kInside));
    }
    return e.cwiseAbs().maxCoeff();
  }

  // The body with the whole robot below it; the world, where a fixed base is a part of it.
  int Root(const std::vector<Leg>& legs) const {
    const int root = m_.body_rootid[legs.front().body];
    const bool common =
        std::ranges::all_of(legs, [&](const Leg& leg) { return m_.body_rootid[leg.body] == root; });
    return common ? root : 0;
  }

  void FindPose(FoundLegs* found) {
    constexpr int kSteps = 300;
    std::vector<Goal> goals;
    double height = 0;
    for (const Leg& leg : found->legs) {
      const Goal goal{BendKnee(leg), HipOf(leg), MiddleOf(leg),
                      Matrix3Map(d_->xmat + 9 * leg.body)};
      height += (goal.hip.z() - goal.knee.length) / static_cast<double>(found->legs.size());
      found->leg_length += goal.knee.longest / static_cast<double>(found->legs.size());
      goals.push_back(goal);
    }
    Measure(found);
    for (const Goal& goal : goals) {
      if (goal.knee.joint < 0) return;
      Angle(goal.knee.joint) = goal.knee.angle;
    }
    double missed = 1;
    for (int step = 0; step < kSteps && missed > 1e-8; ++step) {
      Update();
      double hips = 0;
      for (const Goal& goal : goals) {
        hips += ahead_.dot(goal.hip) / static_cast<double>(goals.size());
      }
      const double com = ahead_.dot(At(d_->subtree_com, Root(found->legs)));
      missed = 0;
      for (size_t i = 0; i < goals.size(); ++i) {
        const Leg& leg = found->legs[i];
        const double x = IsFlat(leg) ? com : ahead_.dot(goals[i].hip) + com - hips;
        missed = std::max(missed, MoveLeg(leg, goals[i], x, height));
      }
    }
    if (missed > kMissed) return;
    Measure(found);
    for (const Leg& leg : found->legs) {
      for (const int joint : leg.joints) {
        const char* name = mj_id2name(&m_, mjOBJ_JOINT, joint);
        if (name == nullptr) continue;
        const double rounded = std::round(Angle(joint) * 1e4) / 1e4;
        found->joints[name] = rounded == 0 ? 0 : rounded;
      }
    }
  }

  void GoTo(const Eigen::VectorXd& q) const {
    std::copy_n(q.data(), m_.nq, d_->qpos);
    Update();
  }
  int Key() const { return mj_name2id(&m_, mjOBJ_KEY, "home"); }
  // To the keyframe `home`, if there is one. @returns the configuration before.
  Eigen::VectorXd GoToKey() const {
    const Eigen::VectorXd before = Eigen::Map<const Eigen::VectorXd>(d_->qpos, m_.nq);
    if (Key() >= 0) GoTo(Eigen::Map<const Eigen::VectorXd>(m_.key_qpos + Key() * m_.nq, m_.nq));
    return before;
  }

  std::optional<double> MeasureKey(const FoundLegs& found) const {
    if (Key() < 0) return std::nullopt;
    const Eigen::VectorXd kept = GoToKey();
    const auto [low, high] = ExtentOf(found.legs);
    GoTo(kept);
    return high.z() - low.z();
  }

  // The least and the largest coordinates of what the feet stand on.
  std::pair<Vector3d, Vector3d> ExtentOf(const std::vector<Leg>& legs) const {
    Vector3d low = Vector3d::Constant(std::numeric_limits<double>::infinity()), high = -low;
    for (const Leg& leg : legs) {
      const Matrix3Map R(d_->xmat + 9 * leg.body);
      for (const Vector3d& own : leg.points) {
        const Vector3d point = At(d_->xpos, leg.body) + R * own;
        low = low.cwiseMin(point);
        high = high.cwiseMax(point);
      }
    }
    return {low, high};
  }

  // What the law's gains and times depend on, in the present pose.
  void Measure(FoundLegs* found) const {
    const int root = Root(found->legs);
    const auto [low, high] = ExtentOf(found->legs);
    found->mass = m_.body_subtreemass[root];
    found->height = d_->subtree_com[3 * root + 2] - low.z() + found->legs.front().radius;
    found->half_support = 0.5 * (high - low).head<2>().minCoeff();
    if (found->flat) found->half_support = 0.5 * ahead_.cwiseAbs().dot(high - low);
  }

  const mjModel& m_;
  bool fixed_;
  std::optional<Vector3d> given_ahead_;
  Vector3d ahead_ = Vector3d::UnitX();  // in the world, horizontal
  std::unique_ptr<mjData, MjDataDeleter> d_;
};

}  // namespace

FoundLegs FindLegsOf(const mjModel& m, bool fixed, const std::optional<Vector3d>& ahead) {
  return Finder(m, fixed, ahead).Find();
}

}  // namespace civita
