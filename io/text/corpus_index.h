// Where the sentences of a corpus begin, so that each of many tasks reads its own part of it and no more.
//
// Made by reading the corpus once. It holds the place of every so-many-th sentence, and what tells that the
// corpus is still the same: size, time of the last change, a sum of its first and last bytes.
#pragma once

#include <cstdint>
#include <filesystem>
#include <stop_token>
#include <string>
#include <vector>

#include "io/text/corpus.h"

namespace mog::io {

enum class CorpusUnit : std::uint8_t {
  lines,  // a sentence a line, empty ones too, as CorpusReader counts
  trees,  // sentences of CoNLL-U
};

// A byte of the corpus at which a sentence begins; of a treebank with what stands before its rows.
struct CorpusMark {
  std::uint64_t offset = 0;
  std::int64_t line = 1;  // of the file, from 1
  friend bool operator==(const CorpusMark&, const CorpusMark&) = default;
};

struct CorpusIndex {
  CorpusUnit unit = CorpusUnit::lines;
  std::int64_t every = 1;        // sentences from one mark to the next
  std::uint64_t size_bytes = 0;  // of the corpus
  std::int64_t modified_ns = 0;  // its time of change, since 1970
  std::string ends_sha256;       // of its first and last 64 KiB
  std::string sha256;            // of all of it
  std::int64_t sentences = 0;
  std::vector<CorpusMark> marks;  // of sentences 1, 1 + every, 1 + 2 every …
  friend bool operator==(const CorpusIndex&, const CorpusIndex&) = default;
};

inline constexpr std::int64_t kSentencesPerMark = 1000;

// Where the index of a corpus is: of text.de text.de.mogindex beside it, or text.de.HEX.mogindex in `folder`,
// eight digits for the folder of the corpus, since several may have a file of that name.
std::filesystem::path index_path(const std::filesystem::path& corpus,
                                 const std::filesystem::path& folder = {});

// Reads `corpus` once; memory is 16 bytes a mark. Throws UsageError for a compressed corpus and for standard
// input, of which no part can be read alone; FormatError for what is no text, or changes meanwhile;
// Interrupted.
CorpusIndex make_corpus_index(const std::filesystem::path& corpus, std::int64_t every = kSentencesPerMark,
                              const std::stop_token& stop = {});

// Written beside and renamed: several tasks that make one at once write the same, and none sees half of it.
// Throws StorageError.
void write_corpus_index(const std::filesystem::path& path, const CorpusIndex& index);
// Checks everything that needs no corpus. Throws UsageError where there is no such file, FormatError: no
// index, of a newer version, damaged, numbers that contradict each other.
CorpusIndex read_corpus_index(const std::filesystem::path& path);
// Throws FormatError unless `corpus` is what `index`, read from `path`, was made of.
void require_same_corpus(const CorpusIndex& index, const std::filesystem::path& path,
                         const std::filesystem::path& corpus);

// The index of `corpus`, read from its index_path(); made and written there first where there is none. Throws
// as the functions above.
CorpusIndex open_corpus_index(const std::filesystem::path& corpus, const std::filesystem::path& folder = {},
                              const std::stop_token& stop = {});

// Part `part` of `parts`, from 1: whole sentences, contiguous, each in one part. A part begins with the first
// sentence at or behind its share of the bytes. Of a corpus with less than kFewSentences sentences a part it
// begins at its share of the sentences, so that no part is empty while there are as many sentences. With
// kFewMarks times kSentencesPerMark sentences a part and more it begins at a multiple of these, plus one:
// where batches are planned anew, so that a model computes the same for it as in a run over the whole
// (app/workflow/record/batch_queue.h). Reads `every` sentences of the corpus at most twice. Throws
// FormatError where the corpus is not the index's.
inline constexpr std::int64_t kFewSentences = 100;
inline constexpr std::int64_t kFewMarks = 4;
TextRange range_of_part(const CorpusIndex& index, const std::filesystem::path& corpus, std::int64_t part,
                        std::int64_t parts);
// Sentences [first, first + sentences), numbers from 1. Throws as range_of_part(); UsageError where the
// corpus does not have them.
TextRange range_of_sentences(const CorpusIndex& index, const std::filesystem::path& corpus,
                             std::int64_t first, std::int64_t sentences);

}  // namespace mog::io
