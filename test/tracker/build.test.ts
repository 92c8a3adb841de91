import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, test } from 'vitest'
import { buildTracker, type Tracker } from '../../tracker/build.ts'

let tracker: Tracker
beforeAll(async () => {
  tracker = await buildTracker()
})

test('the script stays small: below 6 KiB as it travels', () => {
  expect(gzipSync(tracker.code).length).toBeLessThan(6 * 1024)
})

test('the checksum is that of the delivered bytes, and a build gives the same bytes again', async () => {
  expect(tracker.sha256).toBe(createHash('sha256').update(Buffer.from(tracker.code, 'utf8')).digest('hex'))
  expect(await buildTracker()).toEqual(tracker)
})

test('the readable source keeps its names and lines', () => {
  expect(tracker.source).toContain('function touchSession(')
  expect(tracker.source.split('\n').length).toBeGreaterThan(200)
})

test('the script is plain ASCII and leaves no name in the page but aa', () => {
  expect(tracker.code).toMatch(/^[\x20-\x7e\n]*$/)
  expect(tracker.code).toMatch(/^"use strict";\(\(\)=>\{[\s\S]*\}\)\(\);\s*$/)
})

/** What contract 4.8 rules out, by the names under which a browser offers it. */
const FORBIDDEN: [what: string, pattern: RegExp][] = [
  ['cookies', /\bcookie/i],
  ['code from text', /\beval\b|\bFunction\(|set(Timeout|Interval)\(["'`]/],
  [
    'writing into the page',
    /document\.write|innerHTML|outerHTML|insertAdjacent|createContextualFragment|append|createElement/,
  ],
  ['loading scripts', /import\(|importScripts|\.src\s*=[^=]/],
  [
    'visible text and form values',
    /innerText|textContent|\.value\b|FormData|elements\b|outerText|getSelection/,
  ],
  ['fragments', /\.hash\b/],
  ['hardware', /hardwareConcurrency|deviceMemory|maxTouchPoints|getBattery|connection\b|oscpu|cpuClass/],
  ['plugins', /\.plugins|mimeTypes|javaEnabled/],
  ['canvas, audio, WebGL and fonts', /canvas|getContext|AudioContext|WebGL|measureText|document\.fonts/i],
  ['high-entropy hints', /getHighEntropyValues|fullVersionList|architecture|bitness/],
  ['devices', /mediaDevices|enumerateDevices|geolocation|getGamepads|speechSynthesis|\.permissions/],
  ['hashing', /subtle|digest|sha-?(1|256)|md5/i],
  ['API keys', /aak_|aas_/],
  ['other storages', /indexedDB|openDatabase|\bcaches\b/],
]

describe.each(FORBIDDEN)('in the built script there is no access to %s', (_, pattern) => {
  test('neither in the delivered nor in the readable form', () => {
    expect(tracker.code).not.toMatch(pattern)
    expect(withoutComments(tracker.source)).not.toMatch(pattern)
  })
})

test('the query string is read in one place, for the campaign values', () => {
  expect(tracker.code.match(/\.search\b/g)).toHaveLength(1)
})

function withoutComments(source: string): string {
  return source.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')
}
