#include "app/window/plot/plot_choices.h"

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

#include "app/window/plot/units.h"
#include "app/window/widgets/draw.h"
#include "civita/controllers/legs/leg_options.h"
#include "civita/kinematics.h"
#include "civita/mass_matrix.h"
#include "civita/workspace.h"

namespace civita {
namespace {

using Channels = Traces::Channels;

struct Source {
  explicit Source(const SceneData& of, const Traces& recorded)
      : scene(of), traces(recorded), distances(FindDistances(of.plant)) {}

  bool is_one() const { return traces.num_runs() == 1; }

  const SceneData& scene;
  const Traces& traces;
  Distances distances;
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

// Adds a line for each coordinate that is a distance, or for each that is not; the norm and the
// maximum if there are too many; the norms of two runs in a comparison.
void AddCoordinates(const Source& source, Channels::Coordinates Channels::*where, bool distances,
                    PlotChoice* plot) {
  const Traces& traces = source.traces;
  const std::vector<bool>& mask = source.distances.v;
  const Channels::Coordinates& own = traces.channels().*where;
  const Channels::Size& size = distances ? own.distances : own.angles;
  if (source.is_one() && std::count(mask.begin(), mask.end(), distances) <= kMaxLines) {
    for (std::size_t i = 0; i < mask.size(); ++i) {
      if (mask[i] != distances) continue;
      plot->lines.push_back(
          {own.first + static_cast<int>(i), std::to_string(i + 1), plot->lines.size()});
    }
    plot->legend_title = UnitsOf(source.scene.plant).coordinate;
    return;
  }
  plot->style.has_plus = false;
  plot->style.from_zero = true;
  if (source.is_one()) {
    plot->lines = {{size.norm, "norm", 0}, {size.largest, "largest joint", 1}};
  } else {
    const Channels::Coordinates& other = traces.channels(Slot::kB).*where;
    AddRuns(size.norm, (distances ? other.distances : other.angles).norm, plot);
    plot->legend_title = "norm";
  }
}

// Adds three axes of the trunk's error, starting at e[first]; of two runs its magnitudes.
void AddTrunk(const Source& source, int first, int Channels::*magnitude, ShownUnit shown,
              const char* unit, PlotChoice* plot) {
  plot->unit = UnitOf(shown, unit);
  plot->style = {.shown = shown, .decimals = 2, .has_plus = true};
  if (!source.is_one()) {
    plot->style.has_plus = false;
    plot->style.from_zero = true;
    AddRuns(source.traces.channels().*magnitude, source.traces.channels(Slot::kB).*magnitude, plot);
    plot->legend_title = "magnitude";
    return;
  }
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

// Adds the ground's force on each foot, of each run in its colour, fading from foot to foot; of one
// run also the part of the desired wrench that the feet did not supply.
void AddContacts(const Source& source, PlotChoice* plot) {
  constexpr float kFading = 0.22f;
  const std::vector<Foot>& feet = source.scene.legs->feet;
  const int runs = source.traces.num_runs();
  for (int run = 0; run < runs; ++run) {
    const Channels& channels = source.traces.channels(static_cast<Slot>(run));
    const int most = source.is_one() ? kMaxLines - 2 : kMaxLines / runs;
    for (int i = 0; i < std::min(channels.num_feet, most); ++i) {
      const auto index = static_cast<std::size_t>(i);
      std::string name = feet[index].name.substr(0, feet[index].name.find('_'));
      PlotChoice::Line line{channels.foot_force + i, name, index};
      if (!source.is_one()) {
        line.name = (run == 0 ? "A " : "B ") + name;
        line.color = static_cast<std::size_t>(run);
        line.alpha = 1 - kFading * static_cast<float>(i);
      }
      plot->lines.push_back(std::move(line));
    }
  }
  const int unmet = source.traces.channel(Slot::kA, "/law/unmet/force");
  if (source.is_one() && unmet >= 0) plot->lines.push_back({unmet, "unmet", kMaxLines - 2});
}

// The turning of s against parallel transport, and the part that torsion explains.
void AddTurning(const Source& source, PlotChoice* plot) {
  plot->tells_causes = true;
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

void AddTaskError(const Source& source, PlotChoice* plot) {
  plot->unit = "mm";
  plot->style = {.shown = ShownUnit::kMilli, .decimals = 2, .from_zero = true};
  AddLine(source, "/law/task/error_m", "distance", plot);
}

void AddTaskAngle(const Source& source, PlotChoice* plot) {
  plot->unit = "°";
  plot->style = {.shown = ShownUnit::kDegrees, .decimals = 2, .from_zero = true};
  AddLine(source, "/law/task/error_rad", "angle", plot);
}

// The unit of the angles, or of the distances, in "rad, m".
std::string PartOf(const std::string& unit, bool distances) {
  const std::size_t comma = unit.find(", ");
  if (comma == unit.npos) return unit;
  return distances ? unit.substr(comma + 2) : unit.substr(0, comma);
}

// The error of two coordinates over each other.
void AddErrorPath(const Source& source, PlotChoice* plot) {
  AddLine(source, "/e", "e", plot);
  const std::vector<bool>& distances = source.distances.v;
  for (std::size_t i = 0; i < distances.size(); ++i) {
    plot->coordinates.push_back(
        {source.scene.velocity_names[i], PartOf(plot->unit, distances[i]), distances[i]});
  }
  plot->unit.clear();
}

bool HasLegs(const SceneData& scene) { return scene.legs != nullptr; }
bool HasNoLegs(const SceneData& scene) { return scene.legs == nullptr; }
bool HasErrorPath(const SceneData& scene) { return HasNoLegs(scene) && scene.plant.nv() > 1; }

struct StandardPlot {
  const char* title;
  // gives unit and style, unless `add` does; a scene without it has no such plot
  const char* signal;
  void (*add)(const Source& source, PlotChoice* plot);
  bool (*applies)(const SceneData& scene) = nullptr;  // null: to all with the signal
};

// Lists of the coordinates: one plot of the angles and one of the distances, since the two have
// different units.
struct CoordinatePlot {
  const char* title;
  const char* of_distances;  // title where a scene has distances alone
  const char* of_both;       // title of the distances beside the angles
  const char* signal;
  Channels::Coordinates Channels::*where;
  bool (*applies)(const SceneData& scene) = nullptr;
};

// Legged robots have no plot of the whole error, of which the trunk's plots show what matters.
constexpr CoordinatePlot kCoordinatePlots[] = {
    {"Tracking error", "Tracking error", "Tracking error, distances", "/e", &Channels::e,
     HasNoLegs},
    {"Velocity error s", "Velocity error s", "Velocity error s, distances", "/s", &Channels::s},
    {"Torque", "Force", "Force", "/tau", &Channels::tau},
};

constexpr StandardPlot kStandardPlots[] = {
    {"Task error", "/law/task/error_m", AddTaskError},
    {"Task error, angle", "/law/task/error_rad", AddTaskAngle},
    {"Lyapunov V", "/V",
     [](const Source& source, PlotChoice* plot) { AddLine(source, "/V", "V", plot); }},
    {"Turning of s", "/twist", AddTurning},
    {"Path of the error", "/e", AddErrorPath, HasErrorPath},
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
    {"Trunk position error", "/e",
     [](const Source& source, PlotChoice* plot) {
       AddTrunk(source, 0, &Channels::trunk_position, ShownUnit::kMilli, "m", plot);
     },
     HasLegs},
    {"Trunk orientation error", "/e",
     [](const Source& source, PlotChoice* plot) {
       AddTrunk(source, 3, &Channels::trunk_orientation, ShownUnit::kDegrees, "rad", plot);
     },
     HasLegs},
    {"Contacts", "/foot_force", AddContacts, HasLegs},
    {"DCM margin", "/law/dcm_margin", AddMargin},
};

PlotChoice Describe(const Signal& signal) {
  return {.title = signal.info.name,
          .doc = signal.info.doc,
          .unit = UnitOf(signal.style.shown, signal.info.unit),
          .style = signal.style,
          .marks_saturation = signal.info.name == "/tau"};
}

void AddCoordinatePlots(const Source& source, std::vector<PlotChoice>* plots) {
  const std::vector<bool>& mask = source.distances.v;
  for (const CoordinatePlot& standard : kCoordinatePlots) {
    const Signal* signal = source.traces.signals(Slot::kA).Find(standard.signal);
    if (signal == nullptr || (standard.applies && !standard.applies(source.scene))) continue;
    for (const bool distances : {false, true}) {
      const auto count = std::count(mask.begin(), mask.end(), distances);
      if (count == 0) continue;
      const bool alone = count == std::ssize(mask);
      PlotChoice plot = Describe(*signal);
      plot.title = !distances ? standard.title : alone ? standard.of_distances : standard.of_both;
      plot.unit = PartOf(plot.unit, distances);
      AddCoordinates(source, standard.where, distances, &plot);
      plots->push_back(std::move(plot));
    }
  }
}

void AddStandardPlots(const Source& source, std::vector<PlotChoice>* plots) {
  AddCoordinatePlots(source, plots);
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

// Adds the lines of these numbers of a signal, of each run that has it.
void AddNumbers(const Source& source, const SignalInfo& info, std::span<const int> numbers,
                PlotChoice* plot) {
  for (const int i : numbers) {
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

// The numbers of a signal with one unit: all, or of coordinates of both kinds the angles or the
// distances.
std::vector<int> NumbersOf(const Source& source, const SignalInfo& info, bool distances) {
  const Distances& known = source.distances;
  const std::vector<bool>* mask = nullptr;
  if (info.unit.find(", ") != info.unit.npos) {
    const auto size = static_cast<std::size_t>(info.size());
    // The positions of joints are as many as their velocities where no joint has a quaternion.
    mask = size == known.q.size() ? &known.q : size == known.v.size() ? &known.v : nullptr;
  }
  std::vector<int> numbers;
  for (int i = 0; i < info.size(); ++i) {
    const bool is_distance = mask != nullptr && (*mask)[static_cast<std::size_t>(i)];
    if (is_distance == distances) numbers.push_back(i);
  }
  return numbers;
}

void AddSignal(const Source& source, const Signal& signal, const std::string& heading,
               std::vector<PlotChoice>* plots) {
  const auto most = static_cast<std::size_t>(kMaxLines / source.traces.num_runs());
  for (const bool distances : {false, true}) {
    const std::vector<int> numbers = NumbersOf(source, signal.info, distances);
    for (std::size_t begin = 0; begin < numbers.size(); begin += most) {
      const std::span<const int> part =
          std::span(numbers).subspan(begin, std::min(most, numbers.size() - begin));
      PlotChoice plot = Describe(signal);
      plot.heading = heading;
      const bool is_whole = std::ssize(part) == signal.info.size();
      if (!is_whole) {
        plot.title = signal.info.column(part.front());
        if (part.size() > 1) plot.title += " … " + std::to_string(part.back());
      }
      if (std::ssize(numbers) < signal.info.size()) plot.unit = PartOf(plot.unit, distances);
      AddNumbers(source, signal.info, part, &plot);
      plots->push_back(std::move(plot));
    }
  }
}

/// What is rounding to a robot of a metre and a kilogram is the whole motion of one of a
/// millimetre.
class RobotSize {
 public:
  explicit RobotSize(const SceneData& scene) {
    const Model& model = scene.plant;
    Workspace<double> workspace(model);
    Eigen::MatrixXd H(model.nv(), model.nv());
    UpdateKinematics(model, scene.q_start, workspace);
    CalcMassMatrix(model, workspace, H);
    inertia_ = OfSmall(H.diagonal().maxCoeff());
    length_ = OfSmall(scene.mj->stat.extent);
  }
  /// The factor of small robots for a unit's numbers, otherwise 1.
  double In(std::string_view unit) const {
    if (unit.find_first_of("NJW") != unit.npos) return inertia_;
    for (const char* length : {"m", "mm", "m/s", "mm/s"}) {
      if (unit == length) return length_;
    }
    return 1;
  }

 private:
  static double OfSmall(double size) {
    constexpr double kSmall = 0.1, kLeast = 1e-30;
    return size < kSmall ? std::max(size, kLeast) : 1;
  }
  double inertia_, length_;  ///< kg·m² or kg; m
};

}  // namespace

std::vector<PlotChoice> MakePlotChoices(const Session& session, const Traces& traces) {
  const Source source(session.scene(), traces);
  std::vector<PlotChoice> plots;
  AddStandardPlots(source, &plots);
  const SignalTable& own = session.signals();
  for (const Signal& signal : own.signals()) {
    AddSignal(source, signal, HeadingOf(signal, own), &plots);
  }
  if (!source.is_one()) {
    for (const Signal& signal : session.signals(Slot::kB).signals()) {
      if (!own.Find(signal.info.name)) AddSignal(source, signal, "Signals of B alone", &plots);
    }
  }
  const RobotSize size(session.scene());
  for (PlotChoice& plot : plots) plot.size = size.In(plot.unit);
  return plots;
}

}  // namespace civita
