// Every dataset of a shard is what its sentences have, one after another, and what stands in it counts from
// the beginning of its sentence. So a joined dataset is the sentences' stretches in another order, copied as
// they are stored; only offsets are counted anew. Rows ascend by number in every shard, so that merging by
// number reads each shard from its beginning to its end, through a window of 1 MiB.
//
// Datasets come in the order of ShardBuffer::write_file, so that the file is the very one that a single
// commit of all its sentences would have been.
//
// When: small shards wait until they would be larger than a whole one together, or until there are 64 small
// ones, since each is open while they are joined. So a byte is written once by its commit, once or twice
// here. What is at least half as large as a whole one is never joined again.
//
// Trap: a stretch may be longer than the window (one long sentence); then the window grows to it.
#include "io/hdf5/recording/shard_join.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <functional>
#include <map>
#include <numeric>
#include <set>
#include <span>

#include "io/hdf5/file/hdf5_dataset.h"
#include "io/hdf5/recording/recording_layout.h"
#include "io/hdf5/recording/shard_buffer.h"

namespace mog::io {
namespace {

using layout::SentenceColumn;

constexpr std::uint64_t kWindowBytes = std::uint64_t{1} << 20;
constexpr std::size_t kMostSmall = 64;       // that are joined whatever their size
constexpr std::size_t kMostJoined = 128;     // at once
constexpr std::size_t kFew = 16;             // shards that may stay at the end
constexpr std::int64_t kSmallOfAWhole = 32;  // a small shard is smaller than this part of a whole one
constexpr std::int64_t kClosedOfAWhole = 2;  // one that is never joined again is no smaller than this one

// Where a sentence of the joined shard comes from.
struct Origin {
  std::int64_t number = 0;
  std::size_t shard = 0;
  std::size_t row = 0;
};

std::vector<Origin> by_number(const OpenShards& shards) {
  std::vector<Origin> order;
  for (std::size_t shard = 0; shard < shards.size(); ++shard) {
    const std::vector<std::int64_t>& numbers = shards[shard]->table().number;
    for (std::size_t row = 0; row < numbers.size(); ++row) {
      order.push_back({numbers[row], shard, row});
    }
  }
  std::sort(order.begin(), order.end(),
            [](const Origin& left, const Origin& right) { return left.number < right.number; });
  return order;
}

using Offsets = std::vector<std::uint64_t>;
using OffsetsOf = std::function<const Offsets&(const ShardTable&)>;

// One dataset of one shard, from its beginning to its end.
class Window {
 public:
  Window(const ShardReader& shard, const h5::FlatDataset& facts, std::uint64_t elements)
      : shard_(&shard),
        facts_(&facts),
        elements_(elements),
        size_(static_cast<std::uint64_t>(size_bytes(facts.dtype))) {}

  // Bytes of elements [first, first + count); `first` never falls.
  std::span<const std::byte> at(std::uint64_t first, std::uint64_t count) {
    if (count == 0) {
      return {};
    }
    if (first < first_ || first + count > first_ + filled_) {
      first_ = first;
      filled_ = std::min(elements_ - first, std::max(count, kWindowBytes / size_));
      buffer_.resize(static_cast<std::size_t>(filled_ * size_));
      shard_->read_stored(*facts_, elements_, first_, filled_, buffer_.data());
    }
    return std::span<const std::byte>(buffer_).subspan(static_cast<std::size_t>((first - first_) * size_),
                                                       static_cast<std::size_t>(count * size_));
  }

 private:
  const ShardReader* shard_;
  const h5::FlatDataset* facts_;
  std::uint64_t elements_;
  std::uint64_t size_;
  std::uint64_t first_ = 0;
  std::uint64_t filled_ = 0;
  std::vector<std::byte> buffer_;
};

// The stretches of one dataset in the order of the joined shard.
class JoinedBytes final : public h5::ByteSource {
 public:
  JoinedBytes(const OpenShards& shards, const std::vector<Origin>& order, const h5::FlatDataset& facts,
              const OffsetsOf& offsets)
      : shards_(shards), order_(order), facts_(facts), offsets_(offsets) {
    JoinedBytes::rewind();
  }

