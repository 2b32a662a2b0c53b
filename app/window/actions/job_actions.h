#pragma once

#include <string>

#include "app/window/model/window_state.h"

namespace civita {

/// The sheet of the job of WindowState::jobs.
void ToggleJobs(WindowState* state);
/// Opens the sheet by which a robot on legs is pushed until it falls.
void OpenSurvive(WindowState* state);
/// Whether robots are pushed by impulses, since they walk, and not by shares of what a stand takes.
bool PushesByImpulse(const WindowState& state);
/// Why there is no such job for this scene; empty if there is.
std::string WhyNot(const WindowState& state, JobKind kind);
/// Starts what the form says in a new folder, unless a job of the kind runs.
void StartJob(WindowState* state, JobKind kind);
/// Times H, C, Γ and more of the shown robot: opens the sheet at that job and starts it, if none
/// runs.
void BenchShown(WindowState* state);
/// Simulates the run of a replay anew, in the background, and tells whether it has the same bits.
void VerifyReplay(WindowState* state);
void CancelJob(WindowState* state, JobKind kind);
/// Tells the ends of jobs. Call once a frame.
void PollJobs(WindowState* state);
/// Shows the report of the last job in the user's browser, or copies its path where there is none.
void OpenReport(WindowState* state, JobKind kind);

}  // namespace civita
