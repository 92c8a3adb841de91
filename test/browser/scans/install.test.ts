import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { judgeEvents } from '#core/scans/verify/judge-events'
import { advise } from '#scanner/advise/advise'
import { writeHandoff } from '#scanner/handoff/write-handoff'
import { readSite } from '#scanner/read/read-site'
import type { EventRow } from '#schemas/event'
import type { ScanResult } from '#schemas/website-scans'
import { CORPUS } from '#test/scans/corpus/corpus'
import type { CorpusSite } from '#test/scans/corpus/corpus-site'
import { fetchedPages } from '#test/scans/corpus/fetched-pages'
import { type ServedCorpus, serveCorpus } from '#test/scans/corpus/serve-corpus'
import { HUMAN_BROWSER, sharedBrowser } from '#test/support/browser'
import { type Deployment, sharedDeployment } from '#test/support/deployment'
import { eventually } from '#test/support/eventually'
import { applyChanges, changesOf } from './install-handoff.ts'

/**
 * The hand-off of fifteen sites is applied by a script that reads nothing but its text. Then a visitor uses
 * the elements, and the events arrive in a running service.
 */

/** Runs in the page. */
const HIDE_TAB = `
  Object.defineProperty(document, 'visibilityState', { value: 'hidden', configurable: true })
  document.dispatchEvent(new Event('visibilitychange', { bubbles: true }))`

/** Runs in the page: gives each field of a form that must have one a valid value. */
const fillForm = (selector: string) => `
  for (const field of document.querySelector(${JSON.stringify(selector)}).closest('form')?.elements ?? []) {
    const values = { email: 'ada@example.org', date: '2026-12-01', time: '12:00', number: '1', tel: '123', url: 'https://a.test/' }
    if (/^(radio|checkbox)$/.test(field.type)) field.checked = true
    else if (field.willValidate && 'value' in field && field.tagName !== 'BUTTON') field.value ||= values[field.type] ?? 'Text'
  }`

const SITES = [
  ...['ledgerly', 'leafandkettle', 'harbourletter', 'toolshed-rent', 'zahnarzt-am-markt'],
  ...['olio-ferrante', 'schichtwerk', 'bistrot-des-halles', 'salone-bianca', 'sourdough-forum'],
  ...['pulsewatch', 'idaholm-photo', 'kapsalon-de-schaar', 'northside-plumbing', 'camille-dessine'],
]

let service: Deployment
let browser: Browser
let served: ServedCorpus

beforeAll(async () => {
  service = await sharedDeployment()
  served = await serveCorpus(CORPUS)
  browser = await sharedBrowser({ url: service.publicUrl, tlsPort: service.tlsPort })
})

afterAll(async () => {
  await served?.close()
  await service?.close()
})

test.each(SITES)('the events of %s arrive once its hand-off is installed', async name => {
  const site = CORPUS.find(each => each.name === name) as CorpusSite
  const project = await service.createProject(name)
  const result = advise(readSite(fetchedPages(site)), { mode: 'full', project: project.name })
  const { prompt } = writeHandoff(result, {
    analysisId: 'scan_test',
    resumeToken: null,
    isOwned: true,
    baseUrl: service.publicUrl,
    project,
  })
  const changes = changesOf(prompt)
  expect(changes.length).toBeGreaterThanOrEqual(1)

  const editor = await browser.newContext({ javaScriptEnabled: true })
  const tab = await editor.newPage()
  for (const [path, own] of Map.groupBy(changes, ({ page }) => page)) {
    // The scripts of the sites are not served. What they would fetch is refused.
    await tab.route(/\.js|googletag|plausible|hotjar/, route => route.abort())
    await tab.goto(served.urlOf(name, path), { waitUntil: 'domcontentloaded' })
    served.replace(name, path, await applyChanges(tab, own, project.snippet))
  }
  await editor.close()

  for (const { page: path, selector, event } of changes) {
    const visitor = await browser.newContext(HUMAN_BROWSER)
    const page = await visitor.newPage()
    await page.goto(served.urlOf(name, path), { waitUntil: 'domcontentloaded' })
    await page.waitForFunction(
      'window.aa?.getIdentity?.() !== undefined && window.aa?.getIdentity?.() !== null',
    )
    // The browser refuses a form whose fields are not valid, and then no event is sent (U132).
    await page.evaluate(fillForm(selector))
    await page.locator(selector).click({ noWaitAfter: true })
    // The visitor looks at another tab, so the tracker sends what it has. The click may lead to another page
    // meanwhile, which ends the script of this one.
    await eventually(() => page.evaluate(HIDE_TAB))
    await eventually(async () => {
      expect((await service.events(project)).map(each => each.event)).toContain(event)
    })
    await visitor.close()
  }

  const events = await eventually(async () => {
    const rows = await service.events(project)
    const custom = rows.filter(({ event }) => event !== 'page_view').map(({ event }) => event)
    expect(custom.toSorted()).toEqual(changes.map(({ event }) => event).toSorted())
    return rows
  })
  for (const verdict of judgeEvents(
    installed(
      result,
      changes.map(({ event }) => event),
    ),
    received(events),
    { refused: [], pages: '', server: '' },
  )) {
    expect(verdict).toMatchObject({
      arrived: true,
      count: 1,
      missing_properties: [],
      warnings: [],
      fix: null,
    })
  }
  await runCalls(result, project.name)
})

/** Sends what the result tells an agent to send, as it stands. A refused call throws. */
async function runCalls(result: ScanResult, project: string): Promise<void> {
  for (const { method, path, body } of result.minimum_viable_instrumentation[0]?.example_calls ?? []) {
    await service.callJson(path, { method, body: body ?? undefined })
  }
  for (const { steps } of result.goal_driven_funnels) {
    await service.callJson('/funnel', { body: { project, steps } })
  }
  for (const { name, variants, success_event } of result.suggested_ab_tests) {
    await service.callJson('/experiments', { body: { project, name, variants, goal_event: success_event } })
  }
}

function installed({ minimum_viable_instrumentation }: ScanResult, events: readonly string[]) {
  return minimum_viable_instrumentation.filter(({ event }) => events.includes(event))
}

function received(events: readonly EventRow[]) {
  return {
    page_views: events.filter(({ event }) => event === 'page_view').length,
    events: [...Map.groupBy(events, ({ event }) => event)].map(([event, own]) => ({
      event,
      count: own.length,
      last_seen_at: own.at(-1)?.timestamp ?? null,
      from: [],
      properties: Object.fromEntries(Object.keys(own[0]?.properties ?? {}).map(key => [key, own.length])),
      after_page_view: 0,
      repeats: 0,
      is_used: null,
    })),
  }
}
