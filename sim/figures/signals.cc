#include "civita/sim/signals.h"

#include <algorithm>
#include <cmath>
#include <deque>
#include <numbers>
#include <set>
#include <utility>

#include "civita/error.h"

namespace civita {
namespace {

bool OnLegs(const Scene& scene) { return scene.legs != nullptr; }
bool HasTerms(const Scene& scene) { return HasTorqueTerms(scene); }

constexpr PlotStyle kError = {.shown = ShownUnit::kMilli, .has_plus = true};
constexpr PlotStyle kVelocityErrorStyle = {
    .shown = ShownUnit::kMilli, .decimals = 2, .has_plus = true};
constexpr PlotStyle kPlus = {.has_plus = true};
constexpr PlotStyle kState = {.decimals = 3, .has_plus = true};
constexpr PlotStyle kStorage = {.log = true};
constexpr PlotStyle kPower = {.decimals = 4, .has_plus = true};
constexpr PlotStyle kBalance = {.decimals = 5, .has_plus = true};
constexpr PlotStyle kAngle = {.shown = ShownUnit::kDegrees, .decimals = 2, .from_zero = true};
constexpr PlotStyle kFlag = {.decimals = 0, .from_zero = true};
constexpr PlotStyle kFromZero = {.from_zero = true};
constexpr PlotStyle kTilt = {.shown = ShownUnit::kDegrees, .decimals = 2, .from_zero = true};

// clang-format off: one or two lines for each signal.
constexpr SignalRow kRows[] = {
    {"/q", PositionUnit, &StepRecord::q, "position; of a ball, a unit quaternion", kState},
    {"/v", VelocityUnit, &StepRecord::v, "velocity", kState},
    {"/tau", TorqueUnit, &StepRecord::tau, "torque that reached the joints, after limits and delay",
     kPlus},
    {"/q_d", PositionUnit, &StepRecord::q_d, "position of the reference", kState},
    {"/e", PositionUnit, &StepRecord::e, "tracking error q ⊖ q_d", kError},
    {"/s", VelocityUnit, &StepRecord::s, "velocity error of the law: v − v_r, of baselines v − v_d",
     kVelocityErrorStyle},
    {"/V", StorageUnit, &StepRecord::V, "the law's storage with the plant's H: ½ sᵀH s + …",
     kStorage},
    {"/Vdot", StorageRateUnit, &StepRecord::Vdot, "rate of V with the plant's acceleration",
     kPower},
    {"/P", StorageRateUnit, &StepRecord::P, "dissipation that the law promises: V̇ = −P", kPower},
    {"/energy_balance", StorageUnit, &StepRecord::energy_balance,
     "V − V(0) + ∫(P − P_ext) dt: 0 for an exact model and law", kBalance},
    {"/twist", "rad", &StepRecord::twist, "how far s has turned against parallel transport",
     kAngle},
    {"/ideal_turning", "rad", &StepRecord::ideal_turning,
     "how far the contorsion of the law's C turns s", kAngle},
    {"/thrown", "", &StepRecord::thrown, "1 where a throw has just changed the velocity", kFlag},
    {"/saturated", "", &StepRecord::saturated, "1 where a limit cut the torque", kFlag},
    {"/constrained", "", &StepRecord::constrained,
     "1 where a joint limit or a contact of the robot acted", kFlag},
    {"/V_estimation", StorageUnit, &StepRecord::V_estimation,
     "part of V that errors of the law's estimates hold", kStorage},
    {"/foot_force", "N", &LegReading::foot_force, "normal force of the ground, by foot", kFromZero,
     OnLegs},
    {"/foot_slip",
     "m/s",
     &LegReading::foot_slip,
     "speed of the foot's loaded points along the ground",
     {.decimals = 3, .from_zero = true},
     OnLegs},
    {"/foot_x", "m", FootAxis{0}, "x of the middle of the foot's balls, in the world", kState,
     OnLegs},
    {"/foot_y", "m", FootAxis{1}, "y of the middle of the foot's balls, in the world", kState,
     OnLegs},
    {"/foot_z", "m", FootAxis{2}, "z of the middle of the foot's balls, in the world", kState,
     OnLegs},
    {"/base_height",
     "m",
     &LegReading::base_height,
     "the base's origin above the ground under it",
     {.decimals = 3},
     OnLegs},
    {"/tilt", "rad", &LegReading::tilt, "angle of the base from its attitude at home, yaw aside",
     kTilt, OnLegs},
    {"/terms/H_vdot_r", TorqueUnit, &TorqueTerms::inertial, "term H v̇_r of the law's torque", kPlus,
     HasTerms},
    {"/terms/C_v_r", TorqueUnit, &TorqueTerms::coriolis, "term C v_r of the law's torque", kPlus,
     HasTerms},
    {"/terms/g", TorqueUnit, &TorqueTerms::gravity, "term g of the law's torque", kPlus, HasTerms},
    {"/terms/feedback", TorqueUnit, &TorqueTerms::feedback,
     "the rest of the law's torque: −K_D s, cancelled passive forces, estimates", kPlus, HasTerms},
    {"/terms/K_v_r", TorqueUnit, &TorqueTerms::torsion,
     "torque of torsion: the part K v_r of C v_r, K = C − C_christoffel", kPlus, HasTerms},
    {"/kinematics_us", "µs", TimeTaken{&StepRecord::kinematics_s}, "time of the kinematics",
     kFromZero},
    {"/matrices_us", "µs", TimeTaken{&StepRecord::matrices_s}, "time of H, C and g", kFromZero},
    {"/law_us", "µs", TimeTaken{&StepRecord::law_s}, "time of the rest of the law", kFromZero},
    {"/control_us", "µs", TimeTaken{&StepRecord::control_s},
     "time of the control step: reference, law, limits", kFromZero},
    {"/physics_us", "µs", TimeTaken{&StepRecord::physics_s}, "time of the simulation's physics",
     kFromZero},
    {"/qp_us", "µs", TimeTaken{&StepRecord::qp_s}, "time of the contact forces, a part of law_us",
     kFromZero, OnLegs},
};
// clang-format on

std::deque<SignalRow>& RegisteredRows() {
  static std::deque<SignalRow> registered;
  return registered;
}

/// Writes the values at the given places, one after the other.
template <typename T>
class RowWriter {
 public:
  RowWriter(const StepRecord& record, T* out) : record_(record), out_(out) {}
  void operator()(double StepRecord::*x) { Put(record_.*x); }
  void operator()(bool StepRecord::*x) { Put(record_.*x ? 1 : 0); }
  void operator()(Eigen::VectorXd StepRecord::*x) { PutList(record_.*x); }
  void operator()(double LegReading::*x) { Put(record_.legs.*x); }
  void operator()(Eigen::VectorXd LegReading::*x) { PutList(record_.legs.*x); }
  void operator()(Eigen::VectorXd TorqueTerms::*x) { PutList(record_.terms.*x); }
  void operator()(FootAxis at) { PutList(record_.legs.foot_position.row(at.axis)); }
  // The clock resolves nanoseconds; so few digits keep the file small.
  void operator()(TimeTaken time) { Put(std::round(record_.*time.seconds * 1e9) / 1e3); }
  void operator()(double (*calculate)(const StepRecord&)) { Put(calculate(record_)); }

