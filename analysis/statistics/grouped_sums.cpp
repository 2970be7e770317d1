#include "analysis/statistics/grouped_sums.h"

#include <fmt/format.h>

#include <cstring>

#include "io/recording/errors.h"

namespace mog::analysis {
namespace {

constexpr std::size_t kBytes = sizeof(std::int64_t);

// Takes the first `count` numbers away. Throws FormatError where they are not there.
std::span<const std::int64_t> take(std::span<const std::int64_t>& words, std::int64_t count) {
  if (count < 0 || count > std::ssize(words)) {
    throw FormatError(fmt::format("sums of groups end in the middle: {} numbers are announced, {} are left",
                                  count, words.size()));
  }
  const auto taken = words.first(static_cast<std::size_t>(count));
  words = words.subspan(static_cast<std::size_t>(count));
  return taken;
}

std::int64_t take_one(std::span<const std::int64_t>& words) {
  return take(words, 1).front();
}

}  // namespace

GroupedSums::GroupedSums(std::int64_t columns, std::int64_t resampled, std::int64_t resamples,
                         std::int64_t sketched)
    : columns_(columns), resampled_(resampled), resamples_(resamples), sketched_(sketched) {}

GroupedSums::Group GroupedSums::empty() const {
  return {{1, columns_, resampled_, resamples_}, {sketched_ > 0 ? 1 : 0, sketched_}};
}

GroupedSums::Group& GroupedSums::at(const std::string& label) {
  if (const auto found = groups_.find(label); found != groups_.end()) {
    return found->second;
  }
  constexpr double kMostBytes = 4e9;
  const double sums =
      static_cast<double>(columns_) + static_cast<double>(resampled_) * static_cast<double>(resamples_);
  const double bytes = sizeof(ExactSum) * sums * static_cast<double>(groups_.size() + 1);
  if (bytes > kMostBytes) {
    throw UsageError(
        fmt::format("{} groups of words, \"{}\" among them, take {:.0f} GB of sums; ask for fewer resamples "
                    "or quantities (--bootstrap), or look whether these are parts of speech",
                    groups_.size() + 1, label, bytes / 1e9));
  }
  return groups_.emplace(label, empty()).first->second;
}

std::vector<std::int64_t> GroupedSums::words() const {
  std::vector<std::int64_t> result = {std::ssize(groups_)};
  for (const auto& [label, group] : groups_) {
    result.push_back(std::ssize(label));
    const std::size_t begin = result.size();
    result.resize(begin + (label.size() + kBytes - 1) / kBytes);
    if (!label.empty()) {
      std::memcpy(result.data() + begin, label.data(), label.size());
    }
    const std::vector<std::int64_t> sums = group.sums.words();
    result.insert(result.end(), sums.begin(), sums.end());
    const std::vector<std::int64_t> sketches = group.sketches.words();
    result.push_back(std::ssize(sketches));
    result.insert(result.end(), sketches.begin(), sketches.end());
  }
  return result;
}

void GroupedSums::add_words(std::span<const std::int64_t> words) {
  const std::int64_t groups = take_one(words);
  const auto sums = 1 + 2 * (columns_ + (resamples_ > 0 ? resampled_ * resamples_ : 0));
  std::string before;
  for (std::int64_t i = 0; i < groups; ++i) {
    const std::int64_t bytes = take_one(words);
    const auto longest = static_cast<std::int64_t>(words.size() * kBytes);
    if (bytes < 0 || bytes > longest) {
      throw FormatError(fmt::format("the name of a group has {} bytes", bytes));
    }
    const auto packed =
        take(words, (bytes + static_cast<std::int64_t>(kBytes) - 1) / static_cast<std::int64_t>(kBytes));
    std::string label(static_cast<std::size_t>(bytes), '\0');
    if (bytes > 0) {
      std::memcpy(label.data(), packed.data(), label.size());
    }
    if (i > 0 && label <= before) {
      throw FormatError(fmt::format("group \"{}\" stands behind group \"{}\"", label, before));
    }
    before = label;
    const auto own = take(words, sums);  // before memory is taken for them
    Group& group = at(label);
    group.sums.add_words(own);
    group.sketches.add_words(take(words, take_one(words)));
  }
  if (groups < 0 || !words.empty()) {
    throw FormatError(fmt::format("{} groups, and {} numbers are left over", groups, words.size()));
  }
}

}  // namespace mog::analysis
