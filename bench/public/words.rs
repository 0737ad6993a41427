// Counts the words of standard input: maps, sorting, floats, a missing file, an exit code.
use std::collections::HashMap;
use std::io::{self, BufRead};
#[derive(Debug, Clone)]
struct Item { name: String, value: f64 }
fn main() {
    let mut sums: HashMap<String, f64> = HashMap::new();
    for line in io::stdin().lock().lines() {
        let line = line.unwrap();
        for word in line.split_whitespace() { *sums.entry(word.to_lowercase()).or_insert(0.0) += word.len() as f64 / 3.0; }
    }
    let mut items: Vec<Item> = sums.into_iter().map(|(name, value)| Item { name, value }).collect();
    items.sort_by(|a, b| b.value.partial_cmp(&a.value).unwrap().then(a.name.cmp(&b.name)));
    for item in items.iter().take(5) { println!("{:?}", item); }
    println!("{:>10.3} {:e} {}", std::f64::consts::PI.sin() + 2.5, 12345.678f64, u128::MAX / 7);
    let result = std::fs::read_to_string("/nothing");
    println!("{}", result.is_err());
    std::process::exit(items.len() as i32 % 50);
}
