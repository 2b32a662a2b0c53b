#include "civita/study/evaluate/eval_states.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/number_text.h"
#include "base/read_file.h"
#include "base/text.h"
#include "base/utf8.h"
#include "civita/error.h"
#include "civita/sim/output_file.h"
#include "civita/suggest.h"

namespace civita {
namespace {

using Json = nlohmann::json;

/// Maximum deviation of a quaternion's length from 1 without a notice.
constexpr double kUnitTolerance = 1e-6;
constexpr double kShortestQuaternion = 1e-6;

/// Text from a file for a message: truncated, on one line.
std::string OneLine(std::string text) {
  constexpr std::size_t kLongest = 40;
  if (text.size() > kLongest) text = std::string(internal::FirstBytes(text, kLongest)) + "...";
  for (char& c : text) {
    if (std::iscntrl(static_cast<unsigned char>(c)) != 0) c = ' ';
  }
  return text;
}

bool IsWordCharacter(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '+' || c == '.';
}

/// Offset of the first byte of the word or number at `offset`.
std::size_t WordStart(const std::string& text, std::size_t offset) {
  std::size_t start = std::min(offset, text.size());
  while (start > 0 && IsWordCharacter(text[start - 1])) --start;
  return start;
}

/// Handles the parser's events and refuses at the first error.
class StatesReader : public nlohmann::json_sax<Json> {
 public:
  StatesReader(const std::string& text, const std::string& name, const Model& model,
               std::optional<int> nw, const std::vector<StateNeed>& needs)
      : text_(text),
        name_(name),
        model_(model),
        needs_(needs),
        nv_(nw.value_or(model.nv())),
        nv_name_(nw ? "nw" : "nv"),
        states_(model.nq(), nv_) {}

  EvalStates TakeStates() { return std::move(states_); }

  /// Adds one line about normalized quaternions, if there were any.
  void AddNotice(std::vector<std::string>* notices) const {
    if (num_normalized_ == 0) return;
    std::string more;
    if (num_normalized_ > 1) more = " (and " + std::to_string(num_normalized_ - 1) + " more)";
    notices->push_back(first_normalized_ + more);
  }

  bool null() override { Refuse("null"); }
  bool boolean(bool value) override { Refuse(value ? "true" : "false"); }
  bool number_integer(number_integer_t value) override {
    return Number(static_cast<double>(value));
  }
  bool number_unsigned(number_unsigned_t value) override {
    return Number(static_cast<double>(value));
  }
  bool number_float(number_float_t value, const string_t&) override { return Number(value); }
  bool string(string_t& value) override {
    if (level_ != Level::kWrench || wrench_key_ > kAxes) {
      Refuse("the text '" + OneLine(value) + "'");
    }
    if (wrench_key_ == kBody) {
      FindBody(value);
    } else if (value == "world" || value == "body") {
      wrenches_.back().in_body_axes = value == "body";
    } else {
      Fail(Place(), UnknownName("choice", OneLine(value), {"world", "body"}));
    }
    return true;
  }
  bool binary(binary_t&) override { Refuse("binary data"); }

  bool start_object(std::size_t) override {
    if (level_ == Level::kDocument) {
      level_ = Level::kTop;
    } else if (level_ == Level::kStates) {
      level_ = Level::kState;
      key_ = kKeys.size();
      given_.fill(false);
      for (std::vector<double>& list : lists_) list.clear();
      wrenches_.clear();
    } else if (level_ == Level::kWrenches) {
      level_ = Level::kWrench;
      wrench_key_ = kWrenchKeys.size();
      wrench_given_.fill(false);
      wrenches_.emplace_back();
    } else {
      Refuse("an object");
    }
    return true;
  }

  bool key(string_t& key) override {
    if (level_ == Level::kTop) {
      if (key != "states") Fail("", UnknownName("key", OneLine(key), {"states"}));
      if (has_states_) Fail("", "the key 'states' comes twice");
      has_states_ = true;
      return true;
    }
    if (level_ == Level::kWrench) return Choose(kWrenchKeys, key, &wrench_key_, &wrench_given_);
    return Choose(kKeys, key, &key_, &given_);
  }

  bool end_object() override {
    if (level_ == Level::kState) {
      AddState();
      level_ = Level::kStates;
    } else if (level_ == Level::kWrench) {
      wrench_key_ = kWrenchKeys.size();
      if (!wrench_given_[kBody]) Fail(Place(), "there is no key 'body'");
      level_ = Level::kWrenches;
    } else if (!has_states_) {
      Fail("", "there is no key 'states'");
    }
    return true;
  }

  bool start_array(std::size_t) override {
    if (level_ == Level::kTop) {
      level_ = Level::kStates;
    } else if (level_ == Level::kState) {
      level_ = key_ == kWrenches ? Level::kWrenches : Level::kVector;
    } else if (level_ == Level::kWrench && wrench_key_ > kAxes) {
      level_ = Level::kWrenchVector;
      wrench_vector_.clear();
    } else {
      Refuse("a list");
    }
    return true;
  }

