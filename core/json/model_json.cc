#include "civita/json/model_json.h"

#include <bit>
#include <cmath>
#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <span>
#include <utility>

#include "base/check_json.h"
#include "base/read_file.h"
#include "base/utf8.h"
#include "civita/error.h"
#include "civita/suggest.h"
#include "core/json/model_json_keys.h"

namespace civita {
namespace {

using internal::ModelDescription;
using internal::NameOf;
using ModelJson = nlohmann::ordered_json;

constexpr int kVersion = 1;

std::vector<std::string> JointTypeNames() {
  std::vector<std::string> names;
  for (const JointType type : JointTypes()) names.emplace_back(ToString(type));
  return names;
}

bool AreSameBits(std::span<const double> a, std::span<const double> b) {
  return std::ranges::equal(a, b, [](double x, double y) {
    return std::bit_cast<std::uint64_t>(x) == std::bit_cast<std::uint64_t>(y);
  });
}

/// JSON has no infinite numbers.
ModelJson NumberToJson(double x) {
  if (std::isfinite(x)) return x;
  return x > 0 ? "inf" : "-inf";
}

ModelJson NumbersToJson(std::span<const double> numbers) {
  ModelJson list = ModelJson::array();
  for (const double x : numbers) list.push_back(NumberToJson(x));
  return list;
}

/// Fills an object.
class ModelWriter {
 public:
  explicit ModelWriter(ModelJson& object) : object_(object) { object_ = ModelJson::object(); }

  void Needed(const char* key, const auto& x, const char*) { object_[key] = ToJson(x); }
  template <typename T>
  void operator()(const char* key, T& x, T standard, const char*) {
    if constexpr (requires { x.allFinite(); }) {
      if (AreSameBits({x.data(), static_cast<size_t>(x.size())},
                      {standard.data(), static_cast<size_t>(x.size())}))
        return;
    } else if constexpr (std::is_same_v<T, double>) {
      if (AreSameBits({&x, 1}, {&standard, 1})) return;
    } else {
      if (x == standard) return;
    }
    object_[key] = ToJson(x);
  }
  void Numbers(const char* key, double* x, int size, const double* standard, const char*) {
    const std::span<const double> numbers(x, static_cast<size_t>(size));
    if (AreSameBits(numbers, {standard, static_cast<size_t>(size)})) return;
    object_[key] = size == 1 ? NumberToJson(*x) : NumbersToJson(numbers);
  }
  template <typename T>
  void Reference(const char* key, int index, const std::vector<T>& list, bool, const char*) {
    if (index < 0) return;
    const std::string& name = NameOf(list[static_cast<size_t>(index)]);
    if (name.empty()) {
      object_[key] = index;
    } else {
      object_[key] = name;
    }
  }
  template <typename T>
  void Object(const char* key, T& x, const ModelDescription& all, const char*) {
    ModelWriter below(object_[key]);
    VisitKeys(below, x, all);
  }
  template <typename T>
  void Object(const char* key, std::optional<T>& x, const ModelDescription& all, const char* doc) {
    if (x) Object(key, *x, all, doc);
  }
  template <typename T>
  void List(const char* key, std::vector<T>& list, const ModelDescription& all, const char*) {
    if (list.empty()) return;
    ModelJson& array = object_[key] = ModelJson::array();
    for (T& x : list) {
      ModelWriter below(array.emplace_back());
      VisitKeys(below, x, all);
    }
  }

 private:
  static ModelJson ToJson(const std::string& x) { return x; }
  static ModelJson ToJson(bool x) { return x; }
  static ModelJson ToJson(int x) { return x; }
  static ModelJson ToJson(double x) { return NumberToJson(x); }
  static ModelJson ToJson(JointType x) { return ToString(x); }
  static ModelJson ToJson(const Eigen::Vector3d& x) { return NumbersToJson({x.data(), 3}); }
  static ModelJson ToJson(const Eigen::Matrix3d& x) {
    ModelJson rows = ModelJson::array();
    for (int i = 0; i < 3; ++i) {
      const Eigen::Vector3d row = x.row(i);
      rows.push_back(NumbersToJson({row.data(), 3}));
    }
    return rows;
  }

