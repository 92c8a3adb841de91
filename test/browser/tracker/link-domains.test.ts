import { expect, test } from 'vitest'
import { eventually } from '#test/support/eventually'
import { type RecordingServer, startRecordingServer } from '#test/tracker/recording-server'
import { useTestSite } from './test-site.ts'

const site = useTestSite()
const LINKED = 'data-link-domains="shop.test, docs.test"'

/** Starts the second site of a pair, on a port of its own. */
async function startDocs(): Promise<RecordingServer> {
  const docs = await startRecordingServer()
  docs.setPage(`<!doctype html><title>Docs</title>${docs.snippet(LINKED)}`)
  return docs
}

test('a link to a related domain carries the anonymous id, which arrives, leaves the address bar and joins the users', async () => {
  const docs = await startDocs()
  try {
    const target = docs.page('/start?a=b%20c#part', 'www.docs.test')
    site.server.setPage(
      `<!doctype html><title>Shop</title>${site.server.snippet(LINKED)}<a id="docs" href="${target}">Docs</a>`,
    )
    const page = await site.tab()
    await page.goto(site.server.page())
    await page.evaluate(() => window.aa!.identify('ada'))
    await page.click('#docs')
    await eventually(() => expect(docs.identifies()).toHaveLength(1))
    await page.waitForURL(target)
    await site.leave(page)
    await eventually(() => expect(docs.events()).toHaveLength(1))
    const own = docs.events()[0]!.user_id
    expect(docs.identifies()).toEqual([
      { token: 'aat_1', previous_id: site.server.events()[0]!.user_id, user_id: own },
    ])
    expect(own).not.toBe(site.server.events()[0]!.user_id)
    expect(docs.requests.map(({ body }) => body).join()).not.toMatch(/b%20c|part|_aa/)
  } finally {
    await docs.close()
  }
})

test('other links stay as they are: the own host, unlisted domains, and all without the attribute or the consent', async () => {
  for (const [attributes, host] of [
    [LINKED, 'shop.test'],
    [LINKED, 'notdocs.test'],
    ['', 'docs.test'],
    [`${LINKED} data-require-consent="true"`, 'docs.test'],
  ] as const) {
    const target = site.server.page('/next', host)
    site.server.setPage(
      `<!doctype html><title>Shop</title>${site.server.snippet(attributes)}<a id="go" href="${target}">Go</a>`,
    )
    const page = await site.tab()
    await page.goto(site.server.page())
    expect(
      await page.evaluate(() => {
        const link = document.getElementById('go') as HTMLAnchorElement
        link.addEventListener('click', event => event.preventDefault())
        link.click()
        return link.href
      }),
    ).toBe(target)
    await page.context().close()
  }
})

test('an id that is no anonymous id is removed from the address bar and not sent', async () => {
  const docs = await startDocs()
  try {
    for (const [i, id] of ['ada%40example.org', 'ada', 'anon_%3Cb%3E', ''].entries()) {
      const page = await site.tab()
      await page.goto(docs.page(`/?_aa=${id}`, 'docs.test'))
      expect(page.url()).toBe(docs.page('/', 'docs.test'))
      await site.leave(page)
      // A context that closes may cut off what its page still sends.
      await eventually(() => expect(docs.events()).toHaveLength(i + 1))
      await page.context().close()
    }
    expect(docs.identifies()).toEqual([])
  } finally {
    await docs.close()
  }
})

test('before the consent an arriving id waits, and the consent sends it once', async () => {
  site.server.setPage(
    `<!doctype html><title>Shop</title>${site.server.snippet(`${LINKED} data-require-consent="true" data-track-spa="true"`)}`,
  )
  const page = await site.tab()
  await page.goto(site.server.page('/?_aa=anon_other'))
  expect(page.url()).toBe(site.server.page('/'))
  expect(site.server.requests).toEqual([])
  await page.evaluate(() => window.aa!.grantConsent())
  await eventually(() => expect(site.server.identifies()).toMatchObject([{ previous_id: 'anon_other' }]))
  await eventually(() =>
    expect(site.server.events().map(({ event }) => event)).toEqual(['page_view', '$consent']),
  )
})
