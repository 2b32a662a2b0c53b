// Linked into executables under the address sanitizer.

// OpenGL's driver leaks what it allocates once, and is unloaded before the leaks are counted, so
// that no suppression could name it: keep it loaded.
extern "C" int dlclose(void*) { return 0; }

// What the libraries of OpenGL, fontconfig and GiNaC allocate once and keep.
extern "C" const char* __lsan_default_suppressions() {
  return "leak:libEGL\n"
         "leak:libGL\n"
         "leak:libgallium\n"
         "leak:_dri.so\n"
         "leak:libLLVM\n"
         "leak:libfontconfig\n"
         "leak:libX11\n"
         "leak:libcln\n"
         "leak:libginac\n";
}

// Tests read what programs print.
extern "C" const char* __lsan_default_options() { return "print_suppressions=0"; }
