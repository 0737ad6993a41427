// Which test sentences a model may have seen nearly so in training.
#pragma once

#include <string>
#include <vector>

#include "bench/nl/training_stream.h"
#include "isa/support/result.h"
#include "neural/questions/bank.h"

namespace txvm::bench::nl {

/// For each question whether one of the stream's examples collides with it
/// (neural/questions/contamination.h). Cost: about 0.1 ms an example. The cache is used when it is
/// about the same questions and the same stream, which a sample of its examples tells, and written
/// otherwise. Errors: kIo for a cache that cannot be written.
isa::Result<std::vector<bool>> FindContaminated(const neural::questions::QuestionBank& bank,
                                                const std::vector<std::string>& questions,
                                                const TrainingStream& stream);

}  // namespace txvm::bench::nl
