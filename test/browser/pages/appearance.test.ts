import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { sharedBrowser } from '#test/support/browser'
import { OWNER_EMAIL, openPagesService, type PagesService } from '#test/support/pages-service'

let service: PagesService
let browser: Browser
let pages: Record<string, string>

beforeAll(async () => {
  ;[service, browser] = await Promise.all([openPagesService(), sharedBrowser()])
  const { request } = await startRequest()
  const approved = await startRequest()
  await service.authRequests.approve(approved.request.id, service.owner)
  await connectAgent()
  pages = {
    home: '/',
    'approval page': `/agent-sessions/authorize/${request.id}`,
    'page of a decided request': `/agent-sessions/authorize/${approved.request.id}`,
    account: '/settings',
    connections: '/settings/sessions',
    'API key': '/settings/api-key',
    deletion: '/settings/delete',
    upgrade: '/account/billing/agent-upgrade',
    'sign-in page': '/auth/sign-in?switch=1',
    'page of nothing': '/agent-sessions/authorize/req_0',
    'setup link': `/setup/${await service.setupLinks.issue(service.owner.id)}`,
  }
})
afterAll(() => service?.close())

const LONG_NAME =
  'A client with <b>a very long name</b> & without-any-blank-in-its-last-part-so-that-it-must-break'

function startRequest() {
  return service.authRequests.start({
    mode: 'detached',
    client_type: 'mcp',
    client_name: LONG_NAME,
    label: 'laptop',
    scopes: ['account:read', 'analytics:read', 'projects:write', 'live:read'],
  })
}

async function connectAgent() {
  const { request } = await startRequest()
  const { finish_code } = await service.authRequests.approve(request.id, service.owner)
  const won = await service.authRequests.exchange(request.id, finish_code ?? '', undefined)
  await service.agentSessions.issue(won.account_id, won.request)
}

async function open(options: BrowserContextOptions = {}): Promise<Page> {
  const context = await browser.newContext({
    viewport: { width: 360, height: 740 },
    baseURL: service.baseUrl,
    ...options,
  })
  return context.newPage()
}

async function openSignedIn(options?: BrowserContextOptions): Promise<Page> {
  const page = await open(options)
  const { token } = await service.browserSessions.create(service.owner.id)
  const name = `footfall-session-${new URL(service.baseUrl).port}`
  await page.context().addCookies([{ name, value: token, url: service.baseUrl }])
  return page
}

/** Runs in the page: what a reader must scroll sideways for, and text that is hard to see. */
const MEASURE = `(() => {
  const luminance = color => {
    const [r, g, b] = color.match(/[\\d.]+/g).map(Number).map(v => v / 255)
      .map(v => (v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4))
    return 0.2126 * r + 0.7152 * g + 0.0722 * b
  }
  const background = element => {
    for (let e = element; e; e = e.parentElement) {
      const color = getComputedStyle(e).backgroundColor
      if (!/, 0\\)$|transparent/.test(color)) return color
    }
    return 'rgb(255, 255, 255)'
  }
  const contrasts = [...document.querySelectorAll('body *')]
    .filter(e => e.checkVisibility() && [...e.childNodes].some(n => n.nodeType === 3 && n.data.trim() !== ''))
    .map(e => {
      const [a, b] = [luminance(getComputedStyle(e).color), luminance(background(e))].sort((x, y) => y - x)
      return { text: e.textContent.trim().slice(0, 30), contrast: (a + 0.05) / (b + 0.05) }
    })
  const small = [...document.querySelectorAll('main button, main .button, main input')]
    .filter(e => e.checkVisibility() && e.getBoundingClientRect().height < 44).map(e => e.outerHTML)
  return {
    overflow: document.documentElement.scrollWidth - innerWidth,
    headings: document.querySelectorAll('h1').length,
    language: document.documentElement.lang,
    unlabelled: [...document.querySelectorAll('input:not([type=hidden])')].filter(e => e.labels.length === 0).length,
    faint: contrasts.filter(({ contrast }) => contrast < 4.5),
    small,
  }
})()`
const READABLE = { overflow: 0, headings: 1, language: 'en', unlabelled: 0, faint: [], small: [] }

