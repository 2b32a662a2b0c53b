#include "civita/scenes/plant/auto_legs.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/text.h"
#include "civita/scenes/plant/leg_start.h"
#include "civita/scenes/scene.h"
#include "civita/scenes/schema/checked.h"
#include "civita/scenes/schema/config_reader.h"
#include "civita/scenes/schema/key_error.h"
#include "civita/scenes/schema/yaml_value.h"

namespace civita {
namespace {

using internal::Join;
using internal::ShortNumber;

// Of the law's gains and times, in ω and 1/ω, and of lengths, in the leg's and the support's: what
// serves robots from 2 to 90 kg.
struct Scales {
  double lambda, step, shortest, longest, exchange, swing, back, trigger;
};
constexpr Scales kPoints = {2.6, 1.03, 1, 1, 0.11, 0.19, 3.4, 0.12};
constexpr Scales kSoles = {2.7, 1.35, 0.6, 1.7, 0.08, 0.1, 3, 0.15};
constexpr double kReach = 0.42;    // of a leg's length, of point feet
constexpr double kMomentum = 3.4;  // kg·s/(kg·m²): the weight of the momentum's task, times m
constexpr double kDigits = 3;

std::string Rounded(double x) {
  if (x == 0 || !std::isfinite(x)) return ToYamlText(x);
  const double unit = std::pow(10, std::floor(std::log10(std::abs(x))) - kDigits + 1);
  return ToYamlText(unit < 1 ? std::round(x / unit) / std::round(1 / unit)
                             : std::round(x / unit) * unit);
}

std::string Quoted(const std::string& name) { return ToYamlText(std::string_view(name)); }

// A map as YAML of what `text` writes of each leg that needs balls; empty: none does.
template <typename Text>
std::string OfLegs(const FoundLegs& found, const Text& text) {
  std::vector<std::string> items;
  for (const FoundLegs::Leg& leg : found.legs) {
    if (!leg.has_balls) items.push_back(Quoted(leg.foot) + ": " + text(leg));
  }
  return items.empty() ? "" : "{" + Join(items, ", ") + "}";
}

std::string WritePoints(const FoundLegs::Leg& leg) {
  std::vector<std::string> points;
  for (const Eigen::Vector3d& point : leg.points) {
    std::vector<double> numbers;
    for (const double x : point) numbers.push_back(std::round(x * 1e4) / 1e4 + 0.0);
    points.push_back(ToYamlText(numbers));
  }
  return "[" + Join(points, ", ") + "]";
}

class Chooser {
 public:
  explicit Chooser(const SceneConfig& config) : config_(config) {}

  std::vector<ChosenKey> Choose() {
    std::vector<std::string> notices;
    SceneConfig bare = config_;  // of the robot alone: its floor comes with its feet
    bare.ground = {};
    const MjModelPtr m = CompileModel(bare, true, {}, &notices);
    const bool urdf = config_.model.extension() == ".urdf";
    const bool free = m->njnt > 0 && m->jnt_type[0] == mjJNT_FREE;
    if (!free && !urdf) {
      Refuse("model",
             "the base is fixed to the world; in MJCF <freejoint/> in the trunk's body "
             "makes it free");
    }
    std::optional<Eigen::Vector3d> ahead;
    if (config_.places.contains("legs.ahead")) {
      ahead = internal::CheckedPoint("legs.ahead", config_.legs.ahead);
    }
    const FoundLegs found = FindLegsOf(*m, !free, ahead);
    if (!found.why.empty()) Refuse("legs.feet", found.why);
    if (!(found.height > 0)) Refuse("legs.feet", "its centre of mass is not above its lowest ends");
    if (urdf) {
      Set("robot.floating_base", "true",
          free ? "the file's root floats" : "nothing fixes a robot on legs");
    }
    if (urdf || (m->opt.disableflags & mjDSBL_CONTACT) != 0) {
      Set("physics.contacts", "true", "feet touch the floor");
    }
    if (!urdf && m->opt.cone == mjCONE_PYRAMIDAL && m->opt.impratio == 1) {
      Set("physics.impratio", "10", "with MuJoCo's own 1 feet under load creep");
    }
    SetFeet(found);
    SetAhead(found);
    const bool stands_at_key = found.uneven_key && *found.uneven_key <= kFootLevel;
    if (!stands_at_key && !config_.initial.q && config_.initial.joints.empty()) SetPose(found);
    if (!config_.places.contains("reference.type")) Set("reference.type", "hold", "it stands");
    SetScales(found);
    return std::move(chosen_);
  }

 private:
  [[noreturn]] void Refuse(const std::string& key, const std::string& why) const {
    throw KeyError(key, key + ": controller.type " + config_.controller +
                            " makes a robot stand on its feet, and none are found: " + why);
  }

