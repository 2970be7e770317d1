// The choices behind an attention grammar, as a command line or a session file spells them.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/mog/grammar/from_recording.h"
#include "app/workflow/common/choices.h"

namespace mog::app {

struct GrammarTexts {
  std::string heads = "uniform";   // uniform, contribution, or heads from 1: 1,3,5
  std::string gate = "recorded";   // recorded, share, constant=G
  std::string pi = "recorded";     // recorded, uniform, share
  std::string target = "uniform";  // uniform, cross
  std::string direction = "both";  // both, forward, backward; bidirectional encoders
  std::optional<double> rho{};     // plain Transformer
  double residual_share = 0;
  std::string sink = "keep";  // keep, drop
  bool keep_pieces = false;
};
// `texts` lives as long as the choices; without `with_pieces` pieces are merged always.
void declare(Choices& choices, GrammarTexts& texts, bool with_pieces = true);
// Heads from 1, none twice: "1,3,5"; "uniform" is none. Throws UsageError.
std::vector<std::int64_t> parse_heads(std::string_view text);
// Throws UsageError naming the option, what was found and what is allowed.
analysis::WordGrammarOptions parse_grammar_options(const GrammarTexts& texts);

// Nothing was chosen: the grammar that a recording gives by itself.
bool is_default(const analysis::WordGrammarOptions& options);
// The options that differ from the default, as they are spelt: "--heads 1,3 --rho 0.3"; for errors.
std::string chosen_text(const analysis::WordGrammarOptions& options);

// What a table's column or a figure's caption says of the grammar behind its numbers: how heads became one,
// pieces words, and what stands for gate, pi, rho and target; `choices` are WordGrammar's.
// "attention averaged over heads, pieces merged to words, gate recorded, pi recorded"
std::string grammar_text(const analysis::WordGrammarOptions& options,
                         const analysis::GrammarChoices& choices);

}  // namespace mog::app
