// Pharaoh's and Talp's lines look alike and differ in what they count from, and a file read in the wrong one
// of them gives scores that look sound. So a file is only taken for Pharaoh's where a word 0 shows it.
#include "io/text/alignments.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>
#include <utility>

#include "io/recording/errors.h"
#include "io/recording/named_values.h"
#include "io/recording/nearest_name.h"
#include "io/text/corpus.h"

namespace mog::io {
namespace {

constexpr std::array kFormats = {
    std::pair{AlignmentFormat::automatic, std::string_view("auto")},
    std::pair{AlignmentFormat::pharaoh, std::string_view("pharaoh")},
    std::pair{AlignmentFormat::talp, std::string_view("talp")},
    std::pair{AlignmentFormat::naacl, std::string_view("naacl")},
};
constexpr std::int64_t kMostPairs = 100'000'000;
constexpr std::size_t kShown = 40;  // characters of a link in a message

std::vector<std::string_view> pieces_of(std::string_view line) {
  std::vector<std::string_view> pieces;
  for (std::size_t at = 0; (at = line.find_first_not_of(" \t", at)) != std::string_view::npos;) {
    const std::size_t end = std::min(line.find_first_of(" \t", at), line.size());
    pieces.push_back(line.substr(at, end - at));
    at = end;
  }
  return pieces;
}

std::optional<std::int64_t> number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = error == std::errc() && end == text.data() + text.size() && value >= 0;
  return whole ? std::optional(value) : std::nullopt;
}

class Reader {
 public:
  Reader(const std::filesystem::path& path, AlignmentFormat format) : file_(path.string()), format_(format) {
    if (format_ == AlignmentFormat::automatic) {
      const std::string extension = path.extension().string();
      const auto named = std::find_if(kFormats.begin(), kFormats.end(), [&](const auto& one) {
        return extension == fmt::format(".{}", one.second);
      });
      format_ = named == kFormats.end() ? AlignmentFormat::automatic : named->first;
    }
    CorpusReader lines(path, {.sentences = false});
    CorpusLine line;
    while (lines.next(line)) {
      add(line);
    }
    finish();
  }
  Alignments take() { return {format_, std::move(pairs_)}; }

 private:
  [[noreturn]] void refuse(std::int64_t line, std::string_view link, const std::string& defect) const {
    throw FormatError(fmt::format("reading alignments {}, line {}: \"{}\" {}", file_, line,
                                  link.substr(0, kShown), defect));
  }

  void add(const CorpusLine& line) {
    const std::vector<std::string_view> pieces = pieces_of(line.text);
    if (format_ == AlignmentFormat::automatic && pairs_.empty() && pieces.size() >= 3 && number(pieces[0])) {
      format_ = AlignmentFormat::naacl;
    }
    if (format_ == AlignmentFormat::naacl) {
      if (!pieces.empty()) {
        add_row(line, pieces);
      }
      return;
    }
    pairs_.emplace_back();
    for (const std::string_view piece : pieces) {
      pairs_.back().push_back(link(line.number, piece));
    }
  }

  // "1-2", "1p2"; words as they are written.
  AlignmentLink link(std::int64_t line, std::string_view text) {
    const std::size_t mark = text.find_first_not_of("0123456789");
    const auto source = number(text.substr(0, mark));
    const auto target = mark == std::string_view::npos ? std::nullopt : number(text.substr(mark + 1));
    const char kind = mark == std::string_view::npos ? ' ' : text[mark];
    const bool sure = kind == '-' || kind == 's' || kind == 'S';
    const bool possible = kind == '?' || kind == 'p' || kind == 'P';
    if (!source || !target || !(sure || possible)) {
      refuse(line, text, "is no link; expected SOURCE-TARGET, a possible one SOURCEpTARGET or SOURCE?TARGET");
    }
    zero_ = zero_ || *source == 0 || *target == 0;
    return {*source, *target, possible, line, std::string(text)};
  }

  void add_row(const CorpusLine& line, const std::vector<std::string_view>& pieces) {
    const auto pair = number(pieces[0]);
    const auto source = pieces.size() > 1 ? number(pieces[1]) : std::nullopt;
    const auto target = pieces.size() > 2 ? number(pieces[2]) : std::nullopt;
    const bool possible = pieces.size() > 3 && pieces[3] == "P";
    const bool sure = pieces.size() == 3 || (pieces.size() > 3 && pieces[3] == "S");
    if (!pair || !source || !target || !(sure || possible) || *pair < 1 || *pair > kMostPairs) {
      refuse(line.number, line.text, "is no link; expected PAIR SOURCE TARGET S or P, all counted from 1");
    }
    pairs_.resize(std::max(pairs_.size(), static_cast<std::size_t>(*pair)));
    pairs_[static_cast<std::size_t>(*pair) - 1].push_back(
        {*source, *target, possible, line.number, std::string(line.text)});
  }

  // Words from 0.
  void finish() {
    if (format_ == AlignmentFormat::automatic) {
      const bool any =
          std::any_of(pairs_.begin(), pairs_.end(), [](const auto& pair) { return !pair.empty(); });
      if (any && !zero_) {
        throw UsageError(fmt::format(
            "reading alignments {}: no link has a word 0, so its words may count from 1 (Talp) or from 0 "
            "(Pharaoh); say which, talp or pharaoh",
            file_));
      }
      format_ = AlignmentFormat::pharaoh;
    }
    if (format_ == AlignmentFormat::pharaoh) {
      return;
    }
    for (std::vector<AlignmentLink>& pair : pairs_) {
      for (AlignmentLink& link : pair) {
        if (link.source == 0 || link.target == 0) {
          refuse(link.line, link.text,
                 fmt::format("has a word 0; words of the format {} count from 1", name(format_)));
        }
        --link.source;
        --link.target;
      }
    }
  }

  std::string file_;
  AlignmentFormat format_;
  std::vector<std::vector<AlignmentLink>> pairs_;
  bool zero_ = false;
};

}  // namespace

std::string_view name(AlignmentFormat format) noexcept {
  return name_in(kFormats, format);
}

AlignmentFormat parse_alignment_format(std::string_view text) {
  if (const auto format = find_in(kFormats, text)) {
    return *format;
  }
  throw unknown_choice("a format of alignments", text, names_in(kFormats));
}

Alignments read_alignments(const std::filesystem::path& path, AlignmentFormat format) {
  return Reader(path, format).take();
}

std::string alignment_line(std::span<const AlignmentLink> links, AlignmentFormat format) {
  const std::int64_t first = format == AlignmentFormat::talp ? 1 : 0;
  std::string line;
  for (const AlignmentLink& link : links) {
    line += fmt::format("{}{}{}{}", line.empty() ? "" : " ", link.source + first, link.possible ? 'p' : '-',
                        link.target + first);
  }
  return line;
}

}  // namespace mog::io
