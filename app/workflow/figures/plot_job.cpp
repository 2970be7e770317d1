#include "app/workflow/figures/plot_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>
#include <utility>

#include "analysis/figure_data/effect_figures.h"
#include "analysis/figure_data/logit_parts_figure.h"
#include "analysis/figure_data/patching_figure.h"
#include "analysis/statistics/csv_table.h"
#include "io/recording/errors.h"
#include "io/text/input_file.h"

namespace mog::app {
namespace {

constexpr std::uint64_t kMostBytes = std::uint64_t{1} << 28U;

std::string text_of(const analysis::Cell& cell) {
  if (const auto* text = std::get_if<std::string>(&cell)) {
    return *text;
  }
  if (const auto* number = std::get_if<double>(&cell)) {
    return analysis::shortest(*number);
  }
  const auto* whole = std::get_if<std::int64_t>(&cell);
  return whole == nullptr ? "" : fmt::format("{}", *whole);
}

std::optional<double> number_of(const std::string& text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value)) {
    return std::nullopt;
  }
  return value;
}

// What the rows of one line and one x say.
struct Gathered {
  std::vector<double> y;
  double low = analysis::kAbsent;
  double high = analysis::kAbsent;
};

struct Places {
  bool numeric = true;
  std::vector<std::string> categories;
  double place(const std::string& text) const {
    if (numeric) {
      return *number_of(text);
    }
    return static_cast<double>(std::find(categories.begin(), categories.end(), text) - categories.begin());
  }
};

class Plotter {
 public:
  Plotter(const analysis::Table& table, const PlotOptions& options, std::string file)
      : table_(table), options_(options), file_(std::move(file)) {}

  analysis::FigureData draw() {
    choose_rows();
    find_places();
    gather();
    analysis::LinePlot plot;
    plot.x.quantity = options_.x_title.empty() ? options_.x : options_.x_title;
    plot.y.quantity = options_.y_title.empty() ? options_.y : options_.y_title;
    plot.legend_title = options_.lines;
    if (!places_.numeric) {
      plot.x_categories = places_.categories;
    }
    // Lines of numbers and bins have an order, names have none.
    const bool ordered =
        order_.size() > 1 && std::all_of(order_.begin(), order_.end(), [](const auto& label) {
          return !label.empty() && label[0] >= '0' && label[0] <= '9';
        });
    for (std::size_t i = 0; i < order_.size(); ++i) {
      analysis::LineSeries series;
      series.label = order_[i].empty() ? options_.y : order_[i];
      const auto index = static_cast<std::int64_t>(i);
      const auto count = static_cast<std::int64_t>(order_.size());
      series.colour = ordered ? analysis::ColourKey::of_ramp(index, count)
                              : analysis::ColourKey::of_category(index, count);
      series.dash = ordered ? analysis::Dash::solid : analysis::dash_of_category(index);
      for (const auto& [x, gathered] : lines_.at(order_[i])) {
        series.points.push_back(point(x, gathered));
      }
      plot.series.push_back(std::move(series));
    }
    if (options_.zero_line) {
      plot.zero_line = 0;
    }
    analysis::FigureData figure;
    figure.caption = "table " + file_;
    for (const std::string& condition : options_.where) {
      figure.caption += "; " + condition;
    }
    figure.body = std::move(plot);
    return figure;
  }

 private:
  std::string field(std::size_t row, const std::string& column) const {
    return text_of(table_.rows[row][table_.column(column)]);
  }

  void choose_rows() {
    if ((options_.low.empty()) != (options_.high.empty())) {
      throw UsageError("figure plot: --low and --high name the two ends of a band; give both");
    }
    for (std::size_t row = 0; row < table_.rows.size(); ++row) {
      const bool wanted =
          std::all_of(options_.where.begin(), options_.where.end(), [&](const std::string& condition) {
            const auto sign = condition.find('=');
            if (sign == std::string::npos) {
              throw UsageError("figure plot: --where " + condition + ": expected COLUMN=TEXT");
            }
            return field(row, condition.substr(0, sign)) == condition.substr(sign + 1);
          });
      if (wanted && !field(row, options_.x).empty() && !field(row, options_.y).empty()) {
        rows_.push_back(row);
      }
    }
    if (rows_.empty()) {
      throw UsageError(fmt::format("figure plot: no row of {} has {} and {}{}", file_, options_.x, options_.y,
                                   options_.where.empty() ? "" : " and what --where asks for"));
    }
  }

  void find_places() {
    for (const std::size_t row : rows_) {
      const std::string x = field(row, options_.x);
      places_.numeric = places_.numeric && number_of(x).has_value();
      if (std::find(places_.categories.begin(), places_.categories.end(), x) == places_.categories.end()) {
        places_.categories.push_back(x);
      }
    }
  }

