#include "tests/campaign/random_mjcf.h"

#include <cstdio>
#include <initializer_list>
#include <random>
#include <vector>

namespace civita {
namespace {

class Writer {
 public:
  explicit Writer(unsigned seed) : random_(seed) {}

  std::string Model() {
    bodies_ = 1 + Below(6);
    const std::string option = Option(), defaults = Maybe(0.2, Defaults());
    std::string world;
    for (int root = 0; next_body_ < bodies_; ++root) world += Body(0);
    // MuJoCo ends the program for some flexes with the integrator `discrete`.
    if (!discrete_ && One(0.05)) world += Flex();
    world += "<site name='w0' pos='" + Numbers(3, -1, 1) + "'/>";
    sites_.push_back("w0");
    if (One(0.3)) {
      world += "<geom name='floor' type='plane' size='5 5 1' pos='0 0 -2'" +
               Maybe(0.1, " adhesion='2'") + "/>";
    }
    return "<mujoco><compiler angle='" + std::string(One(0.5) ? "radian" : "degree") + "'" +
           Maybe(0.1, " autolimits='false'") + "/>" + option + defaults + "<worldbody>" + world +
           "</worldbody>" + Tendons() + Actuators() + Equalities() + "</mujoco>\n";
  }

 private:
  double Uniform(double low, double high) {
    return std::uniform_real_distribution<>(low, high)(random_);
  }
  int Below(int n) { return std::uniform_int_distribution<>(0, n - 1)(random_); }
  bool One(double probability) { return Uniform(0, 1) < probability; }
  std::string Maybe(double probability, const std::string& text) {
    return One(probability) ? text : "";
  }
  std::string Choose(std::initializer_list<const char*> words) {
    return words.begin()[Below(static_cast<int>(words.size()))];
  }
  std::string Of(const std::vector<std::string>& names) {
    return names[static_cast<size_t>(Below(static_cast<int>(names.size())))];
  }
  static std::string Text(double x) {
    char text[32];
    std::snprintf(text, sizeof text, "%.6g", x);
    return text;
  }
  std::string Numbers(int n, double low, double high) {
    std::string text;
    for (int i = 0; i < n; ++i) text += (i > 0 ? " " : "") + Text(Uniform(low, high));
    return text;
  }
  /// An attribute with a chance.
  std::string Attribute(double chance, const std::string& name, int n, double low, double high) {
    const std::string value = Numbers(n, low, high);
    return Maybe(chance, " " + name + "='" + value + "'");
  }
  /// Coefficients of a force: one to three, seldom negative.
  std::string Cubic(double chance, const std::string& name) {
    const double low = One(0.15) ? -2 : 0;
    return Attribute(chance, name, 1 + Below(3), low, 5);
  }

  std::string Option() {
    std::string flags;
    for (const char* flag : {"constraint", "equality", "frictionloss", "limit", "contact", "spring",
                             "damper", "gravity", "actuation", "eulerdamp", "refsafe", "island"}) {
      flags += Maybe(0.1, std::string(" ") + flag + "='disable'");
    }
    for (const char* flag : {"override", "energy", "invdiscrete", "multiccd"}) {
      flags += Maybe(0.05, std::string(" ") + flag + "='enable'");
    }
    discrete_ = One(0.2);
    return "<option" + Attribute(0.3, "gravity", 3, -12, 12) +
           Attribute(0.05, "density", 1, 0, 1000) + Attribute(0.05, "viscosity", 1, 0, 1) +
           Attribute(0.1, "wind", 3, -2, 2) + " integrator='" +
           (discrete_ ? "discrete" : Choose({"Euler", "RK4", "implicit", "implicitfast"})) +
           "' cone='" + Choose({"pyramidal", "elliptic"}) + "' jacobian='" +
           Choose({"dense", "sparse", "auto"}) + "'><flag" + flags + "/></option>";
  }

  std::string Defaults() {
    return "<default><joint" + Forces(0.3) + "/><tendon" + Cubic(0.3, "stiffness") +
           "/><geom friction='.5 .1 .1'/></default>";
  }

  /// Spring, damping and dry friction, of joints and tendons.
  std::string Forces(double chance) {
    return Cubic(chance, "stiffness") + Cubic(chance, "damping") +
           Attribute(chance, "frictionloss", 1, 0, 2);
  }

