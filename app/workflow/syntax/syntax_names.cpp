// How sources, rows and choices are spelled.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/workflow/syntax/syntax_job.h"
#include "io/recording/errors.h"
#include "io/recording/nearest_name.h"

namespace mog::app {
namespace {

constexpr std::pair<SyntaxSource, std::string_view> kSources[] = {
    {SyntaxSource::attention, "attention"},
    {SyntaxSource::joins, "joins"},
    {SyntaxSource::presence, "presence"},
    {SyntaxSource::k_best, "k-best"},
    {SyntaxSource::by_leaves, "by-leaves"},
    {SyntaxSource::mog_tree, "mog-tree"},
    {SyntaxSource::mog_beam, "mog-beam"},
    {SyntaxSource::random_tree, "random-tree"},
    {SyntaxSource::left_neighbour, "left-neighbour"},
    {SyntaxSource::right_neighbour, "right-neighbour"},
    {SyntaxSource::best_offset, "best-offset"},
    {SyntaxSource::chosen_head, "chosen-head"},
    {SyntaxSource::chosen_offset, "chosen-offset"},
};
constexpr std::size_t kOfRecordings = 7;  // the first of these

std::string_view up_to(std::string_view text, char end) {
  return text.substr(0, text.find(end));
}

}  // namespace

std::string_view name(SyntaxSource source) noexcept {
  return std::find_if(std::begin(kSources), std::end(kSources),
                      [&](const auto& entry) { return entry.first == source; })
      ->second;
}

std::string SyntaxRow::name() const {
  std::string text(app::name(source));
  if (is_baseline()) {
    return text;
  }
  if (layer > 0) {
    text += fmt::format(":{}", layer);
  }
  if (part != Part::none) {
    text += fmt::format(":{}", mog::name(part));
  }
  if (head > 0) {
    text += fmt::format(":{}", head);
  }
  return text + (key_is_head ? ":key" : ":query");
}

std::string guarantee_of(const SyntaxRow& row, const SyntaxOptions& options) {
  if (row.is_baseline()) {
    return "";
  }
  if (row.source == SyntaxSource::mog_tree) {
    return "exact among the multi-order graphs whose every step joins neighbouring stretches; others may "
           "weigh "
           "more";
  }
  if (row.source == SyntaxSource::mog_beam) {
    return fmt::format(
        "inexact: a beam of {} sets of words for each symbol and number of words; never below the best "
        "multi-order graph whose steps join neighbours, as far as that is found",
        options.beam);
  }
  return fmt::format("exact: the greatest product of weights of all trees{} with one root",
                     options.projective ? " without crossing edges" : "");
}

std::vector<SyntaxSource> parse_syntax_sources(std::string_view text) {
  std::vector<SyntaxSource> sources;
  for (std::string_view rest = text; !rest.empty();) {
    const std::string_view piece = up_to(rest, ',');
    rest.remove_prefix(std::min(rest.size(), piece.size() + 1));
    const auto* const end = std::begin(kSources) + kOfRecordings;
    const auto* const found =
        std::find_if(std::begin(kSources), end, [&](const auto& entry) { return entry.second == piece; });
    if (found == end) {
      throw UsageError(fmt::format(
          "--sources {}: \"{}\" is none; allowed are attention, joins, presence, k-best, "
          "by-leaves, mog-tree, mog-beam{}",
          text, piece,
          did_you_mean(piece,
                       {"attention", "joins", "presence", "k-best", "by-leaves", "mog-tree", "mog-beam"})));
    }
    if (std::find(sources.begin(), sources.end(), found->first) == sources.end()) {
      sources.push_back(found->first);
    }
  }
  if (sources.empty()) {
    throw UsageError(
        "--sources: allowed are attention, joins, presence, k-best, by-leaves, mog-tree, mog-beam");
  }
  return sources;
}

RootChoice parse_root_choice(std::string_view text) {
  if (text == "tree" || text == "gold") {
    return text == "tree" ? RootChoice::tree : RootChoice::gold;
  }
  throw unknown_choice("--root", text, {"tree", "gold"});
}

DirectionChoice parse_direction_choice(std::string_view text) {
  if (text == "query" || text == "key") {
    return text == "query" ? DirectionChoice::query : DirectionChoice::key;
  }
  if (text == "both") {
    return DirectionChoice::both;
  }
  throw unknown_choice("--direction", text, {"query", "key", "both"});
}

MismatchPolicy parse_mismatch_policy(std::string_view text) {
  if (text == "error" || text == "skip") {
    return text == "error" ? MismatchPolicy::error : MismatchPolicy::skip;
  }
  throw unknown_choice("--mismatch", text, {"error", "skip"});
}

SyntaxRow find_row(const SyntaxResult& result, std::string_view text) {
  const SyntaxRowScore* best = nullptr;
  const auto better = [](const SyntaxRowScore& a, const SyntaxRowScore& b) {
    return a.uuas.value != b.uuas.value ? a.uuas.value > b.uuas.value : a.uas.value > b.uas.value;
  };
  for (const SyntaxRowScore& entry : result.rows) {
    if (entry.row.is_baseline()) {
      continue;
    }
    if (entry.row.name() == text) {
      return entry.row;
    }
    if (best == nullptr || std::isnan(best->uuas.value) || better(entry, *best)) {
      best = &entry;
    }
  }
  if (text == "best" && best != nullptr) {
    return best->row;
  }
  throw UsageError(fmt::format(
      "--tree-of {}: there is no such tree; names are best, and those of the table's rows, like {}", text,
      best == nullptr ? "joins:query" : best->row.name()));
}

}  // namespace mog::app
