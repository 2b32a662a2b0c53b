#include <algorithm>
#include <array>

#include "app/window/actions.h"
#include "app/window/panels/panels.h"
#include "app/window/units.h"
#include "app/window/widgets/heat_map.h"
#include "core/coriolis.h"
#include "core/kinematics.h"

namespace civita {
namespace {

constexpr std::array<std::string_view, 4> kMatrices = {"H", "C", "Ḣ−C−Cᵀ", "Torsion"};
constexpr float kMatrixCell = 30;  // logical height of a row where there is room

// The chosen matrix at the snapshot's state, row by row.
void UpdateMatrix(ActiveScene* scene, MatrixChoice choice) {
  const Snapshot& snapshot = *scene->snapshot;
  MatrixView& view = scene->matrices;
  if (snapshot.H.rows() != view.shown.rows()) return;
  switch (choice) {
    case MatrixChoice::kH:
      view.shown = snapshot.H;
      break;
    case MatrixChoice::kC:
      view.shown = snapshot.C;
      break;
    case MatrixChoice::kSkew:
      view.shown = snapshot.Hdot - snapshot.C - snapshot.C.transpose();
      break;
    case MatrixChoice::kTorsion: {
      const Model& model = scene->session.scene().control_model;
      const Eigen::Map<const Eigen::VectorXd> q(snapshot.qpos.data(), model.nq());
      const Eigen::Map<const Eigen::VectorXd> v(snapshot.qvel.data(), model.nv());
      UpdateKinematics<double>(model, q, v, view.workspace);
      CalcCoriolisMatrix<double>(model, Factorization{}, view.workspace, view.C_christoffel,
                                 view.H);
      view.shown = snapshot.C - view.C_christoffel;
      break;
    }
  }
  for (Eigen::Index i = 0; i < view.shown.rows(); ++i) {
    for (Eigen::Index j = 0; j < view.shown.cols(); ++j) {
      view.values[static_cast<std::size_t>(i * view.shown.cols() + j)] = view.shown(i, j);
    }
  }
}

std::string_view ExplainMatrix(MatrixChoice choice) {
  switch (choice) {
    case MatrixChoice::kH:
      return "Mass matrix of the controller's model";
    case MatrixChoice::kC:
      return "Coriolis matrix, the chosen factorization";
    case MatrixChoice::kSkew:
      return "Zero but for rounding when C is admissible";
    default:
      return "C minus the torsion-free one";
  }
}

Rgb LineColor(const Theme& theme, LogLine::Kind kind) {
  switch (kind) {
    case LogLine::Kind::kWarning:
      return theme.warn;
    case LogLine::Kind::kError:
      return theme.error;
    case LogLine::Kind::kAction:
      return theme.text;
    default:
      return theme.muted;
  }
}

// The tabs with and without matrix and comparison differ in number; the choice survives.
void DrawTabs(WindowState* state, const Rect& r, bool with_matrix) {
  std::vector<SideTab> tabs = {SideTab::kTune};
  std::vector<std::string_view> names = {"Tune"};
  const auto add = [&](SideTab tab, std::string_view name) {
    tabs.push_back(tab);
    names.push_back(name);
  };
  if (state->scene->is_comparing()) add(SideTab::kCompare, "Compare");
  if (with_matrix) add(SideTab::kMatrix, "Matrix");
  if (state->scene->session.scene().legs != nullptr) add(SideTab::kDrive, "Drive");
  add(SideTab::kPush, "Push");
  add(SideTab::kLog, "Log");
  if (std::find(tabs.begin(), tabs.end(), state->tab) == tabs.end()) state->tab = SideTab::kTune;
  int selected = static_cast<int>(std::find(tabs.begin(), tabs.end(), state->tab) - tabs.begin());
  if (Tabs(state->ui, "side tabs", names, &selected, r)) {
    state->tab = tabs[static_cast<std::size_t>(selected)];
    state->slider = {};
  }
}

float DrawTabBody(WindowState* state, float x, float y, float width) {
  switch (state->tab) {
    case SideTab::kCompare:
      return DrawComparePanel(state, x, y, width);
    case SideTab::kMatrix:
      return DrawMatrixPanel(state, x, y, width);
    case SideTab::kDrive:
      return DrawDrivePanel(state, x, y, width);
    case SideTab::kPush:
      return DrawPushPanel(state, x, y, width);
    case SideTab::kLog:
      return DrawLogPanel(state, x, y, width);
    default:
      return DrawTunePanel(state, x, y, width);
  }
}

}  // namespace

float MatrixCardHeight(const WindowState& state, float width) {
  const Ui& ui = state.ui;
  const auto n = static_cast<float>(state.scene->session.scene().plant.nv());
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
  map.label = [&scene](int i) { return scene.velocity_names[static_cast<std::size_t>(i)]; };
  y += DrawHeatMap(ui, x, y, width, map);
  TextClipped(ui, ImGui::GetWindowDrawList(), ui.fonts.small, x, y + ui.px(8), x + width,
              ToImU32(ui.theme.muted), ExplainMatrix(state->matrix));
  return y + ui.px(20) - top;
}

float DrawLogPanel(WindowState* state, float x, float y, float width) {
  const Ui& ui = state->ui;
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const float top = y, indent = ui.px(66);
  for (const LogLine& line : state->scene->log.lines()) {
    TextMiddle(ui, draw, ui.fonts.small, x, y + ui.px(8), ToImU32(ui.theme.faint),
               Fixed(line.t, 3, 7));
    const float height = TextWrapped(draw, ui.fonts.small, x + indent, y + ui.px(1), width - indent,
                                     ToImU32(LineColor(ui.theme, line.kind)), line.text);
    y += height + ui.px(7);
  }
  return y - top;
}

void DrawSideCard(WindowState* state, const Layout& layout) {
  const Ui& ui = state->ui;
  ImDrawList* draw = ImGui::GetWindowDrawList();
  const Rect& card = layout.side;
  const float pad = ui.px(kCardPadding), hair = ui.hairline();
  const float width = card.w - 2 * pad;
  DrawCard(ui, draw, card);
  DrawTabs(state, {card.x + pad, card.y, width, ui.px(kCardHeader)}, layout.matrix.w <= 0);
  DrawRule(ui, draw, card.x + hair, card.right() - hair, card.y + ui.px(kCardHeader));

  const float body_y = card.y + ui.px(kCardHeader) + hair;
  const std::string id = "side body " + std::to_string(static_cast<int>(state->tab));
  const ImVec2 origin =
      BeginScroll(ui, id.c_str(), {card.x, body_y, card.w - hair, card.bottom() - body_y - hair});
  const float inner_y = origin.y + ui.px(14);
  const float height = DrawTabBody(state, card.x + pad, inner_y, width);
  const bool at_end = ImGui::GetScrollY() >= ImGui::GetScrollMaxY() - 1;
  EndScroll(inner_y + height + ui.px(14), state->tab == SideTab::kLog && at_end);

  if (layout.matrix.w <= 0) return;
  const Rect& below = layout.matrix;
  DrawCard(ui, draw, below);
  SectionLabel(ui, below.x + pad, below.y + 0.5f * ui.px(kCardHeader), "Matrix");
  DrawRule(ui, draw, below.x + hair, below.right() - hair, below.y + ui.px(kCardHeader));
  DrawMatrixPanel(state, below.x + pad, below.y + ui.px(kCardHeader + 12), width);
}

}  // namespace civita