  ModelJson& object_;
};

/// What a value is, for a refusal.
std::string Describe(const ModelJson& value) {
  if (value.is_object()) return "an object";
  if (value.is_array()) return "a list of " + std::to_string(value.size());
  if (!value.is_string()) return value.dump();
  constexpr size_t kLongest = 40;
  return "the text '" + std::string(internal::FirstBytes(value.get<std::string>(), kLongest)) + "'";
}

/// Reads an object, whose place in the text is `where`: "arm.json: joints[3]".
class ModelReader {
 public:
  /// `items` counts those of all lists of the text, where these are bounded; null: they are not.
  ModelReader(const ModelJson& object, std::string file, std::string place, size_t* items)
      : object_(object), file_(std::move(file)), place_(std::move(place)), items_(items) {
    if (!object_.is_object()) Fail("", "must be an object, not " + Describe(object_));
  }
  /// Refuses the keys that nobody has asked for.
  void Finish() const {
    const std::vector<std::string> known(known_.begin(), known_.end());
    for (const auto& [key, value] : object_.items()) {
      if (std::ranges::find(known, key) == known.end()) Fail("", UnknownName("key", key, known));
    }
  }
  [[noreturn]] void Fail(const std::string& key, const std::string& what) const {
    const std::string place = Below(key);
    throw UserError(file_ + ": " + place + (place.empty() ? "" : ": ") + what);
  }

  template <typename T>
  void Needed(const char* key, T& x, const char*) {
    Take(key, Demand(key), x);
  }
  template <typename T>
  void operator()(const char* key, T& x, T standard, const char*) {
    x = standard;
    if (const ModelJson* value = Find(key)) Take(key, *value, x);
  }
  void Numbers(const char* key, double* x, int size, const double*, const char*) {
    const ModelJson* value = Find(key);
    if (value == nullptr) return;
    if (size == 1) {
      Take(key, *value, *x);
    } else {
      TakeList(key, *value, {x, static_cast<size_t>(size)});
    }
  }
  template <typename T>
  void Reference(const char* key, int& index, const std::vector<T>& list, bool needed,
                 const char*) {
    index = -1;
    const ModelJson* value = needed ? &Demand(key) : Find(key);
    if (value == nullptr) return;
    if (value->is_string()) {
      const auto name = value->get<std::string>();
      const auto found =
          std::ranges::find(list, name, [](const T& x) -> const std::string& { return NameOf(x); });
      if (found == list.end()) {
        std::vector<std::string> names;
        for (const T& x : list) names.push_back(NameOf(x));
        Fail(key, UnknownName("name", name, names));
      }
      index = static_cast<int>(found - list.begin());
      return;
    }
    if (!value->is_number_unsigned() || value->get<std::uint64_t>() >= list.size()) {
      Fail(key, "must be a name or a number below " + std::to_string(list.size()) + ", not " +
                    Describe(*value));
    }
    index = value->get<int>();
  }
  template <typename T>
  void Object(const char* key, T& x, const ModelDescription& all, const char*) {
    ModelReader below(Demand(key), file_, Below(key), items_);
    VisitKeys(below, x, all);
    below.Finish();
  }
  template <typename T>
  void Object(const char* key, std::optional<T>& x, const ModelDescription& all, const char* doc) {
    if (Find(key) != nullptr) Object(key, x.emplace(), all, doc);
  }
  template <typename T>
  void List(const char* key, std::vector<T>& list, const ModelDescription& all, const char*) {
    const ModelJson* value = Find(key);
    if (value == nullptr) return;
    if (!value->is_array()) Fail(key, "must be a list, not " + Describe(*value));
    // As of a model for MuJoCo.
    constexpr size_t kMost =
        std::is_same_v<T, ModelBuilder::Body> ? internal::kMostBodies : internal::kMostElements;
    if (items_ != nullptr) *items_ += value->size();
    if (items_ != nullptr && (value->size() > kMost || *items_ > internal::kMostElements)) {
      Fail(key, "has " + std::to_string(value->size()) + " items; at most " +
                    std::to_string(kMost) + ", and " + std::to_string(internal::kMostElements) +
                    " in all lists");
    }
    for (const ModelJson& item : *value) {
      ModelReader below(item, file_, Below(key) + "[" + std::to_string(list.size()) + "]", items_);
      T x{};
      VisitKeys(below, x, all);
      below.Finish();
      list.push_back(std::move(x));
    }
  }

