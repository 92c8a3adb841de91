import type { Watch } from '#scanner/watch'

/**
 * What a thread says while it is too busy to send messages: that it lives, and which analysis it works on.
 * Both lie in memory that the parent shares.
 */
export type Pulse = Int32Array<SharedArrayBuffer>

const [BEATS, SLOT] = [0, 1]

export function createPulse(): Pulse {
  return new Int32Array(new SharedArrayBuffer(2 * Int32Array.BYTES_PER_ELEMENT))
}

/** The thread lives. */
export function beat(pulse: Pulse): void {
  Atomics.add(pulse, BEATS, 1)
}

/** How often the thread has said so; 0 until its code is loaded. */
export function beatsOf(pulse: Pulse): number {
  return Atomics.load(pulse, BEATS)
}

/**
 * The analysis, by its slot (from 1), that the thread works on; 0: none. Of a thread that has ended: the one
 * that it worked on when it ended.
 */
export function slotOf(pulse: Pulse): number {
  return Atomics.load(pulse, SLOT)
}

/** The watch for the work of the analysis in a slot. Each piece of work is a beat too. */
export function watchSlot(pulse: Pulse, slot: number): Watch {
  return work => {
    const outer = Atomics.exchange(pulse, SLOT, slot)
    beat(pulse)
    try {
      return work()
    } finally {
      Atomics.store(pulse, SLOT, outer)
    }
  }
}
