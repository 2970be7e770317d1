// Whether the disk of a file still answers.
#pragma once

#include <chrono>

namespace mog::loader {

// From here on: a dot to standard output (a sign of life) every quarter of `blocked`; but when this process
// has neither run nor waited for a processor for `blocked` in all, it ends with `code`. On a busy machine its
// work may take minutes: that says nothing against the file. Called before the system calls are restricted.
void watch(std::chrono::milliseconds blocked, int code);

}  // namespace mog::loader
