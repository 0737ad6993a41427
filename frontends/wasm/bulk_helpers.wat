;; What memory.copy and memory.fill call. convert.cc parses this text and appends the functions a
;; module needs. Both read the last byte of a range before they write any, so that one that does not
;; fit changes nothing. A range that ends after 2^32 reads the byte at 2^32, which no memory has;
;; of an empty one, the byte before it must exist. A word is one step at any address.
(module
  (memory 0)

  ;; Forward from below, backward from above: no byte is read after it was written. That holds of
  ;; whole words too, whatever the distance.
  (func $memory.copy (param $d i32) (param $s i32) (param $n i32)
    (local $last i32) (local $end i32)
    (local.set $end (select (local.get $d) (local.get $s)
                            (i32.gt_u (local.get $d) (local.get $s))))
    (local.set $last (i32.sub (i32.add (local.get $end) (local.get $n)) (i32.const 1)))
    (if (local.get $n)
      (then
        (if (i32.lt_u (local.get $last) (local.get $end))
          (then (drop (i32.load8_u offset=0xFFFFFFFF (i32.const 1))))))
      (else (if (i32.eqz (local.get $end)) (then (return)))))
    (drop (i32.load8_u (local.get $last)))
    (if (i32.ge_u (i32.sub (local.get $d) (local.get $s)) (local.get $n))
      (then
        (local.set $end
          (i32.add (local.get $d) (i32.and (local.get $n) (i32.const -16))))
        (if (i32.ne (local.get $d) (local.get $end))
          (then
            (loop $blocks
              (i32.store (local.get $d) (i32.load (local.get $s)))
              (i32.store offset=4 (local.get $d) (i32.load offset=4 (local.get $s)))
              (i32.store offset=8 (local.get $d) (i32.load offset=8 (local.get $s)))
              (i32.store offset=12 (local.get $d) (i32.load offset=12 (local.get $s)))
              (local.set $s (i32.add (local.get $s) (i32.const 16)))
              (local.set $d (i32.add (local.get $d) (i32.const 16)))
              (br_if $blocks (i32.ne (local.get $d) (local.get $end))))))
        (if (i32.and (local.get $n) (i32.const 8))
          (then
            (i32.store (local.get $d) (i32.load (local.get $s)))
            (i32.store offset=4 (local.get $d) (i32.load offset=4 (local.get $s)))
            (local.set $s (i32.add (local.get $s) (i32.const 8)))
            (local.set $d (i32.add (local.get $d) (i32.const 8)))))
        (if (i32.and (local.get $n) (i32.const 4))
          (then
            (i32.store (local.get $d) (i32.load (local.get $s)))
            (local.set $s (i32.add (local.get $s) (i32.const 4)))
            (local.set $d (i32.add (local.get $d) (i32.const 4)))))
        (if (i32.and (local.get $n) (i32.const 2))
          (then
            (i32.store16 (local.get $d) (i32.load16_u (local.get $s)))
            (local.set $s (i32.add (local.get $s) (i32.const 2)))
            (local.set $d (i32.add (local.get $d) (i32.const 2)))))
        (if (i32.and (local.get $n) (i32.const 1))
          (then (i32.store8 (local.get $d) (i32.load8_u (local.get $s)))))
        (return)))
    (local.set $s (i32.add (local.get $s) (local.get $n)))
    (local.set $end (i32.add (local.get $d) (i32.and (local.get $n) (i32.const 15))))
    (local.set $d (i32.add (local.get $d) (local.get $n)))
    (if (i32.ne (local.get $d) (local.get $end))
      (then
        (loop $blocks
          (local.set $s (i32.sub (local.get $s) (i32.const 16)))
          (local.set $d (i32.sub (local.get $d) (i32.const 16)))
          (i32.store offset=12 (local.get $d) (i32.load offset=12 (local.get $s)))
          (i32.store offset=8 (local.get $d) (i32.load offset=8 (local.get $s)))
          (i32.store offset=4 (local.get $d) (i32.load offset=4 (local.get $s)))
          (i32.store (local.get $d) (i32.load (local.get $s)))
          (br_if $blocks (i32.ne (local.get $d) (local.get $end))))))
    (if (i32.and (local.get $n) (i32.const 8))
      (then
        (local.set $s (i32.sub (local.get $s) (i32.const 8)))
        (local.set $d (i32.sub (local.get $d) (i32.const 8)))
        (i32.store offset=4 (local.get $d) (i32.load offset=4 (local.get $s)))
        (i32.store (local.get $d) (i32.load (local.get $s)))))
    (if (i32.and (local.get $n) (i32.const 4))
      (then
        (local.set $s (i32.sub (local.get $s) (i32.const 4)))
        (local.set $d (i32.sub (local.get $d) (i32.const 4)))
        (i32.store (local.get $d) (i32.load (local.get $s)))))
    (if (i32.and (local.get $n) (i32.const 2))
      (then
        (local.set $s (i32.sub (local.get $s) (i32.const 2)))
        (local.set $d (i32.sub (local.get $d) (i32.const 2)))
        (i32.store16 (local.get $d) (i32.load16_u (local.get $s)))))
    (if (i32.and (local.get $n) (i32.const 1))
      (then
        (i32.store8 (i32.sub (local.get $d) (i32.const 1))
                    (i32.load8_u (i32.sub (local.get $s) (i32.const 1)))))))

  (func $memory.fill (param $d i32) (param $v i32) (param $n i32)
    (local $last i32) (local $end i32)
    (local.set $last (i32.sub (i32.add (local.get $d) (local.get $n)) (i32.const 1)))
    (if (local.get $n)
      (then
        (if (i32.lt_u (local.get $last) (local.get $d))
          (then (drop (i32.load8_u offset=0xFFFFFFFF (i32.const 1))))))
      (else (if (i32.eqz (local.get $d)) (then (return)))))
    (drop (i32.load8_u (local.get $last)))
    (local.set $v (i32.mul (i32.and (local.get $v) (i32.const 0xFF)) (i32.const 0x01010101)))
    (local.set $end (i32.add (local.get $d) (i32.and (local.get $n) (i32.const -16))))
    (if (i32.ne (local.get $d) (local.get $end))
      (then
        (loop $blocks
          (i32.store (local.get $d) (local.get $v))
          (i32.store offset=4 (local.get $d) (local.get $v))
          (i32.store offset=8 (local.get $d) (local.get $v))
          (i32.store offset=12 (local.get $d) (local.get $v))
          (local.set $d (i32.add (local.get $d) (i32.const 16)))
          (br_if $blocks (i32.ne (local.get $d) (local.get $end))))))
    (if (i32.and (local.get $n) (i32.const 8))
      (then
        (i32.store (local.get $d) (local.get $v))
        (i32.store offset=4 (local.get $d) (local.get $v))
        (local.set $d (i32.add (local.get $d) (i32.const 8)))))
    (if (i32.and (local.get $n) (i32.const 4))
      (then
        (i32.store (local.get $d) (local.get $v))
        (local.set $d (i32.add (local.get $d) (i32.const 4)))))
    (if (i32.and (local.get $n) (i32.const 2))
      (then
        (i32.store16 (local.get $d) (local.get $v))
        (local.set $d (i32.add (local.get $d) (i32.const 2)))))
    (if (i32.and (local.get $n) (i32.const 1))
      (then (i32.store8 (local.get $d) (local.get $v))))))
