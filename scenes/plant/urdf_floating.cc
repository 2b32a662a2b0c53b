#include "civita/scenes/plant/urdf_floating.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <sstream>
#include <string>
#include <string_view>

#include "base/number_text.h"

namespace civita::internal {
namespace {

Eigen::Vector3d ReadTriple(pugi::xml_node origin, const char* attribute) {
  Eigen::Vector3d x = Eigen::Vector3d::Zero();
  std::istringstream words(origin.attribute(attribute).value());
  std::string word;
  for (int i = 0; i < 3 && words >> word; ++i) {
    const std::size_t from = word.starts_with('+') ? 1 : 0;
    std::from_chars(word.data() + from, word.data() + word.size(), x[i]);
  }
  return x;
}

std::string WriteTriple(const Eigen::Vector3d& x) {
  using internal::General;
  return General(x[0], 17) + ' ' + General(x[1], 17) + ' ' + General(x[2], 17);
}

/// The pose that the joint's <origin> gives: rotations about the fixed axes x, y, z in turn.
Eigen::Isometry3d OriginOf(pugi::xml_node joint) {
  const pugi::xml_node origin = joint.child("origin");
  const Eigen::Vector3d rpy = ReadTriple(origin, "rpy");
  using Eigen::AngleAxisd, Eigen::Vector3d;
  return Eigen::Translation3d(ReadTriple(origin, "xyz")) * AngleAxisd(rpy[2], Vector3d::UnitZ()) *
         AngleAxisd(rpy[1], Vector3d::UnitY()) * AngleAxisd(rpy[0], Vector3d::UnitX());
}

void WriteOrigin(const Eigen::Isometry3d& pose, pugi::xml_node joint) {
  joint.remove_child("origin");
  pugi::xml_node origin = joint.append_child("origin");
  const Eigen::Matrix3d R = pose.linear();
  const double pitch = std::asin(std::clamp(-R(2, 0), -1.0, 1.0));
  Eigen::Vector3d rpy(std::atan2(R(2, 1), R(2, 2)), pitch, std::atan2(R(1, 0), R(0, 0)));
  constexpr double kUpright = 1e-9;  // roll and yaw turn about one axis then
  if (std::cos(pitch) < kUpright) rpy = {0, pitch, std::atan2(-R(0, 1), R(1, 1))};
  origin.append_attribute("xyz") = WriteTriple(pose.translation()).c_str();
  origin.append_attribute("rpy") = WriteTriple(rpy).c_str();
}

std::string_view LinkOf(pugi::xml_node joint, const char* end) {
  return joint.child(end).attribute("link").value();
}

/// Where the link is fixed in the world; nullopt if a joint moves it.
std::optional<Eigen::Isometry3d> FixedPose(pugi::xml_node robot, std::string_view link) {
  Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
  for (;;) {
    const pugi::xml_node joint = robot.find_child([link](pugi::xml_node child) {
      return child.name() == std::string_view("joint") && LinkOf(child, "child") == link;
    });
    if (!joint) return pose;
    if (joint.attribute("type").value() != std::string_view("fixed")) return std::nullopt;
    pose = OriginOf(joint) * pose;
    link = LinkOf(joint, "parent");
  }
}

}  // namespace

void HangFloatingLinks(XmlText* xml) {
  pugi::xml_node robot = xml->root();
  for (pugi::xml_node joint : robot.children("joint")) {
    if (joint.attribute("type").value() != std::string_view("floating")) continue;
    const std::string_view parent = LinkOf(joint, "parent");
    if (parent == "world") continue;
    const std::optional<Eigen::Isometry3d> pose = FixedPose(robot, parent);
    if (!pose) continue;
    WriteOrigin(*pose * OriginOf(joint), joint);
    joint.child("parent").attribute("link") = "world";
    const bool has_world =
        static_cast<bool>(robot.find_child_by_attribute("link", "name", "world"));
    if (!has_world) robot.prepend_child("link").append_attribute("name") = "world";
  }
}

}  // namespace civita::internal
