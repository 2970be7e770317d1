#include "app/workflow/figures/shared_choices.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>

#include "analysis/figure_data/attention_overview.h"
#include "analysis/figure_data/quantity_figures.h"
#include "analysis/statistics/entry_means.h"
#include "app/workflow/record/named_quantities.h"
#include "app/workflow/recordings/recorded_text.h"
#include "app/workflow/statistics/statistics_texts.h"
#include "app/workflow/statistics/word_statistics_job.h"
#include "app/workflow/trees/trees_job.h"
#include "io/hdf5/recording/recording_reader.h"
#include "io/recording/errors.h"

namespace mog::app {
namespace {

// "1-2": queries of the first text, keys of the second; 0 is all.
analysis::PairBlock parse_block(const std::string& text) {
  analysis::PairBlock block;
  const std::size_t dash = text.find('-');
  const auto number = [&](std::string_view digits) {
    std::int64_t value = -1;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (dash == std::string::npos || error != std::errc() || end != digits.data() + digits.size() ||
        value < 0) {
      throw UsageError("--block " + text + ": expected QUERY-KEY, the numbers of two texts, for example 1-2");
    }
    return value;
  };
  block.query = number(std::string_view(text).substr(0, dash));
  block.key =
      number(dash == std::string::npos ? std::string_view() : std::string_view(text).substr(dash + 1));
  return block;
}

// "201-400": tokens from 1.
analysis::Stretch parse_stretch(const std::string& option, const std::string& text) {
  analysis::Stretch stretch;
  const char* const end = text.data() + text.size();
  const auto [dash, first_error] = std::from_chars(text.data(), end, stretch.first);
  const bool two = first_error == std::errc() && dash != end && *dash == '-';
  const auto [rest, last_error] = two ? std::from_chars(dash + 1, end, stretch.last)
                                      : std::from_chars_result{end, std::errc::invalid_argument};
  if (last_error != std::errc() || rest != end || stretch.first < 1 || stretch.last < stretch.first) {
    throw UsageError(option + " " + text + ": expected FIRST-LAST, counted from 1, for example 201-400");
  }
  return stretch;
}

// A map of attention, or of what a recurrent layer carries.
bool is_map(const QuantityName& name) {
  return (name.quantity() == Quantity::attention || name.quantity() == Quantity::carry) &&
         (name.reduction() == Reduction::full || name.reduction() == Reduction::mean_heads);
}

}  // namespace

std::string figure_text(const FigureRequest& request) {
  return "figure " + request.kind;
}

// ---- one sentence ------------------------------------------------------------------------------------

void SentenceFigure::declare(Choices& choices) {
  choices.number("sentence", sentence_, "Its place in the corpus, from 1").letter = 'n';
}

std::int64_t sentence_number(const FigureRequest& request, std::int64_t chosen) {
  if (request.text) {
    return 1;
  }
  if (chosen < 1) {
    throw UsageError(
        fmt::format("{}: give --sentence N, the place of the sentence in its corpus", figure_text(request)));
  }
  return chosen;
}

analysis::FigureData SentenceFigure::make(const FigureRequest& request, const FigureInputs& inputs) {
  const RecordingSource& source = *inputs.sources.front();
  return of_sentence(source, sentence_index(source, sentence_number(request, sentence_)), request, inputs);
}

// ---- maps --------------------------------------------------------------------------------------------

void MapChoice::declare_layer(Choices& choices, std::string help) {
  choices.number("layer", layer, std::move(help));
}

void MapChoice::declare_part(Choices& choices) {
  choices.text("part", part_,
               "high, middle1, middle2, full, self, cross; by default all of the encoder or their mean");
}

void MapChoice::declare_head(Choices& choices) {
  choices.number("head", head, "From 1; by default the mean over heads");
}

void MapChoice::declare_heads(Choices& choices) {
  choices.value("heads", heads, "uniform", "The heads of the mean: 1,3,5; by default all",
                [](const std::string& text) {
                  if (text == analysis::name(analysis::HeadReduction::contribution)) {
                    throw UsageError(
                        "--heads contribution: only trees, leaves and orders depend on an "
                        "attention grammar");
                  }
                  return parse_heads(text);
                });
  if (choices.find("head") != nullptr) {
    choices.exclude({"head", "heads"});
  }
}

void MapChoice::find_part(const FigureRequest& request) {
  if (part_.empty()) {
    return;
  }
  for (const std::filesystem::path& path : request.inputs) {
    std::error_code error;
    if (!Part::find(part_) && std::filesystem::exists(path, error)) {
      try {
        const io::RecordingReader reader(path);  // makes the parts of its system known
      } catch (const Error&) {                   // said by whoever reads it
      }
    }
  }
  part = Part::parse(part_);
}

std::vector<Part> MapChoice::parts_of(const RecordingHeader& header) const {
  if (part != Part::none) {
    return {part};
  }
  return layer > 0 ? analysis::parts_of_layer(header, layer) : analysis::attention_parts(header);
}

bool MapChoice::reads(const RecordingHeader& header, const QuantityName& name) const {
  return is_map(name) && (layer == 0 || name.layer() == layer) &&
         (part == Part::none ? name.stack() == header.stack().stack : name.part() == part);
}

void SideChoice::declare_words(Choices& choices) {
  choices.flag("by-word", by_word,
               "Words in the place of pieces: rows averaged, columns summed; gates averaged");
}

void SideChoice::declare_special(Choices& choices) {
  choices.flag("no-special-tokens", no_special_tokens, "Maps without </s>");
}

void SideChoice::declare_special_scale(Choices& choices) {
  choices.flag("special-in-scale", special_in_scale,
               "Colours made for </s> and its like, too; without it they are dimmed and out of the scale");
}

void SideChoice::declare_block(Choices& choices) {
  choices.value("block", block, "", "Of a pair of texts in one input: QUERY-KEY, for example 1-2; 0 is all",
                parse_block);
}

void SideChoice::declare_stretches(Choices& choices) {
  choices.value("queries", queries, "", "Of a long text: rows of these tokens alone, FIRST-LAST from 1",
                [](const std::string& text) { return parse_stretch("--queries", text); });
  choices.value("keys", keys, "", "Columns of these tokens alone, FIRST-LAST from 1",
                [](const std::string& text) { return parse_stretch("--keys", text); });
}

void SideChoice::declare_stretch(Choices& choices) {
  choices.value("tokens", queries, "", "Of a long text: these tokens alone, FIRST-LAST from 1",
                [this](const std::string& text) { return keys = parse_stretch("--tokens", text); });
}

analysis::TokenOptions SideChoice::tokens(const std::vector<std::int64_t>& heads) const {
  return {.special_tokens = !no_special_tokens,
          .by_word = by_word,
          .heads = heads,
          .block = block,
          .special_in_scale = special_in_scale,
          .queries = queries,
          .keys = keys};
}

void ColourChoice::declare(Choices& choices) {
  choices.value("colours", colours, std::string(analysis::name(colours)),
                "power: by the power 0.6 of the weight, which tells small weights apart; root: by its square "
                "root; even; cividis: as power, in the colours of cividis",
                [](const std::string& text) { return analysis::parse_colouring(text); });
}

void ColourChoice::paint(analysis::FigureData& figure, const FigureRequest& request) const {
  if (!analysis::set_colouring(figure, colours) && colours != ColourChoice().colours) {
    throw UsageError(fmt::format("{}: --colours {} is for scales that begin at 0", figure_text(request),
                                 analysis::name(colours)));
  }
}

bool is_of_grammar(const RecordingHeader& header, const QuantityName& name) {
  return name.stack() == header.stack().stack &&
         (is_map(name) || name.quantity() == Quantity::gate || name.quantity() == Quantity::self_gate);
}

// ---- many sentences ----------------------------------------------------------------------------------

void CountingChoice::declare_quantity(Choices& choices, std::string help) {
  choices.text("quantity", quantity, std::move(help));
}

void CountingChoice::declare_bins(Choices& choices) {
  choices.text("bins", bins, "Width of the length bins in words, or their lower ends");
  choices.text("by", by, "layer,length or layer,position (of the word in its sentence)");
}

void CountingChoice::declare_words(Choices& choices) {
  choices.text("words", words, "Only these words of each sentence: 1-8, 8, 3-");
}

void CountingChoice::declare_layers(Choices& choices) {
  choices.text("layers", layers, "Only these layers, for example 2-6");
}

void CountingChoice::declare_bootstrap(Choices& choices) {
  choices.number("bootstrap", statistics.bootstrap.resamples, "Resamples of the bands; 0: none", 0,
                 1'000'000);
}

void CountingChoice::declare_treebank(Choices& choices, std::string help) {
  choices.path("treebank", statistics.treebank, std::move(help));
}

void CountingChoice::read(const FigureRequest& request) {
  statistics.recordings = request.inputs;
  parse_quantities(quantity, statistics);
  statistics.bins = analysis::LengthBins::parse(bins);
  parse_by(by, statistics);
  if (request.has("bins") && !statistics.by_length && !statistics.by_position) {
    throw UsageError(
        fmt::format("{}: --bins {} has no effect here; it belongs to figures by length or position (--by)",
                    figure_text(request), bins));
  }
  if (!words.empty()) {
    statistics.words = analysis::WordRange::parse(words);
  }
  if (!layers.empty()) {
    statistics.layers = parse_layers(layers);
  }
  statistics.bootstrap.seed = request.seed;
}

bool is_of(const std::vector<analysis::Measure>& measures, const QuantityName& name) {
  return std::any_of(measures.begin(), measures.end(), [&](analysis::Measure measure) {
    switch (measure) {
      case analysis::Measure::gate:
        return name.quantity() == Quantity::gate;
      case analysis::Measure::share:
        return name.quantity() == Quantity::output && name.reduction() == Reduction::share;
      case analysis::Measure::entropy:
        return name.quantity() == Quantity::attention && name.reduction() == Reduction::row_entropy;
      case analysis::Measure::maximum:
        return name.quantity() == Quantity::attention && name.reduction() == Reduction::row_max;
      case analysis::Measure::leaves:
        return name.quantity() == Quantity::order && name.reduction() == Reduction::mean;
      case analysis::Measure::sink:
        return name.quantity() == Quantity::attention && name.reduction() == Reduction::full;
    }
    return false;
  });
}

void check_recordings(const FigureRequest& request) {
  if (request.inputs.empty()) {
    throw UsageError(
        fmt::format("{}: no {} was named", figure_text(request),
                    find_figure_kind(request.kind).of == FigureKind::Of::tables ? "table" : "recording"));
  }
}

void refuse_models(const FigureRequest& request) {
  for (const std::filesystem::path& recording : request.inputs) {
    refuse_model(figure_text(request), recording,
                 "it shows many sentences: record a corpus with `mog record -m MODEL -i CORPUS -o FOLDER`");
  }
}

// ---- recorded quantities -----------------------------------------------------------------------------

std::vector<QuantityName> one_quantity(const FigureRequest& request, const std::string& pattern,
                                       const RecordingHeader& header) {
  std::vector<QuantityName> names;
  for (const QuantitySchema& schema : header.quantities) {
    if (!matches_name(pattern, schema.name.text())) {
      continue;
    }
    if (!names.empty() && (names.front().quantity() != schema.name.quantity() ||
                           names.front().reduction() != schema.name.reduction() ||
                           names.front().part() != schema.name.part())) {
      throw UsageError(fmt::format("{}: --quantity {} is {} and {}; it shows one quantity",
                                   figure_text(request), pattern, names.front().text(), schema.name.text()));
    }
    names.push_back(schema.name);
  }
  if (names.empty()) {
    throw UsageError(fmt::format("{}: --quantity {}: the recording of {} does not hold it",
                                 figure_text(request), pattern, header.model.name));
  }
  std::sort(names.begin(), names.end(), [](const QuantityName& left, const QuantityName& right) {
    // The whole encoder comes after its layers.
    const auto place = [](const QuantityName& name) {
      return name.layer() > 0 ? name.layer() : std::numeric_limits<std::int64_t>::max();
    };
    return place(left) < place(right);
  });
  return names;
}

std::vector<std::string> quantities_by_layer(const RecordingHeader& header, bool that_add_up) {
  std::vector<std::string> patterns;
  for (const QuantitySchema& schema : header.quantities) {
    if (schema.of_target() || schema.name.layer() == 0 || !analysis::has_entry_means(schema) ||
        (that_add_up && !analysis::entries_add_up(schema))) {
      continue;
    }
    // "encoder.3.split.norm" → "encoder.*.split.norm"
    std::string pattern = schema.name.text();
    const std::size_t first = pattern.find('.');
    const std::size_t second = first == std::string::npos ? first : pattern.find('.', first + 1);
    if (first != std::string::npos) {
      pattern.replace(first + 1, (second == std::string::npos ? pattern.size() : second) - first - 1, "*");
    }
    if (std::find(patterns.begin(), patterns.end(), pattern) == patterns.end()) {
      patterns.push_back(std::move(pattern));
    }
  }
  return patterns;
}

}  // namespace mog::app
