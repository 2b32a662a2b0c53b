#include "civita/scenes/plant/urdf_text.h"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <utility>

#include "base/number_text.h"
#include "base/text.h"
#include "civita/suggest.h"

namespace civita::internal {
namespace {

bool IsOneOf(std::string_view word, std::string_view words) {
  return !word.empty() && word.find(' ') == word.npos &&
         (" " + std::string(words) + " ").find(" " + std::string(word) + " ") != std::string::npos;
}

void WriteOrigin(const Eigen::Isometry3d& pose, pugi::xml_node joint) {
  const auto write = [](const Eigen::Vector3d& x) {
    return General(x[0], 17) + ' ' + General(x[1], 17) + ' ' + General(x[2], 17);
  };
  joint.remove_child("origin");
  pugi::xml_node origin = joint.append_child("origin");
  const Eigen::Matrix3d R = pose.linear();
  const double pitch = std::asin(std::clamp(-R(2, 0), -1.0, 1.0));
  Eigen::Vector3d rpy(std::atan2(R(2, 1), R(2, 2)), pitch, std::atan2(R(1, 0), R(0, 0)));
  constexpr double kUpright = 1e-9;  // roll and yaw turn about one axis then
  if (std::cos(pitch) < kUpright) rpy = {0, pitch, std::atan2(-R(0, 1), R(1, 1))};
  origin.append_attribute("xyz") = write(pose.translation()).c_str();
  origin.append_attribute("rpy") = write(rpy).c_str();
}

/// Reads the links and joints, checks that they are trees, and leaves in the XML what MuJoCo reads.
class UrdfReader {
 public:
  UrdfReader(XmlText* xml, std::vector<std::string>* notices) : xml_(*xml), notices_(*notices) {}

  UrdfTree Read() {
    RefuseMacros();
    for (pugi::xml_node joint : xml_.root().children("joint")) {
      joints_.push_back({joint, joint.attribute("name").value(), joint.attribute("type").value()});
    }
    for (pugi::xml_node unit : xml_.root().children("transmission")) ReadRotor(unit);
    KeepKnown();
    NameJoints();
    for (pugi::xml_node link : xml_.root().children("link")) ReadLink(link);
    for (UrdfJoint& joint : joints_) ReadJoint(&joint);
    TellNames("read as absent because they are empty: ", empty_, &notices_);
    TellNames("left out because the first one counts: ", repeated_, &notices_);
    TellNames("left out, though they may act on the motion: ", acting_, &notices_);
    std::vector<std::string> rotors;
    for (const UrdfJoint& joint : joints_) {
      if (joint.properties.armature > 0) rotors.push_back(joint.name);
    }
    std::ranges::sort(rotors);
    TellNames(
        "the armature of these joints is that of rotors, drake:rotor_inertia times the square of "
        "drake:gear_ratio: ",
        rotors, &notices_);
    TakeLinks();
    for (UrdfJoint& joint : joints_) TakeEnds(&joint);
    CheckRoots();
    CheckMimics();
    for (UrdfJoint& joint : joints_) HangOnWorld(&joint);
    return {std::move(read_), std::move(joints_)};
  }

 private:
  void RefuseMacros() const {
    const pugi::xml_node macro = xml_.root().find_node(
        [](pugi::xml_node node) { return std::string_view(node.name()).starts_with("xacro:"); });
    if (macro) {
      xml_.Refuse(macro, std::string("<") + macro.name() +
                             "> is a macro: xacro FILE.xacro > FILE.urdf makes the URDF");
    }
  }

  // Leaves out what others read: transmissions, sensors, extensions of simulators.
  void KeepKnown() {
    pugi::xml_node robot = xml_.root();
    for (pugi::xml_node child = robot.first_child(); child;) {
      const pugi::xml_node next = child.next_sibling();
      if (!IsOneOf(child.name(), "link joint material mujoco")) {
        const bool acts = child.type() == pugi::node_element && MayActOnMotion(child);
        if (acts) acting_.push_back(NameOfElement(child) + " in line " + LineOf(child));
        robot.remove_child(child);
      }
      child = next;
    }
  }

  // Whether an extension of URDF closes loops, moves links or pushes them.
  static bool MayActOnMotion(pugi::xml_node element) {
    if (element.name() == std::string_view("gazebo")) {
      return static_cast<bool>(element.child("joint").attribute("type"));
    }
    const auto is_in = [&](const char* word) {
      return std::strstr(element.name(), word) != nullptr;
    };
    return is_in("joint") || is_in("constraint") || is_in("loop") || is_in("spring") ||
           is_in("bushing") || is_in("damper");
  }

