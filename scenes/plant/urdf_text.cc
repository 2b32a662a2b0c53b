#include "civita/scenes/plant/urdf_text.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <initializer_list>
#include <limits>
#include <optional>
#include <sstream>
#include <string_view>
#include <utility>

#include "base/number_text.h"
#include "base/text.h"
#include "civita/scenes/plant/urdf_floating.h"
#include "civita/scenes/plant/urdf_shapes.h"
#include "civita/scenes/plant/urdf_tree.h"
#include "civita/suggest.h"

namespace civita::internal {
namespace {

bool IsOneOf(std::string_view word, std::string_view words) {
  return !word.empty() && word.find(' ') == word.npos &&
         (" " + std::string(words) + " ").find(" " + std::string(word) + " ") != std::string::npos;
}

constexpr std::string_view kOneAxis = "revolute continuous prismatic";

/// Reads the attributes of links and joints that the equations of motion need.
class UrdfReader {
 public:
  UrdfReader(XmlText* xml, std::vector<std::string>* notices) : xml_(*xml), notices_(*notices) {}

  UrdfText Read() {
    RefuseMacros();
    for (pugi::xml_node unit : xml_.root().children("transmission")) ReadRotor(unit);
    KeepKnown();
    NameJoints();
    for (pugi::xml_node link : xml_.root().children("link")) ReadLink(link);
    for (pugi::xml_node joint : xml_.root().children("joint")) ReadJoint(joint);
    Tell("read as absent because they are empty: ", empty_);
    Tell("left out because the first one counts: ", repeated_);
    Tell("left out, though they may act on the motion: ", acting_);
    std::vector<std::string> rotors;
    for (const auto& [joint, ignored] : read_.armatures) rotors.push_back(joint);
    Tell(
        "the armature of these joints is that of rotors, drake:rotor_inertia times the square of "
        "drake:gear_ratio: ",
        rotors);
    return std::move(read_);
  }

 private:
  void Tell(const std::string& what, const std::vector<std::string>& names) {
    if (!names.empty()) notices_.push_back(what + List(names));
  }

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
    const std::string joint = transmission.child("joint").attribute("name").value();
    const std::string_view type = FindJoint(joint).attribute("type").value();
    if (I * n != 0 && IsOneOf(type, kOneAxis)) read_.armatures[joint] += I * n * n;
  }

