// Programs in Rust for bench/public/languages.py, one after each line `//// NAME`.
//// primes
fn main() {
    let mut sieve = vec![true; 10_000];
    let mut primes = Vec::new();
    for n in 2..sieve.len() {
        if !sieve[n] {
            continue;
        }
        primes.push(n);
        for multiple in (n * n..sieve.len()).step_by(n) {
            sieve[multiple] = false;
        }
    }
    println!("{} {:?} {}", primes.len(), &primes[..10], primes.iter().sum::<usize>());
}
//// collatz_memo
use std::collections::HashMap;
fn steps(n: u64, memo: &mut HashMap<u64, u32>) -> u32 {
    if n == 1 {
        return 0;
    }
    if let Some(&known) = memo.get(&n) {
        return known;
    }
    let next = if n % 2 == 0 { n / 2 } else { 3 * n + 1 };
    let count = 1 + steps(next, memo);
    memo.insert(n, count);
    count
}
fn main() {
    let mut memo = HashMap::new();
    let best = (1..3000u64).max_by_key(|&n| (steps(n, &mut memo), n)).unwrap();
    println!("{best} {} {}", memo[&best], memo.len());
}
//// text
fn main() {
    let text = "Größe, 水, 🦀 and plain";
    println!("{} {} {}", text.len(), text.chars().count(), text.to_uppercase());
    println!("{}", text.chars().rev().collect::<String>());
    for (i, c) in text.char_indices().filter(|(_, c)| !c.is_ascii()) {
        println!("{i} {c} {:x} {}", c as u32, c.len_utf8());
    }
    println!("{:?}", text.split(", ").map(str::trim).collect::<Vec<_>>());
    println!("{:>8}|{:<8}|{:^8}|{:*^9}|{:?}", "ab", "cd", "ef", "gh", "tab\t\"q\"");
}
//// traits
trait Shape {
    fn area(&self) -> f64;
    fn name(&self) -> String {
        format!("shape of {:.3}", self.area())
    }
}
struct Circle(f64);
struct Rectangle {
    w: f64,
    h: f64,
}
impl Shape for Circle {
    fn area(&self) -> f64 {
        std::f64::consts::PI * self.0 * self.0
    }
}
impl Shape for Rectangle {
    fn area(&self) -> f64 {
        self.w * self.h
    }
    fn name(&self) -> String {
        format!("{}x{}", self.w, self.h)
    }
}
fn main() {
    let shapes: Vec<Box<dyn Shape>> = vec![Box::new(Circle(1.5)), Box::new(Rectangle { w: 2.0, h: 3.5 })];
    for shape in &shapes {
        println!("{} {:e}", shape.name(), shape.area());
    }
    println!("{}", shapes.iter().map(|s| s.area()).sum::<f64>());
}
//// closures
fn compose(f: impl Fn(i64) -> i64, g: impl Fn(i64) -> i64) -> impl Fn(i64) -> i64 {
    move |x| g(f(x))
}
fn counter() -> impl FnMut() -> u32 {
    let mut count = 0;
    move || {
        count += 1;
        count
    }
}
fn main() {
    let twice_plus = compose(|x| x * 2, |x| x + 5);
    println!("{} {}", twice_plus(10), compose(&twice_plus, &twice_plus)(1));
    let mut next = counter();
    println!("{} {} {}", next(), next(), next());
    let actions: Vec<(&str, Box<dyn Fn(f64, f64) -> f64>)> =
        vec![("add", Box::new(|a, b| a + b)), ("pow", Box::new(f64::powf)), ("hyp", Box::new(|a, b| a.hypot(b)))];
    for (name, action) in &actions {
        println!("{name} {}", action(3.0, 4.0));
    }
}
//// iterators
struct Fibonacci(u64, u64);
impl Iterator for Fibonacci {
    type Item = u64;
    fn next(&mut self) -> Option<u64> {
        let result = self.0;
        (self.0, self.1) = (self.1, self.0.checked_add(self.1)?);
        Some(result)
    }
}
fn main() {
    println!("{:?}", Fibonacci(0, 1).filter(|n| n % 2 == 0).take_while(|&n| n < 1_000_000).collect::<Vec<_>>());
    println!("{:?}", Fibonacci(0, 1).last());
    let (even, odd): (Vec<i32>, Vec<i32>) = (1..=10).partition(|n| n % 2 == 0);
    println!("{even:?} {odd:?} {:?}", even.iter().zip(&odd).map(|(a, b)| a * b).rev().collect::<Vec<_>>());
    println!("{:?} {:?}", odd.windows(2).map(|w| w[1] - w[0]).collect::<Vec<_>>(), even.chunks(2).collect::<Vec<_>>());
}
//// sorting
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Person {
    age: u32,
    name: String,
}
fn main() {
    let mut people: Vec<Person> = [("Ada", 36), ("Alan", 41), ("Emmy", 53), ("Kurt", 36)]
        .iter()
        .map(|&(name, age)| Person { age, name: name.to_string() })
        .collect();
    people.sort();
    println!("{people:?}");
    people.sort_by(|a, b| b.name.len().cmp(&a.name.len()).then_with(|| a.name.cmp(&b.name)));
    println!("{:#?}", people[0]);
    let mut x = 12345u32;
    let mut numbers: Vec<u32> = (0..2000)
        .map(|_| {
            x ^= x << 13;
            x ^= x >> 17;
            x ^= x << 5;
            x
        })
        .collect();
    numbers.sort_unstable();
    println!("{} {} {:?}", numbers[0], numbers[1999], numbers.binary_search(&numbers[777]));
}
//// word_count
use std::collections::{BTreeMap, BTreeSet};
fn main() {
    let text = "it was the best of times, it was the worst of times, it was the age of wisdom";
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for word in text.split(|c: char| !c.is_alphabetic()).filter(|w| !w.is_empty()) {
        *counts.entry(word).or_default() += 1;
    }
    println!("{counts:?}");
    let letters: BTreeSet<char> = text.chars().filter(char::is_ascii_alphabetic).collect();
    println!("{} {:?}", letters.len(), letters.range('n'..).next());
}
//// linked_list
enum List {
    Nil,
    Cons(i32, Box<List>),
}
use List::{Cons, Nil};
impl List {
    fn push(self, value: i32) -> List {
        Cons(value, Box::new(self))
    }
    fn reversed(self) -> List {
        let (mut from, mut to) = (self, Nil);
        while let Cons(value, rest) = from {
            to = to.push(value);
            from = *rest;
        }
        to
    }
    fn text(&self) -> String {
        match self {
            Nil => "nil".into(),
            Cons(value, rest) => format!("{value} {}", rest.text()),
        }
    }
}
fn main() {
    let list = (1..=8).fold(Nil, |list, n| list.push(n * n));
    println!("{}", list.text());
    println!("{}", list.reversed().text());
}
//// generics
use std::ops::{Add, Mul};
#[derive(Clone, Copy, Debug, PartialEq)]
struct Matrix<T, const N: usize>([[T; N]; N]);
impl<T: Copy + Default + Add<Output = T> + Mul<Output = T>, const N: usize> Mul for Matrix<T, N> {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        let mut out = [[T::default(); N]; N];
        for i in 0..N {
            for j in 0..N {
                out[i][j] = (0..N).fold(T::default(), |sum, k| sum + self.0[i][k] * other.0[k][j]);
            }
        }
        Matrix(out)
    }
}
fn power<T: Copy + Mul<Output = T>>(base: T, n: u32) -> T {
    (1..n).fold(base, |product, _| product * base)
}
fn main() {
    println!("{:?}", power(Matrix([[1u64, 1], [1, 0]]), 60));
    println!("{:?}", power(Matrix([[0.5f32, 0.25, 0.25], [0.1, 0.8, 0.1], [0.3, 0.3, 0.4]]), 20));
}
//// wide_integers
fn main() {
    let factorial: u128 = (1..=34u128).product();
    println!("{factorial} {factorial:x} {}", factorial.leading_zeros());
    println!("{} {}", factorial / 1_000_000_007, factorial % 1_000_000_007);
    println!("{} {}", i128::MIN, (i64::MIN as i128 * i64::MAX as i128) >> 3);
    println!("{:?} {:?}", 5u8.checked_sub(6), 200u8.saturating_add(100));
    println!("{:?} {} {}", i32::MAX.overflowing_add(1), (-7i32).rem_euclid(3), (-7i32).div_euclid(2));
    println!("{} {} {}", 0x12345678u32.rotate_left(8), 0xF0u8.count_ones(), u64::MAX.trailing_ones());
}
//// parse_errors
use std::fmt;
#[derive(Debug)]
enum Wrong {
    Number(std::num::ParseIntError),
    Float(std::num::ParseFloatError),
    Missing(&'static str),
}
impl fmt::Display for Wrong {
    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result {
        match self {
            Wrong::Number(e) => write!(f, "number: {e}"),
            Wrong::Float(e) => write!(f, "float: {e}"),
            Wrong::Missing(what) => write!(f, "no {what}"),
        }
    }
}
impl From<std::num::ParseIntError> for Wrong {
    fn from(e: std::num::ParseIntError) -> Self {
        Wrong::Number(e)
    }
}
fn read(line: &str) -> Result<f64, Wrong> {
    let (count, price) = line.split_once('@').ok_or(Wrong::Missing("price"))?;
    let count: i16 = count.trim().parse()?;
    let price: f64 = price.trim().parse().map_err(Wrong::Float)?;
    Ok(f64::from(count) * price)
}
fn main() {
    for line in ["3 @ 2.5", "x @ 1", "40000 @ 1", "2 @ two", "7", " @ 1", "-4 @ 1e3", "1 @ inf"] {
        match read(line) {
            Ok(sum) => println!("{sum}"),
            Err(e) => println!("{e} ({e:?})"),
        }
    }
}
//// panic_index
fn main() {
    let numbers = vec![1, 2, 3];
    for i in 0..5 {
        println!("{}", numbers[i]);
    }
}
//// panic_overflow
fn main() {
    let mut x = std::env::args().count() as i32 * 1000;
    loop {
        println!("{x}");
        x = x.checked_mul(1000).expect("the product fits");
    }
}
//// panic_unwrap
struct Noisy(&'static str);
impl Drop for Noisy {
    fn drop(&mut self) {
        println!("dropped {}", self.0);
    }
}
fn main() {
    {
        let _inner = Noisy("inner");
        println!("inside");
    }
    let wrong: Result<u8, _> = "300".parse::<u8>();
    println!("{:?}", wrong);
    std::process::exit(match wrong {
        Ok(n) => i32::from(n),
        Err(_) => 42,
    });
}
//// shared_tree
use std::cell::RefCell;
use std::rc::{Rc, Weak};
struct Node {
    value: i32,
    parent: RefCell<Weak<Node>>,
    children: RefCell<Vec<Rc<Node>>>,
}
fn node(value: i32, children: Vec<Rc<Node>>) -> Rc<Node> {
    let made = Rc::new(Node { value, parent: RefCell::default(), children: RefCell::new(children) });
    for child in made.children.borrow().iter() {
        *child.parent.borrow_mut() = Rc::downgrade(&made);
    }
    made
}
fn sum(node: &Rc<Node>) -> i32 {
    node.value + node.children.borrow().iter().map(sum).sum::<i32>()
}
fn main() {
    let leaf = node(3, vec![]);
    let root = node(1, vec![node(2, vec![leaf.clone(), node(4, vec![])]), node(5, vec![])]);
    println!("{} {} {}", sum(&root), Rc::strong_count(&leaf), Rc::weak_count(&root));
    println!("{:?}", leaf.parent.borrow().upgrade().map(|p| p.value));
    drop(root);
    println!("{:?}", leaf.parent.borrow().upgrade().map(|p| p.value));
}
//// dijkstra
use std::cmp::Reverse;
use std::collections::BinaryHeap;
fn main() {
    let edges = [(0, 1, 7), (0, 2, 9), (0, 5, 14), (1, 2, 10), (1, 3, 15), (2, 3, 11), (2, 5, 2), (3, 4, 6), (4, 5, 9)];
    let mut graph = vec![Vec::new(); 6];
    for &(a, b, w) in &edges {
        graph[a].push((b, w));
        graph[b].push((a, w));
    }
    let mut best = vec![u32::MAX; 6];
    let mut heap = BinaryHeap::from([Reverse((0u32, 0usize))]);
    while let Some(Reverse((distance, at))) = heap.pop() {
        if distance >= best[at] {
            continue;
        }
        best[at] = distance;
        heap.extend(graph[at].iter().map(|&(to, w)| Reverse((distance + w, to))));
    }
    println!("{best:?}");
}
//// float_text
fn main() {
    for x in [0.1, 1.0, -0.0, 1e21, 1e-7, f64::MAX, f64::MIN_POSITIVE, 5e-324, f64::NAN, f64::NEG_INFINITY, 0.3] {
        println!("{x} {x:?} {x:e} {x:.3} {:08.2} {:+}", x, x);
    }
    println!("{} {} {}", 16777217f32, 0.1f32 + 0.2f32, 1.0f32 / 3.0);
    println!("{} {} {} {}", 2.5f64.round(), (-2.5f64).trunc(), 300.7 as u8, f64::NAN as i32);
    println!("{:?}", "1e400 0x1 .5 -1e-400 nan".split(' ').map(str::parse::<f64>).collect::<Vec<_>>());
}
//// calculator
#[derive(Debug)]
enum Expr {
    Number(f64),
    Binary(Box<Expr>, char, Box<Expr>),
}
struct Parser<'a>(std::iter::Peekable<std::str::Chars<'a>>);
impl Parser<'_> {
    fn sum(&mut self) -> Result<Expr, String> {
        let mut left = self.product()?;
        while let Some(&c @ ('+' | '-')) = self.0.peek() {
            self.0.next();
            left = Expr::Binary(Box::new(left), c, Box::new(self.product()?));
        }
        Ok(left)
    }
    fn product(&mut self) -> Result<Expr, String> {
        let mut left = self.atom()?;
        while let Some(&c @ ('*' | '/')) = self.0.peek() {
            self.0.next();
            left = Expr::Binary(Box::new(left), c, Box::new(self.atom()?));
        }
        Ok(left)
    }
    fn atom(&mut self) -> Result<Expr, String> {
        match self.0.next() {
            Some('(') => {
                let inner = self.sum()?;
                self.0.next_if_eq(&')').map(|_| inner).ok_or_else(|| ") is missing".to_string())
            }
            Some(c) if c.is_ascii_digit() => {
                let mut text = c.to_string();
                while let Some(c) = self.0.next_if(|c| c.is_ascii_digit() || *c == '.') {
                    text.push(c);
                }
                text.parse().map(Expr::Number).map_err(|e| e.to_string())
            }
            other => Err(format!("unexpected {other:?}")),
        }
    }
}
fn eval(e: &Expr) -> f64 {
    match e {
        Expr::Number(n) => *n,
        Expr::Binary(a, op, b) => match op {
            '+' => eval(a) + eval(b),
            '-' => eval(a) - eval(b),
            '*' => eval(a) * eval(b),
            _ => eval(a) / eval(b),
        },
    }
}
fn main() {
    for text in ["1+2*3", "(1+2)*3/4", "2*(3", "1/0", "", "1.2.3", "10-2-3"] {
        match Parser(text.chars().peekable()).sum() {
            Ok(e) => println!("{text} = {} {e:?}", eval(&e)),
            Err(e) => println!("{text}: {e}"),
        }
    }
}
//// maze
use std::collections::VecDeque;
const MAZE: &str = "\
##########
#S..#....#
#.#.#.##.#
#.#...#..#
#.#####.##
#......E.#
##########";
fn main() {
    let grid: Vec<Vec<u8>> = MAZE.lines().map(|line| line.bytes().collect()).collect();
    let mut distance = vec![vec![None; grid[0].len()]; grid.len()];
    let mut queue = VecDeque::from([(1usize, 1usize, 0)]);
    while let Some((row, column, steps)) = queue.pop_front() {
        if grid[row][column] == b'#' || distance[row][column].is_some() {
            continue;
        }
        distance[row][column] = Some(steps);
        if grid[row][column] == b'E' {
            println!("found after {steps}");
        }
        for (r, c) in [(row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1)] {
            queue.push_back((r, c, steps + 1));
        }
    }
    println!("{:?}", distance[3]);
}
//// queens
fn place(row: usize, n: usize, taken: &mut Vec<usize>, found: &mut Vec<Vec<usize>>) {
    if row == n {
        found.push(taken.clone());
        return;
    }
    for column in 0..n {
        if taken.iter().enumerate().all(|(r, &c)| c != column && row - r != column.abs_diff(c)) {
            taken.push(column);
            place(row + 1, n, taken, found);
            taken.pop();
        }
    }
}
fn main() {
    for n in 1..=7 {
        let mut found = Vec::new();
        place(0, n, &mut Vec::new(), &mut found);
        println!("{n} {} {:?}", found.len(), found.first());
    }
}
//// input
use std::io::{self, BufRead, Read, Write};
fn main() -> io::Result<()> {
    let mut first = String::new();
    io::stdin().lock().read_line(&mut first)?;
    let mut rest = Vec::new();
    io::stdin().read_to_end(&mut rest)?;
    let out = io::stdout();
    let mut out = io::BufWriter::new(out.lock());
    writeln!(out, "{:?} {}", first, rest.len())?;
    for (number, line) in rest.lines().enumerate() {
        writeln!(out, "{:3} {}", number + 2, line?.to_lowercase())?;
    }
    eprintln!("done");
    Ok(())
}
//// mandelbrot
fn main() {
    for y in -10..=10 {
        let line: String = (-30..=15)
            .map(|x| {
                let (a, b) = (f64::from(x) / 15.0, f64::from(y) / 8.0);
                let (mut u, mut v, mut n) = (0.0, 0.0, 0);
                while n < 40 && u * u + v * v <= 4.0 {
                    (u, v) = (u * u - v * v + a, 2.0 * u * v + b);
                    n += 1;
                }
                [' ', '.', ':', '-', '=', '+', '*', '#', '%', '@'][(n / 4).min(9)]
            })
            .collect();
        println!("{line}");
    }
}
