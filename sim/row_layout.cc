#include "sim/row_layout.h"

#include <algorithm>
#include <cmath>

#include "core/error.h"

namespace civita {
namespace {

void AppendNames(const char* group, int n, std::vector<std::string>* names) {
  for (int i = 0; i < n; ++i) {
    names->push_back(std::string("/") + group + "/" + std::to_string(i));
  }
}

void AppendLegs(int num_feet, std::vector<std::string>* names) {
  if (num_feet == 0) return;
  for (const char* group : {"foot_force", "foot_slip", "foot_x", "foot_y", "foot_z"}) {
    AppendNames(group, num_feet, names);
  }
  names->emplace_back("/base_height");
  names->emplace_back("/tilt");
}

/// A law's own signal may have taken the name of another.
void CheckUnique(std::vector<std::string> names, const std::vector<std::string>& more) {
  names.insert(names.end(), more.begin(), more.end());
  std::sort(names.begin(), names.end());
  const auto twice = std::adjacent_find(names.begin(), names.end());
  CIVITA_CHECK(twice == names.end(), "two signals are called " << *twice);
}

int NumFeet(const Scene& scene) {
  return scene.legs ? static_cast<int>(scene.legs->feet.size()) : 0;
}

}  // namespace

RowLayout::RowLayout(const Scene& scene)
    : RowLayout(scene.plant.nq(), scene.plant.nv(), scene.controller->signal_names(),
                NumFeet(scene)) {}

RowLayout::RowLayout(int nq, int nv, const std::vector<std::string>& law_signals, int num_feet)
    : num_feet_(static_cast<std::size_t>(num_feet)), nv_(static_cast<std::size_t>(nv)) {
  signals_ = {"t"};
  AppendNames("q", nq, &signals_);
  v_ = signals_.size();
  AppendNames("v", nv, &signals_);
  tau_ = signals_.size();
  AppendNames("tau", nv, &signals_);
  AppendNames("q_d", nq, &signals_);
  e_ = signals_.size();
  AppendNames("e", nv, &signals_);
  AppendNames("s", nv, &signals_);
  scalars_ = signals_.size();
  for (const char* name :
       {"/V", "/Vdot", "/P", "/energy_balance", "/saturated", "/constrained", "/V_estimation"}) {
    signals_.emplace_back(name);
  }
  legs_ = signals_.size();
  AppendLegs(num_feet, &signals_);
  signals_.insert(signals_.end(), law_signals.begin(), law_signals.end());
  timings_ = {"/kinematics_us", "/matrices_us", "/law_us", "/control_us", "/physics_us"};
  if (num_feet > 0) timings_.emplace_back("/qp_us");
  CheckUnique(signals_, timings_);
}

void RowLayout::Fill(const StepRecord& record, std::span<double> row) const {
  double* out = row.data();
  const auto put = [&out](const Eigen::VectorXd& x) { out = std::copy_n(x.data(), x.size(), out); };
  // Nanoseconds are what the clock counts; so few digits keep the file small.
  const auto put_us = [&out](double seconds) { *out++ = std::round(seconds * 1e9) / 1e3; };
  *out++ = record.t;
  put(record.q);
  put(record.v);
  put(record.tau);
  put(record.q_d);
  put(record.e);
  put(record.s);
  *out++ = record.V;
  *out++ = record.Vdot;
  *out++ = record.P;
  *out++ = record.energy_balance;
  *out++ = record.saturated ? 1 : 0;
  *out++ = record.constrained ? 1 : 0;
  *out++ = record.V_estimation;
  if (num_feet_ > 0) {
    put(record.legs.foot_force);
    put(record.legs.foot_slip);
    const auto& feet = record.legs.foot_position;
    for (Eigen::Index axis = 0; axis < 3; ++axis) {
      for (Eigen::Index i = 0; i < feet.cols(); ++i) *out++ = feet(axis, i);
    }
    *out++ = record.legs.base_height;
    *out++ = record.legs.tilt;
  }
  put(record.signals);
  put_us(record.kinematics_s);
  put_us(record.matrices_s);
  put_us(record.law_s);
  put_us(record.control_s);
  put_us(record.physics_s);
  if (num_feet_ > 0) put_us(record.qp_s);
}

void RowLayout::Read(std::span<const double> row, StepRecord* record) const {
  const double* in = row.data();
  const auto take = [&in](Eigen::VectorXd* x) {
    std::copy_n(in, x->size(), x->data());
    in += x->size();
  };
  record->t = *in++;
  for (Eigen::VectorXd* x :
       {&record->q, &record->v, &record->tau, &record->q_d, &record->e, &record->s}) {
    take(x);
  }
  for (double* x : {&record->V, &record->Vdot, &record->P, &record->energy_balance}) *x = *in++;
  record->saturated = *in++ != 0;
  record->constrained = *in++ != 0;
  record->V_estimation = *in++;
  if (num_feet_ > 0) {
    take(&record->legs.foot_force);
    take(&record->legs.foot_slip);
    auto& feet = record->legs.foot_position;
    for (Eigen::Index axis = 0; axis < 3; ++axis) {
      for (Eigen::Index i = 0; i < feet.cols(); ++i) feet(axis, i) = *in++;
    }
    record->legs.base_height = *in++;
    record->legs.tilt = *in++;
  }
  take(&record->signals);
  for (double* x : {&record->kinematics_s, &record->matrices_s, &record->law_s, &record->control_s,
                    &record->physics_s}) {
    *x = 1e-6 * *in++;
  }
  if (num_feet_ > 0) record->qp_s = 1e-6 * *in++;
}

std::vector<std::string> TraceColumns(const Scene& scene) {
  const int nv = scene.plant.nv();
  std::vector<std::string> columns;
  for (const char* group : {"e", "s", "tau"}) AppendNames(group, nv, &columns);
  for (const char* name : {"/V", "/Vdot", "/P", "/energy_balance", "/control_us", "/physics_us"}) {
    columns.emplace_back(name);
  }
  if (scene.legs) {
    columns.insert(columns.end(), {"/dynamics_us", "/qp_us"});
    AppendNames("foot_force", NumFeet(scene), &columns);
    columns.insert(columns.end(), {"/base_height", "/tilt"});
  }
  const std::vector<std::string>& own = scene.controller->signal_names();
  columns.insert(columns.end(), own.begin(), own.end());
  return columns;
}

float* FillTrace(const StepRecord& record, float* out) {
  const auto put = [&out](const Eigen::VectorXd& x) {
    out = std::transform(x.begin(), x.end(), out, [](double y) { return static_cast<float>(y); });
  };
  put(record.e);
  put(record.s);
  put(record.tau);
  for (const double x : {record.V, record.Vdot, record.P, record.energy_balance,
                         1e6 * record.control_s, 1e6 * record.physics_s}) {
    *out++ = static_cast<float>(x);
  }
  if (record.legs.foot_force.size() > 0) {
    *out++ = static_cast<float>(1e6 * (record.kinematics_s + record.matrices_s));
    *out++ = static_cast<float>(1e6 * record.qp_s);
    put(record.legs.foot_force);
    *out++ = static_cast<float>(record.legs.base_height);
    *out++ = static_cast<float>(record.legs.tilt);
  }
  put(record.signals);
  return out;
}

}  // namespace civita
