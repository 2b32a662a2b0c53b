#include "app/window/model/tuning.h"

#include <algorithm>
#include <span>
#include <system_error>
#include <utility>

#include "civita/error.h"
#include "civita/factorization_text.h"
#include "civita/scenes/schema/config_values.h"
#include "civita/scenes/schema/formula.h"
#include "civita/scenes/schema/gain_value.h"
#include "civita/scenes/schema/yaml_value.h"
#include "civita/sim/output_file.h"
#include "study/typeset_number.h"

namespace civita {
namespace {

constexpr std::string_view kGains = "gains.", kFactorization = "controller.factorization";

std::string GainText(const Eigen::VectorXd& gain) {
  if (gain.size() == 0) return "–";
  if ((gain.array() == gain[0]).all()) return Short(gain[0]);
  return Short(gain.minCoeff()) + "…" + Short(gain.maxCoeff());
}

std::filesystem::path LawFolder(const std::filesystem::path& folder, const LawInfo& law) {
  return folder / "profiles" / std::string(law.type);
}

std::filesystem::path FileOf(const std::filesystem::path& folder, const LawInfo& law,
                             const std::string& name) {
  if (folder.empty()) throw UserError("there is no folder for profiles: HOME is not set");
  if (name.empty() || name.front() == '.' || name.find('/') != name.npos) {
    throw UserError("'" + name + "' cannot be a profile's name");
  }
  return LawFolder(folder, law) / (name + ".yaml");
}

/// β of the injection that the slider sets; null: none.
template <typename AnyFactorization>
auto* FirstBeta(AnyFactorization& factorization) {
  auto& joints = factorization.joint_injections;
  auto& bodies = factorization.body_injections;
  return !joints.empty() ? &joints.front().beta : !bodies.empty() ? &bodies.front().beta : nullptr;
}

void EraseFirst(Factorization* factorization) {
  auto& joints = factorization->joint_injections;
  auto& bodies = factorization->body_injections;
  if (!joints.empty()) {
    joints.erase(joints.begin());
  } else if (!bodies.empty()) {
    bodies.erase(bodies.begin());
  }
}

/// With an injection more, in front of those at its kind of place.
Factorization Inject(const Factorization& factorization, const InjectionPlace& place,
                     const Coefficient& beta, const Model& model) {
  Factorization changed = factorization;
  if (place.is_joint) {
    auto added = ParseFactorization("joint:1", model).joint_injections.front();
    added.beta = beta;
    changed.joint_injections.insert(changed.joint_injections.begin(), std::move(added));
    return changed;
  }
  using Part = Factorization::Part;
  const Factorization added = Factorization().Inject(
      model, place.frame, place.is_angular ? Part::kAngular : Part::kLinear, beta);
  changed.body_injections.insert(changed.body_injections.begin(), added.body_injections.front());
  return changed;
}

}  // namespace

bool SameGain(const Eigen::VectorXd& a, const Eigen::VectorXd& b) {
  return a.size() == b.size() && a == b;
}

double LargestEntry(const Eigen::VectorXd& gain) { return gain.size() == 0 ? 0 : gain.maxCoeff(); }

bool operator==(const Tuning& a, const Tuning& b) {
  return std::equal(a.gains.begin(), a.gains.end(), b.gains.begin(), b.gains.end(), SameGain) &&
         ToString(a.factorization) == ToString(b.factorization);
}

TuningHistory::TuningHistory(Tuning initial)
    : initial_(initial), current_(initial), steps_{std::move(initial)} {}

bool TuningHistory::Commit() {
  if (current_ == steps_[position_]) return false;
  steps_.resize(position_ + 1);
  steps_.push_back(current_);
  ++position_;
  return true;
}

void TuningHistory::Undo() {
  if (can_undo()) current_ = steps_[--position_];
}

void TuningHistory::Redo() {
  if (can_redo()) current_ = steps_[++position_];
}

void TuningHistory::Revert() {
  current_ = initial_;
  Commit();
}

std::string DescribeChange(const Tuning& from, const Tuning& to, const LawInfo& law,
                           std::span<const std::string_view> units) {
  std::string text;
  const auto add = [&text](const std::string& piece) {
    if (!text.empty()) text += ", ";
    text += piece;
  };
  for (std::size_t i = 0; i < std::min(from.gains.size(), to.gains.size()); ++i) {
    if (SameGain(from.gains[i], to.gains[i])) continue;
    std::string symbol(law.parameters[i].symbol);
    std::erase(symbol, '_');
    add(symbol + " " + GainText(from.gains[i]) + " → " + GainText(to.gains[i]) + " " +
        std::string(units[i]));
  }
  const std::string a = ToString(from.factorization), b = ToString(to.factorization);
  if (a != b) add("C " + a + " → " + b);
  return text;
}

std::string_view KindOf(const Factorization& factorization) {
  if (!factorization.admissible()) return "not admissible";
  return factorization.torsion_free() ? "torsion-free" : "with torsion";
}

double InjectionBeta(const Factorization& factorization) {
  const Coefficient* beta = FirstBeta(factorization);
  return beta != nullptr ? beta->number() : 0;
}

std::string NameOf(const InjectionPlace& place) {
  if (place.is_joint) return "the joints";
  return place.frame + (place.is_angular ? ", angular" : ", linear");
}

std::vector<InjectionPlace> InjectionPlaces(const Model& model) {
  std::vector<InjectionPlace> places;
  for (const Model::NamedFrame& frame : model.frames()) {
    if (frame.body < 0) continue;
    for (const bool is_angular : {true, false}) places.push_back({false, frame.name, is_angular});
  }
  if (model.nv() == 3) places.push_back({true, "", true});
  return places;
}

InjectionSlot FindInjectionSlot(const Factorization& factorization, const Model& model,
                                const std::optional<InjectionPlace>& chosen) {
  InjectionSlot slot;
  const Coefficient* present = FirstBeta(factorization);
  slot.is_there = present != nullptr;
  if (slot.is_there && !present->is_number()) slot.formula = present->text();
  const std::size_t count =
      factorization.joint_injections.size() + factorization.body_injections.size();
  slot.name = count > 1 ? "Injection, first of " + std::to_string(count) : "Injection";
  const bool has_slides =
      std::any_of(model.joints().begin(), model.joints().end(),
                  [](const Model::NamedJoint& j) { return j.type == JointType::kSlide; });
  const bool over_joints = chosen ? chosen->is_joint : model.nv() == 3;
  if (!factorization.joint_injections.empty() || (!slot.is_there && over_joints)) {
    slot.place = {true, "", true};
    slot.unit = has_slides ? "kg/m" : "kg·m²";
    return slot;
  }
  if (!factorization.body_injections.empty()) {
    const Factorization::BodyInjection& injection = factorization.body_injections.front();
    slot.place = {.frame = injection.name,
                  .is_angular = injection.part == Factorization::Part::kAngular};
  } else if (chosen) {
    slot.place = *chosen;
  } else {
    // Of the frames on the last body the first one: the link, not what is welded to it.
    const auto last = std::find_if(
        model.frames().begin(), model.frames().end(),
        [&](const Model::NamedFrame& frame) { return frame.body == model.num_bodies() - 1; });
    if (last != model.frames().end()) slot.place.frame = last->name;
  }
  slot.unit = slot.place.is_angular ? "kg·m²" : "kg/m";
  return slot;
}

Factorization MoveInjection(const Factorization& factorization, const InjectionPlace& place,
                            const Model& model) {
  Factorization changed = factorization;
  const Coefficient* present = FirstBeta(factorization);
  const Coefficient beta = present != nullptr ? *present : Coefficient();
  EraseFirst(&changed);
  if (beta.is_zero()) return changed;
  return Inject(changed, place, beta, model);
}

Factorization WithBeta(const Factorization& factorization, const InjectionSlot& slot, double beta,
                       const Model& model) {
  Factorization changed = factorization;
  if (!slot.formula.empty()) return changed;
  Coefficient* const present = FirstBeta(changed);
  if (present == nullptr) return beta == 0 ? changed : Inject(changed, slot.place, beta, model);
  *present = beta;
  if (beta != 0) return changed;
  // A drag passes through 0: what has a matrix, a point or another injection after it stays.
  Factorization without = changed;
  EraseFirst(&without);
  if (FirstBeta(without) != nullptr) return changed;
  *present = 1.0;
  const bool comes_back = (!slot.place.is_joint || model.nv() == 3) &&
                          ToString(Inject(without, slot.place, 1, model)) == ToString(changed);
  *present = beta;
  return comes_back ? without : changed;
}

std::vector<SetKey> KeysOf(const Tuning& tuning, const LawInfo& law) {
  std::vector<SetKey> keys;
  for (std::size_t i = 0; i < tuning.gains.size(); ++i) {
    const Eigen::VectorXd& gain = tuning.gains[i];
    const std::span numbers(gain.data(), static_cast<std::size_t>(gain.size()));
    keys.push_back({internal::KeyOf(law.parameters[i]),
                    internal::WriteGain(law.parameters[i].shape, numbers)});
  }
  if (law.uses_factorization) {
    keys.push_back({std::string(kFactorization), ToYamlText(ToString(tuning.factorization))});
  }
  return keys;
}

void ReadTuningKey(std::string_view key, const YamlValue& value, const LawInfo& law,
                   const Model& model, const std::filesystem::path& directory, Tuning* tuning) {
  if (key == kFactorization) {
    try {
      tuning->factorization = ReadFactorization(value.text, model, directory);
    } catch (const UserError& error) {
      throw UserError(value.where + ": factorization: " + error.what());
    }
  }
  for (std::size_t i = 0; i < law.parameters.size(); ++i) {
    const ParameterInfo& gain = law.parameters[i];
    if (key != internal::KeyOf(gain)) continue;
    tuning->gains[i] = internal::ReadGain(gain, value, model.nv());
  }
}

std::vector<std::string> ListProfiles(const std::filesystem::path& folder, const LawInfo& law) {
  std::vector<std::string> names;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(LawFolder(folder, law), error)) {
    if (entry.path().extension() == ".yaml") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  return names;
}

void SaveProfile(const std::filesystem::path& folder, const LawInfo& law, const std::string& name,
                 const Tuning& tuning) {
  const std::filesystem::path file = FileOf(folder, law, name);
  std::string text = "law: " + ToYamlText(law.type) + "\ngains:\n";
  for (const SetKey& each : KeysOf(tuning, law)) {
    const bool is_gain = each.key.starts_with(kGains);
    text += is_gain ? "  " + each.key.substr(kGains.size()) : "factorization";
    text += ": " + each.value + "\n";
  }
  std::error_code error;
  std::filesystem::create_directories(file.parent_path(), error);
  if (error) throw UserError(file.string() + ": cannot be written: " + error.message());
  WriteWhole(file, text, OutputFile::Kind::kNamed);
}

Tuning LoadProfile(const std::filesystem::path& folder, const LawInfo& law, const std::string& name,
                   const Tuning& present, const Model& model) {
  const std::filesystem::path file = FileOf(folder, law, name);
  const YamlValue root = ReadYaml(file.string());
  const std::vector<std::string> sections = {"law", "gains", "factorization"};
  internal::CheckIsMap(root, "a profile", sections);
  internal::CheckKeys(root, sections);
  const YamlValue* gains = root.Find("gains");
  if (gains == nullptr) throw UserError(file.string() + ": has no gains");
  std::vector<std::string> keys;
  for (const ParameterInfo& parameter : law.parameters) keys.emplace_back(parameter.key);
  internal::CheckIsMap(*gains, "gains", keys);
  internal::CheckKeys(*gains, keys);
  Tuning tuning = present;
  for (const YamlValue::Entry& entry : gains->entries) {
    ReadTuningKey(std::string(kGains) + entry.key, entry.value, law, model, {}, &tuning);
  }
  const YamlValue* form = root.Find("factorization");
  if (form && law.uses_factorization) {
    ReadTuningKey(kFactorization, *form, law, model, file.parent_path(), &tuning);
  }
  return tuning;
}

}  // namespace civita
