#include "app/window/plot_choices.h"

#include <algorithm>
#include <utility>

#include "app/window/units.h"
#include "app/window/widgets/draw.h"
#include "civita/controllers/legs/leg_options.h"

namespace civita {
namespace {

using Channels = Traces::Channels;

struct Source {
  const SceneData& scene;
  const Traces& traces;

  bool is_one() const { return traces.num_runs() == 1; }
};

// Adds a line for each run that has the channel.
void AddRuns(int channel, int other, PlotChoice* plot) {
  if (channel >= 0) plot->lines.push_back({channel, "A", 0});
  if (other >= 0) plot->lines.push_back({other, "B", 1});
}

// Adds a scalar signal; of both runs in a comparison.
void AddLine(const Source& source, std::string_view signal, std::string name, PlotChoice* plot) {
  const int channel = source.traces.channel(Slot::kA, signal);
  if (source.is_one()) {
    plot->lines.push_back({channel, std::move(name)});
  } else {
    AddRuns(channel, source.traces.channel(Slot::kB, signal), plot);
  }
}

// Adds a line for each coordinate; the norm and the maximum if there are too many; the norms of
// two runs in a comparison.
void AddCoordinates(const Source& source, Channels::Coordinates Channels::*where,
                    PlotChoice* plot) {
  const Traces& traces = source.traces;
  const Channels::Coordinates& own = traces.channels().*where;
  if (source.is_one() && traces.nv() <= kMaxLines) {
    for (int i = 0; i < traces.nv(); ++i) {
      plot->lines.push_back({own.first + i, std::to_string(i + 1), static_cast<std::size_t>(i)});
    }
    plot->legend_title = UnitsOf(source.scene.plant).coordinate;
    return;
  }
  plot->style.has_plus = false;
  plot->style.from_zero = true;
  if (source.is_one()) {
    plot->lines = {{own.norm, "norm", 0}, {own.largest, "largest joint", 1}};
  } else {
    AddRuns(own.norm, (traces.channels(Slot::kB).*where).norm, plot);
    plot->legend_title = "norm";
  }
}

// Adds three axes of the trunk's error, starting at e[first].
void AddTrunk(const Source& source, int first, ShownUnit shown, const char* unit,
              PlotChoice* plot) {
  plot->unit = UnitOf(shown, unit);
  plot->style = {.shown = shown, .decimals = 2, .has_plus = true};
  for (const auto& [i, name] : {std::pair{0, "x"}, {1, "y"}, {2, "z"}}) {
    const int channel = source.traces.channels().e.first + first + i;
    plot->lines.push_back({channel, name, static_cast<std::size_t>(i)});
  }
}

void AddPower(const Source& source, PlotChoice* plot) {
  AddLine(source, "/Vdot", kVDot, plot);
  if (source.is_one()) plot->lines.push_back({source.traces.channel(Slot::kA, "/P"), "P", 1});
}

void AddControlStep(const Source& source, PlotChoice* plot) {
  const Channels& own = source.traces.channels();
  plot->band = {own.step_p50, own.step_p99, source.is_one() ? 1 : 0};
  if (!source.is_one()) {
    AddRuns(own.step_p50, source.traces.channels(Slot::kB).step_p50, plot);
    plot->legend_title = "p50";
    return;
  }
  plot->lines = {{own.step_p50, "p50"}, {own.step_p99, "p99", 0, 1.25f, 0.6f}};
  if (own.num_feet == 0) return;
  plot->lines.push_back({own.dynamics_p50, "dynamics", 2});
  plot->lines.push_back({own.qp_p50, "QP", 1});
}

// Adds the ground's force on each foot, and the part of the desired wrench that the feet did not
// supply; in a comparison the force on the first foot of both runs.
void AddContacts(const Source& source, PlotChoice* plot) {
  const std::vector<Foot>& feet = source.scene.legs->feet;
  if (!source.is_one()) {
    AddLine(source, "/foot_force", "", plot);
    plot->legend_title = feet.front().name;
    return;
  }
  const Channels& own = source.traces.channels();
  for (int i = 0; i < std::min(own.num_feet, kMaxLines - 2); ++i) {
    const auto index = static_cast<std::size_t>(i);
    const std::string& name = feet[index].name;
    plot->lines.push_back({own.foot_force + i, name.substr(0, name.find('_')), index});
  }
  const int unmet = source.traces.channel(Slot::kA, "/law/unmet/force");
  if (unmet >= 0) plot->lines.push_back({unmet, "unmet", kMaxLines - 2});
}

// The turning of s against parallel transport, and the part that torsion explains.
void AddTurning(const Source& source, PlotChoice* plot) {
  AddLine(source, "/twist", "twist", plot);
  const int ideal = source.traces.channel(Slot::kA, "/ideal_turning");
  if (source.is_one()) {
    plot->lines.push_back({ideal, "ideal", 1});
    return;
  }
  const int other = source.traces.channel(Slot::kB, "/ideal_turning");
  plot->lines.push_back({ideal, "ideal A", 0, 1.25f, 0.5f});
  plot->lines.push_back({other, "ideal B", 1, 1.25f, 0.5f});
}

void AddMargin(const Source& source, PlotChoice* plot) {
  plot->unit = "mm";
  plot->style = {.shown = ShownUnit::kMilli, .has_plus = true};
  AddLine(source, "/law/dcm_margin", "margin", plot);
}

bool HasLegs(const SceneData& scene) { return scene.legs != nullptr; }
bool HasNoLegs(const SceneData& scene) { return scene.legs == nullptr; }

struct StandardPlot {
  const char* title;
  // gives unit and style, unless `add` does; a scene without it has no such plot
  const char* signal;
  void (*add)(const Source& source, PlotChoice* plot);
  bool (*applies)(const SceneData& scene) = nullptr;  // null: to all with the signal
};

// Legged robots have no plot of the whole error, which would add metres to radians.
constexpr StandardPlot kStandardPlots[] = {
    {"Tracking error", "/e",
     [](const Source& source, PlotChoice* plot) { AddCoordinates(source, &Channels::e, plot); },
     HasNoLegs},
    {"Velocity error s", "/s",
     [](const Source& source, PlotChoice* plot) { AddCoordinates(source, &Channels::s, plot); }},
    {"Torque", "/tau",
     [](const Source& source, PlotChoice* plot) { AddCoordinates(source, &Channels::tau, plot); }},
    {"Lyapunov V", "/V",
     [](const Source& source, PlotChoice* plot) { AddLine(source, "/V", "V", plot); }},
    {"Turning of s", "/twist", AddTurning},
    {"\uE000 and P", "/Vdot", AddPower},
    {"Energy balance", "/energy_balance",
     [](const Source& source, PlotChoice* plot) {
       AddLine(source, "/energy_balance", "V + ∫P − ∫sᵀτ", plot);
     }},
    {"Control step", "/control_us", AddControlStep},
    {"Physics step", "/physics_us",
     [](const Source& source, PlotChoice* plot) {
       AddLine(source, "/physics_us", "physics", plot);
     }},
    {"Trunk position", "/e",
     [](const Source& source, PlotChoice* plot) {
       AddTrunk(source, 0, ShownUnit::kMilli, "m", plot);
     },
     HasLegs},
    {"Trunk orientation", "/e",
     [](const Source& source, PlotChoice* plot) {
       AddTrunk(source, 3, ShownUnit::kDegrees, "rad", plot);
     },
     HasLegs},
    {"Contacts", "/foot_force", AddContacts, HasLegs},
    {"DCM margin", "/law/dcm_margin", AddMargin},
};

PlotChoice Describe(const Signal& signal) {
  return {.title = signal.info.name,
          .unit = UnitOf(signal.style.shown, signal.info.unit),
          .style = signal.style,
          .marks_saturation = signal.info.name == "/tau"};
}

void AddStandardPlots(const Source& source, std::vector<PlotChoice>* plots) {
  for (const StandardPlot& standard : kStandardPlots) {
    const Signal* signal = source.traces.signals(Slot::kA).Find(standard.signal);
    if (signal == nullptr || (standard.applies && !standard.applies(source.scene))) continue;
    PlotChoice plot = Describe(*signal);
    plot.title = standard.title;
    standard.add(source, &plot);
    plots->push_back(std::move(plot));
  }
}

std::string HeadingOf(const Signal& signal, const SignalTable& table) {
  if (signal.info.name.starts_with("/law/")) return "The law's signals";
  if (signal.info.name.starts_with("/observer/")) return "The observer's signals";
  return signal.column < table.timings_begin() ? "Recorded signals" : "Times taken";
}

// Adds the lines of the numbers `begin` to `end` of a signal, of each run that has it.
void AddNumbers(const Source& source, const SignalInfo& info, int begin, int end,
                PlotChoice* plot) {
  for (int i = begin; i < end; ++i) {
    for (int run = 0; run < source.traces.num_runs(); ++run) {
      const int channel = source.traces.channel(static_cast<Slot>(run), info.name);
      if (channel < 0) continue;
      std::string name = info.is_list() ? std::to_string(i) : "";
      if (!source.is_one()) {
        if (!name.empty()) name.insert(0, " ");
        name.insert(0, run == 0 ? "A" : "B");
      }
      if (name.empty()) name = info.name.substr(info.name.rfind('/') + 1);
      plot->lines.push_back({channel + i, std::move(name), plot->lines.size()});
    }
  }
}

void AddSignal(const Source& source, const Signal& signal, const std::string& heading,
               std::vector<PlotChoice>* plots) {
  const int size = signal.info.size(), max_lines = kMaxLines / source.traces.num_runs();
  for (int begin = 0; begin < size; begin += max_lines) {
    const int end = std::min(size, begin + max_lines);
    PlotChoice plot = Describe(signal);
    plot.heading = heading;
    if (size > max_lines) {
      plot.title = signal.info.column(begin);
      if (end - begin > 1) plot.title += " … " + std::to_string(end - 1);
    }
    AddNumbers(source, signal.info, begin, end, &plot);
    plots->push_back(std::move(plot));
  }
}

}  // namespace

std::vector<PlotChoice> MakePlotChoices(const Session& session, const Traces& traces) {
  const Source source{session.scene(), traces};
  std::vector<PlotChoice> plots;
  AddStandardPlots(source, &plots);
  const SignalTable& own = session.signals();
  for (const Signal& signal : own.signals()) {
    AddSignal(source, signal, HeadingOf(signal, own), &plots);
  }
  if (source.is_one()) return plots;
  for (const Signal& signal : session.signals(Slot::kB).signals()) {
    if (!own.Find(signal.info.name)) AddSignal(source, signal, "Signals of B alone", &plots);
  }
  return plots;
}

std::array<std::string_view, kPlots> FirstPlots(bool has_legs) {
  if (has_legs) return {"Trunk position", "Contacts", "Lyapunov V", "Control step"};
  return {"Tracking error", "Turning of s", "Lyapunov V", "Torque"};
}

}  // namespace civita