 private:
  std::string Below(const std::string& key) const {
    if (key.empty() || place_.empty()) return place_ + key;
    return place_ + "." + key;
  }
  const ModelJson& Demand(const char* key) {
    if (const ModelJson* value = Find(key)) return *value;
    Fail("", "lacks the key '" + std::string(key) + "'");
  }
  const ModelJson* Find(const char* key) {
    known_.insert(key);
    const auto found = object_.find(key);
    return found == object_.end() ? nullptr : &*found;
  }

  void Take(const std::string& key, const ModelJson& value, std::string& x) const {
    if (!value.is_string()) Fail(key, "must be a text, not " + Describe(value));
    x = value.get<std::string>();
  }
  void Take(const std::string& key, const ModelJson& value, bool& x) const {
    if (!value.is_boolean()) Fail(key, "must be true or false, not " + Describe(value));
    x = value.get<bool>();
  }
  void Take(const std::string& key, const ModelJson& value, int& x) const {
    if (!value.is_number_integer() || value.get<double>() < 0 || value.get<double>() > 1e9)
      Fail(key, "must be a whole number ≥ 0, not " + Describe(value));
    x = value.get<int>();
  }
  void Take(const std::string& key, const ModelJson& value, double& x) const {
    if (value == "inf" || value == "-inf") {
      x = value == "inf" ? HUGE_VAL : -HUGE_VAL;
      return;
    }
    if (!value.is_number()) Fail(key, "must be a number, not " + Describe(value));
    x = value.get<double>();
  }
  void Take(const std::string& key, const ModelJson& value, JointType& x) const {
    const std::vector<std::string> names = JointTypeNames();
    std::string name;
    Take(key, value, name);
    const auto found = std::ranges::find(names, name);
    if (found == names.end()) Fail(key, UnknownName("type", name, names));
    x = JointTypes()[static_cast<size_t>(found - names.begin())];
  }
  void TakeList(const std::string& key, const ModelJson& value, std::span<double> x) const {
    if (!value.is_array() || value.size() != x.size())
      Fail(key, "must be " + std::to_string(x.size()) + " numbers, not " + Describe(value));
    for (size_t i = 0; i < x.size(); ++i) Take(key + "[" + std::to_string(i) + "]", value[i], x[i]);
  }
  void Take(const std::string& key, const ModelJson& value, Eigen::Vector3d& x) const {
    TakeList(key, value, {x.data(), 3});
  }
  void Take(const std::string& key, const ModelJson& value, Eigen::Matrix3d& x) const {
    if (!value.is_array() || value.size() != 3)
      Fail(key, "must be 3 rows of 3 numbers, not " + Describe(value));
    for (int i = 0; i < 3; ++i) {
      Eigen::Vector3d row;
      TakeList(key + "[" + std::to_string(i) + "]", value[static_cast<size_t>(i)], {row.data(), 3});
      x.row(i) = row;
    }
  }

