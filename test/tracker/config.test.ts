import { expect, test } from 'vitest'
import { isLocalHost, readConfig } from '../../tracker/config.ts'

const SRC = 'https://stats.example.org/tracker.js?v=1'

test('events go to the origin of the script', () => {
  expect(readConfig({ src: SRC, dataset: { token: 'aat_1', project: 'shop' } })).toEqual({
    project: 'shop',
    token: 'aat_1',
    endpoint: 'https://stats.example.org',
    doNotTrack: false,
    requireConsent: false,
    sendFromLocalhost: false,
  })
})

test('without data-project the project is called default', () => {
  expect(readConfig({ src: SRC, dataset: { token: 'aat_1' } })?.project).toBe('default')
})

test('only the text true switches an attribute on', () => {
  const read = (value: string) =>
    readConfig({
      src: SRC,
      dataset: { token: 't', doNotTrack: value, requireConsent: value, localhost: value },
    })
  expect(read('true')).toMatchObject({ doNotTrack: true, requireConsent: true, sendFromLocalhost: true })
  for (const value of ['', 'TRUE', '1', 'false', 'yes']) {
    expect(read(value)).toMatchObject({ doNotTrack: false, requireConsent: false, sendFromLocalhost: false })
  }
})

test('without a token or an http(s) address there is no configuration', () => {
  expect(readConfig({ src: SRC, dataset: { project: 'shop' } })).toBeNull()
  expect(readConfig({ src: '', dataset: { token: 'aat_1' } })).toBeNull()
  expect(readConfig({ src: 'data:text/javascript,1', dataset: { token: 'aat_1' } })).toBeNull()
})

test.each(['localhost', '127.0.0.1', '127.1.2.3', '[::1]'])('%s is a local host', host => {
  expect(isLocalHost(host)).toBe(true)
})

test.each(['localhost.example.org', '128.0.0.1', 'example.org', '12700.test', ''])(
  '%j is a host like any',
  host => {
    expect(isLocalHost(host)).toBe(false)
  },
)
