import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { lastAnalysis, rememberAnalysis } from '#dashboard/remembered'

/** What a browser remembers of analyses. */

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
