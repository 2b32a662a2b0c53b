#pragma once

#include <Eigen/Core>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/window/model/settings_text.h"
#include "civita/controllers/controller.h"

namespace civita {

struct YamlValue;  // civita/scenes/schema/yaml_value.h

/// Settings of the Tune panel: gains in the order of the controller's parameters, and the
/// factorization.
struct Tuning {
  std::vector<Eigen::VectorXd> gains;
  Factorization factorization;
};

bool operator==(const Tuning& a, const Tuning& b);
bool SameGain(const Eigen::VectorXd& a, const Eigen::VectorXd& b);
/// The largest number of a gain; 0 of a skew gain that is zero.
double LargestEntry(const Eigen::VectorXd& gain);

/// The tuning as the user set it, with undo. The simulation follows by commands, possibly a step
/// later.
class TuningHistory {
 public:
  explicit TuningHistory(Tuning initial);

  const Tuning& current() const { return current_; }
  const Tuning& initial() const { return initial_; }
  /// The tuning at the last Commit, Undo, Redo or Revert.
  const Tuning& committed() const { return steps_[position_]; }

  /// Makes another tuning the one that Revert restores.
  void SetInitial(Tuning tuning) { initial_ = std::move(tuning); }
  /// Changes the present tuning; a drag calls it many times before one Commit.
  void Edit(Tuning tuning) { current_ = std::move(tuning); }
  /// Makes the edits since the last Commit one undo step. @returns false when there were none.
  bool Commit();

  bool can_undo() const { return position_ > 0; }
  bool can_redo() const { return position_ + 1 < steps_.size(); }
  bool is_initial() const { return current_ == initial_; }
  void Undo();
  void Redo();
  /// Restores the scene's initial tuning, as a new undo step.
  void Revert();

 private:
  Tuning initial_, current_;
  std::vector<Tuning> steps_;  // steps_[position_] is the committed present
  std::size_t position_ = 0;
};

/// Text of the differences, separated by commas: "Λ 5 → 8 1/s"; empty when equal. For a law's
/// gains, with `units` in the order of its parameters.
std::string DescribeChange(const Tuning& from, const Tuning& to, const LawInfo& law,
                           std::span<const std::string_view> units);

/// What C is by a factorization: "torsion-free", "with torsion" or "not admissible", each a term.
std::string_view KindOf(const Factorization& factorization);

/// Where an injection acts, as the user chooses it.
struct InjectionPlace {
  bool is_joint = false;
  std::string frame = {};  ///< for a body's injection
  bool is_angular = true;
  bool operator==(const InjectionPlace&) const = default;
};
/// "link7, angular", "the joints".
std::string NameOf(const InjectionPlace& place);
/// The places at which an injection can act.
std::vector<InjectionPlace> InjectionPlaces(const Model& model);

/// The injection that the β slider sets: that of the factorization, otherwise the chosen one,
/// otherwise joint:β where nv = 3, otherwise the angular one of the last body.
struct InjectionSlot {
  InjectionPlace place;
  bool is_there = false;  ///< the factorization has it
  std::string name;       ///< "Injection", "Injection, first of 2"
  std::string unit;
  std::string formula;  ///< β where it is one of q, which no number of a slider replaces
};
InjectionSlot FindInjectionSlot(const Factorization& factorization, const Model& model,
                                const std::optional<InjectionPlace>& chosen = {});
/// The factorization with the injection that the β slider sets moved to another place.
Factorization MoveInjection(const Factorization& factorization, const InjectionPlace& place,
                            const Model& model);

/// 0 for a formula and without an injection.
double InjectionBeta(const Factorization& factorization);
/// The factorization with β at the slot, unless a formula is there; β = 0 removes the injection if
/// the slider brings it back as it was.
Factorization WithBeta(const Factorization& factorization, const InjectionSlot& slot, double beta,
                       const Model& model);

/// The tuning as keys of a config: what a run takes while it goes on.
std::vector<SetKey> KeysOf(const Tuning& tuning, const LawInfo& law);
/// Sets one of these keys. Relative files are in `directory`, the working folder if empty. @throws
/// UserError with the place of the value.
void ReadTuningKey(std::string_view key, const YamlValue& value, const LawInfo& law,
                   const Model& model, const std::filesystem::path& directory, Tuning* tuning);

/// Profiles: named settings of a law, each a small YAML file folder/profiles/LAW/NAME.yaml with
/// `gains` and `factorization` as in a config.

/// Names of a law's profiles, sorted; none where there is no such folder.
std::vector<std::string> ListProfiles(const std::filesystem::path& folder, const LawInfo& law);

/// @throws UserError where the name cannot be a file's or the file cannot be written.
void SaveProfile(const std::filesystem::path& folder, const LawInfo& law, const std::string& name,
                 const Tuning& tuning);

/// A profile's tuning for a model: gains that it does not name are those of `present`. @throws
/// UserError naming the file where it is broken or made for another number of coordinates.
Tuning LoadProfile(const std::filesystem::path& folder, const LawInfo& law, const std::string& name,
                   const Tuning& present, const Model& model);

}  // namespace civita
