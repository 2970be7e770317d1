// What recordings are called where several stand together.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

namespace mog {

// One of several things with names.
struct Named {
  std::string name;
  std::string other;           // for example its model: tells equal names apart where it can
  std::filesystem::path path;  // absolute; does so elsewhere; may be empty
};

// The plain names where they differ; of equal ones each with its other name in brackets, else with as much of
// the end of its path as tells it apart ("news (runs/a.rec)"), else with a number. All different, unless a
// name looks like another with its brackets.
std::vector<std::string> told_apart(std::span<const Named> all);

// Names a recording in tables and figures with others.
struct RecordingLabel {
  std::string text;
  bool given = false;  // a person chose it
};

}  // namespace mog
