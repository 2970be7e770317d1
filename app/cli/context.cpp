#include "app/cli/context.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "app/workflow/common/text_format.h"
#include "io/loader/loader_process.h"
#include "io/recording/errors.h"
#include "io/recording/nearest_name.h"
#include "io/text/output_file.h"
#include "model/stored_model.h"

namespace mog::cli {

void Context::add_common_options(CLI::App& app) {
  const std::string group = "Common options";
  app.add_flag("--json", json, "Results as JSON (one document, or JSON Lines)")->group(group);
  app.add_flag("--quiet,-q", quiet, "No progress and no messages")->group(group);
  app.add_flag("--verbose,-v", verbose, "More messages")->group(group);
  app.add_flag("--require-sandbox", require_sandbox,
               "Refuse files of other programs where the kernel does not let their reader be restricted")
      ->group(group);
  app.add_option("--seed", seed, "Seed of everything random (bootstrap, training)")->group(group);
  app.add_option("--threads", threads, "Streams of one thread each; 0: one a core")
      ->group(group)
      ->check(CLI::Range(0, 4096));
  app.add_option("--device", device, "auto, cpu, cuda or cuda:N")->group(group);
  app.add_option("--precision", precision,
                 "Of the computation: float32, bfloat16 or int8; float64 for checks")
      ->group(group);
  app.add_option_function<std::int64_t>(
         "--layers-in-memory", model::set_layers_in_memory,
         "Hold the weights of at most N layers, for models larger than memory; the others are read from the "
         "disk again for every batch, as many at once as there are --threads")
      ->type_name("N")
      ->group(group)
      ->check(CLI::Range(1, 1'000'000));
}

void Context::apply() {
  console.set(quiet ? Verbosity::quiet : verbose ? Verbosity::verbose : Verbosity::normal);
  if (require_sandbox) {
    ::setenv(io::kRequireSandbox, "1", 1);  // mog-loader reads it
  }
  io::tell_of_sandbox_defect([this](const std::string& reason) {  // even with --quiet
    console.error(fmt::format(
        "warning: the kernel does not let mog-loader restrict its system calls ({}); limits on memory and "
        "processor time remain; --require-sandbox refuses files in this case",
        reason));
  });
}

model::Precision Context::parsed_precision() const {
  if (precision == "float32") {
    return model::Precision::float32;
  }
  if (precision == "bfloat16") {
    return model::Precision::bfloat16;
  }
  if (precision == "float64") {
    return model::Precision::float64;
  }
  if (precision == "int8") {
    return model::Precision::int8;
  }
  throw unknown_choice("--precision", precision, {"float32", "bfloat16", "int8", "float64"});
}

model::DeviceOptions Context::device_options(int run_threads) const {
  model::DeviceOptions options;
  options.device = device;
  options.precision = parsed_precision();
  options.threads = run_threads;
  return options;
}

std::stop_token Context::stop() {
  if (!stop_) {
    stop_.emplace();
  }
  return stop_->token();
}

std::string Context::names_of_today(app::NameOf choice, std::string_view names) {
  std::vector<std::string> notes;
  std::string text = app::names_of_today(choice, names, notes);
  console.notes(notes);
  return text;
}

void Context::print(std::string_view text) {
  console.end_progress();
  // Whatever a file says, no terminal obeys it; a pipe gets the bytes.
  std::string harmless;
  if (::isatty(STDOUT_FILENO) == 1) {
    harmless = app::terminal_text(text);
    text = harmless;
  }
  const bool sound =
      std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  if (sound) {
    return;
  }
  if (errno == EPIPE) {
    throw ReaderLeft();
  }
  throw StorageError(fmt::format("writing to standard output: {}", std::strerror(errno)),
                     errno == ENOSPC ? StorageError::Cause::no_space : StorageError::Cause::other);
}

void Context::write(const std::filesystem::path& path, std::string_view text) {
  if (path == "-") {
    print(text);
  } else {
    io::write_file(path, text, io::Links::follow);
  }
}

std::string examples(std::initializer_list<std::string_view> lines) {
  std::string text = "Examples:";
  for (const std::string_view line : lines) {
    text += fmt::format("\n  {}", line);
  }
  return text;
}

}  // namespace mog::cli
