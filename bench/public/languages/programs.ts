// Programs in AssemblyScript for bench/public/languages.py, one after each line `//// NAME`.
//// primes
export function _start(): void {
  const sieve = new Uint8Array(2000);
  let count = 0, sum = 0;
  for (let n = 2; n < sieve.length; ++n) {
    if (sieve[n]) continue;
    ++count;
    sum += n;
    for (let i = n * n; i < sieve.length; i += n) sieve[i] = 1;
  }
  console.log(count.toString() + " " + sum.toString());
}
//// text
export function _start(): void {
  const text = "Hello, Größe and 🦀!";
  console.log(text.length.toString() + " " + text.toUpperCase() + " " + text.codePointAt(17).toString(16));
  console.log(text.split(" ").reverse().join("|"));
  console.log(text.replaceAll("l", "L").slice(0, 8) + text.indexOf("and").toString());
  console.log("ab".repeat(3).padStart(10, "-") + "x".padEnd(4, ".") + "  trim ".trim() + ";");
  console.log(text.includes("Hell").toString() + " " + ("b" > "a").toString() + " " + text.charCodeAt(1).toString());
}
//// classes
abstract class Shape {
  abstract area(): f64;
  name(): string { return "shape " + this.area().toString(); }
}
class Circle extends Shape {
  constructor(public radius: f64) { super(); }
  area(): f64 { return Math.PI * this.radius * this.radius; }
}
class Rectangle extends Shape {
  constructor(public w: f64, public h: f64) { super(); }
  area(): f64 { return this.w * this.h; }
  name(): string { return this.w.toString() + "x" + this.h.toString(); }
}
export function _start(): void {
  const shapes: Shape[] = [new Circle(1.5), new Rectangle(2, 3.5), new Circle(0)];
  for (let i = 0; i < shapes.length; ++i) console.log(shapes[i].name() + " " + (shapes[i] instanceof Circle).toString());
}
//// generics
class Stack<T> {
  private items: T[] = [];
  push(item: T): this { this.items.push(item); return this; }
  pop(): T { return this.items.pop(); }
  get size(): i32 { return this.items.length; }
}
function largest<T>(items: T[]): T {
  let best = items[0];
  for (let i = 1; i < items.length; ++i) if (items[i] > best) best = items[i];
  return best;
}
export function _start(): void {
  const words = new Stack<string>().push("a").push("b").push("c");
  console.log(words.pop() + words.pop() + words.size.toString());
  const numbers = new Stack<i64>().push(1).push(i64.MAX_VALUE);
  console.log(numbers.pop().toString());
  console.log(largest<i32>([3, 9, 2]).toString() + largest<string>(["x", "yy", "abc"]) + largest<f64>([0.5, -1]).toString());
}
//// arrays
export function _start(): void {
  const a: i32[] = [];
  for (let i = 0; i < 12; ++i) a.push((i * 7 + 3) % 12);
  console.log(a.join());
  console.log(a.slice().sort((x, y) => y - x).join(" "));
  console.log(a.filter((x) => x % 3 == 0).map<string>((x) => "<" + x.toString() + ">").join(""));
  console.log(a.reduce<i32>((sum, x) => sum * 3 + x, 1).toString() + " " + a.indexOf(11).toString());
  console.log(a.splice(2, 3).concat(a).join("-") + " " + a.some((x) => x > 10).toString() + a.every((x) => x > 10).toString());
}
//// maps
export function _start(): void {
  const counts = new Map<string, i32>();
  const words = "it was the best of times it was the worst of times".split(" ");
  for (let i = 0; i < words.length; ++i) {
    counts.set(words[i], (counts.has(words[i]) ? counts.get(words[i]) : 0) + 1);
  }
  const keys = counts.keys();
  for (let i = 0; i < keys.length; ++i) console.log(keys[i] + " " + counts.get(keys[i]).toString());
  const set = new Set<i32>();
  for (let i = 0; i < 100; ++i) set.add(i * i % 17);
  set.delete(4);
  console.log(set.size.toString() + " " + set.has(4).toString() + " " + set.values().join());
}
//// closures_table
type Op = (a: f64, b: f64) => f64;
export function _start(): void {
  const ops: Op[] = [(a, b) => a + b, (a, b) => a * b, (a, b) => Math.pow(a, b), Math.max];
  for (let i = 0; i < ops.length; ++i) console.log(ops[i](3, 4.5).toString());
}
//// floats
export function _start(): void {
  const values: f64[] = [0.1, 1, -0.0, 1e21, 1e-7, f64.MAX_VALUE, f64.MIN_VALUE, NaN, -Infinity, 1 / 3.0, 123456789.125];
  for (let i = 0; i < values.length; ++i) console.log(values[i].toString() + " " + (<f32>values[i]).toString());
  console.log(Math.sin(1).toString() + " " + Math.exp(2.5).toString() + " " + Math.log(10).toString());
  console.log(Math.round(-2.5).toString() + " " + Math.fround(0.1).toString() + " " + Math.hypot(3, 4).toString());
  console.log(parseFloat("2.5e3x").toString() + " " + parseInt("0x1f").toString() + " " + (<i32>3.99).toString());
}
//// integers
export function _start(): void {
  let x: u64 = 14695981039346656037;
  const text = "attention";
  for (let i = 0; i < text.length; ++i) x = (x ^ text.charCodeAt(i)) * 1099511628211;
  console.log(x.toString(16) + " " + x.toString() + " " + (<i64>x).toString());
  console.log((<i8>200).toString() + " " + (<u8>-1).toString() + " " + (-7 / 2).toString() + " " + (-7 % 3).toString());
  console.log(clz(1 << 20).toString() + " " + popcnt(0xFF00FF).toString() + " " + rotl<u32>(0x80000001, 4).toString());
  console.log((i32.MAX_VALUE + 1).toString() + " " + (1 << 33).toString() + " " + (-8 >>> 28).toString());
}
//// linked_list
class Node {
  next: Node | null = null;
  constructor(public value: i32) {}
}
export function _start(): void {
  let head: Node | null = null;
  for (let i = 0; i < 10; ++i) {
    const node = new Node(i * i);
    node.next = head;
    head = node;
  }
  let text = "";
  let node: Node | null = head;
  while (node !== null) {
    text += node.value.toString() + " ";
    node = node.next;
  }
  console.log(text);
}
//// tree
class Tree {
  left: Tree | null;
  right: Tree | null;
  constructor(public key: i32) {}
  add(key: i32): void {
    if (key < this.key) {
      if (this.left) this.left!.add(key);
      else this.left = new Tree(key);
    } else {
      if (this.right) this.right!.add(key);
      else this.right = new Tree(key);
    }
  }
  text(): string {
    return (this.left ? this.left!.text() : "") + this.key.toString() + " " + (this.right ? this.right!.text() : "");
  }
  depth(): i32 {
    const l = this.left ? this.left!.depth() : 0, r = this.right ? this.right!.depth() : 0;
    return 1 + (l > r ? l : r);
  }
}
export function _start(): void {
  const root = new Tree(50);
  for (let i = 1; i < 30; ++i) root.add((i * 37) % 101);
  console.log(root.text() + root.depth().toString());
}
//// garbage
class Big {
  data: StaticArray<i64> = new StaticArray<i64>(200);
}
export function _start(): void {
  let kept: Big[] = [];
  let sum: i64 = 0;
  for (let i = 0; i < 3000; ++i) {
    const big = new Big();
    big.data[i % 200] = i;
    if (i % 500 == 0) kept.push(big);
    sum += big.data[i % 200];
  }
  console.log(sum.toString() + " " + kept.length.toString() + " " + kept[3].data[100].toString() + " " + (memory.size() < 64).toString());
}
//// matrix
export function _start(): void {
  const n = 6;
  const a = new Float64Array(n * n), b = new Float64Array(n * n);
  for (let i = 0; i < n * n; ++i) { a[i] = 1.0 / (i + 1); b[i] = i % 5; }
  let text = "";
  for (let i = 0; i < n; ++i) {
    for (let j = 0; j < n; ++j) {
      let sum: f64 = 0;
      for (let k = 0; k < n; ++k) sum += a[i * n + k] * b[k * n + j];
      text += sum.toString() + (j + 1 < n ? " " : "\n");
    }
  }
  console.log(text);
}
//// queens
function place(columns: u32, left: u32, right: u32, full: u32): i32 {
  if (columns == full) return 1;
  let free = full & ~(columns | left | right), count = 0;
  while (free) {
    const bit = free & -free;
    free ^= bit;
    count += place(columns | bit, (left | bit) << 1, (right | bit) >> 1, full);
  }
  return count;
}
export function _start(): void {
  for (let n = 1; n <= 8; ++n) console.log(n.toString() + ": " + place(0, 0, 0, (1 << n) - 1).toString());
}
//// life
export function _start(): void {
  const w = 20, h = 10;
  let cells = new Uint8Array(w * h);
  const glider = [1, w + 2, 2 * w, 2 * w + 1, 2 * w + 2];
  for (let i = 0; i < glider.length; ++i) cells[glider[i]] = 1;
  for (let step = 0; step < 20; ++step) {
    const next = new Uint8Array(w * h);
    for (let y = 0; y < h; ++y) for (let x = 0; x < w; ++x) {
      let n = 0;
      for (let dy = -1; dy <= 1; ++dy) for (let dx = -1; dx <= 1; ++dx) {
        if (dx || dy) n += cells[((y + dy + h) % h) * w + (x + dx + w) % w];
      }
      next[y * w + x] = n == 3 || (n == 2 && cells[y * w + x]) ? 1 : 0;
    }
    cells = next;
  }
  for (let y = 0; y < h; ++y) {
    let line = "";
    for (let x = 0; x < w; ++x) line += cells[y * w + x] ? "#" : ".";
    console.log(line);
  }
}
//// sorting
class Person {
  constructor(public name: string, public age: i32) {}
}
export function _start(): void {
  const people = [new Person("Ada", 36), new Person("Alan", 41), new Person("Emmy", 53), new Person("Kurt", 25)];
  people.sort((a, b) => a.age - b.age);
  for (let i = 0; i < people.length; ++i) console.log(people[i].name + " " + people[i].age.toString());
  let x: u32 = 12345;
  const numbers = new Array<u32>(500);
  for (let i = 0; i < 500; ++i) {
    x ^= x << 13; x ^= x >> 17; x ^= x << 5;
    numbers[i] = x;
  }
  numbers.sort();
  console.log(numbers[0].toString() + " " + numbers[250].toString() + " " + numbers[499].toString());
}
//// data_view
export function _start(): void {
  const view = new DataView(new ArrayBuffer(16));
  view.setFloat64(0, Math.E, true);
  view.setUint16(8, 0xCAFE);
  view.setInt32(10, -2, true);
  let text = "";
  for (let i = 0; i < 16; ++i) text += view.getUint8(i).toString(16).padStart(2, "0");
  console.log(text + " " + view.getInt16(9).toString() + " " + view.getFloat32(2).toString());
}
//// enums
enum Color { Red = 1, Green, Blue = 10 }
namespace Names {
  export function text(color: Color): string {
    switch (color) {
      case Color.Red: return "red";
      case Color.Green: return "green";
      default: return "other " + (<i32>color).toString();
    }
  }
}
export function _start(): void {
  console.log(Names.text(Color.Red) + Names.text(Color.Green) + Names.text(Color.Blue));
}
//// operators
class Vec {
  constructor(public x: f64, public y: f64) {}
  @operator("+") plus(o: Vec): Vec { return new Vec(this.x + o.x, this.y + o.y); }
  @operator("*") times(o: Vec): f64 { return this.x * o.x + this.y * o.y; }
  @operator("==") same(o: Vec): bool { return this.x == o.x && this.y == o.y; }
  toString(): string { return "(" + this.x.toString() + ", " + this.y.toString() + ")"; }
}
export function _start(): void {
  const a = new Vec(1, 2), b = new Vec(0.5, -4);
  console.log((a + b).toString() + " " + (a * b).toString() + " " + (a + b == b + a).toString());
}
//// console_error
export function _start(): void {
  console.log("out");
  console.error("error");
  console.log("out again");
  trace("numbers", 2, 1.5, -3);
}
//// abort_index
export function _start(): void {
  const numbers: i32[] = [1, 2, 3];
  for (let i = 0; i < 5; ++i) console.log(numbers[i].toString());
}
//// abort_throw
function check(n: i32): i32 {
  if (n > 2) throw new Error("n is " + n.toString());
  return n;
}
export function _start(): void {
  for (let i = 0; i < 5; ++i) console.log(check(i).toString());
}
//// assert
export function _start(): void {
  console.log("before");
  assert(1 + 1 == 3, "arithmetic");
  console.log("after");
}
