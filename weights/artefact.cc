#include "weights/artefact.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>

#include "isa/check_limits.h"
#include "isa/support/json.h"
#include "isa/support/output_file.h"
#include "isa/support/sha256.h"
#include "weights/bounds.h"
#include "weights/fold.h"
#include "weights/onnx.h"

namespace txvm::weights {
namespace {

using isa::ErrorCode;
using isa::Fail;
using isa::Result;

constexpr std::uint32_t kMaxSize = 1u << 20;  // lanes, units or layers of an imported model

constexpr std::size_t kMaxConfig = 1u << 20;   // bytes; ours takes 20 KB
constexpr std::size_t kMaxTensors = 1u << 30;  // bytes

std::string LayerName(std::size_t layer) { return fmt::format("model.layers.{}.", layer); }

void Add(std::vector<isa::Tensor>& tensors, const std::string& name, const SparseMatrix& matrix) {
  tensors.push_back({name + ".weight", {matrix.rows, matrix.columns}, matrix.Dense()});
}

void Add(std::vector<isa::Tensor>& tensors, const std::string& name,
         const std::vector<std::int32_t>& bias) {
  tensors.push_back({name + ".bias", {bias.size()}, {bias.begin(), bias.end()}});
}

/// Places `part` at (row, column) of `whole`.
void Place(SparseMatrix& whole, const SparseMatrix& part, std::uint32_t row, std::uint32_t column) {
  for (const Entry& e : part.entries) {
    whole.entries.push_back({e.row + row, e.column + column, e.weight});
  }
}

/// The projections of all heads of a layer, stacked as multi-head attention stores them.
struct Stacked {
  SparseMatrix q, k, v, o;
  std::vector<std::int32_t> b_q, b_k;
};

Stacked Stack(const ModelLayer& layer, std::uint32_t width) {
  Stacked all;
  std::uint32_t scores = 0, values = 0;
  for (const ModelHead& head : layer.heads) {
    Place(all.q, head.w_q, scores, 0);
    Place(all.k, head.w_k, scores, 0);
    Place(all.v, head.w_v, values, 0);
    Place(all.o, head.w_o, 0, values);
    all.b_q.insert(all.b_q.end(), head.b_q.begin(), head.b_q.end());
    all.b_k.insert(all.b_k.end(), head.b_k.begin(), head.b_k.end());
    scores += kScoreSize;
    values += head.w_v.rows;
  }
  all.q.rows = all.k.rows = scores;
  all.v.rows = all.o.columns = values;
  all.q.columns = all.k.columns = all.v.columns = all.o.rows = width;
  return all;
}

std::string LayerConfig(const ModelLayer& layer) {
  std::vector<std::string> heads;
  for (const ModelHead& head : layer.heads) {
    heads.push_back(fmt::format("{{\"name\":\"{}\",\"space\":\"{}\",\"values\":{}}}",
                                Spec(head.id).name, SpaceName(Spec(head.id).space), head.w_v.rows));
  }
  return fmt::format("    {{\"units\":{},\"heads\":[{}]}}", layer.ffn.w_gate.rows,
                     fmt::join(heads, ","));
}

/// Tensors by name; each may be taken once.
class TensorSet {
 public:
  explicit TensorSet(std::vector<isa::Tensor> tensors) {
    for (isa::Tensor& tensor : tensors) {
      std::string name = tensor.name;
      tensors_.emplace(std::move(name), std::move(tensor));
    }
  }

  Result<SparseMatrix> Matrix(const std::string& name, std::uint32_t rows, std::uint32_t columns) {
    TXVM_TRY(const isa::Tensor tensor, Take(name + ".weight", {rows, columns}));
    SparseMatrix matrix{rows, columns, {}};
    const auto zeros = static_cast<std::size_t>(std::ranges::count(tensor.values, 0.0F));
    matrix.entries.reserve(tensor.values.size() - zeros);  // most weights of most models are 0
    for (std::size_t i = 0; i < tensor.values.size(); ++i) {
      if (tensor.values[i] == 0) continue;
      TXVM_TRY(const std::int32_t weight, Integer(tensor.name, i, tensor.values[i]));
      matrix.entries.push_back({static_cast<std::uint32_t>(i / columns),
                                static_cast<std::uint32_t>(i % columns), weight});
    }
    return matrix;
  }

