#include "app/verbs/eval/eval_states.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>

#include "civita/error.h"
#include "civita/scenes/schema/text.h"
#include "civita/sim/output_file.h"
#include "civita/suggest.h"

namespace civita {
namespace {

using Json = nlohmann::json;

/// Maximum deviation of a quaternion's length from 1 without a notice.
constexpr double kUnitTolerance = 1e-6;
constexpr double kShortestQuaternion = 1e-6;

std::string NumberText(double x) {
  std::string text;
  AppendNumber(x, &text);
  return text;
}

/// Text from a file for a message: truncated, on one line.
std::string OneLine(std::string text) {
  constexpr std::size_t kLongest = 40;
  if (text.size() > kLongest) text = text.substr(0, kLongest) + "...";
  for (char& c : text) {
    if (std::iscntrl(static_cast<unsigned char>(c)) != 0) c = ' ';
  }
  return text;
}

/// Line and column, from 1, of the byte at `offset`: "3:14".
std::string LineAndColumn(const std::string& text, std::size_t offset) {
  const auto at = text.begin() + static_cast<std::ptrdiff_t>(std::min(offset, text.size()));
  const auto line = std::count(text.begin(), at, '\n') + 1;
  const auto start = std::find(std::make_reverse_iterator(at), text.rend(), '\n').base();
  return std::to_string(line) + ":" + std::to_string(at - start + 1);
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
               std::optional<int> nw)
      : text_(text),
        name_(name),
        model_(model),
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
  bool string(string_t& value) override { Refuse("the text '" + OneLine(value) + "'"); }
  bool binary(binary_t&) override { Refuse("binary data"); }

  bool start_object(std::size_t) override {
    if (level_ == Level::kDocument) {
      level_ = Level::kTop;
    } else if (level_ == Level::kStates) {
      level_ = Level::kState;
      key_ = kKeys.size();
      given_.fill(std::nullopt);
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
    const auto* row = std::find(kKeys.begin(), kKeys.end(), key);
    if (row == kKeys.end()) Fail(StatePlace(), UnknownName("key", OneLine(key), {"q", "v", "a"}));
    key_ = static_cast<std::size_t>(row - kKeys.begin());
    if (given_[key_]) Fail(Place(), "the key '" + key + "' comes twice");
    return true;
  }

  bool end_object() override {
    if (level_ == Level::kState) {
      AddState();
      level_ = Level::kStates;
    } else if (!has_states_) {
      Fail("", "there is no key 'states'");
    }
    return true;
  }

  bool start_array(std::size_t) override {
    if (level_ == Level::kTop) {
      level_ = Level::kStates;
    } else if (level_ == Level::kState) {
      level_ = Level::kVector;
      given_[key_].emplace();
    } else {
      Refuse("a list");
    }
    return true;
  }

  bool end_array() override {
    if (level_ == Level::kStates) {
      level_ = Level::kTop;
      return true;
    }
    level_ = Level::kState;
    const std::size_t size = given_[key_]->size();
    const bool is_q = key_ == kQ;
    const int wanted = is_q ? model_.nq() : nv_;
    if (size != static_cast<std::size_t>(wanted)) {
      Fail(Place(), "has " + internal::Count(size, "number") + ", the model has " +
                        (is_q ? "nq" : nv_name_) + " = " + std::to_string(wanted));
    }
    return true;
  }

  bool parse_error(std::size_t position, const std::string&,
                   const nlohmann::detail::exception& error) override {
    const std::size_t offset = WordStart(text_, position > 0 ? position - 1 : 0);
    std::size_t end = offset;
    while (end < text_.size() && IsWordCharacter(text_[end])) ++end;
    const std::string word = text_.substr(offset, end - offset);
    const std::string where = name_ + ":" + LineAndColumn(text_, offset) + ": ";
    std::string letters = word;
    std::erase(letters, '-');
    for (char& c : letters) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    const bool in_state = level_ == Level::kVector || level_ == Level::kState;
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
    throw UserError(where + "malformed JSON: " + what);
  }

 private:
  enum class Level { kDocument, kTop, kStates, kState, kVector };
  static constexpr std::size_t kQ = 0, kV = 1, kA = 2;
  static constexpr std::array<std::string_view, 3> kKeys = {"q", "v", "a"};

  [[noreturn]] void Fail(const std::string& place, const std::string& what) const {
    throw UserError(name_ + ": " + (place.empty() ? "" : place + ": ") + what);
  }

  std::string StatePlace() const { return "states[" + std::to_string(states_.size()) + "]"; }

  /// Place of the last key or value: "states[3]", "states[3].q".
  std::string Place() const {
    if (level_ == Level::kTop || level_ == Level::kDocument) return "";
    if (level_ == Level::kStates || key_ == kKeys.size()) return StatePlace();
    return StatePlace() + "." + std::string(kKeys[key_]);
  }

  std::string ElementPlace() const {
    if (level_ != Level::kVector) return Place();
    return Place() + "[" + std::to_string(given_[key_]->size()) + "]";
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
        Fail(Place(), "must be a list of numbers, not " + what);
      default:
        Fail(ElementPlace(), "must be a number, not " + what);
    }
  }