  // A rotor's inertia about its own axis, which its joint turns by the gear's ratio.
  void ReadRotor(pugi::xml_node transmission) {
    const pugi::xml_node actuator = transmission.child("actuator"),
                         inertia = actuator.child("drake:rotor_inertia");
    if (!inertia) return;
    const double I = RequiredNumber(inertia, "value");
    const double n = Number(actuator.child("drake:gear_ratio"), "value").value_or(1);
    if (I < 0) xml_.Refuse(inertia, "a rotor's inertia is negative: " + General(I));
    UrdfJoint* joint = Find(transmission.child("joint").attribute("name").value());
    if (joint && joint->has_axis()) joint->properties.armature += I * n * n;
  }

  // The first child of this name; others are left out.
  pugi::xml_node First(pugi::xml_node parent, const char* name) {
    return xml_.KeepFirst(parent, name, NameOfElement(parent), &repeated_);
  }

  pugi::xml_node Required(pugi::xml_node parent, const char* name) {
    const pugi::xml_node child = First(parent, name);
    if (!child) {
      xml_.Refuse(parent, "<" + std::string(name) + "> is missing in " + NameOfElement(parent));
    }
    return child;
  }

  std::string LineOf(pugi::xml_node element) const { return std::to_string(xml_.Line(element)); }

  // "joint 'j'", for a nameless element that of its parents that has a name.
  static std::string NameOfElement(pugi::xml_node element) {
    std::string path;
    for (; element; element = element.parent()) {
      const std::string name = element.attribute("name").value();
      if (!name.empty()) return path.append(element.name()).append(" '").append(name).append("'");
      path += "<" + std::string(element.name()) + "> of ";
    }
    return path + "the file";
  }

  // The finite numbers of an attribute; none if it is absent.
  std::vector<double> Numbers(pugi::xml_node element, const char* name, std::size_t count,
                              bool infinite = false) {
    const pugi::xml_attribute attribute = element.attribute(name);
    if (!attribute) return {};
    const std::string value = attribute.value();
    const std::optional<std::vector<double>> numbers = ReadNumbers(value);
    if (numbers && numbers->empty()) {
      empty_.push_back(name + (" of " + NameOfElement(element)) + xml_.InLine(element));
      element.remove_attribute(name);
      return {};
    }
    const bool right =
        numbers && numbers->size() == count && std::ranges::all_of(*numbers, [infinite](double x) {
          return std::isfinite(x) || (infinite && !std::isnan(x));
        });
    if (right) return *numbers;
    const std::string wanted = count == 1 ? "a number" : "3 numbers separated by blanks";
    xml_.Refuse(element,
                NameOfElement(element) + ": " + name + "=\"" + value + "\" is not " + wanted);
  }

  std::optional<double> Number(pugi::xml_node element, const char* name, bool infinite = false) {
    const std::vector<double> numbers = Numbers(element, name, 1, infinite);
    return numbers.empty() ? std::nullopt : std::optional(numbers.front());
  }

  double RequiredNumber(pugi::xml_node element, const char* name) {
    const std::optional<double> number = Number(element, name);
    if (!number) xml_.Refuse(element, NameOfElement(element) + " needs " + name);
    return *number;
  }

  // The pose of an <origin>: rotations about the fixed axes x, y, z in turn.
  Eigen::Isometry3d ReadOrigin(pugi::xml_node parent) {
    using Eigen::AngleAxisd, Eigen::Vector3d;
    const pugi::xml_node origin = First(parent, "origin");
    const auto read = [&](const char* name) {
      const std::vector<double> x = Numbers(origin, name, 3);
      return x.empty() ? Vector3d(0, 0, 0) : Vector3d(x.data());
    };
    const Vector3d xyz = read("xyz"), rpy = read("rpy");
    return Eigen::Translation3d(xyz) * AngleAxisd(rpy[2], Vector3d::UnitZ()) *
           AngleAxisd(rpy[1], Vector3d::UnitY()) * AngleAxisd(rpy[0], Vector3d::UnitX());
  }

