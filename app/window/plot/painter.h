#pragma once

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "app/window/plot/plot.h"

namespace civita {

// Draws one plot in one frame.
class PlotPainter {
 public:
  PlotPainter(const Ui& ui, const Rect& frame, const PlotSpec& spec, TimeAxis* axis,
              PlotState* state)
      : ui_(ui),
        theme_(ui.theme),
        frame_(frame),
        spec_(spec),
        axis_(*axis),
        state_(*state),
        draw_(ImGui::GetWindowDrawList()),
        area_(PlotArea(ui, frame, spec.time_labels)) {}

  PlotEvents Draw();

 private:
  static constexpr float kTickSpacing = 22;  // logical px

  bool Shown(size_t line) const { return state_.shown(spec_.lines[line], line); }
  void SetLimits();
  void SetMapping();
  ValueRange DataRange(const TraceBuffer& trace, int channel, double scale) const;
  PlotEvents HandleMouse();
  void HandleWheel();
  void HandleDrag(PlotEvents* events);
  void HandleBox();
  void ZoomValues(double factor, double at);
  void HandleClick(PlotEvents* events);

  // The title's row, in plot_legend.cc.
  void DrawTitle();
  std::string ShownUnit(const AxisLimits& limits) const;
  float LegendLeft(const AxisLimits& limits) const;
  void LayOutLegend();
  void DrawLegend();
  void DrawLegendEntry(size_t line, float x, float y, float width);
  void TellLeftOut(float x, float y) const;
  std::string LegendName(const PlotLine& line) const;
  float LegendEntryWidth(size_t line) const;
  void DrawValueGrid();
  void DrawDecades();
  void DrawGridLine(float y, bool strong, float alpha = 1);
  void DrawTickLabel(float y, const std::string& label);
  void DrawTimeGrid();
  void DrawTimeLabel(double t, int decimals, bool last);
  void DrawLines();
  void DrawAside();
  void DrawEmpty();
  void TellNote(std::string_view note);
  void DrawMarks();
  void DrawMark(const PlotMark& mark);
  void DrawCursor();
  void DrawPlayhead();
  void DrawSelected();

  // A plot of paths, in plot_path.cc.
  PlotEvents DrawPath();
  void SetPathLimits();
  void DrawPathGrid();
  void DrawPathLines();
  void DrawPathDot(const PlotLine& line, double t, float radius);
  ImVec2 PathPoint(const PlotLine& line, int64_t sample) const;
  float PathX(double value) const;
  int exponent_x() const;
  float DrawAbscissa();
  void FindPath(const PlotLine& line, int64_t begin, int64_t end);
  double PathTimeAtPointer() const;
  void DrawPathCard(double t) const;
  double path_begin() const { return std::max(spec_.path->from, axis_.t0()); }
  double path_end() const { return std::min(axis_.t1(), axis_.stretch_end); }

  // A plot of spectra, in plot_spectrum.cc.
  PlotEvents DrawSpectrum();
  void UpdateSpectra();
  void SetSpectrumLimits();
  void DrawFrequencies();
  void DrawSpectrumLines();
  void DrawSpectrumCard() const;
  float FrequencyX(double hz) const;
  std::string TellShareAbove() const;

  void DrawCard();
  std::vector<std::string_view> MarksAtPointer() const;
  std::string ValueText(const PlotLine& line, int64_t sample) const;

  struct CardRow {
    const PlotLine* line;
    std::string value;
  };
  struct CardContent {
    std::string head;
    std::vector<std::string_view> texts;
    std::vector<CardRow> rows;
    float name_width = 0, value_width = 0;
    int columns = 1, height = 0;  // entries are ordered column by column
    bool is_selected = false;     // figures of the selected stretch, in place of values
  };
  CardContent ContentAt(double t);
  bool UpdateFigures(double t);
  std::string FiguresText(const LineFigures& figures) const;
  Rect PlaceCard(const CardContent& content) const;
  float ColumnWidth(const CardContent& content) const;
  void DrawCardRow(const Ui& over, const CardRow& row, float x, float y, float w);
  // Number of steps that fit the value axis.
  double max_steps() const { return area_.h / ui_.px(kTickSpacing); }
  void VerticalLine(double t, Rgb color, float alpha) {
    const float x = std::floor(mapping_.X(t));
    FillRect(ui_, {x, area_.y, ui_.hairline(), area_.h}, {color, alpha});
  }

  const Ui& ui_;
  const Theme& theme_;
  const Rect frame_;
  const PlotSpec& spec_;
  TimeAxis& axis_;
  PlotState& state_;
  ImDrawList* draw_;
  Rect area_;
  PlotMapping mapping_;
  AxisLimits limits_;
  bool hovered_ = false, any_data_ = false;
  // Rows of the legend, of lines; what has no room is left out.
  std::vector<std::vector<size_t>> legend_;
  std::vector<size_t> left_out_;
  bool legend_compact_ = false;
};

}  // namespace civita
