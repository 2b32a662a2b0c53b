#include "app/window/model/tuning.h"

#include <algorithm>

#include "base/typeset_number.h"
#include "civita/factorization_text.h"

namespace civita {
namespace {

bool SameGain(const Eigen::VectorXd& a, const Eigen::VectorXd& b) {
  return a.size() == b.size() && a == b;
}

std::string GainText(const Eigen::VectorXd& gain) {
  if (gain.size() == 0) return "–";
  if ((gain.array() == gain[0]).all()) return Short(gain[0]);
  return Short(gain.minCoeff()) + "…" + Short(gain.maxCoeff());
}

}  // namespace

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

double InjectionBeta(const Factorization& factorization) {
  if (!factorization.joint_injections.empty()) {
    return factorization.joint_injections.front().beta.number();
  }
  if (!factorization.body_injections.empty()) {
    return factorization.body_injections.front().beta.number();
  }
  return 0;
}

std::vector<std::string> MovingFrames(const Model& model) {
  std::vector<std::string> names;
  for (const Model::NamedFrame& frame : model.frames()) {
    if (frame.body >= 0) names.push_back(frame.name);
  }
  return names;
}

InjectionSlot FindInjectionSlot(const Factorization& factorization, const Model& model,
                                const std::optional<InjectionPlace>& chosen) {
  InjectionSlot slot;
  const bool is_free =
      factorization.joint_injections.empty() && factorization.body_injections.empty();
  const bool has_slides =
      std::any_of(model.joints().begin(), model.joints().end(),
                  [](const Model::NamedJoint& j) { return j.type == JointType::kSlide; });
  const bool over_joints = chosen ? chosen->is_joint : model.nv() == 3;
  if (!factorization.joint_injections.empty() || (is_free && over_joints)) {
    slot.is_joint = true;
    slot.name = "Injection over the joints";
    slot.unit = has_slides ? "kg/m" : "kg·m²";
    return slot;
  }
  if (!factorization.body_injections.empty()) {
    const Factorization::BodyInjection& injection = factorization.body_injections.front();
    slot.frame = injection.name;
    slot.is_angular = injection.part == Factorization::Part::kAngular;
  } else if (chosen) {
    slot.frame = chosen->frame;
    slot.is_angular = chosen->is_angular;
  } else {
    // Of the frames on the last body the first one: the link, not what is welded to it.
    const auto last = std::find_if(
        model.frames().begin(), model.frames().end(),
        [&](const Model::NamedFrame& frame) { return frame.body == model.num_bodies() - 1; });
    if (last != model.frames().end()) slot.frame = last->name;
  }
  slot.name = "Injection at " + slot.frame + (slot.is_angular ? ", angular" : ", linear");
  slot.unit = slot.is_angular ? "kg·m²" : "kg/m";
  return slot;
}

Factorization MoveInjection(const Factorization& factorization, const InjectionPlace& place,
                            const Model& model) {
  Factorization changed = factorization;
  Coefficient beta;
  if (!changed.joint_injections.empty()) {
    beta = changed.joint_injections.front().beta;
    changed.joint_injections.erase(changed.joint_injections.begin());
  } else if (!changed.body_injections.empty()) {
    beta = changed.body_injections.front().beta;
    changed.body_injections.erase(changed.body_injections.begin());
  }
  if (beta.is_zero()) return changed;
  if (place.is_joint) {
    auto added = ParseFactorization("joint:1", model).joint_injections;
    added.front().beta = beta;
    changed.joint_injections.insert(changed.joint_injections.begin(), added.front());
    return changed;
  }
  using Part = Factorization::Part;
  const Part part = place.is_angular ? Part::kAngular : Part::kLinear;
  const Factorization added = Factorization().Inject(model, place.frame, part, beta);
  changed.body_injections.insert(changed.body_injections.begin(), added.body_injections.front());
  return changed;
}

Factorization WithBeta(const Factorization& factorization, const InjectionSlot& slot, double beta,
                       const Model& model) {
  Factorization changed = factorization;
  if (slot.is_joint) {
    std::vector<Factorization::JointInjection>& injections = changed.joint_injections;
    if (injections.empty()) {
      if (beta == 0) return changed;
      injections = ParseFactorization("joint:1", model).joint_injections;
    }
    injections.front().beta = beta;
    if (beta == 0 && injections.front().file.empty()) injections.erase(injections.begin());
    return changed;
  }
  if (changed.body_injections.empty()) {
    if (beta == 0) return changed;
    using Part = Factorization::Part;
    return changed.Inject(model, slot.frame, slot.is_angular ? Part::kAngular : Part::kLinear,
                          beta);
  }
  changed.body_injections.front().beta = beta;
  if (beta == 0) changed.body_injections.erase(changed.body_injections.begin());
  return changed;
}

}  // namespace civita
