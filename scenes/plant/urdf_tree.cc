#include "civita/scenes/plant/urdf_tree.h"

#include <map>
#include <set>
#include <string_view>

#include "base/text.h"
#include "civita/suggest.h"

namespace civita::internal {
namespace {

class UrdfTree {
 public:
  UrdfTree(XmlText* xml, std::vector<std::string>* notices) : xml_(*xml), notices_(*notices) {}

  void Check() {
    TakeLinks();
    TakeJoints();
    CheckRoots();
    CheckMimics();
  }

 private:
  static std::string Quoted(pugi::xml_node element) {
    return std::string(element.name()) + " '" + element.attribute("name").value() + "'";
  }

  void TakeLinks() {
    for (pugi::xml_node link : xml_.root().children("link")) {
      const std::string name = link.attribute("name").value();
      if (name.empty()) xml_.Refuse(link, "a <link> has no name");
      const auto [first, is_new] = links_.emplace(name, link);
      if (is_new) continue;
      xml_.Refuse(link, "there is a link '" + name + "' already, in line " +
                            std::to_string(xml_.Line(first->second)));
    }
  }

  // The link that <parent> or <child> of a joint names.
  std::string LinkOf(pugi::xml_node joint, const char* end) {
    const pugi::xml_node element = joint.child(end);
    if (!element) xml_.Refuse(joint, Quoted(joint) + " has no <" + end + ">");
    if (element.next_sibling(end)) xml_.Refuse(joint, Quoted(joint) + " has two <" + end + ">");
    const std::string link = element.attribute("link").value();
    if (link == "world" && element.name() == std::string_view("parent") && !links_.contains(link)) {
      // Drake lets a file leave it out.
      links_[link] = xml_.root().prepend_child("link");
      links_[link].append_attribute("name") = "world";
      notices_.emplace_back("link 'world', which no <link> describes, is taken as the world");
    }
    if (links_.contains(link)) return link;
    std::vector<std::string> names;
    for (const auto& [name, ignored] : links_) names.push_back(name);
    xml_.Refuse(element, "<" + std::string(end) + "> of " + Quoted(joint) + ": " +
                             UnknownName("link", link, names));
  }

  void TakeJoints() {
    for (pugi::xml_node joint : xml_.root().children("joint")) {
      LinkOf(joint, "parent");  // is checked
      const std::string child = LinkOf(joint, "child");
      if (child == "world") {
        xml_.Refuse(joint, Quoted(joint) + ": link 'world' is the world and moves by no joint");
      }
      const auto [first, is_new] = above_.emplace(child, joint);
      if (is_new) continue;
      xml_.Refuse(joint, "link '" + child + "' is the child of two joints, '" +
                             first->second.attribute("name").value() + "' in line " +
                             std::to_string(xml_.Line(first->second)) + " and '" +
                             joint.attribute("name").value() + "'");
    }
  }

  void CheckRoots() {
    std::vector<std::string> roots;
    for (pugi::xml_node link : xml_.root().children("link")) {
      const std::string name = link.attribute("name").value();
      if (!above_.contains(name) && name != "world") roots.push_back(name);
      RefuseCircle(name);
    }
    if (roots.size() + (links_.contains("world") ? 1 : 0) < 2) return;
    notices_.push_back("no joint has these links as its child, they are fixed to the world: " +
                       List(roots));
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
      joints.push_back(joint->second.attribute("name").value());
      link = joint->second.child("parent").attribute("link").value();
      if (link != start) continue;
      xml_.Refuse(above_.at(start), "these joints go round in a circle: " + List(joints));
    }
    // Ends at a link that reaches the root, or in a circle that does not hold `start`.
    for (const std::string& link : seen) {
      if (rooted_.contains(link)) rooted_.insert(seen.begin(), seen.end());
    }
  }

  void CheckMimics() {
    std::map<std::string, std::string> leaders;
    std::map<std::string, pugi::xml_node> followers;
    for (pugi::xml_node joint : xml_.root().children("joint")) {
      const pugi::xml_node mimic = joint.child("mimic");
      if (!mimic) continue;
      if (joint.attribute("type").value() == std::string_view("fixed")) {
        joint.remove_child(mimic);  // it does not move, whatever it follows
        continue;
      }
      const std::string name = joint.attribute("name").value(),
                        leader = mimic.attribute("joint").value();
      const std::string why = WhyNoLeader(joint, leader);
      if (why.empty()) {
        leaders[name] = leader;
        followers[name] = joint;
        continue;
      }
      LeaveOut(joint, why);
    }
    std::vector<std::string> circling;
    for (const auto& [name, leader] : leaders) {
      std::string at = leader;
      for (std::size_t i = 0; i < leaders.size() && at != name && leaders.contains(at); ++i) {
        at = leaders[at];
      }
      if (at == name) circling.push_back(name);
    }
    for (const std::string& name : circling) {
      LeaveOut(followers[name], "joint '" + leaders[name] + "' mimics it in turn");
    }
  }

  void LeaveOut(pugi::xml_node joint, const std::string& why) {
    notices_.push_back(Quoted(joint) + ": its <mimic> is left out, " + why);
    joint.remove_child("mimic");
  }

  // Empty if the joint can follow it.
  std::string WhyNoLeader(pugi::xml_node joint, const std::string& leader) const {
    constexpr auto one_axis = [](pugi::xml_node node) {
      const std::string_view type = node.attribute("type").value();
      return type == "revolute" || type == "continuous" || type == "prismatic";
    };
    if (leader.empty()) return "it names no joint";
    if (leader == joint.attribute("name").value()) return "it names the joint itself";
    const pugi::xml_node found = xml_.root().find_child([&leader = leader](pugi::xml_node child) {
      return child.name() == std::string_view("joint") && child.attribute("name").value() == leader;
    });
    if (!found) return "joint '" + leader + "' is not there";
    if (!one_axis(joint)) return "the joint has no axis of its own";
    if (!one_axis(found)) return "joint '" + leader + "' has no axis of its own";
    return "";
  }

  XmlText& xml_;
  std::vector<std::string>& notices_;
  std::map<std::string, pugi::xml_node> links_;
  std::map<std::string, pugi::xml_node> above_;  ///< the joint whose child a link is
  std::set<std::string> rooted_;
};

}  // namespace

void CheckUrdfTree(XmlText* xml, std::vector<std::string>* notices) {
  UrdfTree(xml, notices).Check();
}

}  // namespace civita::internal
