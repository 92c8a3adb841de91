/** Values in a group of the bit-packed form. A run that is shorter is not worth a header of its own. */
const GROUP = 8
/** Bytes of the header of a run, and of its value, at most. */
const RUN_BYTES = 10

/**
 * Writes whole numbers of `bits` bits (0 to 31) in Parquet's hybrid of runs and bit-packed groups. The last
 * group is filled up with zeros.
 */
export function packNumbers(values: Int32Array, bits: number): Uint8Array {
  const out = new Uint8Array(RUN_BYTES + Math.ceil(values.length / GROUP) * (bits + RUN_BYTES))
  let at = 0

  function header(value: number): void {
    let rest = value
    for (; rest > 0x7f; rest >>>= 7) out[at++] = (rest & 0x7f) | 0x80
    out[at++] = rest
  }

  function group(from: number): void {
    let buffer = 0
    let used = 0
    for (let i = from; i < from + GROUP; i++) {
      let value = values[i] ?? 0
      // A double holds 31 bits and those of the byte before exactly, 32 bits of an integer do not.
      for (let rest = bits; rest > 0; ) {
        const taken = Math.min(GROUP - used, rest)
        buffer |= (value & ((1 << taken) - 1)) << used
        value >>>= taken
        rest -= taken
        used += taken
        if (used < GROUP) continue
        out[at++] = buffer
        buffer = 0
        used = 0
      }
    }
  }

  for (let i = 0; i < values.length; ) {
    const length = runLength(values, i, values.length)
    if (length >= GROUP) {
      header(length * 2)
      for (let shift = 0; shift < bits; shift += 8) out[at++] = (values[i] as number) >>> shift
      i += length
      continue
    }
    const start = i
    do i += GROUP
    while (i < values.length && runLength(values, i, i + GROUP) < GROUP)
    const groups = (i - start) / GROUP
    header(groups * 2 + 1)
    for (let from = start; from < i; from += GROUP) group(from)
  }
  return out.subarray(0, at)
}

/** How many values from `from` on are equal, before `end`. */
function runLength(values: Int32Array, from: number, end: number): number {
  const last = Math.min(end, values.length)
  let i = from + 1
  while (i < last && values[i] === values[from]) i++
  return i - from
}

/** The bits that hold all numbers from 0 to `highest`. */
export function bitsOf(highest: number): number {
  return 32 - Math.clz32(highest)
}
