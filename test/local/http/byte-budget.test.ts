import { EventEmitter } from 'node:events'
import type { ServerResponse } from 'node:http'
import { expect, test } from 'vitest'
import { CAPS, PEER_PART } from '#local/http/admission'
import { createByteBudget, SMALL_BODY_BYTES } from '#local/http/byte-budget'
import { MAX_BODY_BYTES } from '#schemas/route'

const response = () => new EventEmitter() as unknown as ServerResponse
const openBudget = () => createByteBudget({ maxBytes: CAPS.bodyBytes, peerPart: PEER_PART })
const LARGE = MAX_BODY_BYTES - 1

/** How many bodies of this size of the peer have room. */
function fill({ open }: ReturnType<typeof openBudget>, peer: string | null, length: number): number {
  for (let count = 0; ; count++) {
    if (!open(response(), peer, length)(length)) return count
  }
}

test('128 bodies of 1 MiB less one byte of one peer leave room for large and small ones of others', () => {
  const budget = openBudget()
  // A quarter of the room that is not for small bodies alone: 24 MiB.
  expect(fill(budget, 'attacker', LARGE)).toBe(24)
  expect(fill(budget, 'neighbour', LARGE)).toBe(24)
  expect(budget.open(response(), 'third', 1_000)(1_000)).toBe(true)
})

test('large bodies of many peers leave the room for small ones', () => {
  const budget = openBudget()
  for (let i = 0; i < 20; i++) fill(budget, `attacker ${i}`, LARGE)
  expect(budget.open(response(), 'neighbour', LARGE)(LARGE)).toBe(false)
  // What is left of the other room is less than one large body.
  expect(budget.open(response(), 'neighbour', Number.NaN)(1)).toBe(true)
  expect(fill(budget, 'neighbour', SMALL_BODY_BYTES)).toBe(128)
})

test('small bodies of one peer leave room for those of others', () => {
  const budget = openBudget()
  fill(budget, 'attacker', SMALL_BODY_BYTES)
  expect(fill(budget, 'neighbour', SMALL_BODY_BYTES)).toBe((24 + 8) * 16)
})

test('a proxy that speaks for nobody has no share, and the whole budget bounds it', () => {
  expect(fill(openBudget(), null, LARGE)).toBe(96)
})

test('a sent response gives back what its body took in either part', () => {
  const budget = openBudget()
  const held: ServerResponse[] = []
  for (;;) {
    const next = response()
    const take = budget.open(next, 'peer', SMALL_BODY_BYTES)
    // In pieces, so that one body takes bytes of both parts.
    if (![20_000, 20_000, 25_536].every(bytes => take(bytes))) break
    held.push(next)
  }
  for (const each of held) each.emit('close')
  expect(fill(budget, 'peer', LARGE)).toBeGreaterThanOrEqual(23)
})
