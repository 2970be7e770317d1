#include "app/workflow/models/convert_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <system_error>
#include <utility>

#include "app/workflow/common/text_format.h"
#include "app/workflow/describe/describe_job.h"
#include "app/workflow/experiment/train_tokenizer.h"
#include "app/workflow/models/model_output.h"
#include "io/recording/counted.h"
#include "io/recording/errors.h"
#include "io/recording/nearest_name.h"
#include "io/text/conllu.h"
#include "io/text/corpus.h"
#include "io/text/iob2.h"
#include "model/foreign/foreign_model.h"
#include "model/model_directory.h"
#include "model/tensor_table.h"
#include "model/tokenizer/loading/foreign_tokenizer.h"
#include "model/tokenizer/wordpiece/wordpiece_pruning.h"

namespace mog::app {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t kProgressEvery = 1000;

// A model on its way.
struct Converted {
  model::ModelConfig config;
  std::map<std::string, HostTensor> weights;
  std::optional<model::WordPieceFile> wordpiece;
  std::map<std::string, std::string> tokenizer_files;  // of other kinds
  std::string source;
  std::string license;
  std::vector<std::string> types;
  std::vector<std::string> notes;
};

Converted open_foreign(const ConvertOptions& options) {
  model::ForeignModel foreign = model::read_foreign_model(options.source, options.foreign);
  model::require_vocabulary_file(foreign, options.source);
  Converted result;
  result.config = std::move(foreign.config);
  result.weights = std::move(foreign.weights);
  result.wordpiece = std::move(foreign.wordpiece);
  result.tokenizer_files = std::move(foreign.tokenizer_files);
  result.source = std::move(foreign.source);
  result.license = std::move(foreign.license);
  result.types = std::move(foreign.tensor_types);
  result.notes = std::move(foreign.notes);
  return result;
}

// What the card of a converted model (card_text) or of a trained one says of its licence.
std::string license_of(const fs::path& folder) {
  std::ifstream card(folder / "README.md");
  for (std::string line; std::getline(card, line);) {
    for (const std::string_view key : {"- license of the source: ", "- licence of the weights: "}) {
      if (line.starts_with(key) && line.find("not stated") == std::string::npos) {
        return line.substr(key.size());
      }
    }
  }
  return {};
}

Converted open_own(const fs::path& folder) {
  model::ModelDirectory directory = model::open_model_directory(folder);
  Converted result;
  result.config = std::move(directory.config);
  result.weights = std::move(directory.weights);
  result.source = directory.card.name;
  result.license = license_of(folder);
  const model::TokenizerConfig& tokenizer = result.config.tokenizer;
  if (tokenizer.kind == model::TokenizerKind::wordpiece) {
    result.wordpiece = model::read_foreign_tokenizer_json(folder / tokenizer.file).wordpiece;
  }
  result.tokenizer_files = tokenizer_files(folder, tokenizer);
  return result;
}

Converted open_source(const ConvertOptions& options) {
  std::error_code error;
  if (!fs::exists(options.source, error)) {
    throw UsageError(fmt::format("converting {}: there is no such folder or file", options.source.string()));
  }
  if (model::is_foreign_model(options.source)) {
    return open_foreign(options);
  }
  Converted own = open_own(options.source);
  model::check_options(own.config, options.foreign, options.source);
  return own;
}

class VocabularySurvey {
 public:
  VocabularySurvey(const model::WordPieceFile& file, std::stop_token stop, const ProgressCallback& progress)
      : counter_(file), stop_(std::move(stop)), progress_(progress) {}

  void read(const fs::path& path) {
    const PathKind kind = detect_path_kind(path);
    if (kind == PathKind::conllu) {
      io::ConlluReader reader(path);
      io::TreebankSentence sentence;
      while (reader.next(sentence)) {
        std::vector<std::string> words;
        for (const io::TreebankWord& word : sentence.words) {
          words.push_back(word.form);
        }
        counter_.add_words(words);
        step(path);
      }
    } else if (kind == PathKind::iob2) {
      for (const io::TaggedSentence& sentence : io::read_iob2(path)) {
        counter_.add_words(sentence.words);
        step(path);
      }
    } else {
      io::CorpusReader reader(path);
      io::CorpusLine line;
      while (reader.next(line)) {
        counter_.add(line.text);
        step(path);
      }
    }
  }
  const std::vector<std::int64_t>& counts() const { return counter_.counts(); }

 private:
  void step(const fs::path& path) {
    if (++sentences_ % kProgressEvery != 0) {
      return;
    }
    if (stop_.stop_requested()) {
      throw Interrupted("converting: stopped while counting pieces; nothing was written");
    }
    if (progress_) {
      progress_({sentences_, 0, "sentences", "counting pieces of " + path.filename().string()});
    }
  }

