// Skips a test with the engine's own reason where no CUDA device can be used.
#pragma once

#include <gtest/gtest.h>

#include "model/model.h"

#define MOG_REQUIRE_GPU()                                                             \
  if (const auto report = ::mog::model::engine_report(); report.devices.size() < 2) { \
    GTEST_SKIP() << "no CUDA device: " << report.cuda << report.error;                \
  }                                                                                   \
  static_assert(true)
