#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/window/plot/plot.h"
#include "app/window/plot/plot_choices.h"

namespace civita {

/// Families of scenes; each has its own arrangement of plots.
enum class PlotFamily { kJoints, kTask, kLegs };
PlotFamily FamilyOf(const Session& session);
/// "joints", "task", "legs": under which the arrangement is kept.
std::string_view NameOf(PlotFamily family);
inline constexpr PlotFamily kPlotFamilies[] = {PlotFamily::kJoints, PlotFamily::kTask,
                                               PlotFamily::kLegs};

/// A ready choice of plots. A scene shows those of the titles that it has.
struct PlotPreset {
  std::string_view name;
  std::vector<std::string_view> titles;
};
/// The usual one of a family first.
std::vector<PlotPreset> PlotPresets(PlotFamily family);

/// The two coordinates that a plot of paths shows; −1: one of those that moved most.
struct PathAxes {
  int x = -1, y = -1;
};

/// A plot of the card.
struct ShownPlot {
  std::string title;       ///< of its content, see PlotChoice
  bool is_folded = false;  ///< only its title is shown
  PathAxes axes = {};
  PlotState state = {};
};

/// The plots of the card, in their order, for each family of scenes.
class PlotList {
 public:
  static constexpr std::size_t kMost = 12;

  PlotList();

  void SetFamily(PlotFamily family) { family_ = family; }
  PlotFamily family() const { return family_; }
  std::vector<ShownPlot>& plots() { return lists_[family_]; }
  const std::vector<ShownPlot>& plots() const { return lists_.at(family_); }
  std::vector<ShownPlot>& plots(PlotFamily family) { return lists_[family]; }
  const std::vector<ShownPlot>& plots(PlotFamily family) const { return lists_.at(family); }

  /// Appends a plot. @returns false when it is there already or the card is full.
  bool Add(std::string title);
  void Remove(std::size_t index);
  /// Puts the plot before the one that is at `to` now; `to` may be one past the last.
  void Move(std::size_t index, std::size_t to);
  /// Shows other content in a plot; exchanges the two if it is shown elsewhere.
  void Replace(std::size_t index, std::string title);
  void Show(PlotFamily family, std::span<const std::string> titles);
  void Show(const PlotPreset& preset);
  /// Forgets zoom and hidden lines, for a scene with other signals.
  void ResetStates();

 private:
  PlotFamily family_ = PlotFamily::kJoints;
  std::map<PlotFamily, std::vector<ShownPlot>> lists_;
};

}  // namespace civita
