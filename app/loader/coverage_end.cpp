// Builds that count what tests run (MOG_COVERAGE): mog-loader and children of test programs end by _exit(),
// which would lose what was counted. The linker puts this in its place.
extern "C" {
void __gcov_dump();
[[noreturn]] void __real__exit(int code);
[[noreturn]] void __wrap__exit(int code);

void __wrap__exit(int code) {
  __gcov_dump();
  __real__exit(code);
}
}
