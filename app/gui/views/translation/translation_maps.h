// What the translation view draws of a recorded translation: words on words by the decoder's attention or by
// what its scores owe them, the decoder's attention to its own words, and the capsules of a global
// representation. Functions for workers; no widget here.
#pragma once

#include <cstdint>
#include <memory>
#include <stop_token>
#include <string>
#include <vector>

#include "analysis/attribution/word_alignment.h"
#include "analysis/figure_data/attention_overview.h"
#include "app/gui/views/common/figure_data_tasks.h"
#include "io/recording/sentence_recording.h"

namespace mog::gui {

// What says which source word a word of the translation comes from.
using TakenBy = analysis::AlignmentMap;

// Which maps are shown.
enum class DecoderMaps : std::uint8_t {
  source,    // words of the translation on words of the source
  own,       // on words of the translation before them
  capsules,  // what the global representation of the source collects
};

// What its recording can be drawn by.
std::vector<TakenBy> ways_of(const RecordingHeader& header);
// The recorded map of a way other than attention; empty: there is none.
std::string quantity_of(const RecordingHeader& header, TakenBy by);
// Those that the recording has.
std::vector<DecoderMaps> maps_of(const RecordingHeader& header);

// Attention of the decoder in it, to the source or to its own words: layers, heads; 0: it has none.
struct HeadCount {
  std::int64_t layers = 0;
  std::int64_t heads = 0;
};
HeadCount heads_of(const RecordingHeader& header, DecoderMaps maps);

struct MapsQuestion {
  std::shared_ptr<const RecordingSource> source;
  std::int64_t index = 0;  // of the sentence
  DecoderMaps maps = DecoderMaps::source;
  TakenBy by = TakenBy::cross_attention;  // of words on the source
  std::int64_t layer = 0;                 // of attention, from 1; 0: the mean
  std::int64_t head = 0;
};

// A picture, and which words its places are: -1 where a place is none.
struct WordPicture {
  MadeFigure made;
  std::vector<std::int64_t> target_rows;     // word of the translation of each row
  std::vector<std::int64_t> source_columns;  // word of the source of each column
  std::vector<std::int64_t> target_columns;  // of the maps of own words; of capsules: of the gate's panel
  std::int64_t layers = 0;                   // of capsules: panels of layers; the gate's is the last
  // [target word, source word]; of own words [target word, target word]; empty: of capsules.
  std::vector<double> weights;
};
// Throws as analysis::alignment_figure and app::make_figure.
WordPicture word_picture(const MapsQuestion& question, const std::stop_token& stop);

// The same of every layer and head as thumbnails on one scale; not of capsules.
std::shared_ptr<const analysis::AttentionOverview> decoder_overview(const MapsQuestion& question,
                                                                    const std::stop_token& stop);

}  // namespace mog::gui
