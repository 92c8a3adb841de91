import type { Browser, Page } from 'playwright-core'
import { beforeAll, expect, test } from 'vitest'
import { sharedBrowser } from '#test/support/browser'
import { eventually } from '#test/support/eventually'
import {
  CORPUS_PAGE,
  corpus,
  expectWholeCorpus,
  fillCorpusPage,
  findLeaks,
  useCorpus,
} from './corpus-page.ts'
import { openPage, recorderScript, startRecording } from './recorded-page.ts'

let browser: Browser
beforeAll(async () => {
  browser = await sharedBrowser()
})

async function openCorpusPage(): Promise<Page> {
  const page = await openPage(browser, CORPUS_PAGE.html, CORPUS_PAGE.path)
  await fillCorpusPage(page)
  return page
}

test('the corpus has 200 different secrets of 25 kinds', () => {
  expect(new Set(corpus.map(({ text }) => text)).size).toBe(200)
  expect(new Set(corpus.map(({ kind }) => kind)).size).toBe(25)
})

test.each(['inputs', 'text'] as const)(
  'with the preset %s none of 200 typed, shown, added or changed secrets is in what the recorder emits',
  async preset => {
    const page = await openCorpusPage()
    const recording = await startRecording(page, { preset })
    // The frame is recorded a moment after the page.
    await eventually(async () =>
      expect((await recording.recorded()).events.join()).toContain('"isAttachIframe":true'),
    )
    await useCorpus(page)
    await eventually(async () => expectWholeCorpus((await recording.recorded()).events.join()))
    const { events, ends } = await recording.recorded()
    expect(ends).toEqual([])
    const leaks = findLeaks(events.join('\n'))
    expect(leaks.map(({ kind, text }) => `${kind}: ${text}`)).toEqual([])
    // What is shown without a secret stays, so that the recording is of use.
    expect(events.join().includes('Write to')).toBe(preset === 'inputs')
    await page.context().close()
  },
)

test('the library alone with its masking of all inputs emits most of the secrets, so the search finds what is there', async () => {
  const page = await openCorpusPage()
  await page.evaluate(await recorderScript('library'))
  await page.evaluate(() => {
    const events: string[] = []
    const { record } = (globalThis as unknown as { recorder: typeof import('@rrweb/record') }).recorder
    record({ emit: event => events.push(JSON.stringify(event)), maskAllInputs: true })
    // The build begins without one.
    record.takeFullSnapshot()
    Object.assign(globalThis, { events })
  })
  await useCorpus(page)
  const read = () => page.evaluate(() => (globalThis as unknown as { events: string[] }).events)
  await eventually(async () => expectWholeCorpus((await read()).join()))
  const events = await read()
  const kinds = new Set(findLeaks(events.join('\n')).map(({ kind }) => kind))
  expect(findLeaks(events.join('\n')).length).toBeGreaterThan(120)
  expect(kinds).toContain('hidden value')
  expect(kinds).toContain('revealed password')
  await page.context().close()
})
