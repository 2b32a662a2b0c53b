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

// What a control law says about itself. Config files, checks, sliders, units and docs go by these
// rows, so that nothing else needs to know a law by its name.

namespace civita {

class Controller;
class Model;
struct ControllerOptions;

/// How many numbers a gain has.
enum class GainShape {
  kCoordinates,  ///< nv, one for each velocity coordinate
  kScalar,       ///< one for the law as a whole
};

/// How a gain is described, once for sliders, config checks and docs.
struct ParameterInfo {
  std::string_view key;            ///< in config files, `gains.<key>`: "Lambda"
  std::string_view symbol;         ///< for display, '_' before a subscript: "Λ", "K_D"
  std::string_view name;           ///< "Tracking"
  std::string_view unit;           ///< "1/s": with GainForm::kMass
  std::string_view diagonal_unit;  ///< "N·m·s/rad": with GainForm::kDiagonal
  std::string_view description;
  double min, max;  ///< slider's range; a config may go beyond max but never below 0
  double default_value;
  bool log_scale;
  GainShape shape = GainShape::kCoordinates;
};

/// The index of the gain `key` in a law's table; a wrong key does not compile.
consteval int GainIndex(std::span<const ParameterInfo> parameters, std::string_view key) {
  for (std::size_t i = 0; i < parameters.size(); ++i) {
    if (parameters[i].key == key) return static_cast<int>(i);
  }
  throw "no such gain";
}

/// Which numbers an option takes; all are finite.
enum class NumberRange { kAny, kPositive, kNotNegative };

/// The value of an option of a law.
using OptionValue =
    std::variant<bool, double, std::string, std::vector<double>, std::vector<std::string>>;

/// A row of a law's table of options, which config files set by `controller.<key>`.
struct OptionInfo {
  /// In the order of OptionValue: the type of the default is the option's type.
  using Default = std::variant<bool, double, std::string_view, std::span<const double>,
                               std::span<const std::string_view>>;

  std::string_view key;   ///< "metric"
  std::string_view unit;  ///< "" where there is none
  std::string_view doc;
  Default default_value;
  NumberRange range = NumberRange::kAny;           ///< of a number, or of each number of a list
  std::span<const std::string_view> choices = {};  ///< of a text; empty: any text
};

/// The default of an option as a value.
OptionValue DefaultOf(const OptionInfo& option);

/// Values of a law's own options, by key. A Controller completes those that it is made with by its
/// row's defaults, so that a law can read every option of its table.
class LawOptions {
 public:
  LawOptions() = default;
  LawOptions(std::initializer_list<std::pair<const std::string, OptionValue>> values)
      : values_(values) {}

  bool empty() const { return values_.empty(); }
  /// The value of `key`, or nullptr.
  const OptionValue* Find(std::string_view key) const;
  void Set(std::string_view key, OptionValue value);
  /// Sets the options of the table that have no value to their defaults. Every value must belong to
  /// an option of the table and have its type.
  void Complete(std::span<const OptionInfo> table);

  /// The value of an option, which must be there and have that type.
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

/// Units of a law's storage function V and of its rate: not every law's is an energy.
struct StorageUnits {
  std::string_view storage = "J", rate = "W";
};

/// What the gain K_D of a law multiplies.
enum class DampingForm {
  /// s, and the product is a joint force: K_D = D^½ H D^½ or diag(k), by GainForm, with the H of
  /// the law's model. Held for a period dt it is an explicit Euler step, stiff once K_D·dt is of
  /// the order of H.
  kInertia,
  kOther,  ///< anything else, such as accelerations, or an inertia that is not known beforehand
};

/// All that the rest of the program knows of a law: a row of the table of laws.
struct LawInfo {
  std::string_view type;   ///< in config files: "slotine_li"
  std::string_view title;  ///< "Passivity-based tracking"
  std::string_view law;    ///< one line, in the papers' symbols
  std::span<const ParameterInfo> parameters;
  std::span<const OptionInfo> options = {};
  std::unique_ptr<Controller> (*make)(const Model& model, const ControllerOptions& options);

  StorageUnits units = {};
  DampingForm damping = DampingForm::kOther;
  bool uses_factorization = false;
  bool knows_loops = false;  ///< of ControllerOptions::closed
  bool needs_legs = false;   ///< of ControllerOptions::legs
  /// The law counts steps (a gait's phase, feet in contact): Controller::CalcLawRate gives the next
  /// state itself, so the law can only be held and not be evaluated at every stage.
  bool is_discrete = false;
  /// Whether a law with these options, all of them given, moves ControllerOptions::task; null:
  /// never.
  bool (*moves_frame)(const LawOptions& own) = nullptr;

  /// Whether the law moves a frame, ControllerOptions::task, with these options, others as their
  /// defaults.
  bool MovesFrame(LawOptions own) const;
};

/// Every law: this library's in the order of its table (slotine_li, adaptive, reference_dynamics,
/// task_space, whole_body, adaptive_whole_body, pd_gravity, computed_torque), then those that were
/// registered, in the order of their registration. Safe to call from any thread.
std::vector<const LawInfo*> Laws();

/// @throws UserError that lists the types (and guesses the one meant).
const LawInfo& FindLaw(std::string_view type);

/// Adds a law for the whole process: configs, menus and comparisons find it from now on. One table
/// for the process and not an argument, because a config may be read anywhere, also by threads that
/// load scenes, and must find the same laws. The row must live as long as the process. Safe to call
/// from any thread; the same row twice does nothing.
/// @throws UserError when another law has that type.
void RegisterLaw(const LawInfo& law);

}  // namespace civita
