#include "core/model/internal/model_bytes.h"

#include <array>
#include <concepts>
#include <cstddef>
#include <cstring>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "civita/error.h"
#include "core/model/internal/property_rows.h"

namespace civita::internal {

template <typename T, typename U>
concept Is = std::same_as<std::remove_const_t<T>, U>;

template <typename T>
constexpr bool kIsPlain = std::is_arithmetic_v<T> || std::is_enum_v<T>;

template <typename T>
concept IsMatrix = std::derived_from<T, Eigen::PlainObjectBase<T>>;

/// Puts numbers and texts one behind the other.
class ByteWriter {
 public:
  template <typename... T>
  void operator()(const T&... x) {
    (Put(x), ...);
  }
  std::string bytes() && { return std::move(bytes_); }

 private:
  void Append(const void* data, std::size_t size) {
    bytes_.append(static_cast<const char*>(data), size);
  }
  template <typename T>
  void Put(const T& x) {
    if constexpr (kIsPlain<T>) {
      Append(&x, sizeof x);
    } else {
      Fields(*this, x);
    }
  }
  template <typename T>
  void Put(const std::vector<T>& list) {
    Put(list.size());
    for (const T& each : list) Put(each);
  }
  template <typename T, std::size_t size>
  void Put(const std::array<T, size>& list) {
    for (const T& each : list) Put(each);
  }
  template <IsMatrix Matrix>
  void Put(const Matrix& M) {
    (*this)(M.rows(), M.cols());
    Append(M.data(), sizeof(double) * static_cast<std::size_t>(M.size()));
  }
  template <typename T>
  void Put(const std::optional<T>& x) {
    Put(x.has_value());
    if (x) Put(*x);
  }
  void Put(const std::string& text) {
    Put(text.size());
    Append(text.data(), text.size());
  }

  std::string bytes_;
};

/// Takes them again.
class ByteReader {
 public:
  explicit ByteReader(std::string_view bytes) : bytes_(bytes) {}

  template <typename... T>
  void operator()(T&... x) {
    (Take(x), ...);
  }
  void CheckEnd() const {
    if (!bytes_.empty()) Refuse();
  }

 private:
  [[noreturn]] static void Refuse() { throw UserError("damaged bytes of a model"); }

  std::string_view Next(std::size_t size) {
    if (size > bytes_.size()) Refuse();
    const std::string_view next = bytes_.substr(0, size);
    bytes_.remove_prefix(size);
    return next;
  }
  /// The number of parts of a list, each of a byte or more.
  std::size_t Number() {
    std::size_t number = 0;
    Take(number);
    if (number > bytes_.size()) Refuse();
    return number;
  }
  template <typename T>
  void Take(T& x) {
    if constexpr (std::is_same_v<T, bool>) {
      const char byte = Next(1).front();
      if (byte != 0 && byte != 1) Refuse();
      x = byte == 1;
    } else if constexpr (kIsPlain<T>) {
      std::memcpy(&x, Next(sizeof x).data(), sizeof x);
    } else {
      Fields(*this, x);
    }
  }
  template <typename T>
  void Take(std::vector<T>& list) {
    list.resize(Number());
    for (T& each : list) Take(each);
  }
  template <typename T, std::size_t size>
  void Take(std::array<T, size>& list) {
    for (T& each : list) Take(each);
  }
  template <IsMatrix Matrix>
  void Take(Matrix& M) {
    Eigen::Index rows = 0, columns = 0;
    (*this)(rows, columns);
    const auto most = static_cast<Eigen::Index>(bytes_.size() / sizeof(double));
    const auto fits = [](Eigen::Index size, int fixed) {
      return size >= 0 && (fixed == Eigen::Dynamic || size == fixed);
    };
    if (!fits(rows, Matrix::RowsAtCompileTime) || !fits(columns, Matrix::ColsAtCompileTime) ||
        (columns > 0 && rows > most / columns)) {
      Refuse();
    }
    M.resize(rows, columns);
    const std::size_t size = sizeof(double) * static_cast<std::size_t>(M.size());
    std::memcpy(M.data(), Next(size).data(), size);
  }
  template <typename T>
  void Take(std::optional<T>& x) {
    bool has_value = false;
    Take(has_value);
    if (has_value) Take(x.emplace());
  }
  void Take(std::string& text) { text = Next(Number()); }

