// Linked into tests under the address sanitizer. OpenGL's driver leaks what it allocates once, and
// is unloaded before the leaks are counted, so that no suppression could name it: keep it loaded.
extern "C" int dlclose(void*) { return 0; }
