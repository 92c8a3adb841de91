import { expect, test } from 'vitest'
import { useDrawings } from './drawn-view.ts'

/** What a view shows when there is no answer, or not yet, or not of everything. */

const drawings = useDrawings()

const refused = (status: number, error: string, message: string) =>
  Promise.resolve(Response.json({ error, message }, { status }))

/** Refuses the reads of some paths. */
const refusing = (paths: readonly string[], ...why: Parameters<typeof refused>) => ({
  answer: ({ pathname }: URL) => (paths.includes(pathname) ? refused(...why) : undefined),
})

test('a view that has no answer yet shows no number, and says that it is loading', async () => {
  const page = await drawings.draw('/app/p/demo', { isWaiting: true })
  expect(page.all('main [aria-busy="true"]').length).toBeGreaterThan(0)
  expect(page.text()).toContain('Loading')
  expect(page.all('.num')).toEqual([])
  // A short wait shows nothing: the bars come when it is long.
  expect(page.all('.skeleton.slow')).toEqual([])
})

test('where one answer fails, the others are shown, and its panel says what is wrong', async () => {
  const page = await drawings.draw('/app/p/demo?range=7d', {
    answer: ({ pathname }, _, { body }) =>
      pathname === '/query' && JSON.parse(String(body)).group_by[0] === 'country'
        ? refused(500, 'INTERNAL', 'Try again later.')
        : undefined,
  })
  expect(page.region('Places')).toContain('Something failed')
  expect(page.region('Places')).toContain('Try again later.')
  expect(page.tile('visitors')).toMatch(/\d/)
  expect(page.cells('Pages by visitors').length).toBeGreaterThan(0)
})

test('where several answers fail for one reason, the view says it once, and their panels have no numbers yet', async () => {
  const page = await drawings.draw(
    '/app/p/demo?range=7d',
    refusing(['/query'], 500, 'INTERNAL', 'It failed.'),
  )
  const alerts = page.texts('main [role="alert"]').filter(text => text.includes('It failed.'))
  expect(alerts).toEqual(['Something failedIt failed.Try again'])
  for (const panel of ['Pages', 'Places', 'Devices']) expect(page.region(panel)).toContain('No numbers yet.')
  expect(page.tile('visitors')).toMatch(/\d/)
})

test.each([
  [400, 'VALIDATION_ERROR', 'The service cannot answer this', ''],
  [403, 'FORBIDDEN', 'You may not see this', 'Somebody who may'],
  [403, 'PRO_REQUIRED', 'This is part of the Pro plan', 'Upgrade the account'],
  [404, 'NOT_FOUND', 'This does not exist', 'All sites'],
  [429, 'RATE_LIMITED', 'Too many reads', 'Trying again by itself'],
  [503, 'STARTING', 'The service does not answer', 'Trying again by itself'],
])('status %i with %s says what it means, why, and what to do', async (status, code, title, advice) => {
  const page = await drawings.draw('/app/p/demo', refusing(['/stats', '/query'], status, code, 'Its reason.'))
  const note = page.texts('[role="alert"]').find(text => text.includes(title))
  expect(note).toContain('Its reason.')
  expect(note).toContain(advice)
})

test('a known answer stays when it cannot be asked again, and says that it is from before', async () => {
  let isStarting = false
  const { answer } = refusing(['/stats'], 503, 'STARTING', 'The service starts.')
  const page = await drawings.draw('/app/p/demo?range=7d', {
    answer: url => (isStarting ? answer(url) : undefined),
  })
  isStarting = true
  const later = await page.askAgain()
  expect(later.text('.stale')).toBe('The service starts. These numbers are from before.')
  expect(later.tile('visitors')).toBe(page.tile('visitors'))
})

test('offline, a view that was not asked before says so', async () => {
  const page = await drawings.draw('/app/p/demo', { isOffline: true })
  expect(page.text()).toContain('You are offline')
  expect(page.text()).toContain('The numbers come when the connection is back.')
})

test('a project without events in the range says where its events are', async () => {
  const page = await drawings.draw('/app/p/demo?from=2020-01-01&to=2020-01-02')
  expect(page.text()).toContain('No events in this range')
  const [link] = page.all('main .note.empty a')
  const whole = await drawings.draw(link?.attribs.href ?? '')
  expect(whole.tile('visitors')).toMatch(/[1-9]/)
})

test('a view that the dashboard does not have, and a project that does not exist, are said', async () => {
  expect((await drawings.draw('/app/p/demo/nothing')).text()).toContain('The dashboard has no such view')
  expect((await drawings.draw('/app/p/none')).text()).toContain('This does not exist')
})
