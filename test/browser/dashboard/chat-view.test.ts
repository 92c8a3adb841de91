import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Client } from '@modelcontextprotocol/client'
import type { Frame } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import type { Project } from '#core/projects/project'
import { attacks } from '#test/lambdas/mcp/attacks'
import { type Given, type McpService, openMcpService, textOf } from '#test/support/mcp-service'
import { type Host, type HostOptions, openHost } from './chat-host.ts'
import { violationsAsShown } from './dashboard.ts'

/** The page that chats show beside answers, in Chromium, as a host of MCP Apps shows it. */

const MAX_BYTES = 200 * 1024
const [HOUR, DAY] = [3_600_000, 24 * 3_600_000]

let service: McpService
let project: Project
let client: Client
let html: string
beforeAll(async () => {
  service = await openMcpService({ limits: 'pro.rate_limit_rpm=-1' })
  project = await service.createProject()
  const visits = Array.from({ length: 40 }, (_, i): Given[] => {
    const of = { user: `u${i}`, session: `s${i}` }
    const page = (path: string, at: number) => ({ ...of, event: 'page_view', at, properties: { path } })
    return [
      page('/', (i % 5) * DAY + 4 * HOUR),
      page(i % 2 === 0 ? '/pricing → annual' : '/docs', (i % 5) * DAY + 3 * HOUR),
      ...(i < 10 ? [{ ...of, event: 'signup', at: (i % 5) * DAY + 2 * HOUR }] : []),
      ...(i < 20 && i % 5 > 0 ? [{ ...of, session: `again${i}`, event: 'page_view', at: HOUR }] : []),
    ]
  }).flat()
  await service.fill([[project, visits]])
  client = await service.connect()
  const { contents } = await client.readResource({ uri: await viewOf('query') })
  html = (contents[0] as { text: string }).text
})
afterAll(() => service.close())

let hosts: Host[] = []
afterEach(async () => {
  const faults = hosts.flatMap(host => host.faults)
  for (const host of hosts) await host.close()
  hosts = []
  expect(faults).toEqual([])
})

async function open(options: HostOptions = {}): Promise<Host> {
  const host = await openHost(html, options)
  hosts.push(host)
  return host
}

/** The resource that the list of tools names for a tool. */
async function viewOf(name: string): Promise<string> {
  const { tools } = await client.listTools()
  const meta = tools.find(tool => tool.name === name)?._meta as { ui?: { resourceUri?: string } } | undefined
  return meta?.ui?.resourceUri ?? ''
}

const call = (name: string, args: object = {}) =>
  client.callTool({ name, arguments: { project: project.name, ...args } })

const textsOf = (frame: Frame, selector: string) =>
  frame.locator(selector).evaluateAll(found => found.map(each => each.textContent?.trim() ?? ''))

test('the report tools name one page, which is at most 200 KB and has the type of MCP Apps', async () => {
  const uris = await Promise.all(['query', 'journeys', 'changes'].map(viewOf))
  expect(new Set(uris)).toEqual(new Set(['ui://footfall/report.html']))
  expect(await viewOf('people')).toBe('')
  const { contents } = await client.readResource({ uri: 'ui://footfall/report.html' })
  expect(contents).toMatchObject([
    { mimeType: 'text/html;profile=mcp-app', uri: 'ui://footfall/report.html' },
  ])
  expect(Buffer.byteLength(html)).toBeLessThan(MAX_BYTES)
  const listed = (await client.listResources()).resources.find(({ uri }) => uri === uris[0])
  expect(listed).toMatchObject({ mimeType: 'text/html;profile=mcp-app', _meta: { ui: {} } })
})

test('the page greets its host by the revision of 2026-01-26 and says how high it is', async () => {
  const host = await open()
  const [first, second] = await host.received()
  expect(first).toMatchObject({ method: 'ui/initialize', params: { protocolVersion: '2026-01-26' } })
  expect(second).toMatchObject({ method: 'ui/notifications/initialized' })
  await host.show(await call('query'))
  const heights = async () =>
    (await host.received())
      .filter(({ method }) => method === 'ui/notifications/size-changed')
      .map(({ params }) => Number(params?.height))
  await expect.poll(async () => Math.max(0, ...(await heights()))).toBeGreaterThan(200)
})

test('the page answers a ping and its end, and refuses what it does not know', async () => {
  const host = await open()
  expect(await host.ask('ping')).toMatchObject({ result: {} })
  expect(await host.ask('ui/resource-teardown')).toMatchObject({ result: {} })
  expect(await host.ask('tools/list')).toMatchObject({ error: { code: -32_601 } })
})

