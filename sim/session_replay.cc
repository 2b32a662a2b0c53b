#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

#include "sim/session_impl.h"

// A session that shows recorded runs.

namespace civita {
namespace {

// Number of the row of a step; the first row's step is `first`.
std::size_t RowOf(const RunRecord& record, long first, long step) {
  const long last = static_cast<long>(record.size()) - 1;
  return static_cast<std::size_t>(std::clamp(step - first, 0L, last));
}

}  // namespace

long Session::Impl::OldestStep() const {
  if (!is_replay()) return history.oldest_step();
  return std::lround(recorded[0].record->t(0) / simulation.control_dt());
}

void Session::Impl::StartReplay() {
  const auto start = [](Recorded* run, const SignalTable& table, const Simulation& by) {
    run->record->Arrange(table);
    run->shown.emplace(by.scene());
    if (!CanFall(by.scene())) return;
    run->judged.emplace(by.scene());
    run->fall_probe.emplace(by.scene(), by.nominal_height());
    run->fall_watch = run->fall_probe->Start();
  };
  start(recorded.data(), signals, simulation);
  if (other) {
    start(&recorded[1], *other_signals, *other);
    MeasureReplay();
  }
  newest_step = OldestStep() + static_cast<long>(recorded[0].record->size()) - 1;
  ShowRecorded(OldestStep());
  TimeReplay();
}

/// The metrics of a comparison are those of the whole runs, as far as both go.
void Session::Impl::MeasureReplay() {
  const std::size_t rows = std::min(recorded[0].record->size(), recorded[1].record->size());
  for (std::size_t i = 0; i < recorded.size(); ++i) {
    StepRecord& record = *recorded[i].shown;
    for (std::size_t k = 0; k < rows; ++k) {
      record.t = recorded[i].record->t(k);
      (i == 0 ? signals : *other_signals).Read(recorded[i].record->row(k), &record);
      (i == 0 ? metrics : other_metrics)->Add(record);
    }
  }
  measured_since = recorded[0].record->t(0);
}

void Session::Impl::ShowRecorded(long step) {
  const auto show = [&](Recorded* run, const SignalTable& table, Simulation* by) {
    const std::size_t row = RowOf(*run->record, OldestStep(), step);
    run->shown->t = run->record->t(row);
    table.Read(run->record->row(row), &*run->shown);
    by->Show(*run->shown, step);
  };
  show(recorded.data(), signals, &simulation);
  if (other) show(&recorded[1], *other_signals, &*other);
}

/// At the end it pauses.
bool Session::Impl::StepReplay() {
  if (simulation.step() >= newest_step) {
    state = RunState::kPaused;
    return false;
  }
  ShowRecorded(simulation.step() + 1);
  if (const double s = simulation.record().control_s; std::isfinite(s)) timings.Add(s);
  moved = true;
  return true;
}

/// Takes the durations of the last second before the step that is shown, as far as they were
/// recorded.
void Session::Impl::TimeReplay() {
  timings.Clear();
  const Signal* const control = signals.Find("/control_us");
  if (control == nullptr) return;
  RunRecord& record = *recorded[0].record;
  const std::size_t end = RowOf(record, OldestStep(), simulation.step()) + 1;
  for (std::size_t k = end - std::min(end, timings.capacity()); k < end; ++k) {
    const double us = record.row(k)[control->column];
    if (std::isfinite(us)) timings.Add(1e-6 * us);
  }
}

/// Of the row that is being sent, whose values these are.
void Session::Impl::JudgeFall(Recorded* run, const SignalTable& table,
                              std::span<const double> values) {
  if (!run->fall_probe) return;
  StepRecord& record = *run->judged;
  record.t = run->record->t(sent_rows);
  table.Read(values, &record);
  const bool is_known = simulation.scene().legs == nullptr ||
                        std::isfinite(record.legs.base_height + record.legs.tilt);
  if (!is_known) return;  // the record lacks what falls are judged by
  const Fall before = run->fall_watch.fall();
  run->fall_probe->Add(record, &run->fall_watch);
  const Fall& fall = run->fall_watch.fall();
  const bool changed =
      fall.fallen != before.fallen || std::isnan(fall.up_t) != std::isnan(before.up_t);
  if (changed) run->falls.emplace_back(OldestStep() + static_cast<long>(sent_rows), fall);
}

Fall Session::Impl::FallOf(const Recorded& run, long step) const {
  const auto later = std::ranges::upper_bound(run.falls, step, {}, &std::pair<long, Fall>::first);
  return later == run.falls.begin() ? Fall{} : std::prev(later)->second;
}

/// Hands all rows to the traces, as far as there is room, and counts what a running simulation
/// does. Returns whether some are left.
bool Session::Impl::SendRecorded() {
  if (!is_replay()) return false;
  RunRecord& own = *recorded[0].record;
  const Signal* const saturated = signals.Find("/saturated");
  const Signal* const control = signals.Find("/control_us");
  const double period_us = 1e6 * simulation.control_dt();
  moved = moved || sent_rows < own.size();  // the counts are still to be published
  for (; sent_rows < own.size(); ++sent_rows) {
    TraceRow* row = traces.BeginPush();
    if (row == nullptr) return true;
    row->kind = TraceRow::Kind::kStep;
    row->t = own.t(sent_rows);
    const std::span<const double> values = own.row(sent_rows);
    row->saturated = saturated != nullptr && values[saturated->column] == 1;
    const long step = OldestStep() + static_cast<long>(sent_rows);
    if (row->saturated) limited.push_back(step);
    if (control != nullptr && values[control->column] > period_us) misses.push_back(step);
    const auto to_float = [](double x) { return static_cast<float>(x); };
    JudgeFall(recorded.data(), signals, values);
    const auto rest = std::transform(values.begin(), values.end(), row->values.begin(), to_float);
    if (other && sent_rows < recorded[1].record->size()) {
      const std::span<const double> others = recorded[1].record->row(sent_rows);
      JudgeFall(&recorded[1], *other_signals, others);
      std::transform(others.begin(), others.end(), rest, to_float);
    } else {
      std::fill(rest, row->values.end(), std::numeric_limits<float>::quiet_NaN());
    }
    traces.EndPush();
  }
  return false;
}

}  // namespace civita
