// The rows of the guide. Private to mog_workflow.
#pragma once

#include <span>

#include "app/workflow/guide.h"

// Marks a text that the desktop program translates; its tools find texts by this word.
#define MOG_TEXT(context, text) text

namespace mog::app {

std::span<const GuideEntry> guide_of_encoders();
std::span<const GuideEntry> guide_of_directions_and_decoders();
std::span<const GuideEntry> guide_of_decompositions();
std::span<const GuideEntry> guide_of_derived();
std::span<const GuideEntry> guide_of_measures();
std::span<const GuideEntry> guide_of_views();

}  // namespace mog::app
