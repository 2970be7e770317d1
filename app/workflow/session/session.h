// A session of the desktop program as a small JSON file: what was open, what was looked at and how. Never
// weights, never numbers of a recording: recordings and models stand in it by their paths, typed sentences
// by their text and what was changed in their runs.
//
// The file (docs/desktop.md, Sessions) counts sentences, layers, heads and tokens from 1, as people do.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "io/recording/quantity_name.h"
#include "model/intervention.h"
#include "model/tokenizer/words/words.h"

namespace mog::app {

inline constexpr std::int64_t kSessionVersion = 1;

// A setting of a view: a switch, a number, a word, or a list of numbers. Numbers are finite.
using SessionValue = std::variant<bool, double, std::string, std::vector<double>>;

struct SessionSentence {
  std::string text;
  std::vector<model::Intervention> interventions;    // of sentence 0
  std::int64_t parent = -1;                          // index of the sentence that this one changes; -1: none
  model::WordCut words = model::WordCut::automatic;  // what its text was cut into
  std::string name = {};                             // that the reader gave it; empty: none
};

struct SessionItem {
  std::string recording;                   // path; empty: sentences typed for a model
  std::int64_t model = -1;                 // index into Session::models, of typed sentences
  std::vector<SessionSentence> sentences;  // typed
};

struct SessionSelection {
  std::int64_t item = -1;  // index into Session::items; -1: nothing is selected
  std::int64_t sentence = 0;
  std::int64_t layer = 1;
  Part part = Part::none;
  std::int64_t head = 0;  // 0: the mean
  std::optional<std::int64_t> token;
  std::optional<std::int64_t> key;       // of `token`
  std::optional<std::int64_t> shortest;  // words of the sentences that are listed: shortest <= n < longest
  std::optional<std::int64_t> longest;
};

// The sentence that others are compared with.
struct SessionHeld {
  std::int64_t item = 0;      // index into Session::items
  std::int64_t sentence = 0;  // of it, from 0
};

struct Session {
  std::vector<std::string> models;  // paths
  std::vector<SessionItem> items;
  SessionSelection selection;
  std::optional<SessionHeld> held;
  std::map<std::string, SessionValue> views;  // settings by name
  std::string gold;                           // path of the treebank beside them; may be empty
  std::vector<std::string> trajectories;      // files of training runs, in their order
  std::string find;                           // what the sentences are searched for
  std::map<std::string, std::string> names;   // that the reader gave to models and recordings, by path
};

std::string print_session(const Session& session);
// Throws FormatError naming `file`, the key, what was expected and what was found.
Session parse_session(std::string_view text, const std::string& file);

}  // namespace mog::app
