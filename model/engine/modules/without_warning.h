// Warnings of LibTorch that say nothing to who reads them here.
#pragma once

#include <c10/util/Exception.h>

#include <string>
#include <string_view>

namespace mog::engine {

// While it lives, warnings of its thread whose text has `part` are not shown; all others are, as before.
// `part` is borrowed.
class WithoutWarning {
 public:
  explicit WithoutWarning(std::string_view part)
      : handler_(part, *c10::WarningUtils::get_warning_handler()), guard_(&handler_) {}
  WithoutWarning(const WithoutWarning&) = delete;
  WithoutWarning& operator=(const WithoutWarning&) = delete;

 private:
  class Handler final : public c10::WarningHandler {
   public:
    Handler(std::string_view part, c10::WarningHandler& shown) : part_(part), shown_(shown) {}
    void process(const c10::Warning& warning) override {
      if (warning.msg().find(part_) == std::string::npos) {
        shown_.process(warning);
      }
    }

   private:
    std::string_view part_;
    c10::WarningHandler& shown_;
  };

  Handler handler_;
  c10::WarningUtils::WarningHandlerGuard guard_;
};

}  // namespace mog::engine
