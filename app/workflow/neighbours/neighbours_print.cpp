// Neighbours for people: a concordance (key word in context), then what they have in common.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "app/workflow/common/text_format.h"
#include "app/workflow/neighbours/neighbours_job.h"
#include "io/recording/counted.h"
#include "io/recording/utf8.h"

namespace mog::app {
namespace {

constexpr std::int64_t kLeft = 34;  // characters of context
constexpr std::int64_t kRight = 34;

std::string_view last_characters(std::string_view text, std::int64_t most) {
  std::size_t at = text.size();
  while (most > 0 && at > 0) {
    do {
      --at;
    } while (at > 0 && !begins_character(text[at]));
    --most;
  }
  return text.substr(at);
}
std::string_view first_characters(std::string_view text, std::int64_t most) {
  std::size_t at = 0;
  while (most > 0 && at < text.size()) {
    at += utf8_length_at(text, at);
    --most;
  }
  return text.substr(0, std::min(at, text.size()));
}

std::string context_line(const NeighbourWord& word) {
  std::string left;
  std::string right;
  for (std::size_t i = 0; i < word.words.size(); ++i) {
    const auto number = static_cast<std::int64_t>(i + 1);
    if (number < word.word) {
      left += (left.empty() ? "" : " ") + printable(word.words[i]);
    } else if (number > word.word) {
      right += (right.empty() ? "" : " ") + printable(word.words[i]);
    }
  }
  const std::string_view before = last_characters(left, kLeft);
  const std::string_view after = first_characters(right, kRight);
  return std::string(static_cast<std::size_t>(kLeft - count_characters(before)), ' ') + std::string(before) +
         " [" + printable(word.text()) + "]" + (after.empty() ? "" : " ") + std::string(after);
}

// "0.123"; a dash where there is no number.
std::string number_text(double value, int decimals) {
  return std::isnan(value) ? "–" : fmt::format("{:.{}f}", value, decimals);
}

std::string facts_line(const NeighbourWord& word, bool occurrences) {
  std::string text;
  const auto add = [&](const std::string& fact) { text += (text.empty() ? "" : ", ") + fact; };
  if (!word.upos.empty()) {
    add(printable(word.upos) + (word.relation.empty() ? "" : " " + printable(word.relation)));
  }
  if (word.attends) {
    add(fmt::format("attends to {} {:.2f}", printable(word.attends->text), word.attends->weight));
  }
  if (word.special > 0) {
    add(fmt::format("{}special tokens {:.2f}", word.attends ? "" : "attends to ", word.special));
  }
  if (occurrences) {
    add(fmt::format("among the nearest of {}", word.occurrences));
  }
  return text;
}

std::string table_of(const Neighbours& neighbours, const std::string& group, const std::string& title) {
  std::string text;
  for (const NeighbourShare& row : neighbours.shares) {
    if (row.group != group || (row.neighbours == 0 && group != "occurrences")) {
      continue;
    }
    if (text.empty()) {
      text = fmt::format("\n{:<18}{:>11}{:>9}{:>12}{:>9}{:>8}  95 % interval\n", title, "neighbours", "share",
                         group == "occurrences" ? "reference" : "corpus", "share", "ratio");
    }
    const analysis::ShareRatio& ratio = row.ratio;
    text += fmt::format("{:<18}{:>11}{:>8.1f}%{:>12}{:>8.1f}%", printable(row.value), row.neighbours,
                        100 * ratio.share, grouped(row.all), 100 * ratio.of_all);
    text += ratio.of_all > 0 ? fmt::format("{:>8.2f}  {:.2f} to {:.2f}\n", ratio.ratio, ratio.low, ratio.high)
                             : std::string("       –\n");
  }
  return text;
}

nlohmann::ordered_json word_json(const NeighbourWord& word, bool occurrences) {
  nlohmann::ordered_json one = {
      {"sentence", word.sentence}, {"position", word.word}, {"word", word.text()}, {"words", word.words}};
  one["upos"] = word.upos.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(word.upos);
  one["relation"] = word.relation.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(word.relation);
  one["attends"] = nullptr;
  if (word.attends) {
    one["attends"] = {
        {"position", word.attends->word}, {"word", word.attends->text}, {"weight", word.attends->weight}};
  }
  one["special"] = word.gives.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(word.special);
  one["occurrences"] = occurrences ? nlohmann::ordered_json(word.occurrences) : nlohmann::ordered_json();
  return one;
}

}  // namespace

std::string pairs_text(const analysis::KOccurrence& occurrence) {
  return std::isnan(occurrence.pair_mean)
             ? "–"
             : fmt::format("{:.3f} ± {:.3f}", occurrence.pair_mean, occurrence.pair_deviation);
}

std::string print_neighbours(const Neighbours& neighbours) {
  const bool occurrences = neighbours.tells_occurrences();
  const NeighbourWord& word = neighbours.word;
  std::string text = fmt::format(
      "neighbours of {}, word {} of sentence {}, among {} {} of {}{}\n{} of {}{}{}\n", printable(word.text()),
      word.word, word.sentence, grouped(neighbours.words), plural(neighbours.words, "word"),
      grouped(neighbours.sentences) + " " + plural(neighbours.sentences, "sentence"),
      neighbours.sentences < neighbours.all_sentences
          ? fmt::format(" (of {})", grouped(neighbours.all_sentences))
          : "",
      neighbours.measure, neighbours.quantity,
      neighbours.head > 0 ? fmt::format(", head {}", neighbours.head) : "",
      neighbours.centered ? ", less the mean over the corpus" : "");
  if (neighbours.reference > 0) {
    text += fmt::format("any two words: {} ({} {} drawn)\n", pairs_text(neighbours.occurrence),
                        grouped(neighbours.reference), plural(neighbours.reference, "word"));
  }
  text += fmt::format("\n{:>4} {:>7} {:>9}  {}\n", "", "", "", context_line(word));
  if (const std::string facts = facts_line(word, occurrences); !facts.empty()) {
    text += fmt::format("{:>22}  {}\n", "", facts);
  }
  for (std::size_t i = 0; i < neighbours.found.size(); ++i) {
    const NeighbourWord& one = neighbours.found[i];
    text += fmt::format("{:>4} {:>7.4f} {:>9}  {}\n", i + 1, one.similarity,
                        fmt::format("{}:{}", one.sentence, one.word), context_line(one));
    if (const std::string facts = facts_line(one, occurrences); !facts.empty()) {
      text += fmt::format("{:>22}  {}\n", "", facts);
    }
  }
  text += table_of(neighbours, "upos", "part of speech");
  text += table_of(neighbours, "relation", "relation");
  if (occurrences) {
    text += table_of(neighbours, "occurrences", "k-occurrence N");
    text += fmt::format(
        "N: of how many of the {} words drawn it is one of the {} nearest; skewness {}, greatest {}, never "
        "{:.1f} %\n",
        grouped(neighbours.reference), neighbours.k, number_text(neighbours.occurrence.skewness, 2),
        neighbours.occurrence.most, 100 * neighbours.occurrence.never);
  }
  return text;
}

std::string to_json(const Neighbours& neighbours) {
  using Json = nlohmann::ordered_json;
  const bool occurrences = neighbours.tells_occurrences();
  Json document = {{"model", neighbours.model.name},
                   {"corpus", neighbours.corpus},
                   {"measure", neighbours.measure},
                   {"quantity", neighbours.quantity},
                   {"head", neighbours.head == 0 ? Json() : Json(neighbours.head)},
                   {"centered", neighbours.centered},
                   {"other_words", neighbours.other_words},
                   {"compared", neighbours.words},
                   {"left_out", neighbours.left_out},
                   {"sentences", neighbours.sentences},
                   {"all_sentences", neighbours.all_sentences},
                   {"tags_from", neighbours.tags.empty() ? Json() : Json(neighbours.tags)},
                   {"of", word_json(neighbours.word, occurrences)}};
  Json found = Json::array();
  for (std::size_t i = 0; i < neighbours.found.size(); ++i) {
    Json one = {{"rank", i + 1}, {"similarity", neighbours.found[i].similarity}};
    one.update(word_json(neighbours.found[i], occurrences));
    found.push_back(std::move(one));
  }
  document["neighbours"] = std::move(found);
  Json shares = Json::array();
  for (const NeighbourShare& row : neighbours.shares) {
    shares.push_back({{"group", row.group},
                      {"value", row.value},
                      {"neighbours_count", row.neighbours},
                      {"share", row.ratio.share},
                      {"all_count", row.all},
                      {"all_share", row.ratio.of_all},
                      {"ratio", row.ratio.ratio},
                      {"ratio_low", row.ratio.low},
                      {"ratio_high", row.ratio.high}});
  }
  document["shares"] = std::move(shares);
  document["reference"] = nullptr;
  if (neighbours.reference > 0) {
    document["reference"] = {{"words", neighbours.reference},
                             {"k", neighbours.k},
                             {"pair_mean", neighbours.occurrence.pair_mean},
                             {"pair_deviation", neighbours.occurrence.pair_deviation},
                             {"skewness", occurrences ? Json(neighbours.occurrence.skewness) : Json()},
                             {"most", occurrences ? Json(neighbours.occurrence.most) : Json()},
                             {"never", occurrences ? Json(neighbours.occurrence.never) : Json()}};
  }
  document["notes"] = neighbours.notes;
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace mog::app
