// The parts of the Tune tab that say where torsion is injected, and the factorization as text.
#include <algorithm>
#include <array>

#include "app/window/actions/actions.h"
#include "app/window/panels/panels.h"
#include "civita/error.h"
#include "civita/factorization_text.h"
#include "civita/scenes/schema/formula.h"

namespace civita {
namespace {

constexpr std::array<std::string_view, 2> kParts = {"angular", "linear"};
constexpr const char* kJoints = "the joints";

}  // namespace

void SetFactorization(WindowState* state, Factorization factorization) {
  Tuning tuning = state->scene->tuning().current();
  tuning.factorization = std::move(factorization);
  state->scene->tuning().Edit(std::move(tuning));
  CommitTuning(state);
}

void ChooseInjection(WindowState* state, const InjectionPlace& place) {
  ActiveScene& scene = *state->scene;
  scene.injection = place;
  const Model& model = scene.session.scene().control_model;
  SetFactorization(state, MoveInjection(scene.tuning().current().factorization, place, model));
}

bool ChooseInjectionBody(WindowState* state, std::string_view body) {
  ActiveScene& scene = *state->scene;
  const Model& model = scene.session.scene().control_model;
  const std::vector<std::string> frames = MovingFrames(model);
  if (std::ranges::find(frames, body) == frames.end()) return false;
  const InjectionSlot slot =
      FindInjectionSlot(scene.tuning().current().factorization, model, scene.injection);
  ChooseInjection(state, {.frame = std::string(body), .is_angular = slot.is_angular});
  return true;
}

void DrawInjectionChoice(WindowState* state, Column* column) {
  const Ui& ui = state->ui;
  ActiveScene& scene = *state->scene;
  const Model& model = scene.session.scene().control_model;
  const InjectionSlot slot =
      FindInjectionSlot(scene.tuning().current().factorization, model, scene.injection);
  std::vector<std::string> places = MovingFrames(model);
  const std::size_t frames = places.size();
  if (slot.is_joint || model.nv() == 3) places.emplace_back(kJoints);
  const auto found = std::ranges::find(places, slot.is_joint ? kJoints : slot.frame);
  int selected = found == places.end() ? -1 : static_cast<int>(found - places.begin());
  const float right = column->x + column->width;
  const float part = ui.px(128), pick = ui.px(30), gap = ui.px(6), height = ui.px(30);
  if (Combo(ui, "injection body", places, &selected,
            {column->x, column->y, column->width - part - pick - 2 * gap, height})) {
    const auto index = static_cast<std::size_t>(selected);
    ChooseInjection(state, {index == frames, places[index], slot.is_angular});
  }
  if (IconButton(ui, "pick body", Icon::kFit, {right - part - pick - gap, column->y, pick, height},
                 "Choose it in the view: double-click a body", {.on = scene.picks_injection})) {
    scene.picks_injection = !scene.picks_injection;
  }
  int is_linear = slot.is_angular ? 0 : 1;
  if (!slot.is_joint && Segmented(ui, "injection part", kParts, &is_linear,
                                  {right - part, column->y, part, height})) {
    ChooseInjection(state, {false, slot.frame, is_linear == 0});
  }
  column->Skip(42);
}

void DrawFactorizationText(WindowState* state, Column* column) {
  const Ui& ui = state->ui;
  ActiveScene& scene = *state->scene;
  ActiveScene::FactorizationField& field = scene.field;
  const std::string present = ToString(scene.tuning().current().factorization);
  if (present != field.of) field = {present, present, ""};
  const bool changed =
      TextInput(ui, "##factorization", column->Box(30), &field.text, "christoffel");
  const bool finished = ImGui::IsItemDeactivatedAfterEdit();
  if (changed || finished) {
    try {
      Factorization typed =
          ReadFactorization(field.text, scene.session.scene(scene.edited).control_model);
      field.error.clear();
      if (finished) SetFactorization(state, std::move(typed));
    } catch (const UserError& error) {
      field.error = error.what();
    }
  }
  if (field.error.empty()) return column->Skip(40);
  column->Skip(34);
  column->Text(field.error, 10, ui.theme.error);
}

}  // namespace civita
