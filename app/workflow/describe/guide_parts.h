// The rows of the guide, and what is known of the quantities that they explain. Rows of quantities have no
// unit: it is that of the quantity.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "app/workflow/describe/guide.h"
#include "io/recording/axes.h"
#include "io/recording/translated.h"

namespace mog::app {

std::span<const GuideEntry> guide_of_encoders();
std::span<const GuideEntry> guide_of_directions();
std::span<const GuideEntry> guide_of_graph_input();
std::span<const GuideEntry> guide_of_global();
std::span<const GuideEntry> guide_of_next_token();
std::span<const GuideEntry> guide_of_decoders();
std::span<const GuideEntry> guide_of_decompositions();
std::span<const GuideEntry> guide_of_context();
std::span<const GuideEntry> guide_of_derived();
std::span<const GuideEntry> guide_of_measures();
std::span<const GuideEntry> guide_of_views();

// Every quantity that can be recorded of the systems that this program makes, one layer of each, by name as
// it is written without layer, direction and task ("encoder.L.D.gate", "heads.TASK.logits"), sorted.
struct KnownQuantity {
  std::string name;
  QuantitySchema schema;
};
const std::vector<KnownQuantity>& known_quantities();
// Spellings of the part of a name, the most special first: its own without direction, those of parts that are
// the same in another system, and what stands for any of them.
std::vector<std::string> part_spellings(const QuantityName& quantity);
// "encoder.L.PART.gate", of a stack and a part that may be called otherwise.
std::string name_pattern(std::string_view stack, const QuantityName& quantity, std::string_view part);

}  // namespace mog::app
