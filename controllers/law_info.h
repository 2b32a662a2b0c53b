#pragma once

#include <cstddef>
#include <initializer_list>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

// Descriptions of control laws. Config files, checks, sliders, units and docs are generated from
// these rows, so no other code refers to a law by name.

namespace civita {

class Controller;
class Model;
struct ControllerOptions;

/// The admissible values of a numeric option or gain; all are finite.
enum class NumberRange { kAny, kPositive, kNotNegative };
bool IsIn(NumberRange range, double x);
/// "> 0", "≥ 0"; of all numbers "".
const char* ToText(NumberRange range);

/// How many numbers a gain has.
enum class GainShape {
  kCoordinates,  ///< nv, one for each velocity coordinate
  kScalar,       ///< one for the law as a whole
  kSkew,         ///< nv × nv, the rows of a skew matrix; or none, for zero
};

/// Description of a gain, used by sliders, config checks and docs.
struct ParameterInfo {
  std::string_view key;            ///< in config files, `gains.<key>`: "Lambda"
  std::string_view symbol;         ///< for display, '_' before a subscript: "Λ", "K_D"
  std::string_view name;           ///< title, as "Tracking"
  std::string_view unit;           ///< with GainForm::kMass: "1/s"
  std::string_view diagonal_unit;  ///< with GainForm::kDiagonal: "N·m·s/rad"
  std::string_view description;
  /// Range of the slider, logarithmic where min > 0; a config may exceed it within `range`. Of a
  /// skew matrix: of the largest entry.
  double min, max;
  double default_value;
  GainShape shape = GainShape::kCoordinates;
  NumberRange range = NumberRange::kNotNegative;  ///< of its numbers
};

/// The index of the gain `key` in a law's table; an unknown key does not compile.
consteval int GainIndex(std::span<const ParameterInfo> parameters, std::string_view key) {
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (parameters[i].key == key) return static_cast<int>(i);
  }
  throw "no such gain";
}

/// The value of an option of a law.
using OptionValue =
    std::variant<bool, double, std::string, std::vector<double>, std::vector<std::string>>;

/// A row of a law's table of options, set in config files by `controller.<key>`.
struct OptionInfo {
  /// The alternatives are in the order of OptionValue: the type of the default is that of the
  /// option.
  using Default = std::variant<bool, double, std::string_view, std::span<const double>,
                               std::span<const std::string_view>>;

  std::string_view key;   ///< "metric"
  std::string_view unit;  ///< "" if dimensionless
  std::string_view doc;
  Default default_value;
  NumberRange range = NumberRange::kAny;           ///< of a number, or of each number in a list
  std::span<const std::string_view> choices = {};  ///< of a string; empty: any string
};

/// The default of an option as an OptionValue.
OptionValue DefaultOf(const OptionInfo& option);

/// Values of a law's own options, by key. The constructor of Controller sets missing ones to their
/// defaults, so a law can read every option of its table.
class LawOptions {
 public:
  LawOptions() = default;
  LawOptions(std::initializer_list<std::pair<const std::string, OptionValue>> values)
      : values_(values) {}

  bool empty() const { return values_.empty(); }
  /// The value of `key`; nullptr if it has none.
  const OptionValue* Find(std::string_view key) const;
  void Set(std::string_view key, OptionValue value);
  /// Sets the options of the table that have no value to their defaults. Every value must belong
  /// to an option of the table and have its type. @throws UserError for a value out of its range or
  /// choices.
  void Complete(std::span<const OptionInfo> table);

  /// The value of an option, which must exist and have that type.
  bool Flag(std::string_view key) const { return Get<bool>(key); }
  double Number(std::string_view key) const { return Get<double>(key); }
  const std::string& Text(std::string_view key) const { return Get<std::string>(key); }
  const std::vector<double>& Numbers(std::string_view key) const {
    return Get<std::vector<double>>(key);
  }
  const std::vector<std::string>& Texts(std::string_view key) const {
    return Get<std::vector<std::string>>(key);
  }

 private:
  template <typename T>
  const T& Get(std::string_view key) const;

  std::map<std::string, OptionValue, std::less<>> values_;
};

/// Units of a law's storage function V and of its rate; V need not be an energy.
struct StorageUnits {
  std::string_view storage = "J", rate = "W";
};

/// What the gain K_D of a law multiplies.
enum class DampingForm {
  /// K_D multiplies s and gives a joint force: K_D = D^½ H D^½ or diag(k), by GainForm, with the H
  /// of the law's model. Held for a period dt it is an explicit Euler step, stiff once K_D·dt is
  /// of the order of H.
  kInertia,
  /// anything else, for instance accelerations, or an inertia that is not known in advance
  kOther,
};

/// Makes a law for a model.
class LawMaker {
 public:
  using Function = std::unique_ptr<Controller>(const Model& model,
                                               const ControllerOptions& options);

  constexpr LawMaker(Function* make) : make_(make) {}  // NOLINT(google-explicit-constructor)
  /// Whether there is a function.
  constexpr explicit operator bool() const { return make_ != nullptr; }
  std::unique_ptr<Controller> operator()(const Model& model,
                                         const ControllerOptions& options) const;

 private:
  Function* make_;
};

/// Description of a law for the rest of the program: a row of the table of laws.
struct LawInfo {
  std::string_view type = {};  ///< key in config files: "slotine_li"
  std::string_view title;      ///< "Passivity-based tracking"
  std::string_view law;        ///< one line, in the papers' symbols
  std::span<const ParameterInfo> parameters;
  std::span<const OptionInfo> options = {};
  LawMaker make = nullptr;

  StorageUnits units = {};
  DampingForm damping = DampingForm::kOther;
  bool uses_factorization = false;
  bool knows_loops = false;        ///< uses ControllerOptions::closed
  bool knows_coordinates = false;  ///< uses ControllerOptions::coordinates
  bool needs_legs = false;         ///< requires ControllerOptions::legs
  /// The law's state is discrete (a gait's phase, feet in contact): Controller::CalcLawRate gives
  /// the next state itself, so the torque can only be held, not evaluated at every stage.
  bool is_discrete = false;
  /// Whether a law with these options, all of them given, moves ControllerOptions::task; null:
  /// never.
  bool (*moves_frame)(const LawOptions& own) = nullptr;
  /// Whether a law with these options, all of them given, is to reach q_d; null: always. Otherwise
  /// q ⊖ q_d is no error.
  bool (*follows_reference)(const LawOptions& own) = nullptr;

  /// Whether the law moves the frame ControllerOptions::task with these options; those that are
  /// not given have their defaults.
  bool MovesFrame(LawOptions own) const;
  /// Whether the law is to reach q_d with these options; those that are not given have their
  /// defaults.
  bool FollowsReference(LawOptions own) const;
};

/// All laws: civita's in the order of its table (slotine_li, adaptive, reference_dynamics,
/// task_space, whole_body, adaptive_whole_body, pd_gravity, computed_torque), those of legs where
/// the program is linked with civita::legs, then the registered ones in the order of their
/// registration. Thread-safe.
std::vector<const LawInfo*> Laws();

/// @throws UserError that lists the types and suggests the nearest.
const LawInfo& FindLaw(std::string_view type);

/// Registers a law for the whole process: configs, menus and comparisons find it from now on. The
/// table belongs to the process because configs may be read anywhere, also by threads that load
/// scenes, and must find the same laws. The row must live as long as the process. Thread-safe;
/// registering the same row again has no effect.
/// @throws UserError when another law has this type.
void RegisterLaw(const LawInfo& law);

}  // namespace civita
