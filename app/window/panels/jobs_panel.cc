// The sheet of jobs: forms at the left, what runs and what it found at the right.
#include <array>
#include <cmath>
#include <string>
#include <utility>

#include "app/window/actions/actions.h"
#include "app/window/actions/job_actions.h"
#include "app/window/panels/panels.h"

namespace civita {
namespace {

constexpr float kSheetPad = 24, kSheetHead = 64, kFormWidth = 280;  // logical pixels
constexpr std::array<std::string_view, std::size(kJobKinds)> kJobTitles = {"Compare", "Sweep",
                                                                           "Survive", "Bench"};

// A column that grows downwards.
struct JobColumn {
  WindowState* state;
  const Ui& ui;
  float x, y, width;

  void Title(std::string_view text) {
    SectionLabel(ui, x, y + ui.px(8), text);
    y += ui.px(24);
  }
  void Text(std::string_view text, Rgb color) {
    y += TextWrapped(ImGui::GetWindowDrawList(), ui.fonts.small, x, y, width, ToImU32(color), text);
    y += ui.px(12);
  }
  void Note(std::string_view text) { Text(text, ui.theme.muted); }
  void Field(const char* id, std::string* text, std::string_view hint) {
    TextInput(ui, id, {x, y, width, ui.px(30)}, text, hint);
    y += ui.px(38);
  }
  void Slider(const char* id, const SliderSpec& spec, double* value) {
    GainSlider(ui, id, spec, &state->slider, x, y, width, value);
    y += ui.px(kSliderRow);
  }
  // How many of something: n from 1 on; `max` of the slider, `most` that can be typed.
  void Count(const char* id, std::string name, double max, double usual, double most, double* n) {
    Slider(id,
           {.symbol = "n",
            .name = std::move(name),
            .unit = "",
            .min = 1,
            .max = max,
            .default_value = usual,
            .is_logarithmic = max > 50,
            .decimals = 0,
            .typed_max = most},
           n);
  }
};

void DrawVariations(JobColumn* column) {
  JobForm& form = column->state->jobs.form;
  const Ui& ui = column->ui;
  column->Title("What differs");
  column->Field("##vary", &form.vary, "KEY=A,B,…");
  const std::string suggested = SuggestVariations(*column->state);
  if (form.vary != suggested && !suggested.empty()) {
    const std::string_view label =
        column->state->scene->is_comparing() ? "What A and B differ in" : "The present C, another";
    const float width = TextWidth(ui.fonts.small, label) + ui.px(24);
    if (Pill(ui, "suggested", label, {column->x, column->y, width, ui.px(24)}, false)) {
      form.vary = form.suggested = suggested;
    }
    column->y += ui.px(34);
  }
  column->Note(
      "A key of the config, or its last word, and its values. Several, with spaces between "
      "them, make all combinations.");
  const SliderSpec duration{
      .symbol = "T",
      .name = "Duration",
      .unit = "s",
      .min = 0.1,
      .max = 60,
      .default_value = column->state->scene->session.scene().config.duration_s,
      .is_logarithmic = true,
      .decimals = 1,
      .typed_min = 0.01,
      .typed_max = 3600};
  column->Slider("duration", duration, &form.duration_s);
}

void DrawCompareForm(JobColumn* column) {
  DrawVariations(column);
  column->Count("starts", "Starts, random after the first", 20, 1, 1000,
                &column->state->jobs.form.starts);
}

void DrawSweepForm(JobColumn* column) {
  DrawVariations(column);
  column->Count("seeds", "Seeds, from 0 on", 100, 4, 1e5, &column->state->jobs.form.seeds);
  column->Note(
      "Rows of all runs stay in a Parquet dataset. More, distributions and clusters: "
      "docs/sweep.md; its folder has the study.");
}

void DrawSurviveForm(JobColumn* column) {
  JobForm& form = column->state->jobs.form;
  const bool by_impulse = PushesByImpulse(*column->state);
  column->Title(by_impulse ? "Pushes, N·s" : "Pushes, shares of the ceiling");
  column->Field("##pushes", &form.pushes, by_impulse ? "10,20" : "1,1.5,2");
  if (!by_impulse) column->Note("The ceiling m·ω·d is what a stand takes without a step.");
  column->Title("Rows that differ");
  column->Field("##rows", &form.rows, "KEY=A,B,… or nothing");
  column->Count("trials", "Trials of each row", 400, 40, 1e6, &form.trials);
}

void DrawBenchForm(JobColumn* column) {
  JobForm& form = column->state->jobs.form;
  column->Title("Models");
  column->Field("##models", &form.models, "chain20,tree20");
  column->Note(
      "chainN, treeN, bipedN, quadrupedN, scenes, MJCF and URDF files. Pause the run for "
      "times that nothing disturbs.");
  const SliderSpec seconds{.symbol = "t",
                           .name = "Each measurement",
                           .unit = "s",
                           .min = 0.01,
                           .max = 1,
                           .default_value = 0.05,
                           .is_logarithmic = true,
                           .decimals = 2,
                           .typed_min = 0.001,
                           .typed_max = 60};
  column->Slider("seconds", seconds, &form.seconds);
}

void DrawJobForm(JobColumn* column) {
  JobsState& jobs = column->state->jobs;
  const Ui& ui = column->ui;
  int selected = static_cast<int>(jobs.kind);
  if (Segmented(ui, "kind", kJobTitles, &selected,
                {column->x, column->y, column->width, ui.px(30)})) {
    jobs.kind = static_cast<JobKind>(selected);
    jobs.form.error.clear();
    column->state->slider = {};
  }
  column->y += ui.px(46);
  const std::string why_not = WhyNot(*column->state, jobs.kind);
  if (!why_not.empty()) return column->Note(why_not);
  switch (jobs.kind) {
    case JobKind::kCompare:
      DrawCompareForm(column);
      break;
    case JobKind::kSweep:
      DrawSweepForm(column);
      break;
    case JobKind::kSurvive:
      DrawSurviveForm(column);
      break;
    case JobKind::kBench:
      DrawBenchForm(column);
      break;
  }
  column->y += ui.px(8);
  const Job* job = jobs.of(jobs.kind).get();
  const Rect r{column->x, column->y, column->width, ui.px(34)};
  if (job != nullptr && job->is_running()) {
    if (Button(ui, "cancel", "Cancel", r)) CancelJob(column->state, jobs.kind);
  } else if (Button(ui, "start", "Start", r, ButtonKind::kPrimary)) {
    StartJob(column->state, jobs.kind);
  }
  column->y += ui.px(44);
  if (!jobs.form.error.empty()) column->Text(jobs.form.error, ui.theme.error);
  if (jobs.kind != JobKind::kBench) {
    column->Note("Runs " + column->state->scene->title +
                 " as it is tuned now. The simulation here goes on meanwhile.");
  }
}

void DrawJobProgress(JobColumn* column, const Job& job) {
  const Ui& ui = column->ui;
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const Rect track{column->x, column->y, column->width, ui.px(6)};
  FillRect(draw, track, ToImU32(ui.theme.track), ui.px(3));
  if (!std::isnan(job.share()) && job.share() > 0) {
    const auto share = static_cast<float>(std::fmin(1.0, job.share()));
    FillRect(draw, {track.x, track.y, std::fmax(track.h, share * track.w), track.h},
             ToImU32(ui.theme.accent), ui.px(3));
  }
  column->y += ui.px(16);
  column->Note(job.progress().empty() ? "Starting" : job.progress());
}

// How the job stands, in a word, and for how long it has run.
void DrawJobState(JobColumn* column, const Job& job) {
  const Ui& ui = column->ui;
  std::string_view word = "Running";
  Rgb color = ui.theme.text;
  switch (job.state()) {
    case Job::State::kRunning:
      break;
    case Job::State::kDone:
      word = "Done";
      color = ui.theme.ok;
      break;
    case Job::State::kFailed:
      word = "Failed";
      color = ui.theme.error;
      break;
    case Job::State::kCancelled:
      word = "Cancelled";
      color = ui.theme.warn;
      break;
  }
  const float middle = column->y + ui.px(8);
  ImDrawList* draw = ImGui::GetWindowDrawList();
  TextMiddle(ui, draw, ui.fonts.strong, column->x, middle, ToImU32(color), word);
  TextMiddle(ui, draw, ui.fonts.small, column->x + column->width, middle, ToImU32(ui.theme.muted),
             Fixed(job.elapsed_s(), job.is_running() ? 0 : 1) + " s", Align::kRight);
  column->y += ui.px(26);
  if (job.is_running()) return DrawJobProgress(column, job);
  if (job.state() == Job::State::kFailed) column->Text(job.last_words(), ui.theme.error);
  if (job.state() == Job::State::kCancelled) {
    column->Note(job.results().table.rows.empty() ? "Nothing was finished"
                                                  : "What was done is kept");
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
    column->y += TextWrapped(ImGui::GetWindowDrawList(), ui.fonts.body, column->x, column->y,
                             column->width, ToImU32(ui.theme.text), table.summary);
    column->y += ui.px(14);
  }
  if (!job->results().report.empty()) {
    if (Button(ui, "open report", "Open the report", {column->x, column->y, ui.px(150), ui.px(32)},
               ButtonKind::kPlain, Icon::kFile)) {
      OpenReport(state, kind);
    }
    TextClipped(ui, ImGui::GetWindowDrawList(), ui.fonts.small, column->x + ui.px(162),
                column->y + ui.px(16), column->x + column->width, ToImU32(ui.theme.muted),
                job->folder().string());
    column->y += ui.px(46);
  }
  if (!table.rows.empty()) {
    column->y += DrawJobTable(ui, table, column->x, column->y, column->width);
  }
}

// A part of the sheet that scrolls by itself.
void DrawSheetPart(WindowState* state, const char* id, const Rect& r,
                   void (*content)(WindowState* state, JobColumn* column)) {
  const Ui& ui = state->ui;
  const ImVec2 origin = BeginScroll(ui, id, r);
  JobColumn column{state, ui, origin.x, origin.y, r.w - ui.px(16)};
  content(state, &column);
  EndScroll(column.y + ui.px(8));
}

}  // namespace

void DrawJobs(WindowState* state, float width, float height) {
  if (!state->jobs.is_open) return;
  const Ui& ui = state->ui;
  BeginOverlay("jobs", width, height);
  ImDrawList* draw = ImGui::GetWindowDrawList();
  FillRect(draw, {0, 0, width, height}, ToImU32(ui.theme.scrim, ui.theme.scrim_alpha));
  Rect sheet{0, 0, std::fmin(ui.px(1000), width - ui.px(48)),
             std::fmin(ui.px(680), height - ui.px(64))};
  sheet.x = std::floor(0.5f * (width - sheet.w));
  sheet.y = std::floor(0.5f * (height - sheet.h));
  DrawShadow(ui, draw, sheet, ui.px(14));
  FillRect(draw, sheet, ToImU32(ui.theme.surface), ui.px(14));
  StrokeRect(ui, draw, sheet, ToImU32(ui.theme.border), ui.px(14));
  const float pad = ui.px(kSheetPad), top = sheet.y + ui.px(kSheetHead), hair = ui.hairline();
  TextMiddle(ui, draw, ui.fonts.large, sheet.x + pad, sheet.y + ui.px(34), ToImU32(ui.theme.text),
             "Jobs");
  if (IconButton(ui, "close", Icon::kClose,
                 {sheet.right() - pad - ui.px(26), sheet.y + ui.px(18), ui.px(32), ui.px(32)},
                 "Close  esc")) {
    ToggleJobs(state);
  }
  DrawRule(ui, draw, sheet.x + hair, sheet.right() - hair, top);
  const float split = sheet.x + pad + ui.px(kFormWidth) + pad;
  DrawVerticalRule(ui, draw, split, top, sheet.bottom() - hair);
  const float y = top + ui.px(16), h = sheet.bottom() - hair - y;
  DrawSheetPart(state, "job form", {sheet.x + pad, y, ui.px(kFormWidth) + ui.px(16), h},
                [](WindowState*, JobColumn* column) { DrawJobForm(column); });
  DrawSheetPart(state, "job results", {split + pad, y, sheet.right() - split - pad - ui.px(8), h},
                DrawJobResults);
  ImGui::End();
}

}  // namespace civita
