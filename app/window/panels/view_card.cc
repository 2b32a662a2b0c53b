#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "app/window/actions/actions.h"
#include "app/window/actions/forecasts.h"
#include "app/window/model/mark_arrows.h"
#include "app/window/model/tour.h"
#include "app/window/panels/panels.h"
#include "app/window/render/view_input.h"
#include "civita/factorization_text.h"

namespace civita {
namespace {

// What lies over the 3-D picture: legends, camera and marks, and handles of hidden panels.

constexpr float kPill = 26, kMargin = 12;  // logical px
constexpr double kAbove = 0.08;            // of the model's extent, over a mechanism's first body

// Name of the point whose trail is shown.
std::string TrackedName(const mjModel& m) {
  const TrackedPoint tracked = FindTrackedPoint(m);
  const char* name = tracked.site >= 0 ? mj_id2name(&m, mjOBJ_SITE, tracked.site)
                                       : mj_id2name(&m, mjOBJ_BODY, tracked.body);
  const std::string text = name != nullptr ? name : "";
  return text.empty() || text == "ee" || text == "tcp" || text == "attachment_site" ? "end effector"
                                                                                    : text;
}

// Draws the legend of a legged robot's stance. As others it returns its right edge.
float DrawStanceChips(const Ui& ui, float x, float y) {
  struct StanceMark {
    Swatch swatch;
    Rgb color;
    std::string_view name, tip;
  };
  const StanceMark entries[] = {
      {Swatch::kLine, ForceColor(ui.theme), "force", "Normal force of the ground on each foot"},
      {Swatch::kDot, ForceColor(ui.theme), "CoP", "Centre of pressure, as the law wants it"},
      {Swatch::kDot, ComColor(ui.theme), "CoM", "Ground point of the centre of mass"},
      {Swatch::kRing, DcmColor(ui.theme), "DCM",
       "Divergent component of motion, ξ = c + v/ω:\nsteps begin where it leaves the support"}};
  for (const StanceMark& entry : entries) {
    x = Chip(ui, x, y, entry.swatch, entry.color, entry.name, {}, entry.tip) + ui.px(6);
  }
  return x;
}

// A long name is cut so that they end at `end`, where the choices begin.
float DrawTrailChips(const Ui& ui, const Rect& picture, float x, float y, float end,
                     const mjModel& m) {
  const Font font = ui.fonts.small;
  const bool is_wide = picture.w > ui.px(420);
  const float chip = ui.px(36), gap = ui.px(8);
  const float other = is_wide ? gap + chip + TextWidth(font, "reference") : 0;
  const std::string full = TrackedName(m);
  const std::string name =
      ShortenedName(font, std::max(ui.px(64), end - x - chip - other - gap), full);
  const float right = Chip(ui, x, y, Swatch::kLine, ui.theme.series[0], name, {},
                           name == full ? std::string_view() : full);
  if (!is_wide) return right;
  return Chip(ui, right + gap, y, Swatch::kDashes, ui.theme.reference, "reference");
}

// Where the choice of camera begins, at the right of `picture`.
float LeftOfCamera(const Ui& ui, const Rect& picture, const View3d& view) {
  const float right = picture.right() - ui.px(kMargin);
  if (view.cameras().size() < 2) return right;
  float width = 0;
  for (const CameraChoice& camera : view.cameras()) {
    width = std::max(width, TextWidth(ui.fonts.small, camera.name));
  }
  return right - std::min(width + ui.px(36), ui.px(170));
}

void DrawCameraChoice(const Ui& ui, const Rect& r, View3d* view) {
  if (view->cameras().size() < 2) return;
  std::vector<std::string> names;
  for (const CameraChoice& camera : view->cameras()) names.push_back(camera.name);
  int camera = view->camera_choice();
  if (PillCombo(ui, "camera", names, &camera, r)) view->SetCamera(camera);
}

// A mark of the view that can be switched.
struct Mark {
  std::string_view name;
  bool is_on;
  StateAction toggle;
};

std::vector<Mark> MarksOf(const WindowState& state) {
  std::vector<Mark> marks = {{"Torques", state.marks.torques, ToggleTorqueArrows},
                             {"Sliding error s", state.marks.sliding, ToggleSlidingArrows}};
  if (state.scene->is_comparing()) {
    marks.push_back({"What the runs differ in", state.marks.sentence, ToggleSentence});
  }
  if (state.scene->session.scene().legs == nullptr) {
    marks.insert(marks.begin(),
                 {"Reference robot", state.marks.reference_ghost, ToggleReferenceGhost});
  } else {
    marks.push_back({"Contact forces, balance", state.shows_stance, ToggleStance});
    marks.push_back({"Friction cones", state.marks.cones, ToggleCones});
  }
  return marks;
}

// The list of marks and of MuJoCo's flags, with a check at those that are shown.
void DrawMarksChoice(WindowState* state, const Rect& r, View3d* view) {
  const Ui& ui = state->ui;
  const Hit hit = PillField(ui, "marks", "Show", r);
  const std::vector<Mark> marks = MarksOf(*state);
  std::vector<View3d::Flag> flags;
  if (hit.clicked || IsListOpen("marks")) flags = view->flags();
  std::vector<std::string> keys;
  for (const Mark& mark : marks) keys.push_back(KeyText(mark.toggle));
  std::vector<ListItem> items;
  for (std::size_t i = 0; i < marks.size(); ++i) {
    items.push_back({.label = marks[i].name, .detail = keys[i], .is_on = marks[i].is_on});
  }
  for (const View3d::Flag& flag : flags) {
    items.push_back({.label = flag.name, .heading = flag.heading, .is_on = *flag.value != 0});
  }
  DelayedTooltip(ui, hit,
                 "Marks in the view: the reference's robot, torques about the joints, s;\n"
                 "MuJoCo's flags and groups, which home puts back");
  int chosen = -1;
  if (!ListBelow(ui, "marks", hit, items, &chosen, r, &state->list_filter)) return;
  const auto place = static_cast<std::size_t>(chosen);
  if (place < marks.size()) {
    marks[place].toggle(state);
  } else {
    mjtByte* value = flags[place - marks.size()].value;
    *value = *value == 0 ? 1 : 0;
    view->Invalidate();
  }
}

// The selected body, and how strongly the mouse pulls it.
void DrawSelection(const Ui& ui, float x, float y, const View3d& view) {
  const int body = view.selected_body();
  if (body <= 0) return;
  const char* name = mj_id2name(&view.model(), mjOBJ_BODY, body);
  std::string text = "ctrl-right drag pulls";
  if (view.perturbing()) {
    const std::array<double, 6> wrench = view.PerturbWrench();
    const bool turns = (view.perturb().active & mjPERT_ROTATE) != 0;
    const double size = mju_norm3(wrench.data() + (turns ? 3 : 0));
    text = Short(size) + (turns ? " N·m" : " N");
  }
  Chip(ui, x, y, Swatch::kDot, ui.theme.push, name != nullptr ? name : "body", text);
}

// While the user drives, what the keys ask for.
void DrawDriveSign(const Ui& ui, float x, float y, const DriveCommand& drive) {
  const auto number = [](double value) { return Fixed(value, 1, 0, Sign::kAlways); };
  std::string text = "in place";
  if (drive.velocity[0] != 0 || drive.velocity[1] != 0 || drive.yaw_rate != 0) {
    text = number(drive.velocity[0]) + ", " + number(drive.velocity[1]) + " m/s, " +
           number(drive.yaw_rate) + " rad/s";
  }
  Chip(ui, x, y, Swatch::kDot, ui.theme.accent, "Drive",
       text + "   " + KeyText(ToggleDrive) + " ends");
}

float DrawLegend(const WindowState& state, const Rect& picture, float y, float end,
                 const View3d& view) {
  const Ui& ui = state.ui;
  const ActiveScene& scene = *state.scene;
  float x = picture.x + ui.px(kMargin);
  if (scene.is_comparing()) {
    x = Chip(ui, x, y, Swatch::kDot, ui.theme.series[0], "A", RunName(scene, Slot::kA)) + ui.px(8);
    return Chip(ui, x, y, Swatch::kRing, ui.theme.series[1], "B", RunName(scene, Slot::kB));
  }
  if (scene.session.scene().legs == nullptr) {
    return DrawTrailChips(ui, picture, x, y, end, view.model());
  }
  return state.shows_stance ? DrawStanceChips(ui, x, y) : x;
}

// What the arrows of the Geometry tab are.
void DrawFrameChips(const WindowState& state, float x, float y) {
  const Ui& ui = state.ui;
  const ActiveScene& scene = *state.scene;
  const std::string vector = "Vector " + std::to_string(scene.geometry.vector + 1);
  const float from = x;
  x = Chip(ui, x, y, Swatch::kLine, CarriedColor(ui.theme), vector + " carried by C",
           ToString(scene.slots.front().posted.factorization)) +
      ui.px(6);
  x = Chip(ui, x, y, Swatch::kLine, TorsionFreeColor(ui.theme), "by the torsion-free C");
  if (Rect{from, y, x - from, ui.px(kPill)}.contains(ImGui::GetIO().MousePos)) {
    Tooltip(
        ui,
        "The velocity that this vector of the carried frames gives to the end of the robot, now "
        "and along its path: both frames began as one, and torsion turns them apart. The "
        "Geometry tab chooses the vector.");
  }
}

constexpr std::size_t kMostLabels = 16;

// A label moved up until it is free of those that are placed.
Rect MoveAbove(Rect label, std::span<const Rect> placed, float gap) {
  const auto meets = [&](const Rect& other) {
    return label.x < other.right() + gap && other.x < label.right() + gap &&
           label.y < other.bottom() + gap && other.y < label.bottom() + gap;
  };
  for (auto other = std::ranges::find_if(placed, meets); other != placed.end();
       other = std::ranges::find_if(placed, meets)) {
    label.y = other->y - gap - label.h;
  }
  return label;
}

// Of two runs of a model with several mechanisms: how the tracking errors of each compare, measured
// and predicted, above it; above one another where they would overlap.
void DrawErrorsOfTrees(WindowState* state, const Rect& picture, const View3d& view) {
  const Ui& ui = state->ui;
  const ActiveScene& scene = *state->scene;
  if (scene.trees.empty()) return;
  UpdateForecast(state);
  const std::vector<double>&a = scene.snapshot->figures.values,
        &b = scene.snapshot->other.figures.values;
  std::array<Rect, kMostLabels> placed;
  std::size_t count = 0;
  for (const ActiveScene::ComparedTree& tree : scene.trees) {
    if (tree.metric >= std::min(a.size(), b.size()) || count == placed.size()) continue;
    const double measured_a = a[tree.metric], measured_b = b[tree.metric];
    if (!(measured_a > 0 && measured_b > 0)) continue;
    const double* at = view.data().xpos + 3 * tree.body;
    const auto place = view.PlaceOf({at[0], at[1], at[2] + kAbove * view.model().stat.extent});
    if (!place) continue;
    std::string text = "error × " + Short(measured_b / measured_a);
    const auto [predicted_a, predicted_b] = PredictedErrors(*state, tree.name);
    const double predicted = predicted_b / predicted_a;
    if (std::isfinite(predicted)) text += ", predicted " + Short(predicted);
    Rect label{0, 0,
               ui.px(42) + TextWidth(ui.fonts.small, tree.name) + TextWidth(ui.fonts.small, text),
               ui.px(kPill)};
    const float inset = ui.px(kMargin);
    label.x = std::clamp(picture.x + static_cast<float>((*place)[0]) * picture.w - 0.5f * label.w,
                         picture.x + inset,
                         std::max(picture.x + inset, picture.right() - inset - label.w));
    label.y = picture.y + static_cast<float>((*place)[1]) * picture.h - label.h;
    label = MoveAbove(label, {placed.data(), count}, ui.px(4));
    placed[count++] = label;
    Chip(ui, label.x, label.y, Swatch::kRing, ui.theme.series[1], tree.name, text);
  }
}

void DrawHandle(const Ui& ui, const char* id, const Rect& r, std::string_view tip, bool* shown) {
  const Hit hit = HitBox(id, r);
  ImDrawList* draw = ImGui::GetWindowDrawList();
  FillRect(ui, r, {hit.hovered ? ui.theme.hover : ui.theme.surface, 0.92f}, ui.px(6));
  StrokeRect(ui, r, hit.hovered ? ui.theme.strong : ui.theme.border, ui.px(6));
  const float x = std::floor(r.middle_x()), y = std::floor(r.middle_y()), step = ui.px(3);
  const ImVec2 points[] = {
      {x + 0.5f * step, y - 1.5f * step}, {x - 0.5f * step, y}, {x + 0.5f * step, y + 1.5f * step}};
  draw->AddPolyline(points, 3, ToImU32(ui.theme.muted), 1.5f * ui.scale);
  DelayedTooltip(ui, hit, tip);
  if (hit.clicked) *shown = true;
}

constexpr double kRewind = 1.0;  // s

// What happened, when, after which action, and which state is shown now.
std::string WhatHappened(const ActiveScene& scene) {
  const Failure& failure = scene.snapshot->failure;
  std::string text = TypesetNumbers(failure.reason);
  const bool is_lower = !text.empty() && text[0] >= 'a' && text[0] <= 'z';
  if (is_lower) text[0] = static_cast<char>(text[0] - 'a' + 'A');
  if (!text.empty() && !text.ends_with('.')) text += ".";
  const RunLog::EventMark* action = scene.log.LastAction(failure.t);
  if (action != nullptr)
    text += " Last action: " + action->text + " at " + Fixed(action->t, 3) + " s.";
  return text + " The view holds the last finite state.";
}

// Draws chips, camera choice and the choice of marks over the picture.
void DrawViewOverlay(WindowState* state, const Rect& picture, View3d* view) {
  const Ui& ui = state->ui;
  const float margin = ui.px(kMargin), row = ui.px(kPill + 8);
  if (state->scene->is_comparing()) DrawErrorsOfTrees(state, picture, *view);
  // Beside the legend, or below it where there is no room.
  const float camera = LeftOfCamera(ui, picture, *view), marks = camera - ui.px(72);
  const float legend = DrawLegend(*state, picture, picture.y + margin, marks, *view);
  const bool is_narrow = legend + ui.px(8) > marks;
  if (ShowsFrameArrows(*state)) {
    const float y = picture.y + margin + (is_narrow ? 2 : 1) * row;
    DrawFrameChips(*state, picture.x + margin, y);
  }
  if (picture.w > ui.px(240) && picture.h > ui.px(160)) {
    const float y = picture.y + margin + (is_narrow ? row : 0);
    DrawCameraChoice(ui, {camera, y, picture.right() - margin - camera, ui.px(kPill)}, view);
    DrawMarksChoice(state, {marks, y, ui.px(64), ui.px(kPill)}, view);
  }
  float y = DrawTold(state, picture, view) - ui.px(kPill);
  if (state->scene->drive) {
    DrawDriveSign(ui, picture.x + margin, y, *state->scene->drive);
    y -= row;
  }
  DrawSelection(ui, picture.x + margin, y, *view);
}

// Draws handles at the right edge of the view that bring hidden panels back.
void DrawHandles(WindowState* state, const Rect& picture) {
  const Ui& ui = state->ui;
  Rect r{picture.right() - ui.px(26), std::floor(picture.middle_y() - ui.px(60)), ui.px(22),
         ui.px(52)};
  if (!state->panels.side) {
    DrawHandle(ui, "show side", r, TipOf(ToggleSidePanel), &state->panels.side);
    r.y += ui.px(60);
  }
  if (!state->panels.plots) {
    DrawHandle(ui, "show plots", r, TipOf(TogglePlotsPanel), &state->panels.plots);
  }
}

// Draws why the simulation stopped, over the bottom of the view; nothing while it runs.
void DrawFailCard(WindowState* state, const Rect& picture) {
  ActiveScene& scene = *state->scene;
  if (scene.snapshot->state != RunState::kFailed || scene.is_failure_dismissed) return;
  const Ui& ui = state->ui;
  const Theme& theme = ui.theme;
  const float margin = ui.px(16), pad = ui.px(16);
  const float width = std::min(picture.w - 2 * margin, ui.px(520));
  const float text_width = width - 2 * pad - ui.px(28);
  if (text_width < ui.px(180)) return;
  const std::string what = WhatHappened(scene), &advice = scene.failure_cause;
  const float what_height = TextHeight(ui.fonts.body, text_width, what);
  const float advice_height = TextHeight(ui.fonts.small, text_width, advice);
  const float height = 2 * pad + ui.px(78) + what_height + advice_height;
  const Rect card{std::floor(picture.middle_x() - 0.5f * width), picture.bottom() - margin - height,
                  width, height};
  DrawFloating(ui, card, theme.popup, {theme.error, 0.65f}, 10);

  const float x = card.x + pad + ui.px(28);
  float y = card.y + pad;
  DrawIcon(ui, Icon::kWarning, card.x + pad + ui.px(8), y + ui.px(10), theme.error, 18);
  TextMiddle(ui, ui.fonts.strong, x, y + ui.px(10), theme.text,
             "The simulation stopped at " + Fixed(scene.snapshot->failure.t, 3) + " s");
  y += ui.px(24);
  y += TextWrapped(ui, ui.fonts.body, x, y, text_width, theme.text, what) + ui.px(8);
  y += TextWrapped(ui, ui.fonts.small, x, y, text_width, theme.muted, advice) + ui.px(14);
  const bool can_rewind = scene.snapshot->t - kRewind >= scene.snapshot->oldest_saved_t;
  if (Button(ui, "rewind", can_rewind ? "Rewind 1 s" : "Reset", {x, y, ui.px(114), ui.px(32)},
             ButtonKind::kPrimary)) {
    if (can_rewind) {
      RewindTo(state, scene.snapshot->t - kRewind);
    } else {
      ResetRun(state);
    }
  }
  if (Button(ui, "revert", "Revert gains", {x + ui.px(122), y, ui.px(112), ui.px(32)},
             ButtonKind::kPlain, {}, !scene.tuning().is_initial())) {
    RevertTuning(state);
  }
  if (text_width > ui.px(326) &&
      Button(ui, "log", "Open log", {x + ui.px(242), y, ui.px(84), ui.px(32)})) {
    state->tab = kLogTab;
    state->panels.side = true;
  }
  if (IconButton(ui, "dismiss", Icon::kClose,
                 {card.right() - ui.px(36), card.y + ui.px(8), ui.px(28), ui.px(28)}, "Close")) {
    scene.is_failure_dismissed = true;
  }
}

}  // namespace

Rect PictureArea(const Ui& ui, const Rect& card) {
  const float hair = ui.hairline();
  return {card.x + hair, card.y + hair, std::max(1.0f, card.w - 2 * hair),
          std::max(1.0f, card.h - ui.px(kTransportHeight) - hair)};
}

void DrawViewCard(WindowState* state, const Rect& card, View3d* view) {
  const Ui& ui = state->ui;
  DrawCard(ui, card);
  const Rect picture = PictureArea(ui, card);
  ImGui::SetNextItemAllowOverlap();  // controls over the picture take precedence
  ShowView(picture, ui.px(9.5f), ImDrawFlags_RoundCornersTop, view);
  state->is_view_held = ImGui::IsItemActive();
  DrawRule(ui, picture.x, picture.right(), picture.bottom());
  DrawViewOverlay(state, picture, view);
  DrawHandles(state, picture);
  DrawTransport(state, {card.x, picture.bottom(), card.w, ui.px(kTransportHeight)});
  DrawFailCard(state, picture);
  if (!state->launcher.is_open) DrawToast(ui, state->toast, state->now, picture);
}

}  // namespace civita