  std::string Joint(const std::string& type) {
    const std::string name = "j" + std::to_string(joints_++);
    const bool scalar = type == "hinge" || type == "slide";
    std::string text = "<joint name='" + name + "' type='" + type + "'" + Forces(0.35) +
                       Attribute(0.3, "armature", 1, 0, 0.5);
    if (type != "free") {
      text += Attribute(0.5, "pos", 3, -0.2, 0.2) + Attribute(0.05, "springyield", 1, 3, 9);
    }
    if (scalar) {
      scalars_.push_back(name);
      text += " axis='" + Numbers(3, -1, 1) + "'" + Attribute(0.3, "ref", 1, -1, 1) +
              Attribute(0.3, "springref", 1, -1, 1) + Attribute(0.05, "springdamper", 2, 0.1, 1) +
              Maybe(0.2, " limited='true' range='-1 2'") +
              Maybe(0.1, " actuatorfrclimited='true' actuatorfrcrange='-1 2'") +
              Maybe(0.05, " actuatorgravcomp='true'");
    } else if (type == "ball") {
      others_.push_back(name);
      text += Maybe(0.2, " limited='true' range='0 2'");
    } else {
      others_.push_back(name);
    }
    return text + "/>";
  }

  std::string Joints(bool root) {
    const double kind = Uniform(0, 1);
    if (root && kind < 0.2) {
      if (One(0.5)) return Joint("free");
      others_.push_back("j" + std::to_string(joints_));
      return "<freejoint name='j" + std::to_string(joints_++) + "'/>";
    }
    if (kind < 0.35) return Joint("ball");
    if (kind < 0.4) return Joint("slide") + Joint("ball");
    std::string joints;
    for (int i = kind < 0.7 ? 1 : Below(4); i > 0; --i)
      joints += Joint(One(0.6) ? "hinge" : "slide");
    return joints;
  }

  std::string Geom(int body) {
    const std::string name = "g" + std::to_string(body);
    return "<geom name='" + name + "' type='" + Choose({"sphere", "box", "capsule", "ellipsoid"}) +
           "' size='" + Numbers(3, 0.03, 0.15) + "' pos='" + Numbers(3, -0.2, 0.2) + "' euler='" +
           Numbers(3, -1, 1) + "' mass='" + Numbers(1, 0.2, 2) + "'" +
           Maybe(0.05, " adhesion='2'") + Maybe(0.05, " fluidshape='ellipsoid'") +
           Maybe(0.3, " contype='0' conaffinity='0'") + "/>";
  }

  std::string Body(int depth) {
    const int body = next_body_++;
    const std::string number = std::to_string(body);
    body_names_.push_back("b" + number);
    std::string text = "<body name='b" + number + "' pos='" + Numbers(3, -0.4, 0.4) + "' euler='" +
                       Numbers(3, -1, 1) + "'" + Attribute(0.04, "gravcomp", 1, 0, 1.5) + ">";
    text += Joints(depth == 0) + Geom(body);
    if (One(0.2)) {
      text += "<inertial pos='" + Numbers(3, -0.1, 0.1) + "' mass='" + Numbers(1, 0.3, 2) +
              "' diaginertia='" + Numbers(3, 0.02, 0.03) + "' euler='" + Numbers(3, -1, 1) + "'/>";
    }
    text += "<site name='s" + number + "' pos='" + Numbers(3, -0.2, 0.2) + "'/>";
    sites_.push_back("s" + number);
    while (next_body_ < bodies_ && depth < 5 && One(0.7)) {
      const bool frame = One(0.2);
      text +=
          (frame ? "<frame pos='" + Numbers(3, -0.2, 0.2) + "' euler='" + Numbers(3, -1, 1) + "'>"
                 : std::string());
      text += Body(depth + 1) + (frame ? "</frame>" : "");
    }
    return text + "</body>";
  }

  std::string Flex() {
    const bool cord = One(0.5);
    return "<flexcomp name='flex' type='grid' spacing='.1 .1 .1' mass='1' pos='" +
           Numbers(3, 2, 3) + "' " + (cord ? "dim='1' count='4 1 1'" : "dim='2' count='3 3 1'") +
           ">" +
           (cord ? "<edge" + Attribute(0.5, "stiffness", 1, 1, 9)
                 : "<elasticity elastic2d='both'" + Attribute(0.5, "young", 1, 100, 1e4) +
                       " thickness='.01'") +
           Attribute(0.5, "damping", 1, 0.1, 1) + "/></flexcomp>";
  }

