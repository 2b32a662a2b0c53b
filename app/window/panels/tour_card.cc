#include <algorithm>
#include <iterator>
#include <string>

#include "app/verbs/run/run.h"
#include "app/window/actions/actions.h"
#include "app/window/model/tour.h"
#include "app/window/panels/panels.h"
#include "civita/factorization_text.h"

namespace civita {
namespace {

Rect Plots(const Layout& layout) { return layout.plots; }
Rect Side(const Layout& layout) { return layout.side; }
Rect TopBar(const Layout& layout) { return layout.top_bar; }

// Whether the runs are those of which the steps tell.
bool IsFirstOpen(const WindowState& state) {
  const ActiveScene& scene = *state.scene;
  return state.opened == kFirstScene && scene.is_comparing() && !scene.session.is_replay() &&
         scene.law(Slot::kA).uses_factorization &&
         scene.law(Slot::kA).type == scene.law(Slot::kB).type;
}

void TuneRun(WindowState* state, Slot slot, double t) {
  ActiveScene& scene = *state->scene;
  scene.edited = slot;
  Tuning tuning = scene.tuned().of_scene;
  tuning.factorization = Factorization::Torsion(t);
  scene.tuning().Edit(std::move(tuning));
  CommitTuning(state);
}

// Throws both runs anew with the settings of a step: their start is off their reference.
void ThrowAnew(WindowState* state, const TourStep& step) {
  if (state->loader.is_loading()) return;
  if (!IsFirstOpen(*state)) return OpenFirst(state);
  state->tour.set_has_thrown(true);
  TuneRun(state, Slot::kA, 0);
  TuneRun(state, Slot::kB, step.t);
  ResetRun(state);
  Post(state, command::Play{});
  state->tab = step.tab;
  state->panels.side = state->panels.plots = true;
}

constexpr TourStep kSteps[] = {
    {"V falls alike",
     "Two arms, thrown off their moving reference alike: A with the torsion-free C, B with t = 5. "
     "Lyapunov V, the energy of the error, falls on one line for both, as the proof says.",
     Plots, 5, kCompareTab},
    {"The error turns",
     "V is one number. It does not say where the error points: in A it keeps its direction, in B "
     "the torsion of C turns it by more than 90°. That is the plot Turning of s.",
     Plots, 5, kCompareTab},
    {"What it costs",
     "So B takes another path, and its RMS tracking error is more than half as large again. Below "
     "it stands what the reference alone predicts, without a run.",
     Side, 5, kCompareTab},
    {"Less torsion",
     "Run B has t = 1 now, and turns its error less than a third as far. Drag t: each throw shows "
     "what it does.",
     Side, 1, kTuneTab},
    {"No torsion, no difference",
     "With t = 0 both runs are the same, to the last bit. The list at the top has other robots, "
     "also your own.",
     TopBar, 0, kCompareTab},
};

// After the tour: what it began with, if it ended with another torsion.
void Restore(WindowState* state) {
  const std::string first = ToString(Factorization::Torsion(kSteps[0].t));
  if (IsFirstOpen(*state) && ToString(state->scene->slots.back().posted.factorization) != first) {
    ThrowAnew(state, kSteps[0]);
  }
  state->tour.set_has_thrown(false);
}

// A card at the bottom of the picture. @returns the row of its buttons.
Rect DrawTourCard(WindowState* state, const Layout& layout, std::string_view title,
                  std::string_view text, std::string_view count) {
  const Ui& ui = state->ui;
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const Rect picture = PictureArea(ui, layout.view);
  const float pad = ui.px(16), width = std::min(picture.w - ui.px(24), ui.px(400));
  const float lines = TextWrapped(nullptr, ui.fonts.body, 0, 0, width - 2 * pad, 0, text);
  const float height = 2 * pad + ui.px(30) + lines + ui.px(46);
  state->tour.set_card_height(height);
  const Rect card{picture.x + ui.px(12), picture.bottom() - ui.px(12) - height, width, height};
  DrawFloating(ui, draw, card, ToImU32(ui.theme.popup), ToImU32(ui.theme.border), 10);
  const float x = card.x + pad, title_y = card.y + pad + ui.px(9);
  TextMiddle(ui, draw, ui.fonts.strong, x, title_y, ToImU32(ui.theme.text), title);
  TextMiddle(ui, draw, ui.fonts.small, card.right() - pad, title_y, ToImU32(ui.theme.muted), count,
             Align::kRight);
  TextWrapped(draw, ui.fonts.body, x, card.y + pad + ui.px(26), width - 2 * pad,
              ToImU32(ui.theme.text), text);
  return {x, card.bottom() - pad - ui.px(32), width - 2 * pad, ui.px(32)};
}

void DrawOffer(WindowState* state, const Layout& layout) {
  const Ui& ui = state->ui;
  const Rect row = DrawTourCard(state, layout, "New here?",
                                "One minute: what V promises, and what it does not. Enter starts, "
                                "esc declines; " +
                                    KeyText(ToggleHelp) + " has it later, too.",
                                "");
  ImGui::PushID("tour offer");
  if (Button(ui, "start", "Start", {row.x, row.y, ui.px(90), row.h}, ButtonKind::kPrimary)) {
    GoOnInTour(state);
  }
  if (Button(ui, "not now", "Not now", {row.x + ui.px(98), row.y, ui.px(90), row.h})) {
    state->tour.Finish();
  }
  ImGui::PopID();
}

}  // namespace

std::span<const TourStep> TourSteps() { return kSteps; }

void GoOnInTour(WindowState* state) {
  Tour& tour = state->tour;
  if (!tour.is_open()) {
    tour.Start();
  } else if (tour.step() + 1 == static_cast<int>(std::size(kSteps))) {
    tour.Finish();
  } else {
    tour.Go(tour.step() + 1);
  }
}

void DrawTour(WindowState* state, const Layout& layout) {
  const Ui& ui = state->ui;
  Tour& tour = state->tour;
  if (!tour.is_open()) {
    if (tour.has_thrown()) Restore(state);
    if (tour.is_offered()) DrawOffer(state, layout);
    return;
  }
  const auto index = static_cast<std::size_t>(tour.step());
  const TourStep& step = kSteps[index];
  if (!tour.has_thrown()) ThrowAnew(state, step);
  StrokeRect(ui, ImGui::GetWindowDrawList(), step.place(layout), ToImU32(ui.theme.accent),
             ui.px(10));
  const std::string count = std::to_string(index + 1) + " of " + std::to_string(std::size(kSteps));
  const Rect row = DrawTourCard(state, layout, step.title, step.text, count);
  const bool is_last = index + 1 == std::size(kSteps);
  ImGui::PushID("tour");
  float right = row.right() - ui.px(76);
  if (Button(ui, "next", is_last ? "Done" : "Next", {right, row.y, ui.px(76), row.h},
             ButtonKind::kPrimary)) {
    GoOnInTour(state);
  }
  right -= ui.px(68);
  if (!is_last && Button(ui, "skip", "Skip", {right, row.y, ui.px(60), row.h})) tour.Finish();
  if (Button(ui, "again", "Throw again",
             {row.x, row.y, std::min(ui.px(120), right - row.x - ui.px(8)), row.h})) {
    tour.set_has_thrown(false);
  }
  ImGui::PopID();
}

}  // namespace civita
