#include <algorithm>
#include <array>

#include "app/window/panels/panels.h"
#include "app/window/plot/units.h"
#include "app/window/widgets/heat_map.h"

namespace civita {
namespace {

constexpr std::array<std::string_view, 4> kMatrices = {"H", "C", "Ḣ−C−Cᵀ", "ΔC"};
constexpr float kMatrixCell = 30;  // logical height of a row if there is room
constexpr float kSlotRow = 40;     // of the choice of the run

std::string_view ExplainMatrix(MatrixChoice choice, bool changed) {
  switch (choice) {
    case MatrixChoice::kH:
      return changed ? "Mass matrix AᵀHA in the law's coordinates"
                     : "Mass matrix of the controller's model";
    case MatrixChoice::kC:
      return changed ? "AᵀCA + AᵀHȦ in the law's coordinates"
                     : "Coriolis matrix, the chosen factorization";
    case MatrixChoice::kSkew:
      return "Zero but for rounding when C is admissible";
    default:
      return "Contorsion: C minus the torsion-free one";
  }
}

}  // namespace

void DrawRunChoice(WindowState* state, float x, float y, float width) {
  ActiveScene& scene = *state->scene;
  const std::array<std::string, 2> names = {"A  " + RunName(scene, Slot::kA),
                                            "B  " + RunName(scene, Slot::kB)};
  const std::array<std::string_view, 2> labels = {names[0], names[1]};
  int slot = static_cast<int>(scene.matrix_slot);
  if (Segmented(state->ui, "matrix run", labels, &slot, {x, y, width, state->ui.px(28)})) {
    scene.matrix_slot = static_cast<Slot>(slot);
  }
}

float MatrixCardHeight(const WindowState& state, float width) {
  const Ui& ui = state.ui;
  const ActiveScene& scene = *state.scene;
  const auto n = static_cast<float>(scene.matrices.front().names().size());
  const float inner = width - 2 * ui.px(kCardPadding) - ui.px(24);
  const float cell = std::min(std::floor(std::min(ui.px(48), inner / n)), ui.px(kMatrixCell));
  const float choice = scene.is_comparing() ? ui.px(kSlotRow) : 0;
  return ui.px(kCardHeader) + ui.px(12) + choice + ui.px(40) + ui.px(18) + n * cell + ui.px(68);
}

float DrawMatrixPanel(WindowState* state, float x, float y, float width) {
  const Ui& ui = state->ui;
  ActiveScene& scene = *state->scene;
  int choice = static_cast<int>(state->matrix);
  const float top = y;
  if (scene.is_comparing()) {
    DrawRunChoice(state, x, y, width);
    y += ui.px(kSlotRow);
  }
  if (Segmented(ui, "matrix", kMatrices, &choice, {x, y, width, ui.px(28)})) {
    state->matrix = static_cast<MatrixChoice>(choice);
  }
  y += ui.px(40);
  const auto run = static_cast<std::size_t>(scene.matrix_slot);
  MatrixView& view = scene.matrices[run];
  view.Update(MeasuredOf(*scene.snapshot, scene.matrix_slot), scene.slots[run].posted.factorization,
              state->matrix);
  if (view.names().empty()) {
    TextClipped(ui, ImGui::GetWindowDrawList(), ui.fonts.small, x, y, x + width,
                ToImU32(ui.theme.muted), "The loops leave no velocity");
    return y + ui.px(20) - top;
  }
  const JointUnits units = UnitsOf(scene.session.scene().plant);
  HeatMap map;
  map.values = view.values();
  map.rows = map.columns = static_cast<int>(view.shown().rows());
  map.symbol = state->matrix == MatrixChoice::kSkew      ? "(Ḣ − C − Cᵀ)"
               : state->matrix == MatrixChoice::kTorsion ? "ΔC"
               : state->matrix == MatrixChoice::kH       ? "H"
                                                         : "C";
  map.unit = state->matrix == MatrixChoice::kH ? units.inertia : units.coriolis;
  map.label = [&view](int i) { return view.names()[static_cast<std::size_t>(i)]; };
  y += DrawHeatMap(ui, x, y, width, map);
  TextClipped(ui, ImGui::GetWindowDrawList(), ui.fonts.small, x, y + ui.px(8), x + width,
              ToImU32(ui.theme.muted), ExplainMatrix(state->matrix, view.is_changed()));
  return y + ui.px(20) - top;
}

}  // namespace civita
