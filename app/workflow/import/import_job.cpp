// The file is hashed first and named by its hash, then mog-loader opens it (io/hdf5/import). A resumed
// import asks the loader to begin behind the sentences that are recorded, after comparing their numbers with
// the file's first ones.
//
// Three ends. A file that is refused in the middle leaves nothing (discard): half of a wrong file is not a
// recording. An interruption, or a full disk, keeps what was committed, and --resume goes on. Room is
// estimated before anything is written, from the lengths that the plan has.
//
// Trap: the header is what --resume compares. How words were found is written into it (precision), since
// another choice would give other words in the same recording.
#include "app/workflow/import/import_job.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

#include "app/workflow/common/text_format.h"
#include "app/workflow/import/import_values.h"
#include "app/workflow/record/order_computer.h"
#include "io/hdf5/file/free_space.h"
#include "io/hdf5/import/import_frame.h"
#include "io/hdf5/recording/recording_name.h"
#include "io/hdf5/recording/recording_reader.h"
#include "io/hdf5/recording/recording_writer.h"
#include "io/loader/loader_process.h"
#include "io/recording/counted.h"
#include "io/recording/errors.h"
#include "io/text/input_file.h"
#include "io/text/sha256.h"
#include "model/model.h"

namespace mog::app {
namespace {

using Clock = std::chrono::steady_clock;

void refuse_existing(const ImportOptions& options) {
  std::error_code error;
  const auto status = std::filesystem::status(options.output, error);
  if (!std::filesystem::exists(status)) {
    return;
  }
  if (!std::filesystem::is_directory(status)) {
    throw UsageError(
        fmt::format("importing to {}: it is a file; a recording is a directory, choose another name",
                    options.output.string()));
  }
  if (!options.resume && !std::filesystem::is_empty(options.output, error)) {
    throw UsageError(
        fmt::format("importing to {}: the directory is not empty; choose another name, or go on with "
                    "an interrupted import by --resume",
                    options.output.string()));
  }
}

std::vector<std::int64_t> numbers_in(const ImportOptions& options) {
  std::error_code error;
  if (!options.resume || !std::filesystem::exists(options.output / "manifest.json", error)) {
    return {};
  }
  return io::RecordingReader(options.output).numbers();
}

bool can_be_had(const QuantityName& name, const io::ImportPlan& plan) {
  const bool full = name.reduction() == Reduction::full;
  switch (name.quantity()) {
    case Quantity::attention:
      return full || name.reduction() == Reduction::row_entropy || name.reduction() == Reduction::row_max ||
             name.reduction() == Reduction::mean_heads;
    case Quantity::gate:
      return full ? plan.gate_vectors : name.reduction() == Reduction::mean;
    case Quantity::embedding:
      return plan.hidden;
    case Quantity::output:
      return plan.hidden && full && name.part() == Part::none;
    default:
      return false;
  }
}

model::ImportedEncoder encoder_of(const io::ImportPlan& plan) {
  return {.order_groups = plan.graph,
          .weight_gate = plan.gate,
          .plain_first_layer = plan.plain_first,
          .layers = plan.layers,
          .heads = plan.heads,
          .d_model = plan.d_model};
}

// Everything that the file's arrays give, as a model of that shape offers it.
std::vector<QuantitySchema> offered_quantities(const io::ImportPlan& plan) {
  std::vector<QuantitySchema> offered = model::quantities(model::config_of(encoder_of(plan)));
  std::erase_if(offered, [&](const QuantitySchema& schema) { return !can_be_had(schema.name, plan); });
  return offered;
}

std::string attribute(const io::ImportStream& stream, const char* name) {
  const auto found = stream.attributes().find(name);
  return found == stream.attributes().end() ? std::string() : found->second;
}

ModelCard model_card(const ImportOptions& options, const io::ImportStream& stream) {
  const io::ImportPlan& plan = stream.plan();
  ModelCard card = model::card_of(encoder_of(plan));
  card.name = options.model_name.empty() ? attribute(stream, "model") : options.model_name;
  if (card.name.empty()) {
    card.name = options.input.stem().string();
  }
  card.tokenizer = attribute(stream, "tokenizer");
  if (card.tokenizer.empty()) {
    card.tokenizer = "imported";
  }
  card.tokenizer = with_pieces(card.tokenizer, options.pieces);
  card.config_json = attribute(stream, "config");
  card.weights_sha256 = attribute(stream, "weights_sha256");
  return card;
}

RecordingHeader make_header(const ImportOptions& options, const io::ImportStream& stream,
                            const std::string& sha256) {
  RecordingHeader header;
  header.model = model_card(options, stream);
  header.system = model::system_of(header.model);
  Provenance& from = header.provenance;
  from.name = options.name;
  from.program_version = MOG_VERSION;
  from.command_line = options.command_line;
  const std::string corpus = attribute(stream, "corpus");
  from.corpus_name = fmt::format("{}imported from {}", corpus.empty() ? "" : corpus + ", ",
                                 options.input.filename().string());
  from.corpus_sha256 = sha256;
  from.device = "imported";
  // How the words were found is part of what was imported: it is compared at --resume.
  from.precision = fmt::format("as imported, pieces {}", name(options.pieces));
  from.started = fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::chrono::system_clock::now()));
  for (QuantitySchema schema : offered_quantities(stream.plan())) {
    if (schema.name.reduction() != Reduction::mean_heads) {
      schema.dtype = schema.name.reduction() == Reduction::full ? options.store : DType::float32;
      header.quantities.push_back(std::move(schema));
    }
  }
  return header;
}

