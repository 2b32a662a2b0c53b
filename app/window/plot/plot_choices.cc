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

struct Source {
  explicit Source(const SceneData& of, const Traces& recorded)
      : scene(of), traces(recorded), distances(FindDistances(of.plant)) {}

  bool is_one() const { return traces.num_runs() == 1; }

  const SceneData& scene;
  const Traces& traces;
  Distances distances;
};

// Adds a line for each run that has the signal.
void AddRuns(const Source& source, std::string_view signal, PlotChoice* plot) {
  for (int run = 0; run < source.traces.num_runs(); ++run) {
    const int channel = source.traces.channel(static_cast<Slot>(run), signal);
    const auto color = static_cast<std::size_t>(run);
    if (channel >= 0) plot->lines.push_back({channel, run == 0 ? "A" : "B", color});
  }
}

// Adds a line for each coordinate that is a distance, or for each that is not; the norm and the
// maximum if there are too many; the norms of two runs in a comparison.
void AddCoordinates(const Source& source, const std::string& signal, bool distances,
                    PlotChoice* plot) {
  const Traces& traces = source.traces;
  const std::vector<bool>& mask = source.distances.v;
  if (source.is_one() && std::count(mask.begin(), mask.end(), distances) <= kMaxLines) {
    const int first = traces.channel(Slot::kA, signal);
    for (std::size_t i = 0; i < mask.size(); ++i) {
      if (mask[i] != distances) continue;
      plot->lines.push_back(
          {first + static_cast<int>(i), std::to_string(i + 1), plot->lines.size()});
    }
    plot->legend_title = UnitsOf(source.scene.plant).coordinate;
    return;
  }
  plot->style.has_plus = false;
  plot->style.from_zero = true;
  const std::string part = signal + (distances ? "/distances" : "");
  if (source.is_one()) {
    plot->lines = {{traces.channel(Slot::kA, part + "/norm"), "norm", 0},
                   {traces.channel(Slot::kA, part + "/largest"), "largest joint", 1}};
  } else {
    AddRuns(source, part + "/norm", plot);
    plot->legend_title = "norm";
  }
}

