#include "app/cli/console.h"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "app/workflow/common/text_format.h"
#include "io/recording/counted.h"

namespace mog::cli {
namespace {

int terminal_width() {
  winsize size = {};
  if (::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20) {
    return size.ws_col;
  }
  return 80;
}

}  // namespace

Console::Console() {
  const char* const term = std::getenv("TERM");
  const bool dumb = term != nullptr && std::string_view(term) == "dumb";
  terminal_ = ::isatty(STDERR_FILENO) == 1 && !dumb;
  const char* const no_colour = std::getenv("NO_COLOR");
  colour_ = terminal_ && (no_colour == nullptr || *no_colour == '\0');
}

void Console::write(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

void Console::clear_line() {
  if (bar_shown_) {
    write("\r\x1b[K");
    bar_shown_ = false;
  }
}

void Console::note(std::string_view message) {
  if (verbosity_ == Verbosity::quiet) {
    return;
  }
  const std::scoped_lock lock(mutex_);
  clear_line();
  write(app::terminal_text(message) + "\n");
}

void Console::notes(const std::vector<std::string>& messages) {
  for (const std::string& message : messages) {
    note(message);
  }
}

void Console::detail(std::string_view message) {
  if (verbosity_ == Verbosity::verbose) {
    note(message);
  }
}

void Console::error(std::string_view message) {
  const std::scoped_lock lock(mutex_);
  clear_line();
  // Messages name what files hold.
  const std::string text = app::terminal_text(message);
  write(colour_ ? fmt::format("\x1b[31mmog:\x1b[0m {}\n", text) : fmt::format("mog: {}\n", text));
}

std::string Console::bar(const app::Progress& progress, double seconds) const {
  const std::int64_t made = progress.done - phase_first_;
  const double rate = seconds > 0 ? static_cast<double>(made) / seconds : 0;
  std::string text = progress.message;
  if (progress.total > 0) {
    constexpr int kCells = 24;
    const auto full = static_cast<int>(kCells * progress.done / std::max<std::int64_t>(progress.total, 1));
    text += fmt::format(" [{:#<{}}{:-<{}}] {}/{} {}", "", std::clamp(full, 0, kCells), "",
                        kCells - std::clamp(full, 0, kCells), app::grouped(progress.done),
                        app::grouped(progress.total), progress.unit);
  } else {
    text += fmt::format(" {} {}", app::grouped(progress.done), progress.unit);
  }
  if (rate > 0) {
    text += rate < 10 ? fmt::format("  {:.1f}/s", rate) : fmt::format("  {:.0f}/s", rate);
    if (progress.total > progress.done) {
      text += "  " + app::duration_text(static_cast<double>(progress.total - progress.done) / rate) + " left";
    }
  }
  return text;
}

void Console::progress(const app::Progress& progress) {
  if (verbosity_ == Verbosity::quiet) {
    return;
  }
  const std::scoped_lock lock(mutex_);
  const auto now = Clock::now();
  if (progress.message != phase_) {
    phase_ = progress.message;
    phase_first_ = progress.done;
    phase_start_ = now;
    last_ = now - (terminal_ ? std::chrono::seconds(1) : std::chrono::seconds(0));
  }
  const auto wait = terminal_ ? std::chrono::milliseconds(100) : std::chrono::milliseconds(10'000);
  const bool complete = terminal_ && progress.total > 0 && progress.done >= progress.total;
  if (now - last_ < wait && !complete) {
    return;
  }
  last_ = now;
  std::string text = app::printable(bar(progress, std::chrono::duration<double>(now - phase_start_).count()));
  if (!terminal_) {
    write(text + "\n");
    return;
  }
  const auto width = static_cast<std::size_t>(terminal_width() - 1);
  if (text.size() > width) {
    text.resize(width);
  }
  write("\r" + text + "\x1b[K");
  bar_shown_ = true;
}

void Console::end_progress() {
  const std::scoped_lock lock(mutex_);
  clear_line();
  phase_.reset();
}

app::ProgressCallback Console::callback() {
  return [this](const app::Progress& report) { progress(report); };
}

}  // namespace mog::cli
