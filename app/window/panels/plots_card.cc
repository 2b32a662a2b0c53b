#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <fstream>
#include <numbers>

#include "app/window/actions.h"
#include "app/window/panels/panels.h"
#include "app/window/plot/export.h"
#include "app/window/units.h"
#include "controllers/legs/leg_options.h"
#include "core/error.h"

namespace civita {
namespace {

constexpr int kPlots = 4;
constexpr int kMostLines = 8;  // as many as there are colours
constexpr std::array<std::string_view, 12> kSignals = {
    "Tracking error", "Velocity error s",  "Torque",       "Lyapunov V",
    "\uE000 and P",   "Energy balance",    "Control step", "Physics step",
    "Trunk position", "Trunk orientation", "Contacts",     "DCM margin"};
constexpr std::array<Signal, kPlots> kUsual = {Signal::kError, Signal::kV, Signal::kTorque,
                                               Signal::kControlStep};
constexpr std::array<Signal, kPlots> kUsualOfLegs = {Signal::kTrunkPosition, Signal::kContacts,
                                                     Signal::kV, Signal::kControlStep};
constexpr std::array<const char*, kPlots> kPlotIds = {"plot 0", "plot 1", "plot 2", "plot 3"};
constexpr std::array<double, 3> kSpans = {2, 10, 60};
constexpr std::array<std::string_view, 3> kSpanLabels = {"2 s", "10 s", "60 s"};
constexpr std::array<std::string_view, kMostLines> kNumbers = {"1", "2", "3", "4",
                                                               "5", "6", "7", "8"};

bool HasLegs(const ActiveScene& scene) { return scene.traces.channels().num_feet > 0; }

// What a plot shows; the lines are kept here because the spec only views them.
struct PlotContent {
  PlotSpec spec;
  std::vector<PlotLine> lines;
  std::vector<PlotBand> bands;
};

// Where the channels of a quantity with a number for each coordinate are.
struct JointChannels {
  int first, norm, largest;
};

PlotLine OneLine(const Ui& ui, const Traces& traces, int channel, std::string_view name,
                 std::size_t color = 0, double scale = 1) {
  return {.trace = &traces.buffer(),
          .channel = channel,
          .name = name,
          .color = ui.theme.series[color],
          .scale = scale};
}

// A line for each run.
void AddRuns(const Ui& ui, const Traces& traces, int channel, int other_channel, double scale,
             PlotContent* content) {
  content->lines = {OneLine(ui, traces, channel, "A", 0, scale),
                    OneLine(ui, traces, other_channel, "B", 1, scale)};
}

// A line for each coordinate; the norm and the largest where there are too many; the norms of two
// runs.
void AddJointLines(const Ui& ui, const Model& model, const Traces& traces,
                   JointChannels (*channels)(const Traces::Channels&), double scale,
                   PlotContent* content) {
  const JointChannels own = channels(traces.channels());
  if (traces.num_runs() > 1) {
    AddRuns(ui, traces, own.norm, channels(traces.channels(Slot::kB)).norm, scale, content);
    content->spec.legend_title = "norm";
    content->spec.fixed_lo = 0;
    return;
  }
  if (traces.nv() <= kMostLines) {
    for (int i = 0; i < traces.nv(); ++i) {
      const auto index = static_cast<std::size_t>(i);
      content->lines.push_back(OneLine(ui, traces, own.first + i, kNumbers[index], index, scale));
    }
    content->spec.legend_title = UnitsOf(model).coordinate;
    content->spec.sign = Sign::kAlways;
    return;
  }
  content->lines = {OneLine(ui, traces, own.norm, "norm", 0, scale),
                    OneLine(ui, traces, own.largest, "largest joint", 1, scale)};
  content->spec.fixed_lo = 0;
}

// A signal of one number; both runs' while two are compared.
void AddLine(const Ui& ui, const Traces& traces, int Traces::Channels::*channel,
             std::string_view name, PlotContent* content) {
  if (traces.num_runs() > 1) {
    AddRuns(ui, traces, traces.channels().*channel, traces.channels(Slot::kB).*channel, 1, content);
  } else {
    content->lines = {OneLine(ui, traces, traces.channels().*channel, name)};
  }
}

// Three axes of the trunk's error, from channel e + first.
void AddTrunkLines(const Ui& ui, const Traces& traces, int first, double scale,
                   PlotContent* content) {
  constexpr std::array<std::string_view, 3> kAxes = {"x", "y", "z"};
  for (std::size_t i = 0; i < kAxes.size(); ++i) {
    const int channel = traces.channels().e + first + static_cast<int>(i);
    content->lines.push_back(OneLine(ui, traces, channel, kAxes[i], i, scale));
  }
  content->spec.sign = Sign::kAlways;
  content->spec.decimals = 2;
}

// The ground's force on each foot, and what the feet did not give of what the law wants.
void AddContacts(const Ui& ui, const LegOptions& legs, const Traces& traces, PlotContent* content) {
  using Channels = Traces::Channels;
  content->spec.fixed_lo = 0;
  if (traces.num_runs() > 1) {
    AddLine(ui, traces, &Channels::foot_force, "", content);
    content->spec.legend_title = legs.feet.front().name;
    return;
  }
  const Channels& own = traces.channels();
  for (int i = 0; i < std::min(own.num_feet, kMostLines - 2); ++i) {
    const auto index = static_cast<std::size_t>(i);
    const std::string_view name = legs.feet[index].name;
    content->lines.push_back(
        OneLine(ui, traces, own.foot_force + i, name.substr(0, name.find('_')), index));
  }
  if (own.tells_balance) {
    content->lines.push_back(OneLine(ui, traces, own.unmet_force, "unmet", kMostLines - 2));
  }
}

void AddControlStep(const Ui& ui, const Traces& traces, PlotContent* content) {
  content->spec.fixed_lo = 0;
  const Traces::Channels& own = traces.channels();
  const bool is_one = traces.num_runs() == 1;
  if (is_one) {
    content->lines = {OneLine(ui, traces, own.step_p50(), "p50"),
                      OneLine(ui, traces, own.step_p99(), "p99")};
    content->lines[1].width = 1.25f;
    content->lines[1].alpha = 0.6f;
    if (own.num_feet > 0) {
      content->lines.push_back(OneLine(ui, traces, own.dynamics_p50(), "dynamics", 2));
      content->lines.push_back(OneLine(ui, traces, own.qp_p50(), "QP", 1));
    }
  } else {
    AddRuns(ui, traces, own.step_p50(), traces.channels(Slot::kB).step_p50(), 1, content);
    content->spec.legend_title = "p50";
  }
  content->bands.push_back({.trace = &traces.buffer(),
                            .low = own.step_p50(),
                            .high = own.step_p99(),
                            .color = ui.theme.series[0],
                            .owner = is_one ? 1 : 0});
}

PlotContent MakeContent(const WindowState& state, Signal signal) {
  using Channels = Traces::Channels;
  const Ui& ui = state.ui;
  const Traces& traces = state.scene->traces;
  const Model& model = state.scene->session.scene().plant;
  const JointUnits units = UnitsOf(model);
  const StorageUnits storage = state.scene->controller(Slot::kA).info().units;
  PlotContent content;
  PlotSpec& spec = content.spec;
  spec.title = kSignals[static_cast<std::size_t>(signal)];
  switch (signal) {
    case Signal::kError:
      spec.unit = units.error;
      AddJointLines(
          ui, model, traces,
          [](const Channels& c) {
            return JointChannels{c.e, c.e_norm(), c.e_largest()};
          },
          1000, &content);
      break;
    case Signal::kVelocityError:
      spec.unit = units.velocity;
      spec.decimals = 2;
      AddJointLines(
          ui, model, traces,
          [](const Channels& c) {
            return JointChannels{c.s, c.s_norm(), c.s_largest()};
          },
          1000, &content);
      break;
    case Signal::kTorque:
      spec.unit = units.torque;
      AddJointLines(
          ui, model, traces,
          [](const Channels& c) {
            return JointChannels{c.tau, c.tau_norm(), c.tau_largest()};
          },
          1, &content);
      break;
    case Signal::kV:
      spec.unit = storage.storage;
      spec.log = true;
      AddLine(ui, traces, &Channels::V, "V", &content);
      break;
    case Signal::kVdot:
      spec.unit = storage.rate;
      spec.decimals = 4;
      spec.sign = Sign::kAlways;
      AddLine(ui, traces, &Channels::Vdot, kVDot, &content);
      if (traces.num_runs() == 1) {
        content.lines.push_back(OneLine(ui, traces, traces.channels().P, "P", 1));
      }
      break;
    case Signal::kEnergyBalance:
      spec.unit = storage.storage;
      spec.decimals = 5;
      spec.sign = Sign::kAlways;
      AddLine(ui, traces, &Channels::energy_balance, "V + ∫P − ∫sᵀτ", &content);
      break;
    case Signal::kControlStep:
      spec.unit = "µs";
      AddControlStep(ui, traces, &content);
      break;
    case Signal::kPhysicsStep:
      spec.unit = "µs";
      spec.fixed_lo = 0;
      AddLine(ui, traces, &Channels::physics_us, "physics", &content);
      break;
    case Signal::kTrunkPosition:
      spec.unit = "mm";
      AddTrunkLines(ui, traces, 0, 1000, &content);
      break;
    case Signal::kTrunkOrientation:
      spec.unit = "°";
      AddTrunkLines(ui, traces, 3, 180 / std::numbers::pi, &content);
      break;
    case Signal::kContacts:
      spec.unit = "N";
      AddContacts(ui, *state.scene->session.scene().legs, traces, &content);
      break;
    case Signal::kDcmMargin:
      spec.unit = "mm";
      spec.sign = Sign::kAlways;
      AddLine(ui, traces, &Channels::dcm_margin, "margin", &content);
      for (PlotLine& line : content.lines) line.scale = 1000;
      break;
  }
  return content;
}

// What can be plotted of the scene at hand: of legs not the whole error, in which metres are added
// to radians.
std::vector<Signal> Choices(const ActiveScene& scene) {
  std::vector<Signal> choices;
  const bool legs = HasLegs(scene);
  for (std::size_t i = 0; i < kSignals.size(); ++i) {
    const auto signal = static_cast<Signal>(i);
    const bool is_of_legs = signal >= Signal::kTrunkPosition;
    if (signal == Signal::kDcmMargin && !scene.traces.channels().tells_balance) continue;
    if (legs ? signal != Signal::kError : !is_of_legs) choices.push_back(signal);
  }
  return choices;
}

// Each kind of scene begins with plots of its own.
void ChooseSignals(WindowState* state) {
  const bool legs = HasLegs(*state->scene);
  if (state->signals_are_for_legs == legs) return;
  state->signals_are_for_legs = legs;
  state->signals = legs ? kUsualOfLegs : kUsual;
  state->plots = {};
}

// The title as a button: what the plot shows can be chosen.
void DrawSignalChoice(WindowState* state, int plot, const Rect& frame, const PlotSpec& spec) {
  const Ui& ui = state->ui;
  const float width =
      TextWidth(ui.fonts.strong, spec.title) + ui.px(6) + TextWidth(ui.fonts.small, spec.unit);
  const Rect title{frame.x + ui.px(10), frame.y + ui.px(5), width + ui.px(12), ui.px(24)};
  ImGui::PushID(plot);
  const Hit hit = HitBox("signal", title);
  if (hit.hovered) {
    const Rect button{title.x, title.y, title.w + ui.px(16), title.h};
    StrokeRect(ui, ImGui::GetWindowDrawList(), button, ToImU32(ui.theme.border), ui.px(6));
    DrawIcon(ui, ImGui::GetWindowDrawList(), Icon::kChevronDown, title.right() + ui.px(6),
             title.middle_y(), ToImU32(ui.theme.muted), 13);
  }
  static_assert(kSignals.size() == static_cast<std::size_t>(Signal::kDcmMargin) + 1);
  const std::vector<Signal> choices = Choices(*state->scene);
  std::vector<std::string> names;
  names.reserve(choices.size());
  for (const Signal choice : choices) {
    names.emplace_back(kSignals[static_cast<std::size_t>(choice)]);
  }
  const auto index = static_cast<std::size_t>(plot);
  const auto present = std::find(choices.begin(), choices.end(), state->signals[index]);
  int selected = static_cast<int>(present - choices.begin());
  if (ListBelow(ui, "signals", hit, names, &selected, title)) {
    state->signals[index] = choices[static_cast<std::size_t>(selected)];
    state->plots[index] = {};
  }
  ImGui::PopID();
}

std::vector<PlotMark> MakeMarks(const ActiveScene& scene, bool with_saturation) {
  std::vector<PlotMark> marks;
  for (const RunLog::EventMark& mark : scene.log.marks()) {
    marks.push_back({.kind = mark.kind, .t = mark.t, .text = mark.text});
  }
  if (!with_saturation) return marks;
  for (const Traces::Saturation& saturation : scene.traces.saturations()) {
    marks.push_back({.kind = PlotMark::Kind::kSaturation,
                     .t = saturation.from,
                     .t_end = saturation.to,
                     .text = "torque limit"});
  }
  return marks;
}

// What the plots show now, as a CSV beside the program's working directory.
void ExportVisible(WindowState* state) {
  const std::string path = TimestampedName("signals", "csv");
  std::vector<PlotLine> lines;
  std::vector<std::string> names;
  for (int plot = 0; plot < kPlots; ++plot) {
    const PlotContent content = MakeContent(*state, state->signals[static_cast<std::size_t>(plot)]);
    for (const PlotLine& line : content.lines) {
      lines.push_back(line);
      names.push_back(ExportText(std::string(content.spec.title) + " " + std::string(line.name) +
                                 " (" + std::string(content.spec.unit) + ")"));
    }
  }
  for (std::size_t i = 0; i < lines.size(); ++i) lines[i].name = names[i];
  std::ofstream file(path);
  WritePlotCsv(file, lines, state->time_axis.t0(), state->time_axis.t1());
  file.close();
  if (file) {
    ShowToast(state, "Saved " + path);
  } else {
    ShowToast(state, "Cannot write " + std::filesystem::absolute(path).string(), true);
  }
}

void DrawHeader(WindowState* state, const Rect& r, bool is_wide) {
  const Ui& ui = state->ui;
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const float middle = r.middle_y();
  SectionLabel(ui, r.x + ui.px(kCardPadding), middle, "Signals");
  float right = r.right() - ui.px(10);
  const auto button = [&](const char* id, Icon icon, std::string_view tip, bool on) {
    right -= ui.px(30);
    const bool clicked = IconButton(ui, id, icon, {right, middle - ui.px(15), ui.px(30), ui.px(30)},
                                    tip, {.on = on});
    right -= ui.px(4);
    return clicked;
  };
  TimeAxis& axis = state->time_axis;
  if (!is_wide &&
      button("collapse", state->panels.plots_collapsed ? Icon::kChevronUp : Icon::kChevronDown,
             state->panels.plots_collapsed ? "Show the plots" : "Hide the plots", false)) {
    state->panels.plots_collapsed = !state->panels.plots_collapsed;
  }
  if (button("export", Icon::kExport, "Export what is shown as CSV", false)) ExportVisible(state);
  if (button("hold", Icon::kPause, axis.held() ? "Go on" : "Hold the plots", axis.held())) {
    axis.Hold(!axis.held());
  }
  if (!axis.following() && button("follow", Icon::kFollow, "Follow the newest sample", false)) {
    axis.Follow();
  }
  const float width = ui.px(150);
  right -= ui.px(4) + width;
  if (right < r.x + ui.px(100)) return;
  int selected = -1;
  for (int i = 0; i < static_cast<int>(kSpans.size()); ++i) {
    if (axis.following() && axis.span() == kSpans[static_cast<std::size_t>(i)]) selected = i;
  }
  if (Segmented(ui, "span", kSpanLabels, &selected,
                {right, middle - ui.px(14), width, ui.px(28)})) {
    axis.SetSpan(kSpans[static_cast<std::size_t>(selected)]);
  }
  DrawRule(ui, draw, r.x + ui.hairline(), r.right() - ui.hairline(), r.bottom());
}

// A click shows that moment again; only while paused, so that a stray click does not throw a run
// away.
void HandleEvents(WindowState* state, const PlotEvents& events) {
  if (!events.clicked) return;
  const Snapshot& snapshot = *state->scene->snapshot;
  if (snapshot.state == RunState::kRunning) {
    ShowToast(state, "Pause to go back to a moment by clicking on a plot");
  } else if (events.clicked_time >= snapshot.oldest_saved_t && events.clicked_time < snapshot.t) {
    RewindTo(state, events.clicked_time);
  }
}

}  // namespace

void DrawPlotsCard(WindowState* state, const Rect& r, int columns, bool is_wide) {
  const Ui& ui = state->ui;
  ImDrawList* draw = ImGui::GetWindowDrawList();
  DrawCard(ui, draw, r);
  const float header = ui.px(kCardHeader), hair = ui.hairline();
  ChooseSignals(state);
  DrawHeader(state, {r.x, r.y, r.w, header}, is_wide);
  const float labels = ui.px(16);  // the last row carries the times
  if (r.h < header + ui.px(60)) return;
  const TraceBuffer& buffer = state->scene->traces.buffer();
  state->time_axis.Update(buffer.first_time(), buffer.last_time());
  const int rows = (kPlots + columns - 1) / columns;
  const float width = std::floor(r.w / static_cast<float>(columns));
  const float height = std::floor((r.h - header - labels - ui.px(4)) / static_cast<float>(rows));
  for (int plot = 0; plot < kPlots; ++plot) {
    const int column = plot % columns, row = plot / columns;
    const bool last_row = row == rows - 1;
    const Rect frame{r.x + static_cast<float>(column) * width,
                     r.y + header + static_cast<float>(row) * height, width,
                     height + (last_row ? labels : 0)};
    if (row > 0) DrawRule(ui, draw, frame.x + hair, frame.right() - hair, frame.y);
    if (column > 0) DrawVerticalRule(ui, draw, frame.x, frame.y + hair, frame.bottom() + ui.px(3));
    const Signal signal = state->signals[static_cast<std::size_t>(plot)];
    PlotContent content = MakeContent(*state, signal);
    const std::vector<PlotMark> marks = MakeMarks(*state->scene, signal == Signal::kTorque);
    content.spec.id = kPlotIds[static_cast<std::size_t>(plot)];
    content.spec.lines = content.lines;
    content.spec.bands = content.bands;
    content.spec.marks = marks;
    content.spec.time_labels = last_row;
    HandleEvents(state, DrawPlot(ui, frame, content.spec, &state->time_axis,
                                 &state->plots[static_cast<std::size_t>(plot)]));
    DrawSignalChoice(state, plot, frame, content.spec);
  }
}

}  // namespace civita