  Result<std::vector<std::int32_t>> Vector(const std::string& name, std::size_t size) {
    TXVM_TRY(const isa::Tensor tensor, Take(name + ".bias", {size}));
    std::vector<std::int32_t> values;
    for (std::size_t i = 0; i < tensor.values.size(); ++i) {
      TXVM_TRY(const std::int32_t value, Integer(tensor.name, i, tensor.values[i]));
      values.push_back(value);
    }
    return values;
  }

  Result<void> ExpectEmpty() const {
    if (tensors_.empty()) return {};
    return Fail(ErrorCode::kInvalid,
                fmt::format("tensor '{}' is not part of the model", tensors_.begin()->first));
  }

 private:
  Result<isa::Tensor> Take(const std::string& name, const std::vector<std::size_t>& shape) {
    const auto found = tensors_.find(name);
    if (found == tensors_.end()) {
      return Fail(ErrorCode::kInvalid, fmt::format("tensor '{}' is missing", name));
    }
    if (found->second.shape != shape) {
      return Fail(ErrorCode::kInvalid,
                  fmt::format("tensor '{}' has shape ({}), must have ({})", name,
                              fmt::join(found->second.shape, ", "), fmt::join(shape, ", ")));
    }
    isa::Tensor tensor = std::move(found->second);
    tensors_.erase(found);
    return tensor;
  }

  static Result<std::int32_t> Integer(const std::string& name, std::size_t index, float value) {
    const float limit = static_cast<float>(kMaxWeight);
    if (value >= -limit && value <= limit && std::trunc(value) == value) {
      return static_cast<std::int32_t>(value);
    }
    return Fail(ErrorCode::kInvalid,
                fmt::format("tensor '{}' element {} is {}, must be an integer within +-{}", name,
                            index, value, kMaxWeight));
  }

