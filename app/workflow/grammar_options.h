// The choices behind an attention grammar, as a command line or a session file spells them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "analysis/mog/from_recording.h"

namespace mog::app {

struct GrammarTexts {
  std::string heads = "uniform";   // uniform, contribution, or heads from 1: 1,3,5
  std::string gate = "recorded";   // recorded, share, constant=G
  std::string pi = "recorded";     // recorded, uniform, share
  std::string target = "uniform";  // uniform, cross
  std::optional<double> rho{};     // plain Transformer
  double residual_share = 0;
  bool keep_pieces = false;
};
// Throws UsageError naming the option, what was found and what is allowed.
analysis::WordGrammarOptions parse_grammar_options(const GrammarTexts& texts);

// "contribution", "1,3,5", …: the same text again for a caption.
std::string heads_text(const analysis::WordGrammarOptions& options);

}  // namespace mog::app
