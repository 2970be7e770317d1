// Every count is a job that a person can run again on watched.rec, so that a row of the trajectory and a row
// of `mog stats` are the same number. What it costs is a pass of the encoder over some sentences, small
// beside the validation that it stands next to.
#include "app/workflow/train/train_watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "analysis/figure_data/cell_values.h"
#include "analysis/statistics/csv_table.h"
#include "app/workflow/record/record_job.h"
#include "app/workflow/statistics/statistics_texts.h"
#include "app/workflow/syntax/syntax_job.h"
#include "app/workflow/train/train_validation.h"
#include "io/hdf5/recording/recording_reader.h"
#include "io/recording/nearest_name.h"
#include "io/text/conllu.h"
#include "io/text/corpus.h"
#include "io/text/input_file.h"
#include "io/text/output_file.h"

namespace mog::app {
namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 30U;
constexpr std::string_view kCosine = "token_cosine";
constexpr std::string_view kUuas = "uuas";
const std::vector<std::string> kColumns = {
    "update", "epoch",      "model",       "corpus",    "measure", "units", "layer", "part", "head",
    "bin",    "length_low", "length_high", "sentences", "tokens",  "mean",  "low",   "high"};

// The first sentences of the corpus, to be a file of their own: later changes of the corpus change no run.
std::string first_sentences(const WatchOptions& options, bool treebank) {
  std::string text;
  std::int64_t count = 0;
  if (treebank) {
    for (const io::TreebankSentence& sentence : io::read_conllu(options.corpus)) {
      if (count == options.sentences) {
        break;
      }
      text += io::to_conllu(sentence);
      ++count;
    }
  } else {
    io::CorpusReader lines(options.corpus);
    for (io::CorpusLine line; count < options.sentences && lines.next(line);) {
      if (line.text.find_first_not_of(" \t") != std::string_view::npos) {
        text += std::string(line.text) + "\n";
        ++count;
      }
    }
  }
  if (count == 0) {
    throw FormatError(fmt::format("--watch {}: it has no sentence", options.corpus.string()));
  }
  return text;
}

// The rows of a table of statistics in our columns; `bin` replaces the one it has where it is given.
void take(analysis::Table& to, const analysis::Table& from, std::string_view bin = {}) {
  for (const auto& row : from.rows) {
    std::vector<analysis::Cell> cells(kColumns.size());
    for (std::size_t i = 0; i < kColumns.size(); ++i) {
      const auto at = std::find(from.columns.begin(), from.columns.end(), kColumns[i]);
      if (at != from.columns.end()) {
        cells[i] = row[static_cast<std::size_t>(at - from.columns.begin())];
      }
    }
    if (!bin.empty()) {
      cells[to.column("bin")] = std::string(bin);
      cells[to.column("length_low")] = {};
      cells[to.column("length_high")] = {};
    }
    to.add(std::move(cells));
  }
}

// A number of all lengths that no table of statistics has.
struct Point {
  std::string_view measure;
  std::int64_t layer = 0;
  Part part = Part::none;
  std::int64_t head = 0;  // 0: the mean
  double mean = 0;
  double low = analysis::kAbsent;
  double high = analysis::kAbsent;
  std::int64_t sentences = 0;
};

void add(analysis::Table& rows, const Point& point) {
  std::vector<analysis::Cell> cells(kColumns.size());
  const auto put = [&](std::string_view column, analysis::Cell value) {
    cells[rows.column(column)] = std::move(value);
  };
  put("measure", std::string(point.measure));
  put("units", std::string("1"));
  put("layer", point.layer);
  if (point.part != Part::none) {
    put("part", std::string(name(point.part)));
  }
  if (point.head > 0) {
    put("head", point.head);
  }
  put("bin", std::string("all"));
  put("sentences", point.sentences);
  put("mean", point.mean);
  put("low", point.low);
  put("high", point.high);
  rows.add(std::move(cells));
}

void set(analysis::Table& rows, std::string_view column, const analysis::Cell& value) {
  const std::size_t at = rows.column(column);
  for (auto& row : rows.rows) {
    row[at] = value;
  }
}

Watched asked_of(const WatchOptions& options) {
  Watched asked;
  asked.statistics.measures.clear();
  std::string counted;
  std::string_view rest = options.quantities;
  while (!rest.empty()) {
    const std::string_view piece = rest.substr(0, rest.find(','));
    rest.remove_prefix(std::min(rest.size(), piece.size() + 1));
    if (piece == kCosine) {
      asked.cosine = true;
    } else if (piece == kUuas) {
      asked.syntax = true;
    } else {
      counted += (counted.empty() ? "" : ",") + std::string(piece);
    }
  }
  if (!counted.empty()) {
    parse_quantities(counted, asked.statistics);
  }
  if (!asked.statistics.names.empty()) {
    throw UsageError(
        "--watch-quantity " + asked.statistics.names.front() +
        ": quantities by name have tables of their own; wanted are those of mog stats by one word, "
        "token_cosine and, of a treebank, uuas");
  }
  const bool treebank = io::is_treebank(options.corpus);
  if (options.quantities.empty()) {
    asked.cosine = true;
    asked.syntax = treebank;
  }
  if (asked.syntax && !treebank) {
    throw UsageError("--watch-quantity uuas: it needs gold trees; give a treebank (.conllu) to --watch");
  }
  return asked;
}

}  // namespace