  // The first child of this name; others are left out.
  pugi::xml_node First(pugi::xml_node parent, const char* name) {
    const pugi::xml_node first = parent.child(name);
    while (const pugi::xml_node next = first.next_sibling(name)) {
      repeated_.push_back("<" + std::string(name) + "> of " + NameOfElement(parent) + ", line " +
                          LineOf(next));
      parent.remove_child(next);
    }
    return first;
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
      empty_.push_back(std::string(name) + " of " + NameOfElement(element) + ", line " +
                       LineOf(element));
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

  void ReadOrigin(pugi::xml_node parent) {
    const pugi::xml_node origin = First(parent, "origin");
    Numbers(origin, "xyz", 3);
    Numbers(origin, "rpy", 3);
  }

  void ReadLink(pugi::xml_node link) {
    const pugi::xml_node inertial = First(link, "inertial");
    if (!inertial) return;
    ReadOrigin(inertial);
    const pugi::xml_node mass = Required(inertial, "mass");
    if (RequiredNumber(mass, "value") < 0) {
      xml_.Refuse(mass, "the mass of " + NameOfElement(link) +
                            " is negative: " + mass.attribute("value").value());
    }
    const pugi::xml_node inertia = Required(inertial, "inertia");
    for (const char* name : {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"}) {
      RequiredNumber(inertia, name);
    }
  }

  // Each joint has a name of its own.
  void NameJoints() {
    std::map<std::string, std::size_t> lines;
    for (pugi::xml_node joint : xml_.root().children("joint")) {
      const std::string name = joint.attribute("name").value();
      if (name.empty()) xml_.Refuse(joint, "a <joint> has no name");
      const auto [first, is_new] = lines.emplace(name, xml_.Line(joint));
      if (is_new) continue;
      std::string own;
      for (int i = 2; own.empty() || HasJoint(own); ++i) own = name + "_" + std::to_string(i);
      joint.attribute("name").set_value(own.c_str());
      lines.emplace(own, xml_.Line(joint));
      TellSecondName(name, first->second, xml_.Line(joint), own);
    }
  }

  void TellSecondName(const std::string& name, std::size_t first, std::size_t second,
                      const std::string& own) {
    notices_.push_back("two joints are named '" + name + "', in lines " + std::to_string(first) +
                       " and " + std::to_string(second) + ": the second is called '" + own + "'");
  }

  pugi::xml_node FindJoint(const std::string& name) const {
    return xml_.root().find_child([&name](pugi::xml_node child) {
      return child.name() == std::string_view("joint") && child.attribute("name").value() == name;
    });
  }
  bool HasJoint(const std::string& name) const { return static_cast<bool>(FindJoint(name)); }

  void ReadJoint(pugi::xml_node joint) {
    const std::string type = joint.attribute("type").value();
    const std::vector<std::string> types = {"revolute", "continuous", "prismatic", "fixed",
                                            "floating", "planar",     "spherical"};
    if (std::ranges::find(types, type) == types.end()) {
      xml_.Refuse(joint, NameOfElement(joint) + ": " + UnknownName("type", type, types));
    }
    ReadOrigin(joint);
    const pugi::xml_node axis = First(joint, "axis"), dynamics = First(joint, "dynamics"),
                         limit = First(joint, "limit"), mimic = First(joint, "mimic");
    if (type == "fixed") {
      for (const pugi::xml_node unused : {axis, dynamics, limit}) joint.remove_child(unused);
      return;
    }
    ReadAxis(joint, type);
    Number(dynamics, "damping");
    if (Number(dynamics, "friction").value_or(0) < 0) LeaveOut(dynamics, "friction");
    ReadLimit(joint, type, limit);
    Number(mimic, "multiplier");
    Number(mimic, "offset");
  }

  void ReadAxis(pugi::xml_node joint, const std::string& type) {
    const pugi::xml_node axis = joint.child("axis");
    if (IsOneOf(type, "floating spherical")) {
      joint.remove_child(axis);
      return;
    }
    const std::vector<double> xyz = Numbers(axis, "xyz", 3);
    if (axis && xyz.empty()) joint.remove_child(axis);
    constexpr double kShortest = 1e-10;
    if (!xyz.empty() && !(std::hypot(xyz[0], xyz[1], xyz[2]) > kShortest)) {
      xml_.Refuse(axis, "the axis of " + NameOfElement(joint) + " has no direction: xyz=\"" +
                            axis.attribute("xyz").value() + "\"");
    }
  }

  // Leaves out an attribute that means nothing.
  void LeaveOut(pugi::xml_node element, const char* name) {
    notices_.push_back(NameOfElement(element.parent()) + ": " + name + " " +
                       element.attribute(name).value() + " is left out, it is negative");
    element.remove_attribute(name);
  }

  void ReadLimit(pugi::xml_node joint, const std::string& type, pugi::xml_node limit) {
    constexpr double kInfinity = std::numeric_limits<double>::infinity();
    const std::optional<double> effort = Number(limit, "effort", true);
    if (effort && *effort < 0) LeaveOut(limit, "effort");
    if (effort && *effort == kInfinity) limit.remove_attribute("effort");
    const std::optional<double> velocity = Number(limit, "velocity", true);
    if (velocity && *velocity < 0) LeaveOut(limit, "velocity");
    if (velocity && *velocity > 0 && *velocity < kInfinity) {
      read_.speed_limits[joint.attribute("name").value()] = *velocity;
    }
    std::optional<double> lower = Number(limit, "lower", true),
                          upper = Number(limit, "upper", true);
    if (!IsOneOf(type, "revolute prismatic") || (!lower && !upper)) return;
    // The one that is missing is 0, http://wiki.ros.org/urdf/XML/joint.
    for (const char* name : {"lower", "upper"}) {
      if (!limit.attribute(name)) limit.append_attribute(name) = "0";
    }
    const double low = lower.value_or(0), high = upper.value_or(0);
    if (std::isfinite(low) && std::isfinite(high) && low < high) return;
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

  XmlText& xml_;
  std::vector<std::string>& notices_;
  std::vector<std::string> empty_, repeated_, acting_;
  UrdfText read_;
};

// Writes the elements, each in its line, without texts.
std::string Write(XmlText* xml) {
  struct Breaker : pugi::xml_tree_walker {
    explicit Breaker(const XmlText& text) : xml(text) {}
    bool for_each(pugi::xml_node& node) override {
      if (node.type() == pugi::node_pcdata || node.type() == pugi::node_cdata) {
        node.set_value("");
        return true;
      }
      if (node.type() != pugi::node_element || node.offset_debug() < 0) return true;
      const std::size_t at = xml.Line(node);
      if (at <= line) return true;
      node.parent()
          .insert_child_before(pugi::node_pcdata, node)
          .set_value(std::string(at - line, '\n').c_str());
      line = at;
      return true;
    }
    const XmlText& xml;
    std::size_t line = 1;
  } breaker(*xml);
  // The root's line breaks would stand before it, where no text is.
  breaker.line = xml->Line(xml->root());
  pugi::xml_node root = xml->root();
  root.traverse(breaker);
  std::ostringstream text;
  text << std::string(xml->Line(root) - 1, '\n');
  root.print(text, "", pugi::format_raw | pugi::format_no_declaration);
  return text.str();
}

}  // namespace

UrdfText ReadUrdf(XmlText* xml, bool visuals, std::vector<std::string>* notices) {
  UrdfText urdf = UrdfReader(xml, notices).Read();
  CheckUrdfTree(xml, notices);
  HangFloatingLinks(xml);
  LeaveOutUrdfShapes(xml, notices);
  pugi::xml_node robot = xml->root();
  const bool own_settings = static_cast<bool>(robot.child("mujoco"));
  const bool has_collisions = static_cast<bool>(robot.find_node(
      [](pugi::xml_node node) { return node.name() == std::string_view("collision"); }));
  if (!own_settings && (visuals || !has_collisions)) {
    robot.prepend_child("mujoco").append_child("compiler").append_attribute("discardvisual") =
        "false";
  }
  urdf.text = Write(xml);
  return urdf;
}

}  // namespace civita::internal
