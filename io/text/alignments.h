// Word alignments of sentence pairs, a file line by line the same pairs as the two texts.
//
//   pharaoh  0-1 1-2 3?4   a line a pair, words counted from 0; - is sure, ? or p possible
//   talp     1-2 2-3 4p5   the same, words counted from 1
//   naacl    1 1 2 S       a line a link: pair, source word, target word from 1, S or P (S where it is left
//                          out), perhaps a confidence (Mihalcea & Pedersen 2003)
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace mog::io {

enum class AlignmentFormat : std::uint8_t {
  automatic,  // by the file's name (.talp, .pharaoh, .naacl), else by its first line
  pharaoh,
  talp,
  naacl,
};
// "auto", "pharaoh", "talp", "naacl"; throws UsageError that names them.
AlignmentFormat parse_alignment_format(std::string_view text);
std::string_view name(AlignmentFormat format) noexcept;

struct AlignmentLink {
  std::int64_t source = 0;  // words, from 0
  std::int64_t target = 0;
  bool possible = false;  // else sure
  std::int64_t line = 0;  // of the file, from 1
  std::string text;       // as the file spells it
};

struct Alignments {
  AlignmentFormat format = AlignmentFormat::pharaoh;
  std::vector<std::vector<AlignmentLink>> pairs;  // as many as lines; naacl: up to the last pair with a link
};

// Throws FormatError naming file, line and link: no link, a word 0 where words count from 1. UsageError when
// `automatic` cannot tell from where a file counts: no link of it has a word 0.
Alignments read_alignments(const std::filesystem::path& path,
                           AlignmentFormat format = AlignmentFormat::automatic);

// One line without its end, possible links with p. Not of naacl.
std::string alignment_line(std::span<const AlignmentLink> links, AlignmentFormat format);

}  // namespace mog::io