  void gather() {
    for (const std::size_t row : rows_) {
      const std::string line = options_.lines.empty() ? "" : field(row, options_.lines);
      if (lines_.count(line) == 0) {
        order_.push_back(line);
      }
      Gathered& gathered = lines_[line][places_.place(field(row, options_.x))];
      const std::optional<double> y = number_of(field(row, options_.y));
      if (!y) {
        throw FormatError(fmt::format("reading the table {}, row {}: {} is \"{}\", expected a number", file_,
                                      row + 1, options_.y, field(row, options_.y)));
      }
      gathered.y.push_back(*y);
      if (!options_.low.empty()) {
        gathered.low = number_of(field(row, options_.low)).value_or(analysis::kAbsent);
        gathered.high = number_of(field(row, options_.high)).value_or(analysis::kAbsent);
      }
    }
  }

  static analysis::LinePoint point(double x, const Gathered& gathered) {
    analysis::LinePoint point;
    point.x = x;
    double sum = 0;
    for (const double y : gathered.y) {
      sum += y;
    }
    point.y = sum / static_cast<double>(gathered.y.size());
    point.low = gathered.low;
    point.high = gathered.high;
    if (gathered.y.size() > 1) {
      const auto [least, greatest] = std::minmax_element(gathered.y.begin(), gathered.y.end());
      point.low = *least;
      point.high = *greatest;
    }
    return point;
  }

  const analysis::Table& table_;
  const PlotOptions& options_;
  std::string file_;
  std::vector<std::size_t> rows_;
  Places places_;
  std::vector<std::string> order_;
  std::map<std::string, std::map<double, Gathered>> lines_;
};

}  // namespace

analysis::FigureData plot_table(const analysis::Table& table, const PlotOptions& options,
                                const std::string& file) {
  return Plotter(table, options, file).draw();
}

namespace {

// All rows, and the names of the files.
std::pair<analysis::Table, std::string> read_tables(const std::vector<std::filesystem::path>& files) {
  analysis::Table all;
  std::string names;
  for (const std::filesystem::path& file : files) {
    analysis::Table table = analysis::parse_csv(io::read_file(file, "the table", kMostBytes), file.string());
    if (!all.columns.empty() && table.columns != all.columns) {
      throw UsageError(fmt::format("figure plot: {} has other columns than {}", file.string(), names));
    }
    all.columns = table.columns;
    all.rows.insert(all.rows.end(), table.rows.begin(), table.rows.end());
    names += (names.empty() ? "" : ", ") + file.filename().string();
  }
  return {std::move(all), std::move(names)};
}

}  // namespace

analysis::FigureData plot_files(const std::vector<std::filesystem::path>& files, const PlotOptions& options) {
  if (files.empty() || options.x.empty() || options.y.empty()) {
    throw UsageError("figure plot: give a table (CSV), --x COLUMN and --y COLUMN");
  }
  const auto [table, names] = read_tables(files);
  return plot_table(table, options, names);
}

analysis::FigureData effects_files(const std::vector<std::filesystem::path>& files,
                                   const std::string& measure) {
  const auto [table, names] = read_tables(files);
  return analysis::effects_figure(table, measure, names);
}

analysis::FigureData patching_files(const std::vector<std::filesystem::path>& files,
                                    const std::string& value) {
  const auto [table, names] = read_tables(files);
  return analysis::patching_figure(table, value, names);
}

analysis::FigureData logit_parts_files(const std::vector<std::filesystem::path>& files) {
  const auto [table, names] = read_tables(files);
  return analysis::logit_parts_figure(table, names);
}

analysis::Trajectory read_trajectory(const std::filesystem::path& file) {
  // Of MODEL.training/trajectory.csv the model's folder.
  const std::filesystem::path folder = std::filesystem::absolute(file).parent_path();
  const bool of_run = folder.extension() == ".training";
  analysis::Trajectory run{file.string(),
                           analysis::parse_csv(io::read_file(file, "the table", kMostBytes), file.string()),
                           of_run ? folder.stem().string() : file.stem().string()};
  analysis::check_trajectory(run);
  return run;
}

analysis::FigureData trajectory_files(const std::vector<std::filesystem::path>& files,
                                      const analysis::TrajectoryOptions& options) {
  std::vector<analysis::Trajectory> runs;
  runs.reserve(files.size());
  for (const std::filesystem::path& file : files) {
    runs.push_back(read_trajectory(file));
  }
  return analysis::trajectory_figure(runs, options);
}

analysis::FigureData faithfulness_files(const std::vector<std::filesystem::path>& files, bool curves) {
  const auto [table, names] = read_tables(files);
  return curves ? analysis::faithfulness_curves(table, names) : analysis::faithfulness_figure(table, names);
}

analysis::FigureData parse_errors_files(const std::vector<std::filesystem::path>& files,
                                        const analysis::ParseErrorOptions& options) {
  const auto [table, names] = read_tables(files);
  return analysis::parse_errors_figure(table, options, names);
}

analysis::FigureData relation_effects_files(const std::vector<std::filesystem::path>& files,
                                            const analysis::RelationFigureOptions& options) {
  const auto [table, names] = read_tables(files);
  return analysis::relation_figure(table, options, names);
}

}  // namespace mog::app
