import { createHash } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { beforeAll, describe, expect, test } from 'vitest'
import { buildTracker, type Tracker } from '#tracker/build'
import { GZIP_BUDGETS } from '#tracker/sizes'

let tracker: Tracker
beforeAll(async () => {
  tracker = await buildTracker()
})

test('both compressed scripts are within their budgets', () => {
  const size = (code: string) => gzipSync(code, { level: 9 }).length
  expect(size(tracker.code)).toBeLessThanOrEqual(GZIP_BUDGETS['tracker.js'])
  expect(size(tracker.core.code)).toBeLessThanOrEqual(GZIP_BUDGETS['tracker.core.js'])
})

test('the checksum is that of the delivered bytes, and every build gives the same bytes', async () => {
  expect(tracker.sha256).toBe(createHash('sha256').update(Buffer.from(tracker.code, 'utf8')).digest('hex'))
  expect(tracker.core.sha256).toBe(createHash('sha256').update(tracker.core.code).digest('hex'))
  expect(await buildTracker()).toEqual(tracker)
})

test('the readable script keeps names and lines', () => {
  expect(tracker.source).toContain('function touchSession(')
  expect(tracker.source.split('\n').length).toBeGreaterThan(200)
})

test.each(['tracker', 'core'] as const)(
  'the script (%s) is ASCII and defines no global name except aa',
  kind => {
    const { code } = { tracker, core: tracker.core }[kind]
    expect(code).toMatch(/^[\x20-\x7e\n]*$/)
    // Names of a block that `let` declares are not names of the page.
    expect(code).toMatch(/^\{let [\s\S]*\}$/)
    expect(code).not.toMatch(/\b(var|function)\b/)
  },
)

test('the smaller script has nothing of the modules that it leaves out', () => {
  const { code } = tracker.core
  for (const absent of [
    '$click',
    '$error',
    '$form_submit',
    '$impression',
    'experiments/config',
    'utm_',
    'PerformanceObserver',
    '_aa=',
  ])
    expect(code).not.toContain(absent)
})

/** Names of the browser APIs that docs/api/tracker.md forbids. */
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
    // Writing `textContent` is how a variant of an experiment appears.
    /innerText|textContent(?!\s*=[^=])|\.value\b|FormData|elements\b|outerText|getSelection/,
  ],
  ['fragments', /\.hash\b/],
  ['hardware', /hardwareConcurrency|deviceMemory|maxTouchPoints|getBattery|connection\b|oscpu|cpuClass/],
  ['plugins', /\.plugins|mimeTypes|javaEnabled/],
  ['canvas, audio, WebGL and fonts', /canvas|getContext|AudioContext|WebGL|measureText|document\.fonts/i],
  ['scrolling', /["']scroll["']|onscroll\b|["']wheel["']/],
  ['high-entropy hints', /getHighEntropyValues|fullVersionList|architecture|bitness/],
  ['devices', /mediaDevices|enumerateDevices|geolocation|getGamepads|speechSynthesis|\.permissions/],
  ['hashing', /subtle|digest|sha-?(1|256)|md5/i],
  ['API keys', /aak_|aas_/],
  ['other storages', /indexedDB|openDatabase|\bcaches\b/],
]

describe.each(FORBIDDEN)('the built script does not use %s', (_, pattern) => {
  test('in the minified and in the readable form', () => {
    expect(tracker.code).not.toMatch(pattern)
    expect(tracker.core.code).not.toMatch(pattern)
    expect(withoutComments(tracker.source)).not.toMatch(pattern)
  })
})

test('a query string is read and written only for campaigns, forced variants and linked ids', () => {
  const lines = withoutComments(tracker.source)
    .split('\n')
    .filter(line => /\.search\b|searchParams/.test(line))
  expect(lines.map(line => line.trim())).toEqual([
    'const id = dataset.linkDomains && address.searchParams.get("_aa");',
    'address.search = withLinkedId(address.search);',
    '...IS_FULL && campaignProperties(url.searchParams),',
    'link.search = withLinkedId(link.search, anonymousId());',
    // biome-ignore lint/suspicious/noTemplateCurlyInString: this is a line of the script.
    'const forcedKey = new URL(location.href).searchParams.get(`aa_variant_${name}`);',
  ])
})

function withoutComments(source: string): string {
  return source.replace(/\/\*[\s\S]*?\*\/|^\s*\/\/.*$/gm, '')
}
