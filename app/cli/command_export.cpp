// The libraries of Parquet, Arrow, Zarr and NetCDF are Python's, so the work is done by the Python package
// (python/mog_workbench/export, decision 56); this finds an interpreter and becomes it.
#include "app/cli/command_export.h"

#include <fmt/format.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

#include "app/workflow/common/resources.h"
#include "io/recording/errors.h"

namespace mog::cli {
namespace {

namespace fs = std::filesystem;

struct Options {
  std::string source;
  std::string output;
  std::vector<std::string> quantities;
  std::string layout;
  bool as_stored = false;
  bool overwrite = false;
};

// The package imports NumPy and h5py: where one is absent, that is said in a line, not by a traceback.
constexpr const char* kStart = R"(import sys
sys.path.insert(0, sys.argv[1])
del sys.argv[1]
try:
    from mog_workbench.__main__ import main
    import mog_workbench.export
except ImportError as error:
    sys.exit(f"mog: export needs {error.name} of Python: {sys.executable} -m pip install {error.name}")
sys.exit(main())
)";

fs::path own_place() {
  std::error_code error;
  return fs::read_symlink("/proc/self/exe", error).parent_path();
}

// The folder that holds the package mog_workbench: that which holds this program, or the one beside the
// resources. Throws StorageError.
fs::path package_folder() {
  std::error_code error;
  const fs::path around = own_place().parent_path();
  std::vector<fs::path> places = {around.parent_path()};
  if (around.filename() != "mog_workbench") {
    const fs::path resources = app::resources_dir();
    places = {resources / "python", resources.parent_path() / "python"};
  }
  for (const fs::path& place : places) {
    if (fs::exists(place / "mog_workbench" / "__main__.py", error)) {
      return place;
    }
  }
  throw StorageError(
      fmt::format("export: the Python package mog_workbench is not in {}; it belongs to this program",
                  places.back().string()));
}

// $MOG_PYTHON, else that of the environment whose package this program is in, else the first in the path.
std::string interpreter() {
  if (const char* const given = std::getenv("MOG_PYTHON"); given != nullptr && *given != '\0') {
    return given;
  }
  std::error_code error;
  if (const fs::path package = own_place().parent_path(); package.filename() == "mog_workbench") {
    for (fs::path folder = package.parent_path(); folder.has_relative_path(); folder = folder.parent_path()) {
      if (fs::exists(folder / "bin" / "python3", error)) {
        return (folder / "bin" / "python3").string();
      }
    }
  }
  return "python3";
}

void export_with_python(const Context& context, const Options& options) {
  const std::string python = interpreter();
  std::vector<std::string> words = {python,   "-c",           kStart,     package_folder().string(),
                                    "export", options.source, "--output", options.output};
  for (const std::string& quantity : options.quantities) {
    words.insert(words.end(), {"--quantity", quantity});
  }
  if (!options.layout.empty()) {
    words.insert(words.end(), {"--layout", options.layout});
  }
  const std::pair<bool, const char*> flags[] = {{options.as_stored, "--as-stored"},
                                                {options.overwrite, "--overwrite"},
                                                {context.json, "--json"},
                                                {context.quiet, "--quiet"}};
  for (const auto& [given, flag] : flags) {
    if (given) {
      words.emplace_back(flag);
    }
  }
  std::vector<char*> pointers;
  for (std::string& word : words) {
    pointers.push_back(word.data());
  }
  pointers.push_back(nullptr);
  ::execvp(python.c_str(), pointers.data());
  throw StorageError(
      fmt::format("export: {} cannot be started: {}; it does the writing. Install Python 3.9 or newer, or "
                  "set MOG_PYTHON to its place",
                  python, std::strerror(errno)));
}

}  // namespace

void add_export(CLI::App& app, Context& context) {
  const auto options = std::make_shared<Options>();
  CLI::App* const command = app.add_subcommand(
      "export", "Write quantities and tables as Parquet, Arrow, NPZ, Zarr or NetCDF, or for mog import");
  command->add_option("SOURCE", options->source, "A recording, a CSV table, or an exported file")->required();
  command
      ->add_option("--output,-o", options->output,
                   "F.parquet, F.arrow, F.npz, F.zarr or F.nc; F.h5: a file for mog import")
      ->required();
  command->add_option("--quantity", options->quantities,
                      "Quantities by name, commas between, * for any piece; by default all");
  command->add_option("--layout", options->layout,
                      "Of Parquet and Arrow: tidy, a row a value (the default), or ragged, a row a sentence");
  command->add_flag("--as-stored", options->as_stored,
                    "Maps in 8 bits as their codes, with root_step, in the place of weights");
  command->add_flag("--overwrite", options->overwrite, "Replace what is there");
  context.add_common_options(*command);
  command->footer(examples({"mog export corpus.rec --quantity 'encoder.*.gate.mean' -o gates.parquet",
                            "mog export corpus.rec -o corpus.nc", "mog export gates.csv -o gates.parquet",
                            "mog export corpus.zarr -o maps.h5"}));
  command->callback([&context, options] {
    context.action = [&context, options] { export_with_python(context, *options); };
  });
}

}  // namespace mog::cli
