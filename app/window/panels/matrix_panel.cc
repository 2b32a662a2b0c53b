#include <array>
#include <optional>
#include <string>
#include <vector>

#include "app/window/panels/panels.h"
#include "app/window/plot/units.h"
#include "app/window/widgets/heat_map.h"
#include "civita/factorization_text.h"

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

constexpr int kSmall = 25;  // velocities up to which the connection is computed often
constexpr double kPeriod = 0.2, kLongPeriod = 0.5;  // s
constexpr double kTransportBudget = 0.003;          // s a frame
constexpr float kPlotHeight = 150;                  // logical pixels

const Factorization& ShownFactorization(const ActiveScene& scene) {
  return scene.slots[static_cast<std::size_t>(scene.matrix_slot)].posted.factorization;
}

void UpdateGeometry(WindowState* state) {
  ActiveScene& scene = *state->scene;
  GeometryTab& tab = scene.geometry;
  const Factorization& factorization = ShownFactorization(scene);
  if (tab.shows_frame) {
    tab.transport.Follow(scene.traces, factorization, kTransportBudget, scene.matrix_slot);
  }
  const double period = tab.connection.size() <= kSmall ? kPeriod : kLongPeriod;
  if (tab.updated_at >= 0 && state->now - tab.updated_at < period) return;
  tab.updated_at = state->now;
  const int nq = scene.session.scene().control_model.nq();
  const Snapshot& snapshot = *scene.snapshot;
  tab.Vdot = MeasuredOf(snapshot, scene.matrix_slot).residuals.Vdot;
  const bool is_b = scene.matrix_slot == Slot::kB;
  const std::vector<double>& qpos = is_b ? snapshot.other.qpos : snapshot.qpos;
  tab.is_singular =
      !tab.connection.Update(Eigen::Map<const Eigen::VectorXd>(qpos.data(), nq), factorization);
}

struct Property {
  std::string_view name, formula, tip;
  double residual;
  std::string_view unit = {};
};

// `holds`: none where no number tells.
void DrawProperty(const Property& property, std::optional<bool> holds, Column* column) {
  const Ui& ui = column->ui;
  const Rect row = column->Box(24);
  if (holds) {
    DrawIcon(ui, *holds ? Icon::kCheck : Icon::kClose, row.x + ui.px(8), row.middle_y(),
             *holds ? ui.theme.ok : ui.theme.warn, 14);
  }
  const float left = row.x + ui.px(24);
  std::string value = Scientific(property.residual);
  if (!property.unit.empty()) value += " " + std::string(property.unit);
  const float limit = row.right() - TextWidth(ui.fonts.body, value) - ui.px(8);
  const float end =
      TextClipped(ui, ui.fonts.body, left, row.middle_y(), limit, ui.theme.text, property.name);
  TextClipped(ui, ui.fonts.small, end + ui.px(6), row.middle_y(), limit, ui.theme.muted,
              property.formula);
  TextMiddle(ui, ui.fonts.body, row.right(), row.middle_y(),
             holds.value_or(true) ? ui.theme.muted : ui.theme.text, value, Align::kRight);
  DelayedTooltip(ui, HitBox(std::string(property.name).c_str(), row), property.tip);
  column->y += row.h;
}

std::string_view DescribePlace(bool metric, bool torsion_free, bool geodesics) {
  if (metric && torsion_free)
    return "All three: the C of the Christoffel symbols, the Riemannian (Levi-Civita) connection.";
  if (metric && geodesics)
    return "Admissible: V falls by the same proof as with the torsion-free C, but torsion turns "
           "the error s on its way.";
  if (geodesics)
    return "Not admissible: C v is right, but carried vectors change their lengths and no proof "
           "says that V falls.";
  return "C v is not that of this robot.";
}

// Where the connection lies in figure 1 of [WES].
void DrawPlace(const ActiveScene& scene, Column* column) {
  const ConnectionView& connection = scene.geometry.connection;
  const ConnectionResiduals& rest = connection.residuals();
  column->Rule(8, 18);
  column->Title("Connection of C: " + ToString(ShownFactorization(scene)), 26);
  if (!scene.law(scene.matrix_slot).uses_factorization)
    column->Text("The law of this run does not use C.", 4);
  const std::array<Property, 3> properties = {
      {{"Metric-compatible", "Ḣ = C + Cᵀ",
        "Vectors carried along a motion keep their lengths and angles in the metric H. Largest "
        "|e_j(H_ik) − Γ_ijk − Γ_kji|",
        rest.metric},
       {"Torsion-free", "T = 0", "Largest |T_ijk| = |Γ_ijk − Γ_ikj − ⟨e_i, [e_j, e_k]⟩|",
        rest.torsion},
       {"Metric's geodesics", "C v is right",
        "Free motions are the shortest curves of the metric H. Largest difference of "
        "½ (Γ_ijk + Γ_ikj) from that of the Christoffel symbols",
        rest.geodesics}}};
  for (const Property& property : properties) {
    DrawProperty(property, connection.IsZero(property.residual), column);
  }
  const std::string formula = std::string("|") + kVDot + " + P|", tip = Explain(formula);
  DrawProperty({"V falls as promised", formula, tip, scene.geometry.Vdot,
                scene.law(scene.matrix_slot).units.rate},
               std::nullopt, column);
  column->Skip(6);
  column->Text(DescribePlace(connection.IsZero(rest.metric), connection.IsZero(rest.torsion),
                             connection.IsZero(rest.geodesics)),
               4);
}

