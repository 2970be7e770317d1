#include "app/workflow/figures/figure_file.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

#include "analysis/figure_data/no_cell.h"
#include "app/workflow/common/shell_line.h"
#include "app/workflow/record/live_run.h"
#include "app/workflow/recordings/open_recording.h"
#include "io/hdf5/file/numbers_file.h"
#include "io/hdf5/recording/recording_reader.h"
#include "io/recording/errors.h"

namespace mog::app {
namespace {

constexpr double kNone = std::numeric_limits<double>::quiet_NaN();

// Sentences stand by their numbers.
std::string text_of(const RecordingSource& source, std::int64_t number) {
  std::int64_t low = 0;
  std::int64_t high = source.size();
  while (low < high) {
    const std::int64_t middle = low + (high - low) / 2;
    if (source.sentence(middle).number < number) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  const Sentence found = low < source.size() ? source.sentence(low) : Sentence();
  return found.number == number ? found.text : std::string();
}

io::NumbersDataset texts(std::string path, std::vector<std::string> values, std::string axes,
                         std::string description) {
  const auto size = static_cast<std::int64_t>(values.size());
  return {std::move(path), {size}, std::move(values), std::move(axes), "", std::move(description)};
}

void add_side(io::NumbersFile& file, const std::string& place, const char* axis, const std::string& title,
              const std::vector<analysis::WordLabel>& labels) {
  std::vector<std::string> words;
  std::vector<std::int64_t> special;
  std::vector<std::int64_t> word;
  for (const analysis::WordLabel& label : labels) {
    words.push_back(label.text);
    special.push_back(label.special ? 1 : 0);
    word.push_back(label.word + 1);
  }
  const auto size = static_cast<std::int64_t>(labels.size());
  file.datasets.push_back(texts(place + "/text", std::move(words), axis, title));
  file.datasets.push_back({place + "/special", {size}, std::move(special), axis, "", "1: a special token"});
  file.datasets.push_back(
      {place + "/word", {size}, std::move(word), axis, "", "number of the word from 1; 0: of none"});
}

void add_map(io::NumbersFile& file, const std::string& prefix, const analysis::HeatMap& map) {
  std::vector<double> values = map.values;
  std::transform(values.begin(), values.end(), values.begin(), analysis::value_in_files);
  file.datasets.push_back(
      {prefix + "values",
       {static_cast<std::int64_t>(map.rows.size()), static_cast<std::int64_t>(map.columns.size())},
       std::move(values),
       "row, column",
       map.scale.quantity.units,
       map.scale.quantity.text() + "; NaN: nothing was recorded"});
  if (!map.texts.empty()) {
    file.datasets.push_back(texts(prefix + "texts", map.texts, "row, column", map.text_title));
  }
  add_side(file, prefix + "rows", "row", map.row_title, map.rows);
  add_side(file, prefix + "columns", "column", map.column_title, map.columns);
}

struct TextOf {
  std::string operator()(std::monostate) const { return ""; }
  std::string operator()(std::int64_t value) const { return fmt::format("{}", value); }
  std::string operator()(double value) const { return analysis::shortest(value); }
  std::string operator()(const std::string& value) const { return value; }
};

struct NumberOf {
  double operator()(std::int64_t value) const { return static_cast<double>(value); }
  double operator()(double value) const { return std::isfinite(value) ? value : kNone; }
  template <class Other>
  double operator()(const Other&) const {
    return kNone;
  }
};

// A column in the narrowest type that holds it: whole numbers, numbers (nothing is NaN), texts.
void add_column(io::NumbersFile& file, const std::string& path, const analysis::Table& table,
                std::size_t column) {
  bool text = false;
  bool whole = true;
  for (const auto& row : table.rows) {
    text = text || std::holds_alternative<std::string>(row[column]);
    whole = whole && std::holds_alternative<std::int64_t>(row[column]);
  }
  const auto size = static_cast<std::int64_t>(table.rows.size());
  io::NumbersDataset dataset{path, {size}, {}, "observation", "", table.columns[column]};
  if (text) {
    std::vector<std::string> values;
    for (const auto& row : table.rows) {
      values.push_back(std::visit(TextOf{}, row[column]));
    }
    dataset.values = std::move(values);
  } else if (whole) {
    std::vector<std::int64_t> values;
    for (const auto& row : table.rows) {
      values.push_back(std::get<std::int64_t>(row[column]));
    }
    dataset.values = std::move(values);
  } else {
    std::vector<double> values;
    for (const auto& row : table.rows) {
      values.push_back(std::visit(NumberOf{}, row[column]));
    }
    dataset.values = std::move(values);
  }
  file.datasets.push_back(std::move(dataset));
}

void add_table(io::NumbersFile& file, const analysis::Table& table) {
  file.groups.emplace_back(
      "table", io::TextAttributes{{"description", "the rows of the CSV table, a dataset a column"},
                                  {"columns", fmt::format("{}", fmt::join(table.columns, ","))}});
  for (std::size_t column = 0; column < table.columns.size(); ++column) {
    add_column(file, "table/" + table.columns[column], table, column);
  }
}

// Matrices as arrays; every other kind stands in the table alone.
void add_matrices(io::NumbersFile& file, const std::string& prefix, const analysis::FigureData& figure) {
  if (const auto* map = std::get_if<analysis::HeatMap>(&figure.body)) {
    add_map(file, prefix, *map);
  } else if (const auto* panels = std::get_if<analysis::PanelFigure>(&figure.body)) {
    for (std::size_t i = 0; i < panels->panels.size(); ++i) {
      const analysis::FigureData& panel = panels->panels[i];
      const std::string place = fmt::format("{}panels/{}", prefix, i + 1);
      file.groups.emplace_back(place, io::TextAttributes{{"title", panel.title}, {"kind", panel.kind()}});
      add_matrices(file, place + "/", panel);
    }
  }
}

void add_sources(io::NumbersFile& file, const FigureFacts& facts) {
  for (std::size_t i = 0; i < facts.sources.size(); ++i) {
    const FigureFacts::Source& source = facts.sources[i];
    const Provenance& made = source.provenance;
    io::TextAttributes texts = {{"recording", source.recording},
                                {"model", source.model.name},
                                {"encoder", source.model.encoder_kind},
                                {"weights_sha256", source.model.weights_sha256},
                                {"tokenizer_sha256", source.model.tokenizer_sha256},
                                {"corpus", made.corpus_name},
                                {"corpus_sha256", made.corpus_sha256},
                                {"command_line", made.command_line},
                                {"device", made.device},
                                {"precision", made.precision},
                                {"seed", fmt::format("{}", made.seed)},
                                {"program_version", made.program_version}};
    if (!made.name.empty()) {
      texts.emplace_back("name", made.name);
    }
    if (source.sentence > 0) {
      texts.emplace_back("sentence", fmt::format("{}", source.sentence));
      texts.emplace_back("text", source.text);
    }
    file.groups.emplace_back(fmt::format("sources/{}", i + 1), std::move(texts));
  }
}

// "mog 0.1.0: mog figure tree a.rec -n 3; recording a.rec: model …, weights …, corpus …, …"
std::string made_by(const FigureFacts& facts) {
  std::string text = "mog " MOG_VERSION;
  const auto add = [&text](std::string_view before, const std::string& value) {
    text += value.empty() ? std::string() : fmt::format("{}{}", before, value);
  };
  add(": ", facts.command);
  for (const FigureFacts::Source& source : facts.sources) {
    text += fmt::format("; {}: model {}", source.recording.empty() ? "text run now" : source.recording,
                        source.model.name);
    add(", weights sha256 ", source.model.weights_sha256);
    add(", corpus ", source.provenance.corpus_name);
    add(", corpus sha256 ", source.provenance.corpus_sha256);
    add(", ", precision_text(source.provenance.precision));
    add(" on ", source.provenance.device);
    add(", recorded by mog ", source.provenance.program_version);
  }
  return text;
}

// A field of one line, whatever a recording calls itself.
std::string one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(), [](char character) { return static_cast<unsigned char>(character) < 0x20; },
      ' ');
  return text;
}

}  // namespace

