// Runs Triton programs with the published virtual machine: one JSON object per line in, one per line out.
// In:  "tasm", and where needed "input", "secret", "digests", "ram" (numbers are decimal strings) and "prove" (a bool).
// Out: "words", "output", the nine "heights", "padded"; or "error"; or "parse_error". With "prove" also "proof":
//      the seconds of proving and verifying, and whether the proof was accepted.
use std::collections::HashMap;
use std::io::{self, BufRead, Write};
use std::time::Instant;

use serde_json::{json, Value};
use triton_vm::aet::AlgebraicExecutionTrace;
use triton_vm::air::table::TableId;
use triton_vm::prelude::*;

fn word(v: &Value) -> BFieldElement {
    BFieldElement::new(v.as_str().expect("a decimal string").parse::<u64>().expect("a u64"))
}

fn words(v: &Value) -> Vec<BFieldElement> {
    v.as_array().map(|a| a.iter().map(word).collect()).unwrap_or_default()
}

fn heights(aet: &AlgebraicExecutionTrace) -> Value {
    let h = |t| aet.height_of_table(t);
    json!({
        "processor": h(TableId::Processor), "program": h(TableId::Program),
        "op_stack": h(TableId::OpStack), "ram": h(TableId::Ram),
        "jump_stack": h(TableId::JumpStack), "hash": h(TableId::Hash),
        "cascade": h(TableId::Cascade), "lookup": h(TableId::Lookup), "u32": h(TableId::U32),
    })
}

fn proof(claim: &Claim, aet: &AlgebraicExecutionTrace) -> Value {
    let stark = Stark::default();
    let begin = Instant::now();
    match stark.prove(claim, aet) {
        Ok(proof) => {
            let proving = begin.elapsed().as_secs_f64();
            let begin = Instant::now();
            let accepted = triton_vm::verify(stark, claim, &proof);
            let verifying = begin.elapsed().as_secs_f64();
            json!({ "proving": proving, "verifying": verifying, "accepted": accepted, "words": proof.0.len() })
        }
        Err(e) => json!({ "error": e.to_string() }),
    }
}

fn run(case: &Value) -> Value {
    let program = match Program::from_code(case["tasm"].as_str().unwrap_or("")) {
        Ok(p) => p,
        Err(e) => return json!({ "parse_error": e.to_string() }),
    };
    let digests: Vec<Digest> = case["digests"]
        .as_array()
        .map(|a| a.iter().map(|d| Digest::new(words(d).try_into().expect("5 words"))).collect())
        .unwrap_or_default();
    let ram: HashMap<BFieldElement, BFieldElement> = case["ram"]
        .as_object()
        .map(|o| o.iter().map(|(k, v)| (BFieldElement::new(k.parse().expect("a u64")), word(v))).collect())
        .unwrap_or_default();
    let secret = NonDeterminism::new(words(&case["secret"])).with_digests(digests).with_ram(ram);
    let count = program.len_bwords();
    let input = words(&case["input"]);
    let claim = Claim::about_program(&program).with_input(input.clone());
    match VM::trace_execution(program, PublicInput::new(input), secret) {
        Ok((aet, output)) => {
            let mut reply = json!({
                "words": count,
                "output": output.iter().map(|w| w.value().to_string()).collect::<Vec<_>>(),
                "heights": heights(&aet),
                "padded": aet.padded_height(),
            });
            if case["prove"] == json!(true) {
                reply["proof"] = proof(&claim.with_output(output), &aet);
            }
            reply
        }
        Err(e) => json!({ "words": count, "error": e.source.to_string() }),
    }
}

fn main() {
    let stdin = io::stdin();
    let mut out = io::stdout().lock();
    for line in stdin.lock().lines() {
        let case: Value = serde_json::from_str(&line.expect("text")).expect("JSON");
        writeln!(out, "{}", run(&case)).expect("stdout");
        out.flush().expect("stdout");
    }
}