  bool end_array() override {
    switch (level_) {
      case Level::kStates:
        level_ = Level::kTop;
        break;
      case Level::kVector: {
        const bool is_q = key_ == kQ;
        const int wanted = is_q ? model_.nq() : nv_;
        CheckSize(lists_[key_].size(), wanted,
                  std::string("the model has ") + (is_q ? "nq" : nv_name_) + " = ");
        level_ = Level::kState;
        break;
      }
      case Level::kWrenchVector:
        CheckSize(wrench_vector_.size(), 3, "must have ");
        TakeWrenchVector();
        level_ = Level::kWrench;
        break;
      default:
        key_ = kKeys.size();
        level_ = Level::kState;
    }
    return true;
  }

  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception& error) override {
    const std::size_t offset = WordStart(text_, position > 0 ? position - 1 : 0);
    std::size_t end = offset;
    while (end < text_.size() && IsWordCharacter(text_[end])) ++end;
    const std::string word = text_.substr(offset, end - offset);
    const std::string where = name_ + ":" + internal::PlaceIn(text_, offset) + ": ";
    std::string letters = word;
    std::erase(letters, '-');
    for (char& c : letters) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    const bool in_state = level_ >= Level::kState;
    if (in_state && (letters == "nan" || letters == "inf" || letters == "infinity")) {
      throw UserError(where + ElementPlace() + " is " + word + ", not a finite number");
    }
    if (error.id == 406) {
      throw UserError(where + ElementPlace() + " is " + word + ", too large a number");
    }
    // "[json.exception…] parse error at line 1, column 2: syntax error while … - what; last read …"
    std::string what = error.what();
    const std::size_t colon = what.find(": ");
    if (colon != std::string::npos) what.erase(0, colon + 2);
    throw UserError(where + "malformed JSON: " + internal::KeepCharacters(what));  // cut in one
  }

 private:
  enum class Level { kDocument, kTop, kStates, kState, kVector, kWrenches, kWrench, kWrenchVector };
  static constexpr auto kKeys = EvalStates::kKeys;
  static constexpr std::size_t kQ = 0, kWrenches = EvalStates::kNumLists;
  static constexpr std::array<std::string_view, 5> kWrenchKeys = {"body", "axes", "point", "force",
                                                                  "moment"};
  static constexpr std::size_t kBody = 0, kAxes = 1;

  [[noreturn]] void Fail(const std::string& place, const std::string& what) const {
    throw UserError(name_ + ": " + (place.empty() ? "" : place + ": ") + what);
  }

  /// Takes the key of a state or a wrench.
  template <std::size_t n>
  bool Choose(const std::array<std::string_view, n>& keys, const std::string& key,
              std::size_t* chosen, std::array<bool, n>* given) {
    *chosen = n;
    const auto* row = std::find(keys.begin(), keys.end(), key);
    if (row == keys.end()) {
      Fail(Place(), UnknownName("key", OneLine(key), {keys.begin(), keys.end()}));
    }
    *chosen = static_cast<std::size_t>(row - keys.begin());
    if (given->at(*chosen)) Fail(Place(), "the key '" + key + "' comes twice");
    return given->at(*chosen) = true;
  }

  void CheckSize(std::size_t size, int wanted, const std::string& must) const {
    if (size == static_cast<std::size_t>(wanted)) return;
    Fail(Place(), "has " + internal::Count(size, "number") + ", " + must + std::to_string(wanted));
  }

  void FindBody(const std::string& name) {
    try {
      wrenches_.back().frame = &model_.FindFrame(OneLine(name));
    } catch (const UserError& error) {
      Fail(Place(), error.what());
    }
  }

  void TakeWrenchVector() {
    EvalWrench& wrench = wrenches_.back();
    const std::string_view key = kWrenchKeys.at(wrench_key_);
    Eigen::Vector3d& taken = key == "point"   ? wrench.point
                             : key == "force" ? wrench.force
                                              : wrench.moment;
    taken = Eigen::Map<const Eigen::Vector3d>(wrench_vector_.data());
  }

  std::string StatePlace() const { return "states[" + std::to_string(states_.size()) + "]"; }

  /// Place of the last key or value: "states[3]", "states[3].q", "states[3].wrenches[0].force".
  std::string Place() const {
    if (level_ == Level::kTop || level_ == Level::kDocument) return "";
    std::string place = StatePlace();
    if (level_ == Level::kStates || key_ == kKeys.size()) return place;
    place += "." + std::string(kKeys.at(key_));
    if (level_ < Level::kWrenches) return place;
    const std::size_t done = wrenches_.size() - (level_ == Level::kWrenches ? 0 : 1);
    place += "[" + std::to_string(done) + "]";
    if (level_ == Level::kWrenches || wrench_key_ == kWrenchKeys.size()) return place;
    return place + "." + std::string(kWrenchKeys.at(wrench_key_));
  }

  std::string ElementPlace() const {
    if (level_ == Level::kVector) return Place() + "[" + std::to_string(lists_[key_].size()) + "]";
    if (level_ != Level::kWrenchVector) return Place();
    return Place() + "[" + std::to_string(wrench_vector_.size()) + "]";
  }

