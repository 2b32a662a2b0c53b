// Vectors carried in parallel along a curve by the connections of several factorizations, and what
// is told of them: `civita geodesic` and `civita transport`.
#pragma once

#include <Eigen/Core>
#include <string>
#include <vector>

#include "civita/model.h"

namespace civita {

/// Options of both verbs.
struct CarryOptions {
  std::string verb;
  std::string model;  ///< as for `civita eval`
  std::string base = "fixed";
  std::string factorizations = "christoffel";  ///< forms, with commas
  std::vector<std::string> carry;  ///< vectors of nv numbers; empty: an orthonormal frame
  double step_s = 0.002;           ///< longest
  std::string out;                 ///< folder; empty: no files
  std::string format = "csv";      ///< of the curves in the folder

  // Of a geodesic.
  std::string q;  ///< nq numbers; empty: the model's own configuration
  std::string v;  ///< nv numbers; empty: 1 each
  double duration_s = 1;

  // Of a transport: the curve is a motion in a file, or goes through waypoints.
  std::string along;                   ///< a run's folder, or a CSV file as of ReadMotionFile
  std::vector<std::string> waypoints;  ///< nq numbers each
  bool loop = false;                   ///< back to the first waypoint
};

/// A point of a curve q(t) with a frame carried along it, and what is told of them.
struct CarriedRow {
  Eigen::VectorXd q, v;
  Eigen::MatrixXd frame;  ///< nv × nv, orthonormal in H at the start
  double speed = 0;       ///< (vᵀH v)^½
  double gram = 0;        ///< greatest change of ⟨w, w'⟩ in the frame
  double gap = 0;         ///< length of q ⊖ q_first in the metric
  double turn = 0;        ///< angle of the rotation from the first curve's frame, rad, to π
};

/// A curve and a frame carried along it by the connection of one factorization.
struct CarriedCurve {
  std::string name;        ///< of the factorization
  bool admissible = true;  ///< Ḣ = C + Cᵀ: inner products are kept
  std::vector<CarriedRow> rows = {};
};

/// Curves of one model side by side, with the same rows. A geodesic has a curve and an energy for
/// each factorization; else they share the curve.
struct CarriedCurves {
  CarryOptions options;
  Model model;
  double step_s = 0;  ///< longest
  std::vector<double> t = {};
  std::vector<CarriedCurve> curves = {};
  /// nv × k: the vectors asked for, in the carried frame. A frame carries all vectors, since
  /// transport is linear.
  Eigen::MatrixXd coefficients = {};
  double length = 0;         ///< of the first curve in the metric, ∫ (vᵀH v)^½ dt
  std::string stopped = {};  ///< where and why the curves end early; empty: they do not
  bool interrupted = false;
  /// By curve, if the curve closes: R in the metric with frame(end) = frame(0) R.
  std::vector<Eigen::MatrixXd> holonomy = {};

  bool is_geodesic() const { return options.verb == "geodesic"; }
  /// The vectors asked for, at a row.
  Eigen::MatrixXd Vectors(std::size_t curve, std::size_t row) const {
    return curves[curve].rows[row].frame * coefficients;
  }
};

/// The metric H(q), nv × nv. @throws UserError with `where` if it is not positive definite.
Eigen::MatrixXd MetricAt(const Model& model, const Eigen::VectorXd& q, const std::string& where);

/// Angles of the planes in which an orthogonal matrix turns, rad, 0 to π, descending; of another
/// matrix those of its polar factor.
std::vector<double> RotationAngles(const Eigen::MatrixXd& R);

/// Integrates, prints the table, and writes the folder if one is given. @returns an ExitCode.
/// @throws UserError.
int RunCarry(const CarryOptions& options);

/// The table and the folder of RunCarry.
int ReportCarried(const CarriedCurves& carried);

}  // namespace civita
