// Lines of a file of questions.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "isa/support/result.h"

namespace txvm::frontends::nl {

/// One line of a batch.
struct BatchItem {
  std::string question;
  std::optional<std::string> id;  // a JSON string's text, or a JSON number as written
  bool id_is_number = false;
};

/// A line of a batch: a JSON object with the text under "question", "nl_input" or "text" (the first
/// of these that there is) and an optional "id", or the question itself. An id that is neither text
/// nor number is none, and of several the last that is one counts. kSyntax: a line that begins with
/// "{", blanks aside, and is no such object; says at which byte it stops being JSON, which key it
/// lacks, which number, under whatever key, is beyond those of a double, or which escape is half of
/// a surrogate pair.
isa::Result<BatchItem> ReadBatchLine(std::string_view line);

/// What to call a line that ReadBatchLine refuses: the line itself, and its id where the line is a
/// whole JSON object, halves of surrogate pairs outside the id aside, or the id stands before the
/// number that is beyond a double.
BatchItem UnreadableItem(std::string_view line);

}  // namespace txvm::frontends::nl
