// The time plot: one row of the signals card, drawn on the current ImGui window's draw list.
#pragma once

#include <limits>
#include <span>
#include <string_view>
#include <vector>

#include "app/style/axis.h"
#include "app/window/plot/series.h"
#include "app/window/plot/spectrum.h"
#include "app/window/plot/stroke.h"
#include "app/window/widgets/draw.h"

namespace civita {

/// A curve: one channel of a trace. `scale` > 0 converts the stored unit to the shown one (1000
/// for mrad).
struct PlotLine {
  const TraceBuffer* trace = nullptr;
  int channel = 0;
  std::string_view name = {};
  Rgb color = 0;
  float width = 1.5f;  // logical px
  float alpha = 1;
  double scale = 1;
  int channel_x = -1;           ///< of the abscissa; −1: time
  double scale_x = 1;           ///< as scale, of the abscissa
  std::string_view ghost = {};  ///< the name of a run that was kept; empty: of the session's
  int owner = -1;               ///< of such a line: the one with which it is hidden

  /// Whether legend and card have it: where the lines of a run are many, those of one suffice.
  bool is_named() const { return ghost.empty() || name == ghost; }
  Ink ink() const { return {color, alpha}; }
};

/// What a plot of paths shows: its lines over each other instead of over time.
struct PlotPath {
  double from = 0;  ///< the paths' begin, s
  double now = 0;   ///< marked; what is later is thin
  std::string_view name_x, unit_x, name_y, unit_y;
  /// The abscissa is another signal than the ordinate, with a unit of its own.
  bool has_own_unit = false;
};

/// A stretch of time of which a plot shows spectra: amplitude densities of its lines, in their unit
/// over √Hz, on logarithmic axes.
struct SpectrumOver {
  double from = 0, to = 0;  ///< s
  double mark_hz = 20;      ///< the metric's limit of high frequencies
};

/// An event on the time axis; `text` shows in the value card when the pointer is on it.
struct PlotMark {
  enum class Kind {
    kPush,        // triangle: an external push
    kThrow,       // triangle: a throw
    kChange,      // square: a gain, law or slot was changed
    kFailure,     // solid red: the simulation stopped, the robot fell
    kNotice,      // amber square: a limit or a deadline, for the first time
    kSaturation,  // strip at the foot from t to t_end: a limit was active
  };
  Kind kind = Kind::kPush;
  double t = 0;
  double t_end = 0;
  std::string_view text = {};
};

/// What one plot shows. All views must outlive the call.
struct PlotSpec {
  const char* id = "";
  std::string_view title, unit;
  // "joint": prefix of the entries, which are then single characters or similarly short
  std::string_view legend_title;
  std::span<const PlotLine> lines;
  std::span<const PlotMark> marks;
  /// Rows of another branch of time with the channels of the lines' trace, drawn thin; or null.
  const TraceBuffer* aside = nullptr;
  /// Null: a plot over time. The lines of one over each other all have a channel_x.
  const PlotPath* path = nullptr;
  /// Names in y the one coordinate that a plot over time shows; or null.
  const PlotPath* coordinate = nullptr;
  /// Null: a plot over time.
  const SpectrumOver* spectrum = nullptr;
  bool log = false;
  double max_decades = 9;  // maximum below the top of a logarithmic axis
  // Smaller values are rounding: the least range of a linear axis, and the exponent at which a
  // logarithmic one ends; lines go along its foot where they are below.
  double min_range = 0;
  double log_floor = -std::numeric_limits<double>::infinity();
  double fixed_lo = std::numeric_limits<double>::quiet_NaN();
  double fixed_hi = std::numeric_limits<double>::quiet_NaN();
  bool time_labels = false;  // drawn on the last row
  int decimals = 1;          // of the values in the card; a logarithmic plot shows 3.4·10⁻⁵
  Sign sign = Sign::kNegativeOnly;
  std::string_view empty_text = "No data yet";
  std::string_view note = {};  ///< on a line of its own above the area
  /// A stretch of time that is selected, s; NaN: none.
  double selected_from = std::numeric_limits<double>::quiet_NaN(), selected_to = selected_from;
};

/// State of a plot between frames; one for each plot, owned by the caller.
class PlotState {
 public:
  bool shown(const PlotLine& line, std::size_t index) const {
    return shown(static_cast<int>(index)) && (line.owner < 0 || shown(line.owner));
  }
  bool shown(int line) const { return line < 0 || line > 63 || ((hidden_ >> line) & 1) == 0; }
  void Toggle(int line) { hidden_ ^= uint64_t{1} << (line & 63); }
  /// Shows this line alone, or all of `count` if it was alone.
  void Solo(int line, int count);
  /// Back to automatic limits of the value axis.
  void FitValues() { manual_ = false; }
  /// What was free between the title and the legend; empty without a legend.
  const Rect& title_room() const { return title_room_; }

