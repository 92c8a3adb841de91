import { describe, expect, test } from 'vitest'
import { HELD_OUT_SKETCHES } from './sketches/held-out.ts'
import { judgeSketch, ratesOf } from './sketches/judge-sketches.ts'
import { SKETCHES } from './sketches/sketches.ts'
import { UNSEEN_SKETCHES } from './sketches/unseen.ts'

/**
 * Floors below what `npm run bench -- scan --quality` measured on 2026-11-30 (docs/figures.md). A change that
 * falls below one makes the analysis worse for sites that nobody has in mind.
 */
const judged = SKETCHES.map(judgeSketch)
const rates = ratesOf(judged)
const unseen = ratesOf(UNSEEN_SKETCHES.map(judgeSketch))
const heldOut = ratesOf(HELD_OUT_SKETCHES.map(judgeSketch))

test('there are at least sixty sketched sites, of all kinds, in at least thirty languages', () => {
  expect(SKETCHES.length).toBeGreaterThanOrEqual(60)
  const names = [...SKETCHES, ...UNSEEN_SKETCHES, ...HELD_OUT_SKETCHES].map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
  expect(new Set(SKETCHES.flatMap(({ wishes }) => wishes.kind)).size).toBe(17)
  expect(new Set(SKETCHES.map(({ wishes }) => wishes.language)).size).toBeGreaterThanOrEqual(30)
})

describe('of the sketched sites', () => {
  test('nineteen of twenty get the kind and the main action that their owners named', () => {
    expect(rates.classRight, faults()).toBeGreaterThanOrEqual(0.95)
    expect(rates.mainFound, faults()).toBeGreaterThanOrEqual(0.95)
  })

  test('every item names an element, a state of a page, or an address', () => {
    expect(rates.namedItems, faults()).toBe(1)
  })

  test('nine of ten plans are accepted, and few sentences are shared', () => {
    expect(rates.accepted, faults()).toBeGreaterThanOrEqual(0.9)
    expect(rates.sharedSentences).toBeLessThanOrEqual(0.25)
  })
})

test('sites that were held out before do as well', () => {
  expect(unseen.classRight).toBeGreaterThanOrEqual(0.95)
  expect(unseen.mainFound).toBeGreaterThanOrEqual(0.9)
  expect(unseen.namedItems).toBe(1)
  expect(unseen.accepted).toBeGreaterThanOrEqual(0.85)
})

test('sites by which no rule was mended do not much worse', () => {
  expect(heldOut.classRight).toBeGreaterThanOrEqual(0.7)
  expect(heldOut.mainFound).toBeGreaterThanOrEqual(0.9)
  expect(heldOut.namedItems).toBe(1)
  expect(heldOut.accepted).toBeGreaterThanOrEqual(0.6)
})

/** What the owners would not accept, for the message of a failure. */
function faults(): string {
  return judged
    .filter(each => each.faults.length > 0)
    .map(each => `${each.name}: ${each.faults.join('; ')}`)
    .join('\n')
}