  void ReadLink(pugi::xml_node link) {
    UrdfLink& read =
        read_.emplace_back(UrdfLink{.name = link.attribute("name").value(), .mass = {}});
    const pugi::xml_node inertial = First(link, "inertial");
    if (!inertial) return;
    const Eigen::Isometry3d origin = ReadOrigin(inertial);
    read.axes = origin.linear();
    read.mass.com = origin.translation();
    const pugi::xml_node mass = Required(inertial, "mass");
    read.mass.mass = RequiredNumber(mass, "value");
    if (read.mass.mass < 0) {
      xml_.Refuse(mass, "the mass of " + NameOfElement(link) +
                            " is negative: " + mass.attribute("value").value());
    }
    const pugi::xml_node inertia = Required(inertial, "inertia");
    for (const char* name : {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"}) {
      const int i = name[1] - 'x', j = name[2] - 'x';
      read.mass.inertia(i, j) = read.mass.inertia(j, i) = RequiredNumber(inertia, name);
    }
  }

  // Each joint has a name of its own.
  void NameJoints() {
    std::map<std::string, std::string> lines;
    for (UrdfJoint& joint : joints_) {
      if (joint.name.empty()) xml_.Refuse(joint.element, "a <joint> has no name");
      const std::string name = joint.name, line = LineOf(joint.element);
      const auto [first, is_new] = lines.emplace(name, line);
      if (is_new) continue;
      std::string own;
      for (int i = 2; own.empty() || Find(own); ++i) own = name + "_" + std::to_string(i);
      joint.element.attribute("name").set_value(own.c_str());
      joint.name = own;
      lines.emplace(own, line);
      std::string notice = "two joints are named '" + name;
      notice.append("', in lines ").append(first->second).append(" and ").append(line);
      notices_.push_back(notice.append(": the second is called '").append(own).append("'"));
    }
  }

  UrdfJoint* Find(const std::string& name) {
    const auto joint = std::ranges::find(joints_, name, &UrdfJoint::name);
    return joint == joints_.end() ? nullptr : &*joint;
  }

  void ReadJoint(UrdfJoint* read) {
    const std::string& type = read->type;
    pugi::xml_node joint = read->element;
    const std::vector<std::string> types = {"revolute", "continuous", "prismatic", "fixed",
                                            "floating", "planar",     "spherical"};
    if (std::ranges::find(types, type) == types.end()) {
      xml_.Refuse(joint, NameOfElement(joint) + ": " + UnknownName("type", type, types));
    }
    read->pose = ReadOrigin(joint);
    const pugi::xml_node axis = First(joint, "axis"), dynamics = First(joint, "dynamics"),
                         limit = First(joint, "limit"), mimic = First(joint, "mimic");
    if (type == "fixed") {
      for (const pugi::xml_node unused : {axis, dynamics, limit, mimic}) {
        joint.remove_child(unused);
      }
      return;
    }
    JointProperties& p = read->properties;
    p.axis = ReadAxis(joint, type);
    p.damping = Number(dynamics, "damping").value_or(0);
    const double friction = Number(dynamics, "friction").value_or(0);
    if (friction < 0) LeaveOut(dynamics, "friction");
    p.frictionloss = std::max(0.0, friction);
    ReadLimit(joint, type, limit, &p);
    read->multiplier = Number(mimic, "multiplier").value_or(1);
    read->offset = Number(mimic, "offset").value_or(0);
  }

  Eigen::Vector3d ReadAxis(pugi::xml_node joint, const std::string& type) {
    const pugi::xml_node axis = joint.child("axis");
    if (IsOneOf(type, "floating spherical")) {
      joint.remove_child(axis);
      return Eigen::Vector3d::UnitZ();
    }
    const std::vector<double> xyz = Numbers(axis, "xyz", 3);
    if (axis && xyz.empty()) joint.remove_child(axis);
    constexpr double kShortest = 1e-10;
    if (!xyz.empty() && !(std::hypot(xyz[0], xyz[1], xyz[2]) > kShortest)) {
      xml_.Refuse(axis, "the axis of " + NameOfElement(joint) + " has no direction: xyz=\"" +
                            axis.attribute("xyz").value() + "\"");
    }
    return xyz.empty() ? Eigen::Vector3d(1, 0, 0) : Eigen::Vector3d(xyz.data()).normalized();
  }

  // Leaves out an attribute that means nothing.
  void LeaveOut(pugi::xml_node element, const char* name) {
    notices_.push_back(NameOfElement(element.parent()) + ": " + name + " " +
                       element.attribute(name).value() + " is left out, it is negative");
    element.remove_attribute(name);
  }

  void ReadLimit(pugi::xml_node joint, const std::string& type, pugi::xml_node limit,
                 JointProperties* read) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    const std::optional<double> effort = Number(limit, "effort", true);
    if (effort && *effort < 0) LeaveOut(limit, "effort");
    if (effort && *effort == kInfinity) limit.remove_attribute("effort");
    if (effort && *effort > 0) {
      read->effort_lower = -*effort;
      read->effort_upper = *effort;
    }
    const std::optional<double> velocity = Number(limit, "velocity", true);
    if (velocity && *velocity < 0) LeaveOut(limit, "velocity");
    if (velocity && *velocity > 0) read->velocity_limit = *velocity;
    std::optional<double> lower = Number(limit, "lower", true),
                          upper = Number(limit, "upper", true);
    if (!IsOneOf(type, "revolute prismatic") || (!lower && !upper)) return;
    // The one that is missing is 0, http://wiki.ros.org/urdf/XML/joint.
    for (const char* name : {"lower", "upper"}) {
      if (!limit.attribute(name)) limit.append_attribute(name) = "0";
    }
    const double low = lower.value_or(0), high = upper.value_or(0);
    if (std::isfinite(low) && std::isfinite(high) && low < high) {
      read->position_lower = low;
      read->position_upper = high;
      return;
    }
    if (low != -kInfinity || high != kInfinity) {
      const char* why = low > high    ? "the lower one is above the upper"
                        : low == high ? "they are equal"
                                      : "one is infinite, which MuJoCo does not read";
      notices_.push_back(NameOfElement(joint) + ": its limits " + limit.attribute("lower").value() +
                         " and " + limit.attribute("upper").value() + " are left out, " + why);
    }
    limit.remove_attribute("lower");
    limit.remove_attribute("upper");
  }

