import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { eventually } from '#test/support/eventually'
import { useTestSite } from './test-site.ts'

const site = useTestSite()
const FOLDER = new URL('../../../tracker/npm/', import.meta.url)

/** Opens a page that loads the tracker by the npm package, then runs `script` as a module. */
async function openPage(script: string, head = '') {
  const loader = (await readFile(new URL('index.js', FOLDER), 'utf8')).replaceAll('export ', '')
  const src = /src="([^"]*)"/.exec(site.server.snippet())![1]
  site.server.setPage(`<!doctype html>${head}<title>Shoes</title><body><script type="module">${loader}
    const src = '${src}'; ${script}</script>`)
  const page = await site.tab()
  await page.goto(site.server.page())
  return page
}

test('the package loads the tracker once, with its options, and makes the calls that came before it', async () => {
  const page = await openPage(`
    aa.set({ plan: 'pro' }); aa.track('early', { n: 1 })
    const options = { src, project: 'shop', token: 'aat_1', trackSpa: true, track404: false, trackScrollDepth: true }
    loadTracker(options); loadTracker(options)
    window.early = aa.getIdentity(); window.ours = aa`)
  await page.waitForFunction(() => window.aa)
  const [attributes, early] = await page.evaluate(() => {
    const scripts = [...document.querySelectorAll<HTMLElement>('script[data-token]')]
    return [scripts.map(({ dataset }) => ({ ...dataset })), (window as unknown as { early: unknown }).early]
  })
  expect(attributes).toEqual([
    {
      footfall: '',
      project: 'shop',
      token: 'aat_1',
      trackSpa: 'true',
      'track-404': 'false',
      trackScrollDepth: 'true',
    },
  ])
  expect(early).toBeNull()
  await page.evaluate(() => {
    history.pushState({}, '', '/a')
    const { ours } = window as unknown as { ours: NonNullable<typeof window.aa> }
    ours.track('late')
  })
  await site.leave(page)
  await eventually(() => expect(site.server.propertiesOf('late')).toHaveLength(1))
  expect(site.server.events().map(({ event, properties: { path, plan } }) => [event, path, plan])).toEqual(
    expect.arrayContaining([
      ['early', '/', 'pro'],
      ['page_view', '/a', 'pro'],
      ['late', '/a', 'pro'],
    ]),
  )
})

test('where the script cannot be loaded, and on a server, calls do nothing', async () => {
  const page = await openPage(
    `loadTracker({ src: '/missing.js', token: 't' }); aa.track('x'); window.ours = aa`,
  )
  // The server sends HTML there, which is no script.
  await eventually(() => expect(page.errors).toHaveLength(1))
  expect(
    await page.evaluate(() =>
      (window as unknown as { ours: NonNullable<typeof window.aa> }).ours.experiment('x', ['a']),
    ),
  ).toBeNull()
  const { aa, loadTracker } = await import('../../../tracker/npm/index.js')
  loadTracker({ src: 'https://stats.test/tracker.js', token: 't' })
  aa.track('x')
  expect(aa.getIdentity()).toBeNull()
})

test('the package has the methods of the tracker, and no code of it', async () => {
  const { aa } = await import('../../../tracker/npm/index.js')
  const page = await openPage(`loadTracker({ src, token: 'aat_1' })`)
  await page.waitForFunction(() => window.aa)
  const methods = await page.evaluate(() => Object.keys(window.aa!))
  expect(Object.keys(aa).toSorted()).toEqual(methods.toSorted())
  expect((await readFile(new URL('index.js', FOLDER))).length).toBeLessThan(2500)
})

const policy = (allowed: string) =>
  `<meta http-equiv="Content-Security-Policy" content="require-trusted-types-for 'script'; trusted-types ${allowed}">`

test.each([
  ['that allows the policy `footfall`', policy('footfall'), '', true],
  [
    'that has a default policy',
    policy('default'),
    `trustedTypes.createPolicy('default', { createScriptURL: url => url })`,
    true,
  ],
  ['that forbids every policy', policy("'none'"), '', false],
  ['whose own policy has the name', policy('footfall'), `trustedTypes.createPolicy('footfall', {})`, false],
])('under Trusted Types a page %s gets no exception', async (_, head, script, isLoaded) => {
  const page = await openPage(
    `${script}; aa.track('early'); loadTracker({ src, token: 'aat_1' }); loadTracker({ src, token: 'aat_1' }); aa.track('own'); window.isOver = true`,
    head,
  )
  const printed: string[] = []
  page.on('console', message => printed.push(message.text()))
  await page.reload()
  await page.waitForFunction(() => (window as unknown as { isOver?: boolean }).isOver)
  expect(page.errors).toEqual([])
  if (isLoaded) await page.waitForFunction(() => window.aa)
  expect(printed.filter(line => line.startsWith('Footfall:'))).toHaveLength(isLoaded ? 0 : 1)
})

test("where another library has the name `aa`, the package's calls reach the tracker", async () => {
  const page = await openPage(
    `window.aa = () => 'theirs'; loadTracker({ src, token: 'aat_1' }); aa.track('early'); window.ours = aa`,
  )
  await page.waitForFunction(() => window.footfall)
  await page.evaluate(() => (window as unknown as { ours: NonNullable<typeof window.aa> }).ours.track('late'))
  await site.leave(page)
  await eventually(() => expect(site.server.events()).toHaveLength(3))
  expect(page.errors).toEqual([])
})