void require_room(const RecordingHeader& header, const io::ImportPlan& plan, std::size_t first,
                  const ImportOptions& options) {
  constexpr std::int64_t kBytesOfAToken = 6;
  std::vector<io::SentenceSize> sizes;
  for (std::size_t i = first; i < plan.sentences.size(); ++i) {
    const std::int64_t tokens = plan.sentences[i].tokens;
    sizes.push_back({tokens, tokens, 0, tokens * kBytesOfAToken});
  }
  const std::uint64_t needed = io::estimate_bytes(header, sizes);
  const std::uint64_t free = io::free_bytes(options.output);
  if (options.on_note) {
    options.on_note(fmt::format("importing to {}: about {}, {} free", options.output.string(),
                                byte_text(static_cast<std::int64_t>(needed)),
                                byte_text(static_cast<std::int64_t>(free))));
  }
  if (needed > free) {
    throw StorageError(
        fmt::format("importing to {}: about {} bytes are needed, {} are free there; use --store "
                    "float16 or another disk",
                    options.output.string(), needed, free),
        StorageError::Cause::no_space);
  }
}

// What is recorded must be the file's first sentences.
void require_prefix(const std::vector<std::int64_t>& recorded, const io::ImportPlan& plan,
                    const ImportOptions& options) {
  bool same = recorded.size() <= plan.sentences.size();
  for (std::size_t i = 0; same && i < recorded.size(); ++i) {
    same = recorded[i] == plan.sentences[i].number;
  }
  if (!same) {
    throw UsageError(
        fmt::format("importing to {}: it holds other sentences than {}: --resume goes on with the "
                    "import of the same file",
                    options.output.string(), options.input.string()));
  }
}

class Import {
 public:
  Import(const ImportOptions& options, std::stop_token stop, const ProgressCallback& progress)
      : options_(options), stop_(std::move(stop)), progress_(progress) {}

  ImportSummary run() {
    const auto started = Clock::now();
    summary_.sha256 = io::file_sha256(options_.input);
    const std::vector<std::int64_t> recorded = numbers_in(options_);
    io::LoaderProcess loader({.program = options_.loader.empty() ? io::loader_program() : options_.loader,
                              .file = options_.input,
                              .arguments = {options_.input.string(), std::to_string(recorded.size())}},
                             stop_);
    io::ImportStream stream([&](std::span<std::byte> into) { return loader.read(into); }, options_.input);
    const io::ImportPlan& plan = stream.begin();
    tell(stream);
    require_prefix(recorded, plan, options_);
    RecordingHeader header = make_header(options_, stream, summary_.sha256);
    summary_.model = header.model.name;
    summary_.kind = header.model.encoder_kind;
    summary_.system = header.stack().label;
    summary_.layers = plan.layers;
    summary_.heads = plan.heads;
    for (const io::ImportSentence& sentence : plan.sentences) {
      summary_.tokens += sentence.tokens;
    }
    std::optional<OrderComputer> orders;
    std::vector<QuantitySchema> wanted = header.quantities;
    if (options_.orders) {
      CaptureSet set;
      set.store = options_.store;
      orders.emplace(header, offered_quantities(plan), set);
      wanted = orders->observed();
      header = orders->header();
    }
    require_room(header, plan, recorded.size(), options_);
    io::RecordingWriter writer(options_.output,
                               {.shard_sentences = options_.commit_every, .resume = options_.resume});
    writer.begin(header);
    summary_.sentences = static_cast<std::int64_t>(recorded.size());
    try {
      write_all(stream, wanted, orders ? &*orders : nullptr, writer);
    } catch (const FormatError&) {
      writer.discard();  // nothing of a refused file stays
      throw;
    }
    writer.finish();
    summary_.size_bytes = writer.bytes_written();
    summary_.rows = rows_.rows;
    summary_.rows_divided = rows_.divided;
    summary_.largest_deviation = rows_.largest_deviation;
    summary_.output = options_.output;
    summary_.elapsed_s = std::chrono::duration<double>(Clock::now() - started).count();
    return summary_;
  }