void check_watch(const WatchOptions& options) {
  asked_of(options);
  std::error_code error;
  if (!std::filesystem::is_regular_file(options.corpus, error)) {
    throw UsageError(fmt::format("--watch {}: there is no such file", options.corpus.string()));
  }
}

TrainWatch::TrainWatch(const TrainSetup& setup, std::int64_t step)
    : setup_(setup),
      options_(*setup.options.watch),
      treebank_(io::is_treebank(options_.corpus)),
      asked_(asked_of(options_)) {
  rows_.columns = kColumns;
  const std::filesystem::path table = setup_.folder.file("trajectory.csv");
  if (setup_.options.resume && std::filesystem::exists(table)) {
    analysis::Table before =
        analysis::parse_csv(io::read_file(table, "the trajectory", kMostBytes), table.string());
    if (before.columns != rows_.columns) {
      throw FormatError("reading " + table.string() + ": it has other columns than this program writes");
    }
    std::erase_if(before.rows, [&](const auto& row) {
      return !(analysis::number_of(row.front()) <= static_cast<double>(step));
    });
    rows_ = std::move(before);
  }
  const std::string text = first_sentences(options_, treebank_);
  if (!rows_.rows.empty() && (!std::filesystem::exists(watched()) ||
                              io::read_file(watched(), "the watched sentences", kMostBytes) != text)) {
    throw ModelError(
        fmt::format("--watch {}: the rows in {} are of other sentences; go on with the same corpus and "
                    "--watch-sentences, or "
                    "without --watch, or start anew with --overwrite",
                    options_.corpus.string(), table.string()));
  }
  io::write_file(watched(), text);
}

analysis::Table TrainWatch::counted(const std::filesystem::path& recording) const {
  analysis::Table all;
  all.columns = kColumns;
  StatisticsOptions options = asked_.statistics;
  options.recordings = {recording};
  if (options_.quantities.empty()) {
    options.measures = measures_of(io::RecordingReader(recording).header());
  }
  const std::vector<analysis::WordMeasure> of_words = std::exchange(options.word_measures, {});
  for (const bool by_length : {false, true}) {
    options.by_length = by_length;
    if (!options.measures.empty()) {
      take(all, StatisticsJob(options).run(setup_.options.stop), by_length ? "" : "all");
    }
  }
  if (!of_words.empty()) {  // once: the grammar of every sentence is made for it
    options.by_length = false;
    options.measures.clear();
    options.word_measures = of_words;
    take(all, StatisticsJob(options).run(setup_.options.stop), "all");
  }
  return all;
}