  void Set(const std::string& key, const std::string& value, const std::string& rule) {
    if (!config_.places.contains(key)) chosen_.push_back({key, value, rule});
  }

  void SetFeet(const FoundLegs& found) {
    std::vector<std::string> feet;
    for (const FoundLegs::Leg& leg : found.legs) feet.push_back(Quoted(leg.foot));
    const size_t joints = found.legs.front().joints.size();
    Set("legs.feet", "[" + Join(feet, ", ") + "]",
        "the lowest ends of its chains of " + internal::Count(joints, "joint") + ", " +
            (found.flat ? "soles" : "points"));
    const std::string points = OfLegs(found, WritePoints);
    if (points.empty()) return;
    Set("legs.points_m", points,
        found.flat ? "the corners of the foot's box, drawn in by a tenth"
                   : "the lowest point of the foot's box");
    Set("legs.radius_m",
        OfLegs(found, [](const FoundLegs::Leg& leg) { return ToYamlText(leg.radius); }),
        found.flat ? "of a sole's corners" : "of a point without spheres");
  }

  void SetAhead(const FoundLegs& found) {
    std::vector<std::string> numbers;
    for (const double x : found.ahead) numbers.push_back(ToYamlText(x + 0.0));
    Set("legs.ahead", "[" + Join(numbers, ", ") + "]",
        found.by_toes ? "where its soles are longer, from the ankles" : "the base's x axis");
  }

  void SetPose(const FoundLegs& found) {
    std::vector<std::string> angles;
    for (const auto& [name, angle] : found.joints) {
      angles.push_back(Quoted(name) + ": " + ToYamlText(angle));
    }
    if (angles.empty()) return;
    Set("initial.joints", "{" + Join(angles, ", ") + "}",
        std::string("knees bent to ") + (found.flat ? "93" : "75") + " % of the leg's length of " +
            ShortNumber(found.leg_length) + " m, the centre of mass over the feet" +
            (found.uneven_key ? "; in the keyframe home they differ by " +
                                    ShortNumber(*found.uneven_key) + " m in height"
                              : ""));
  }

  void SetScales(const FoundLegs& found) {
    const Scales& s = found.flat ? kSoles : kPoints;
    const double omega = std::sqrt(9.81 / found.height), step = s.step / omega;
    const std::string of_omega = " ω, ω = √(g/h) = " + ShortNumber(omega) +
                                 " 1/s of the height h = " + ShortNumber(found.height) +
                                 " m of the centre of mass";
    const auto times = [](double factor, const std::string& what) {
      return ShortNumber(factor) + what;
    };
    Set("gains.Lambda", Rounded(s.lambda * omega), times(s.lambda, of_omega));
    Set("gains.K_D", Rounded(2 * s.lambda * omega), "2 Λ");
    Set("gait.step_s", Rounded(step), times(s.step, "/ω"));
    Set("gait.shortest_step_s", Rounded(s.shortest * step), times(s.shortest, " steps"));
    Set("gait.longest_step_s", Rounded(s.longest * step), times(s.longest, " steps"));
    Set("gait.exchange_s", Rounded(s.exchange * step), times(s.exchange, " steps"));
    Set("gait.return_s", Rounded(s.back / omega), times(s.back, "/ω"));
    Set("gait.swing_height_m", Rounded(s.swing * found.leg_length),
        times(s.swing, " of the leg's length"));
    Set("gait.trigger_m", Rounded(s.trigger * found.half_support),
        times(s.trigger,
              " of half the support's length of " + ShortNumber(2 * found.half_support) + " m"));
    if (found.flat) {
      Set("legs.momentum_weight", Rounded(kMomentum / found.mass),
          times(kMomentum, "/m, m = " + ShortNumber(found.mass) + " kg"));
    } else {
      Set("gait.reach_m", Rounded(kReach * found.leg_length),
          times(kReach, " of the leg's length"));
    }
  }

  const SceneConfig& config_;
  std::vector<ChosenKey> chosen_;
};

}  // namespace

std::vector<ChosenKey> ChooseLegs(const SceneConfig& config) { return Chooser(config).Choose(); }

void SetChosen(const std::vector<ChosenKey>& chosen, SceneConfig* config) {
  const std::string where = "chosen from the robot's file";
  for (const ChosenKey& choice : chosen) {
    const YamlValue value = ParseYamlArgument(choice.value, where);
    if (choice.key.starts_with("gains.")) {
      config->gains[choice.key.substr(6)] = {std::stod(choice.value)};
    } else {
      internal::ReadKey(choice.key, value, config);
    }
    config->notices.push_back("legs, from the robot's file: " + choice.key + ": " + choice.value +
                              " (" + choice.rule + ")");
  }
}

}  // namespace civita