  std::string Tendons() {
    std::string text;
    for (int i = Below(5); i > 0; --i) {
      const bool fixed = One(0.75) && !scalars_.empty();
      if (!fixed && sites_.size() < 2) continue;
      const std::string name = "t" + std::to_string(tendons_.size()),
                        kind = fixed ? "fixed" : "spatial";
      text += "<" + kind + " name='" + name + "'" + Forces(0.4) +
              Attribute(0.05, "armature", 1, 0, 0.5) + Attribute(0.05, "springyield", 1, 9, 20) +
              Maybe(0.15, " limited='true' range='-1 2'") + SpringLength() + ">";
      text += fixed ? FixedPath() : SpatialPath();
      text += "</" + kind + ">";
      tendons_.push_back(name);
    }
    return "<tendon>" + text + "</tendon>";
  }
  std::string SpringLength() {
    const double low = Uniform(0, 1);
    const double width = One(0.5) ? 0 : Uniform(0, 0.5);
    return Maybe(0.4, " springlength='" + Text(low) + " " + Text(low + width) + "'");
  }
  std::string FixedPath() {
    std::string path;
    const int first = Below(static_cast<int>(scalars_.size()));
    for (int k = first; k < static_cast<int>(scalars_.size()) && k < first + 3; ++k) {
      path += "<joint joint='" + scalars_[static_cast<size_t>(k)] + "' coef='" + Numbers(1, -2, 2) +
              "'/>";
    }
    return path;
  }
  std::string SpatialPath() {
    std::string path;
    const int first = Below(static_cast<int>(sites_.size()) - 1);
    for (int k = first; k < static_cast<int>(sites_.size()) && k < first + 3; ++k) {
      path += "<site site='" + sites_[static_cast<size_t>(k)] + "'/>";
    }
    return path;
  }

  /// An actuator's target.
  std::string Transmission() {
    const double kind = Uniform(0, 1);
    if (kind < 0.4 && !scalars_.empty()) return "joint='" + Of(scalars_) + "'";
    if (kind < 0.5 && !others_.empty()) return "joint='" + Of(others_) + "'";
    if (kind < 0.6 && !others_.empty()) return "jointinparent='" + Of(others_) + "'";
    if (kind < 0.8 && !tendons_.empty()) return "tendon='" + Of(tendons_) + "'";
    if (kind < 0.9) return "site='" + Of(sites_) + "'";
    return scalars_.empty() ? "" : "jointinparent='" + Of(scalars_) + "'";
  }

  std::string Actuators() {
    std::string text;
    for (int i = Below(5); i > 0; --i) {
      const std::string target = Transmission();
      if (target.empty()) continue;
      const bool site = target.starts_with("site");
      const std::string kind =
          site ? "motor"
               : Choose({"motor", "motor", "position", "velocity", "damper", "general", "muscle"});
      text += "<" + kind + " name='a" + std::to_string(i) + "' " + target;
      if (kind == "damper") text += " kv='2' ctrlrange='0 1'";
      if (kind == "position") text += Attribute(0.5, "kp", 1, 1, 9) + Attribute(0.5, "kv", 1, 0, 2);
      if (kind == "muscle") text += " lengthrange='.1 2'";
      if (One(0.5)) text += " gear='" + Numbers(One(0.5) ? 1 : 6, -2, 2) + "'";
      if (!site) {
        text += Cubic(0.3, "damping") + (target.starts_with("tendon")
                                             ? Attribute(0.05, "armature", 1, 0, 0.3)
                                             : Attribute(0.3, "armature", 1, 0, 0.3));
      }
      text +=
          Maybe(0.2, " group='3'") + Maybe(0.2, " forcelimited='true' forcerange='-1 2'") + "/>";
    }
    return "<actuator>" + text + "</actuator>";
  }

  std::string Equalities() {
    std::string text;
    const std::string active = One(0.3) ? " active='false'" : "";
    if (One(0.15) && sites_.size() > 1) {
      text += "<" + Choose({"connect", "weld"}) + " name='e0' site1='" + sites_.front() +
              "' site2='" + sites_.back() + "'" + active + "/>";
    }
    if (One(0.15) && scalars_.size() > 1) {
      text += "<joint name='e1' joint1='" + scalars_[0] + "' joint2='" + scalars_[1] +
              "' polycoef='.1 1 .2 0 0'" + active + "/>";
    }
    if (One(0.1) && tendons_.size() > 1) {
      text += "<tendon name='e2' tendon1='t0' tendon2='t1'" + active + "/>";
    }
    return "<equality>" + text + "</equality>";
  }

  std::mt19937 random_;
  bool discrete_ = false;
  int bodies_ = 0, next_body_ = 0, joints_ = 0;
  std::vector<std::string> body_names_, sites_, scalars_, others_, tendons_;
};

}  // namespace

std::string RandomMjcf(unsigned seed) { return Writer(seed).Model(); }

}  // namespace civita
