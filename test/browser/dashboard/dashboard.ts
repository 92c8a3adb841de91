import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { BrowserContext, BrowserContextOptions, Frame, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, expect } from 'vitest'
import { type Called, type OwnerCalls, ownerCalls } from '#test/dashboard/owner-calls'
import { valueOnceARun } from '#test/setup/once-a-run'
import { HUMAN_BROWSER, sharedBrowser } from '#test/support/browser'
import { type Service, type ServiceOptions, startService } from '#test/support/service-process'

/**
 * What the tests of the dashboard share: one service with the demo traffic for all files of the run, the
 * Chromium of the worker, and pages that note whatever must not happen. Files use the service at the same
 * time, so a test that writes uses a project of its own, and expects nothing of lists of the account but what
 * it has put there.
 */

export type Dashboard = OwnerCalls & {
  service: SignedIn
  /** Opens an address in a new context, signed in as the owner unless `isSignedOut`. */
  open(path: string, options?: PageOptions): Promise<Page>
  /**
   * Goes to an address in the page of the worker, which is signed in as the owner, and resolves when
   * everything is answered. A new context takes ten times as long. The page knows for some seconds what the
   * tests before have asked, and it loses its routes after the test.
   */
  visit(path: string): Promise<Page>
}

/** `output`: only of a service that is alone. */
type SignedIn = Called & { cookie: string; output?: Service['output'] }

export type PageOptions = BrowserContextOptions & {
  isSignedOut?: boolean
  /** Whether the page serves all tests of the file, which then go from view to view in it. Default: false. */
  isKept?: boolean
  /** Runs before the address is opened, such as a route that answers in the place of the service. */
  prepare?(page: Page): Promise<unknown>
}

/**
 * The queries of three workers. More of them wait for the service, and it refuses those that wait too long.
 */
const QUERY_CONCURRENCY = '8'

async function start(options: ServiceOptions): Promise<SignedIn> {
  const { baseUrl, credentials, output } = await startService({ ...options, isShared: true })
  const link = /\/setup\/(\S+)/.exec(output())?.[1] ?? ''
  const redeemed = await fetch(`${baseUrl}/setup/${link}`, {
    method: 'POST',
    redirect: 'manual',
    headers: { Origin: baseUrl, Accept: 'text/html' },
  })
  const cookie = redeemed.headers
    .getSetCookie()
    .find(each => /session/.test(each))
    ?.split(';')[0]
  if (cookie === undefined)
    throw new Error(`The setup link gave ${redeemed.status}: ${await redeemed.text()}`)
  return { baseUrl, credentials, cookie, output }
}

function demoService(): Promise<SignedIn> {
  return valueOnceARun('dashboard-service', async () => {
    const { output: _, ...service } = await start({ seed: true, env: { QUERY_CONCURRENCY } })
    return service
  })
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
    await Promise.all([...open].map(closeContext))
    open.clear()
    expect(takeFaults()).toEqual([])
  }
  beforeAll(async () => {
    Object.assign(dashboard, await openDashboard(isAlone, contexts))
  })
  afterEach(async ({ task }) => {
    const page = visiting.get(dashboard.service.baseUrl)
    // Who knows where a test that has failed leaves its page.
    if (task.result?.state === 'fail' && page !== undefined) {
      visiting.delete(dashboard.service.baseUrl)
      await closeContext(page.context())
    } else await page?.unrouteAll({ behavior: 'ignoreErrors' })
    await close(contexts.ofTest)
  })
  afterAll(() => close(contexts.kept))
  return dashboard
}

/**
 * Closes the pages of a context. An answer that a route of the test still makes then has no reader, and no
 * error.
 */
async function closeContext(context: BrowserContext): Promise<void> {
  const routed = [context, ...context.pages()]
  await Promise.all(routed.map(each => each.unrouteAll({ behavior: 'ignoreErrors' })))
  await context.close()
}

/** The page of this worker that goes from test to test, by the address of its service. */
const visiting = new Map<string, Page>()

type Contexts = Record<'kept' | 'ofTest', Set<BrowserContext>>

async function openDashboard(isAlone: boolean, contexts: Contexts): Promise<Dashboard> {
  const [service, browser] = await Promise.all([isAlone ? start({}) : demoService(), sharedBrowser()])

  async function newPage({ isSignedOut, ...options }: PageOptions): Promise<Page> {
    const context = await browser.newContext({ ...HUMAN_BROWSER, baseURL: service.baseUrl, ...options })
    context.setDefaultTimeout(120_000)
    if (!isSignedOut) {
      const [name = '', value = ''] = service.cookie.split('=')
      await context.addCookies([{ name, value, url: service.baseUrl }])
    }
    context.on('page', page => watch(page, service.baseUrl))
    return context.newPage()
  }

  return {
    service,
    ...ownerCalls(service),
    async open(path, { isKept = false, prepare, ...options } = {}) {
      const page = await newPage(options)
      const open = contexts[isKept ? 'kept' : 'ofTest']
      open.add(page.context())
      // A test may close it itself, and a closed context takes no call.
      page.context().on('close', () => open.delete(page.context()))
      await prepare?.(page)
      await page.goto(path)
      return page
    },
    async visit(path) {
      const known = visiting.get(service.baseUrl)
      const page = known === undefined || known.isClosed() ? await newPage({}) : known
      visiting.set(service.baseUrl, page)
      if (isAlone) contexts.kept.add(page.context())
      if (page === known) await goTo(page, path)
      else await page.goto(path).then(() => settled(page))
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
export async function goTo(page: Page, path: string): Promise<void> {
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
