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

void DrawRunChoice(WindowState* state, const Rect& r) {
  ActiveScene& scene = *state->scene;
  const std::array<std::string, 2> names = {"A  " + RunName(scene, Slot::kA),
                                            "B  " + RunName(scene, Slot::kB)};
  const std::array<std::string_view, 2> labels = {names[0], names[1]};
  int slot = static_cast<int>(scene.matrix_slot);
  if (Segmented(state->ui, "matrix run", labels, &slot, r)) {
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

void DrawMatrixPanel(WindowState* state, Column* column) {
  const Ui& ui = state->ui;
  ActiveScene& scene = *state->scene;
  int choice = static_cast<int>(state->matrix);
  if (scene.is_comparing()) {
    DrawRunChoice(state, column->Box(28));
    column->Skip(kSlotRow);
  }
  if (Segmented(ui, "matrix", kMatrices, &choice, column->Box(28))) {
    state->matrix = static_cast<MatrixChoice>(choice);
  }
  column->Skip(40);
  const auto tell = [&](float below, std::string_view text) {
    TextClipped(ui, ImGui::GetWindowDrawList(), ui.fonts.small, column->x, column->y + ui.px(below),
                column->x + column->width, ToImU32(ui.theme.muted), text);
    column->Skip(20);
  };
  const auto run = static_cast<std::size_t>(scene.matrix_slot);
  MatrixView& view = scene.matrices[run];
  view.Update(MeasuredOf(*scene.snapshot, scene.matrix_slot), scene.slots[run].posted.factorization,
              state->matrix);
  if (view.names().empty()) {
    tell(0, "The loops leave no velocity");
    return;
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
  column->y += DrawHeatMap(ui, column->x, column->y, column->width, map);
  tell(8, ExplainMatrix(state->matrix, view.is_changed()));
}

}  // namespace civita
