#include "app/cli/grammar_arguments.h"

#include <CLI/CLI.hpp>
#include <vector>

namespace mog::cli {

void add_grammar_options(CLI::App& command, app::GrammarTexts& texts, const std::string& group,
                         bool with_pieces) {
  std::vector<CLI::Option*> options;
  options.push_back(
      command
          .add_option("--heads", texts.heads,
                      "How the heads' maps become one: uniform, contribution (by the norms of what they add, "
                      "per layer and part), or some heads, 1,3,5")
          ->capture_default_str());
  options.push_back(
      command
          .add_option("--gate", texts.gate,
                      "What stands for the gate of a Graph-Transformer: recorded, share (norms of high + "
                      "middle beside low), constant=G")
          ->capture_default_str());
  options.push_back(
      command
          .add_option("--pi", texts.pi,
                      "Shares of high, middle1, middle2 in what is new: recorded (a self gate's, else 1/3 "
                      "each), uniform, share (norms)")
          ->capture_default_str());
  options.push_back(
      command
          .add_option("--rho", texts.rho, "Share that a plain Transformer's layer carries on; 1/2 by default")
          ->check(CLI::Range(0.0, 1.0)));
  options.push_back(
      command.add_option("--residual-share", texts.residual_share, "Turns the gate g into (1 - r) g")
          ->capture_default_str()
          ->check(CLI::Range(0.0, 1.0)));
  options.push_back(
      command
          .add_option("--target", texts.target,
                      "The sentence's weight of each word: uniform, or cross, its mean cross-attention from "
                      "the translation (recorded with --target)")
          ->capture_default_str());
  options.push_back(
      command
          .add_option("--recurrence", texts.direction,
                      "Of a bidirectional GRU or LSTM: both (a joined state by the norms of its halves), "
                      "forward or backward alone")
          ->capture_default_str());
  if (with_pieces) {
    options.push_back(command.add_flag("--keep-pieces", texts.keep_pieces, "Pieces of words stay apart"));
  }
  if (!group.empty()) {
    for (CLI::Option* const option : options) {
      option->group(group);
    }
  }
}

}  // namespace mog::cli
