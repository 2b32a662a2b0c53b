#pragma once

#include <Eigen/Core>
#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "app/window/plot/series.h"
#include "app/window/plot/traces.h"
#include "app/window/render/decor.h"
#include "app/window/render/framing.h"
#include "civita/factorization.h"
#include "civita/geometry/torsion.h"
#include "civita/scenes/plant/model_file.h"
#include "civita/scenes/scene.h"
#include "civita/sim/plant_geometry.h"
#include "civita/tensor3.h"

namespace civita {

/// The connection of a factorization at one configuration: its torsion, and which properties of the
/// Riemannian connection it shares ([WES], figure 1). Components are those of the velocities of a
/// PlantGeometry: v of open trees, the independent ones of closed chains.
class ConnectionView {
 public:
  /// Of the controller's model of a scene.
  explicit ConnectionView(const SceneData& scene);

  /// Computes all at q (nq numbers) from one evaluation of C and Ḣ for each velocity. @returns
  /// false, and keeps what there was, where loops are singular.
  bool Update(const Eigen::Ref<const Eigen::VectorXd>& q, const Factorization& factorization);

  int size() const { return torsion_.n(); }
  const std::vector<std::string>& names() const { return names_; }  ///< of the velocities

  /// T_ijk = −T_ikj; exactly zero where it is zero but for rounding.
  const Tensor3& torsion() const { return torsion_; }
  const ConnectionResiduals& residuals() const { return residuals_; }
  /// Whether a residual is zero but for rounding.
  bool IsZero(double residual) const { return residual <= floor_; }

 private:
  PlantGeometry geometry_;
  std::vector<std::string> names_;
  Tensor3 torsion_;
  ConnectionResiduals residuals_;
  double floor_ = 0;
};

/// Indices (i, j, k) of the largest |T_ijk|, the first of several.
struct TensorIndex {
  int i = 0, j = 0, k = 0;
};
TensorIndex FindLargest(const Tensor3& T);

/// What the two frames of a FrameTransport do to the tracked point at one time: velocities that
/// their vectors give it, by column, in world axes.
struct FrameMark {
  double t;      ///< s
  Point3 point;  ///< m
  Eigen::Matrix3Xd torsion_free, carried;
};

/// Two frames that are carried in parallel along the recorded motion of a run, by the connection of
/// a factorization and by the torsion-free one of the same metric, from one frame that is
/// orthonormal in H at the start. Their coordinates are those of ConnectionView.
class FrameTransport {
 public:
  /// Of the controller's model of a scene, which must outlive this object.
  explicit FrameTransport(const SceneData& scene);

  static constexpr double kMarkPeriod = 0.2;  // s
  static constexpr std::size_t kMostMarks = 3000;

  /// Carries on along new rows of a run's traces, for at most `budget_s` of computing time. Begins
  /// anew at the oldest row for another run or factorization, and after Reset and Rewind.
  void Follow(const Traces& traces, const Factorization& factorization, double budget_s,
              Slot slot = Slot::kA);

  double start_t() const { return start_t_; }  ///< of the motion, s
  double t() const { return t_; }              ///< up to which the frames are carried, s
  /// Over time, in channel 0, the greatest angle of the rotation in H from the torsion-free frame
  /// to the other one, rad, 0 to π.
  const TraceBuffer& angle() const { return angle_; }
  /// The newest angle; NaN before the first row.
  double newest_angle() const;
  int size() const { return geometry_.size(); }  ///< number of vectors of a frame
  /// By time, each kMarkPeriod, the newest ones, the last where the frames are now.
  const std::deque<FrameMark>& marks() const { return marks_; }
  /// Whether Follow has more to do along the rows that there were.
  bool is_behind() const { return is_behind_; }
  /// Why the frames are carried no further; empty: they are.
  const std::string& stopped() const { return stopped_; }

 private:
  struct Point {
    double t = 0;
    Eigen::VectorXd q, v;  ///< v: of the PlantGeometry
  };

  void Begin(const Traces& traces);
  Point PointAt(const Traces& traces, std::int64_t row) const;
  void Carry(const std::array<Point, 3>& points);
  void AppendAngle();
  void AppendMark(const Point& point);

  Model model_;
  PlantGeometry geometry_;
  const mjModel& mj_;
  std::unique_ptr<mjData, MjDataDeleter> data_;
  TrackedPoint tracked_;
  std::deque<FrameMark> marks_;
  TraceBuffer angle_{1};
  Factorization factorization_;
  std::string form_;  ///< factorization_ as text
  Slot slot_ = Slot::kA;
  int epoch_ = -1;
  std::int64_t row_ = -1;  ///< that the frames have reached; −1: none
  double start_t_ = 0, t_ = 0;
  Eigen::MatrixXd torsion_free_, carried_;
  std::string stopped_;
  bool is_behind_ = false;
};

}  // namespace civita
