#include "app/window/render/stance.h"

#include <Eigen/QR>
#include <algorithm>

#include "civita/kinematics.h"

namespace civita {
namespace {

// of the height of the centre of mass, for an evenly distributed load
constexpr double kArrowShare = 0.3;
constexpr double kConeShare = 0.15;  // height of a friction cone, of the arrow of the whole weight
constexpr double kRaised = 0.008;    // m above the feet, which penetrate the ground slightly
constexpr double kMinLoadShare = 0.02;  // of the weight; a foot with less load is not in contact

}  // namespace

Stance::Stance(const SceneData& scene)
    : scene_(scene),
      workspace_(scene.plant),
      now_(scene.plant, *scene.legs),
      q_(scene.q_start),
      v_(scene.v_start) {
  UpdateKinematics(scene.plant, q_, v_, workspace_);
  UpdateLegKinematics(scene.plant, *scene.legs, workspace_, now_);
  const double height = now_.c.z() - now_.feet.front().p.z();
  weight_ = now_.mass * scene.plant.gravity().norm();
  arrow_length_ = kArrowShare * height * static_cast<double>(now_.feet.size()) / weight_;
}

StanceMarks Stance::Find(const Snapshot& snapshot, const Traces& traces, bool cones) {
  q_ = Eigen::Map<const Eigen::VectorXd>(snapshot.qpos.data(), q_.size());
  v_ = Eigen::Map<const Eigen::VectorXd>(snapshot.qvel.data(), v_.size());
  UpdateKinematics(scene_.plant, q_, v_, workspace_);
  UpdateLegKinematics(scene_.plant, *scene_.legs, workspace_, now_);
  const TraceBuffer& buffer = traces.buffer();
  const auto channel = [&](const char* signal) { return traces.channel(Slot::kA, signal); };
  const int64_t row = std::min(buffer.LowerBound(snapshot.t), buffer.end_index()) - 1;
  const bool is_known = !buffer.empty() && row >= buffer.begin_index();
  const auto value = [&](int at) { return static_cast<double>(buffer.value(row, at)); };

  const int forces = channel("/foot_force");
  StanceMarks marks;
  std::vector<bool> stands(now_.feet.size(), true);
  double total = 0;
  for (size_t i = 0; is_known && i < stands.size(); ++i) {
    const double force = value(forces + static_cast<int>(i));
    total += force;
    stands[i] = force > kMinLoadShare * weight_;
    if (!stands[i]) continue;
    const Eigen::Vector3d& p = now_.feet[i].p;
    marks.forces.push_back({{p.x(), p.y(), p.z()}, {0, 0, arrow_length_ * force}});
  }
  FindSupport(stands, &marks);
  if (cones) {
    const Eigen::Vector3d normal = Eigen::Vector3d(-ground_[1], -ground_[2], 1).normalized();
    const Eigen::Vector3d axis = kConeShare * arrow_length_ * weight_ * normal;
    marks.friction = scene_.config.legs.friction;
    for (size_t i = 0; i < stands.size(); ++i) {
      if (!stands[i]) continue;
      const Eigen::Vector3d& p = now_.feet[i].p;
      marks.cones.push_back({{p.x(), p.y(), p.z()}, {axis.x(), axis.y(), axis.z()}});
    }
  }
  marks.com = OnGround(now_.c.head<2>());
  const int dcm = channel("/law/dcm"), pressure = channel("/law/cop");
  if (!is_known || dcm < 0 || pressure < 0 || channel("/law/dcm_margin") < 0) return marks;
  marks.dcm = OnGround({value(dcm), value(dcm + 1)});
  if (total > kMinLoadShare * weight_) {
    marks.pressure = OnGround({value(pressure), value(pressure + 1)});
  }
  return marks;
}

// Computes the support polygon and the plane through the feet in contact; horizontal if
// undetermined.
void Stance::FindSupport(const std::vector<bool>& stands, StanceMarks* marks) {
  std::vector<Point2> points;
  std::vector<double> heights;
  for (size_t i = 0; i < now_.feet.size(); ++i) {
    if (!stands[i]) continue;
    for (const Eigen::Vector3d& p : now_.feet[i].contacts) {
      points.emplace_back(p.head<2>());
      heights.push_back(p.z());
    }
  }
  if (points.empty()) return;  // in the air: the plane is kept
  const SupportPolygon polygon(points);
  const auto n = static_cast<Eigen::Index>(points.size());
  const Eigen::Map<const Eigen::VectorXd> z(heights.data(), n);
  Eigen::MatrixX2d offsets(n, 2);
  for (Eigen::Index i = 0; i < n; ++i) {
    offsets.row(i) = points[static_cast<size_t>(i)] - polygon.center();
  }
  const double middle = z.mean();
  const Eigen::VectorXd above = z.array() - middle;
  const Eigen::Vector2d slope = offsets.completeOrthogonalDecomposition().solve(above);
  ground_ << middle - slope.dot(polygon.center()), slope;
  for (int i = 0; i < polygon.size(); ++i) marks->support.push_back(OnGround(polygon[i]));
}

Point3 Stance::OnGround(const Point2& at) const {
  return {at.x(), at.y(), ground_.dot(Eigen::Vector3d(1, at.x(), at.y())) + kRaised};
}

}  // namespace civita