 private:
  friend class PlotPainter;
  uint64_t hidden_ = 0;
  Rect title_room_;
  bool manual_ = false;  // the user set limits_ of the value axis
  bool has_limits_ = false;
  AxisLimits limits_, limits_x_;  // limits_x_: of a path
  bool selecting_ = false;        // a stretch of time is being selected from select_from_, s
  double select_from_ = 0;
  bool boxing_ = false;  // a zoom box is being dragged from box_start_
  ImVec2 box_start_ = ImVec2(0, 0);
  std::vector<int64_t> cut_;
  std::vector<PlotPoint> points_;
  std::vector<TraceColumns> columns_, columns_aside_;  // by line
  std::vector<LineFigures> figures_;                   // of the selected stretch, by line
  std::vector<int64_t> figures_of_;
  std::vector<Spectrum> spectra_;  // by line
  std::vector<double> spectra_of_;
  double spectra_at_ = 0;  // time of ImGui, s
};

/// User actions on a plot in this frame.
struct PlotEvents {
  bool hovered = false;
  bool clicked = false;  // at once; a double click begins with one
  bool double_clicked = false;
  double clicked_time = 0;
  bool selected = false;  // a stretch of time, which is empty after a click with shift
  double selected_from = 0, selected_to = 0;
};

/// Draws the plot into `frame` (device pixels, including title row, gutter and, on the last row,
/// time labels) and handles the mouse: drag pans, with shift it selects a stretch of time, wheel
/// zooms the time at the pointer (shared by all plots of `axis`), ctrl- or shift-wheel zooms the
/// value axis, dragging with the right button zooms to the box, double click fits; a click on a
/// legend entry toggles its line, ctrl-click shows it alone. Frames too small for a plot area of 40
/// × 16 px stay empty.
PlotEvents DrawPlot(const Ui& ui, const Rect& frame, const PlotSpec& spec, TimeAxis* axis,
                    PlotState* state);

/// The area of a plot within its frame.
Rect PlotArea(const Ui& ui, const Rect& frame, bool time_labels);
/// Where the pointer is in the window of time of a plot with this area: TimeAxis::MoveCursor.
inline double CursorShare(const Rect& area, float pointer_x) {
  const double left = static_cast<double>(area.x), right = static_cast<double>(area.right());
  return (static_cast<double>(pointer_x) - left) / (right - left);
}

/// The name of an axis of a path, outside of the area: y's beside the title, x's below the area's
/// right end.
struct PathAxisLabel {
  PathAxisLabel(const Ui& ui, const Rect& frame, std::string_view title, const PlotPath& path,
                bool is_x);

  Rect rect;
  std::string name;  ///< with an ellipsis if it is long
  std::string_view unit;
  float unit_x;  ///< where the unit begins
};

/// Left and right margin of the plot area within a frame, equal for all plots; logical px.
inline constexpr float kPlotGutter = 52, kPlotRightMargin = 16;

}  // namespace civita
