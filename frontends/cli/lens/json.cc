// The lens as JSON.
#include "frontends/cli/lens/json.h"

#include "frontends/nl/language/ast.h"
#include "frontends/nl/language/lens_label.h"
#include "frontends/nl/language/printer.h"
#include "isa/support/json_writer.h"

namespace txvm::frontends::cli {
namespace {

void WriteRoute(isa::JsonWriter& json, const nl::SuffixRoute& route) {
  json.BeginObject().Key("prompts").Uint(route.prompts);
  json.Key("canonical").Number(route.canonical);
  json.Key("value").Number(route.value).Key("claim").Number(route.claim);
  json.Key("lens_value").Number(route.lens_value).Key("lens_claim").Number(route.lens_claim);
  json.EndObject();
}

void WriteLayer(isa::JsonWriter& json, const nl::LensLayer& layer) {
  json.BeginObject().Key("operation").String(nl::TokenText(layer.choice.operation));
  json.Key("probability").Number(layer.choice.probability).Key("top").BeginArray();
  for (const nl::LensToken& token : layer.top) {
    json.BeginObject().Key("token").String(token.text);
    json.Key("probability").Number(token.probability).EndObject();
  }
  json.EndArray().EndObject();
}

}  // namespace

std::string LensJson(const nl::LensReport& report) {
  isa::JsonWriter json;
  json.BeginObject().Key("question").String(report.question);
  json.Key("canonical").String(nl::TokensText(report.reading.tokens));
  json.Key("decision").Uint(report.decision);
  json.Key("lens").String(nl::TokenText(report.decided().operation));
  json.Key("operation").StringOrNull(report.label ? nl::TokenText(*report.label) : "");
  json.Key("agrees");
  if (const std::optional<bool> agrees = report.Agrees()) {
    json.Bool(*agrees);
  } else {
    json.Null();
  }
  json.Key("layers").BeginArray();
  for (const nl::LensLayer& layer : report.layers) WriteLayer(json, layer);
  return json.EndArray().EndObject().text();
}

std::string LensTableJson(const nl::LensTable& table, bool probe) {
  isa::JsonWriter json;
  json.BeginObject().Key("items").Uint(table.items).Key("decision").Uint(table.decision);
  json.Key("exact").Number(table.exact).Key("program").Number(table.program);
  json.Key("layers").BeginArray();
  for (const nl::LensScore& score : table.layers) {
    json.BeginObject().Key("lens").Number(score.accuracy).Key("first").Number(score.first);
    json.Key("label").Number(score.label).Key("probe");
    if (probe) {
      json.Number(score.probe);
    } else {
      json.Null();
    }
    json.Key("agreement").Number(score.agreement).EndObject();
  }
  return json.EndArray().EndObject().text();
}

std::string SuffixJson(const std::vector<nl::SuffixArmReport>& arms) {
  const std::vector<std::string> prompts = nl::SuffixPrompts();
  isa::JsonWriter json;
  json.BeginArray();
  for (const nl::SuffixArmReport& arm : arms) {
    json.BeginObject().Key("arm").String(nl::kSuffixArms[static_cast<std::size_t>(arm.arm)]);
    for (std::size_t place = 0; place < arm.routes.size(); ++place) {
      json.Key(place == 0 ? "behind_suffix" : "behind_program").BeginObject();
      for (std::size_t suffix = 0; suffix < nl::kSuffixes.size(); ++suffix) {
        json.Key(nl::kSuffixes[suffix]).BeginObject().Key("learnt");
        WriteRoute(json, arm.routes[place][suffix][0]);
        json.Key("held_out");
        WriteRoute(json, arm.routes[place][suffix][1]);
        json.EndObject();
      }
      json.EndObject();
    }
    json.Key("prompts").BeginArray();
    for (std::size_t i = 0; i < prompts.size(); ++i) {
      json.BeginObject().Key("prompt").String(prompts[i]).Key("next").String(arm.probes[i].next);
      json.Key("probability").Number(arm.probes[i].probability);
      json.Key("program").String(arm.probes[i].program).EndObject();
    }
    json.EndArray().EndObject();
  }
  return json.EndArray().text();
}

}  // namespace txvm::frontends::cli