  std::uint64_t size_bytes() const override {
    std::uint64_t elements = 0;
    for (const auto& shard : shards_) {
      elements += offsets_(shard->table()).back();
    }
    return elements * static_cast<std::uint64_t>(mog::size_bytes(facts_.dtype));
  }

  void rewind() override {
    next_ = 0;
    left_ = {};
    windows_.clear();
    for (const auto& shard : shards_) {
      windows_.emplace_back(*shard, facts_, offsets_(shard->table()).back());
    }
  }

  void read(std::byte* to, std::size_t bytes) override {
    while (bytes > 0) {
      if (left_.empty()) {
        const Origin& origin = order_[next_++];
        const Offsets& offsets = offsets_(shards_[origin.shard]->table());
        left_ = windows_[origin.shard].at(offsets[origin.row], offsets[origin.row + 1] - offsets[origin.row]);
        continue;
      }
      const std::size_t count = std::min(bytes, left_.size());
      std::memcpy(to, left_.data(), count);
      left_ = left_.subspan(count);
      to += count;
      bytes -= count;
    }
  }

 private:
  const OpenShards& shards_;
  const std::vector<Origin>& order_;
  const h5::FlatDataset& facts_;
  const OffsetsOf& offsets_;
  std::vector<Window> windows_;
  std::size_t next_ = 0;             // of order_
  std::span<const std::byte> left_;  // of the stretch before it
};

class Join {
 public:
  Join(const OpenShards& shards, hid_t file_id, int deflate_level, const std::filesystem::path& path)
      : shards_(shards),
        order_(by_number(shards)),
        file_id_(file_id),
        deflate_level_(deflate_level),
        path_(path) {}

  template <class T>
  std::vector<T> column(SentenceColumn which, std::vector<T> ShardTable::*values) const {
    std::vector<T> result;
    result.reserve(order_.size());
    for (const Origin& origin : order_) {
      result.push_back((shards_[origin.shard]->table().*values)[origin.row]);
    }
    write_values(layout::column(which), result);
    return result;
  }

  void offsets(const h5::FlatDataset& facts, const OffsetsOf& of) const {
    Offsets result{0};
    result.reserve(order_.size() + 1);
    for (const Origin& origin : order_) {
      const Offsets& offsets = of(shards_[origin.shard]->table());
      result.push_back(result.back() + offsets[origin.row + 1] - offsets[origin.row]);
    }
    write_values(facts, result);
  }

  h5::Dataset stretches(const h5::FlatDataset& facts, const OffsetsOf& of, int deflate_level) const {
    JoinedBytes bytes(shards_, order_, facts, of);
    return h5::write_flat(file_id_, facts, bytes, deflate_level, path_);
  }

  void table(layout::Table which) const {
    const auto at = static_cast<std::size_t>(which);
    const OffsetsOf rows = [at](const ShardTable& table) -> const Offsets& { return table.rows[at]; };
    for (std::size_t i = 0; i < layout::columns_of(which); ++i) {
      stretches(layout::column(which, static_cast<layout::RowColumn>(i)), rows, 0);
    }
    offsets(layout::row_offsets(which), rows);
  }

  void text(layout::Text which) const {
    const auto at = static_cast<std::size_t>(which);
    const OffsetsOf texts = [at](const ShardTable& table) -> const Offsets& { return table.texts[at]; };
    stretches(layout::text_column(which), texts, 0);
    offsets(layout::text_offsets(which), texts);
  }