 private:
  void Put(double x) { *out_++ = static_cast<T>(x); }
  void PutList(const auto& list) {
    for (const double x : list) Put(x);
  }

  const StepRecord& record_;
  T* out_;
};

/// Reads a row that a RowWriter wrote.
class RowReader {
 public:
  RowReader(const double* in, StepRecord* record) : in_(in), record_(*record) {}
  void operator()(double StepRecord::*x) { record_.*x = *in_++; }
  void operator()(bool StepRecord::*x) { record_.*x = *in_++ != 0; }
  void operator()(Eigen::VectorXd StepRecord::*x) { TakeList(record_.*x); }
  void operator()(double LegReading::*x) { record_.legs.*x = *in_++; }
  void operator()(Eigen::VectorXd LegReading::*x) { TakeList(record_.legs.*x); }
  void operator()(Eigen::VectorXd TorqueTerms::*x) { TakeList(record_.terms.*x); }
  void operator()(FootAxis at) { TakeList(record_.legs.foot_position.row(at.axis)); }
  void operator()(TimeTaken time) { record_.*time.seconds = 1e-6 * *in_++; }
  void operator()(double (* /*calculate*/)(const StepRecord&)) { ++in_; }

 private:
  void TakeList(auto&& list) {
    for (double& x : list) x = *in_++;
  }