  model::PieceCounter counter_;
  std::stop_token stop_;
  const ProgressCallback& progress_;
  std::int64_t sentences_ = 0;
};

std::int64_t new_id(const std::vector<std::int64_t>& old_ids, std::int64_t old_id, const char* key) {
  const auto found = std::lower_bound(old_ids.begin(), old_ids.end(), old_id);
  if (found == old_ids.end() || *found != old_id) {
    throw ModelError(
        fmt::format("pruning the vocabulary: {} = {} is not among the special tokens", key, old_id));
  }
  return found - old_ids.begin();
}

HostTensor chosen_rows(const HostTensor& table, const std::vector<std::int64_t>& rows) {
  const std::int64_t width = table.shape().at(1);
  const std::int64_t row_bytes = width * mog::size_bytes(table.dtype());
  HostTensor chosen(table.dtype(), {static_cast<std::int64_t>(rows.size()), width});
  auto into = chosen.mutable_bytes();
  for (std::size_t at = 0; at < rows.size(); ++at) {
    const auto from = table.bytes().subspan(static_cast<std::size_t>(rows[at] * row_bytes),
                                            static_cast<std::size_t>(row_bytes));
    std::copy(from.begin(), from.end(), into.begin() + static_cast<std::ptrdiff_t>(at) * row_bytes);
  }
  return chosen;
}

void prune(const ConvertOptions& options, Converted& converted, ConvertSummary& summary, std::stop_token stop,
           const ProgressCallback& progress) {
  if (!converted.wordpiece) {
    throw UsageError(
        fmt::format("--keep-vocabulary: {} has no WordPiece tokenizer, and others are not pruned",
                    options.source.string()));
  }
  if (converted.config.language_model) {
    throw UsageError(
        fmt::format("--keep-vocabulary: {} predicts the next token, and with fewer tokens to "
                    "choose from every prediction would be another; convert it whole",
                    options.source.string()));
  }
  VocabularySurvey survey(*converted.wordpiece, std::move(stop), progress);
  for (const fs::path& path : options.keep_vocabulary) {
    survey.read(path);
  }
  const auto& counts = survey.counts();
  model::PrunedWordPiece pruned =
      model::prune_wordpiece(*converted.wordpiece, counts, options.vocabulary_size);
  summary.pieces = std::accumulate(counts.begin(), counts.end(), std::int64_t{0});
  for (const std::int64_t id : pruned.old_ids) {
    summary.pieces_kept += counts[static_cast<std::size_t>(id)];
  }
  model::ModelConfig& config = converted.config;
  const std::vector<std::int64_t>& rows = pruned.old_ids;
  config.pad_id = new_id(rows, config.pad_id, "pad_id");
  config.bos_id = new_id(rows, config.bos_id, "bos_id");
  config.eos_id = new_id(rows, config.eos_id, "eos_id");
  config.unk_id = new_id(rows, config.unk_id, "unk_id");
  config.vocab_size = static_cast<std::int64_t>(rows.size());
  HostTensor& table = converted.weights.at("encoder.embed_tokens.weight");
  table = chosen_rows(table, rows);
  converted.wordpiece = std::move(pruned.file);
  std::string texts;
  for (const fs::path& path : options.keep_vocabulary) {
    texts += (texts.empty() ? "" : ", ") + path.filename().string();
  }
  converted.notes.push_back(
      fmt::format("vocabulary pruned from {} to {} tokens: special tokens, single characters, and the most "
                  "frequent pieces of "
                  "{}",
                  grouped(summary.vocabulary_before), grouped(config.vocab_size), texts));
}

std::string card_text(const Converted& converted, const ConvertSummary& summary, const fs::path& output) {
  const auto clean = fs::absolute(output).lexically_normal();
  const auto name = (clean.has_filename() ? clean : clean.parent_path()).filename().string();
  std::string text = fmt::format("# {}\n\nConverted by `mog convert` from {}.\n\n", name, converted.source);
  text += fmt::format("- encoder: {}, d {}, {}, feed-forward {}\n",
                      counted(converted.config.encoder.layers, "layer"), converted.config.encoder.d_model,
                      counted(converted.config.encoder.heads, "head"), converted.config.encoder.ffn_dim);
  text += fmt::format("- parameters: {}; vocabulary: {}\n", grouped(summary.parameters),
                      grouped(summary.vocabulary));
  text += fmt::format("- license of the source: {}\n",
                      converted.license.empty() ? "not stated in its README" : converted.license);
  for (const std::string& note : converted.notes) {
    text += "- " + note + "\n";
  }
  return text;
}

void check(const ConvertOptions& options) {
  if (options.output.empty()) {
    throw UsageError("converting: --output is missing");
  }
  if (options.vocabulary_size != 0 && options.keep_vocabulary.empty()) {
    throw UsageError("--vocabulary-size needs the texts of --keep-vocabulary");
  }
  if (options.vocabulary_size < 0) {
    throw UsageError(fmt::format("--vocabulary-size {}: expected at least 1", options.vocabulary_size));
  }
  check_model_output(options.output, options.source, options.overwrite);
}

}  // namespace

