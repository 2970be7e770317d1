// What goes to the terminal beside the results: messages and progress, on stderr.
#pragma once

#include <chrono>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/workflow/common/progress.h"

namespace mog::cli {

enum class Verbosity { quiet, normal, verbose };

// On a terminal a bar with rate and time left, redrawn at most ten times a second; elsewhere a line every ten
// seconds. Colour only on a terminal and without NO_COLOR. Functions may be called from any thread.
class Console {
 public:
  Console();
  void set(Verbosity verbosity) { verbosity_ = verbosity; }
  bool verbose() const { return verbosity_ == Verbosity::verbose; }
  // One line; kept back by --quiet.
  void note(std::string_view message);
  void notes(const std::vector<std::string>& messages);
  void detail(std::string_view message);  // only with --verbose
  void error(std::string_view message);   // always
  void progress(const app::Progress& progress);
  // Ends the bar's line.
  void end_progress();
  app::ProgressCallback callback();

 private:
  using Clock = std::chrono::steady_clock;
  void clear_line();
  void write(std::string_view text);
  std::string bar(const app::Progress& progress, double seconds) const;

  Verbosity verbosity_ = Verbosity::normal;
  bool terminal_ = false;
  bool colour_ = false;
  std::mutex mutex_;
  bool bar_shown_ = false;
  std::optional<std::string> phase_;
  std::int64_t phase_first_ = 0;  // done when the phase began: a resumed run is not fast
  Clock::time_point phase_start_;
  Clock::time_point last_;
};

}  // namespace mog::cli
