#include "weights/onnx.h"

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace txvm::weights {
namespace {

// FACTS  Protocol buffers: a field is a varint (number << 3 | wire type) and its value; wire type 0
//        is a varint, 2 a length and that many bytes. Field numbers are those of onnx.proto.
class Message {
 public:
  void Integer(std::uint32_t field, std::uint64_t value) {
    Varint(field << kTypeBits);
    Varint(value);
  }
  void Bytes(std::uint32_t field, std::string_view bytes) {
    Varint(field << kTypeBits | kLengthType);
    Varint(bytes.size());
    bytes_ += bytes;
  }
  void Nested(std::uint32_t field, const Message& message) { Bytes(field, message.bytes_); }
  const std::string& bytes() const { return bytes_; }

 private:
  static constexpr std::uint32_t kTypeBits = 3;
  static constexpr std::uint32_t kLengthType = 2;
  static constexpr std::uint64_t kVarintMask = 0x7F;
  static constexpr std::uint32_t kVarintBits = 7;

  void Varint(std::uint64_t value) {
    while (value > kVarintMask) {
      bytes_ += static_cast<char>((value & kVarintMask) | (kVarintMask + 1));
      value >>= kVarintBits;
    }
    bytes_ += static_cast<char>(value);
  }
  std::string bytes_;
};

constexpr std::uint64_t kFloat = 1, kInt64 = 7;  // TensorProto.DataType
constexpr std::uint64_t kIntAttribute = 2;       // AttributeProto.AttributeType
constexpr std::uint64_t kIrVersion = 8, kOpset = 13;

using Names = std::vector<std::string>;

/// Collects nodes and initializers; every node's result has a fresh name.
class GraphBuilder {
 public:
  std::string Tensor(const std::vector<std::size_t>& shape, const std::vector<float>& values) {
    return Initializer(
        shape, kFloat,
        {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)});
  }
  std::string Integers(const std::vector<std::int64_t>& values) {
    return Initializer(
        {values.size()}, kInt64,
        {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(std::int64_t)});
  }
  /// `attributes`: name and integer.
  std::string Node(std::string_view op, const Names& inputs,
                   const std::vector<std::pair<std::string, std::int64_t>>& attributes = {}) {
    const std::string name = fmt::format("{}_{}", op, ++count_);
    NodeAs(op, inputs, name, attributes);
    return name;
  }
  void NodeAs(std::string_view op, const Names& inputs, const std::string& output,
              const std::vector<std::pair<std::string, std::int64_t>>& attributes = {}) {
    Message node;
    for (const std::string& input : inputs) node.Bytes(1, input);
    node.Bytes(2, output);
    node.Bytes(4, op);
    for (const auto& [name, value] : attributes) {
      Message attribute;
      attribute.Bytes(1, name);
      attribute.Integer(3, static_cast<std::uint64_t>(value));
      attribute.Integer(20, kIntAttribute);
      node.Nested(5, attribute);
    }
    graph_.Nested(1, node);
  }
  /// A float32 input (field 11) or output (field 12) of shape (rows or "tokens", columns).
  void Value(std::uint32_t field, const std::string& name, bool tokens, std::size_t columns) {
    Message rows, width, shape, tensor, type, info;
    if (tokens) rows.Bytes(2, "tokens");
    if (!tokens) rows.Integer(1, 1);
    width.Integer(1, columns);
    shape.Nested(1, rows);
    shape.Nested(1, width);
    tensor.Integer(1, kFloat);
    tensor.Nested(2, shape);
    type.Nested(1, tensor);
    info.Bytes(1, name);
    info.Nested(2, type);
    graph_.Nested(field, info);
  }
  Message& graph() { return graph_; }

 private:
  std::string Initializer(const std::vector<std::size_t>& shape, std::uint64_t type,
                          std::string_view data) {
    const std::string name = fmt::format("weight_{}", ++count_);
    Message tensor;
    for (const std::size_t size : shape) tensor.Integer(1, size);
    tensor.Integer(2, type);
    tensor.Bytes(8, name);
    tensor.Bytes(9, data);
    graph_.Nested(5, tensor);
    return name;
  }

  Message graph_;
  int count_ = 0;
};

/// The matrix transposed, as x W^T needs it.
std::string Transposed(GraphBuilder& graph, const SparseMatrix& matrix) {
  std::vector<float> values(static_cast<std::size_t>(matrix.rows) * matrix.columns, 0.0f);
  for (const Entry& e : matrix.entries) {
    values[static_cast<std::size_t>(e.column) * matrix.rows + e.row] = static_cast<float>(e.weight);
  }
  return graph.Tensor({matrix.columns, matrix.rows}, values);
}

/// x W^T + b.
std::string Project(GraphBuilder& graph, const std::string& x, const SparseMatrix& matrix,
                    const std::vector<std::int32_t>& bias) {
  const std::string product = graph.Node("MatMul", {x, Transposed(graph, matrix)});
  if (bias.empty()) return product;
  return graph.Node("Add", {product, graph.Tensor({bias.size()}, {bias.begin(), bias.end()})});
}

/// The embedding of records whose fields are columns first..first + count of w_embed.
std::string Embed(GraphBuilder& graph, const std::string& records, const SparseMatrix& w_embed,
                  std::uint32_t first, std::uint32_t count) {
  SparseMatrix part{w_embed.rows, count, {}};
  for (const Entry& e : w_embed.entries) {
    if (e.column >= first && e.column - first < count) {
      part.entries.push_back({e.row, e.column - first, e.weight});
    }
  }
  return Project(graph, records, part, {});
}

/// x + what one head finds: scores of every token, the last of the best, its value.
std::string Attend(GraphBuilder& graph, const ModelHead& head, const std::string& x,
                   const std::string& tokens) {
  const std::string query = Project(graph, x, head.w_q, head.b_q);      // (1, 6)
  const std::string keys = Project(graph, tokens, head.w_k, head.b_k);  // (tokens, 6)
  const std::string values = Project(graph, tokens, head.w_v, {});      // (tokens, values)
  const std::string column = graph.Node("Transpose", {query});          // (6, 1)
  const std::string scores = graph.Node("MatMul", {keys, column});      // (tokens, 1)
  const std::string winner = graph.Node(
      "ArgMax", {scores}, {{"axis", 0}, {"keepdims", 0}, {"select_last_index", 1}});  // (1,)
  const std::string value = graph.Node("Gather", {values, winner}, {{"axis", 0}});    // (1, values)
  return Project(graph, value, head.w_o, {});
}

}  // namespace

