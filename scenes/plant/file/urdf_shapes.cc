#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <set>
#include <string_view>

#include "base/text.h"
#include "civita/scenes/plant/urdf_text.h"

namespace civita::internal {
namespace {

class UrdfShapes {
 public:
  UrdfShapes(XmlText* xml, std::vector<std::string>* notices) : xml_(*xml), notices_(*notices) {}

  void Check() {
    for (pugi::xml_node link : xml_.root().children("link")) {
      for (const char* kind : {"visual", "collision"}) CheckShapes(link, kind);
    }
    CheckMaterials(xml_.root(), false);
    TellNames("geometry left out: ", shapes_, &notices_);
    TellNames("materials left out: ", materials_, &notices_);
    TellNames("parts of shapes left out, the first one counts: ", repeated_, &notices_);
    TellNames("names left out that several shapes have: ", names_, &notices_);
  }

 private:
  void CheckShapes(pugi::xml_node link, const char* kind) {
    for (pugi::xml_node shape = link.child(kind); shape;) {
      const pugi::xml_node next = shape.next_sibling(kind);
      const std::string why = WhyUseless(shape);
      if (why.empty()) {
        CheckName(shape);
        CheckMaterials(shape, true);
      } else {
        shapes_.push_back(std::string(kind) + " of link '" + link.attribute("name").value() + "'" +
                          xml_.InLine(shape) + " (" + why + ")");
        link.remove_child(shape);
      }
      shape = next;
    }
  }

  void CheckName(pugi::xml_node shape) {
    const std::string name = shape.attribute("name").value();
    if (name.empty() || used_.insert(name).second) return;
    names_.push_back(name);
    shape.remove_attribute("name");
  }

  static bool IsAny(double /*x*/) { return true; }

  // Whether the attribute is `count` finite numbers that are `right`.
  template <typename Right>
  static bool HasNumbers(pugi::xml_node element, const char* name, std::size_t count, Right right) {
    const auto numbers = ReadNumbers(element.attribute(name).value());
    return numbers && numbers->size() == count &&
           std::ranges::all_of(*numbers, [&](double x) { return std::isfinite(x) && right(x); });
  }

  // Empty if MuJoCo can read the shape.
  std::string WhyUseless(pugi::xml_node shape) {
    pugi::xml_node geometry = shape.child("geometry"), origin = shape.child("origin");
    if (!geometry) return "it has no <geometry>";
    for (const char* name : {"geometry", "origin"}) KeepFirst(shape, name);
    for (const char* name : {"xyz", "rpy"}) {
      if (origin.attribute(name) && !HasNumbers(origin, name, 3, IsAny)) {
        return std::string(name) + "=\"" + origin.attribute(name).value() + "\" is not 3 numbers";
      }
    }
    const pugi::xml_node form = geometry.find_child(
        [](pugi::xml_node child) { return child.type() == pugi::node_element; });
    if (!form) return "its <geometry> is empty";
    while (const pugi::xml_node next = form.next_sibling()) {
      repeated_.push_back("<" + std::string(next.name()) + "> of <geometry>" + xml_.InLine(next));
      geometry.remove_child(next);
    }
    return WhyNoForm(form);
  }

  void KeepFirst(pugi::xml_node parent, const char* name) {
    xml_.KeepFirst(parent, name, std::string("<") + parent.name() + ">", &repeated_);
  }

  static std::string WhyNoForm(pugi::xml_node form) {
    const std::string_view name = form.name();
    if (name == "box") return WhyNoSize(form, "size", 3);
    if (name == "sphere") return WhyNoSize(form, "radius", 1);
    if (name == "cylinder" || name == "capsule") {
      const std::string why = WhyNoSize(form, "radius", 1);
      return why.empty() ? WhyNoSize(form, "length", 1) : why;
    }
    if (name != "mesh") return "<" + std::string(name) + "> is no shape that MuJoCo reads";
    if (form.attribute("filename").empty() || *form.attribute("filename").value() == '\0') {
      return "its <mesh> has no filename";
    }
    const pugi::xml_attribute scale = form.attribute("scale");
    if (!scale || HasNumbers(form, "scale", 3, [](double x) { return x != 0; })) return "";
    return "scale=\"" + std::string(scale.value()) + "\" is not 3 numbers other than 0";
  }

  static std::string WhyNoSize(pugi::xml_node form, const char* name, std::size_t count) {
    if (HasNumbers(form, name, count, [](double x) { return x > 0; })) return "";
    return std::string(name) + "=\"" + form.attribute(name).value() + "\" of its <" + form.name() +
           "> is not " + (count == 1 ? "a number > 0" : "3 numbers > 0");
  }

  // The materials of the file, or of a shape, which has one.
  void CheckMaterials(pugi::xml_node parent, bool one) {
    bool has_one = false;
    for (pugi::xml_node material = parent.child("material"); material;) {
      const pugi::xml_node next = material.next_sibling("material");
      const bool nameless = material.attribute("name").empty();
      const pugi::xml_node color = material.child("color");
      KeepFirst(material, "color");
      std::string why;
      if (one && has_one) {
        why = "the first one counts";
      } else if (color && !HasNumbers(color, "rgba", 4, IsAny)) {
        why = "rgba=\"" + std::string(color.attribute("rgba").value()) + "\" is not 4 numbers";
      } else if (one && nameless && !color) {
        why = "it has neither name nor color";
      }
      has_one = has_one || why.empty();
      if (!why.empty()) {
        materials_.push_back("'" + std::string(material.attribute("name").value()) + "'" +
                             xml_.InLine(material) + " (" + why + ")");
        parent.remove_child(material);
      }
      material = next;
    }
  }

  XmlText& xml_;
  std::vector<std::string>& notices_;
  std::vector<std::string> shapes_, materials_, names_, repeated_;
  std::set<std::string> used_;
};

}  // namespace

void LeaveOutUrdfShapes(XmlText* xml, std::vector<std::string>* notices) {
  UrdfShapes(xml, notices).Check();
}

std::string WriteUrdf(XmlText* xml, bool visuals) {
  pugi::xml_node robot = xml->root();
  const bool own_settings = static_cast<bool>(robot.child("mujoco"));
  const bool has_collisions = static_cast<bool>(robot.find_node(
      [](pugi::xml_node node) { return node.name() == std::string_view("collision"); }));
  if (!own_settings && (visuals || !has_collisions)) {
    robot.prepend_child("mujoco").append_child("compiler").append_attribute("discardvisual") =
        "false";
  }
  return xml->Write();
}

}  // namespace civita::internal