  void TakeLinks() {
    for (pugi::xml_node link : xml_.root().children("link")) {
      const std::string name = link.attribute("name").value();
      if (name.empty()) xml_.Refuse(link, "a <link> has no name");
      const auto [first, is_new] = links_.emplace(name, link);
      if (is_new) continue;
      xml_.Refuse(link, "there is a link '" + name + "' already, in line " + LineOf(first->second));
    }
  }

  void AddWorld() {
    read_.insert(read_.begin(), UrdfLink{.name = "world", .mass = {}});
    links_["world"] = xml_.root().prepend_child("link");
    links_["world"].append_attribute("name") = "world";
  }

  // The link that <parent> or <child> of a joint names.
  std::string LinkOf(pugi::xml_node joint, const char* end) {
    const pugi::xml_node element = joint.child(end);
    if (!element) xml_.Refuse(joint, NameOfElement(joint) + " has no <" + end + ">");
    if (element.next_sibling(end)) {
      xml_.Refuse(joint, NameOfElement(joint) + " has two <" + end + ">");
    }
    const std::string link = element.attribute("link").value();
    if (link == "world" && element.name() == std::string_view("parent") && !links_.contains(link)) {
      AddWorld();  // Drake lets a file leave it out.
      notices_.emplace_back("link 'world', which no <link> describes, is taken as the world");
    }
    if (links_.contains(link)) return link;
    std::vector<std::string> names;
    for (const auto& [name, ignored] : links_) names.push_back(name);
    xml_.Refuse(element, "<" + std::string(end) + "> of " + NameOfElement(joint) + ": " +
                             UnknownName("link", link, names));
  }

  void TakeEnds(UrdfJoint* joint) {
    joint->parent = LinkOf(joint->element, "parent");
    joint->child = LinkOf(joint->element, "child");
    if (joint->child == "world") {
      xml_.Refuse(joint->element, NameOfElement(joint->element) +
                                      ": link 'world' is the world and moves by no joint");
    }
    const auto [first, is_new] = above_.emplace(joint->child, joint);
    if (is_new) return;
    xml_.Refuse(joint->element, "link '" + joint->child + "' is the child of two joints, '" +
                                    first->second->name + "' in line " +
                                    LineOf(first->second->element) + " and '" + joint->name + "'");
  }

  void CheckRoots() {
    std::vector<std::string> roots;
    for (pugi::xml_node link : xml_.root().children("link")) {
      const std::string name = link.attribute("name").value();
      if (!above_.contains(name) && name != "world") roots.push_back(name);
      RefuseCircle(name);
    }
    if (roots.size() + (links_.contains("world") ? 1 : 0) < 2) return;
    TellNames("no joint has these links as its child, they are fixed to the world: ", roots,
              &notices_);
  }

