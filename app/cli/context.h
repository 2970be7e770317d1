// What all subcommands share: the common options, the terminal, the way results leave.
#pragma once

#include <CLI/App.hpp>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

#include "app/cli/console.h"
#include "app/cli/signals.h"
#include "app/workflow/common/former_names.h"
#include "model/model.h"

namespace mog::cli {

class Context {
 public:
  bool json = false;
  bool quiet = false;
  bool verbose = false;
  bool require_sandbox = false;
  std::int64_t seed = 1;
  int threads = 0;  // 0: as many as the job likes
  std::string device = "auto";
  std::string precision = "float32";
  std::string command_line;
  std::vector<std::string> words;  // the command line as it is parsed, the program first
  Console console;
  std::function<void()> action;  // of the chosen subcommand

  // --json, --quiet … for a subcommand; they are the same wherever they stand.
  void add_common_options(CLI::App& app);
  // After parsing.
  void apply();
  model::Precision parsed_precision() const;  // throws UsageError
  // `threads` of one run; streams are the job's.
  model::DeviceOptions device_options(int run_threads = 1) const;
  // From the first call on SIGINT is a request to stop.
  std::stop_token stop();
  // `names` (commas between) by the names of today; a note where one was a former name.
  std::string names_of_today(app::NameOf choice, std::string_view names);
  bool stopped() const { return stop_ && stop_->token().stop_requested(); }

  // To stdout. Throws StorageError when it cannot be written; a closed pipe ends the program quietly.
  void print(std::string_view text);
  // To a file (beside and renamed), or "-" to stdout.
  void write(const std::filesystem::path& path, std::string_view text);

 private:
  std::optional<StopOnSignal> stop_;
};

// A closed pipe at stdout: nothing is wrong, nobody listens any more.
struct ReaderLeft {};

// An example for the end of a help page: "Examples:\n  mog …".
std::string examples(std::initializer_list<std::string_view> lines);

// Each adds its subcommand and sets context.action when it is chosen.
void add_ablate(CLI::App& app, Context& context);
void add_align(CLI::App& app, Context& context);
void add_convert(CLI::App& app, Context& context);
void add_demo(CLI::App& app, Context& context);
void add_describe(CLI::App& app, Context& context);
void add_randomize(CLI::App& app, Context& context);
void add_record(CLI::App& app, Context& context);
void add_sentences(CLI::App& app, Context& context);
void add_trees(CLI::App& app, Context& context);
void add_stats(CLI::App& app, Context& context);
void add_syntax(CLI::App& app, Context& context);
void add_faithfulness(CLI::App& app, Context& context);
void add_figure(CLI::App& app, Context& context);
void add_train(CLI::App& app, Context& context);
void add_parse(CLI::App& app, Context& context);
void add_tag(CLI::App& app, Context& context);
void add_translate(CLI::App& app, Context& context);
void add_summarize(CLI::App& app, Context& context);
void add_expr(CLI::App& app, Context& context);
void add_evaluate(CLI::App& app, Context& context);
void add_validate(CLI::App& app, Context& context);
void add_doctor(CLI::App& app, Context& context);

}  // namespace mog::cli