FigureFacts figure_facts(const FigureRequest& request,
                         std::span<const std::shared_ptr<const RecordingSource>> sources,
                         std::span<const std::string> marks) {
  FigureFacts facts;
  facts.marks = fmt::format("{}", fmt::join(marks, " "));
  std::unique_ptr<Figure> figure;
  try {
    figure = figure_of(request);
    if (!request.text && request.inputs.size() < sources.size()) {
      throw UsageError("the recording is in memory only");
    }
    std::vector<std::string> line = figure_arguments(request);
    for (const std::string& mark : marks) {
      line.insert(line.end(), {"--mark", mark});
    }
    facts.command = shell_line(line);
  } catch (const UsageError&) {
    // There is no command: it was made of what no command runs.
  }
  const std::int64_t sentence = request.text ? 1 : request.number_of("sentence");
  const std::int64_t other = request.number_of("other");
  std::set<QuantityName> names;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    const RecordingHeader& header = sources[i]->header();
    FigureFacts::Source source;
    if (!request.text && i < request.inputs.size()) {
      source.recording = request.inputs[i].filename().string();
      for (std::size_t part = 1; sources.size() == 1 && part < request.inputs.size(); ++part) {
        source.recording += " + " + request.inputs[part].filename().string();
      }
    }
    source.model = header.model;
    source.provenance = header.provenance;
    source.sentence = i > 0 && other > 0 ? other : sentence;
    source.text = source.sentence > 0 ? text_of(*sources[i], source.sentence) : "";
    for (const QuantitySchema& schema : header.quantities) {
      if (figure != nullptr && figure->reads(header, schema.name)) {
        names.insert(schema.name);
      }
    }
    facts.sources.push_back(std::move(source));
  }
  for (const QuantityName& name : names) {
    facts.quantities.push_back(name.text());
  }
  return facts;
}

