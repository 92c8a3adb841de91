import { expect, test } from 'vitest'
import { createOutboundClient } from '#core/outbound/outbound-client'
import { createSiteFetcher } from '#scanner/fetch/fetch-site'
import type { Watch } from '#scanner/watch'
import { createFakeClock } from '#test/support/fake-clock'
import { createSiteNetwork } from '#test/support/site-network'

const HOME = 'https://example.com/'
const LINKS = ['a', 'b', 'c'].map(name => `<a href="/${name}">${name}</a>`).join('')

/**
 * A fetcher of a site of four pages with this robots.txt. `seen`: when each further page was asked for, ms.
 */
function openFetcher(robots: string, signal: AbortSignal = new AbortController().signal) {
  const clock = createFakeClock(0, { movesItself: true })
  const seen: Record<string, number> = {}
  const network = createSiteNetwork(url => {
    const { pathname } = new URL(url)
    if (pathname.length === 2) seen[pathname] = clock.now()
    return pathname === '/robots.txt' ? robots : pathname === '/sitemap.xml' ? null : LINKS
  })
  const client = createOutboundClient({ network, userAgent: 'test', clock })
  return { fetcher: createSiteFetcher({ client, clock }, signal), seen }
}

test.each([
  ['demands no delay', 'User-agent: *\nAllow: /', [0, 0, 0]],
  ['demands 2.5 s', 'User-agent: *\nCrawl-delay: 2.5', [2_500, 5_000, 7_500]],
  ['demands more than 10 s', 'User-agent: *\nCrawl-delay: 600', [10_000, 20_000, 30_000]],
])('a robots.txt that %s sets the pauses between pages', async (_, robots, expected) => {
  const { fetcher, seen } = openFetcher(robots)
  const { pages } = await fetcher.fetchFurther(await fetcher.fetchFirst([HOME]), [])
  expect(pages).toHaveLength(3)
  expect(Object.values(seen)).toEqual(expected)
})

test('pages whose pause the end of the analysis cuts off are named as not read', async () => {
  const stopping = new AbortController()
  const { fetcher, seen } = openFetcher('User-agent: *\nCrawl-delay: 5', stopping.signal)
  const first = await fetcher.fetchFirst([HOME])
  const further = fetcher.fetchFurther(first, [])
  stopping.abort(new Error('over'))
  const { pages, unread } = await further
  expect([pages, Object.keys(seen)]).toEqual([[], []])
  expect(unread).toEqual(
    ['a', 'b', 'c'].map(name => ({ url: `${HOME}${name}`, reason: 'the time of the analysis was over' })),
  )
})

test('each address is compared with robots.txt in a piece of work of its own', async () => {
  const network = createSiteNetwork(url =>
    url.endsWith('/robots.txt') ? 'User-agent: *\nDisallow: /b' : LINKS,
  )
  const clock = createFakeClock(0, { movesItself: true })
  const client = createOutboundClient({ network, userAgent: 'test', clock })
  const answers: unknown[] = []
  const watch: Watch = work => {
    const answer = work()
    answers.push(answer)
    return answer
  }
  const fetcher = createSiteFetcher({ client, clock, watch }, new AbortController().signal)
  await fetcher.fetchFurther(await fetcher.fetchFirst([HOME]), [])
  expect(answers).toEqual(expect.arrayContaining([true, false]))
  expect(answers.filter(answer => typeof answer === 'boolean')).toEqual([true, true, false, true])
})
