// A token's row is written as the file spelled it but for its last column, which is made anew and takes the
// file's spelling ("-", "_", the order of several mentions) where that says the same. O(mentions log
// mentions).
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "io/recording/errors.h"
#include "io/text/conll2012.h"
#include "io/text/conll2012_cell.h"

namespace mog::io {
namespace {

// [token] what opens and closes there: inner mentions close first, outer ones open first.
std::vector<std::vector<Mark>> marks_of(const CorefDocument& document) {
  std::vector<CorefMention> mentions = document.mentions;
  std::ranges::sort(mentions, longest_first);
  const std::int64_t tokens = std::ssize(document.tokens);
  std::vector<std::vector<Mark>> opening(document.tokens.size());
  std::vector<std::vector<const CorefMention*>> closing(document.tokens.size());
  for (const CorefMention& mention : mentions) {
    if (mention.begin < 0 || mention.end <= mention.begin || mention.end > tokens || mention.chain < 0) {
      throw UsageError(fmt::format("writing the document \"{}\" of {} tokens: a mention of tokens {} to {}",
                                   document.name, tokens, mention.begin + 1, mention.end));
    }
    const bool alone = mention.end == mention.begin + 1;
    opening[static_cast<std::size_t>(mention.begin)].push_back(
        {alone ? MarkKind::alone : MarkKind::opens, mention.chain});
    if (!alone) {
      closing[static_cast<std::size_t>(mention.end - 1)].push_back(&mention);
    }
  }
  std::vector<std::vector<Mark>> marks(document.tokens.size());
  std::map<std::int64_t, std::vector<std::int64_t>> open;  // [chain] begins
  for (std::size_t token = 0; token < marks.size(); ++token) {
    for (const Mark& mark : opening[token]) {
      if (mark.kind == MarkKind::opens) {
        open[mark.chain].push_back(static_cast<std::int64_t>(token));
      }
    }
    // Mentions are by begin, so the inner ones stand last.
    for (auto at = closing[token].rbegin(); at != closing[token].rend(); ++at) {
      std::vector<std::int64_t>& begins = open[(*at)->chain];
      if (begins.back() != (*at)->begin) {
        throw UsageError(fmt::format(
            "writing the document \"{}\": of chain {} the mentions of tokens {} to {} and from token {} "
            "cross, which CoNLL-2012 cannot say",
            document.name, (*at)->chain, (*at)->begin + 1, (*at)->end, begins.back() + 1));
      }
      begins.pop_back();
      marks[token].push_back({MarkKind::closes, (*at)->chain});
    }
    marks[token].insert(marks[token].end(), opening[token].begin(), opening[token].end());
  }
  return marks;
}

std::string text_of(const std::vector<Mark>& marks) {
  std::string text;
  for (const Mark& mark : marks) {
    text += fmt::format("{}{}{}{}", text.empty() ? "" : "|", mark.kind == MarkKind::closes ? "" : "(",
                        mark.chain, mark.kind == MarkKind::opens ? "" : ")");
  }
  return text;
}

// What the cell opens and closes at once is alone.
std::vector<Mark> spelled_marks(std::string_view cell) {
  std::vector<Mark> marks;
  for (const std::string_view piece : pieces_of(cell)) {
    const Mark mark = mark_of(piece).value_or(Mark{});
    const Mark other{mark.kind == MarkKind::opens ? MarkKind::closes : MarkKind::opens, mark.chain};
    const auto pair = std::ranges::find(marks, other);
    if (mark.kind == MarkKind::alone || pair == marks.end()) {
      marks.push_back(mark);
    } else {
      pair->kind = MarkKind::alone;
    }
  }
  return marks;
}

// Whether the file's spelling still says what the mentions do.
bool says(std::string_view cell, std::vector<Mark> marks) {
  std::vector<Mark> spelled = spelled_marks(cell);
  std::ranges::sort(spelled);
  std::ranges::sort(marks);
  return spelled == marks;
}

}  // namespace

std::int64_t set_crossing_apart(CorefDocument& document) {
  std::ranges::sort(document.mentions, longest_first);
  std::int64_t next = 0;
  for (const CorefMention& mention : document.mentions) {
    next = std::max(next, mention.chain + 1);
  }
  std::int64_t apart = 0;
  std::map<std::int64_t, std::vector<std::int64_t>> open;  // [chain] ends, the innermost last
  for (CorefMention& mention : document.mentions) {
    std::vector<std::int64_t>& ends = open[mention.chain];
    while (!ends.empty() && ends.back() <= mention.begin) {
      ends.pop_back();
    }
    if (!ends.empty() && mention.end > ends.back()) {
      mention.chain = next++;
      ++apart;
    } else {
      ends.push_back(mention.end);
    }
  }
  return apart;
}

std::string to_conll2012(const CorefDocument& document) {
  const std::vector<std::vector<Mark>> marks = marks_of(document);
  const auto nothing =
      std::ranges::find_if(document.tokens, [](const CorefToken& token) { return says_nothing(token.cell); });
  const std::string empty = nothing == document.tokens.end() ? "-" : nothing->cell;
  std::string text = document.before;
  for (std::size_t at = 0; at < marks.size(); ++at) {
    const CorefToken& token = document.tokens[at];
    text += token.columns;
    text += says(token.cell, marks[at]) ? token.cell : marks[at].empty() ? empty : text_of(marks[at]);
    text += token.after;
  }
  return text;
}

}  // namespace mog::io
