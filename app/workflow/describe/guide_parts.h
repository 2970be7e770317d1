// The rows of the guide.
#pragma once

#include <span>

#include "app/workflow/describe/guide.h"
#include "io/recording/translated.h"

namespace mog::app {

std::span<const GuideEntry> guide_of_encoders();
std::span<const GuideEntry> guide_of_directions_and_decoders();
std::span<const GuideEntry> guide_of_decompositions();
std::span<const GuideEntry> guide_of_derived();
std::span<const GuideEntry> guide_of_measures();
std::span<const GuideEntry> guide_of_views();

}  // namespace mog::app