  // Goes from the link towards the root.
  void RefuseCircle(const std::string& start) {
    std::vector<std::string> joints;
    std::set<std::string> seen;
    for (std::string link = start; seen.insert(link).second && !rooted_.contains(link);) {
      const auto joint = above_.find(link);
      if (joint == above_.end()) {
        rooted_.insert(seen.begin(), seen.end());
        return;
      }
      joints.push_back(joint->second->name);
      link = joint->second->parent;
      if (link != start) continue;
      xml_.Refuse(above_.at(start)->element, "these joints go round in a circle: " + List(joints));
    }
    // Ends at a link that reaches the root, or in a circle that does not hold `start`.
    for (const std::string& link : seen) {
      if (rooted_.contains(link)) rooted_.insert(seen.begin(), seen.end());
    }
  }

  void CheckMimics() {
    std::map<std::string, UrdfJoint*> followers;
    for (UrdfJoint& joint : joints_) {
      const pugi::xml_node mimic = joint.element.child("mimic");
      if (!mimic) continue;
      joint.leader = mimic.attribute("joint").value();
      const std::string why = WhyNoLeader(joint);
      if (why.empty()) {
        followers[joint.name] = &joint;
      } else {
        LeaveOutMimic(&joint, why);
      }
    }
    std::vector<UrdfJoint*> circling;
    for (const auto& [name, joint] : followers) {
      std::string at = joint->leader;
      for (std::size_t i = 0; i < followers.size() && at != name && followers.contains(at); ++i) {
        at = followers[at]->leader;
      }
      if (at == name) circling.push_back(joint);
    }
    for (UrdfJoint* joint : circling) {
      LeaveOutMimic(joint, "joint '" + joint->leader + "' mimics it in turn");
    }
  }

  void LeaveOutMimic(UrdfJoint* joint, const std::string& why) {
    notices_.push_back("joint '" + joint->name + "': its <mimic> is left out, " + why);
    joint->element.remove_child("mimic");
    joint->leader.clear();
  }

  // Empty if the joint can follow it.
  std::string WhyNoLeader(const UrdfJoint& joint) {
    if (joint.leader.empty()) return "it names no joint";
    if (joint.leader == joint.name) return "it names the joint itself";
    const UrdfJoint* found = Find(joint.leader);
    if (!found) return "joint '" + joint.leader + "' is not there";
    if (!joint.has_axis()) return "the joint has no axis of its own";
    if (!found->has_axis()) return "joint '" + joint.leader + "' has no axis of its own";
    return "";
  }

  // Where the link is fixed in the world; nullopt if a joint moves it.
  std::optional<Eigen::Isometry3d> FixedPose(const std::string& link) const {
    Eigen::Isometry3d pose = Eigen::Isometry3d::Identity();
    for (auto joint = above_.find(link); joint != above_.end();
         joint = above_.find(joint->second->parent)) {
      if (joint->second->type != "fixed") return std::nullopt;
      pose = joint->second->pose * pose;
    }
    return pose;
  }

  // Hangs a link on a `floating` joint whose parent is fixed to the world on the world itself, at
  // the same place: MuJoCo takes free joints nowhere else.
  void HangOnWorld(UrdfJoint* joint) {
    if (joint->type != "floating" || joint->parent == "world") return;
    const std::optional<Eigen::Isometry3d> pose = FixedPose(joint->parent);
    if (!pose) return;
    joint->pose = *pose * joint->pose;
    joint->parent = "world";
    WriteOrigin(joint->pose, joint->element);
    joint->element.child("parent").attribute("link") = "world";
    if (!links_.contains("world")) AddWorld();
  }

  XmlText& xml_;
  std::vector<std::string>& notices_;
  std::vector<std::string> empty_, repeated_, acting_;
  std::vector<UrdfJoint> joints_;
  std::map<std::string, pugi::xml_node> links_;
  std::map<std::string, const UrdfJoint*> above_;  ///< the joint whose child a link is
  std::set<std::string> rooted_;                   ///< links that reach a root
  std::vector<UrdfLink> read_;
};

}  // namespace

bool UrdfJoint::has_axis() const { return IsOneOf(type, "revolute continuous prismatic"); }

UrdfTree ReadUrdf(XmlText* xml, std::vector<std::string>* notices) {
  UrdfTree urdf = UrdfReader(xml, notices).Read();
  LeaveOutUrdfShapes(xml, notices);
  return urdf;
}

}  // namespace civita::internal
