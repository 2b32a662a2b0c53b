#include <algorithm>
#include <iterator>
#include <string>

#include "app/window/actions/actions.h"
#include "app/window/model/tour.h"
#include "app/window/panels/panels.h"

namespace civita {
namespace {

Rect Plots(const Layout& layout) { return layout.plots; }
Rect Side(const Layout& layout) { return layout.side; }
Rect TopBar(const Layout& layout) { return layout.top_bar; }

void AddTorsion(WindowState* state) {
  state->tab = kTuneTab;
  Tuning tuning = state->scene->tuning().current();
  tuning.factorization.t = 3;
  state->scene->tuning().Edit(std::move(tuning));
  CommitTuning(state);
  ThrowOff(state);
}

void Compare(WindowState* state) {
  state->tour.set_will_throw(true);
  if (!state->scene->is_comparing()) return ToggleComparison(state);
  state->tab = kCompareTab;
}

// Throws the compared runs off once they are on their reference.
void ThrowBoth(WindowState* state) {
  constexpr double kArrived = 1.5;  // s after the start
  const bool is_there = state->scene->is_comparing() && state->scene->snapshot->t > kArrived;
  if (!state->tour.will_throw() || !is_there) return;
  state->tour.set_will_throw(false);
  ThrowOff(state);
}

constexpr TourStep kSteps[] = {
    {"What V promises",
     "V is the energy of the error. The law makes it fall whatever the factorization of C: the "
     "plot Lyapunov V goes down in a straight line on its logarithmic axis.",
     Plots},
    {"What V does not say",
     "V is one number. It says that the error shrinks, not which way it turns meanwhile. That is "
     "the plot Turning of s: its angle against parallel transport.",
     Plots},
    {"Throw it off",
     "A robot on its reference shows nothing. A throw adds a velocity error, always the same one, "
     "and the plots zoom on what follows.",
     TopBar, "Throw it off", ThrowOff},
    {"Torsion",
     "With t = 3 the forces C v stay the same, and V falls as before. But C has torsion now, and s "
     "turns on its way to zero.",
     Side, "Set t = 3 and throw", AddTorsion},
    {"Compare",
     "Two runs in step, thrown alike: the table measures from the throw on, and the sentence below "
     "it says what differs, by how much, and why.",
     Side, "Compare and throw", Compare},
};

// A card at the bottom of the picture. @returns the row of its buttons.
Rect DrawTourCard(const Ui& ui, const Layout& layout, std::string_view title, std::string_view text,
                  std::string_view count) {
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const Rect picture = PictureArea(ui, layout.view);
  const float pad = ui.px(16), width = std::min(picture.w - ui.px(24), ui.px(400));
  const float lines = TextWrapped(nullptr, ui.fonts.body, 0, 0, width - 2 * pad, 0, text);
  const float height = 2 * pad + ui.px(30) + lines + ui.px(46);
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

void DrawOffer(const Ui& ui, const Layout& layout, Tour* tour) {
  const Rect row = DrawTourCard(ui, layout, "New here?",
                                "One minute: what V promises, and what it does not. " +
                                    KeyText(ToggleHelp) + " has it later, too.",
                                "");
  ImGui::PushID("tour offer");
  if (Button(ui, "start", "Start", {row.x, row.y, ui.px(90), row.h}, ButtonKind::kPrimary)) {
    tour->Start();
  }
  if (Button(ui, "not now", "Not now", {row.right() - ui.px(90), row.y, ui.px(90), row.h})) {
    tour->Finish();
  }
  ImGui::PopID();
}

}  // namespace

std::span<const TourStep> TourSteps() { return kSteps; }

void DrawTour(WindowState* state, const Layout& layout) {
  ThrowBoth(state);
  Tour& tour = state->tour;
  const Ui& ui = state->ui;
  if (tour.is_offered()) DrawOffer(ui, layout, &tour);
  if (!tour.is_open()) return;
  const auto index = static_cast<std::size_t>(tour.step());
  const TourStep& step = kSteps[index];
  StrokeRect(ui, ImGui::GetWindowDrawList(), step.place(layout), ToImU32(ui.theme.accent),
             ui.px(10));
  const std::string count = std::to_string(index + 1) + " of " + std::to_string(std::size(kSteps));
  std::string text(step.text);
  if (const std::string key = KeyText(step.act); !key.empty()) text += " " + key + " does it, too.";
  const Rect row = DrawTourCard(ui, layout, step.title, text, count);
  const bool is_last = index + 1 == std::size(kSteps);
  ImGui::PushID("tour");
  float right = row.right() - ui.px(76);
  const ButtonKind next = step.act == nullptr ? ButtonKind::kPrimary : ButtonKind::kPlain;
  if (Button(ui, "next", is_last ? "Done" : "Next", {right, row.y, ui.px(76), row.h}, next)) {
    if (is_last) {
      tour.Finish();
    } else {
      tour.Go(tour.step() + 1);
    }
  }
  right -= ui.px(68);
  if (!is_last && Button(ui, "skip", "Skip", {right, row.y, ui.px(60), row.h})) tour.Finish();
  if (step.act != nullptr &&
      Button(ui, "act", step.action,
             {row.x, row.y, std::min(ui.px(170), right - row.x - ui.px(8)), row.h},
             ButtonKind::kPrimary)) {
    step.act(state);
  }
  ImGui::PopID();
}

}  // namespace civita
