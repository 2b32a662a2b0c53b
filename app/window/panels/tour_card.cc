#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "app/verbs/run/run.h"
#include "app/window/actions/actions.h"
#include "app/window/actions/forecasts.h"
#include "app/window/model/tour.h"
#include "app/window/panels/panels.h"
#include "civita/factorization_text.h"

namespace civita {
namespace {

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
  state->tour.has_thrown = true;
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
     &Layout::plots, 5, kCompareTab},
    {"The error turns",
     "V is one number. It does not say where the error points: in A it keeps its direction, in B "
     "the torsion of C turns it by more than 90°. That is the plot Turning of s.",
     &Layout::plots, 5, kCompareTab},
    {"What it costs",
     "So B takes another path, and its RMS tracking error is more than half as large again. Below "
     "it stands what the reference alone predicts, without a run.",
     &Layout::side, 5, kCompareTab},
    {"Less torsion",
     "Run B has t = 1 now, and turns its error less than a third as far. Drag t: each throw shows "
     "what it does.",
     &Layout::side, 1, kTuneTab},
    {"No torsion, no difference",
     "With t = 0 both runs are the same, to the last bit. The list at the top has other robots, "
     "also your own.",
     &Layout::top_bar, 0, kCompareTab},
};

// After the tour: what it began with, if it ended with another torsion.
void Restore(WindowState* state) {
  const std::string first = ToString(Factorization::Torsion(kSteps[0].t));
  if (IsFirstOpen(*state) && ToString(state->scene->slots.back().posted.factorization) != first) {
    ThrowAnew(state, kSteps[0]);
  }
  state->tour.has_thrown = false;
}

// What of the tour is told.
struct TourText {
  std::string_view title;
  std::string text, count;
};

TourText TextOf(const Tour& tour) {
  if (tour.is_open()) {
    const TourStep& step = kSteps[tour.step];
    return {step.title, std::string(step.text),
            std::to_string(tour.step + 1) + " of " + std::to_string(std::size(kSteps))};
  }
  return {"New here?",
          "One minute: what V promises, and what it does not. Enter starts, esc declines; " +
              KeyText(OpenPalette) + " has it later, too.",
          ""};
}

// Of a step, or of the offer.
void DrawTourButtons(WindowState* state, const Rect& row) {
  const Ui& ui = state->ui;
  Tour& tour = state->tour;
  const bool is_open = tour.is_open(), is_last = tour.step + 1 == std::ssize(kSteps);
  ImGui::PushID("tour");
  float right = row.right() - ui.px(76);
  if (Button(ui, "next",
             !is_open  ? "Start"
             : is_last ? "Done"
                       : "Next",
             {right, row.y, ui.px(76), row.h}, ButtonKind::kPrimary)) {
    GoOnInTour(state);
  }
  right -= ui.px(90);
  if (!is_last &&
      Button(ui, "skip", is_open ? "Skip" : "Not now", {right, row.y, ui.px(82), row.h})) {
    tour.Finish();
  }
  if (is_open && Button(ui, "again", "Throw again", {row.x, row.y, ui.px(112), row.h})) {
    tour.has_thrown = false;
  }
  ImGui::PopID();
}

// Logical px.
constexpr float kInset = 12, kChips = 34, kPad = 14, kTourRow = 32, kTitleRow = 24, kLineGap = 4;

// The larger part of the picture beside or above a card at its lower left.
PicturePart PartBeside(const Ui& ui, const Rect& picture, const Rect& card) {
  const float top = ui.px(kInset + kChips);
  const float right = picture.right() - card.right(), above = card.y - picture.y - top;
  const auto share = [](float part, float whole) { return static_cast<double>(part / whole); };
  PicturePart part{.top = share(top, picture.h)};
  if (std::min(right, picture.h - top) > std::min(picture.w, above)) {
    part.left = share(card.right() - picture.x, picture.w);
  } else {
    part.bottom = share(card.y - picture.y, picture.h);
  }
  return part;
}