// Adds the ground's force on each foot, of each run in its colour, fading from foot to foot; of one
// run also the part of the desired wrench that the feet did not supply.
void AddContacts(const Source& source, PlotChoice* plot) {
  constexpr float kFading = 0.22f;
  const std::vector<Foot>& feet = source.scene.legs->feet;
  const int runs = source.traces.num_runs();
  for (int run = 0; run < runs; ++run) {
    const int first = source.traces.channel(static_cast<Slot>(run), "/foot_force");
    const int most = source.is_one() ? kMaxLines - 2 : kMaxLines / runs;
    for (int i = 0; i < std::min(static_cast<int>(feet.size()), most); ++i) {
      const auto index = static_cast<std::size_t>(i);
      std::string name = feet[index].name.substr(0, feet[index].name.find('_'));
      PlotChoice::Line line{first + i, name, index};
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

// `unit`: shown, of all coordinates.
void AddCoordinateNames(const Source& source, const std::string& unit, PlotChoice* plot) {
  const std::vector<bool>& distances = source.distances.v;
  for (std::size_t i = 0; i < distances.size(); ++i) {
    plot->coordinates.push_back(
        {source.scene.velocity_names[i], UnitPart(unit, distances[i]), distances[i]});
  }
}

// The error of two coordinates over each other.
void AddErrorPath(const Source& source, PlotChoice* plot) {
  AddCoordinateNames(source, plot->unit, plot);
  plot->unit.clear();
}

// The terms of the torque of one coordinate, of each run in a plot of its own; torsion's share on
// top of that which it is a part of.
void AddTerms(const Source& source, std::vector<PlotChoice>* plots) {
  constexpr struct {
    const char* signal;
    const char* name;
    std::size_t color;
  } kTerms[] = {{"/terms/K_v_r", "K vᵣ", 1},
                {"/terms/C_v_r", "C vᵣ", 0},
                {"/terms/H_vdot_r", "H \uE001ᵣ", 2},
                {"/terms/feedback", "feedback", 3},
                {"/terms/g", "g", 7}};
  std::vector<std::vector<int>> telling;
  for (const char* signal : {"/terms/K_v_r", "/terms/C_v_r"}) {
    telling.emplace_back();
    for (int run = 0; run < source.traces.num_runs(); ++run) {
      const int channel = source.traces.channel(static_cast<Slot>(run), signal);
      if (channel >= 0) telling.back().push_back(channel);
    }
  }
  for (int run = 0; run < source.traces.num_runs(); ++run) {
    const auto slot = static_cast<Slot>(run);
    const Signal* signal = source.traces.signals(slot).Find("/terms/C_v_r");
    if (signal == nullptr) continue;
    PlotChoice plot{.title = "Terms of τ",
                    .doc =
                        "τ = H \uE001ᵣ + C vᵣ + g + feedback of one coordinate, and K vᵣ, the "
                        "part of C vᵣ that torsion adds",
                    .style = signal->style,
                    .is_of_one = true,
                    .telling = telling};
    if (!source.is_one()) plot.title += run == 0 ? ", A" : ", B";
    for (const auto& term : kTerms) {
      plot.lines.push_back({source.traces.channel(slot, term.signal), term.name, term.color});
    }
    AddCoordinateNames(source, signal->info.unit, &plot);
    plots->push_back(std::move(plot));
  }
}

void TellCauses(const Source& /*source*/, PlotChoice* plot) { plot->tells_causes = true; }

bool HasLegs(const SceneData& scene) { return scene.legs != nullptr; }
bool HasNoLegs(const SceneData& scene) { return scene.legs == nullptr; }
bool HasErrorPath(const SceneData& scene) { return HasNoLegs(scene) && scene.plant.nv() > 1; }

// A line of a plot.
struct LineRow {
  const char* name = nullptr;
  std::size_t color = 0;
  const char* signal = nullptr;  // null: the plot's
  int number = 0;                // of a list
  float width = 1.5f, alpha = 1;
  bool is_of_both = false;  // thin beside the first, of each of two runs
};

struct StandardPlot {
  const char* title;
  // A signal or a derived curve, which gives doc, unit and style; a scene without it has no such
  // plot.
  const char* signal;
  LineRow lines[4] =
      {};  // of one run, but those that it lacks; the first is there of two runs, too
  std::optional<PlotStyle> style = {};                            // in place of the signal's
  bool (*applies)(const SceneData& scene) = nullptr;              // null: to all with the signal
  void (*add)(const Source& source, PlotChoice* plot) = nullptr;  // what is more than lines
  const char* unit = nullptr;                                     // recorded, not the signal's
  const char* of_two = nullptr;   // a size, in place of the first of two runs
  const char* legend_title = "";  // of two runs
};

// Lists of the coordinates: one plot of the angles and one of the distances, since the two have
// different units.
struct CoordinatePlot {
  const char* title;
  const char* of_distances;  // title where a scene has distances alone
  const char* of_both;       // title of the distances beside the angles
  const char* signal;
  bool (*applies)(const SceneData& scene) = nullptr;
};

// Legged robots have no plot of the whole error, of which the trunk's plots show what matters.
constexpr CoordinatePlot kCoordinatePlots[] = {
    {"Tracking error", "Tracking error", "Tracking error, distances", "/e", HasNoLegs},
    {"Velocity error s", "Velocity error s", "Velocity error s, distances", "/s"},
    {"Torque", "Force", "Force", "/tau"},
    {"Torque of torsion", "Force of torsion", "Force of torsion", "/terms/K_v_r"},
};

constexpr PlotStyle kTaskDistance = {.shown = ShownUnit::kMilli, .decimals = 2, .from_zero = true};
constexpr PlotStyle kTaskAngle = {.shown = ShownUnit::kDegrees, .decimals = 2, .from_zero = true};
constexpr PlotStyle kTrunkAxis = {.shown = ShownUnit::kMilli, .decimals = 2, .has_plus = true};
constexpr PlotStyle kTrunkTurn = {.shown = ShownUnit::kDegrees, .decimals = 2, .has_plus = true};
constexpr PlotStyle kMarginStyle = {.shown = ShownUnit::kMilli, .has_plus = true};
// What is below a hundredth of a degree is rounding: the axis does not show it at full height.
constexpr PlotStyle kTurning = {.shown = ShownUnit::kDegrees, .from_zero = true};
// The part of the turning that torsion explains.
constexpr LineRow kByTorsion = {
    .name = "by torsion", .color = 1, .signal = "/ideal_turning/since_throw", .is_of_both = true};

constexpr StandardPlot kStandardPlots[] = {
    {"Task error", "/law/task/error_m", {{"distance"}}, kTaskDistance},
    {"Task error, angle", "/law/task/error_rad", {{"angle"}}, kTaskAngle},
    {"Lyapunov V", "/V", {{"V"}}},
    {.title = "Turning of s",
     .signal = "/twist/since_throw",
     .lines = {{"measured"}, kByTorsion},
     .style = kTurning,
     .add = TellCauses},
    {"Path of the error", "/e", {{"e"}}, std::nullopt, HasErrorPath, AddErrorPath},
    {"\uE000 and P", "/Vdot", {{kVDot}, {"P", 1, "/P"}}},
    {"Energy balance", "/energy_balance", {{"V + ∫P − ∫sᵀτ"}}},
    {.title = "Trunk position error",
     .signal = "/e",
     .lines = {{"x"}, {"y", 1, "/e", 1}, {"z", 2, "/e", 2}},
     .style = kTrunkAxis,
     .applies = HasLegs,
     .unit = "m",
     .of_two = "/trunk/position",
     .legend_title = "magnitude"},
    {.title = "Trunk orientation error",
     .signal = "/e",
     .lines = {{"x", 0, "/e", 3}, {"y", 1, "/e", 4}, {"z", 2, "/e", 5}},
     .style = kTrunkTurn,
     .applies = HasLegs,
     .unit = "rad",
     .of_two = "/trunk/rotation",
     .legend_title = "magnitude"},
    {"Contacts", "/foot_force", {}, std::nullopt, HasLegs, AddContacts},
    {"DCM margin", "/law/dcm_margin", {{"margin"}}, kMarginStyle},
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
      plot.unit = UnitPart(plot.unit, distances);
      AddCoordinates(source, standard.signal, distances, &plot);
      plots->push_back(std::move(plot));
    }
  }
}

void AddLines(const Source& source, const StandardPlot& standard, PlotChoice* plot) {
  const auto signal_of = [&](const LineRow& line) {
    return line.signal != nullptr ? line.signal : standard.signal;
  };
  const LineRow& first = standard.lines[0];
  if (!source.is_one() && first.name != nullptr) {
    AddRuns(source, standard.of_two != nullptr ? standard.of_two : signal_of(first), plot);
    plot->legend_title = standard.legend_title;
  }
  for (const LineRow& line : standard.lines) {
    if (line.name == nullptr || (!source.is_one() && !line.is_of_both)) continue;
    for (int run = 0; run < source.traces.num_runs(); ++run) {
      const int channel = source.traces.channel(static_cast<Slot>(run), signal_of(line));
      if (channel < 0) continue;
      plot->lines.push_back({channel + line.number, line.name, line.color, line.width, line.alpha});
      if (source.is_one()) continue;
      PlotChoice::Line& thin = plot->lines.back();
      thin = {channel, (run == 0 ? "A " : "B ") + std::string(line.name),
              static_cast<std::size_t>(run), 1.25f, 0.5f};
    }
  }
}

PlotChoice Make(const Source& source, const StandardPlot& standard, const Signal& signal) {
  PlotChoice plot = Describe(signal);
  plot.title = standard.title;
  plot.style = standard.style.value_or(signal.style);
  plot.unit = UnitOf(plot.style.shown, standard.unit != nullptr ? standard.unit : signal.info.unit);
  if (standard.of_two != nullptr && !source.is_one()) {
    plot.style.has_plus = false;
    plot.style.from_zero = true;
  }
  AddLines(source, standard, &plot);
  if (standard.add) standard.add(source, &plot);
  return plot;
}

void AddStandardPlots(const Source& source, std::vector<PlotChoice>* plots) {
  AddCoordinatePlots(source, plots);
  for (const StandardPlot& standard : kStandardPlots) {
    const Signal* signal = source.traces.signals(Slot::kA).Find(standard.signal);
    if (signal == nullptr) signal = source.traces.derived(Slot::kA).Find(standard.signal);
    if (signal == nullptr || (standard.applies && !standard.applies(source.scene))) continue;
    plots->push_back(Make(source, standard, *signal));
  }
  AddTerms(source, plots);
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
      if (std::ssize(numbers) < signal.info.size()) plot.unit = UnitPart(plot.unit, distances);
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
  for (const Signal& curve : traces.derived(Slot::kA).signals()) {
    AddSignal(source, curve, "Computed curves", &plots);
  }
  const RobotSize size(session.scene());
  for (PlotChoice& plot : plots) {
    plot.size = size.In(plot.coordinates.empty() ? plot.unit : plot.coordinates.front().unit);
  }
  return plots;
}

}  // namespace civita
