#include <Eigen/Geometry>
#include <Eigen/LU>
#include <cmath>
#include <string>

#include "civita/error.h"
#include "civita/product_of_exponentials.h"

namespace civita::poe {

namespace {

/// Numbers in lists have few digits.
constexpr double kRounding = 1e-6;

Pose ToPose(const Eigen::Matrix4d& M, size_t entry) {
  Pose X{M.topLeftCorner<3, 3>(), M.topRightCorner<3, 1>()};
  const bool rigid = M.allFinite() && M.row(3).isApprox(Eigen::RowVector4d::Unit(3), 1e-12) &&
                     (X.R * X.R.transpose()).isIdentity(kRounding) && X.R.determinant() > 0;
  if (!rigid) throw ListError("M_list", entry, "is no rigid transform [R p; 0 0 0 1]");
  X.R = Eigen::Quaterniond(X.R).normalized().toRotationMatrix();
  return X;
}

/// From G = [I m[c]; −m[c] m·1] about the link frame's origin.
MassProperties ToMassProperties(const Matrix6<double>& G, size_t entry) {
  MassProperties link;
  link.mass = G(3, 3);
  const Eigen::Matrix3d moment = G.topRightCorner<3, 3>();  // m[c]
  if (link.mass > 0) {
    link.com = Eigen::Vector3d(moment(2, 1), moment(0, 2), moment(1, 0)) / link.mass;
  }
  Matrix6<double> body;
  body << G.topLeftCorner<3, 3>(), link.mass * Skew<double>(link.com),
      -link.mass * Skew<double>(link.com), link.mass * Eigen::Matrix3d::Identity();
  const bool is_body = G.allFinite() && link.mass >= 0 &&
                       (G - G.transpose()).norm() <= kRounding * G.norm() &&
                       (G - body).norm() <= kRounding * G.norm();
  if (!is_body)
    throw ListError("G_list", entry, "is no body's: [I m[c]; -m[c] m·1] with m ≥ 0, symmetric");
  const Eigen::Matrix3d about_com =
      G.topLeftCorner<3, 3>() + link.mass * Skew<double>(link.com) * Skew<double>(link.com);
  link.inertia = 0.5 * (about_com + about_com.transpose());
  return link;
}

/// Sets the joint with the screw S of the space frame, of a link that is at X_0i at home.
void SetJoint(const Vector6<double>& S, size_t entry, const Pose& X_0i, Link* link) {
  constexpr double kParallel = 1e-12;
  if (!S.allFinite() || S.isZero(0))
    throw ListError("S_list", entry, "must be finite and not zero");
  JointProperties& joint = link->joint;
  joint.name = "joint" + std::to_string(entry + 1);
  const Eigen::Vector3d w = S.head<3>(), u = S.tail<3>();
  if (w.norm() <= kParallel * u.norm()) {
    link->joint_type = JointType::kSlide;
    joint.scale = u.norm();
    joint.axis = X_0i.R.transpose() * u;
    return;
  }
  joint.scale = w.norm();
  joint.axis = X_0i.R.transpose() * w;
  const Eigen::Vector3d point = w.cross(u) / w.squaredNorm();  // of the axis, nearest to the origin
  joint.anchor = X_0i.R.transpose() * (point - X_0i.p);
  link->joint_type = JointType::kHinge;
  if (std::abs(w.dot(u)) <= kParallel * w.norm() * u.norm()) return;
  link->joint_type = JointType::kHelical;
  joint.pitch = w.dot(u) / w.squaredNorm();
}

std::vector<Link> ReadLinks(const Lists& lists) {
  const size_t n = static_cast<size_t>(lists.S_list.cols());
  if (lists.M_list.size() != n + 1 || lists.G_list.size() != n) {
    throw UserError("S_list has n = " + std::to_string(n) +
                    ", M_list must have n + 1 entries, not " + std::to_string(lists.M_list.size()) +
                    ", and G_list n, not " + std::to_string(lists.G_list.size()));
  }
  std::vector<Link> links(n);
  Pose X_0i;
  for (size_t i = 0; i < n; ++i) {
    links[i].M = ToPose(lists.M_list[i], i);
    X_0i = X_0i * links[i].M;
    links[i].mass = ToMassProperties(lists.G_list[i], i);
    SetJoint(lists.S_list.col(static_cast<int>(i)), i, X_0i, &links[i]);
  }
  return links;
}

Model BuildModel(const std::vector<Link>& links, const Pose& M_tip,
                 const Eigen::Vector3d& gravity) {
  ModelBuilder builder;
  builder.set_gravity(gravity);
  int body = ModelBuilder::kWorld;
  for (size_t i = 0; i < links.size(); ++i) {
    const Link& link = links[i];
    body = builder.AddBody("link" + std::to_string(i + 1), body, link.M, link.mass);
    builder.AddJoint(body, link.joint_type, link.joint);
  }
  builder.AddBody("tip", body, M_tip, {});
  return builder.Build();
}

}  // namespace

Robot::Robot(const Lists& lists, const Eigen::Vector3d& gravity)
    : links_(ReadLinks(lists)),
      M_tip_(ToPose(lists.M_list.back(), links_.size())),
      model_(BuildModel(links_, M_tip_, gravity)),
      weightless_model_(BuildModel(links_, M_tip_, Eigen::Vector3d::Zero())) {}

}  // namespace civita::poe
