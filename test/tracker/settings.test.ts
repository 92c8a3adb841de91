import { afterEach, expect, test, vi } from 'vitest'
import { dataset, endpoint, isOn, isPrintOnly, readSettings } from '#tracker/settings'

test('requests go to the origin of the script', () => {
  readSettings({ src: 'https://stats.example.org:8443/tracker.js?v=1', dataset: { token: 'aat_1' } })
  expect([endpoint, dataset.token]).toEqual(['https://stats.example.org:8443', 'aat_1'])
})

test('only the text true switches an attribute on', () => {
  for (const value of ['true', '', 'TRUE', '1', 'false', 'yes']) {
    readSettings({ src: 'https://stats.example.org/tracker.js', dataset: { trackSpa: value } })
    expect([isOn('trackSpa'), isOn('trackClicks')]).toEqual([value === 'true', false])
  }
})

/** Returns whether a page of this host prints its events. */
function isLocal(hostname: string): boolean {
  vi.stubGlobal('location', { hostname })
  return isPrintOnly()
}
afterEach(() => vi.unstubAllGlobals())

test.each(['localhost', '127.0.0.1', '127.1.2.3', '[::1]'])('%s is a local host', host => {
  expect(isLocal(host)).toBe(true)
})

test.each(['localhost.example.org', '128.0.0.1', 'example.org', '12700.test', ''])(
  '%j is a host like any',
  host => {
    expect(isLocal(host)).toBe(false)
  },
)