void TrainWatch::observe(model::Trainer& trainer, std::int64_t step, std::int64_t epoch) {
  const auto is_now = [&](const auto& row) {
    return analysis::number_of(row.front()) == static_cast<double>(step);
  };
  if (std::any_of(rows_.rows.begin(), rows_.rows.end(), is_now)) {
    return;
  }
  const auto started = std::chrono::steady_clock::now();
  const std::shared_ptr<const model::Model> model = trainer.model();
  record(model);
  const std::filesystem::path recording = setup_.folder.file("watched.rec");
  analysis::Table now = counted(recording);
  const io::RecordingReader reader(recording);
  if (asked_.cosine) {
    add_cosines(now, *model, reader);
  }
  if (asked_.syntax) {
    add_syntax(now, reader);
  }
  set(now, "update", step);
  set(now, "epoch", epoch);
  set(now, "model", setup_.config.name);
  set(now, "corpus", options_.corpus.filename().string());
  rows_.rows.insert(rows_.rows.end(), now.rows.begin(), now.rows.end());
  io::write_file(setup_.folder.file("trajectory.csv"), analysis::to_csv(rows_));
  elapsed_s_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - started).count();
}

void TrainWatch::record(std::shared_ptr<const model::Model> model) const {
  LoadedModel loaded;
  loaded.model = std::move(model);
  loaded.tokenizer = setup_.parts.tokenizer.source;
  if (model::has_table(setup_.config.model.encoder.position)) {
    loaded.longest = setup_.config.training.trainer.positions - 2;  // positions of tokens count from 2
  }
  RecordOptions options;
  options.input = watched();
  options.output = setup_.folder.file("watched.rec");
  options.corpus_name = options_.corpus.filename().string();
  options.overwrite = true;
  options.long_sentences = LongPolicy::skip;
  options.streams = std::max(1, setup_.options.device.threads);
  options.seed = setup_.config.training.trainer.seed;
  if (asked_.syntax || !asked_.statistics.word_measures.empty()) {
    options.capture.names.insert(CaptureName::attention);
  }
  const auto leaves = std::find(asked_.statistics.measures.begin(), asked_.statistics.measures.end(),
                                analysis::Measure::leaves);
  if (leaves != asked_.statistics.measures.end()) {
    options.capture.names.insert(CaptureName::orders);
  }
  RecordJob(loaded, options).run(setup_.options.stop);
}

void TrainWatch::add_cosines(analysis::Table& rows, const model::Model& model,
                             const RecordingSource& recording) const {
  std::vector<Example> examples;
  for (std::int64_t i = 0; i < recording.size(); ++i) {
    Example& example = examples.emplace_back();
    for (const Token& token : recording.sentence(i).tokens) {
      example.ids.push_back(token.id);
    }
  }
  const std::vector<double> cosines =
      token_cosines(model, examples, setup_.config.training.batch_tokens, examples.size());
  for (std::size_t layer = 0; layer < cosines.size(); ++layer) {
    add(rows, {.measure = kCosine,
               .layer = static_cast<std::int64_t>(layer) + 1,
               .mean = cosines[layer],
               .sentences = recording.size()});
  }
}

// Edges in either direction, of the tree of each map.
void TrainWatch::add_syntax(analysis::Table& rows, const RecordingSource& recording) const {
  SyntaxOptions options;
  options.treebank = watched();
  options.sources = {SyntaxSource::attention};
  options.direction = DirectionChoice::query;
  options.mismatch = MismatchPolicy::skip;
  options.threads = std::max(1, setup_.options.device.threads);
  for (const SyntaxRowScore& score : compare_syntax(recording, options, setup_.options.stop).rows) {
    if (score.row.source == SyntaxSource::attention) {
      add(rows, {.measure = kUuas,
                 .layer = score.row.layer,
                 .part = score.row.part,
                 .head = score.row.head,
                 .mean = score.uuas.value,
                 .low = score.uuas.interval.low,
                 .high = score.uuas.interval.high,
                 .sentences = score.sentences});
    }
  }
}

std::filesystem::path TrainWatch::watched() const {
  return setup_.folder.file(treebank_ ? "watched.conllu" : "watched.txt");
}

}  // namespace mog::app
