#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

#include "sim/session/session_impl.h"

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
  if (!is_replay()) return lanes.front()->history.oldest_step();
  return std::lround(lanes.front()->record->t(0) / simulation.control_dt());
}

void Session::Impl::Lane::StartReplay() {
  record->Arrange(signals);
  shown.emplace(simulation.scene());
  if (!CanFall(simulation.scene())) return;
  judged.emplace(simulation.scene());
  fallen.emplace(
      MetricContext{&simulation.scene(), simulation.control_dt(), simulation.nominal_height()});
}

void Session::Impl::StartReplay() {
  for (const std::unique_ptr<Lane>& lane : lanes) lane->StartReplay();
  if (is_comparing()) MeasureReplay();
  newest_step = OldestStep() + static_cast<long>(lanes.front()->record->size()) - 1;
  ShowRecorded(OldestStep());
  TimeReplay();
}

/// The metrics of a comparison are those of the whole runs, as far as all go.
void Session::Impl::MeasureReplay() {
  std::size_t rows = lanes.front()->record->size();
  for (const std::unique_ptr<Lane>& lane : lanes) rows = std::min(rows, lane->record->size());
  for (const std::unique_ptr<Lane>& lane : lanes) {
    StepRecord& record = *lane->shown;
    for (std::size_t k = 0; k < rows; ++k) {
      record.t = lane->record->t(k);
      lane->signals.Read(lane->record->row(k), &record);
      lane->metrics->Add(record);
    }
  }
  measured.since_t = lanes.front()->record->t(0);
}

void Session::Impl::ShowRecorded(long step) {
  for (const std::unique_ptr<Lane>& lane : lanes) {
    const std::size_t row = RowOf(*lane->record, OldestStep(), step);
    lane->shown->t = lane->record->t(row);
    lane->signals.Read(lane->record->row(row), &*lane->shown);
    lane->simulation.Show(*lane->shown, step);
  }
}

/// At the end it pauses.
bool Session::Impl::StepReplay() {
  if (simulation.step() >= newest_step) {
    state = RunState::kPaused;
    return false;
  }
  ShowRecorded(simulation.step() + 1);
  timings.Add(static_cast<float>(1e6 * simulation.record().control_s));
  moved = true;
  return true;
}

/// Takes the durations of the last second before the step that is shown, as far as they were
/// recorded.
void Session::Impl::TimeReplay() {
  timings.Clear();
  const Signal* const control = lanes.front()->signals.Find("/control_us");
  if (control == nullptr) return;
  RunRecord& record = *lanes.front()->record;
  const std::size_t end = RowOf(record, OldestStep(), simulation.step()) + 1;
  for (std::size_t k = end - std::min(end, timings.window()); k < end; ++k) {
    timings.Add(static_cast<float>(record.row(k)[control->column]));
  }
}

/// Of the row that is being sent, whose values these are.
void Session::Impl::JudgeFall(Lane* lane, std::span<const double> values) {
  if (!lane->fallen) return;
  StepRecord& record = *lane->judged;
  record.t = lane->record->t(sent_rows);
  lane->signals.Read(values, &record);
  const bool is_known = simulation.scene().legs == nullptr ||
                        std::isfinite(record.legs.base_height + record.legs.tilt);
  if (!is_known) return;  // the record lacks what falls are judged by
  const Fall before = lane->fallen->fall();
  lane->fallen->Add(record);
  const Fall& fall = lane->fallen->fall();
  const bool changed =
      fall.fallen != before.fallen || std::isnan(fall.up_t) != std::isnan(before.up_t);
  if (changed) lane->falls.emplace_back(OldestStep() + static_cast<long>(sent_rows), fall);
}

Fall Session::Impl::Lane::FallAt(long step) const {
  const auto later = std::ranges::upper_bound(falls, step, {}, &std::pair<long, Fall>::first);
  return later == falls.begin() ? Fall{} : std::prev(later)->second;
}

/// Hands all rows to the traces, as far as there is room, and counts what a running simulation
/// does. Returns whether some are left.
bool Session::Impl::SendRecorded() {
  if (!is_replay()) return false;
  RunRecord& own = *lanes.front()->record;
  const Signal* const saturated = lanes.front()->signals.Find("/saturated");
  const Signal* const control = lanes.front()->signals.Find("/control_us");
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
    auto out = row->values.begin();
    for (const std::unique_ptr<Lane>& lane : lanes) {
      if (sent_rows >= lane->record->size()) {
        const auto width = static_cast<std::ptrdiff_t>(lane->signals.width());
        out = std::fill_n(out, width, std::numeric_limits<float>::quiet_NaN());
        continue;
      }
      const std::span<const double> sent = lane->record->row(sent_rows);
      JudgeFall(lane.get(), sent);
      out = std::ranges::transform(sent, out, [](double x) { return static_cast<float>(x); }).out;
    }
    traces.EndPush();
  }
  return false;
}

}  // namespace civita