  const ModelJson& object_;
  std::string file_, place_;
  std::set<std::string> known_;
  size_t* items_;
};

/// @throws UserError for what is no JSON, and for keys that come twice.
ModelJson ParseModelText(const std::string& text, const std::string& name) {
  std::vector<std::set<std::string>> keys;
  const auto check = [&](int, nlohmann::detail::parse_event_t event, ModelJson& parsed) {
    using Event = nlohmann::detail::parse_event_t;
    if (event == Event::object_start) keys.emplace_back();
    if (event == Event::object_end) keys.pop_back();
    if (event == Event::key && !keys.back().insert(parsed.get<std::string>()).second)
      throw UserError(name + ": the key '" + parsed.get<std::string>() + "' comes twice");
    return true;
  };
  internal::CheckUtf8(text, name);
  internal::CheckJson(text, name);
  try {
    return ModelJson::parse(text, check);
  } catch (const nlohmann::detail::parse_error& error) {
    const size_t at = error.byte > 0 ? error.byte - 1 : 0;
    throw UserError(name + ":" + internal::PlaceIn(text, std::min(at, text.size())) +
                    ": not JSON: an unexpected character, or the end of the text");
  } catch (const nlohmann::detail::out_of_range&) {
    throw UserError(name + ": a number is too large");
  }
}

template <typename Add>
void AddEach(const std::string& name, const char* key, size_t count, Add add) {
  for (size_t i = 0; i < count; ++i) {
    try {
      add(i);
    } catch (const UserError& error) {
      throw UserError(name + ": " + key + "[" + std::to_string(i) + "]: " + error.what());
    }
  }
}

Model BuildDescription(const ModelDescription& all, const std::string& name, bool bounded) {
  ModelBuilder builder;
  builder.set_gravity(all.gravity);
  if (all.impossible_moments) builder.allow_impossible_moments();
  AddEach(name, "bodies", all.bodies.size(), [&](size_t i) {
    const ModelBuilder::Body& body = all.bodies[i];
    builder.AddBody(body.name, body.parent, body.X_PB, body.mass);
  });
  std::map<int, int> velocities;  // of each body, as of one for MuJoCo
  AddEach(name, "joints", all.joints.size(), [&](size_t i) {
    const ModelBuilder::Joint& joint = all.joints[i];
    builder.AddJoint(joint.body, joint.type, joint.properties);
    velocities[joint.body] += NumVelocities(joint.type);
    if (velocities[joint.body] > 6 && bounded) {
      throw UserError("its body has more than 6 velocities");
    }
  });
  AddEach(name, "frames", all.frames.size(), [&](size_t i) {
    builder.AddFrame(all.frames[i].name, all.frames[i].body, all.frames[i].X_BF);
  });
  AddEach(name, "tendons", all.tendons.size(),
          [&](size_t i) { builder.AddTendon(all.tendons[i]); });
  try {
    return builder.Build();
  } catch (const UserError& error) {
    throw UserError(name + ": " + error.what());
  }
}

/// A description of the keys.
class ModelSchemaWriter {
 public:
  explicit ModelSchemaWriter(ModelJson& object) : object_(object) {
    object_["type"] = "object";
    object_["additionalProperties"] = false;
  }

  void Needed(const char* key, const auto& x, const char* doc) {
    Add(key, TypeOf(x), doc);
    Require(key);
  }
  template <typename T>
  void operator()(const char* key, T& x, const T&, const char* doc) {
    Add(key, TypeOf(x), doc);
  }
  void Numbers(const char* key, double* x, int size, const double*, const char* doc) {
    Add(key, size == 1 ? TypeOf(*x) : ListOf(TypeOf(*x), size), doc);
  }
  template <typename T>
  void Reference(const char* key, int, const std::vector<T>&, bool needed, const char* doc) {
    Add(key, {{"type", {"string", "integer"}}, {"minimum", 0}}, doc);
    if (needed) Require(key);
  }
  template <typename T>
  void Object(const char* key, T& x, const ModelDescription& all, const char* doc) {
    Add(key, SchemaOf(x, all), doc);
    Require(key);
  }
  template <typename T>
  void Object(const char* key, std::optional<T>&, const ModelDescription& all, const char* doc) {
    T x{};
    Add(key, SchemaOf(x, all), doc);
  }
  template <typename T>
  void List(const char* key, std::vector<T>&, const ModelDescription& all, const char* doc) {
    T x{};
    Add(key, {{"type", "array"}, {"items", SchemaOf(x, all)}}, doc);
  }