  std::map<std::string, isa::Tensor> tensors_;
};

SparseMatrix Slice(const SparseMatrix& whole, std::uint32_t first_row, std::uint32_t rows,
                   std::uint32_t first_column, std::uint32_t columns) {
  SparseMatrix part{rows, columns, {}};
  for (const Entry& e : whole.entries) {
    if (e.row < first_row || e.row - first_row >= rows || e.column < first_column ||
        e.column - first_column >= columns) {
      continue;
    }
    part.entries.push_back({e.row - first_row, e.column - first_column, e.weight});
  }
  return part;
}

Result<std::uint32_t> SizeOf(const isa::Json& object, std::string_view key) {
  const isa::Json* value = object.Find(key);
  if (value == nullptr || value->kind != isa::Json::Kind::kInteger || value->integer < 0 ||
      value->integer > kMaxSize) {
    return Fail(ErrorCode::kInvalid,
                fmt::format("config: '{}' is missing or not a size up to {}", key, kMaxSize));
  }
  return static_cast<std::uint32_t>(value->integer);
}

Result<const isa::Json*> ArrayOf(const isa::Json& object, std::string_view key) {
  const isa::Json* value = object.Find(key);
  if (value == nullptr || value->kind != isa::Json::Kind::kArray) {
    return Fail(ErrorCode::kInvalid, fmt::format("config: array '{}' is missing", key));
  }
  return value;
}

Result<std::vector<LaneInfo>> ReadLanes(const isa::Json& config) {
  TXVM_TRY(const isa::Json* lanes, ArrayOf(config, "lanes"));
  std::vector<LaneInfo> result;
  for (const isa::Json& lane : lanes->items) {
    const auto exact = [](const isa::Json& bound) {  // the least integer has no absolute value
      return bound.kind == isa::Json::Kind::kInteger && bound.integer > -kFloat32Exact &&
             bound.integer < kFloat32Exact;
    };
    const bool fits = lane.kind == isa::Json::Kind::kArray && lane.items.size() == 3 &&
                      lane.items[0].kind == isa::Json::Kind::kString && exact(lane.items[1]) &&
                      exact(lane.items[2]) && lane.items[1].integer <= lane.items[2].integer;
    if (!fits) {
      return Fail(ErrorCode::kInvalid, fmt::format("config: lane {} is not [name, low, high] "
                                                   "within 2^24",
                                                   result.size()));
    }
    result.push_back({lane.items[0].text, static_cast<std::int32_t>(lane.items[1].integer),
                      static_cast<std::int32_t>(lane.items[2].integer)});
  }
  return result;
}

using Stated = std::vector<std::pair<std::string_view, std::uint64_t>>;

/// What config.json states for other readers: sizes, and the place of each field of a state.
Stated SizesOf(const Model& model) {
  return {{"hidden_size", model.d_model()},
          {"num_hidden_layers", model.layers.size()},
          {"score_size", kScoreSize},
          {"state_fields", state_field::kCount},
          {"memory_fields", memory_field::kCount},
          {"space_flags", kSpaceCount},
          {"write_tokens", kWriteTokens}};
}
Stated FieldPlaces() {
  namespace f = state_field;
  return {{"ip", f::kIp},           {"sp", f::kSp},       {"top", f::kTop},
          {"micro", f::kMicro},     {"op", f::kOp},       {"arg", f::kArg},
          {"stopped", f::kStopped}, {"cause", f::kCause}, {"host", f::kHost},
          {"counted", f::kCounted}};
}

/// That a config states nothing else of what is not read from it.
Result<void> CheckStated(const isa::Json& object, const Stated& stated) {
  for (const auto& [key, number] : stated) {
    const isa::Json* value = object.Find(key);
    if (value == nullptr || (value->kind == isa::Json::Kind::kInteger &&
                             value->integer == static_cast<std::int64_t>(number))) {
      continue;
    }
    return Fail(ErrorCode::kInvalid,
                fmt::format("config: '{}' is not the model's {}", key, number));
  }
  return {};
}

/// config's "folded", if it has one.
Result<std::optional<FoldedCode>> ReadFolded(const isa::Json& config) {
  const isa::Json* folded = config.Find("folded");
  if (folded == nullptr) return std::nullopt;
  TXVM_TRY(const std::uint32_t instructions, SizeOf(*folded, "instructions"));
  const isa::Json* sha = folded->Find("code_sha256");
  if (sha == nullptr || sha->kind != isa::Json::Kind::kString) {
    return Fail(ErrorCode::kInvalid, "config: 'folded' names no code_sha256");
  }
  return FoldedCode{instructions, sha->text};
}

Result<HeadId> HeadNamed(const isa::Json& head) {
  const isa::Json* name = head.Find("name");
  for (const HeadSpec& spec : kHeads) {
    if (name != nullptr && name->text == spec.name) return spec.id;
  }
  return Fail(ErrorCode::kInvalid,
              fmt::format("config: unknown head '{}'", name == nullptr ? "" : name->text));
}

Result<std::vector<ModelHead>> ReadHeads(TensorSet& tensors, const std::string& name,
                                         const isa::Json& config, std::uint32_t width) {
  TXVM_TRY(const isa::Json* heads, ArrayOf(config, "heads"));
  std::vector<ModelHead> result;
  if (heads->items.empty()) return result;
  if (heads->items.size() > kHeadCount) {  // slicing costs heads times weights
    return Fail(ErrorCode::kInvalid, fmt::format("config: {} heads in a layer, at most {}",
                                                 heads->items.size(), kHeadCount));
  }
  std::vector<HeadId> ids;
  std::vector<std::uint32_t> values;
  std::uint32_t total = 0;
  for (const isa::Json& head : heads->items) {
    TXVM_TRY(const HeadId id, HeadNamed(head));
    TXVM_TRY(const std::uint32_t count, SizeOf(head, "values"));
    if (count > kMaxHeadValues) {
      return Fail(ErrorCode::kInvalid, fmt::format("config: head {} returns {} values, at most {}",
                                                   Spec(id).name, count, kMaxHeadValues));
    }
    ids.push_back(id);
    values.push_back(count);
    total += count;
  }
  const std::uint32_t scores = static_cast<std::uint32_t>(kScoreSize * values.size());
  TXVM_TRY(const SparseMatrix q, tensors.Matrix(name + "self_attn.q_proj", scores, width));
  TXVM_TRY(const auto b_q, tensors.Vector(name + "self_attn.q_proj", scores));
  TXVM_TRY(const SparseMatrix k, tensors.Matrix(name + "self_attn.k_proj", scores, width));
  TXVM_TRY(const auto b_k, tensors.Vector(name + "self_attn.k_proj", scores));
  TXVM_TRY(const SparseMatrix v, tensors.Matrix(name + "self_attn.v_proj", total, width));
  TXVM_TRY(const SparseMatrix o, tensors.Matrix(name + "self_attn.o_proj", width, total));
  std::uint32_t first = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    const std::uint32_t score = static_cast<std::uint32_t>(kScoreSize * i);
    ModelHead head;
    head.id = ids[i];
    head.w_q = Slice(q, score, kScoreSize, 0, width);
    head.w_k = Slice(k, score, kScoreSize, 0, width);
    head.b_q.assign(b_q.begin() + score, b_q.begin() + score + kScoreSize);
    head.b_k.assign(b_k.begin() + score, b_k.begin() + score + kScoreSize);
    head.w_v = Slice(v, first, values[i], 0, width);
    head.w_o = Slice(o, 0, width, first, values[i]);
    first += values[i];
    result.push_back(std::move(head));
  }
  return result;
}

Result<ModelLayer> ReadLayer(TensorSet& tensors, std::size_t index, const isa::Json& config,
                             std::uint32_t width) {
  const std::string name = LayerName(index);
  ModelLayer layer;
  TXVM_TRY(const std::uint32_t units, SizeOf(config, "units"));
  TXVM_TRY(layer.heads, ReadHeads(tensors, name, config, width));
  FeedForward& ffn = layer.ffn;
  TXVM_TRY(ffn.w_gate, tensors.Matrix(name + "mlp.gate_proj", units, width));
  TXVM_TRY(ffn.b_gate, tensors.Vector(name + "mlp.gate_proj", units));
  TXVM_TRY(ffn.w_up, tensors.Matrix(name + "mlp.up_proj", units, width));
  TXVM_TRY(ffn.b_up, tensors.Vector(name + "mlp.up_proj", units));
  TXVM_TRY(ffn.w_down, tensors.Matrix(name + "mlp.down_proj", width, units));
  return layer;
}

std::unexpected<isa::Error> FailFile(ErrorCode code, std::string_view what,
                                     const std::filesystem::path& path, int reason) {
  return Fail(code, fmt::format("cannot {} {}: {}", what, path.string(), std::strerror(reason)));
}

// Piece by piece: a device or a pipe under the name has no size to look at, and may have no end.
Result<std::string> ReadFile(const std::filesystem::path& path, std::size_t most) {
  constexpr std::size_t kPiece = 1u << 20;
  std::ifstream file(path, std::ios::binary);
  std::string bytes;
  while (file && bytes.size() <= most) {
    const std::size_t used = bytes.size();
    bytes.resize(used + kPiece);
    file.read(bytes.data() + used, static_cast<std::streamsize>(kPiece));
    bytes.resize(used + static_cast<std::size_t>(file.gcount()));
  }
  if (bytes.size() > most) {
    return Fail(ErrorCode::kCorrupt, fmt::format("{} has more than {} bytes", path.string(), most));
  }
  if (!file.eof()) return FailFile(ErrorCode::kIo, "read", path, errno);
  return bytes;
}

Result<void> WriteFile(const std::filesystem::path& path, std::string_view bytes) {
  std::error_code error;
  std::filesystem::create_directories(path.parent_path(), error);
  isa::OutputFile file(path.string());
  file.Write(bytes);
  if (const int reason = file.Place(); reason != 0) {
    return FailFile(ErrorCode::kHost, "write", path, reason);
  }
  return {};
}

}  // namespace

