import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { BrowserContext, BrowserContextOptions, Frame, Page } from 'playwright-core'
import { afterEach, beforeAll, expect } from 'vitest'
import { DEFAULTS, printAddress } from '#dashboard/url'
import type { ViewRow } from '#dashboard/views'
import { HUMAN_BROWSER, sharedBrowser } from '#test/support/browser'
import { type Service, startService } from '#test/support/service-process'

/**
 * What the tests of the dashboard share: one service with the demo traffic, one Chromium, and pages that note
 * whatever must not happen. The run ends the service, and Chromium ends with the process; a test that writes
 * uses a project of its own.
 */

export type Dashboard = {
  service: Service
  /** GET as the owner. Throws for another status than 200. */
  get<T>(path: string): Promise<T>
  post<T>(path: string, body: unknown, expected?: number): Promise<T>
  /** Opens an address in a new context, signed in as the owner unless `isSignedOut`. */
  open(path: string, options?: PageOptions): Promise<Page>
}

export type PageOptions = BrowserContextOptions & {
  isSignedOut?: boolean
  /** Runs before the address is opened, such as a route that answers in the place of the service. */
  prepare?(page: Page): Promise<unknown>
}

const SHARED = Symbol.for('footfall.dashboard')

async function start(seed: boolean): Promise<Service & { cookie: string }> {
  const service = await startService({ seed })
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
  const contexts = new Set<BrowserContext>()
  beforeAll(async () => {
    Object.assign(dashboard, await openDashboard(isAlone, contexts))
  })
  afterEach(async () => {
    await Promise.all([...contexts].map(context => context.close()))
    contexts.clear()
    expect(takeFaults()).toEqual([])
  })
  return dashboard
}

async function openDashboard(isAlone: boolean, contexts: Set<BrowserContext>): Promise<Dashboard> {
  const shared = globalThis as { [SHARED]?: ReturnType<typeof start> }
  const starting = isAlone ? start(false) : (shared[SHARED] ?? start(true))
  if (!isAlone) shared[SHARED] = starting
  const [service, browser] = await Promise.all([starting, sharedBrowser()])
  const headers = { 'X-API-Key': service.credentials.api_key }

  async function ask<T>(path: string, init: RequestInit, expected: number): Promise<T> {
    const response = await fetch(service.baseUrl + path, init)
    const text = await response.text()
    if (response.status !== expected) throw new Error(`${path}: ${response.status} ${text}`)
    return JSON.parse(text)
  }

  return {
    service,
    get: path => ask(path, { headers }, 200),
    post: (path, body, expected = 200) =>
      ask(path, { method: 'POST', headers, body: JSON.stringify(body) }, expected),
    async open(path, { isSignedOut = false, prepare, ...options } = {}) {
      const context = await browser.newContext({ ...HUMAN_BROWSER, baseURL: service.baseUrl, ...options })
      context.setDefaultTimeout(120_000)
      contexts.add(context)
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

/** The address of a view without anything chosen; that of a view of projects is of `project`. */
export function pathOfView({ name, of }: ViewRow, project = 'demo'): string {
  const place = { ...DEFAULTS, area: 'account', view: name } as const
  return printAddress({ ...place, project: of === 'project' ? project : null })
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
 * Violations of WCAG 2.2 A and AA that axe-core finds in the page, as rule and element. It checks all rules
 * in the light theme, and only the rules of colours in the dark theme.
 */
export async function violations(page: Page): Promise<string[]> {
  await page.emulateMedia({ colorScheme: 'light' })
  const light = await violationsAsShown(page)
  await page.emulateMedia({ colorScheme: 'dark' })
  const dark = await violationsAsShown(page, RULES_OF_COLOURS)
  return [...light, ...dark.map(each => `dark: ${each}`)]
}

/** Violations that axe-core finds in the theme that the page has. */
export async function violationsAsShown(page: Page | Frame, runOnly: object = ALL_RULES): Promise<string[]> {
  await page.evaluate(AXE)
  return page.evaluate(
    async options => {
      const { axe } = window as unknown as { axe: { run(options: object): Promise<AxeResult> } }
      const found = await axe.run(options)
      return found.violations.flatMap(({ id, nodes }) =>
        nodes.map(({ html }) => `${id}: ${html.slice(0, 160)}`),
      )
    },
    // Without resultTypes axe also describes every element that passes a rule.
    { runOnly, resultTypes: ['violations'] },
  )
}

type AxeResult = { violations: { id: string; nodes: { html: string }[] }[] }