  bool Number(double value) {
    if (level_ != Level::kVector) Refuse("the number " + NumberText(value));
    given_[key_]->push_back(value);
    return true;
  }

  void AddState() {
    const auto or_zero = [&](const std::optional<std::vector<double>>& given) {
      return given.value_or(std::vector<double>(static_cast<std::size_t>(nv_), 0.0));
    };
    const Eigen::VectorXd own = model_.DefaultPosition();
    std::vector<double> q(own.begin(), own.end());
    if (given_[kQ]) q = *given_[kQ];
    Normalize(&q);
    states_.Add(q, or_zero(given_[kV]), or_zero(given_[kA]));
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
        what += "' has length " + NumberText(norm);
        return what;
      };
      if (!(norm >= kShortestQuaternion)) throw UserError(describe());
      quaternion /= norm;
      if (std::abs(norm - 1) <= kUnitTolerance) continue;
      if (num_normalized_++ == 0) first_normalized_ = describe() + ", it is normalized";
    }
  }

  const std::string& text_;
  const std::string& name_;
  const Model& model_;
  int nv_;
  const char* nv_name_;
  EvalStates states_;
  Level level_ = Level::kDocument;
  bool has_states_ = false;
  std::size_t key_ = kKeys.size();
  std::array<std::optional<std::vector<double>>, 3> given_;
  std::size_t num_normalized_ = 0;
  std::string first_normalized_;
};

}  // namespace

void EvalStates::Add(std::span<const double> q, std::span<const double> v,
                     std::span<const double> a) {
  q_.insert(q_.end(), q.begin(), q.end());
  v_.insert(v_.end(), v.begin(), v.end());
  a_.insert(a_.end(), a.begin(), a.end());
}

EvalStates DefaultStates(const Model& model, std::optional<int> nw) {
  return ParseStates("{\"states\": [{}]}", "", model, nullptr, nw);
}

std::string ReadStatesText(const std::string& file) {
  const auto refuse = [&] { throw UserError("--states " + file + ": " + std::strerror(errno)); };
  std::error_code ignored;
  if (std::filesystem::is_directory(file, ignored)) {
    errno = EISDIR;
    refuse();
  }
  struct Closer {
    void operator()(std::FILE* f) const {
      if (f != stdin) std::fclose(f);
    }
  };
  const std::unique_ptr<std::FILE, Closer> stream(file == "-" ? stdin
                                                              : std::fopen(file.c_str(), "rb"));
  if (!stream) refuse();
  std::string text;
  std::array<char, 1 << 16> block;
  while (const std::size_t n = std::fread(block.data(), 1, block.size(), stream.get())) {
    text.append(block.data(), n);
  }
  if (std::ferror(stream.get()) != 0) refuse();
  return text;
}

EvalStates ParseStates(const std::string& text, const std::string& name, const Model& model,
                       std::vector<std::string>* notices, std::optional<int> nw) {
  StatesReader reader(text, name, model, nw);
  Json::sax_parse(text, &reader);
  if (notices != nullptr) reader.AddNotice(notices);
  return reader.TakeStates();
}

}  // namespace civita
