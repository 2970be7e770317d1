// Names of the settings and jobs of the translation view.
#pragma once

#include <QString>

#include "app/gui/views/translation/translation_maps.h"

namespace mog::gui::of_translation {

inline const QString kMaps = QStringLiteral("translation.maps");
inline const QString kBy = QStringLiteral("translation.by");
inline const QString kLayer = QStringLiteral("translation.layer");
inline const QString kHead = QStringLiteral("translation.head");
inline const QString kMapSlot = QStringLiteral("translation-map");
inline const QString kTilesSlot = QStringLiteral("translation-tiles");

inline QString name_of(DecoderMaps maps) {
  return maps == DecoderMaps::source ? QStringLiteral("source")
         : maps == DecoderMaps::own  ? QStringLiteral("own")
                                     : QStringLiteral("capsules");
}

inline QString name_of(TakenBy by) {
  return by == TakenBy::cross_attention ? QStringLiteral("attention")
         : by == TakenBy::contribution  ? QStringLiteral("contribution")
                                        : QStringLiteral("alti");
}

}  // namespace mog::gui::of_translation
