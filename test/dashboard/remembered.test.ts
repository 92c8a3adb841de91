import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import {
  lastAnalysis,
  lastZones,
  type ProjectZone,
  rememberAnalysis,
  rememberZones,
} from '#dashboard/remembered'

/** What a browser remembers of projects. */

let kept: Map<string, string>
beforeEach(() => {
  kept = new Map()
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
  })
})
afterEach(() => vi.unstubAllGlobals())

test('the last analysis of each of the 20 projects that were analysed last is remembered', () => {
  for (let i = 0; i < 25; i++) rememberAnalysis(`p${i}`, `scan_${i}`)
  rememberAnalysis('p10', 'scan_new')
  rememberAnalysis('p25', 'scan_25')
  const known = Array.from({ length: 26 }, (_, i) => lastAnalysis(`p${i}`)).filter(id => id !== null)
  expect(known.length).toBe(20)
  expect([lastAnalysis('p5'), lastAnalysis('p6'), lastAnalysis('p10'), lastAnalysis('p25')]).toEqual([
    ...[null, 'scan_6', 'scan_new', 'scan_25'],
  ])
})

test.each(['{', '7', '{"p":"x"}', '[["p"],7,null]'])(
  'what is no list of analyses, %s, counts as none',
  text => {
    kept.set('footfall-analyses', text)
    expect(lastAnalysis('p')).toBe(null)
    rememberAnalysis('p', 'scan_1')
    expect(lastAnalysis('p')).toBe('scan_1')
  },
)

test('the zones of a list replace those before, and 100 projects at most are remembered', () => {
  const zones = (count: number) =>
    Array.from({ length: count }, (_, i): ProjectZone => [`proj_${i}`, `p${i}`, 'Asia/Tokyo'])
  rememberZones(zones(3))
  expect(lastZones()).toEqual(zones(3))
  rememberZones(zones(1))
  expect(lastZones()).toEqual(zones(1))
  rememberZones(zones(150))
  expect(lastZones()).toEqual(zones(150).slice(50))
})

test.each(['{', '7', '[["p","q"],["p","q",7],[["p"],"q","r"],null]'])(
  'what is no list of zones, %s, counts as none',
  text => {
    kept.set('footfall-zones', text)
    expect(lastZones()).toEqual([])
  },
)