 private:
  void tell(const io::ImportStream& stream) const {
    for (const std::string& note : stream.notes()) {
      if (options_.on_detail) {
        options_.on_detail(printable(note));
      }
    }
    if (stream.plan().counted_from_0 && options_.on_note) {
      options_.on_note(
          "the file counts its sentences from 0, recordings count from 1: group n is sentence n + 1");
    }
  }

  void write_all(io::ImportStream& stream, const std::vector<QuantitySchema>& wanted,
                 const OrderComputer* orders, io::RecordingWriter& writer) {
    const auto& sentences = stream.plan().sentences;
    SentenceValues values(stream.plan(), model::system_of(model_card(options_, stream)).main(), wanted,
                          options_.input, rows_);
    const auto report = [&] {
      if (progress_) {
        progress_(
            {summary_.sentences, static_cast<std::int64_t>(sentences.size()), "sentences", "importing"});
      }
    };
    report();
    try {
      while (auto imported = stream.next_sentence()) {
        const std::int64_t number = sentences[static_cast<std::size_t>(imported->index)].number;
        RecordingBatch batch =
            values.read(stream, make_sentence(*imported, number, options_.pieces, options_.input));
        if (orders != nullptr) {
          orders->add(batch);
        }
        writer.write(batch);
        ++summary_.imported;
        ++summary_.sentences;
        report();
      }
    } catch (const Interrupted&) {
      writer.commit();
      throw Interrupted(
          fmt::format("importing to {}: interrupted after {} of {} sentences, which are kept; the "
                      "same command with --resume goes on",
                      options_.output.string(), summary_.sentences, sentences.size()));
    }
  }

  const ImportOptions& options_;
  std::stop_token stop_;
  const ProgressCallback& progress_;
  ImportSummary summary_;
  ImportRows rows_;
};

}  // namespace

ImportSummary import_recording(const ImportOptions& options, std::stop_token stop,
                               const ProgressCallback& progress) {
  if (options.input == "-") {
    throw UsageError("importing -: HDF5 is read here and there, not from beginning to end: name a file");
  }
  io::require_recording_name(options.name);
  if (options.store != DType::float16 && options.store != DType::float32) {
    throw UsageError("--store: allowed are float16 and float32");
  }
  if (options.commit_every < 1) {
    throw UsageError(fmt::format("--commit-every {}: must be at least 1", options.commit_every));
  }
  static_cast<void>(io::InputFile::open(options.input, "the file to import"));
  refuse_existing(options);
  return Import(options, std::move(stop), progress).run();
}

std::string to_json(const ImportSummary& summary) {
  const nlohmann::ordered_json json = {{"path", summary.output.string()},
                                       {"model", summary.model},
                                       {"encoder_kind", summary.kind},
                                       {"layers", summary.layers},
                                       {"heads", summary.heads},
                                       {"sentences", summary.sentences},
                                       {"recorded", summary.imported},
                                       {"tokens", summary.tokens},
                                       {"rows", summary.rows},
                                       {"rows_divided", summary.rows_divided},
                                       {"largest_deviation", summary.largest_deviation},
                                       {"size_bytes", summary.size_bytes},
                                       {"elapsed_s", summary.elapsed_s},
                                       {"corpus_sha256", summary.sha256}};
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

std::string summary_line(const ImportSummary& summary) {
  std::string line = fmt::format(
      "{}: {} of {} and {}, {} {}, {} {}, {} in {}", summary.output.string(), "a " + summary.system,
      counted(summary.layers, "layer"), counted(summary.heads, "head"), grouped(summary.sentences),
      plural(summary.sentences, "sentence"), grouped(summary.tokens), plural(summary.tokens, "token"),
      byte_text(summary.size_bytes), duration_text(summary.elapsed_s));
  line += fmt::format("; rows sum to 1 within {:.1e}", summary.largest_deviation);
  if (summary.rows_divided > 0) {
    line += fmt::format(" ({} were divided by their sum)", grouped(summary.rows_divided));
  }
  return line;
}

}  // namespace mog::app
