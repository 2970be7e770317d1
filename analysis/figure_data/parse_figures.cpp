#include "analysis/figure_data/parse_figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <filesystem>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "analysis/figure_data/captions.h"
#include "analysis/figure_data/cell_values.h"
#include "io/recording/counted.h"
#include "io/recording/errors.h"
#include "io/recording/nearest_name.h"

namespace mog::analysis {
namespace {

struct Row {
  std::string system;
  std::string by;
  std::string group;
  LengthSpan lengths;      // of a bin; "root" is [0, 1)
  LinePoint point;         // but for its x
  std::int64_t words = 0;  // of the reference
};

std::int64_t whole(double value, std::int64_t absent) {
  return std::isfinite(value) ? std::llround(value) : absent;
}

// What a table of `mog evaluate` says of one measure.
struct ParseErrors {
  std::vector<Row> rows;
  std::vector<std::string> systems;  // in the order of the table
  std::string signature;
  std::int64_t sentences = 0;  // of the reference
  std::int64_t words = 0;

  ParseErrors(const Table& table, const std::string& measure, const std::string& file) {
    require_columns(table, file);
    std::vector<std::string> measures;
    for (const std::vector<Cell>& cells : table.rows) {
      const auto cell = [&](const char* column) -> const Cell& { return cells[table.column(column)]; };
      const auto number = [&](const char* column) { return number_of(cell(column)); };
      if (std::ranges::find(measures, text_of(cell("measure"))) == measures.end()) {
        measures.push_back(text_of(cell("measure")));
      }
      if (text_of(cell("measure")) != measure) {
        continue;
      }
      Row row;
      row.system = text_of(cell("system"));
      row.by = text_of(cell("by"));
      row.group = text_of(cell("group"));
      row.lengths = {whole(number("length_low"), 0), whole(number("length_high"), -1)};
      row.words = whole(number("reference"), 0);
      row.point.y = number("value");
      row.point.low = number("low");
      row.point.high = number("high");
      row.point.sentences = whole(number("sentences"), 0);
      if (row.group == "root") {
        row.lengths = {0, 1};
      }
      add(std::move(row), text_of(cell("signature")), file);
    }
    if (std::ranges::all_of(rows, [](const Row& row) { return row.by == "all"; })) {
      throw UsageError(
          fmt::format("drawing {}: it has no row of {} by a group of words; make it by mog evaluate --by "
                      "sentence-length,dependency-length,root-distance,relation --format csv{}",
                      file, measure, rows.empty() ? did_you_mean(measure, measures) : std::string()));
    }
  }

  // The index of a row's system.
  std::size_t system(const Row& row) const {
    return static_cast<std::size_t>(std::ranges::find(systems, row.system) - systems.begin());
  }

 private:
  static void require_columns(const Table& table, const std::string& file) {
    for (const char* const column : {"system", "measure", "by", "group", "length_low", "length_high", "value",
                                     "low", "high", "sentences", "reference", "signature"}) {
      if (std::ranges::find(table.columns, column) == table.columns.end()) {
        throw UsageError(fmt::format(
            "drawing {}: it has no column \"{}\"; expected a table of mog evaluate --by", file, column));
      }
    }
  }

