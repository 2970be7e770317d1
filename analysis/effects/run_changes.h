// What a change of a run changed: every number that the recordings before and after it both have, by size.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "io/recording/sentence_recording.h"

namespace mog::analysis {

// Changes of unlike quantities are put in one order by their size: a gate or a share by 0.12 counts as much
// as an attention weight by 0.2, a tag's probability by 0.5, and a head's output by as much as the heads of
// its part and layer put out on average.
inline constexpr double kGateChange = 0.12;
inline constexpr double kAttentionChange = 0.2;
inline constexpr double kTagChange = 0.5;
// Differences up to here are rounding.
inline constexpr double kSmallestChange = 1e-6;

// One number before and after.
struct RunChange {
  enum class What : std::uint8_t {
    gate,       // mean over dimensions; the gates of recurrent layers, too
    attention,  // of `token` to `key`, or what a recurrent state carries of it
    share,      // of the norm of a part in what a layer makes
    head,       // norm of what a head adds to a part
    tag,        // probability of `tag`, the best one before or after
  };
  What what = What::gate;
  QuantityName name;       // says layer, part and task
  std::int64_t head = 0;   // from 1; 0: mean over heads, or no heads
  std::int64_t token = 0;  // from 0, of the sentence after the change: the query
  std::int64_t key = -1;   // of attention
  std::int64_t tag = -1;   // of a tag: index into the tags of its task
  double before = 0;
  double after = 0;
  double size = 0;  // as above
  double difference() const { return after - before; }
};

// A head whose own maps are compared beside the mean over heads.
struct HeadPlace {
  std::int64_t layer = 1;
  Part part = Part::none;
  std::int64_t head = 1;
  friend bool operator==(const HeadPlace&, const HeadPlace&) = default;
};

struct RunChangeOptions {
  std::vector<HeadPlace> heads = {};
  std::int64_t at_most = 12;    // 0: all
  bool special_tokens = false;  // as queries and keys, too
  // What was set by hand is no effect of it; empty: nothing is left out.
  std::function<bool(const RunChange&)> left_out = {};
};

struct RunChanges {
  std::vector<RunChange> largest;  // by size, then as the quantities and tokens are ordered
  std::int64_t count = 0;          // of all that differ by more than kSmallestChange
};

// One sentence of a recording, from 0.
struct SentencePlace {
  const RecordingSource& source;
  std::int64_t index = 0;
};

// Tokens of the two that are one token: all of them where there are as many, else those of the same ids from
// both ends. A replaced word stands between them.
std::vector<std::pair<std::int64_t, std::int64_t>> paired_tokens(const Sentence& before,
                                                                 const Sentence& after);

// Of the stack that pictures are of, and of the tags. O(values of both sentences). Throws as
// RecordingSource::read.
RunChanges run_changes(const SentencePlace& before, const SentencePlace& after,
                       const RunChangeOptions& options = {});

}  // namespace mog::analysis
