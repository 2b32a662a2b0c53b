#include "core/model/internal/model_bytes.h"

#include <array>
#include <concepts>
#include <cstddef>
#include <cstring>
#include <type_traits>
#include <utility>
#include <vector>

#include "civita/error.h"
#include "core/model/internal/tree_tables.h"

namespace civita::internal {

template <typename T, typename U>
concept Is = std::same_as<std::remove_const_t<T>, U>;

template <typename T>
constexpr bool kIsPlain = std::is_arithmetic_v<T> || std::is_enum_v<T> || Is<T, V3<double>> ||
                          Is<T, M3<double>> || Is<T, S3<double>>;

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
    if constexpr (kIsPlain<T>) {
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
void Fields(Bytes& bytes, Is<Model::Body> auto& x) {
  bytes(x.name, x.parent, x.root, x.joint, x.iq, x.iv, x.nv, x.depth, x.mass);
}

template <typename Bytes>
void Fields(Bytes& bytes, Is<Model::NamedFrame> auto& x) {
  bytes(x.name, x.body, x.X_BF);
}

template <typename Bytes>
void Fields(Bytes& bytes, Is<Model::NamedJoint> auto& x) {
  bytes(x.name, x.type, x.body, x.iq, x.iv);
}

template <typename Bytes>
void Fields(Bytes& bytes, Is<Model::Spring> auto& x) {
  bytes(x.iq, x.iv, x.stiffness, x.reference, x.stiffness_poly);
}

template <typename Bytes>
void Fields(Bytes& bytes, Is<Model::VectorSpring> auto& x) {
  bytes(x.iq, x.iv, x.rotates, x.stiffness, x.stiffness_poly, x.reference);
}

template <typename Bytes>
void Fields(Bytes& bytes, Is<TendonProperties::Term> auto& x) {
  bytes(x.iq, x.coefficient);
}

template <typename Bytes>
void Fields(Bytes& bytes, Is<Model::Tendon> auto& x) {
  bytes(x.name, x.terms, x.damping, x.frictionloss, x.stiffness, x.rest_lower, x.rest_upper,
        x.stiffness_poly, x.damping_poly, x.iv);
}

template <typename Bytes>
void Fields(Bytes& bytes, Is<Link> auto& x) {
  bytes(x.joint, x.parent, x.iq, x.iv, x.nv, x.R_PF, x.p_PF, x.axis, x.along_z, x.pitch,
        x.reference, x.scale, x.R_axis, x.R_cos, x.R_sin, x.mass, x.com, x.inertia);
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

struct ModelFields {
  /// All but what SetTables makes.
  template <typename Bytes>
  static void Of(Bytes& bytes, Is<Model> auto& m) {
    bytes(m.bodies_, m.frames_, m.added_frames_, m.joints_, m.springs_, m.vector_springs_,
          m.tendons_, m.gravity_, m.armature_, m.damping_, m.frictionloss_, m.damping_poly_,
          m.default_position_, m.position_lower_, m.position_upper_, m.velocity_limit_,
          m.effort_lower_, m.effort_upper_, m.nq_, m.nv_, m.max_depth_, m.rotation_triple_,
          m.has_rotation_triples_);
  }

  static Model Read(std::string_view bytes) {
    ByteReader reader(bytes);
    Model model;
    std::vector<Link> links;
    Of(reader, model);
    reader(links);
    reader.CheckEnd();
    model.SetTables(std::move(links));
    return model;
  }

  static const std::vector<Link>& LinksOf(const Model& model) { return model.tables_->links(); }
};

std::string WriteModel(const Model& model) {
  ByteWriter writer;
  ModelFields::Of(writer, model);
  writer(ModelFields::LinksOf(model));
  return std::move(writer).bytes();
}

Model ReadModel(std::string_view bytes) { return ModelFields::Read(bytes); }

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