std::vector<isa::Tensor> ToTensors(const Model& model) {
  std::vector<isa::Tensor> tensors;
  Add(tensors, "model.embed_tokens", model.w_embed);
  for (std::size_t i = 0; i < model.layers.size(); ++i) {
    const ModelLayer& layer = model.layers[i];
    const std::string name = LayerName(i);
    if (!layer.heads.empty()) {
      const Stacked all = Stack(layer, model.d_model());
      Add(tensors, name + "self_attn.q_proj", all.q);
      Add(tensors, name + "self_attn.q_proj", all.b_q);
      Add(tensors, name + "self_attn.k_proj", all.k);
      Add(tensors, name + "self_attn.k_proj", all.b_k);
      Add(tensors, name + "self_attn.v_proj", all.v);
      Add(tensors, name + "self_attn.o_proj", all.o);
    }
    Add(tensors, name + "mlp.gate_proj", layer.ffn.w_gate);
    Add(tensors, name + "mlp.gate_proj", layer.ffn.b_gate);
    Add(tensors, name + "mlp.up_proj", layer.ffn.w_up);
    Add(tensors, name + "mlp.up_proj", layer.ffn.b_up);
    Add(tensors, name + "mlp.down_proj", layer.ffn.w_down);
  }
  Add(tensors, "lm_head", model.w_out);
  Add(tensors, "lm_head", model.b_out);
  return tensors;
}