  const double* in_;
  StepRecord& record_;
};

/// Width of a signal, as SignalInfo::width.
int WidthOf(const SignalRow& row, const StepRecord& record) {
  if (const auto* list = std::get_if<Eigen::VectorXd StepRecord::*>(&row.place)) {
    return static_cast<int>((record.*(*list)).size());
  }
  if (const auto* list = std::get_if<Eigen::VectorXd TorqueTerms::*>(&row.place)) {
    return static_cast<int>((record.terms.*(*list)).size());
  }
  return row.is_list() ? static_cast<int>(record.legs.foot_force.size()) : SignalInfo::kScalar;
}

}  // namespace

double ScaleOf(ShownUnit shown) {
  if (shown == ShownUnit::kDegrees) return 180 / std::numbers::pi;
  return shown == ShownUnit::kMilli ? 1000 : 1;
}

std::string UnitOf(ShownUnit shown, const std::string& recorded) {
  if (shown == ShownUnit::kDegrees) return "°";
  if (shown == ShownUnit::kRecorded) return recorded;
  std::string units = "m" + recorded;
  for (std::size_t at = 0; (at = units.find(", ", at)) != units.npos; at += 3) {
    units.insert(at + 2, "m");
  }
  return units;
}

bool SignalRow::is_list() const {
  return std::holds_alternative<Eigen::VectorXd StepRecord::*>(place) ||
         std::holds_alternative<Eigen::VectorXd LegReading::*>(place) || is_term() ||
         std::holds_alternative<FootAxis>(place);
}

std::vector<const SignalRow*> SignalRows() {
  std::vector<const SignalRow*> rows;
  for (const SignalRow& row : kRows) rows.push_back(&row);
  for (const SignalRow& row : RegisteredRows()) rows.push_back(&row);
  return rows;
}

void RegisterSignal(const SignalRow& row) {
  for (const SignalRow* other : SignalRows()) {
    CIVITA_CHECK(std::string_view(other->name) != row.name,
                 "a signal '" << row.name << "' is there already");
  }
  RegisteredRows().push_back(row);
}

SignalTable::SignalTable(const Scene& scene, bool has_terms) : has_terms_(has_terms) {
  const StepRecord record(scene);
  AddRows(scene, record, false);
  places_.emplace_back(&StepRecord::signals);
  for (const SignalInfo& info : scene.controller->signals()) Add(info, {.decimals = 3});
  timings_begin_ = columns_.size();
  AddRows(scene, record, true);
  CheckNames();
  file_columns_.insert(file_columns_.end(), columns_.begin(), columns_.end());
}

void SignalTable::AddRows(const Scene& scene, const StepRecord& record, bool timings) {
  for (const SignalRow* row : SignalRows()) {
    if (row->is_timing() != timings || (row->applies && !row->applies(scene))) continue;
    if (row->is_term() && !has_terms_) continue;
    places_.push_back(row->place);
    Add({row->name, row->unit(scene), WidthOf(*row, record), row->doc}, row->style);
  }
}

void SignalTable::Add(SignalInfo info, const PlotStyle& style) {
  const std::size_t column = columns_.size();
  for (int i = 0; i < info.size(); ++i) columns_.push_back(info.column(i));
  signals_.push_back({std::move(info), style, column});
}

void SignalTable::CheckNames() const {
  std::set<std::string_view> names, columns;
  for (const Signal& signal : signals_) {
    const std::string& name = signal.info.name;
    CIVITA_CHECK(names.insert(name).second, "two signals are called '" << name << "'");
  }
  for (const std::string& column : columns_) {
    CIVITA_CHECK(columns.insert(column).second, "two columns are called '" << column << "'");
  }
}

const Signal* FindSignal(const std::vector<Signal>& signals, std::string_view name) {
  const auto found =
      std::ranges::find_if(signals, [name](const Signal& each) { return each.info.name == name; });
  return found == signals.end() ? nullptr : &*found;
}

template <typename T>
void SignalTable::Fill(const StepRecord& record, std::span<T> row) const {
  RowWriter<T> writer(record, row.data());
  for (const SignalPlace& place : places_) std::visit(writer, place);
}

void SignalTable::Read(std::span<const double> row, StepRecord* record) const {
  RowReader reader(row.data(), record);
  for (const SignalPlace& place : places_) std::visit(reader, place);
}

template void SignalTable::Fill(const StepRecord&, std::span<double>) const;
template void SignalTable::Fill(const StepRecord&, std::span<float>) const;

}  // namespace civita
