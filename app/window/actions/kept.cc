#include "app/window/actions/kept.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/verbs/run/run.h"
#include "app/window/actions/actions.h"
#include "civita/error.h"

namespace civita {
namespace {

using Titles = std::vector<std::string>;

std::string PlotsKey(PlotFamily family, const char* what) {
  return "plots." + std::string(NameOf(family)) + "." + what;
}

void RestorePlots(const Settings& settings, PlotList* plots) {
  for (const PlotFamily family : kPlotFamilies) {
    const Titles shown = settings.Get(PlotsKey(family, "shown"), Titles());
    if (!shown.empty()) plots->Show(family, shown);
    const Titles folded = settings.Get(PlotsKey(family, "folded"), Titles());
    for (ShownPlot& plot : plots->plots(family)) {
      plot.is_folded = std::find(folded.begin(), folded.end(), plot.title) != folded.end();
    }
  }
}

void KeepPlots(const PlotList& plots, Settings* settings) {
  for (const PlotFamily family : kPlotFamilies) {
    Titles shown, folded;
    for (const ShownPlot& plot : plots.plots(family)) {
      shown.push_back(plot.title);
      if (plot.is_folded) folded.push_back(plot.title);
    }
    // What the user did not arrange is not kept, so that a later version can improve it.
    const std::vector<std::string_view> usual = PlotPresets(family).front().titles;
    if (std::equal(shown.begin(), shown.end(), usual.begin(), usual.end())) shown.clear();
    settings->Set(PlotsKey(family, "shown"), shown);
    settings->Set(PlotsKey(family, "folded"), folded);
  }
}

template <typename Function>
void ForEachKey(PanelChoice* panels, Function function) {
  function("panels.side", panels->side);
  function("panels.plots", panels->plots);
  function("panels.plots_collapsed", panels->plots_collapsed);
  function("panels.side_width", panels->side_width);
  function("panels.plots_width", panels->plots_width);
  function("panels.plots_height", panels->plots_height);
}

// Under the scene's name, whose points would be taken for a path of keys.
std::string CameraKey(const ActiveScene& scene) {
  std::string name = scene.session.scene().config.name;
  std::replace(name.begin(), name.end(), '.', '_');
  return "cameras." + name;
}

}  // namespace

void RestoreSize(const Settings& settings, int* width, int* height) {
  constexpr int kMost = 16384;
  const auto fill = [&](int* size, const char* key, int least) {
    const int kept = settings.Get(key, 0);
    if (*size == 0 && kept != 0) *size = std::clamp(kept, least, kMost);
  };
  fill(width, "window.width", kMinWidth);
  fill(height, "window.height", kMinHeight);
}

void RestoreKept(WindowState* state) {
  const Settings& settings = state->settings;
  if (settings.Get("theme", std::string("dark")) == "light") state->ui.theme = kLightTheme;
  if (const float zoom = settings.Get("zoom", 1.0f); std::isfinite(zoom)) {
    state->zoom = std::clamp(zoom, kMinZoom, kMaxZoom);
  }
  ForEachKey(&state->panels,
             [&](const char* key, auto& value) { value = settings.Get(key, value); });
  state->time_axis.SetSpan(std::clamp(settings.Get("plots.span_s", 10.0), 0.1, 600.0));
  RestorePlots(settings, &state->plots);
  state->launcher.recent = settings.Get("recent", Titles());
  state->tour.seen = settings.Get("tour_seen", false);
}

void Keep(WindowState* state) {
  Settings& settings = state->settings;
  if (settings.folder().empty()) return;
  settings.Set("theme", std::string(state->ui.theme.dark ? "dark" : "light"));
  settings.Set("zoom", state->zoom);
  ForEachKey(&state->panels, [&](const char* key, auto& value) { settings.Set(key, value); });
  settings.Set("plots.span_s", state->time_axis.preset());
  KeepPlots(state->plots, &settings);
  settings.Set("recent", state->launcher.recent);
  settings.Set("tour_seen", state->tour.seen);
  try {
    settings.Save();
  } catch (const Error& error) {
    if (!std::exchange(state->is_keeping_broken, true)) ShowToast(state, error.what(), true);
  }
}

void RestoreCamera(const WindowState& state, View3d* view) {
  const std::vector<double> kept =
      state.settings.Get(CameraKey(*state.scene), std::vector<double>());
  std::array<double, 6> place;
  if (kept.size() != place.size()) return;
  std::copy(kept.begin(), kept.end(), place.begin());
  const auto is_sane = [](double x) { return std::abs(x) < 1e4; };
  if (std::all_of(place.begin(), place.end(), is_sane) && place[2] > 0) view->PlaceCamera(place);
}

void KeepCamera(WindowState* state, const View3d& view) {
  const std::optional<std::array<double, 6>> place = view.PlacedCamera();
  const std::string key = CameraKey(*state->scene);
  std::vector<double> kept;
  if (place) kept.assign(place->begin(), place->end());
  if (kept != state->settings.Get(key, std::vector<double>())) state->settings.Set(key, kept);
}

}  // namespace civita