describe('an answer', () => {
  test('with a series is drawn as a line, for people and for events', async () => {
    const host = await open()
    const result = await call('query', { since: '7d' })
    await host.show(result)
    expect(await textsOf(host.frame, 'h1')).toEqual([textOf(result).split('\n')[0]])
    const chart = host.frame.getByRole('img', { name: /^Unique users/ })
    expect(await chart.locator('path.stroke').getAttribute('d')).toMatch(/^M\d/)
    await host.frame.getByRole('button', { name: 'Total events' }).click()
    const events = host.frame.getByRole('img', { name: /^Total events/ })
    await events.press('End')
    await expect.poll(() => textsOf(host.frame, '.readout b')).toHaveLength(1)
  })

  test('of numbers by date is drawn as a line too', async () => {
    const host = await open()
    await host.show(await call('query', { metrics: ['session_count'], group_by: ['date'] }))
    expect(await host.frame.getByRole('img', { name: /^Session count/ }).count()).toBe(1)
  })

  test('with a funnel is drawn as its steps', async () => {
    const host = await open()
    const steps = [{ event: 'page_view' }, { event: 'signup' }]
    await host.show(await call('journeys', { kind: 'funnel', steps }))
    expect(await textsOf(host.frame, '.funnel .label')).toEqual(['page_view', 'signup'])
    expect(await textsOf(host.frame, '.funnel .step b')).toEqual(['40', '10'])
    expect(await textsOf(host.frame, '.funnel .rate')).toEqual(['100%', '25%'])
    expect(await textsOf(host.frame, '.funnel .lost')).toEqual([expect.stringContaining('30 lost')])
  })

  test('with retention is drawn as a grid', async () => {
    const host = await open()
    const result = await call('journeys', { kind: 'retention', period: 'day', cohorts: 5 })
    await host.show(result)
    const grid = host.frame.getByRole('table', { name: 'Retention', exact: true })
    const tables = (result.structuredContent as { tables: { rows: unknown[][] }[] }).tables
    expect(await grid.locator('tbody tr').count()).toBe(tables[0]?.rows.length)
    expect(await grid.locator('tbody td.number').allTextContents()).toContain('100%')
    expect(await grid.locator('tbody td.dark').count()).toBeGreaterThan(0)
  })

  test('with paths is drawn as a tree, whatever the names of pages hold', async () => {
    const host = await open()
    await host.show(await call('journeys', { kind: 'paths', goal: 'signup' }))
    const tree = host.frame.getByRole('region', { name: 'Paths', exact: true })
    const root = tree.locator('> ul > li > details')
    expect(await root.locator('> summary .label').allTextContents()).toContain('/')
    await expect
      .poll(() => root.first().locator('> ul > li .label').allTextContents())
      .toEqual(expect.arrayContaining(['/pricing → annual', '/docs']))
  })

  test('without a chart shows its table', async () => {
    const host = await open()
    await host.show(await call('changes', { since: '7d' }))
    expect(await host.frame.locator('details[open] table tbody tr').count()).toBeGreaterThan(0)
  })

  test('that was cut for the model is drawn whole', async () => {
    const host = await open()
    const result = await call('query', { since: '7d', interval: 'hour', max_tokens: 500 })
    expect(textOf(result)).toContain('Cut: series has')
    await host.show(result)
    const [labels] = await textsOf(host.frame, 'summary')
    const rows = Number(/([\d,]+) rows/.exec(labels ?? '')?.[1]?.replace(',', ''))
    expect(textOf(result)).toContain(`Cut: series has ${rows} rows`)
    expect(await textsOf(host.frame, '.notes')).not.toContain('Cut: series')
  })

  test('that a host hands on without its metadata is drawn as far as it goes, and says so', async () => {
    const host = await open()
    const { _meta, ...result } = await call('query', { since: '7d', interval: 'hour', max_tokens: 500 })
    expect(_meta).toBeDefined()
    await host.show(result)
    expect(await host.frame.getByRole('img').count()).toBe(1)
    expect((await textsOf(host.frame, '.notes')).join()).toContain('Cut: series has')
  })

  test('that is a refusal is shown as text', async () => {
    const host = await open()
    await host.show(await call('query', { report: 'nothing' }))
    expect(await textsOf(host.frame, 'main')).toEqual([expect.stringContaining('INVALID_ARGUMENTS')])
  })

  test('that was cancelled, or has no chart that this page knows, leaves no blank page', async () => {
    const host = await open()
    await host.notify('ui/notifications/tool-cancelled', { reason: 'the human' })
    await expect.poll(() => textsOf(host.frame, 'main')).toEqual(['The call was cancelled.'])
    const table = { name: 'rows', columns: ['a'], rows: [[1]], total_rows: 1, chart: 'constructor' }
    await host.show({ content: [], structuredContent: { summary: 'One.', counted: 'all', tables: [table] } })
    await expect.poll(() => textsOf(host.frame, 'h1')).toEqual(['One.'])
  })
})

