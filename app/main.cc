#include "app/commands/program.h"

int main(int argc, char** argv) { return civita::RunProgram(argc, argv); }
