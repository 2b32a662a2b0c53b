#include "tests/oracles/model_bytes.h"

#include <array>
#include <cstddef>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/model/internal/property_rows.h"

namespace civita {
namespace {

template <typename T>
concept IsPlain = std::is_arithmetic_v<T> || std::is_enum_v<T>;

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
  template <IsPlain T>
  void Put(const T& x) {
    Append(&x, sizeof x);
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
  template <typename Matrix>
  void Put(const Eigen::PlainObjectBase<Matrix>& M) {
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
  void Put(const Pose& x) { (*this)(x.R, x.p); }
  void Put(const MassProperties& x) { (*this)(x.mass, x.com, x.inertia); }
  void Put(const ModelBuilder::Body& x) { (*this)(x.name, x.parent, x.X_PB, x.mass); }
  void Put(const Model::NamedFrame& x) { (*this)(x.name, x.body, x.X_BF); }
  void Put(const ModelBuilder::Joint& x) {
    (*this)(x.body, x.type, x.properties.name);
    PutProperties(x.properties);
    (*this)(x.properties.spring_pose);
  }
  void Put(const TendonProperties::Term& x) { (*this)(x.iq, x.coefficient); }
  void Put(const TendonProperties& x) {
    (*this)(x.name, x.terms);
    PutProperties(x);
  }
  void Put(const RigidConstraint& x) {
    (*this)(x.name, x.A, x.B, x.point_A, x.point_B, x.axes_A, x.axes_B, x.fixes_rotation);
  }
  void Put(const JointConstraint& x) {
    (*this)(x.name, x.joint, x.leader, x.polynomial, x.reference, x.leader_reference);
  }
  void PutProperties(auto x) {
    for (const internal::PropertyRow& row : internal::PropertyRows(x)) {
      for (int k = 0; k < row.size; ++k) Put(row.numbers[k]);
    }
  }

  std::string bytes_;
};

}  // namespace

std::string ModelBytes(const Model& model) {
  const ModelBuilder description(model);
  ByteWriter writer;
  writer(description.gravity(), description.impossible_moments_allowed(), description.bodies(),
         description.joints(), description.frames(),
         std::vector<TendonProperties>(description.tendons().begin(), description.tendons().end()));
  return std::move(writer).bytes();
}

std::string ConstraintsBytes(const Constraints& constraints) {
  ByteWriter writer;
  writer(constraints.rigid, constraints.joints);
  return std::move(writer).bytes();
}

}  // namespace civita
