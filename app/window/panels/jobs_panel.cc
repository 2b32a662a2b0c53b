// The sheet of a job: its form at the left, what runs and what it found at the right.

#include <algorithm>
#include <cmath>
#include <string>

#include "app/window/actions/actions.h"
#include "app/window/actions/job_actions.h"
#include "app/window/panels/panels.h"
#include "app/window/widgets/table.h"

namespace civita {
namespace {

constexpr float kSheetHead = 64, kFormWidth = 280;  // logical pixels

struct JobColumn : Column {
  WindowState* state;

  void Note(std::string_view text) { Text(text, 12); }
  void Field(const char* id, std::string* text, std::string_view hint) {
    TextInput(ui, id, Box(30), text, hint);
    Skip(38);
  }
};

void DrawSurviveForm(JobColumn* column) {
  JobForm& form = column->state->jobs.form;
  const bool by_impulse = PushesByImpulse(*column->state);
  column->Title(by_impulse ? "Pushes, N·s" : "Pushes, shares of the ceiling", 24);
  column->Field("##pushes", &form.pushes, by_impulse ? "10,20" : "1,1.5,2");
  if (!by_impulse) column->Note("The ceiling m·ω·d is what a stand takes without a step.");
  column->Title("Rows that differ", 24);
  column->Field("##rows", &form.rows, "KEY=A,B,… or nothing");
  const SliderSpec trials{"n", "Trials of each row",      "", 1,  400,
                          40,  SliderScale::kLogarithmic, 0,  {}, 1e6};
  GainSlider(column, "trials", trials, &column->state->slider, &form.trials);
}

void DrawJobForm(JobColumn* column) {
  JobsState& jobs = column->state->jobs;
  const Ui& ui = column->ui;
  const std::string why_not = WhyNot(*column->state, jobs.kind);
  if (!why_not.empty()) return column->Note(why_not);
  if (jobs.kind == JobKind::kSurvive) {
    DrawSurviveForm(column);
  } else {
    column->Note(
        "Times of H, C, Γ and more of this robot. Pause the run for times that nothing "
        "disturbs.");
  }
  column->Skip(8);
  const Job* job = jobs.of(jobs.kind).get();
  const Rect r = column->Box(34);
  if (job != nullptr && job->is_running()) {
    if (Button(ui, "cancel", "Cancel", r)) CancelJob(column->state, jobs.kind);
  } else if (Button(ui, "start", "Start", r, ButtonKind::kPrimary)) {
    StartJob(column->state, jobs.kind);
  }
  column->Skip(44);
  if (!jobs.form.error.empty()) column->Text(jobs.form.error, 12, ui.theme.error);
  if (jobs.kind == JobKind::kSurvive) {
    column->Note("Runs " + column->state->scene->title +
                 " as it is tuned now. The simulation here goes on meanwhile.");
  }
}

void DrawJobProgress(JobColumn* column, const Job& job) {
  const Ui& ui = column->ui;
  const Rect track = column->Box(6);
  FillRect(ui, track, ui.theme.track, ui.px(3));
  if (!std::isnan(job.share()) && job.share() > 0) {
    const auto share = static_cast<float>(std::fmin(1.0, job.share()));
    FillRect(ui, {track.x, track.y, std::fmax(track.h, share * track.w), track.h}, ui.theme.accent,
             ui.px(3));
  }
  column->Skip(16);
  column->Note(job.progress().empty() ? "Starting" : job.progress());
}

// How the job stands, in a word, and for how long it has run.
void DrawJobState(JobColumn* column, const Job& job) {
  const Ui& ui = column->ui;
  // In the order of Job::State.
  constexpr struct {
    std::string_view word;
    Rgb Theme::*color;
  } kStates[] = {{"Running", &Theme::text},
                 {"Done", &Theme::ok},
                 {"Failed", &Theme::error},
                 {"Cancelled", &Theme::warn}};
  const auto& [word, color] = kStates[static_cast<std::size_t>(job.state())];
  const float middle = column->y + ui.px(8);
  TextMiddle(ui, ui.fonts.strong, column->x, middle, ui.theme.*color, word);
  TextMiddle(ui, ui.fonts.small, column->x + column->width, middle, ui.theme.muted,
             Fixed(job.elapsed_s(), job.is_running() ? 0 : 1) + " s", Align::kRight);
  column->Skip(26);
  if (job.is_running()) return DrawJobProgress(column, job);
  if (job.state() == Job::State::kFailed) column->Text(job.last_words(), 12, ui.theme.error);
  if (job.state() == Job::State::kCancelled) {
    column->Note(job.results().table.rows.empty() ? "Nothing was finished"
                                                  : "What was done is kept");
  }
}

// Logical pixels.
constexpr float kJobHeading = 30, kJobGap = 20, kLeastName = 120, kBarWidth = 130;

// Where the columns of the table end that are shown.
struct JobColumns : TableColumns {
  std::vector<std::size_t> shown;  ///< columns of the table that fit
  std::size_t hidden = 0;          ///< how many do not, and details
  float bar = 0;                   ///< left of the bars
};

std::string JobCellText(const Table::Row& row, std::size_t column) {
  return CellText(row.cells[column], TypesetEstimate);
}

float JobNameWidth(const Ui& ui, const Table::Row& row) {
  const float unit = row.unit.empty() ? 0 : ui.px(6) + TextWidth(ui.fonts.small, row.unit);
  return TextWidth(ui.fonts.body, row.name) + unit;
}

JobColumns LayOutJob(const Ui& ui, const Table& table, float width) {
  JobColumns columns;
  for (const Table::Row& row : table.rows) {
    columns.names = std::max(columns.names, JobNameWidth(ui, row));
  }
  columns.names = std::clamp(columns.names, ui.px(kLeastName), 0.45f * width);
  const float bar = table.bars.empty() ? 0 : ui.px(kBarWidth) + ui.px(kJobGap);
  float right = columns.names;
  for (std::size_t i = 0; i < table.columns.size(); ++i) {
    if (table.columns[i].is_detail) continue;
    float cell = std::min(TextWidth(ui.fonts.strong, table.columns[i].title), ui.px(120));
    for (const Table::Row& row : table.rows) {
      cell = std::max(
          cell, TextWidth(row.is_apart ? ui.fonts.strong : ui.fonts.body, JobCellText(row, i)));
    }
    right += ui.px(kJobGap) + cell;
    if (right > width - bar) break;
    columns.shown.push_back(i);
    columns.rights.push_back(right);
  }
  columns.hidden = table.columns.size() - columns.shown.size();
  columns.bar = (columns.rights.empty() ? right : columns.rights.back()) + ui.px(kJobGap);
  return columns;
}

// A filled bar with a whisker over the interval.
void DrawJobBar(const Ui& ui, const Table::Bar& bar, const Rect& r) {
  const auto at = [&](double share) {
    return std::floor(r.x + r.w * static_cast<float>(std::clamp(share, 0.0, 1.0)));
  };
  const float middle = std::floor(r.middle_y()), thick = ui.px(8), tick = ui.px(4);
  FillRect(ui, {r.x, middle - 0.5f * thick, r.w, thick}, ui.theme.track, ui.px(2));
  FillRect(ui, {r.x, middle - 0.5f * thick, at(bar.value) - r.x, thick}, ui.theme.accent, ui.px(2));
  const float low = at(bar.low), high = at(bar.high), hair = ui.hairline();
  const Rgb ink = ui.theme.text;
  FillRect(ui, {low, middle, high - low, hair}, ink);
  for (const float end : {low, high}) FillRect(ui, {end, middle - tick, hair, 2 * tick}, ink);
}

void DrawJobHead(const Table& table, const JobColumns& columns, Column* column) {
  const Ui& ui = column->ui;
  const float middle = column->y + 0.5f * ui.px(columns.row);
  float left = columns.names;
  for (std::size_t i = 0; i < columns.shown.size(); ++i) {
    const float right = columns.rights[i];
    const std::string title = ShortenedName(ui.fonts.small, right - left - ui.px(8),
                                            table.columns[columns.shown[i]].title);
    TextMiddle(ui, ui.fonts.small, column->x + right, middle, ui.theme.muted, title, Align::kRight);
    left = right;
  }
  const std::string rest = !table.bars.empty() ? table.bars
                           : columns.hidden > 0
                               ? "and " + std::to_string(columns.hidden) + " more in the report"
                               : "";
  TextClipped(ui, ui.fonts.small, column->x + columns.bar, middle, column->x + column->width,
              ui.theme.muted, rest);
  column->Skip(columns.row);
  column->Rule(4, 6);
}

void DrawJobTable(const Table& table, Column* column) {
  const Ui& ui = column->ui;
  const JobColumns columns = LayOutJob(ui, table, column->width);
  DrawJobHead(table, columns, column);
  for (const Table::Row& row : table.rows) {
    if (!row.heading.empty()) {
      SectionLabel(ui, column->x, column->y + 0.5f * ui.px(kJobHeading), row.heading);
      column->Skip(kJobHeading);
    }
    if (row.bar) {
      DrawJobBar(ui, *row.bar,
                 {column->x + columns.bar, column->y, ui.px(kBarWidth), ui.px(columns.row)});
    }
    TableRow shown{.name = row.name,
                   .unit = row.unit,
                   .name_font = ui.fonts.body,
                   .font = row.is_apart ? ui.fonts.strong : ui.fonts.body};
    for (const std::size_t i : columns.shown) shown.values.push_back(JobCellText(row, i));
    ImGui::PushID(&row);
    DrawTableRow(column, columns, shown);
    ImGui::PopID();
  }
}

void DrawJobResults(WindowState* state, JobColumn* column) {
  const Ui& ui = column->ui;
  const JobKind kind = state->jobs.kind;
  const Job* job = state->jobs.of(kind).get();
  if (job == nullptr) {
    return column->Note("Results appear here, and stay in a folder beside those of recordings.");
  }
  DrawJobState(column, *job);
  if (job->is_running()) return;
  const Table& table = job->results().table;
  if (!table.summary.empty()) {
    column->y += TextWrapped(ui, ui.fonts.body, column->x, column->y, column->width, ui.theme.text,
                             table.summary);
    column->Skip(14);
  }
  if (!job->results().report.empty()) {
    if (Button(ui, "open report", "Open the report", {column->x, column->y, ui.px(150), ui.px(32)},
               ButtonKind::kPlain, Icon::kFile)) {
      OpenReport(state, kind);
    }
    TextClipped(ui, ui.fonts.small, column->x + ui.px(162), column->y + ui.px(16),
                column->x + column->width, ui.theme.muted, job->folder().string());
    column->Skip(46);
  }
  if (!table.rows.empty()) DrawJobTable(table, column);
}

// A part of the sheet that scrolls by itself.
void DrawSheetPart(WindowState* state, const char* id, const Rect& r,
                   void (*content)(WindowState* state, JobColumn* column)) {
  const Ui& ui = state->ui;
  const ImVec2 origin = BeginScroll(ui, id, r);
  JobColumn column{{ui, origin.x, origin.y, r.w - ui.px(16)}, state};
  content(state, &column);
  EndScroll(column.y + ui.px(8));
}

}  // namespace

void DrawJobs(WindowState* state, float width, float height) {
  if (!state->jobs.is_open) return;
  const Ui& ui = state->ui;
  Rect sheet{0, 0, std::fmin(ui.px(1000), width - ui.px(48)),
             std::fmin(ui.px(680), height - ui.px(64))};
  const char* title =
      state->jobs.kind == JobKind::kSurvive ? "Pushed until it falls" : "Bench of this robot";
  if (BeginSheet(ui, "jobs", width, height, &sheet, title)) ToggleJobs(state);
  const float pad = ui.px(kSheetPad), top = sheet.y + ui.px(kSheetHead), hair = ui.hairline();
  DrawRule(ui, sheet.x + hair, sheet.right() - hair, top);
  const float split = sheet.x + pad + ui.px(kFormWidth) + pad;
  DrawVerticalRule(ui, split, top, sheet.bottom() - hair);
  const float y = top + ui.px(16), h = sheet.bottom() - hair - y;
  DrawSheetPart(state, "job form", {sheet.x + pad, y, ui.px(kFormWidth) + ui.px(16), h},
                [](WindowState*, JobColumn* column) { DrawJobForm(column); });
  DrawSheetPart(state, "job results", {split + pad, y, sheet.right() - split - pad - ui.px(8), h},
                DrawJobResults);
  ImGui::End();
}

}  // namespace civita
