#include "app/workflow/merge/merge_job.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "app/workflow/effects/effects_partial.h"
#include "app/workflow/statistics/running_request.h"
#include "app/workflow/syntax/syntax_part.h"
#include "io/hdf5/recording/manifest.h"
#include "io/recording/errors.h"
#include "io/statistics/sentence_columns.h"

namespace mog::app {
namespace {

// What the parts of one job add up to.
class Total {
 public:
  Total() = default;
  Total(const Total&) = delete;
  Total& operator=(const Total&) = delete;
  virtual ~Total() = default;
  // Throws FormatError naming `place`.
  virtual void add(const io::PartialStatistics& part, std::string_view place) = 0;
  virtual std::vector<std::vector<std::int64_t>> values() = 0;
};

using Tables = std::vector<std::unique_ptr<analysis::RunningTable>>;

std::vector<analysis::Additive*> sums_of(const Tables& tables) {
  std::vector<analysis::Additive*> all;
  for (const auto& table : tables) {
    const std::vector<analysis::Additive*> own = table->sums();
    all.insert(all.end(), own.begin(), own.end());
  }
  return all;
}

// The tables of a file, still without its sums.
Tables empty_tables(const io::PartialStatistics& statistics, std::string_view place) {
  const RunningRequest request = parse_running_request(statistics.settings, place);
  // Before memory is taken for them: a sum of two numbers stands there for every resample.
  std::int64_t numbers = 0;
  for (const std::vector<std::int64_t>& sums : statistics.sums) {
    numbers += static_cast<std::int64_t>(sums.size());
  }
  if (!request.dimensions && !request.trend && request.bootstrap.resamples > numbers / 2) {
    throw FormatError(fmt::format("{}: it has {} numbers, too few for sums of {} resamples", place, numbers,
                                  request.bootstrap.resamples));
  }
  try {
    return running_tables(statistics_options(request), statistics.header);
  } catch (const UsageError& error) {
    throw FormatError(fmt::format("{}: {}", place, error.what()));
  }
}

void add_sums(Tables& tables, const io::PartialStatistics& statistics, std::string_view place) {
  const std::vector<analysis::Additive*> sums = sums_of(tables);
  if (sums.size() != statistics.sums.size()) {
    throw FormatError(fmt::format("{}: {} tables of sums are there, {} were counted", place,
                                  statistics.sums.size(), sums.size()));
  }
  for (std::size_t i = 0; i < sums.size(); ++i) {
    try {
      sums[i]->add_words(statistics.sums[i]);
    } catch (const FormatError& error) {
      throw FormatError(fmt::format("{}: {}", place, error.what()));
    }
  }
}

// Parts are alike in header and settings (require_alike()), so they have the tables of the first.
class TotalOfSums final : public Total {
 public:
  void add(const io::PartialStatistics& part, std::string_view place) override {
    if (tables_.empty()) {
      tables_ = empty_tables(part, place);
    }
    add_sums(tables_, part, place);
  }
  std::vector<std::vector<std::int64_t>> values() override {
    std::vector<std::vector<std::int64_t>> all;
    for (const analysis::Additive* const sums : sums_of(tables_)) {
      all.push_back(sums->words());
    }
    return all;
  }

 private:
  Tables tables_;
};

class TotalOfSentences final : public Total {
 public:
  void add(const io::PartialStatistics& part, std::string_view place) override {
    try {
      parts_.push_back(io::SentenceColumns::from_vectors(part.sums));
    } catch (const FormatError& error) {
      throw FormatError(fmt::format("{}: {}", place, error.what()));
    }
  }
  std::vector<std::vector<std::int64_t>> values() override {
    return io::SentenceColumns::joined(parts_).vectors();
  }

