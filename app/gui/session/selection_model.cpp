#include "app/gui/session/selection_model.h"

#include <algorithm>
#include <utility>

namespace mog::gui {

int SelectionExtent::key_of(Part part) const {
  const auto found = std::find(keys.begin(), keys.end(), part);
  return found == keys.end() || found - keys.begin() >= kPartKeys
             ? 0
             : static_cast<int>(found - keys.begin()) + 1;
}

SelectionExtent extent_of(const RecordingHeader& header, std::int64_t tokens) {
  SelectionExtent extent;
  extent.tokens = tokens;
  const StackDescription& stack = header.stack();
  extent.layers = stack.layers;
  for (const Part part : stack.parts) {
    const bool there =
        std::any_of(header.quantities.begin(), header.quantities.end(), [&](const QuantitySchema& schema) {
          const QuantityName& name = schema.name;
          return name.stack() == stack.stack && name.part() == part &&
                 name.quantity() == map_quantity(part) &&
                 (name.reduction() == Reduction::full || name.reduction() == Reduction::mean_heads);
        });
    if (there) {
      extent.parts.push_back(part);
    }
    if (part.description().map != PartMap::none || part.role() == PartRole::carried) {
      extent.keys.push_back(part);
    }
  }
  for (const QuantitySchema& schema : header.quantities) {
    if (schema.name.stack() != stack.stack) {
      continue;
    }
    extent.layers = std::max(extent.layers, schema.name.layer());
    if (schema.name.quantity() == map_quantity(schema.name.part()) &&
        (schema.name.reduction() == Reduction::full || schema.name.reduction() == Reduction::mean_heads)) {
      extent.mapped = std::max(extent.mapped, schema.name.layer());
    }
    if (schema.name.quantity() == Quantity::attention && schema.name.reduction() == Reduction::full &&
        !schema.extents.empty()) {
      extent.heads = std::max(extent.heads, schema.extents.front());
    }
  }
  return extent;
}

SelectionModel::SelectionModel(QObject* parent) : QObject(parent) {}

void SelectionModel::setSentence(SentenceRef sentence, const SelectionExtent& extent) {
  if (sentence == sentence_ && extent == extent_) {
    return;
  }
  sentence_ = sentence;
  extent_ = extent;
  // A first sentence starts at the last layer, where most was joined; of some layers' maps at the last of
  // them.
  const std::int64_t last = extent.mapped > 0 ? extent.mapped : extent.layers;
  const std::int64_t wish = layer_ == 0 ? last : layer_;
  const std::int64_t layer = extent.layers == 0 ? 0 : std::clamp<std::int64_t>(wish, 1, extent.layers);
  const Part part =
      std::find(extent.parts.begin(), extent.parts.end(), part_) == extent.parts.end() ? Part::none : part_;
  const std::int64_t head = head_ > extent.heads ? 0 : head_;
  const bool map_moved = layer != layer_ || part != part_ || head != head_;
  layer_ = layer;
  part_ = part;
  head_ = head;
  token_.reset();
  key_.reset();
  hovered_.reset();
  join_.reset();
  Q_EMIT sentenceChanged();
  if (map_moved) {
    Q_EMIT mapChanged();
  }
  Q_EMIT tokenChanged();
  Q_EMIT keyChanged();
  Q_EMIT hoveredChanged();
  Q_EMIT joinChanged();
}

void SelectionModel::clear() {
  setSentence({}, {});
}

void SelectionModel::setLayer(std::int64_t layer) {
  setMap(layer, part_, head_);
}
void SelectionModel::setPart(Part part) {
  setMap(layer_, part, head_);
}
void SelectionModel::setHead(std::int64_t head) {
  setMap(layer_, part_, head);
}

void SelectionModel::setMap(std::int64_t layer, Part part, std::int64_t head) {
  layer = extent_.layers == 0 ? 0 : std::clamp<std::int64_t>(layer, 1, extent_.layers);
  head = std::clamp<std::int64_t>(head, 0, extent_.heads);
  const auto& parts = extent_.parts;
  if (part != Part::none && std::find(parts.begin(), parts.end(), part) == parts.end()) {
    part = part_;
  }
  if (layer == layer_ && part == part_ && head == head_) {
    return;
  }
  layer_ = layer;
  part_ = part;
  head_ = head;
  Q_EMIT mapChanged();
}

void SelectionModel::setToken(std::optional<std::int64_t> token) {
  if (token && (extent_.tokens == 0 || *token < 0)) {
    token.reset();
  } else if (token) {
    token = std::min(*token, extent_.tokens - 1);
  }
  if (token != token_) {
    token_ = token;
    const bool dropped = key_.has_value();
    key_.reset();
    Q_EMIT tokenChanged();
    if (dropped) {
      Q_EMIT keyChanged();
    }
    setJoin(nullptr);
  }
}

void SelectionModel::setJoin(std::shared_ptr<const app::JoinFacts> join) {
  if (join != join_) {
    join_ = std::move(join);
    Q_EMIT joinChanged();
  }
}

void SelectionModel::setKey(std::optional<std::int64_t> key) {
  if (!token_ || (key && (*key < 0 || *key >= extent_.tokens))) {
    key.reset();
  }
  if (key != key_) {
    key_ = key;
    Q_EMIT keyChanged();
  }
}

void SelectionModel::setHovered(std::optional<std::int64_t> token) {
  if (token && (*token < 0 || *token >= extent_.tokens)) {
    token.reset();
  }
  if (token != hovered_) {
    hovered_ = token;
    Q_EMIT hoveredChanged();
  }
}

void SelectionModel::setLengthRange(const std::optional<LengthRange>& range) {
  if (range != length_range_) {
    length_range_ = range;
    Q_EMIT lengthRangeChanged();
  }
}

void SelectionModel::setHeld(const std::optional<SentenceRef>& sentence) {
  const auto held = sentence && sentence->valid() ? sentence : std::nullopt;
  if (held != held_) {
    held_ = held;
    Q_EMIT heldChanged();
  }
}

void SelectionModel::togglePin() {
  setToken(hovered_ == token_ ? std::nullopt : hovered_);
}

void SelectionModel::stepLayer(int by) {
  setLayer(layer_ + by);
}
void SelectionModel::stepHead(int by) {
  setHead(head_ + by);
}

}  // namespace mog::gui
