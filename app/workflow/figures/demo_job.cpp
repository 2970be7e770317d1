#include "app/workflow/figures/demo_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "analysis/mog/graph_files/export.h"
#include "app/workflow/common/resources.h"
#include "app/workflow/record/record_job.h"
#include "app/workflow/record/record_report.h"
#include "app/workflow/statistics/statistics_job.h"
#include "app/workflow/trees/trees_job.h"
#include "io/hdf5/recording/recording_reader.h"
#include "io/recording/errors.h"
#include "io/text/output_file.h"

namespace mog::app {
namespace {

namespace fs = std::filesystem;

// Marks a folder as a demo's own.
constexpr const char* kMarker = "made-by-mog-demo.txt";
constexpr std::int64_t kTreeSentences = 3;
constexpr std::int64_t kShortest = 5;  // words of a sentence whose trees are shown
constexpr std::int64_t kLongest = 9;

void prepare_folder(const fs::path& folder) {
  std::error_code error;
  const fs::file_status status = fs::status(folder, error);
  if (fs::exists(status) && !fs::is_directory(status)) {
    throw UsageError(fmt::format("demo: {} is a file; choose another folder with --output", folder.string()));
  }
  if (fs::is_directory(status) && !fs::is_empty(folder)) {
    if (!fs::exists(folder / kMarker)) {
      throw UsageError(
          fmt::format("demo: the folder {} has things in it that no demo wrote; choose another with "
                      "--output",
                      folder.string()));
    }
    for (const char* const own : {"recording", "trees", "tables", "figures"}) {
      fs::remove_all(folder / own, error);
    }
  }
  for (const char* const own : {"trees", "tables", "figures"}) {
    fs::create_directories(folder / own, error);
    if (error) {
      throw StorageError(fmt::format("demo: creating {}: {}", (folder / own).string(), error.message()));
    }
  }
  io::write_file(
      folder / kMarker,
      "`mog demo` made this folder and empties recording, trees, tables and figures when it runs again.\n");
}

// The first sentences of the corpus that are short enough to be read at a glance.
std::vector<std::int64_t> sentences_to_show(const io::RecordingReader& reader) {
  const std::vector<std::int64_t> words = reader.word_counts();
  std::vector<std::int64_t> chosen;
  for (std::int64_t index = 0; index < reader.size(); ++index) {
    const std::int64_t count = words[static_cast<std::size_t>(index)];
    if (count >= kShortest && count <= kLongest &&
        static_cast<std::int64_t>(chosen.size()) < kTreeSentences) {
      chosen.push_back(index);
    }
  }
  if (chosen.empty()) {
    const auto shortest = std::min_element(words.begin(), words.end(), [](std::int64_t a, std::int64_t b) {
      return (a == 0 ? INT64_MAX : a) < (b == 0 ? INT64_MAX : b);
    });
    chosen.push_back(shortest - words.begin());
  }
  return chosen;
}

void write_trees(const fs::path& folder, const io::RecordingReader& reader,
                 const std::vector<std::int64_t>& indices, DemoResult& result) {
  static constexpr std::pair<analysis::GraphFormat, const char*> kFiles[] = {
      {analysis::GraphFormat::text, "txt"},
      {analysis::GraphFormat::json, "json"},
      {analysis::GraphFormat::dot, "dot"},
      {analysis::GraphFormat::graphml, "graphml"},
  };
  for (const std::int64_t index : indices) {
    const SentenceTrees trees = find_trees(reader, index, {.top = 5});
    for (const auto& [format, extension] : kFiles) {
      const fs::path file = folder / "trees" / fmt::format("sentence-{}.{}", trees.number, extension);
      io::write_file(file, trees.print(format));
      result.files.push_back({file, fmt::format("the 5 best graphs of sentence {}", trees.number)});
    }
    const auto words = leaves_to_show(trees.grammar->words().size());
    for (const auto& [mode, top] :
         {std::pair(TreesMode::free, std::int64_t{3}), std::pair(TreesMode::by_leaves, words),
          std::pair(TreesMode::projective, std::int64_t{1})}) {
      const SentenceTrees shown =
          find_trees(reader, index, {.mode = mode, .top = top, .distributions = false});
      result.trees_text += (result.trees_text.empty() ? "" : "\n") + shown.print(analysis::GraphFormat::text);
    }
  }
}

void plan_figures(const fs::path& folder, const fs::path& recording, std::int64_t sentence,
                  DemoResult& result) {
  const auto files = [&](const std::string& stem, std::initializer_list<const char*> extensions) {
    std::vector<fs::path> paths;
    for (const char* const extension : extensions) {
      paths.push_back(folder / "figures" / (stem + extension));
    }
    return paths;
  };
  const auto plan = [&](const std::string& kind, const std::string& words, FigureRequest request,
                        std::initializer_list<const char*> extensions) {
    result.figures.push_back({std::move(request), files(kind, extensions), "page", words});
  };
  plan("weight-by-layer", "gate weight by layer, a line a length bin",
       {.kind = "weight-by-layer", .inputs = {recording}}, {".svg", ".pdf", ".png"});
  plan("weight-by-length", "gate weight by sentence length, a line a layer",
       {.kind = "weight-by-length", .inputs = {recording}}, {".svg", ".pdf", ".png"});
  plan("weight-difference", "the same as difference to the shortest bin",
       {.kind = "weight-difference", .inputs = {recording}}, {".svg", ".pdf", ".png"});
  for (const auto& [kind, words] :
       {std::pair("attention", "attention, mean over layers, parts and heads"),
        std::pair("attention-grid", "attention of the high part, layer by head"),
        std::pair("gate", "gate by layer and token"),
        std::pair("tree", "best multi-order graph with 6 leaves as a tree"),
        std::pair("arcs", "the same as arcs"), std::pair("posterior-arcs", "expected joins of all graphs")}) {
    FigureRequest request{.kind = kind, .inputs = {recording}};
    request.set("sentence", sentence);
    plan(kind, fmt::format("{}, sentence {}", words, sentence), request, {".svg"});
  }
  FigureRequest whole{.kind = "tree", .inputs = {recording}};
  whole.set("sentence", sentence).flag("projective");
  result.figures.push_back(
      {whole, files("tree-whole-sentence", {".svg", ".pdf", ".png"}), "page",
       fmt::format("best tree over the whole sentence {}, neighbours joined", sentence)});
  result.first_figure = result.figures.front().files.front();
}

}  // namespace

DemoResult run_demo(const DemoOptions& options, std::stop_token stop, const ProgressCallback& progress,
                    const std::function<void(const std::string&)>& note) {
  const auto say = [&](const std::string& message) {
    if (note) {
      note(message);
    }
  };
  const fs::path model = model_path(options.model);
  const fs::path corpus = options.corpus.empty() ? resource("corpora/demo.en.txt") : options.corpus;
  prepare_folder(options.output);
  DemoResult result;
  result.recording = options.output / "recording";

  RecordOptions record;
  record.input = corpus;
  record.output = result.recording;
  record.capture.names = {CaptureName::summary, CaptureName::attention, CaptureName::gates,
                          CaptureName::shares, CaptureName::orders};
  record.streams = options.streams;
  record.command_line = options.command_line;
  record.precision = options.device.precision;
  say(fmt::format("model {}", model.lexically_normal().string()));
  RecordJob job(load_for_running(model, options.device), record);
  job.on_estimate([&](const RecordEstimate& estimate) {
    for (const std::string& line : estimate_lines(estimate, record)) {
      say(line);
    }
  });
  say(summary_line(job.run(stop, progress)));
  result.files.push_back({result.recording, "the recording (HDF5: h5py and pandas read recording.h5)"});

  const io::RecordingReader reader(result.recording);
  const std::vector<std::int64_t> shown = sentences_to_show(reader);
  write_trees(options.output, reader, shown, result);

  StatisticsOptions statistics;
  statistics.recordings = {result.recording};
  statistics.measures = {analysis::Measure::gate, analysis::Measure::share, analysis::Measure::entropy,
                         analysis::Measure::leaves};
  const analysis::Table table = StatisticsJob(statistics).run(stop, progress);
  const fs::path csv = options.output / "tables" / "by-layer-and-length.csv";
  io::write_file(csv, analysis::to_csv(table));
  result.files.push_back({csv, "gate, shares, entropy and order by layer and sentence length"});

  plan_figures(options.output, result.recording, reader.sentence(shown.front()).number, result);
  return result;
}

}  // namespace mog::app