 private:
  static ModelJson TypeOf(const std::string&) { return {{"type", "string"}}; }
  static ModelJson TypeOf(bool) { return {{"type", "boolean"}}; }
  static ModelJson TypeOf(int) { return {{"type", "integer"}, {"minimum", 0}}; }
  static ModelJson TypeOf(double) {
    return {{"anyOf", ModelJson::array({{{"type", "number"}}, {{"enum", {"inf", "-inf"}}}})}};
  }
  static ModelJson TypeOf(JointType) { return {{"enum", JointTypeNames()}}; }
  static ModelJson ListOf(const ModelJson& items, int size) {
    return {{"type", "array"}, {"items", items}, {"minItems", size}, {"maxItems", size}};
  }
  static ModelJson TypeOf(const Eigen::Vector3d&) { return ListOf({{"type", "number"}}, 3); }
  static ModelJson TypeOf(const Eigen::Matrix3d&) {
    return ListOf(ListOf({{"type", "number"}}, 3), 3);
  }
  /// The schema of the keys below x.
  template <typename T>
  static ModelJson SchemaOf(T& x, const ModelDescription& all) {
    ModelJson below;
    ModelSchemaWriter visit(below);
    VisitKeys(visit, x, all);
    return below;
  }
  void Add(const char* key, ModelJson schema, const char* doc) {
    if (*doc != '\0') schema["description"] = doc;
    object_["properties"][key] = std::move(schema);
  }
  void Require(const char* key) { object_["required"].push_back(key); }

  ModelJson& object_;
};

}  // namespace

std::string WriteModelJson(const Model& model, const Constraints& loops) {
  const ModelBuilder builder(model);
  ModelDescription all{.version = kVersion,
                       .gravity = builder.gravity(),
                       .impossible_moments = builder.impossible_moments_allowed(),
                       .bodies = builder.bodies(),
                       .joints = builder.joints(),
                       .frames = builder.frames(),
                       .tendons = {builder.tendons().begin(), builder.tendons().end()},
                       .frame_closures = {},
                       .joint_closures = loops.joints};
  for (const RigidConstraint& each : loops.rigid)
    all.frame_closures.push_back(internal::OnBodies(model, each));
  ModelJson json;
  ModelWriter writer(json);
  VisitKeys(writer, all, all);
  try {
    return json.dump(1) + "\n";
  } catch (const nlohmann::detail::type_error&) {
    throw UserError("a name of the model is not UTF-8, which JSON must be");
  }
}

LoadedModel ReadModelJson(const std::string& text, const std::string& name, bool bounded) {
  const ModelJson json = ParseModelText(text, name);
  if (json.is_object() && json.value("civita_model", ModelJson(kVersion)) != kVersion) {
    throw UserError(name + ": civita_model: must be " + std::to_string(kVersion) +
                    ", the version of the format, not " + Describe(json["civita_model"]));
  }
  size_t items = 0;
  ModelReader reader(json, name, "", bounded ? &items : nullptr);
  ModelDescription all;
  VisitKeys(reader, all, all);
  reader.Finish();
  LoadedModel read{
      BuildDescription(all, name, bounded), {}, {all.frame_closures, all.joint_closures}};
  const std::vector<Model::NamedFrame>& frames = read.model.frames();
  for (RigidConstraint& c : read.loops.rigid) {
    for (Model::NamedFrame* frame : {&c.A, &c.B})
      *frame = frame->body < 0 ? Model::NamedFrame{} : frames[static_cast<size_t>(frame->body)];
  }
  return read;
}

std::string ModelSchema() {
  ModelJson root = {{"$schema", "https://json-schema.org/draft/2020-12/schema"},
                    {"title", "A model of civita"}};
  ModelSchemaWriter writer(root);
  ModelDescription all;
  VisitKeys(writer, all, all);
  return root.dump(1);
}

}  // namespace civita