// "2 elbow": the numbers are those of the map's rows and columns.
std::vector<std::string> NumberedNames(const ConnectionView& connection) {
  std::vector<std::string> names;
  for (const std::string& name : connection.names()) {
    names.push_back(std::to_string(names.size() + 1) + " " + name);
  }
  return names;
}

void TellLargest(const ConnectionView& connection, std::string_view unit, Column* column) {
  const Tensor3& T = connection.torsion();
  const auto [i, j, k] = FindLargest(T);
  if (T(i, j, k) == 0) {
    column->Text(T.n() < kLeastForTorsion ? kNoTorsion : "No torsion, in any direction.", 4);
    return;
  }
  const auto name = [&](int a) { return connection.names()[static_cast<std::size_t>(a)]; };
  column->Text("Largest of all: T(" + std::to_string(i + 1) + ", " + std::to_string(j + 1) + ", " +
                   std::to_string(k + 1) + ") = " + Scientific(T(i, j, k)) + " " +
                   std::string(unit) + ", of " + name(i) + ", " + name(j) + " and " + name(k) + ".",
               4);
}

void DrawTorsion(ActiveScene* scene, Column* column) {
  const Ui& ui = column->ui;
  GeometryTab& tab = scene->geometry;
  const ConnectionView& connection = tab.connection;
  Combo(ui, "direction", NumberedNames(connection), &tab.direction, column->Box(32), "j =");
  column->Skip(42);
  const Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor> slice =
      connection.torsion().Direction(tab.direction);
  const JointUnits units = UnitsOf(scene->session.scene().plant);
  const std::string symbol = "T(·, " + std::to_string(tab.direction + 1) + ", ·)";
  HeatMap map;
  map.values = {slice.data(), static_cast<std::size_t>(slice.size())};
  map.rows = map.columns = connection.size();
  map.symbol = symbol;
  map.unit = units.torsion;
  map.label = [&connection](int i) { return connection.names()[static_cast<std::size_t>(i)]; };
  column->y += DrawHeatMap(ui, column->x, column->y, column->width, map);
  TellLargest(connection, units.torsion, column);
}

void DrawTransported(WindowState* state, Column* column) {
  const Ui& ui = column->ui;
  GeometryTab& tab = state->scene->geometry;
  const FrameTransport& transport = tab.transport;
  column->Text("A frame that moves with the robot, carried by this C and by the torsion-free C.",
               4);
  FactRow(ui, column->Box(20), "Turned apart by", Fixed(kDegrees * transport.newest_angle(), 1),
          "°");
  column->Skip(24);
  const PlotLine line{
      .trace = &transport.angle(), .name = "angle", .color = ui.theme.series[0], .scale = kDegrees};
  PlotSpec spec;
  spec.id = "carried frame";
  spec.title = "Angle in H";
  spec.unit = "°";
  spec.lines = {&line, 1};
  spec.fixed_lo = 0;
  spec.time_labels = true;
  spec.decimals = 1;
  tab.axis.Update(transport.start_t(), transport.t());
  DrawPlot(ui, column->Box(kPlotHeight), spec, &tab.axis, &tab.plot);
  column->y += ui.px(kPlotHeight) + ui.px(6);
  if (!transport.stopped().empty()) {
    column->Text(transport.stopped(), 4);
  } else {
    column->Text("From " + Fixed(transport.start_t(), 2) + " s to " + Fixed(transport.t(), 2) +
                     " s; the greatest angle of the rotation between them, at most 180°.",
                 4);
  }
  column->Skip(6);
  Combo(ui, "carried vector", NumberedNames(tab.connection), &tab.vector, column->Box(32),
        "arrows of");
  column->Skip(42);
  column->Text(
      "The arrows in the view are the velocities that this vector of the two frames gives "
      "to the point with the trail. The first vector is a motion of velocity 1 alone, "
      "each further one adds a velocity.",
      4);
}

// What the connection of C is.
void DrawConnection(WindowState* state, Column* column) {
  ActiveScene& scene = *state->scene;
  GeometryTab& tab = scene.geometry;
  UpdateGeometry(state);
  DrawPlace(scene, column);
  if (tab.is_singular) column->Text("Loops are singular here: these are older values.", 4);
  column->Rule(8, 12);
  if (column->Fold("torsion", "Torsion, a slice T(·, j, ·)", &tab.shows_torsion)) {
    DrawTorsion(&scene, column);
  }
  if (column->Fold("frame", "A carried frame, with arrows in the view", &tab.shows_frame)) {
    DrawTransported(state, column);
  }
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