 private:
  std::vector<io::SentenceColumns> parts_;
};

// A job whose parts can be added up, and the table of what they hold.
struct Addition {
  std::string_view job;
  std::unique_ptr<Total> (*total)();
  analysis::Table (*table)(const io::PartialStatistics&, std::string_view place);
};

template <class Of>
std::unique_ptr<Total> make_total() {
  return std::make_unique<Of>();
}

analysis::Table statistics_table(const io::PartialStatistics& part, std::string_view place) {
  Tables tables = empty_tables(part, place);
  add_sums(tables, part, place);
  return joined(tables, statistics_options(parse_running_request(part.settings, place)));
}

const Addition& addition_of(const io::PartialStatistics& part, std::string_view place) {
  static const Addition kAdditions[] = {
      {"statistics", make_total<TotalOfSums>, statistics_table},
      {kFaithfulnessJob, make_total<TotalOfSentences>, faithfulness_table},
      {kAblationJob, make_total<TotalOfSentences>, ablation_table},
      {kSyntaxJob, make_total<TotalOfSentences>, syntax_table},
  };
  const auto* const found = std::ranges::find(kAdditions, part.job, &Addition::job);
  if (found == std::end(kAdditions)) {
    throw FormatError(
        fmt::format("{}: it was written by \"{}\", which this program does not add up; try a later one",
                    place, part.job));
  }
  return *found;
}

// Throws where `part` does not go with what was read before it.
void require_alike(const io::PartialStatistics& first, const std::string& first_name,
                   const io::PartialStatistics& part, const std::string& name) {
  if (part.job != first.job) {
    throw UsageError(
        fmt::format("{} is of {}, {} of {}; these do not add up", first_name, first.job, name, part.job));
  }
  if (part.settings != first.settings) {
    throw UsageError(
        fmt::format("{} counted {}, {} counted {}; parts of one corpus are counted with the same options",
                    first_name, first.settings, name, part.settings));
  }
  if (const std::string differs = io::difference(first.header, part.header); !differs.empty()) {
    throw ModelError(fmt::format("{} and {} are not of one run: {}", first_name, name, differs));
  }
  if (part.parts != first.parts) {
    throw UsageError(
        fmt::format("{} is of {} parts, {} of {}: the corpus was cut in two ways; count all parts of one",
                    first_name, first.parts, name, part.parts));
  }
}

}  // namespace

analysis::Table table_of(const io::PartialStatistics& statistics, std::string_view place) {
  return addition_of(statistics, place).table(statistics, place);
}

io::PartialStatistics merge_statistics(std::span<const std::filesystem::path> files, bool allow_missing,
                                       std::vector<std::string>& notes) {
  if (files.empty()) {
    throw UsageError("merging: no file was named");
  }
  io::PartialStatistics all;
  std::unique_ptr<Total> total;
  std::map<std::int64_t, std::string> owners;  // of complete parts
  std::vector<std::string> incomplete;
  std::map<std::string, std::string> versions;  // of the program -> the first file
  for (const std::filesystem::path& path : files) {
    const std::string name = path.string();
    io::PartialStatistics part = io::read_partial_statistics(path);
    const bool first = total == nullptr;
    if (first) {
      total = addition_of(part, name).total();
    } else {
      require_alike(all, files.front().string(), part, name);
    }
    for (const std::int64_t done : part.done) {
      if (const auto [at, is_new] = owners.emplace(done, name); !is_new) {
        throw UsageError(fmt::format("part {} of {} is in {} and in {}; name it once", done, part.parts,
                                     at->second, name));
      }
    }
    versions.emplace(part.header.provenance.program_version, name);
    if (part.part > 0 && part.done.empty()) {
      incomplete.push_back(fmt::format("{} has {} sentences of part {}", name, part.counted, part.part));
    }
    if (!first) {
      try {
        all.part_numbers.join(part.part_numbers);
        all.sentences.join(part.sentences);
      } catch (const UsageError& error) {
        throw UsageError(fmt::format("adding {} to those before it: {}", name, error.what()));
      }
    }
    total->add(part, name);
    if (first) {
      all = std::move(part);
    } else {
      all.counted += part.counted;
    }
  }
  for (auto other = std::next(versions.begin()); other != versions.end(); ++other) {
    notes.push_back(
        fmt::format("{} was counted by version {}, {} by {}: where a version changed what a number is, they "
                    "do not add up",
                    versions.begin()->second, versions.begin()->first, other->second, other->first));
  }
  all.part = files.size() > 1 ? 0 : all.part;
  all.done.clear();
  io::NumberRanges there;
  for (const auto& [part, file] : owners) {
    all.done.push_back(part);
    there.add(part);
  }
  const io::NumberRanges missing = there.missing(all.parts);
  if (missing.size() == 0 && all.part_numbers.ranges().size() > 1) {
    throw UsageError(fmt::format(
        "all {} parts are there, but not all sentences: they hold {}; the index of the corpus was made again "
        "meanwhile, count all parts by one index",
        all.parts, all.part_numbers.text()));
  }
  all.sums = total->values();
  if (missing.size() > 0) {
    const std::string what = fmt::format(
        "of {} parts {} {} missing{}{}", all.parts, missing.text(8), missing.size() == 1 ? "is" : "are",
        incomplete.empty() ? "" : " or not complete: ", fmt::join(incomplete, ", "));
    if (!allow_missing) {
      throw UsageError(
          fmt::format("{}; count them (--resume goes on with one that was begun), or merge what is there "
                      "with --allow-missing",
                      what));
    }
    notes.push_back(what + ": these are numbers of a part of the corpus");
  }
  return all;
}

}  // namespace mog::app
