-- Errors that leave several functions, coroutines, closures, texts and numbers.
local function deep(n) if n == 0 then error({code = 42}) end return deep(n - 1) + 1 end
for depth = 1, 50, 7 do
  local ok, fault = pcall(deep, depth)
  print(depth, ok, fault.code)
end
print(pcall(function() local x = nil; return x.y end))
print(select("#", xpcall(error, function(m) return "handled " .. tostring(m) end, "it")))
local co = coroutine.wrap(function(a) for i = 1, 3 do a = coroutine.yield(a * i + 0.5) end error("end") end)
print(co(1), co(2), co(3), pcall(co, 4))
print(pcall(table.sort, {3, 1, 2, 5, 4}, function(a, b) error("in sort") end))
local words = {}
for word in ("the quick brown fox jumps over the lazy dog"):gmatch("%a+") do words[#words + 1] = word end
table.sort(words)
print(table.concat(words, " "), ("%5.2f|%g|%x|%q"):format(math.pi, 1e300, 255, "a\nb"))
print(1 // 0.0, -7 // 2, -7 % 3, 2^53, 1 << 62, math.maxinteger + 1 == math.mininteger, 0x1p-3, tostring(1e15))
local primes, n = {}, 2
while #primes < 200 do
  local is_prime = true
  for _, p in ipairs(primes) do if p * p > n then break end if n % p == 0 then is_prime = false break end end
  if is_prime then primes[#primes + 1] = n end
  n = n + 1
end
print(primes[200], string.rep("ab", 3, "-"), ("x"):byte(), utf8.char(228, 8364), os.time({year = 2000, month = 1, day = 1, hour = 12}))
setmetatable(_G, {__index = function(_, name) error("no " .. name, 2) end})
print(pcall(load("return undefined_name")))
error("last words")