std::string ToConfig(const Model& model, std::string_view tensor_sha256) {
  std::vector<std::string> layers, lanes;
  for (const ModelLayer& layer : model.layers) layers.push_back(LayerConfig(layer));
  for (const LaneInfo& lane : model.lanes) {
    lanes.push_back(fmt::format("    [{},{},{}]", isa::JsonString(lane.name), lane.low, lane.high));
  }
  std::string sizes;
  for (const auto& [key, size] : SizesOf(model)) sizes += fmt::format("  \"{}\": {},\n", key, size);
  std::vector<std::string> fields;
  for (const auto& [key, at] : FieldPlaces()) fields.push_back(fmt::format("\"{}\":{}", key, at));
  std::string folded;
  if (model.folded) {
    folded = fmt::format("  \"folded\": {{\"instructions\":{},\"code_sha256\":\"{}\"}},\n",
                         model.folded->instructions, model.folded->sha256);
  }
  return fmt::format(
      "{{\n  \"model_type\": \"txvm\",\n  \"architectures\": [\"TxvmMachine\"],\n"
      "  \"torch_dtype\": \"float32\",\n  \"hidden_act\": \"relu\",\n"
      "{}  \"fields\": {{{}}},\n{}"
      "  \"tensor_sha256\": \"{}\",\n  \"layers\": [\n{}\n  ],\n  \"lanes\": [\n{}\n  ]\n}}\n",
      sizes, fmt::join(fields, ","), folded, tensor_sha256, fmt::join(layers, ",\n"),
      fmt::join(lanes, ",\n"));
}

