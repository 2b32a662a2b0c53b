#pragma once

#include <string>

#include "app/report/svg_plot.h"

namespace civita {

/// A figure of a page: each plot a picture of its own, so that they follow the page's width, with
/// titles and legends as text. The page's script lets values be read, lines be hidden and stretches
/// be enlarged; without it the pictures stand. An axis whose limits leave data out is one that the
/// reader may widen.
std::string FormatHtmlFigure(const SvgFigure& figure);

}  // namespace civita
