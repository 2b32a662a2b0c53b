#include "app/verbs/geodesic/carry.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <complex>
#include <functional>
#include <optional>
#include <string_view>

#include "app/flags.h"
#include "app/interrupt.h"
#include "app/terminal.h"
#include "base/decompositions.h"
#include "base/text.h"
#include "civita/error.h"
#include "civita/kinematics.h"
#include "civita/manifold.h"
#include "civita/mass_matrix.h"
#include "civita/scenes/schema/checked.h"
#include "civita/scenes/schema/formula.h"
#include "civita/sim/metric_table.h"
#include "civita/study/compare/compare_variants.h"
#include "civita/study/model/load_model.h"
#include "civita/suggest.h"

namespace civita {
namespace {

using Eigen::MatrixXd;
using Eigen::VectorXd;

std::vector<double> ReadNumbers(const std::string& flag, const std::string& text) {
  std::vector<double> numbers;
  for (std::size_t start = 0; start <= text.size();) {
    const std::size_t end = std::min(text.find(',', start), text.size());
    const std::string_view item = std::string_view(text).substr(start, end - start);
    double number = 0;
    const auto [stop, error] = std::from_chars(item.data(), item.data() + item.size(), number);
    if (error != std::errc() || stop != item.data() + item.size() || !std::isfinite(number)) {
      throw UserError(flag + ": '" + std::string(item) +
                      "' is not a finite number; valid: numbers separated by commas");
    }
    numbers.push_back(number);
    start = end + 1;
  }
  return numbers;
}

/// H(q) at rows of curves.
class MassMetric {
 public:
  explicit MassMetric(const Model& model) : model_(model), workspace_(model) {}

  /// Whether H is finite at q, and positive definite to working precision.
  bool Update(const VectorXd& q) {
    constexpr double kSingular = 1e-12;  // reciprocal condition
    UpdateKinematics(model_, q, workspace_);
    CalcMassMatrix(model_, workspace_, H_);
    return H_.allFinite() && internal::CalcReciprocalCondition(H_) > kSingular;
  }
  const MatrixXd& H() const { return H_; }
  double Length(const VectorXd& x) const { return std::sqrt(x.dot(H_ * x)); }