std::vector<std::uint8_t> WriteOnnx(const Model& model) {
  GraphBuilder graph;
  const std::uint32_t state_fields = static_cast<std::uint32_t>(state_field::kCount);
  const std::uint32_t memory_fields = static_cast<std::uint32_t>(memory_field::kCount);
  graph.graph().Bytes(2, "txvm");
  graph.Value(11, "state", false, state_fields);
  graph.Value(11, "memory", true, memory_fields);
  graph.Value(12, "out", false, kOutputFields);
  std::string x = Embed(graph, "state", model.w_embed, 0, state_fields);
  const std::string tokens = Embed(graph, "memory", model.w_embed, state_fields, memory_fields);
  for (const ModelLayer& layer : model.layers) {
    const std::string before = x;
    for (const ModelHead& head : layer.heads) {
      x = graph.Node("Add", {x, Attend(graph, head, before, tokens)});
    }
    const FeedForward& ffn = layer.ffn;
    const std::string gate = graph.Node("Relu", {Project(graph, x, ffn.w_gate, ffn.b_gate)});
    const std::string up = Project(graph, x, ffn.w_up, ffn.b_up);
    const std::string product = graph.Node("Mul", {gate, up});
    x = graph.Node("Add", {x, Project(graph, product, ffn.w_down, {})});
  }
  const std::string out = Project(graph, x, model.w_out, model.b_out);
  graph.NodeAs("Identity", {out}, "out");
  Message opset, file;
  opset.Bytes(1, "");
  opset.Integer(2, kOpset);
  file.Integer(1, kIrVersion);
  file.Bytes(2, "txvm");
  file.Nested(7, graph.graph());
  file.Nested(8, opset);
  return {file.bytes().begin(), file.bytes().end()};
}

}  // namespace txvm::weights
