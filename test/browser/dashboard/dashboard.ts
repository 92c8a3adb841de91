import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { BrowserContext, BrowserContextOptions, Frame, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import { type OwnerCalls, ownerCalls } from '#test/dashboard/owner-calls'
import { HUMAN_BROWSER, sharedBrowser } from '#test/support/browser'
import { demoFolder } from '#test/support/demo-folder'
import { type Service, startService } from '#test/support/service-process'

/**
 * What the tests of the dashboard share: one service with the demo traffic, one Chromium, and pages that note
 * whatever must not happen. The run ends the service, and Chromium ends with the process; a test that writes
 * uses a project of its own.
 */

export type Dashboard = OwnerCalls & {
  service: Service
  /** Opens an address in a new context, signed in as the owner unless `isSignedOut`. */
  open(path: string, options?: PageOptions): Promise<Page>
}

export type PageOptions = BrowserContextOptions & {
  isSignedOut?: boolean
  /** Whether the page serves all tests of the file, which then go from view to view in it. Default: false. */
  isKept?: boolean
  /** Runs before the address is opened, such as a route that answers in the place of the service. */
  prepare?(page: Page): Promise<unknown>
}

const SHARED = Symbol.for('footfall.dashboard')

/** `demo`: a folder with its traffic; without one the project of the demo is empty. */
async function start(demo?: string): Promise<Service & { cookie: string }> {
  const service = await startService({ dataDir: demo, seed: demo !== undefined, isShared: true })
  const link = /\/setup\/(\S+)/.exec(service.output())?.[1] ?? ''
  const redeemed = await fetch(`${service.baseUrl}/setup/${link}`, {
    method: 'POST',
    redirect: 'manual',
    headers: { Origin: service.baseUrl, Accept: 'text/html' },
  })
  const cookie = redeemed.headers
    .getSetCookie()
    .find(each => /session/.test(each))
    ?.split(';')[0]
  if (cookie === undefined)
    throw new Error(`The setup link gave ${redeemed.status}: ${await redeemed.text()}`)
  return { ...service, cookie }
}

/** What pages of a test did that they must not do: violations of the policy, errors, requests to others. */
let faults: string[] = []

/**
 * Starts what the tests of a file share, closes the pages of each test at its end, and fails the test if they
 * broke the policy. `isAlone`: a service without traffic for this file alone, which may then change the
 * account. Each file calls it outside its tests: a hook that stands in this module would hold for the first
 * file of a process alone, because the files of a process share the module.
 */
export function useDashboard({ isAlone = false } = {}): Dashboard {
  const dashboard = {} as Dashboard
  const contexts: Contexts = { kept: new Set(), ofTest: new Set() }
  const close = async (open: Set<BrowserContext>) => {
    await Promise.all([...open].map(context => context.close()))
    open.clear()
    expect(takeFaults()).toEqual([])
  }
  beforeAll(async () => {
    Object.assign(dashboard, await openDashboard(isAlone, contexts))
  })
  afterEach(() => close(contexts.ofTest))
  afterAll(() => close(contexts.kept))
  return dashboard
}

type Contexts = Record<'kept' | 'ofTest', Set<BrowserContext>>

async function openDashboard(isAlone: boolean, contexts: Contexts): Promise<Dashboard> {
  const shared = globalThis as { [SHARED]?: ReturnType<typeof start> }
  const starting = isAlone ? start() : (shared[SHARED] ?? demoFolder({ isShared: true }).then(start))
  if (!isAlone) shared[SHARED] = starting
  const [service, browser] = await Promise.all([starting, sharedBrowser()])

  return {
    service,
    ...ownerCalls(service),
    async open(path, { isSignedOut = false, isKept = false, prepare, ...options } = {}) {
      const context = await browser.newContext({ ...HUMAN_BROWSER, baseURL: service.baseUrl, ...options })
      context.setDefaultTimeout(120_000)
      contexts[isKept ? 'kept' : 'ofTest'].add(context)
      if (!isSignedOut) {
        const [name = '', value = ''] = service.cookie.split('=')
        await context.addCookies([{ name, value, url: service.baseUrl }])
      }
      context.on('page', page => watch(page, service.baseUrl))
      const page = await context.newPage()
      await prepare?.(page)
      await page.goto(path)
      return page
    },
  }
}

/** What pages did that they must not do, for a test that wants it. It fails nothing then. */
export function takeFaults(): string[] {
  const found = faults
  faults = []
  return found
}

function watch(page: Page, baseUrl: string): void {
  page.on('console', message => {
    // Statuses of the service are in the tests themselves.
    if (message.type() === 'error' && !/Failed to load resource/.test(message.text()))
      faults.push(message.text())
  })
  page.on('pageerror', error => faults.push(String(error)))
  page.on('request', request => {
    const url = request.url()
    if (!url.startsWith(baseUrl) && !/^(data|blob):/.test(url)) faults.push(`a request to ${url}`)
  })
}

/** Resolves when every panel of the page has its answer. */
export async function settled(page: Page): Promise<void> {
  await page.waitForFunction(
    () =>
      document.querySelector('main')?.children.length &&
      document.querySelector('main [aria-busy="true"]') === null,
  )
}

/** Goes to another address as a click on a link does, so that the page is not loaded again. */
export async function visit(page: Page, path: string): Promise<void> {
  await page.evaluate(href => {
    const link = document.createElement('a')
    link.href = href
    document.body.append(link)
    link.click()
    link.remove()
  }, path)
  await settled(page)
}

/** The cells of a table of the page, row by row. */
export function cells(page: Page, table: string): Promise<string[][]> {
  return page
    .getByRole('table', { name: table, exact: true })
    .locator('tbody tr')
    .evaluateAll(rows => rows.map(row => [...row.children].map(cell => cell.textContent?.trim() ?? '')))
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

const WCAG = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']
const ALL_RULES = { type: 'tag', values: WCAG }
/** What a theme can break: the same elements stand there in both. */
const RULES_OF_COLOURS = { type: 'rule', values: ['color-contrast', 'link-in-text-block'] }

/**
 * Violations of WCAG 2.2 A and AA that axe-core finds in the part of the page that `part` selects, as rule
 * and element. It checks all rules in the light theme, and only the rules of colours in the dark theme.
 */
export async function violations(page: Page, part = 'html'): Promise<string[]> {
  await page.emulateMedia({ colorScheme: 'light' })
  const light = await violationsAsShown(page, ALL_RULES, part)
  await page.emulateMedia({ colorScheme: 'dark' })
  const dark = await violationsAsShown(page, RULES_OF_COLOURS, part)
  return [...light, ...dark.map(each => `dark: ${each}`)]
}

/** Violations that axe-core finds in the theme that the page has. */
export async function violationsAsShown(
  page: Page | Frame,
  runOnly: object = ALL_RULES,
  part = 'html',
): Promise<string[]> {
  if (!(await page.evaluate(() => 'axe' in window))) await page.evaluate(AXE)
  return page.evaluate(
    async ([context, options]) => {
      const { axe } = window as unknown as { axe: { run(of: string, options: object): Promise<AxeResult> } }
      const found = await axe.run(context, options)
      return found.violations.flatMap(({ id, nodes }) =>
        nodes.map(({ html }) => `${id}: ${html.slice(0, 160)}`),
      )
    },
    // Without resultTypes axe also describes every element that passes a rule, and a selector of each takes
    // as long as the rules. It would also fetch the styles again.
    [part, { runOnly, resultTypes: ['violations'], selectors: false, preload: false }] as const,
  )
}

type AxeResult = { violations: { id: string; nodes: { html: string }[] }[] }
