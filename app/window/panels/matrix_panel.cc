#include <algorithm>
#include <array>

#include "app/window/panels/panels.h"
#include "app/window/units.h"
#include "app/window/widgets/heat_map.h"
#include "civita/kinematics.h"

namespace civita {
namespace {

constexpr std::array<std::string_view, 4> kMatrices = {"H", "C", "Ḣ−C−Cᵀ", "Torsion"};
constexpr float kMatrixCell = 30;  // logical height of a row if there is room

// To the law's coordinates: AᵀXA, and of C AᵀCA + AᵀHȦ. @returns false where these do not exist.
bool ChangeCoordinates(const Model& model, const Eigen::VectorXd& q, const Eigen::VectorXd& v,
                       bool is_C, MatrixView* view) {
  MatrixView::Change& change = *view->change;
  UpdateKinematics<double>(model, q, v, change.workspace);
  if (!change.coordinates.update(change.workspace, change.matrices)) return false;
  const Eigen::MatrixXd X = view->shown;
  if (is_C) {
    ChangeCoriolisMatrix<double>(change.matrices, X, view->H, view->shown);
  } else {
    ChangeMassMatrix<double>(change.matrices, X, view->shown);
  }
  return true;
}

// Computes the selected matrix at the snapshot's state, row by row; keeps the last one where loops
// are singular.
void UpdateMatrix(ActiveScene* scene, MatrixChoice choice) {
  const Snapshot& snapshot = *scene->snapshot;
  MatrixView& view = scene->matrices;
  const Model& model = scene->session.scene().control_model;
  const Eigen::Map<const Eigen::VectorXd> q(snapshot.qpos.data(), model.nq());
  const Eigen::Map<const Eigen::VectorXd> v(snapshot.qvel.data(), model.nv());
  if (!view.geometry.Update(q, v)) return;
  const Factorization& factorization = scene->slots.front().posted.factorization;
  view.geometry.CalcCoriolisMatrix(factorization, view.C, view.H);
  switch (choice) {
    case MatrixChoice::kH:
      view.shown = view.H;
      break;
    case MatrixChoice::kC:
      view.shown = view.C;
      break;
    case MatrixChoice::kSkew:
      view.geometry.CalcMassMatrixDerivative(view.shown);
      view.shown -= view.C + view.C.transpose();
      break;
    case MatrixChoice::kTorsion:
      view.geometry.CalcCoriolisMatrix(Factorization(), view.shown, view.H);
      view.shown = view.C - view.shown;
      break;
  }
  if (view.change && !ChangeCoordinates(model, q, v, choice == MatrixChoice::kC, &view)) return;
  for (Eigen::Index i = 0; i < view.shown.rows(); ++i) {
    for (Eigen::Index j = 0; j < view.shown.cols(); ++j) {
      view.values[static_cast<std::size_t>(i * view.shown.cols() + j)] = view.shown(i, j);
    }
  }
}

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
      return "C minus the torsion-free one";
  }
}

}  // namespace

float MatrixCardHeight(const WindowState& state, float width) {
  const Ui& ui = state.ui;
  const auto n = static_cast<float>(state.scene->matrices.names.size());
  const float inner = width - 2 * ui.px(kCardPadding) - ui.px(24);
  const float cell = std::min(std::floor(std::min(ui.px(48), inner / n)), ui.px(kMatrixCell));
  return ui.px(kCardHeader) + ui.px(12) + ui.px(40) + ui.px(18) + n * cell + ui.px(68);
}

float DrawMatrixPanel(WindowState* state, float x, float y, float width) {
  const Ui& ui = state->ui;
  ActiveScene& scene = *state->scene;
  int choice = static_cast<int>(state->matrix);
  const float top = y;
  if (Segmented(ui, "matrix", kMatrices, &choice, {x, y, width, ui.px(28)})) {
    state->matrix = static_cast<MatrixChoice>(choice);
  }
  y += ui.px(40);
  UpdateMatrix(&scene, state->matrix);
  const JointUnits units = UnitsOf(scene.session.scene().plant);
  HeatMap map;
  map.values = scene.matrices.values;
  map.rows = map.columns = static_cast<int>(scene.matrices.shown.rows());
  map.symbol = state->matrix == MatrixChoice::kSkew      ? "(Ḣ − C − Cᵀ)"
               : state->matrix == MatrixChoice::kTorsion ? "ΔC"
               : state->matrix == MatrixChoice::kH       ? "H"
                                                         : "C";
  map.unit = state->matrix == MatrixChoice::kH ? units.inertia : units.coriolis;
  map.label = [&scene](int i) { return scene.matrices.names[static_cast<std::size_t>(i)]; };
  y += DrawHeatMap(ui, x, y, width, map);
  TextClipped(ui, ImGui::GetWindowDrawList(), ui.fonts.small, x, y + ui.px(8), x + width,
              ToImU32(ui.theme.muted),
              ExplainMatrix(state->matrix, scene.matrices.change.has_value()));
  return y + ui.px(20) - top;
}

}  // namespace civita