io::WeightsType parse_weights_type(std::string_view text) {
  for (const io::WeightsType type : io::kWeightsTypes) {
    if (io::name(type) == text) {
      return type;
    }
  }
  const auto names = io::weights_type_names();
  throw unknown_choice("--store", text, std::vector<std::string>(names.begin(), names.end()));
}

model::ForeignOptions parse_foreign_options(std::int64_t heads, const std::string& norm,
                                            const std::string& activation) {
  model::ForeignOptions options;
  if (heads < 0 || heads > 1 << 20) {
    throw UsageError(fmt::format("--heads {}: expected at least 1", heads));
  }
  if (heads > 0) {
    options.heads = heads;
  }
  if (!norm.empty()) {
    if (norm != "post" && norm != "pre") {
      throw unknown_choice("--norm", norm, {"post", "pre"});
    }
    options.norm = norm == "pre" ? model::NormPlace::pre : model::NormPlace::post;
  }
  if (!activation.empty()) {
    options.activation = model::parse_activation(activation);
    if (!options.activation) {
      throw unknown_choice("--activation", activation, {"relu", "gelu", "gelu_tanh", "silu"});
    }
  }
  return options;
}

ConvertJob::ConvertJob(ConvertOptions options) : options_(std::move(options)) {}

ConvertSummary ConvertJob::run(std::stop_token stop, const ProgressCallback& progress) const {
  check(options_);
  Converted converted = open_source(options_);
  ConvertSummary summary;
  summary.vocabulary_before = converted.config.vocab_size;
  if (!options_.keep_vocabulary.empty()) {
    prune(options_, converted, summary, stop, progress);
  }
  if (stop.stop_requested()) {
    throw Interrupted("converting: stopped; nothing was written");
  }
  if (converted.wordpiece) {
    const model::TokenizerConfig& names = converted.config.tokenizer;
    converted.tokenizer_files[names.file] = model::to_tokenizer_json(*converted.wordpiece);
    converted.tokenizer_files[names.vocab] = model::to_vocabulary_text(converted.wordpiece->tokens);
  }
  const auto positions = converted.weights.find("encoder.embed_positions.weight");
  summary.source = converted.source;
  summary.path = options_.output.string();
  summary.license = converted.license;
  summary.vocabulary = converted.config.vocab_size;
  summary.parameters = model::parameter_count(
      converted.config, positions == converted.weights.end() ? 0 : positions->second.shape().at(0));
  if (options_.store == io::WeightsType::int8) {
    converted.notes.push_back("matrices rounded to eight bits with a float32 scale a row, the rest float32");
  } else if (options_.store != io::WeightsType::float32) {
    converted.notes.push_back(fmt::format("weights rounded to {}", io::name(options_.store)));
  }
  summary.notes = converted.notes;
  model::write_model_directory(options_.output, converted.config, converted.weights, options_.store,
                               converted.tokenizer_files, card_text(converted, summary, options_.output));
  std::error_code error;
  summary.size_bytes = static_cast<std::int64_t>(fs::file_size(options_.output / "model.safetensors", error));
  return summary;
}

std::string ConvertSummary::text() const {
  std::string text = fmt::format("{}: {} parameters, vocabulary {}, {}\n", path, grouped(parameters),
                                 grouped(vocabulary), byte_text(size_bytes));
  if (pieces > 0) {
    text +=
        fmt::format("  {:.2f} % of the {} pieces of the given texts stay as they are\n",
                    100.0 * static_cast<double>(pieces_kept) / static_cast<double>(pieces), grouped(pieces));
  }
  for (const std::string& note : notes) {
    text += "  " + note + "\n";
  }
  return text;
}

std::string ConvertSummary::json() const {
  nlohmann::ordered_json json;
  json["source_path"] = source;
  json["path"] = path;
  json["license"] = license;
  json["parameters"] = parameters;
  json["vocabulary"] = vocabulary;
  json["vocabulary_before"] = vocabulary_before;
  json["size_bytes"] = size_bytes;
  if (pieces > 0) {
    json["pieces"] = pieces;
    json["pieces_kept"] = pieces_kept;
  }
  json["notes"] = notes;
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace mog::app