  void quantities(const std::vector<QuantitySchema>& schemas) const {
    std::set<std::string> kinds;
    for (const QuantitySchema& schema : schemas) {
      const std::string kind = layout::offsets_kind(schema);
      const OffsetsOf values = [&kind](const ShardTable& table) -> const Offsets& {
        return table.values.at(kind);
      };
      if (kinds.insert(kind).second) {
        offsets(layout::value_offsets(schema), values);
      }
      const h5::Dataset dataset = stretches(layout::quantity_column(schema), values, deflate_level_);
      write_quantity_attributes(dataset.get(), schema, path_);
    }
  }

 private:
  template <class T>
  void write_values(const h5::FlatDataset& facts, const std::vector<T>& values) const {
    h5::write_flat(file_id_, facts, {h5::bytes_of(values)}, 0, path_);
  }

  const OpenShards& shards_;
  std::vector<Origin> order_;
  hid_t file_id_;
  int deflate_level_;
  const std::filesystem::path& path_;
};

std::int64_t sum(std::span<const std::int64_t> values) {
  return std::accumulate(values.begin(), values.end(), std::int64_t{0});
}

}  // namespace

namespace {

// How many of the last ones make a file of no more than is wanted. All of them, but for a recording that was
// made without joining, or with larger files: each is open while it is joined, and their tables are in
// memory.
std::size_t last_that_fit(std::span<const std::int64_t> sizes, const RecordingWriterOptions& options) {
  std::int64_t bytes = 0;
  std::size_t count = 0;
  while (count < std::min(sizes.size(), kMostJoined)) {
    bytes += sizes[sizes.size() - 1 - count];
    if (bytes > options.joined_bytes) {
      break;
    }
    ++count;
  }
  return count < 2 ? 0 : count;
}

}  // namespace

bool is_whole_shard(std::int64_t size_bytes, const RecordingWriterOptions& options) {
  return size_bytes >= options.joined_bytes / kClosedOfAWhole;
}

JoinRange to_be_joined(const std::vector<std::int64_t>& sizes, const RecordingWriterOptions& options,
                       bool finished) {
  if (sizes.size() > 2 && sum(sizes) > options.joined_bytes) {
    return {last_that_fit(std::span(sizes).first(sizes.size() - 1), options), true};
  }
  const auto first_large = std::find_if(sizes.rbegin(), sizes.rend(), [&](std::int64_t size) {
    return size >= options.joined_bytes / kSmallOfAWhole;
  });
  const auto small = static_cast<std::size_t>(first_large - sizes.rbegin());
  if (small >= kMostSmall) {
    return {last_that_fit(std::span(sizes).last(small), options), false};
  }
  return {finished && sizes.size() > kFew ? last_that_fit(sizes, options) : 0, false};
}

JournalShard join_shards(const PartFile& target, const OpenShards& shards, const RecordingHeader& header,
                         const RecordingWriterOptions& options) {
  JournalShard entry;
  for (const auto& shard : shards) {
    entry.sentences += shard->table().size();
  }
  const h5::WriteScope scope;
  const std::filesystem::path& path = target.path();
  h5::File file = create_hdf5(target);
  write_root(file.get(), header, layout::kKindShard, options.part, options.parts, entry.sentences, path);
  write_frame(file.get(), header, path);
  const Join join(shards, file.get(), options.deflate_level, path);
  entry.numbers = to_ranges(join.column(SentenceColumn::number, &ShardTable::number));
  entry.sentence_tokens = join.column(SentenceColumn::tokens, &ShardTable::tokens);
  entry.sentence_words = join.column(SentenceColumn::words, &ShardTable::words);
  entry.tokens = sum(entry.sentence_tokens);
  join.column(SentenceColumn::target_tokens, &ShardTable::target_tokens);
  join.column(SentenceColumn::truncated, &ShardTable::truncated);
  join.text(layout::Text::sentences);
  for (const layout::Table which : layout::kTables) {
    join.table(which);
    join.text(static_cast<layout::Text>(which));
  }
  join.quantities(header.quantities);
  close_hdf5(std::move(file), path);
  return entry;
}

}  // namespace mog::io