  [[noreturn]] void Refuse(const std::string& what) const {
    switch (level_) {
      case Level::kDocument:
        Fail("", "must be an object {\"states\": […]}, not " + what);
      case Level::kTop:
        Fail("states", "must be a list of states, not " + what);
      case Level::kStates:
        Fail(StatePlace(), "must be an object with q, v, a, not " + what);
      case Level::kState:
        Fail(Place(), std::string("must be a list of ") +
                          (key_ == kWrenches ? "wrenches" : "numbers") + ", not " + what);
      case Level::kWrenches:
        Fail(Place(), "must be an object with body, point, force, moment, axes, not " + what);
      case Level::kWrench:
        Fail(Place(), std::string("must be ") +
                          (wrench_key_ > kAxes ? "a list of 3 numbers" : "a name") + ", not " +
                          what);
      default:
        Fail(ElementPlace(), "must be a number, not " + what);
    }
  }

  bool Number(double value) {
    if (level_ == Level::kVector) {
      lists_[key_].push_back(value);
    } else if (level_ == Level::kWrenchVector) {
      wrench_vector_.push_back(value);
    } else {
      Refuse("the number " + internal::ExactNumber(value));
    }
    return true;
  }

  void AddState() {
    for (const StateNeed& need : needs_) {
      const auto key = static_cast<std::size_t>(std::ranges::find(kKeys, need.key) - kKeys.begin());
      if (given_.at(key)) continue;
      Fail(StatePlace(),
           "there is no key '" + std::string(need.key) + "', which " + need.quantity + " needs");
    }
    const Eigen::VectorXd own = model_.DefaultPosition();
    if (!given_[kQ]) lists_[kQ].assign(own.begin(), own.end());
    Normalize(&lists_[kQ]);
    for (std::size_t k = kQ + 1; k < kWrenches; ++k) {
      if (!given_.at(k)) lists_.at(k).assign(static_cast<std::size_t>(nv_), 0.0);
    }
    states_.Add(lists_, wrenches_);
  }

  void Normalize(std::vector<double>* q) {
    for (const Model::NamedJoint& joint : model_.joints()) {
      const int rotation = RotationOffset(joint.type);
      if (rotation < 0) continue;
      Eigen::Map<Eigen::Vector4d> quaternion(q->data() + joint.iq + rotation);
      const double norm = quaternion.stableNorm();
      const auto describe = [&] {
        std::string what = name_ + ": " + StatePlace();
        what += ".q: the quaternion of joint '" + joint.name;
        what += "' has length " + internal::ExactNumber(norm);
        return what;
      };
      if (!(norm >= kShortestQuaternion) || !std::isfinite(norm)) throw UserError(describe());
      quaternion /= norm;
      if (std::abs(norm - 1) <= kUnitTolerance) continue;
      if (num_normalized_++ == 0) first_normalized_ = describe() + ", it is normalized";
    }
  }

  const std::string& text_;
  const std::string& name_;
  const Model& model_;
  const std::vector<StateNeed>& needs_;
  int nv_;
  const char* nv_name_;
  EvalStates states_;
  Level level_ = Level::kDocument;
  bool has_states_ = false;
  std::size_t key_ = kKeys.size();
  std::array<bool, kKeys.size()> given_{};
  std::array<std::vector<double>, EvalStates::kNumLists> lists_;
  std::size_t wrench_key_ = kWrenchKeys.size();
  std::array<bool, kWrenchKeys.size()> wrench_given_{};
  std::vector<double> wrench_vector_;
  std::vector<EvalWrench> wrenches_;
  std::size_t num_normalized_ = 0;
  std::string first_normalized_;
};

}  // namespace

void EvalStates::Add(const std::array<std::vector<double>, kNumLists>& lists,
                     std::vector<EvalWrench> wrenches) {
  for (std::size_t k = 0; k < kNumLists; ++k) {
    lists_.at(k).insert(lists_.at(k).end(), lists.at(k).begin(), lists.at(k).end());
  }
  wrenches_.push_back(std::move(wrenches));
}

EvalStates DefaultStates(const Model& model, std::optional<int> nw) {
  return ParseStates("{\"states\": [{}]}", "", model, nullptr, nw);
}

std::string ReadStatesText(const std::string& file, const OptionNames& called) {
  constexpr std::size_t kMost = std::size_t{1} << 30;
  try {
    return file == "-" ? internal::ReadDescriptor(STDIN_FILENO, file, kMost)
                       : internal::ReadFile(file, kMost);
  } catch (const UserError& error) {
    throw UserError(called("states") + " " + error.what());
  }
}

EvalStates ParseStates(const std::string& text, const std::string& name, const Model& model,
                       std::vector<std::string>* notices, std::optional<int> nw,
                       const std::vector<StateNeed>& needs) {
  internal::CheckUtf8(text, name);
  StatesReader reader(text, name, model, nw, needs);
  Json::sax_parse(text, &reader);
  if (notices != nullptr) reader.AddNotice(notices);
  return reader.TakeStates();
}

}  // namespace civita
