#include "civita/scenes/plant/poe_file.h"

#include <Eigen/Eigenvalues>
#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "base/text.h"
#include "civita/error.h"
#include "civita/scenes/schema/config_values.h"
#include "civita/scenes/schema/yaml_value.h"

namespace civita {
namespace {

using Eigen::Vector3d;

std::vector<double> ReadRow(const YamlValue& value, const std::string& key, size_t length) {
  std::vector<double> row = internal::ReadNumbers(value, key, NumberRange::kAny, false);
  if (row.size() != length) {
    throw UserError(value.where + ": " + key + " has " + internal::Count(row.size(), "number") +
                    ", must have " + std::to_string(length));
  }
  return row;
}

const YamlValue& CheckIsList(const YamlValue& value, const std::string& key, const char* what) {
  if (value.kind == YamlValue::Kind::kList) return value;
  throw UserError(value.where + ": " + key + " must be " + what + ", not " + value.Describe());
}

template <int n>
Eigen::Matrix<double, n, n> ReadMatrix(const YamlValue& value, const std::string& key) {
  const std::string wanted = std::to_string(n) + " rows of " + std::to_string(n) + " numbers";
  CheckIsList(value, key, wanted.c_str());
  if (value.items.size() != n) {
    throw UserError(value.where + ": " + key + " has " +
                    internal::Count(value.items.size(), "row") + ", must have " + wanted);
  }
  Eigen::Matrix<double, n, n> matrix;
  for (size_t i = 0; i < n; ++i) {
    const std::vector<double> row = ReadRow(value.items[i], key + "[" + std::to_string(i) + "]", n);
    matrix.row(static_cast<int>(i)) = Eigen::Map<const Eigen::RowVector<double, n>>(row.data());
  }
  return matrix;
}

Matrix6<double> ReadInertia(const YamlValue& value, const std::string& key) {
  CheckIsList(value, key, "the diagonal's 6 numbers or 6 rows of 6 numbers");
  const bool rows = !value.items.empty() && value.items[0].kind == YamlValue::Kind::kList;
  if (rows) return ReadMatrix<6>(value, key);
  return Vector6<double>(ReadRow(value, key, 6).data()).asDiagonal();
}

/// Calls `read(item, "M_list[0]", 0)` for every entry of a list in the file.
template <typename Read>
void ForEachEntry(const YamlValue& root, const std::string& key, Read read) {
  const YamlValue* list = root.Find(key);
  if (list == nullptr) throw UserError(root.where + ": lacks the key '" + key + "'");
  CheckIsList(*list, key, "a list");
  for (size_t i = 0; i < list->items.size(); ++i) {
    read(list->items[i], key + "[" + std::to_string(i) + "]", static_cast<int>(i));
  }
}

poe::Lists ReadLists(const YamlValue& root) {
  internal::CheckKeys(root, {"M_list", "G_list", "S_list", "gravity"});
  poe::Lists lists;
  ForEachEntry(root, "M_list", [&](const YamlValue& value, const std::string& key, int) {
    lists.M_list.push_back(ReadMatrix<4>(value, key));
  });
  ForEachEntry(root, "G_list", [&](const YamlValue& value, const std::string& key, int) {
    lists.G_list.push_back(ReadInertia(value, key));
  });
  ForEachEntry(root, "S_list", [&](const YamlValue& value, const std::string& key, int i) {
    lists.S_list.conservativeResize(6, i + 1);
    lists.S_list.col(i) = Vector6<double>(ReadRow(value, key, 6).data());
  });
  return lists;
}

/// Calls `use` with the chain. Errors get the place in the file.
template <typename Use>
auto WithRobot(const YamlValue& root, Use use) {
  const poe::Lists lists = ReadLists(root);
  Eigen::Vector3d gravity(0, 0, -9.81);
  if (const YamlValue* value = root.Find("gravity")) {
    gravity = Eigen::Vector3d(ReadRow(*value, "gravity", 3).data());
  }
  try {
    return use(poe::Robot(lists, gravity));
  } catch (const poe::ListError& error) {
    throw UserError(root.Find(error.list)->items[error.entry].where + ": " + error.what());
  } catch (const UserError& error) {
    throw UserError(root.Find("S_list")->where + ": " + error.what());
  }
}

bool IsChain(const YamlValue& root) {
  return root.Find("M_list") != nullptr || root.Find("G_list") != nullptr ||
         root.Find("S_list") != nullptr;
}

void Store(const Vector3d& x, double* to) { std::copy_n(x.data(), 3, to); }

void StoreRotation(const Eigen::Matrix3d& R, double* quaternion) {
  const Eigen::Quaterniond rotation(R);
  quaternion[0] = rotation.w();
  Store(rotation.vec(), quaternion + 1);
}

mjsBody* AddBody(const std::string& name, const Pose& X_PB, mjsBody* parent) {
  mjsBody* body = mjs_addBody(parent, nullptr);
  mjs_setName(body->element, name.c_str());
  Store(X_PB.p, body->pos);
  StoreRotation(X_PB.R, body->quat);
  body->explicitinertial = 1;
  return body;
}

// Principal axes rather than `fullinertia`, which MuJoCo diagonalizes to fewer digits.
void SetInertia(const MassProperties& mass, mjsBody* body) {
  const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> solver(mass.inertia);
  Eigen::Matrix3d axes = solver.eigenvectors();
  if (axes.determinant() < 0) axes.col(0) *= -1;
  body->mass = mass.mass;
  Store(mass.com, body->ipos);
  StoreRotation(axes, body->iquat);
  Store(solver.eigenvalues(), body->inertia);
}

// Points that the drawing connects, at home in the space frame: the origin; for each joint the
// point of its axis that is nearest to the point before; the tip.
std::vector<Vector3d> FindPoints(const poe::Robot& robot) {
  std::vector<Vector3d> points = {Vector3d::Zero()};
  Pose X_0i;
  for (const poe::Link& link : robot.links()) {
    X_0i = X_0i * link.M;
    const Vector3d on_axis = X_0i.R * link.joint.anchor + X_0i.p;
    const Vector3d axis = (X_0i.R * link.joint.axis).normalized();
    points.emplace_back(on_axis + axis * axis.dot(points.back() - on_axis));
  }
  points.push_back((X_0i * robot.M_tip()).p);
  return points;
}

// A shape between two points of the space frame at home, on a body that is at X_0B there.
void Draw(mjtGeom type, const std::string& material, double radius, const Pose& X_0B,
          const Vector3d& from, const Vector3d& to, mjsBody* body) {
  if ((to - from).norm() < 0.01 * radius) return;
  mjsGeom* geom = mjs_addGeom(body, nullptr);
  geom->type = type;
  geom->mass = 0;
  geom->contype = geom->conaffinity = 0;
  geom->size[0] = radius;
  mjs_setString(geom->material, material.c_str());
  Store(X_0B.R.transpose() * (from - X_0B.p), geom->fromto);
  Store(X_0B.R.transpose() * (to - X_0B.p), geom->fromto + 3);
}

// Puts camera and floor such that the chain is in view at home.
void SetView(const std::vector<Vector3d>& points, double reach, double radius, mjSpec* spec) {
  Vector3d low = points.front(), high = points.front();
  for (const Vector3d& point : points) {
    low = low.cwiseMin(point);
    high = high.cwiseMax(point);
  }
  Store(0.5 * (low + high), spec->stat.center);
  spec->stat.extent = 1.5 * reach;
  mjs_asGeom(mjs_findElement(spec, mjOBJ_GEOM, "floor"))->pos[2] = low.z() - 2 * radius;
}

mjsJoint* AddJoint(const poe::Link& link, const Vector3d& anchor, mjsBody* body) {
  mjsJoint* joint = mjs_addJoint(body, nullptr);
  mjs_setName(joint->element, link.joint.name.c_str());
  joint->type = link.joint_type == JointType::kSlide ? mjJNT_SLIDE : mjJNT_HINGE;
  Store(link.joint.axis.normalized(), joint->axis);
  Store(anchor, joint->pos);
  return joint;
}

// Refuses helical joints. @returns the names of joints whose angle or distance is not θ.
std::vector<std::string> CheckJoints(const poe::Robot& robot) {
  constexpr double kRounding = 1e-12;
  std::vector<std::string> scaled;
  for (size_t i = 0; i < robot.links().size(); ++i) {
    const poe::Link& link = robot.links()[i];
    if (link.joint_type == JointType::kHelical) {
      throw poe::ListError("S_list", i,
                           "is helical, a joint that MuJoCo does not have: simulation needs "
                           "revolute or prismatic screws; civita poe and civita eval take any");
    }
    if (std::abs(link.joint.scale - 1) > kRounding) scaled.push_back(link.joint.name);
  }
  return scaled;
}

}  // namespace

SpecPtr MakePoeSpec(const poe::Robot& robot, std::vector<std::string>* notices) {
  const std::vector<std::string> scaled = CheckJoints(robot);
  SpecPtr spec = ParseStudio();
  Store(robot.model().gravity(), spec->option.gravity);
  const std::vector<Vector3d> points = FindPoints(robot);
  double reach = 0;
  for (size_t i = 1; i < points.size(); ++i) reach += (points[i] - points[i - 1]).norm();
  if (!(reach > 0)) reach = 1;
  const double radius = 0.03 * reach;
  SetView(points, reach, radius, spec.get());

  mjsBody* body = mjs_findBody(spec.get(), "world");
  Pose X_0i;
  Draw(mjGEOM_CAPSULE, "joint", radius, X_0i, points[0], points[1], body);
  for (size_t i = 0; i < robot.links().size(); ++i) {
    const poe::Link& link = robot.links()[i];
    X_0i = X_0i * link.M;
    body = AddBody("link" + std::to_string(i + 1), link.M, body);
    SetInertia(link.mass, body);
    const Vector3d& at = points[i + 1];
    const mjsJoint* joint = AddJoint(link, X_0i.R.transpose() * (at - X_0i.p), body);
    const Vector3d half = 1.5 * radius * (X_0i.R * link.joint.axis).normalized();
    Draw(joint->type == mjJNT_SLIDE ? mjGEOM_BOX : mjGEOM_CYLINDER, "joint", 1.25 * radius, X_0i,
         at - half, at + half, body);
    Draw(mjGEOM_CAPSULE, "shell", radius, X_0i, at, points[i + 2], body);
  }
  AddBody("tip", robot.M_tip(), body);
  if (!scaled.empty()) {
    notices->push_back("screws of other than unit length: the coordinate of " +
                       internal::List(scaled) + " is the joint's angle or distance, not θ");
  }
  return spec;
}

bool IsPoeFile(const std::filesystem::path& file) { return IsChain(ReadYaml(file.string())); }

std::optional<poe::Robot> ReadPoeFile(const std::filesystem::path& file) {
  const YamlValue root = ReadYaml(file.string());
  if (!IsChain(root)) return std::nullopt;
  return WithRobot(root, [](const poe::Robot& robot) { return robot; });
}

SpecPtr ReadPoeSpec(const std::filesystem::path& file, std::vector<std::string>* notices) {
  const YamlValue root = ReadYaml(file.string());
  if (!IsChain(root)) {
    throw UserError(file.string() +
                    ": is no product of exponentials: lacks M_list, G_list and S_list");
  }
  return WithRobot(root, [&](const poe::Robot& robot) { return MakePoeSpec(robot, notices); });
}

}  // namespace civita
