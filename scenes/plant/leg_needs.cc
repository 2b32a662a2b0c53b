#include "civita/scenes/plant/leg_needs.h"

#include <mujoco/mujoco.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/text.h"
#include "civita/scenes/schema/key_error.h"
#include "civita/scenes/schema/yaml_value.h"
#include "civita/suggest.h"

namespace civita {
namespace {

using internal::Join;

bool HasGround(const mjModel& m) {
  for (int geom = 0; geom < m.ngeom; ++geom) {
    const bool collides = m.geom_contype[geom] != 0 || m.geom_conaffinity[geom] != 0;
    if (collides && m.body_weldid[m.geom_bodyid[geom]] == 0) return true;
  }
  return false;
}

bool IsKnown(const mjModel& m, const std::string& name) {
  return mj_name2id(&m, mjOBJ_BODY, name.c_str()) > 0 ||
         mj_name2id(&m, mjOBJ_SITE, name.c_str()) >= 0;
}

std::vector<std::string> NamesOfBodies(const mjModel& m) {
  std::vector<std::string> names;
  for (int body = 1; body < m.nbody; ++body) {
    const char* name = mj_id2name(&m, mjOBJ_BODY, body);
    if (name != nullptr && *name != '\0') names.emplace_back(name);
  }
  return names;
}

std::string DescribeUnknown(const mjModel& m, const std::string& name) {
  const std::string nearest = NearestName(name, NamesOfBodies(m));
  return "legs.feet: no body or site is named '" + name + "'" +
         (nearest.empty() ? "" : " (did you mean '" + nearest + "'?)");
}

std::string RoundedPoints(const LegProposal::Leg& leg) {
  std::string text;
  for (const Eigen::Vector3d& point : leg.points) {
    std::vector<double> numbers;
    for (const double x : point) numbers.push_back(std::round(x * 1e4) / 1e4 + 0.0);
    text += (text.empty() ? "" : ", ") + ToYamlText(numbers);
  }
  return "[" + text + "]";
}

// The section `legs` with the feet of the config, or the proposed ones.
std::string WriteLegs(const std::vector<std::string>& known, const LegProposal& proposal) {
  std::vector<std::string> feet, points, radii;
  for (const LegProposal::Leg& leg : proposal.legs) {
    const std::string name = ToYamlText(std::string_view(leg.foot));
    feet.push_back(name);
    if (leg.has_balls) continue;
    points.push_back(name + ": " + RoundedPoints(leg));
    radii.push_back(name + ": " + ToYamlText(leg.radius));
  }
  if (!known.empty()) {
    feet.clear();
    points.clear();
    for (const std::string& name : known) feet.push_back(ToYamlText(std::string_view(name)));
  }
  std::string text = "legs: {feet: [" + Join(feet, ", ") + "]";
  if (!points.empty()) {
    text += ", points_m: {" + Join(points, ", ") + "}, radius_m: {" + Join(radii, ", ") + "}";
  }
  return text + "}";
}

bool HasAngles(const SceneConfig& config, const mjModel& m) {
  return config.initial.q || !config.initial.joints.empty() ||
         mj_name2id(&m, mjOBJ_KEY, "home") >= 0;
}

// What the law needs and the config lacks; each may add a section to the config that has it.
class Needs {
 public:
  Needs(const SceneConfig& config, const mjModel& m)
      : config_(config), m_(m), urdf_(config.model.extension() == ".urdf") {}

  void Check() {
    CheckBase();
    const bool feet = CheckFeet();
    CheckContacts();
    if (lacks_.empty()) return;
    const LegProposal proposal = ProposeLegs(m_);
    if (!feet && proposal.legs.empty() && !proposal.lowest.empty()) {
      lacks_.push_back("the lowest bodies are " + internal::List(proposal.lowest));
    }
    throw KeyError("controller.type",
                   "controller.type " + config_.controller + " makes a robot stand on its feet; " +
                       Join(lacks_, "; ") + ". A config: " + WriteConfig(feet, proposal));
  }

 private:
  void CheckBase() {
    if (m_.njnt > 0 && m_.jnt_type[0] == mjJNT_FREE) return;
    const char* name = m_.njnt > 0 ? mj_id2name(&m_, mjOBJ_JOINT, 0) : nullptr;
    const std::string first =
        m_.njnt == 0 ? "the model has no joint"
                     : "the first joint is " + std::string(name == nullptr ? "not free" : name);
    lacks_.push_back(urdf_ ? "robot.floating_base: the base is fixed to the world, " + first +
                                 "; true makes it free, on a floor"
                           : "the base is fixed to the world, " + first +
                                 "; in MJCF <freejoint/> in the trunk's body makes it free");
    frees_ = urdf_;
  }

  // @returns whether all feet are known.
  bool CheckFeet() {
    if (config_.legs.feet.empty()) {
      lacks_.emplace_back("legs.feet: names no bodies or sites");
      return false;
    }
    const size_t before = lacks_.size();
    for (const std::string& name : config_.legs.feet) {
      if (!IsKnown(m_, name)) lacks_.push_back(DescribeUnknown(m_, name));
    }
    return lacks_.size() == before;
  }

  void CheckContacts() {
    if ((m_.opt.disableflags & mjDSBL_CONTACT) != 0) {
      lacks_.emplace_back("physics.contacts: bodies do not touch; true lets them");
      touches_ = true;
    }
    if (frees_ || HasGround(m_)) return;
    lacks_.emplace_back(
        urdf_ ? "robot.floating_base: the world has nothing to stand on; true takes the floating "
                "joint of the root as the base, on a floor"
              : "the world has nothing to stand on, as <geom type=\"plane\" size=\"5 5 1\"/>");
    frees_ = urdf_;
  }

  std::string WriteConfig(bool feet, const LegProposal& proposal) const {
    const std::string model = config_.model.string();
    std::string text = "{model: " + ToYamlText(std::string_view(model)) +
                       ", controller: {type: " + config_.controller + "}, reference: {type: hold}";
    if (touches_ || config_.physics.contacts) text += ", physics: {contacts: true}";
    if (frees_ || config_.robot.floating_base) text += ", robot: {floating_base: true}";
    const bool known = feet && !config_.legs.feet.empty();
    const bool same_points = config_.legs.points.all.empty() && config_.legs.points.own.empty();
    if (!known || same_points) {
      text += ", " + WriteLegs(known ? config_.legs.feet : std::vector<std::string>(), proposal);
    }
    const std::string angles = HasAngles(config_, m_) ? "" : WriteAngles(proposal);
    if (!angles.empty()) text += ", initial: {joints: " + angles + "}";
    return text + "}";
  }

  const SceneConfig& config_;
  const mjModel& m_;
  bool urdf_, frees_ = false, touches_ = false;
  std::vector<std::string> lacks_;
};

}  // namespace

void CheckLegNeeds(const SceneConfig& config, const mjModel& m) { Needs(config, m).Check(); }

std::string WriteAngles(const LegProposal& proposal) {
  std::string text;
  for (const auto& [name, angle] : proposal.joints) {
    text +=
        (text.empty() ? "" : ", ") + ToYamlText(std::string_view(name)) + ": " + ToYamlText(angle);
  }
  return text.empty() ? "" : "{" + text + "}";
}

}  // namespace civita
