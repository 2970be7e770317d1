#include "app/gui/views/start/start_facts.h"

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "io/recording/errors.h"

namespace mog::gui {
namespace {
constexpr std::int64_t kMostLeaves = 8;
constexpr double kLeastWeight = 1e-6;

void check(const std::stop_token& stop) {
  if (stop.stop_requested()) {
    throw Interrupted("reading a sentence");
  }
}

// The row of an answer that a word is opened on; -1: none.
std::ptrdiff_t row_of(const SentenceGraphs::Answer& answer) {
  std::ptrdiff_t row = -1;
  for (std::size_t at = 0; at < answer.derivations.size(); ++at) {
    if (answer.derivations[at].entry.weight >= kLeastWeight) {
      row = static_cast<std::ptrdiff_t>(at);
    }
  }
  return row;
}

QString word_text(const Sentence& sentence, std::int64_t token) {
  const std::int64_t word = sentence.tokens[static_cast<std::size_t>(token)].word;
  return QString::fromStdString(sentence.words[static_cast<std::size_t>(word)].text);
}

// Questions are about words, not about marks between them.
bool has_letters(const QString& text) {
  return std::any_of(text.begin(), text.end(), [](QChar letter) { return letter.isLetterOrNumber(); });
}

// [head, query, key] of the tokens of the sentence.
bool is_map(const RecordingHeader& header, const QuantitySchema& schema) {
  return schema.name.stack() == header.stack().stack && schema.name.quantity() == Quantity::attention &&
         schema.name.reduction() == Reduction::full && schema.name.layer() > 0 &&
         schema.axes == std::vector<Axis>{Axis::head, Axis::query, Axis::key};
}

}  // namespace

std::optional<StartGraph> find_start_graph(SentenceGraphs& graphs, std::int64_t tokens,
                                           std::optional<std::int64_t> token, const std::stop_token& stop) {
  graphs.goal_of(std::nullopt, 0);  // reads the sentence
  const bool one = token && graphs.word_of(*token) >= 0;
  const std::int64_t first = one ? *token : 0;
  const std::int64_t last = one ? *token + 1 : tokens;
  const auto text = [&graphs](std::int64_t word) {
    return QString::fromStdString(graphs.words()[static_cast<std::size_t>(word)]);
  };
  SentenceGraphs::Answer best;
  std::ptrdiff_t row = -1;
  std::int64_t last_word = -1;
  StartGraph found;
  for (std::int64_t at = first; at < last; ++at) {
    check(stop);
    const std::int64_t word = graphs.word_of(at);
    if (word < 0 || word == last_word || (!one && !has_letters(text(word)))) {
      continue;
    }
    last_word = word;
    SentenceGraphs::Answer answer = graphs.best_by_leaves(graphs.goal_of(at, graphs.layers()), kMostLeaves);
    const std::ptrdiff_t its_row = row_of(answer);
    if (its_row < 0) {
      continue;
    }
    const analysis::KBestEntry& entry = answer.derivations[static_cast<std::size_t>(its_row)].entry;
    if (row < 0 || std::pair(entry.leaves, entry.weight) > std::pair(found.leaves, found.weight)) {
      found.token = graphs.token_of(word);
      found.leaves = entry.leaves;
      found.weight = entry.weight;
      best = std::move(answer);
      row = its_row;
    }
  }
  if (row < 0) {
    return std::nullopt;
  }
  const analysis::DerivationNode& root = best.derivations[static_cast<std::size_t>(row)].root();
  found.word = text(best.goal.word);
  found.goal_layer = best.goal.layer;
  if (!root.is_leaf()) {
    found.layer = root.layer;
    found.reached = text(root.target);
  }
  GoldNote note;
  found.made = graphs.figure(best, static_cast<std::size_t>(row), SentenceGraphs::Look{}, {}, note);
  return found;
}

std::optional<StartLook> find_start_look(const RecordingSource& source, std::int64_t index,
                                         std::optional<std::int64_t> token, const std::stop_token& stop) {
  const Sentence sentence = source.sentence(index);
  const auto size = static_cast<std::int64_t>(sentence.tokens.size());
  const auto word_of = [&](std::int64_t at) { return sentence.tokens[static_cast<std::size_t>(at)].word; };
  const bool one = token && *token < size && word_of(*token) >= 0;
  const std::int64_t first = one ? *token : 0;
  const std::int64_t last = one ? *token + 1 : size;
  std::vector<bool> asked;  // whether the token is of a word that is asked about
  for (std::int64_t at = 0; at < size; ++at) {
    asked.push_back(word_of(at) >= 0 && has_letters(word_text(sentence, at)));
  }
  if (one) {
    asked[static_cast<std::size_t>(*token)] = true;
  }
  StartLook best;
  for (const QuantitySchema& schema : source.header().quantities) {
    if (!is_map(source.header(), schema)) {
      continue;
    }
    check(stop);
    const std::vector<float> values = source.read(index, schema.name).to_floats();
    const auto heads = static_cast<std::int64_t>(values.size()) / std::max<std::int64_t>(1, size * size);
    for (std::int64_t head = 0; head < heads; ++head) {
      for (std::int64_t query = first; query < last; ++query) {
        for (std::int64_t key = 0; key < size; ++key) {
          const auto weight =
              static_cast<double>(values[static_cast<std::size_t>((head * size + query) * size + key)]);
          if (weight > best.weight && asked[static_cast<std::size_t>(query)] &&
              asked[static_cast<std::size_t>(key)] && word_of(query) != word_of(key)) {
            best = {schema.name.layer(), schema.name.part(), head + 1, query, key, {}, {}, weight};
          }
        }
      }
    }
  }
  if (best.token < 0) {
    return std::nullopt;
  }
  best.word = word_text(sentence, best.token);
  best.looks_at = word_text(sentence, best.key);
  return best;
}

}  // namespace mog::gui