  std::string_view bytes_;
};

// The fields of each struct, in one order for both.

template <typename Bytes>
void Fields(Bytes& bytes, Is<Pose> auto& x) {
  bytes(x.R, x.p);
}

template <typename Bytes>
void Fields(Bytes& bytes, Is<MassProperties> auto& x) {
  bytes(x.mass, x.com, x.inertia);
}

template <typename Bytes>
void Fields(Bytes& bytes, Is<ModelBuilder::Body> auto& x) {
  bytes(x.name, x.parent, x.X_PB, x.mass);
}

template <typename Bytes>
void Fields(Bytes& bytes, Is<Model::NamedFrame> auto& x) {
  bytes(x.name, x.body, x.X_BF);
}

template <typename Bytes>
void Properties(Bytes& bytes, auto& x) {
  auto copy = x;
  for (const PropertyRow& row : PropertyRows(copy)) {
    for (int k = 0; k < row.size; ++k) bytes(row.numbers[k]);
  }
  if constexpr (!std::is_const_v<std::remove_reference_t<decltype(x)>>) x = copy;
}

template <typename Bytes>
void Fields(Bytes& bytes, Is<ModelBuilder::Joint> auto& x) {
  bytes(x.body, x.type, x.properties.name);
  Properties(bytes, x.properties);
  bytes(x.properties.spring_pose);
}

template <typename Bytes>
void Fields(Bytes& bytes, Is<TendonProperties::Term> auto& x) {
  bytes(x.iq, x.coefficient);
}

template <typename Bytes>
void Fields(Bytes& bytes, Is<TendonProperties> auto& x) {
  bytes(x.name, x.terms);
  Properties(bytes, x);
}

template <typename Bytes>
void Fields(Bytes& bytes, Is<FrameClosure::Side> auto& x) {
  bytes(x.frame, x.point, x.axes);
}

template <typename Bytes>
void Fields(Bytes& bytes, Is<FrameClosure> auto& x) {
  bytes(x.name, x.a, x.b, x.fixes_rotation);
}

template <typename Bytes>
void Fields(Bytes& bytes, Is<JointClosure> auto& x) {
  bytes(x.name, x.joint, x.leader, x.polynomial, x.reference, x.leader_reference);
}

template <typename Bytes>
void Fields(Bytes& bytes, Is<LoopClosures> auto& x) {
  bytes(x.frames, x.joints);
}

std::string WriteModel(const Model& model) {
  const ModelBuilder description(model);
  ByteWriter writer;
  writer(description.gravity(), description.impossible_moments_allowed(), description.bodies(),
         description.joints(), description.frames(),
         std::vector<TendonProperties>(description.tendons().begin(), description.tendons().end()));
  return std::move(writer).bytes();
}

Model ReadModel(std::string_view bytes) try {
  ByteReader reader(bytes);
  Eigen::Vector3d gravity;
  bool any_moments = false;
  std::vector<ModelBuilder::Body> bodies;
  std::vector<ModelBuilder::Joint> joints;
  std::vector<Model::NamedFrame> frames;
  std::vector<TendonProperties> tendons;
  reader(gravity, any_moments, bodies, joints, frames, tendons);
  reader.CheckEnd();
  ModelBuilder builder;
  builder.set_gravity(gravity);
  if (any_moments) builder.allow_impossible_moments();
  for (const auto& [name, parent, X_PB, mass, ignored] : bodies)
    builder.AddBody(name, parent, X_PB, mass);
  for (const ModelBuilder::Joint& joint : joints)
    builder.AddJoint(joint.body, joint.type, joint.properties);
  for (const Model::NamedFrame& frame : frames)
    builder.AddFrame(frame.name, frame.body, frame.X_BF);
  for (const TendonProperties& tendon : tendons) builder.AddTendon(tendon);
  return builder.Build();
} catch (const ContractError& error) {  // an index that only damage makes
  throw UserError(std::string("damaged bytes of a model: ") + error.what());
}

std::string WriteClosures(const LoopClosures& closures) {
  ByteWriter writer;
  writer(closures);
  return std::move(writer).bytes();
}

LoopClosures ReadClosures(std::string_view bytes) {
  ByteReader reader(bytes);
  LoopClosures closures;
  reader(closures);
  reader.CheckEnd();
  return closures;
}

}  // namespace civita::internal