Result<Model> FromFiles(std::string_view config_text, std::span<const std::uint8_t> file) {
  if (config_text.size() > kMaxConfig) {
    return Fail(ErrorCode::kCorrupt, fmt::format("{} of {} bytes, at most {}", kConfigFile,
                                                 config_text.size(), kMaxConfig));
  }
  const Result<isa::Json> parsed = isa::ParseJson(config_text);
  if (!parsed) {
    return Fail(parsed.error().code, fmt::format("{}: {}", kConfigFile, parsed.error().message));
  }
  const isa::Json& config = *parsed;
  const isa::Json* sha = config.Find("tensor_sha256");
  if (sha == nullptr || sha->text != isa::Sha256(file)) {
    return Fail(ErrorCode::kCorrupt, fmt::format("{} does not have the SHA-256 that {} names",
                                                 kTensorFile, kConfigFile));
  }
  TXVM_TRY(std::vector<isa::Tensor> list, isa::ReadSafetensors(file));
  TensorSet tensors(std::move(list));
  Model model;
  TXVM_TRY(model.lanes, ReadLanes(config));
  const std::uint32_t width = model.d_model();
  TXVM_TRY(model.w_embed, tensors.Matrix("model.embed_tokens", width, kTokenFields));
  TXVM_TRY(const isa::Json* layers, ArrayOf(config, "layers"));
  for (std::size_t i = 0; i < layers->items.size(); ++i) {
    TXVM_TRY(ModelLayer layer, ReadLayer(tensors, i, layers->items[i], width));
    model.layers.push_back(std::move(layer));
  }
  TXVM_TRY(model.w_out, tensors.Matrix("lm_head", kOutputFields, width));
  TXVM_TRY(model.b_out, tensors.Vector("lm_head", kOutputFields));
  TXVM_TRY(model.folded, ReadFolded(config));
  TXVM_CHECK_OK(tensors.ExpectEmpty());
  TXVM_CHECK_OK(CheckStated(config, SizesOf(model)));
  const isa::Json* fields = config.Find("fields");
  if (fields != nullptr) TXVM_CHECK_OK(CheckStated(*fields, FieldPlaces()));
  TXVM_CHECK_OK(CheckModel(model));
  TXVM_CHECK_OK(CheckFloat32Exact(model));
  return model;
}

std::string ToProgramJson(const StateRecord& state, std::span<const MemoryRecord> tokens) {
  std::string text = fmt::format("{{\n  \"state\": [{}],\n  \"tokens\": [", fmt::join(state, ","));
  std::string_view separator = "\n";
  for (const MemoryRecord& token : tokens) {
    fmt::format_to(std::back_inserter(text), "{}    [{}]", separator, fmt::join(token, ","));
    separator = ",\n";
  }
  return text += "\n  ]\n}\n";
}

Result<void> ExportModel(const Model& model, const std::filesystem::path& directory) {
  const std::vector<std::uint8_t> file = isa::WriteSafetensors(ToTensors(model));
  const std::string_view bytes(reinterpret_cast<const char*>(file.data()), file.size());
  TXVM_CHECK_OK(WriteFile(directory / kTensorFile, bytes));
  // What an earlier export left beside belongs to its weights, not to these.
  std::error_code absent;
  for (const std::string_view stale : {kOnnxFile, kProgramFile}) {
    std::filesystem::remove(directory / stale, absent);
  }
  return WriteFile(directory / kConfigFile, ToConfig(model, isa::Sha256(file)));
}

Result<void> ExportOnnx(const Model& model, const std::filesystem::path& directory) {
  const std::vector<std::uint8_t> file = WriteOnnx(model);
  return WriteFile(directory / kOnnxFile,
                   {reinterpret_cast<const char*>(file.data()), file.size()});
}

Result<void> ExportProgram(const Model& model, const isa::Program& program,
                           const isa::Limits& limits, std::uint32_t start,
                           std::span<const std::uint32_t> args,
                           const std::filesystem::path& directory) {
  TXVM_CHECK_OK(isa::CheckLocals(program, limits));
  std::vector<MemoryRecord> tokens = PrefixOf(model, program);
  for (const MemoryRecord& token : ArgumentTokens(args)) tokens.push_back(token);
  const std::uint32_t pages = program.memory ? program.memory->initial : 0;
  const StateRecord state = InitialState(program, limits, start, args, pages);
  return WriteFile(directory / kProgramFile, ToProgramJson(state, tokens));
}

Result<Model> ImportModel(const std::filesystem::path& directory) {
  TXVM_TRY(const std::string config, ReadFile(directory / kConfigFile, kMaxConfig));
  TXVM_TRY(const std::string tensors, ReadFile(directory / kTensorFile, kMaxTensors));
  Result<Model> model =
      FromFiles(config, {reinterpret_cast<const std::uint8_t*>(tensors.data()), tensors.size()});
  if (!model) model.error().place.file = directory.string();
  return model;
}

}  // namespace txvm::weights
