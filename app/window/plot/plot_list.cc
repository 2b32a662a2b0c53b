#include "app/window/plot/plot_list.h"

#include <algorithm>
#include <utility>

namespace civita {
namespace {

auto FindShown(std::vector<ShownPlot>& plots, std::string_view title) {
  return std::ranges::find(plots, title, &ShownPlot::title);
}

struct FamilyRow {
  std::string_view name;
  std::vector<std::string_view> usual;
};

// In the order of PlotFamily.
const FamilyRow& RowOf(PlotFamily family) {
  static const FamilyRow kRows[] = {
      {"joints",
       {"Tracking error", "Tracking error, distances", "Turning of s", "Path of the error",
        "Lyapunov V", "Torque", "Force"}},
      {"task", {"Task error", "Task error, angle", "Lyapunov V", "Torque"}},
      {"legs", {"Trunk position error", "Contacts", "Lyapunov V", "Torque"}}};
  return kRows[static_cast<std::size_t>(family)];
}

PlotPreset Usual(PlotFamily family) { return {"Usual", RowOf(family).usual}; }

}  // namespace

PlotFamily FamilyOf(const Session& session) {
  if (session.scene().legs != nullptr) return PlotFamily::kLegs;
  const bool has_task = session.signals().Find("/law/task/error_m") != nullptr;
  return has_task ? PlotFamily::kTask : PlotFamily::kJoints;
}

std::string_view NameOf(PlotFamily family) { return RowOf(family).name; }

std::vector<PlotPreset> PlotPresets(PlotFamily family) {
  return {Usual(family),
          {"Errors",
           {"Task error", "Task error, angle", "Trunk position error", "Trunk orientation error",
            "Tracking error", "Tracking error, distances", "Velocity error s",
            "Velocity error s, distances"}},
          {"Torsion",
           {"Turning of s", "Torque of torsion", "Force of torsion", "Terms of τ", "Terms of τ, A",
            "Terms of τ, B", "Path of the error", "Lyapunov V"}},
          {"Energy", {"Lyapunov V", "\uE000 and P", "Energy balance"}}};
}

PlotList::PlotList() {
  for (const PlotFamily family : kPlotFamilies) {
    family_ = family;
    Show(Usual(family));
  }
  family_ = PlotFamily::kJoints;
}

bool PlotList::Add(std::string title) {
  std::vector<ShownPlot>& list = plots();
  if (list.size() >= kMost || FindShown(list, title) != list.end()) return false;
  list.push_back({.title = std::move(title)});
  return true;
}

void PlotList::Remove(std::size_t index) {
  if (index < plots().size()) plots().erase(plots().begin() + static_cast<std::ptrdiff_t>(index));
}

void PlotList::Move(std::size_t index, std::size_t to) {
  std::vector<ShownPlot>& list = plots();
  if (index >= list.size() || to > list.size()) return;
  const auto at = [&list](std::size_t i) { return list.begin() + static_cast<std::ptrdiff_t>(i); };
  if (to > index) {
    std::rotate(at(index), at(index + 1), at(to));
  } else {
    std::rotate(at(to), at(index), at(index + 1));
  }
}

void PlotList::Replace(std::size_t index, std::string title) {
  std::vector<ShownPlot>& list = plots();
  const auto elsewhere = FindShown(list, title);
  if (elsewhere != list.end()) return std::swap(list[index], *elsewhere);
  list[index] = {.title = std::move(title)};
}

void PlotList::Show(PlotFamily family, std::span<const std::string> titles) {
  std::vector<ShownPlot>& list = lists_[family];
  list.clear();
  for (const std::string& title : titles) {
    if (list.size() < kMost && FindShown(list, title) == list.end())
      list.push_back({.title = title});
  }
}

void PlotList::Show(const PlotPreset& preset) {
  Show(family_, std::vector<std::string>(preset.titles.begin(), preset.titles.end()));
}

void PlotList::ResetStates() {
  for (auto& [family, list] : lists_) {
    for (ShownPlot& plot : list) {
      plot.state = {};
      plot.axes = {};
    }
  }
}

}  // namespace civita