describe.each(['light', 'dark'] as const)('in the %s scheme', colorScheme => {
  test('every page is readable at 320, 360 and 1280 px', async () => {
    const owner = await openSignedIn({ colorScheme })
    const problems: Record<string, unknown> = {}
    const visitor = await open({ colorScheme })
    for (const [name, path] of Object.entries(pages)) {
      // Who has signed in is sent to the dashboard, which has tests of its own.
      const page = name === 'home' ? visitor : owner
      await page.goto(path)
      for (const width of [320, 360, 1280]) {
        await page.setViewportSize({ width, height: 740 })
        const found = await page.evaluate(MEASURE)
        if (JSON.stringify(found) !== JSON.stringify(READABLE)) problems[`${name} at ${width} px`] = found
      }
    }
    expect(problems).toEqual({})
    await Promise.all([owner, visitor].map(page => page.context().close()))
  })

  test('the page of the embedded provider is readable', async () => {
    const page = await open({ colorScheme })
    await page.goto('/auth/start/idp')
    expect(await page.evaluate(MEASURE)).toEqual(READABLE)
    await page.context().close()
  })
})

test('the approval page is under 20 KB and its first paint needs no other request', async () => {
  for (const page of [await open(), await openSignedIn()]) {
    const requests: string[] = []
    page.on('request', request => requests.push(request.url()))
    const response = await page.goto(pages['approval page'] as string)
    await page.waitForLoadState('networkidle')
    expect((await response?.body())?.length).toBeLessThan(20_000)
    expect(requests).toHaveLength(1)
    await page.context().close()
  }
})

test('every page has the strict policy, is not kept anywhere and not open to other sites', async () => {
  const page = await openSignedIn()
  for (const path of Object.values(pages)) {
    const response = await page.request.get(path, { headers: { Accept: 'text/html' } })
    const headers = response.headers()
    const policy = headers['content-security-policy'] ?? ''
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).toContain("base-uri 'none'")
    expect(policy).not.toMatch(/unsafe|\*/)
    expect(headers['cache-control']).toBe('no-store')
    expect(headers).not.toHaveProperty('access-control-allow-origin')
    const text = await response.text()
    expect(text).not.toMatch(/<script(?![^>]* src=)|\son\w+=|\sstyle=/)
    // Names come from clients.
    expect(text).not.toContain('<b>a very long name')
  }
  await page.context().close()
})

test('no page breaks its own policy', async () => {
  const page = await openSignedIn()
  const complaints: string[] = []
  page.on('console', message => {
    if (message.type() === 'error' && /Content Security Policy/.test(message.text()))
      complaints.push(message.text())
  })
  for (const path of Object.values(pages)) await page.goto(path)
  expect(complaints).toEqual([])
  await page.context().close()
})

test('the copy button copies the finish code where there is JavaScript, and is hidden without', async () => {
  const { request } = await startRequest()
  const page = await openSignedIn({ permissions: ['clipboard-read', 'clipboard-write'] })
  await page.goto(`/agent-sessions/authorize/${request.id}`)
  await page.getByLabel('The last four characters').fill(request.approval_code.slice(-4))
  await page.getByRole('button', { name: 'Approve', exact: true }).click()
  await page.getByRole('button', { name: 'Copy the code' }).click()
  await page.getByRole('status').waitFor()
  const copied = await page.evaluate<string>('navigator.clipboard.readText()')
  expect(copied).toBe(await page.textContent('#finish-code'))
  expect(copied).toMatch(/^aae_[0-9a-f]{64}$/)
  await page.context().close()

  const other = await startRequest()
  const plain = await openSignedIn({ javaScriptEnabled: false })
  await plain.goto(`/agent-sessions/authorize/${other.request.id}`)
  await plain.getByLabel('The last four characters').fill(other.request.approval_code.slice(-4))
  await plain.getByRole('button', { name: 'Approve', exact: true }).click()
  expect(await plain.getByRole('button', { name: 'Copy the code' }).isVisible()).toBe(false)
  await plain.context().close()
})

test('the API key is shown once, and the account is deleted only after its address was typed', async () => {
  const page = await openSignedIn({ javaScriptEnabled: false })
  await page.goto('/settings/api-key')
  await page.getByRole('button', { name: /API key/ }).click()
  const key = (await page.textContent('#api-key')) ?? ''
  expect((await service.accounts.byApiKey(key))?.id).toBe(service.owner.id)
  await page.goto('/settings/api-key')
  expect(await page.content()).not.toContain(key)

  await page.goto('/settings/delete')
  await page.getByLabel('Type your e-mail address').fill('else@example.com')
  await page.getByRole('button', { name: 'Delete the account' }).click()
  expect(service.deleted).toEqual([])
  await page.goto('/settings/delete')
  await page.getByLabel('Type your e-mail address').fill(OWNER_EMAIL)
  await page.getByRole('button', { name: 'Delete the account' }).click()
  expect(service.deleted).toEqual([service.owner.id])
  const { entries } = (await service.audit.list(service.owner.id, 100)) ?? { entries: [] }
  expect(entries.map(({ action }) => action)).toContain('api_key_issued')
  await page.context().close()
})
