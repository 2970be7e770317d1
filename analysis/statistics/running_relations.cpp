// Columns, each [place]: pairs, shares and differences of weights, which are resampled; sentences, and the
// other sums.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "analysis/statistics/relation_rows.h"
#include "analysis/statistics/running_sums.h"
#include "analysis/statistics/running_table.h"
#include "io/recording/errors.h"

namespace mog::analysis {
namespace {

enum Column : std::uint8_t {
  pairs,
  share,
  difference,
  sentences,
  content,
  key,
  query,
  weight,
  without,
  columns
};
constexpr std::int64_t kResampled = 3;

class RunningRelations final : public RunningTable {
 public:
  RunningRelations(std::span<const RelationName> relations, const RelationOptions& options,
                   const RecordingHeader& header)
      : header_(header),
        relations_(relations.begin(), relations.end()),
        options_(options),
        reader_(header_, relations_, options_),
        places_(reader_.places()) {
    check_memory();
    const auto width = std::ssize(places_);
    sums_ = {options_.bins.size(), columns * width, kResampled * width, options_.bootstrap.resamples};
  }

  void add(const RecordingSource& block) override {
    const std::size_t width = places_.size();
    for (std::int64_t index = 0; index < block.size(); ++index) {
      std::vector<double> values(columns * width);
      std::int64_t of_sentence = -1;
      const auto add_place = [&](const RelationPlace& place, std::int64_t bin, const RelationSums& own) {
        const auto at = static_cast<std::size_t>(std::lower_bound(places_.begin(), places_.end(), place) -
                                                 places_.begin());
        values[pairs * width + at] = own.pairs;
        values[share * width + at] = own.share;
        values[difference * width + at] = own.weight - own.without;
        values[sentences * width + at] = 1;
        values[content * width + at] = own.content;
        values[key * width + at] = own.key;
        values[query * width + at] = own.query;
        values[weight * width + at] = own.weight;
        values[without * width + at] = own.without;
        of_sentence = bin;
      };
      reader_.read(block, index, add_place);
      if (of_sentence >= 0) {
        sums_.add(of_sentence, values,
                  poisson_weights(block.sentence(index).number, options_.bootstrap.seed,
                                  options_.bootstrap.resamples));
      }
    }
  }

  Table table() const override {
    Table table = reader_.table();
    for (std::size_t at = 0; at < places_.size(); ++at) {
      for (std::int64_t bin = 0; bin < sums_.bins(); ++bin) {
        if (const RelationCell cell = cell_of(at, bin); cell.sentences > 0) {
          reader_.add_row(table, cell);
        }
      }
    }
    return table;
  }

  std::vector<Additive*> sums() override { return {&sums_}; }

 private:
  void check_memory() const {
    constexpr double kMostBytes = 4e9;
    const double bytes = sizeof(ExactSum) * static_cast<double>(kResampled * options_.bins.size()) *
                         static_cast<double>(places_.size()) *
                         static_cast<double>(std::max<std::int64_t>(options_.bootstrap.resamples, 1));
    if (bytes > kMostBytes) {
      throw UsageError(fmt::format(
          "--quantity relations: {} resamples of {} relations, layers and heads in {} bins take {:.0f} GB; "
          "ask for fewer resamples or bins (--bootstrap, --bins 0,10,20,40)",
          options_.bootstrap.resamples, places_.size(), options_.bins.size(), bytes / 1e9));
    }
  }

  std::int64_t column(Column column, std::size_t at) const {
    return column * std::ssize(places_) + static_cast<std::int64_t>(at);
  }

  Interval interval(Column of, std::size_t at, std::int64_t bin, std::int64_t items) const {
    constexpr double kNone = std::numeric_limits<double>::quiet_NaN();
    if (options_.bootstrap.resamples == 0 || items < kFewestResampled) {
      return {kNone, kNone};
    }
    const auto all = sums_.resampled(bin, column(pairs, at));
    const auto own = sums_.resampled(bin, column(of, at));
    std::vector<double> means;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const long double count = all[i].value();
      means.push_back(count > 0 ? static_cast<double>(own[i].value() / count) : kNone);
    }
    return percentile_interval(std::move(means), options_.bootstrap.confidence);
  }

  RelationCell cell_of(std::size_t at, std::int64_t bin) const {
    const auto sum = [&](Column of) { return static_cast<double>(sums_.sum(bin, column(of, at)).value()); };
    RelationCell cell{.place = places_[at],
                      .bin = bin,
                      .sentences = std::llround(sum(sentences)),
                      .all = {.pairs = sum(pairs),
                              .share = sum(share),
                              .content = sum(content),
                              .key = sum(key),
                              .query = sum(query),
                              .weight = sum(weight),
                              .without = sum(without)},
                      .share = {},
                      .difference = {}};
    cell.share = interval(share, at, bin, cell.sentences);
    cell.difference = interval(difference, at, bin, cell.sentences);
    return cell;
  }

  RecordingHeader header_;
  std::vector<RelationName> relations_;
  RelationOptions options_;
  RelationReader reader_;
  std::vector<RelationPlace> places_;  // ascending
  RunningSums sums_;
};

}  // namespace

std::unique_ptr<RunningTable> running_relations(std::span<const RelationName> relations,
                                                const RelationOptions& options,
                                                const RecordingHeader& header) {
  return std::make_unique<RunningRelations>(relations, options, header);
}

}  // namespace mog::analysis
