// Programs in Zig for bench/public/languages.py, one after each line `//// NAME`. Each begins with
// `const std = @import("std");` and prints to standard error, as std.debug.print does.
//// primes
pub fn main() !void {
    const gpa = std.heap.page_allocator;
    var primes: std.ArrayList(u32) = .empty;
    defer primes.deinit(gpa);
    var n: u32 = 2;
    while (n < 200) : (n += 1) {
        for (primes.items) |p| {
            if (n % p == 0) break;
        } else try primes.append(gpa, n);
    }
    std.debug.print("{any}\n", .{primes.items});
}
//// generic_stack
fn Stack(comptime T: type) type {
    return struct {
        items: [16]T = undefined,
        count: usize = 0,
        fn push(self: *@This(), item: T) !void {
            if (self.count == self.items.len) return error.Full;
            self.items[self.count] = item;
            self.count += 1;
        }
        fn pop(self: *@This()) ?T {
            if (self.count == 0) return null;
            self.count -= 1;
            return self.items[self.count];
        }
    };
}
pub fn main() !void {
    var words: Stack([]const u8) = .{};
    for ([_][]const u8{ "one", "two", "three" }) |word| try words.push(word);
    while (words.pop()) |word| std.debug.print("{s} ", .{word});
    var numbers: Stack(u64) = .{};
    var i: u64 = 0;
    while (true) : (i += 1) numbers.push(i * i) catch |e| {
        std.debug.print("{s} at {d}, top {?d}\n", .{ @errorName(e), i, numbers.pop() });
        break;
    };
}
//// tagged_union
const Expr = union(enum) {
    number: f64,
    add: [2]*const Expr,
    mul: [2]*const Expr,
    neg: *const Expr,
    fn eval(self: Expr) f64 {
        return switch (self) {
            .number => |n| n,
            .add => |p| p[0].eval() + p[1].eval(),
            .mul => |p| p[0].eval() * p[1].eval(),
            .neg => |p| -p.eval(),
        };
    }
};
pub fn main() void {
    const two = Expr{ .number = 2 };
    const half = Expr{ .number = 0.5 };
    const sum = Expr{ .add = .{ &two, &half } };
    const product = Expr{ .mul = .{ &sum, &sum } };
    const all = Expr{ .neg = &product };
    std.debug.print("{d} {d:.4} {s}\n", .{ all.eval(), sum.eval(), @tagName(all) });
}
//// errors
const Wrong = error{ Empty, NotADigit, TooLarge };
fn parse(text: []const u8) Wrong!u8 {
    if (text.len == 0) return error.Empty;
    var value: u8 = 0;
    for (text) |c| {
        if (c < '0' or c > '9') return error.NotADigit;
        value = std.math.mul(u8, value, 10) catch return error.TooLarge;
        value = std.math.add(u8, value, c - '0') catch return error.TooLarge;
    }
    return value;
}
pub fn main() void {
    for ([_][]const u8{ "7", "255", "256", "", "1x", "999" }) |text| {
        if (parse(text)) |value| std.debug.print("{d}\n", .{value}) else |e| std.debug.print("{t}\n", .{e});
    }
}
//// comptime_table
fn crcTable() [256]u32 {
    @setEvalBranchQuota(10000);
    var made: [256]u32 = undefined;
    for (&made, 0..) |*entry, i| {
        var c: u32 = @intCast(i);
        for (0..8) |_| c = if (c & 1 != 0) 0xEDB88320 ^ (c >> 1) else c >> 1;
        entry.* = c;
    }
    return made;
}
const table = crcTable();
pub fn main() void {
    var c: u32 = 0xFFFFFFFF;
    for ("The quick brown fox jumps over the lazy dog") |byte| c = table[(c ^ byte) & 0xFF] ^ (c >> 8);
    std.debug.print("{x:0>8} {x:0>8}\n", .{ ~c, std.hash.Crc32.hash("123456789") });
}
//// sort
const Person = struct { name: []const u8, age: u32 };
fn younger(_: void, a: Person, b: Person) bool {
    return a.age < b.age;
}
pub fn main() void {
    var people = [_]Person{
        .{ .name = "Ada", .age = 36 }, .{ .name = "Alan", .age = 41 }, .{ .name = "Grace", .age = 85 },
        .{ .name = "Kurt", .age = 25 }, .{ .name = "Emmy", .age = 53 },
    };
    std.mem.sort(Person, &people, {}, younger);
    for (people) |p| std.debug.print("{s:>6} {d}\n", .{ p.name, p.age });
    var numbers: [1000]i32 = undefined;
    var seed: u32 = 1;
    for (&numbers) |*n| {
        seed = seed *% 1664525 +% 1013904223;
        n.* = @bitCast(seed);
    }
    std.mem.sort(i32, &numbers, {}, std.sort.asc(i32));
    std.debug.print("{d} {d} {d}\n", .{ numbers[0], numbers[500], numbers[999] });
}
//// hash_map
pub fn main() !void {
    var map = std.StringHashMap(u32).init(std.heap.page_allocator);
    defer map.deinit();
    var words = std.mem.tokenizeScalar(u8, "the cat and the dog and the bird", ' ');
    while (words.next()) |word| {
        const entry = try map.getOrPut(word);
        if (!entry.found_existing) entry.value_ptr.* = 0;
        entry.value_ptr.* += 1;
    }
    for ([_][]const u8{ "the", "and", "cat", "cow" }) |word| std.debug.print("{s} {?d}\n", .{ word, map.get(word) });
    std.debug.print("{d}\n", .{map.count()});
}
//// linked_list
const Node = struct { value: i64, next: ?*Node = null };
pub fn main() !void {
    var arena = std.heap.ArenaAllocator.init(std.heap.page_allocator);
    defer arena.deinit();
    var head: ?*Node = null;
    for (0..100) |i| {
        const node = try arena.allocator().create(Node);
        node.* = .{ .value = @intCast(i * i), .next = head };
        head = node;
    }
    var reversed: ?*Node = null;
    while (head) |node| {
        head = node.next;
        node.next = reversed;
        reversed = node;
    }
    var sum: i64 = 0;
    var place: i64 = 1;
    while (reversed) |node| : (reversed = node.next) {
        sum += place * node.value;
        place += 1;
    }
    std.debug.print("{d}\n", .{sum});
}
//// floats
pub fn main() void {
    var x: f64 = 1;
    for (0..6) |_| x = x - (x * x - 2) / (2 * x);
    std.debug.print("{d} {e} {d:.10}\n", .{ x, x, @sqrt(2.0) });
    const values = [_]f32{ 0.1, 1e10, -0.0, 3.4028235e38, 1e-45 };
    for (values) |v| std.debug.print("{d} {e} {d}\n", .{ v, v, @floor(v) });
    std.debug.print("{d:.6} {d:.6} {d:.6} {d}\n", .{ @sin(1.0), @exp(2.5), @log(10.0), std.math.nan(f64) });
}
//// wide_integers
pub fn main() void {
    var factorial: u256 = 1;
    for (1..51) |i| factorial *= i;
    std.debug.print("{d}\n{x}\n", .{ factorial, factorial });
    const a: u128 = 0x123456789ABCDEF0FEDCBA9876543210;
    std.debug.print("{d} {d} {d} {d}\n", .{ a / 1000007, a % 1000007, @popCount(a), @clz(a) });
    const small: i7 = -64;
    std.debug.print("{d} {d}\n", .{ small, @as(u7, @bitCast(small)) });
}
//// slices
pub fn main() void {
    var bytes = "hello, attention".*;
    std.mem.reverse(u8, &bytes);
    std.debug.print("{s} {?d} {d}\n", .{ bytes, std.mem.indexOfScalar(u8, &bytes, ','), std.mem.count(u8, &bytes, "t") });
    const numbers = [_]i32{ 5, -3, 8, 0, 7 };
    std.debug.print("{any} {d} {d}\n", .{ numbers[1..4], std.mem.max(i32, &numbers), std.mem.min(i32, &numbers) });
    var windows = std.mem.window(i32, &numbers, 3, 1);
    while (windows.next()) |w| std.debug.print("{d} ", .{w[0] + w[1] + w[2]});
    std.debug.print("{}\n", .{std.mem.eql(u8, "same", "same")});
}
//// matrix
fn Matrix(comptime n: usize) type {
    return struct {
        cells: [n][n]f64,
        fn times(a: @This(), b: @This()) @This() {
            var c: @This() = .{ .cells = @splat(@splat(0)) };
            for (0..n) |i| for (0..n) |j| for (0..n) |k| {
                c.cells[i][j] += a.cells[i][k] * b.cells[k][j];
            };
            return c;
        }
    };
}
pub fn main() void {
    const m = Matrix(3){ .cells = .{ .{ 1, 2, 3 }, .{ 0, 1, 4 }, .{ 5, 6, 0 } } };
    const inverse = Matrix(3){ .cells = .{ .{ -24, 18, 5 }, .{ 20, -15, -4 }, .{ -5, 4, 1 } } };
    std.debug.print("{any}\n{any}\n", .{ m.times(m).cells, m.times(inverse).cells });
}
//// vectors
pub fn main() void {
    const V = @Vector(4, f32);
    var sum: V = @splat(0);
    for (0..100) |i| {
        const x: f32 = @floatFromInt(i);
        sum += V{ x, x * 2, x * x, 1 } * @as(V, @splat(0.5));
    }
    std.debug.print("{d} {d} {d}\n", .{ sum, @reduce(.Add, sum), @reduce(.Max, sum) });
    const a: @Vector(8, i16) = .{ 1, -2, 3, -4, 5, -6, 7, -8 };
    std.debug.print("{d} {any}\n", .{ @abs(a), a > @as(@Vector(8, i16), @splat(0)) });
}
//// queens
fn place(row: u32, columns: u32, left: u32, right: u32, n: u5) u32 {
    const full = (@as(u32, 1) << n) - 1;
    if (columns == full) return 1;
    var free = full & ~(columns | left | right);
    var count: u32 = 0;
    while (free != 0) {
        const bit = free & (~free +% 1);
        free ^= bit;
        count += place(row + 1, columns | bit, (left | bit) << 1, (right | bit) >> 1, n);
    }
    return count;
}
pub fn main() void {
    for (1..9) |n| std.debug.print("{d} ", .{place(0, 0, 0, 0, @intCast(n))});
    std.debug.print("\n", .{});
}
//// interface
const Shape = struct {
    context: *const anyopaque,
    areaFn: *const fn (*const anyopaque) f64,
    fn area(self: Shape) f64 {
        return self.areaFn(self.context);
    }
};
const Circle = struct {
    radius: f64,
    fn area(p: *const anyopaque) f64 {
        const self: *const Circle = @ptrCast(@alignCast(p));
        return std.math.pi * self.radius * self.radius;
    }
};
const Box = struct {
    w: f64,
    h: f64,
    fn area(p: *const anyopaque) f64 {
        const self: *const Box = @ptrCast(@alignCast(p));
        return self.w * self.h;
    }
};
pub fn main() void {
    const circle = Circle{ .radius = 2 };
    const box = Box{ .w = 3, .h = 4 };
    const shapes = [_]Shape{ .{ .context = &circle, .areaFn = Circle.area }, .{ .context = &box, .areaFn = Box.area } };
    for (shapes) |shape| std.debug.print("{d:.5}\n", .{shape.area()});
}
//// packed_struct
const Flags = packed struct(u16) { ready: bool, mode: u3, level: u8, rest: u4 };
pub fn main() void {
    var flags: Flags = .{ .ready = true, .mode = 5, .level = 200, .rest = 9 };
    std.debug.print("{x} {d}\n", .{ @as(u16, @bitCast(flags)), @bitSizeOf(Flags) });
    flags.level +%= 100;
    flags.mode -= 1;
    std.debug.print("{x} {d} {d}\n", .{ @as(u16, @bitCast(flags)), flags.level, flags.mode });
}
//// hashes
pub fn main() void {
    var digest: [32]u8 = undefined;
    std.crypto.hash.sha2.Sha256.hash("attention is all you need", &digest, .{});
    std.debug.print("{x}\n", .{digest});
    var md: [16]u8 = undefined;
    std.crypto.hash.Md5.hash("abc", &md, .{});
    std.debug.print("{x} {x} {x}\n", .{ md, std.hash.Wyhash.hash(7, "abc"), std.hash.Fnv1a_64.hash("abc") });
}
//// overflow
pub fn main() void {
    var x: u8 = 250;
    x +%= 10;
    const sum = @addWithOverflow(@as(u8, 200), 100);
    std.debug.print("{d} {d} {d} {d}\n", .{ x, sum[0], sum[1], @as(u8, 200) +| 100 });
    std.debug.print("{d} {d} {d}\n", .{ @divFloor(-7, 2), @mod(-7, 3), @rem(@as(i32, -7), 3) });
    std.debug.print("{d} {d}\n", .{ std.math.rotl(u32, 0x80000001, 4), @byteSwap(@as(u32, 0x11223344)) });
}
//// panic_index
pub fn main() void {
    var numbers = [_]u32{ 1, 2, 3 };
    var i: usize = 0;
    while (i < 5) : (i += 1) {
        std.debug.print("{d}\n", .{i});
        numbers[i] += 1;
    }
}
//// panic_overflow
pub fn main() void {
    var x: i32 = 1;
    while (true) {
        std.debug.print("{d}\n", .{x});
        x *= 16;
    }
}
//// panic_error
fn fail(n: u32) !u32 {
    if (n > 2) return error.TooMany;
    return n;
}
pub fn main() !void {
    for (0..5) |i| std.debug.print("{d}\n", .{try fail(@intCast(i))});
}
//// defer
fn work(n: u32) !void {
    std.debug.print("begin {d}\n", .{n});
    defer std.debug.print("end {d}\n", .{n});
    errdefer std.debug.print("failed {d}\n", .{n});
    if (n == 3) return error.Three;
    if (n < 3) try work(n + 1);
}
pub fn main() void {
    work(1) catch |e| std.debug.print("{t}\n", .{e});
}
//// priority_queue
fn siftUp(heap: []u32, start: usize) void {
    var i = start;
    while (i > 0 and heap[(i - 1) / 2] > heap[i]) : (i = (i - 1) / 2) std.mem.swap(u32, &heap[i], &heap[(i - 1) / 2]);
}
fn siftDown(heap: []u32) void {
    var i: usize = 0;
    while (2 * i + 1 < heap.len) {
        var child = 2 * i + 1;
        if (child + 1 < heap.len and heap[child + 1] < heap[child]) child += 1;
        if (heap[i] <= heap[child]) return;
        std.mem.swap(u32, &heap[i], &heap[child]);
        i = child;
    }
}
pub fn main() void {
    var heap: [64]u32 = undefined;
    var count: usize = 0;
    for (0..64) |i| {
        heap[count] = @intCast((i * 37 + 11) % 101);
        count += 1;
        siftUp(heap[0..count], count - 1);
    }
    while (count > 0) {
        std.debug.print("{d} ", .{heap[0]});
        count -= 1;
        heap[0] = heap[count];
        siftDown(heap[0..count]);
    }
    std.debug.print("\n", .{});
}
