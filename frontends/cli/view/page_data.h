// A recording as one self-contained page.
#pragma once

#include <string>

#include "frontends/cli/run/source_place.h"
#include "frontends/cli/view/layers.h"
#include "frontends/cli/view/recording.h"

namespace txvm::frontends::cli {

/// What a page says besides the recording.
struct PageSettings {
  std::string title;  // file and entry, as they were given
  std::string engine;
  std::uint64_t open = 0;                  // the step it opens at
  const LayerRecording* layers = nullptr;  // may be null
};

/// The HTML page: the embedded page with the run in it as JSON. It loads nothing from elsewhere.
/// REQUIRES: `timeline` stands where RecordRun left it.
std::string PageOf(const Recording& recording, const Timeline& timeline, const SourceText& source,
                   const PageSettings& settings);

}  // namespace txvm::frontends::cli