FigureFacts figure_facts(const FigureRequest& request, std::span<const std::string> marks) {
  FigureSources sources;
  const FigureKind::Of of = find_figure_kind(request.kind).of;
  if (of != FigureKind::Of::tables && of != FigureKind::Of::expressions) {
    for (const std::filesystem::path& path : request.inputs) {
      sources.push_back(open_recording({&path, 1}));
    }
  }
  return figure_facts(request, sources, marks);
}

std::string figure_csv(const analysis::FigureData& figure, const FigureFacts& facts) {
  analysis::Table table = figure.table();
  table.columns.insert(table.columns.end(), {"caption", "made_by"});
  for (auto& row : table.rows) {
    row.resize(table.columns.size());
  }
  if (!table.rows.empty()) {
    auto& row = table.rows.front();
    row[row.size() - 2] = one_line(figure.caption);
    row[row.size() - 1] = one_line(made_by(facts));
  }
  return analysis::to_csv(table);
}

void save_figure_data(const analysis::FigureData& figure, const FigureFacts& facts,
                      const std::filesystem::path& path) {
  io::NumbersFile file;
  file.attributes = {{"format", "mog figure data"}, {"version", "1"},
                     {"kind", figure.kind()},       {"title", figure.title},
                     {"caption", figure.caption},   {"command", facts.command},
                     {"marks", facts.marks},        {"program_version", MOG_VERSION}};
  add_matrices(file, "", figure);
  add_table(file, figure.table());
  if (!facts.quantities.empty()) {
    file.datasets.push_back(texts("quantities", facts.quantities, "quantity",
                                  "names of the recorded quantities (docs/quantity-names.md)"));
  }
  add_sources(file, facts);
  io::write_numbers(file, path);
}

}  // namespace mog::app
