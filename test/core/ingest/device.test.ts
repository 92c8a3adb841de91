import { describe, expect, test } from 'vitest'
import { addDevice, type DeviceHeaders, describeDevice } from '#core/ingest/device'
import { WrittenProperties } from '#core/ingest/properties'

const CHROME_MAC =
  'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36'
const IPHONE =
  'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.1 Mobile/15E148 Safari/604.1'

/** The headers of a browser. */
function from(userAgent: string, hints: Partial<DeviceHeaders> = {}): DeviceHeaders {
  return { userAgent, brands: undefined, isMobile: false, platform: undefined, ...hints }
}

describe('the user agent gives', () => {
  test.each([
    ['Chrome', '142', 'macOS', 'desktop', CHROME_MAC, 1440],
    ['Safari', '18', 'iOS', 'mobile', IPHONE, 390],
    [
      'Safari',
      '17',
      'macOS',
      'desktop',
      'Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/17.4 Safari/605.1.15',
      1440,
    ],
    [
      'Chrome',
      '130',
      'iOS',
      'mobile',
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) CriOS/130.0.6723.90 Mobile/15E148 Safari/604.1',
      390,
    ],
    [
      'Edge',
      '141',
      'Windows',
      'desktop',
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/141.0.0.0 Safari/537.36 Edg/141.0.3537.57',
      1920,
    ],
    [
      'Edge',
      '140',
      'Android',
      'mobile',
      'Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/140.0.0.0 Mobile Safari/537.36 EdgA/140.0.0.0',
      412,
    ],
    [
      'Opera',
      '120',
      'Windows',
      'desktop',
      'Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/135.0.0.0 Safari/537.36 OPR/120.0.0.0',
      1920,
    ],
    [
      'Firefox',
      '144',
      'Linux',
      'desktop',
      'Mozilla/5.0 (X11; Linux x86_64; rv:144.0) Gecko/20100101 Firefox/144.0',
      1920,
    ],
    [
      'Firefox',
      '144',
      'iOS',
      'mobile',
      'Mozilla/5.0 (iPhone; CPU iPhone OS 18_1 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) FxiOS/144.0 Mobile/15E148 Safari/605.1.15',
      390,
    ],
    [
      'Chrome',
      '142',
      'ChromeOS',
      'desktop',
      'Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36',
      1366,
    ],
    [
      'Chrome',
      '142',
      'Android',
      'tablet',
      'Mozilla/5.0 (Linux; Android 14; SM-X710) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36',
      1280,
    ],
    [
      'Safari',
      '12',
      'iOS',
      'tablet',
      'Mozilla/5.0 (iPad; CPU OS 12_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/12.1.2 Mobile/15E148 Safari/604.1',
      768,
    ],
    ['Unknown', '', 'Unknown', 'desktop', 'SomethingElse/1.0', 1920],
    ['Unknown', '', 'Unknown', 'desktop', '', 1920],
  ])('%s %s on %s, %s', (browser, version, os, device, userAgent, width) => {
    expect(describeDevice(from(userAgent), width)).toEqual({
      browser,
      browser_version: version,
      os,
      device,
    })
  })
})

test.each([
  [1024, 'desktop'],
  [1023, 'tablet'],
  [768, 'tablet'],
  [767, 'mobile'],
])('a screen of %i px and a user agent without "Mobile" is a %s', (width, device) => {
  expect(describeDevice(from(CHROME_MAC), width).device).toBe(device)
})

test('"Mobile" in the user agent gives mobile for every screen width', () => {
  expect(describeDevice(from(IPHONE), 932).device).toBe('mobile')
})

describe('client hints', () => {
  const hints = {
    brands: '"Not?A_Brand";v="8", "Chromium";v="142", "Microsoft Edge";v="142"',
    isMobile: false,
    platform: '"Windows"',
  }

  test('give the browser and the system that a frozen user agent hides', () => {
    expect(describeDevice(from(CHROME_MAC, hints), 1440)).toEqual({
      browser: 'Edge',
      browser_version: '142',
      os: 'Windows',
      device: 'desktop',
    })
  })

  test('with mobile set give mobile', () => {
    expect(describeDevice(from(CHROME_MAC, { ...hints, isMobile: true }), 1440).device).toBe('mobile')
  })

  test('give Linux where the user agent names no system', () => {
    expect(describeDevice(from('', { ...hints, platform: '"Linux"' }), 1440).os).toBe('Linux')
  })

  test.each([
    ['Chrome OS', 'ChromeOS'],
    ['Chromium OS', 'ChromeOS'],
    ['macOS', 'macOS'],
    ['Android', 'Android'],
    ['', 'macOS'],
    ['Fuchsia', 'macOS'],
  ])(
    'with platform %j give %s, and an unknown platform gives the system of the user agent',
    (platform, os) => {
      expect(describeDevice(from(CHROME_MAC, { ...hints, platform: `"${platform}"` }), 1440).os).toBe(os)
    },
  )
})

test.each(['Android', 'Chrome', 'Android Mobi'])('the longest header, full of `%s`, is read', piece => {
  // 16 KiB are the headers that a server takes.
  expect(describeDevice(from(piece.repeat(16_384 / piece.length)), 390).browser_version).toBe('')
})

const DEVICE = { browser: 'Safari', browser_version: '18', os: 'iOS', device: 'mobile' }

test('an event with a screen and without a browser gets the device of its headers', () => {
  expect(addDevice({ screen: '390x844', plan: 'pro' }, from(IPHONE))).toEqual({
    screen: '390x844',
    plan: 'pro',
    ...DEVICE,
  })
})

test.each([
  ['names its browser', { screen: '390x844', browser: 'Kiosk' }],
  ['has no screen, as one of a server', { plan: 'pro' }],
  ['has a screen of another form', { screen: 'home' }],
  ['has no properties', null],
])('an event that %s stays as it is', (_, properties) => {
  expect(addDevice(structuredClone(properties), from(IPHONE))).toEqual(properties)
})

test('wide properties, which are not parsed, get the device too', () => {
  const wide = { screen: '390x844', text: 'x'.repeat(3_000) }
  const written = new WrittenProperties(Buffer.from(JSON.stringify(wide)))
  expect(addDevice(written, from(IPHONE))).toEqual({ ...wide, ...DEVICE })
  const own = new WrittenProperties(Buffer.from(JSON.stringify({ ...wide, browser: 'Kiosk' })))
  expect(addDevice(own, from(IPHONE))).toBe(own)
})
