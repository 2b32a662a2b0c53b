// Plots put together from others, each known by a title that tells of which.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/window/plot/plot_choices.h"

namespace civita {

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