 private:
  const Model& model_;
  Workspace<double> workspace_;
  MatrixXd H_ = MatrixXd(model_.nv(), model_.nv());
};

/// Ends all curves before `row`.
void Truncate(std::size_t row, CarriedCurves* carried) {
  carried->t.resize(row);
  for (CarriedCurve& curve : carried->curves) {
    curve.q.resize(row);
    curve.v.resize(row);
    curve.frame.resize(row);
    for (auto* figure : {&curve.speed, &curve.gram, &curve.gap, &curve.turn}) {
      figure->resize(std::min(row, figure->size()));
    }
  }
}

/// Adds the figures of a row. @returns false if H or a number is unusable there.
bool AddRow(const Model& model, std::size_t row, const CarriedCurve& first, MassMetric* metric,
            CarriedCurve* curve) {
  const VectorXd &q = curve->q[row], &v = curve->v[row];
  const MatrixXd& frame = curve->frame[row];
  if (!q.allFinite() || !v.allFinite() || !frame.allFinite() || !metric->Update(q)) return false;
  curve->speed.push_back(metric->Length(v));
  const MatrixXd gram = frame.transpose() * metric->H() * frame;
  curve->gram.push_back(
      (gram - MatrixXd::Identity(gram.rows(), gram.cols())).cwiseAbs().maxCoeff());
  VectorXd gap(model.nv());
  DifferencePosition(model, q, first.q[row], gap);
  curve->gap.push_back(metric->Length(gap));
  const std::vector<double> angles = RotationAngles(internal::SolveSquare(first.frame[row], frame));
  curve->turn.push_back(angles.empty() ? 0 : angles.front());
  return true;
}

}  // namespace

Model LoadCarryModel(const CarryOptions& options) {
  if (!(std::isfinite(options.step_s) && options.step_s > 0)) {
    throw UserError("--step: not a positive number of seconds");
  }
  LoadedModel loaded = LoadModel(
      options.model, {.free_base = options.base == "free", .closures = false, .called = kFlags});
  for (const std::string& notice : loaded.notices) PrintNote(notice);
  return std::move(loaded.model);
}

std::vector<CarryForm> ReadForms(const CarryOptions& options, const Model& model) {
  std::vector<CarryForm> forms;
  for (const std::string& text : SplitOutsideBrackets(options.factorizations, ',')) {
    forms.push_back({text, ReadFlag("--", [&] { return ReadFactorization(text, model); })});
  }
  return forms;
}

long CountSteps(double time_s, double step_s) {
  constexpr double kMost = 1e7;
  const double steps = std::ceil(time_s / step_s * (1 - 1e-12));
  if (!(steps <= kMost)) throw UserError("--step: more than ten million steps; take longer ones");
  return std::max(1L, static_cast<long>(steps));
}

void TakeSteps(long steps, const std::function<void(long)>& take,
               const std::function<void(long)>& keep, CarriedCurves* carried) {
  const long stride = std::max(1L, steps / 1000);
  ProgressLine progress;
  for (long step = 0; step <= steps && !carried->interrupted; ++step) {
    if (step > 0) take(step);
    if (step % stride == 0 || step == steps) keep(step);
    if (progress.Due()) {
      progress.Show(std::to_string(step) + " of " + std::to_string(steps) + " steps",
                    static_cast<double>(step) / static_cast<double>(steps));
    }
    carried->interrupted = InterruptGuard::raised();
  }
}

VectorXd ReadVelocity(const std::string& flag, const std::string& text, const Model& model) {
  const std::vector<double> numbers = ReadNumbers(flag, text);
  const auto nv = static_cast<std::size_t>(model.nv());
  if (numbers.size() != nv) {
    throw UserError(flag + " has " + internal::Count(numbers.size(), "number") +
                    ", the model has nv = " + std::to_string(nv));
  }
  return Eigen::Map<const VectorXd>(numbers.data(), model.nv());
}

VectorXd ReadConfiguration(const std::string& flag, const std::string& text, const Model& model) {
  return internal::CheckedPosition(model, flag, ReadNumbers(flag, text));
}

MatrixXd MetricAt(const Model& model, const VectorXd& q, const std::string& where) {
  MassMetric metric(model);
  if (!metric.Update(q)) {
    throw UserError(where + ": the mass matrix H is singular there, it is no metric");
  }
  return metric.H();
}

MatrixXd OrthonormalFrame(const MatrixXd& H, const VectorXd& first) {
  const Eigen::Index n = H.rows();
  MatrixXd frame(n, n);
  Eigen::Index done = 0;
  const auto add = [&](VectorXd x) {
    const double before = std::sqrt(x.dot(H * x));
    for (int twice = 0; twice < 2; ++twice) {  // the second time for what rounding left
      const auto so_far = frame.leftCols(done);
      x -= so_far * (so_far.transpose() * (H * x));
    }
    const double length = std::sqrt(x.dot(H * x));
    if (!(length > 1e-6 * before)) return;  // among the vectors before
    frame.col(done++) = x / length;
  };
  if (!first.isZero(0)) add(first);
  for (Eigen::Index k = 0; k < n && done < n; ++k) add(VectorXd::Unit(n, k));
  CIVITA_CHECK(done == n, done << " of " << n << " vectors");
  return frame;
}

void SetVectors(const CarryOptions& options, const Model& model, const MatrixXd& H,
                const MatrixXd& frame, CarriedCurves* carried) {
  const Eigen::Index n = frame.rows();
  carried->coefficients = MatrixXd::Identity(n, n);
  if (options.carry.empty()) return;
  carried->coefficients.resize(n, static_cast<Eigen::Index>(options.carry.size()));
  for (std::size_t k = 0; k < options.carry.size(); ++k) {
    const VectorXd w = ReadVelocity("--carry " + options.carry[k], options.carry[k], model);
    if (w.isZero(0)) throw UserError("--carry " + options.carry[k] + ": the vector is zero");
    carried->coefficients.col(static_cast<Eigen::Index>(k)) = frame.transpose() * (H * w);
  }
}

std::vector<double> RotationAngles(const MatrixXd& R) {
  const auto [U, V] = internal::FindSingularVectors(R);
  const MatrixXd rotation = U * V.transpose();
  const std::optional<Eigen::VectorXcd> eigenvalues = internal::CalcEigenvalues(rotation);
  if (!eigenvalues) return {};
  std::vector<double> angles;
  for (const std::complex<double>& value : *eigenvalues) {
    angles.push_back(std::abs(std::arg(value)));
  }
  std::sort(angles.begin(), angles.end(), std::greater<>());
  std::vector<double> planes;  // eigenvalues come in pairs e^±iθ, and one is 1 if n is odd
  for (std::size_t k = 0; k + 1 < angles.size(); k += 2) planes.push_back(angles[k]);
  return planes;
}

void AddFigures(const Model& model, CarriedCurves* carried) {
  MassMetric metric(model);
  const CarriedCurve& first = carried->curves.front();
  for (std::size_t row = 0; row < carried->t.size(); ++row) {
    for (CarriedCurve& curve : carried->curves) {
      if (AddRow(model, row, first, &metric, &curve)) continue;
      carried->stopped =
          "at t = " + FormatValue(carried->t[row]) + " s H is singular or a number not finite";
      return Truncate(row, carried);
    }
    if (row == 0) continue;
    const double dt = carried->t[row] - carried->t[row - 1];
    carried->length += dt / 2 * (first.speed[row] + first.speed[row - 1]);
  }
}

double Greatest(const std::vector<double>& values) {
  return values.empty() ? 0 : *std::max_element(values.begin(), values.end());
}

double EnergyDrift(const CarriedCurve& curve) {
  const double first = curve.speed.front();
  double drift = 0;
  for (const double speed : curve.speed) {
    drift = std::max(drift, std::abs(speed * speed / (first * first) - 1));
  }
  return drift;
}

bool KeepsInvariants(const CarriedCurves& carried) {
  return std::ranges::all_of(carried.curves, [&](const CarriedCurve& curve) {
    return (!carried.geodesic || EnergyDrift(curve) <= kMaxDrift) &&
           (!curve.admissible || Greatest(curve.gram) <= kMaxDrift);
  });
}

}  // namespace civita
