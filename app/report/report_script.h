#pragma once

namespace civita {

/// The script of the reports' figures (html_figure.h), in JavaScript. It needs nothing but the
/// page.
extern const char* const kReportScript;

}  // namespace civita
