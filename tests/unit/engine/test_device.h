// The device on which the tests of the engine run: that of $MOG_TEST_DEVICE, else the processor.
#pragma once

#include <cstdlib>
#include <string>

namespace mog::test {

inline std::string test_device() {
  const char* const set = std::getenv("MOG_TEST_DEVICE");
  return set != nullptr ? set : "cpu";
}

}  // namespace mog::test
