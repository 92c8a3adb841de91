import { expect, test } from 'vitest'
import { detectProviders, PROVIDERS } from '#scanner/read/providers/detect-providers'

test('at least 60 providers are known, each once', () => {
  expect(PROVIDERS.length).toBeGreaterThanOrEqual(60)
  expect(new Set(PROVIDERS.map(({ name }) => name)).size).toBe(PROVIDERS.length)
  const kinds = new Set(PROVIDERS.map(({ kind }) => kind))
  for (const kind of ['analytics', 'tag manager', 'consent'] as const) expect(kinds).toContain(kind)
})

test.each(PROVIDERS.map(each => [each.name, each] as const))(
  '%s is found by each of its signs, with the evidence',
  (name, provider) => {
    for (const address of provider.addresses) {
      const whole = address.startsWith('/') ? `https://shop.test${address}` : `https://${address}`
      const found = detectProviders([whole.toUpperCase() === whole ? whole : whole], [])
      const own = found.find(each => each.name === name)
      expect(own, address).toMatchObject({ kind: provider.kind })
      expect(own?.evidence).toBe(whole.split('?')[0])
    }
    for (const code of provider.code ?? []) {
      const own = detectProviders([], [`before ${code} after`]).find(each => each.name === name)
      expect(own?.evidence, code).toBe(`inline script with ${code}`)
    }
  },
)

test('a host that only ends like one of a provider is none, and the query is no evidence', () => {
  expect(
    detectProviders(['https://notclarity.ms/tag.js', 'https://x.test/?u=static.hotjar.com'], []),
  ).toEqual([])
  expect(detectProviders(['https://www.clarity.ms/tag/abc?id=customer-77'], [])).toEqual([
    { name: 'Microsoft Clarity', kind: 'session replay', evidence: 'https://www.clarity.ms/tag/abc' },
  ])
})

test('the code of a page that is searched has a bound', () => {
  const late = `${' '.repeat(500_000)}posthog.init(`
  expect(detectProviders([], [late])).toEqual([])
})
