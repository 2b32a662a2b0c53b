#include <algorithm>
#include <array>

#include "app/window/panels/panels.h"
#include "app/window/plot/units.h"
#include "app/window/widgets/heat_map.h"

namespace civita {
namespace {

constexpr std::array<std::string_view, 4> kMatrices = {"H", "C", "Ḣ−C−Cᵀ", "ΔC"};

struct MatrixRow {
  std::string_view symbol, line;
  std::string_view in_own_coordinates = line;  ///< of the law
};
constexpr MatrixRow kRows[] = {
    {"H", "Mass matrix of the controller's model", "Mass matrix AᵀHA in the law's coordinates"},
    {"C", "Coriolis matrix, the chosen factorization", "AᵀCA + AᵀHȦ in the law's coordinates"},
    {"(Ḣ − C − Cᵀ)", "Zero but for rounding when C is admissible"},
    {"ΔC", "Contorsion: C minus the torsion-free one"}};

// In a comparison: whose matrix and connection are shown.
void DrawRunChoice(WindowState* state, Column* column) {
  ActiveScene& scene = *state->scene;
  if (!scene.is_comparing()) return;
  const std::array<std::string, 2> names = {"A  " + RunName(scene, Slot::kA),
                                            "B  " + RunName(scene, Slot::kB)};
  const std::array<std::string_view, 2> labels = {names[0], names[1]};
  if (Choose(column, "matrix run", labels, &scene.matrix_slot)) scene.geometry.updated_at = -1;
}

}  // namespace

void DrawMatrixPanel(WindowState* state, Column* column) {
  const Ui& ui = state->ui;
  ActiveScene& scene = *state->scene;
  DrawRunChoice(state, column);
  Choose(column, "matrix", kMatrices, &state->matrix);
  const auto run = static_cast<std::size_t>(scene.matrix_slot);
  MatrixView& view = scene.matrices[run];
  view.Update(MeasuredOf(*scene.snapshot, scene.matrix_slot), scene.slots[run].posted.factorization,
              state->matrix);
  if (view.names().empty()) {
    return column->Text("The loops leave no velocity, and H and C no entries.", 4);
  }
  const JointUnits units = UnitsOf(scene.session.scene().plant);
  HeatMap map;
  map.values = view.values();
  map.rows = map.columns = static_cast<int>(view.shown().rows());
  const MatrixRow& row = kRows[static_cast<std::size_t>(state->matrix)];
  map.symbol = row.symbol;
  map.unit = state->matrix == MatrixChoice::kH ? units.inertia : units.coriolis;
  map.label = [&view](int i) { return view.names()[static_cast<std::size_t>(i)]; };
  column->y += DrawHeatMap(ui, column->x, column->y, column->width, map);
  column->Text(view.is_changed() ? row.in_own_coordinates : row.line, 4);
  DrawConnection(state, column);
}

}  // namespace civita
