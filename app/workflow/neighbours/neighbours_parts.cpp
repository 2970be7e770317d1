#include "app/workflow/neighbours/neighbours_parts.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "app/workflow/trees/trees_job.h"
#include "io/recording/counted.h"
#include "io/recording/errors.h"
#include "io/recording/nearest_name.h"
#include "io/recording/top_keys.h"

namespace mog::app {
namespace {

bool is_state(const QuantitySchema& schema) {
  return schema.axes.size() == 2 && schema.axes[0] == Axis::token && schema.extents.size() == 2 &&
         schema.extents[1] > 0;
}

// "encoder.3.output, encoder.6.output", as far as a line goes.
std::string states_held(const RecordingHeader& header) {
  constexpr int kMost = 8;
  std::string text;
  int shown = 0;
  for (const QuantitySchema& schema : header.quantities) {
    if (is_state(schema) && shown++ < kMost) {
      text += (text.empty() ? "" : ", ") + schema.name.text();
    }
  }
  return shown > kMost ? text + ", …" : text;
}

QuantityName state_name(const RecordingHeader& header, std::int64_t layer) {
  return {header.stack().stack, layer, Part::none, layer == 0 ? Quantity::embedding : Quantity::output};
}

bool holds_states(const RecordingHeader& header, std::int64_t layer) {
  const QuantitySchema* const schema = header.find(state_name(header, layer));
  return schema != nullptr && is_state(*schema);
}

[[noreturn]] void refuse_states(const RecordingHeader& header, const QuantityName& name,
                                const std::string& pattern) {
  const std::string held = states_held(header);
  throw UsageError(fmt::format(
      "neighbours: the recording of {} does not hold {}; record states with mog record --quantity '{}'{}",
      header.model.name, name.text(), pattern,
      held.empty() ? "" : fmt::format(", or choose with --quantity of what it holds: {}", held)));
}

QuantityName states_of(const RecordingHeader& header, const NeighboursOptions& options) {
  const StackDescription& stack = header.stack();
  if (!options.quantity.empty()) {
    QuantityName name = QuantityName::parse(options.quantity);
    const QuantitySchema* const schema = header.find(name);
    if (schema == nullptr) {
      refuse_states(header, name, name.text());
    }
    if (!is_state(*schema)) {
      throw UsageError(fmt::format(
          "neighbours --quantity {}: neighbours are of vectors of tokens of the sentence, [token, width]",
          name.text()));
    }
    return name;
  }
  if (options.layer > stack.layers) {
    throw UsageError(fmt::format("neighbours --layer {}: {} has {}, counted from 1 (0: the embedding)",
                                 options.layer, header.model.name, counted(stack.layers, "layer")));
  }
  const std::string pattern = state_name(header, 1).text();
  const std::string all = pattern.substr(0, pattern.find('.')) + ".*.output";
  if (options.layer >= 0) {
    QuantityName name = state_name(header, options.layer);
    if (!holds_states(header, options.layer)) {
      refuse_states(header, name, options.layer == 0 ? name.text() : all);
    }
    return name;
  }
  if (const std::optional<std::int64_t> last = states_layer(header, -1)) {
    return state_name(header, *last);
  }
  refuse_states(header, state_name(header, std::max<std::int64_t>(stack.layers, 1)), all);
}

struct LayerHead {
  std::int64_t layer = 0;
  std::int64_t head = 0;
};
LayerHead parse_head(const std::string& text) {
  LayerHead result;
  const char* const end = text.data() + text.size();
  const auto layer = std::from_chars(text.data(), end, result.layer);
  const bool dot = layer.ec == std::errc() && layer.ptr != end && *layer.ptr == '.';
  const auto head = dot ? std::from_chars(layer.ptr + 1, end, result.head) : layer;
  if (!dot || head.ec != std::errc() || head.ptr != end || result.layer < 1 || result.head < 1) {
    throw UsageError(fmt::format(
        "neighbours --head {}: expected a layer and a head, counted from 1, with a point between: 3.2",
        text));
  }
  return result;
}

ComparedQuantity head_rows(const RecordingHeader& header, const NeighboursOptions& options) {
  const auto [layer, head] = parse_head(options.head);
  const StackDescription& stack = header.stack();
  if (layer > stack.layers) {
    throw UsageError(fmt::format("neighbours --head {}: {} has {}", options.head, header.model.name,
                                 counted(stack.layers, "layer")));
  }
  const Part part = options.part.empty() ? Part::none : Part::parse(options.part);
  AttentionRows rows(header, layer, part, false);
  if (rows.empty()) {
    throw UsageError(
        fmt::format("neighbours --head {}: the recording of {} holds no attention by head of layer {}{}; "
                    "record it with mog "
                    "record --capture attention",
                    options.head, header.model.name, layer,
                    part == Part::none ? "" : fmt::format(", part {}", mog::name(part))));
  }
  if (rows.names().size() > 1) {
    std::string parts;
    for (const QuantityName& name : rows.names()) {
      parts += (parts.empty() ? "" : ", ") + std::string(mog::name(name.part()));
    }
    throw UsageError(
        fmt::format("neighbours --head {}: layer {} has several attentions; name one with --part: {}",
                    options.head, layer, parts));
  }
  if (head > rows.heads()) {
    throw UsageError(fmt::format("neighbours --head {}: {} has {}", options.head, rows.names().front().text(),
                                 counted(rows.heads(), "head")));
  }
  const QuantityName name = rows.names().front();
  return {name, head, std::move(rows)};
}

std::string range_text(std::int64_t low, std::int64_t high) {
  return low == high ? std::to_string(low) : fmt::format("{} to {}", low, high);
}

void add_group(Neighbours& result, const std::string& group, const std::map<std::string, std::int64_t>& all,
               std::string NeighbourWord::*member) {
  if (all.empty()) {
    return;
  }
  std::map<std::string, std::int64_t> own;
  for (const NeighbourWord& word : result.found) {
    ++own[word.*member];
  }
  std::int64_t words = 0;
  for (const auto& [value, count] : all) {
    words += count;
  }
  std::vector<NeighbourShare> rows;
  for (const auto& [value, count] : all) {
    const auto found = own.find(value);
    const std::int64_t mine = found == own.end() ? 0 : found->second;
    rows.push_back(
        {group, value, mine, count,
         analysis::share_ratio(mine, static_cast<std::int64_t>(result.found.size()), count, words)});
  }
  std::stable_sort(rows.begin(), rows.end(), [](const NeighbourShare& left, const NeighbourShare& right) {
    return left.neighbours != right.neighbours ? left.neighbours > right.neighbours : left.all > right.all;
  });
  result.shares.insert(result.shares.end(), rows.begin(), rows.end());
}

}  // namespace

std::optional<std::int64_t> states_layer(const RecordingHeader& header, std::int64_t wished) {
  const std::int64_t layers = header.stack().layers;
  if (wished >= 0 && wished <= layers && holds_states(header, wished)) {
    return wished;
  }
  for (std::int64_t layer = layers; layer >= 1; --layer) {
    if (holds_states(header, layer)) {
      return layer;
    }
  }
  return std::nullopt;
}

ComparedQuantity compared_quantity(const RecordingHeader& header, const NeighboursOptions& options) {
  if (!options.head.empty()) {
    if (options.layer >= 0 || !options.quantity.empty()) {
      throw UsageError("neighbours: --head is of attention, --layer and --quantity are of states");
    }
    if (options.center) {
      throw UsageError("neighbours: --center is of states; rows of attention are compared as they are");
    }
    return head_rows(header, options);
  }
  if (!options.part.empty()) {
    throw UsageError("neighbours: --part goes with --head; states of a part are a --quantity");
  }
  if (options.layer >= 0 && !options.quantity.empty()) {
    throw UsageError("neighbours: --layer and --quantity exclude each other");
  }
  const QuantityName name = states_of(header, options);
  return {name, 0, AttentionRows(header, name.layer(), Part::none, true)};
}

void check_word(const Sentence& sentence, std::int64_t word) {
  const auto words = static_cast<std::int64_t>(sentence.words.size());
  if (word < 1 || word > words) {
    throw UsageError(fmt::format("neighbours --word {}: sentence {} has {}, counted from 1", word,
                                 sentence.number, counted(words, "word")));
  }
  if (tokens_of(sentence, word - 1).empty()) {
    throw UsageError(fmt::format(
        "neighbours --word {}: this word of sentence {} has no token in the recording{}", word,
        sentence.number, sentence.truncated ? ", whose tokens end before it (the sentence was cut)" : ""));
  }
}

NeighbourWord NeighbourFacts::of(const analysis::NearWord& near) const {
  const std::int64_t index = sentence_index(source, near.place.sentence);
  Sentence sentence = source.sentence(index);
  const std::optional<TagsOfSentence> known = tags.tags(source, index, sentence);
  NeighbourWord result;
  result.similarity = near.similarity;
  result.sentence = near.place.sentence;
  result.word = near.place.word + 1;
  for (const Word& word : sentence.words) {
    result.words.push_back(word.text);
  }
  const auto at = static_cast<std::size_t>(near.place.word);
  if (known && !known->upos.empty()) {
    result.upos = known->upos[at];
  }
  if (known && !known->relations.empty()) {
    result.relation = known->relations[at];
  }
  if (std::optional<WordWeights> given =
          word_weights(compared.rows, source, index, sentence, near.place.word, compared.head)) {
    result.gives = std::move(given->words);
    result.special = given->special;
    result.attends = strongest_word(sentence, result.gives);
  }
  return result;
}

void add_shares(Neighbours& result, const TagCounts& all) {
  add_group(result, "upos", all.upos, &NeighbourWord::upos);
  add_group(result, "relation", all.relations, &NeighbourWord::relation);
  if (!result.tells_occurrences()) {
    return;
  }
  // Bins by the mean, which is k.
  const std::int64_t k = result.k;
  const std::int64_t ends[] = {0, k, 2 * k, 5 * k};
  std::int64_t low = 0;
  for (std::size_t bin = 0; bin <= std::size(ends); ++bin) {
    const bool last = bin == std::size(ends);
    const std::int64_t high = last ? result.reference : ends[bin];
    const auto in = [&](std::int64_t count) { return count >= low && (last || count <= high); };
    const auto mine = std::count_if(result.found.begin(), result.found.end(),
                                    [&](const NeighbourWord& word) { return in(word.occurrences); });
    const auto theirs = std::count_if(result.occurrence.sample.begin(), result.occurrence.sample.end(), in);
    result.shares.push_back({"occurrences", last ? fmt::format("{} and more", low) : range_text(low, high),
                             mine, theirs,
                             analysis::share_ratio(mine, static_cast<std::int64_t>(result.found.size()),
                                                   theirs, result.reference)});
    low = high + 1;
  }
}

}  // namespace mog::app
