// The whole path on the bundled model and corpus, all but the drawing: the work behind `mog demo`.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <stop_token>
#include <string>
#include <vector>

#include "app/workflow/common/progress.h"
#include "app/workflow/figures/figure_request.h"
#include "model/model.h"

namespace mog::app {

struct DemoOptions {
  std::filesystem::path output = "mog-demo";
  std::filesystem::path model;   // empty: the bundled default
  std::filesystem::path corpus;  // empty: the bundled sentences
  model::DeviceOptions device;
  int streams = 0;
  std::string command_line;
};

struct DemoFile {
  std::filesystem::path path;
  std::string words;  // what it is
};

// A figure that is still to be drawn, and the files to draw it into.
struct DemoFigure {
  FigureRequest request;
  std::vector<std::filesystem::path> files;
  std::string preset = "page";
  std::string words;
};

struct DemoResult {
  std::filesystem::path recording;
  std::filesystem::path first_figure;
  std::string trees_text;  // to show
  std::vector<DemoFile> files;
  std::vector<DemoFigure> figures;
};

// Records, rebuilds the graphs of a few sentences, counts, and says which figures to draw.
// A folder that an earlier demo made is emptied of what that demo wrote and used again; a folder with other
// things in it is refused (UsageError).
DemoResult run_demo(const DemoOptions& options, std::stop_token stop = {},
                    const ProgressCallback& progress = {},
                    const std::function<void(const std::string&)>& note = {});

}  // namespace mog::app
