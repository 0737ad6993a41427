#include "neural/train/checkpoint.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <utility>

#include "isa/support/output_file.h"
#include "isa/support/safetensors.h"
#include "isa/support/sha256.h"
#include "neural/llm/mapped_file.h"

namespace txvm::neural::train {
namespace {

using isa::Tensor;

// The record's numbers are 16-bit limbs: what float32 holds exactly.
constexpr std::size_t kStepLimbs = 4, kHashLimbs = 16;

std::span<const std::uint8_t> BytesOf(std::span<const float> values) {
  return {reinterpret_cast<const std::uint8_t*>(values.data()), values.size_bytes()};
}

void AppendHash(const std::string& hex, std::vector<float>& record) {
  for (std::size_t i = 0; i < 4 * kHashLimbs; i += 4) {
    record.push_back(static_cast<float>(std::stoul(hex.substr(i, 4), nullptr, 16)));
  }
}

std::vector<float> RecordOf(std::uint64_t step, std::string_view fingerprint,
                            std::span<const Tensor> state) {
  std::vector<float> record;
  for (std::size_t i = 0; i < kStepLimbs; ++i) {
    record.push_back(static_cast<float>(step >> (16 * i) & 0xFFFF));
  }
  AppendHash(
      isa::Sha256({reinterpret_cast<const std::uint8_t*>(fingerprint.data()), fingerprint.size()}),
      record);
  std::string all;
  for (const Tensor& tensor : state) all += isa::Sha256(BytesOf(tensor.values));
  AppendHash(isa::Sha256({reinterpret_cast<const std::uint8_t*>(all.data()), all.size()}), record);
  return record;
}

}  // namespace

isa::Result<void> SaveRun(const std::string& path, std::string_view fingerprint,
                          const RunState& state) {
  const std::size_t count = state.weights.size();
  std::vector<Tensor> tensors = {
      {"weights", {count}, state.weights},
      {"first_moments", {state.moments.first.size()}, state.moments.first},
      {"second_moments", {state.moments.second.size()}, state.moments.second}};
  std::vector<float> record = RecordOf(state.step, fingerprint, tensors);
  const std::size_t size = record.size();
  tensors.push_back({"record", {size}, std::move(record)});
  const std::vector<std::uint8_t> bytes = isa::WriteSafetensors(tensors);
  isa::OutputFile file(path);
  file.Write(bytes.data(), bytes.size());
  return file.Finish();
}

isa::Result<RunState> LoadRun(const std::string& path, std::string_view fingerprint,
                              std::size_t weights) {
  TXVM_TRY(const auto file, llm::MappedFile::Open(path));
  auto tensors = isa::ReadSafetensors(file->bytes());
  if (!tensors) return std::unexpected(llm::In(path, std::move(tensors).error()));
  std::vector<Tensor>& state = *tensors;
  const auto damaged = [&path](std::string_view what) {
    return isa::Fail(isa::ErrorCode::kCorrupt, fmt::format("checkpoint {}: {}", path, what));
  };
  constexpr std::string_view kNames[] = {"weights", "first_moments", "second_moments", "record"};
  if (!std::ranges::equal(state, kNames, {}, &Tensor::name)) {
    return damaged("its tensors are not weights, first_moments, second_moments and record");
  }
  const std::vector<float> record = std::move(state.back().values);
  state.pop_back();
  const std::size_t count = state[0].values.size();
  for (const Tensor& moments : std::span(state).subspan(1)) {
    if (moments.values.size() == count) continue;
    return damaged(
        fmt::format("{} weights, but {} {}", count, moments.values.size(), moments.name));
  }
  std::uint64_t step = 0;
  for (std::size_t i = 0; i < std::min(kStepLimbs, record.size()); ++i) {
    if (!(record[i] >= 0 && record[i] < 65536)) return damaged("the record is no record");
    step |= static_cast<std::uint64_t>(record[i]) << (16 * i);
  }
  const std::vector<float> expected = RecordOf(step, fingerprint, state);
  if (record.size() != expected.size() ||
      !std::equal(record.end() - kHashLimbs, record.end(), expected.end() - kHashLimbs)) {
    return damaged("its checksum does not match");
  }
  if (record != expected || count != weights) {
    return isa::Fail(
        isa::ErrorCode::kInvalid,
        fmt::format("checkpoint {} is of a run with another configuration, seed, schedule or data",
                    path));
  }
  return RunState{
      std::move(state[0].values), {std::move(state[1].values), std::move(state[2].values)}, step};
}

}  // namespace txvm::neural::train
