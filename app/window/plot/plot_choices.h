#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/window/plot/traces.h"

namespace civita {

/// Maximum number of lines in a plot, which is that of the colours.
inline constexpr int kMaxLines = 8;

/// Content that a plot can show.
struct PlotChoice {
  /// A channel of the traces in a colour of the theme's series.
  struct Line {
    int channel = 0;
    std::string name = {};
    std::size_t color = 0;
    float width = 1.5f;
    float alpha = 1;
    int channel_x = -1;  ///< of a plot with `over`
  };

  std::string title;         ///< "Torque", "/law/dcm"; unique
  std::string doc = {};      ///< of its signal, one line
  std::string heading = {};  ///< of its section of the list; "": the standard plots
  std::string unit = {};     ///< shown unit
  std::string legend_title = {};
  PlotStyle style = {};
  std::vector<Line> lines = {};
  bool marks_saturation = false;  ///< marks times with a torque at its limit
  bool tells_causes = false;      ///< says what turns s beside torsion: CausesOfTurning
  double size = 1;  ///< of the robot, against one of a metre and a kilogram, in this plot's unit
  /// A coordinate of which a plot of paths shows two.
  struct Coordinate {
    std::string name, unit;
    bool is_distance = false;
  };
  /// Otherwise the lines' channels are those of the first coordinate.
  std::vector<Coordinate> coordinates = {};
  /// One coordinate at a time is shown over time, not two over each other.
  bool is_of_one = false;
  /// The first coordinate's channels of what chooses the coordinate: that which moves most in the
  /// first of these groups in which any moves.
  std::vector<std::vector<int>> telling = {};
  /// The abscissa of a plot of one signal over another.
  struct Abscissa {
    std::string name, unit;
    double scale = 1;
    std::string of;  ///< the title of what is over it
  };
  std::optional<Abscissa> over = {};
  bool is_spectrum = false;  ///< of the lines, in place of themselves

  bool is_path() const { return over || (!is_of_one && !coordinates.empty()); }
  /// Whether its abscissa is not the time.
  bool has_own_axis() const { return is_path() || is_spectrum; }
};

/// All contents for one or two runs: first the standard plots of the table in plot_choices.cc that
/// apply, then each recorded signal under its name, including signals that only the second run
/// has. Content with too many lines is truncated: "/q/0 … 7".
std::vector<PlotChoice> MakePlotChoices(const Session& session, const Traces& traces);

/// "Spectrum of Torque"
std::string SpectrumTitle(std::string_view title);
/// The title of what a spectrum is of.
std::string TitleOfSpectrum(std::string_view title);
/// "Torque + /q_d": the lines of both, which have one unit.
std::string SumTitle(std::string_view title, std::string_view added);
/// "Torque over Tracking error": lines over those of the other, one by one, or over its one line.
std::string OverTitle(std::string_view title, std::string_view abscissa);

/// "/q/3" is the number 3 of the list /q. Appends the plot of a
/// composed title to the choices, which may move them, if it is not there.
/// @returns why there is none: text for the user; "" if it is there, or where one of its parts is
/// none of this scene.
std::string AddComposed(std::string_view title, std::vector<PlotChoice>* choices);

}  // namespace civita