describe('text of visitors', () => {
  test('is text, as the tools send it', async () => {
    const hostile = await service.createProject()
    const planted = attacks.map((attack, i) => ({ event: attack, user: `u${i}`, at: HOUR }))
    await service.fill([[hostile, planted]])
    const host = await open()
    const args = { project: hostile.name, group_by: ['event'], metrics: ['event_count'], max_tokens: 20_000 }
    await host.show(await client.callTool({ name: 'query', arguments: args }))
    expect(await host.frame.locator('tbody tr').count()).toBe(attacks.length)
    await expectNoMarkup(host)
  })

  test('is text, even if a service sent it as it is', async () => {
    const host = await open()
    const rows = attacks.map((attack, i) => [i + 1, attack, 40 - i, 1])
    const paths = attacks.map((attack, i) => [[attack], 90 - i, 1, 1])
    const tables = [
      { name: '<img src=x>', columns: ['step', 'event', 'users', '<b>x</b>'], rows, chart: 'funnel' },
      { name: 'ways', columns: ['way', 'sessions', 'conversions'], rows: paths, chart: 'paths' },
      {
        name: 'series',
        columns: ['bucket', '<i>y</i>'],
        rows: rows.map(row => row.slice(1)),
        chart: 'series',
      },
      {
        name: 'grid',
        columns: ['date', 'users', '0'],
        rows: rows.map(row => row.slice(1)),
        chart: 'retention',
      },
    ]
    const summary = '<script>document.title = 1</script>'
    await host.show({ content: [], structuredContent: { summary, counted: attacks.join(), tables } })
    expect(await textsOf(host.frame, 'h1')).toEqual([summary])
    await expectNoMarkup(host)
  })

  async function expectNoMarkup({ frame }: Host): Promise<void> {
    expect(await frame.locator('main').locator('img, a, script, iframe, style, link, b b, i').count()).toBe(0)
  }
})

test('the page reaches nothing, even if it wanted to', async () => {
  const reached: string[] = []
  const server = createServer(({ url = '' }, response) => {
    reached.push(url)
    response.end()
  })
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const host = await openHost(html)
  try {
    const refused = await host.frame.evaluate(async to => {
      const failed = (element: HTMLElement & { src: string }, path: string) =>
        new Promise(resolve => {
          element.onerror = () => resolve(path)
          element.onload = () => resolve('loaded')
          element.src = to + path
          document.body.append(element)
        })
      const style = document.createElement('link')
      return Promise.all([
        fetch(`${to}/fetch`).catch(() => '/fetch'),
        failed(document.createElement('img'), '/image'),
        failed(document.createElement('script'), '/script'),
        new Promise(resolve => {
          style.onerror = () => resolve('/style')
          style.rel = 'stylesheet'
          style.href = `${to}/style`
          document.head.append(style)
        }),
      ])
    }, address)
    expect(refused).toEqual(['/fetch', '/image', '/script', '/style'])
    expect(reached).toEqual([])
  } finally {
    await host.close()
    server.close()
  }
})

describe.each(['light', 'dark'] as const)('in a %s host', theme => {
  const other = theme === 'light' ? 'dark' : 'light'
  const background = (frame: Frame) => frame.evaluate(() => getComputedStyle(document.body).backgroundColor)
  const expected = theme === 'light' ? 'rgb(255, 255, 255)' : 'rgb(22, 26, 33)'

  test('the page has its colours, whatever the system has, and axe finds nothing', async () => {
    const host = await open({ theme, system: other })
    await host.show(await call('journeys', { kind: 'retention', period: 'day', cohorts: 5 }))
    expect(await background(host.frame)).toBe(expected)
    expect(await violationsAsShown(host.frame)).toEqual([])
  })

  test('that changes its colours later, the page follows', async () => {
    const host = await open({ theme: other })
    await host.notify('ui/notifications/host-context-changed', { theme })
    await expect.poll(() => background(host.frame)).toBe(expected)
  })
})

test('a host that says nothing of its colours gets those of the system', async () => {
  const host = await open({ system: 'dark' })
  const background = await host.frame.evaluate(() => getComputedStyle(document.body).backgroundColor)
  expect(background).toBe('rgb(22, 26, 33)')
})
