import { randomInt } from 'node:crypto'

/** More than twice the keys of 8,192 bytes: each takes five bytes at least. */
const SLOTS = 4_096
/** Keys that a sender has chosen for the same slots must not cost more than this. */
const MAX_PROBES = 32
const PRIME = 16_777_619

/** Differs in each process, so that nobody knows which keys share a slot. */
const seed = randomInt(2 ** 32 - 1)
const hashes = new Int32Array(SLOTS)
/** The set that has written a slot. So a new set need not clear the slots. */
const owners = new Int32Array(SLOTS)
let sets = 0

/** The hash of a key of an object, before its first byte. */
export function startHash(object: number): number {
  return Math.imul(seed ^ object, PRIME)
}

/** The hash with one more byte of the key. */
export function addToHash(hash: number, byte: number): number {
  return Math.imul(hash ^ byte, PRIME)
}

/** A set of keys of JSON objects, by their hashes. */
export type KeySet = {
  /** Adds a key. Returns false if the set may have it already. */
  add(hash: number): boolean
}

/**
 * Makes a set of keys, for as long as no other set is made. It compares 32 bits of each key, so it may take a
 * new key for a repeated one, and never the other way round.
 */
export function createKeySet(): KeySet {
  sets = (sets + 1) | 0
  const owner = sets
  return {
    add(hash) {
      const mixed = hash ^ (hash >>> 15)
      for (let probe = 0; probe < MAX_PROBES; probe++) {
        const slot = (mixed + probe) & (SLOTS - 1)
        if (owners[slot] !== owner) {
          owners[slot] = owner
          hashes[slot] = mixed
          return true
        }
        if (hashes[slot] === mixed) return false
      }
      return false
    },
  }
}