  void add(Row row, const std::string& own_signature, const std::string& file) {
    if (row.by == "all") {
      if (sentences > 0 && (row.point.sentences != sentences || row.words != words)) {
        throw UsageError(fmt::format(
            "drawing {}: its rows are of different references: {} words in {} sentences, and {} in {}", file,
            words, sentences, row.words, row.point.sentences));
      }
      sentences = row.point.sentences;
      words = row.words;
      signature = own_signature;
    }
    if (std::ranges::find(systems, row.system) == systems.end()) {
      systems.push_back(row.system);
    }
    rows.push_back(std::move(row));
  }
};

// Names of systems as short as they stay apart: files without folder and ending, else as they are.
std::vector<std::string> short_names(const std::vector<std::string>& systems) {
  std::vector<std::string> names;
  names.reserve(systems.size());
  for (const std::string& system : systems) {
    names.push_back(std::filesystem::path(system).stem().string());
  }
  return std::set<std::string>(names.begin(), names.end()).size() == names.size() ? names : systems;
}

struct PanelKind {
  std::string_view by;
  std::string_view title;
  AxisText x;
};

const std::array<PanelKind, 4>& panel_kinds() {
  static const std::array<PanelKind, 4> kKinds = {{
      {"dependency-length", "by length of the dependency", {"dependency length", "words", ""}},
      {"root-distance", "by distance to the root", {"distance to the root", "arcs", ""}},
      {"sentence-length", "by length of the sentence", {"sentence length", "words", ""}},
      {"relation", "by relation", {"relation", "", "the most frequent first"}},
  }};
  return kKinds;
}

// The categories of a panel: groups in the order of the table, of the first system that has each.
std::vector<const Row*> categories(const ParseErrors& errors, std::string_view by, std::int64_t most) {
  std::vector<const Row*> result;
  for (const Row& row : errors.rows) {
    const bool known =
        std::ranges::any_of(result, [&](const Row* other) { return other->group == row.group; });
    // Relations that the reference does not have have no recall.
    if (row.by == by && !known && (by != "relation" || row.words > 0)) {
      result.push_back(&row);
    }
  }
  if (by == "relation" && std::ssize(result) > most) {
    result.resize(static_cast<std::size_t>(most));
  }
  return result;
}

std::optional<FigureData> panel(const ParseErrors& errors, const PanelKind& kind,
                                const ParseErrorOptions& options) {
  const std::vector<const Row*> groups = categories(errors, kind.by, options.relations);
  if (groups.empty()) {
    return std::nullopt;
  }
  const bool by_relation = kind.by == "relation";
  const std::vector<std::string> names = short_names(errors.systems);
  LinePlot plot;
  plot.x = kind.x;
  plot.y = {options.measure + (by_relation ? " recall" : " F1"), "%", ""};
  plot.counts_label = by_relation ? "" : "words";
  plot.joined = !by_relation;
  for (const Row* const group : groups) {
    plot.x_categories.push_back(group->group);
    // Names are turned: there is no room for numbers below them.
    if (!by_relation) {
      plot.counts.push_back(group->words);
      plot.x_lengths.push_back(group->lengths);
    }
  }
  const auto count = static_cast<std::int64_t>(names.size());
  for (std::int64_t index = 0; index < count; ++index) {
    LineSeries series;
    series.label = names[static_cast<std::size_t>(index)];
    series.colour = ColourKey::of_category(index, count);
    series.dash = dash_of_category(index);
    for (std::size_t category = 0; category < groups.size(); ++category) {
      for (const Row& row : errors.rows) {
        if (row.by == kind.by && row.group == groups[category]->group &&
            errors.system(row) == static_cast<std::size_t>(index)) {
          series.points.push_back(row.point);
          series.points.back().x = static_cast<double>(category);
        }
      }
    }
    plot.series.push_back(std::move(series));
  }
  FigureData figure;
  figure.title = kind.title;
  figure.body = std::move(plot);
  return figure;
}

}  // namespace

FigureData parse_errors_figure(const Table& table, const ParseErrorOptions& options,
                               const std::string& file) {
  const ParseErrors errors(table, options.measure, file);
  PanelFigure panels;
  panels.columns = 2;
  for (const PanelKind& kind : panel_kinds()) {
    if (auto one = panel(errors, kind, options)) {
      panels.panels.push_back(std::move(*one));
    }
  }
  FigureData figure;
  figure.title = fmt::format("{} of parsers by groups of words", options.measure);
  figure.body = std::move(panels);
  figure.caption = fmt::format(
      "{}, {} {}, {} {}{}; scores of CoNLL 2018, F1 by each parse's own tree and the reference's{}", file,
      grouped(errors.sentences), plural(errors.sentences, "sentence"), grouped(errors.words),
      plural(errors.words, "word"),
      errors.signature.find("punct:no") == std::string::npos ? "" : " without punctuation",
      bands_clause(figure, {}));
  return figure;
}

}  // namespace mog::analysis
