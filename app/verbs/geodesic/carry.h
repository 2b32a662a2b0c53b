// Vectors carried in parallel along a curve by the connections of several factorizations, and what
// is told of them.
#pragma once

#include <Eigen/Core>
#include <functional>
#include <string>
#include <vector>

#include "app/report/svg_plot.h"
#include "civita/factorization.h"
#include "civita/model.h"

namespace CLI {
class App;
}

namespace civita {

/// Options of the verbs that carry vectors along curves, `civita geodesic` and `civita transport`.
struct CarryOptions {
  std::string model;  ///< as for `civita eval`
  std::string base = "fixed";
  std::string factorizations = "christoffel";  ///< forms, with commas
  std::vector<std::string> carry;  ///< vectors of nv numbers; empty: an orthonormal frame
  double step_s = 0.002;           ///< longest
  std::string out;                 ///< folder; empty: no files
  std::string format = "csv";      ///< of the curves in the folder
};

/// Adds MODEL, --factorization, --carry, --step, --base, --out and --format.
void AddCarryOptions(CLI::App* command, CarryOptions* options);

/// A factorization and its text.
struct CarryForm {
  std::string name;
  Factorization factorization;
};

/// A curve q(t) and a frame carried along it by the connection of one factorization, by row.
struct CarriedCurve {
  std::string name;        ///< of the factorization
  bool admissible = true;  ///< Ḣ = C + Cᵀ: inner products are kept
  std::vector<Eigen::VectorXd> q = {}, v = {};
  std::vector<Eigen::MatrixXd> frame = {};  ///< nv × nv, orthonormal in H at the start

  // Figures by row, of AddFigures.
  std::vector<double> speed = {};  ///< (vᵀH v)^½
  std::vector<double> gram = {};   ///< greatest change of ⟨w, w'⟩ in the frame
  std::vector<double> gap = {};    ///< length of q ⊖ q_first in the metric
  std::vector<double> turn = {};  ///< angle of the rotation from the first curve's frame, rad, to π
};

/// Curves of one model side by side, with the same rows.
struct CarriedCurves {
  std::string verb, model_name;
  double step_s = 0;  ///< longest
  std::vector<double> t = {};
  std::vector<CarriedCurve> curves = {};
  /// nv × k: the vectors asked for, in the carried frame. A frame carries all vectors, since
  /// transport is linear.
  Eigen::MatrixXd coefficients = {};
  double length = 0;         ///< of the first curve in the metric, ∫ (vᵀH v)^½ dt
  std::string stopped = {};  ///< where and why the curves end early; empty: they do not
  bool interrupted = false;
  /// A geodesic has a curve and an energy for each factorization; else they share the curve.
  bool geodesic = false;
  /// By curve, if the curve closes: R in the metric with frame(end) = frame(0) R.
  std::vector<Eigen::MatrixXd> holonomy = {};

  /// The vectors asked for, at a row.
  Eigen::MatrixXd Vectors(std::size_t curve, std::size_t row) const {
    return curves[curve].frame[row] * coefficients;
  }
};

/// Greatest drift of an invariant at which a result counts.
inline constexpr double kMaxDrift = 1e-6;

/// The model of the options, with notices printed to standard error. Checks --step.
/// @throws UserError.
Model LoadCarryModel(const CarryOptions& options);

/// The factorizations of the options. @throws UserError.
std::vector<CarryForm> ReadForms(const CarryOptions& options, const Model& model);

/// Number of equal steps of at most `step_s` in a time. @throws UserError if there are more than
/// ten million.
long CountSteps(double time_s, double step_s);
/// Takes steps 1 to `steps` by `take` and keeps rows by `keep`, a thousand or two, from 0 to the
/// last one, until Ctrl-C, which a guard of the caller keeps; shows progress.
void TakeSteps(long steps, const std::function<void(long)>& take,
               const std::function<void(long)>& keep, CarriedCurves* carried);

/// nv numbers separated by commas. @throws UserError that names the flag.
Eigen::VectorXd ReadVelocity(const std::string& flag, const std::string& text, const Model& model);
/// A configuration, nq numbers separated by commas; quaternions are normalized. @throws UserError
/// that names the flag.
Eigen::VectorXd ReadConfiguration(const std::string& flag, const std::string& text,
                                  const Model& model);

/// The metric H(q), nv × nv. @throws UserError with `where` if it is not positive definite.
Eigen::MatrixXd MetricAt(const Model& model, const Eigen::VectorXd& q, const std::string& where);

/// A frame that is orthonormal in the metric H, by Gram and Schmidt from `first` (if not zero) and
/// the unit vectors in their order.
Eigen::MatrixXd OrthonormalFrame(const Eigen::MatrixXd& H, const Eigen::VectorXd& first);

/// Sets the coefficients of the vectors of --carry, or of the frame itself. H is the metric at the
/// start. @throws UserError.
void SetVectors(const CarryOptions& options, const Model& model, const Eigen::MatrixXd& H,
                const Eigen::MatrixXd& frame, CarriedCurves* carried);

/// Angles of the planes in which an orthogonal matrix turns, rad, 0 to π, descending; of another
/// matrix those of its polar factor.
std::vector<double> RotationAngles(const Eigen::MatrixXd& R);

/// Fills the figures of all curves. Where H is not positive definite or a number not finite, the
/// curves end and `stopped` says so.
void AddFigures(const Model& model, CarriedCurves* carried);

double Greatest(const std::vector<double>& values);
/// Greatest relative change of the kinetic energy along a curve.
double EnergyDrift(const CarriedCurve& curve);
/// Whether the invariants of all admissible curves are kept to kMaxDrift.
bool KeepsInvariants(const CarriedCurves& carried);

/// Prints the table; writes the folder if one is given. @returns an ExitCode. @throws UserError.
int ReportCarried(const CarryOptions& options, const Model& model, const CarriedCurves& carried);

/// A figure of the curves side by side.
struct CarriedFigure {
  std::string key;             ///< in JSON
  std::string label;           ///< with its unit
  std::vector<double> values;  ///< by curve
};
std::vector<CarriedFigure> CarriedFigures(const Model& model, const CarriedCurves& carried);

/// The plots of the folder and the report.
SvgFigure PlotCarried(const Model& model, const CarriedCurves& carried);

}  // namespace civita