void DrawLines(const Ui& ui, const Rect& card, bool floats, Font font,
               const std::vector<std::string>& lines) {
  if (floats) {
    DrawFloating(ui, card, ui.theme.popup, ui.theme.border, 10);
  } else {
    FillRect(ui, card, {ui.theme.surface, 0.86f}, ui.px(10));
  }
  const float pad = ui.px(kPad);
  float y = card.y + pad;
  for (const std::string& line : lines) {
    y += TextWrapped(ui, font, card.x + pad, y, card.w - 2 * pad, ui.theme.text, line) +
         ui.px(kLineGap);
  }
}

void DrawStep(WindowState* state, const Rect& card, float y, const TourText& text) {
  const Ui& ui = state->ui;
  const Rgb ink = ui.theme.text;
  const float pad = ui.px(kPad), x = card.x + pad, inner = card.w - 2 * pad;
  TextMiddle(ui, ui.fonts.strong, x, y + ui.px(9), ink, text.title);
  TextMiddle(ui, ui.fonts.small, card.right() - pad, y + ui.px(9), ui.theme.muted, text.count,
             Align::kRight);
  TextWrapped(ui, ui.fonts.body, x, y + ui.px(kTitleRow), inner, ink, text.text);
  const Rect row{x, card.bottom() - pad - ui.px(kTourRow), inner, ui.px(kTourRow)};
  DrawTourButtons(state, row);
}

}  // namespace

std::span<const TourStep> TourSteps() { return kSteps; }

void GoOnInTour(WindowState* state) {
  Tour& tour = state->tour;
  if (!tour.is_open()) {
    tour.Go(0);
  } else if (tour.step + 1 == static_cast<int>(std::size(kSteps))) {
    tour.Finish();
  } else {
    tour.Go(tour.step + 1);
  }
}

void DrawTour(WindowState* state, const Layout& layout) {
  Tour& tour = state->tour;
  if (!tour.is_open()) {
    if (tour.has_thrown) Restore(state);
    return;
  }
  const TourStep& step = kSteps[tour.step];
  if (!tour.has_thrown) ThrowAnew(state, step);
  StrokeRect(state->ui, layout.*step.place, state->ui.theme.accent, state->ui.px(10));
}

float DrawTold(WindowState* state, const Rect& picture, View3d* view) {
  const Ui& ui = state->ui;
  const Tour& tour = state->tour;
  const bool has_tour = tour.is_open() || tour.is_offered;
  const float pad = ui.px(kPad), width = std::min(picture.w - 2 * ui.px(kInset), ui.px(468));
  const float inner = width - 2 * pad, gap = ui.px(kLineGap),
              bottom = picture.bottom() - ui.px(kInset);
  const Font font = has_tour ? ui.fonts.strong : ui.fonts.large;
  const TourText text = TextOf(tour);
  const float words = TextHeight(ui.fonts.body, inner, text.text);
  const float steps = has_tour ? ui.px(kTitleRow + kTourRow) + words + 3 * gap : 0;
  const bool tells = state->marks.sentence && state->scene->is_comparing();
  std::vector<std::string> lines;
  if (tells) {
    UpdateForecast(state);
    lines = TellDifference(state);
  }
  float told = 0;
  for (const std::string& line : lines) {
    told += TextHeight(font, inner, line) + gap;
  }
  // The robot stays where it is while lines come and go.
  float kept = tells ? std::max(told, 3 * (font.px + gap)) : told;
  const bool has_room = kept + steps + 2 * pad < picture.h - ui.px(2 * kInset + kChips);
  if (has_tour && !has_room) {  // a step says in words what the sentence measures
    lines.clear();
    told = kept = 0;
  }
  const auto card_of = [&](float content) {
    const float height = 2 * pad + content + steps - gap;
    return Rect{picture.x + ui.px(kInset), bottom - height, width, height};
  };
  const bool is_there = steps + kept > 0 && width >= ui.px(200);
  view->SetPart(is_there ? PartBeside(ui, picture, card_of(kept)) : PicturePart());
  if (!is_there || steps + told == 0) return bottom;

  const Rect card = card_of(told);
  DrawLines(state->ui, card, has_tour, font, lines);
  if (has_tour) DrawStep(state, card, card.y + pad + told, text);
  return card.y - ui.px(8);
}

}  // namespace civita
