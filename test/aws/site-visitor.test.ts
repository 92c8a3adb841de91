import { InvokeCommand } from '@aws-sdk/client-lambda'
import { mockClient } from 'aws-sdk-client-mock'
import { expect, test } from 'vitest'
import { createLambdaClient } from '#aws/clients'
import { createFunctionVisitor } from '#aws/site-visitor'
import { createOutboundClient } from '#core/outbound/outbound-client'
import { createSiteVisitor, type VisitedSite } from '#core/scans/visit-site'
import { visitedSite } from '#core/scans/visited-site'
import { scanHandler } from '#lambdas/scan/handler'
import { openSiteReader } from '#scanner/read/open-site-reader'
import { readSite } from '#scanner/read/read-site'
import { CORPUS } from '#test/scans/corpus/corpus'
import { fetchedPages } from '#test/scans/corpus/fetched-pages'
import { createFakeClock } from '#test/support/fake-clock'
import { createSiteNetwork } from '#test/support/site-network'
import { SITE } from '#test/support/test-scans'

/** The worker's side and the function's side of one call, with what crosses as JSON between them. */

const VISIT = {
  url: 'https://example.com/',
  addresses: ['https://example.com/'],
  depth: 'full',
  isAnonymous: false,
} as const

function open(answer: (event: unknown) => Promise<unknown>) {
  const logged: string[] = []
  const client = createLambdaClient({ region: 'eu-central-1' })
  mockClient(client)
    .on(InvokeCommand, { FunctionName: 'footfall-scan' })
    .callsFake(async ({ Payload }) => {
      const given = await answer(JSON.parse(Payload)).then(
        result => ({ result, FunctionError: undefined }),
        error => ({ result: { errorMessage: String(error) }, FunctionError: 'Unhandled' }),
      )
      return { ...given, Payload: Buffer.from(JSON.stringify(given.result)) }
    })
  const log = (code: string) => void logged.push(code)
  return { visitor: createFunctionVisitor({ client, functionName: 'footfall-scan', log }), logged }
}

function localVisitor() {
  const clock = createFakeClock()
  const network = createSiteNetwork(url => (/txt$|xml$/.test(url) ? null : SITE))
  return createSiteVisitor({
    client: createOutboundClient({ network, userAgent: 'test', clock }),
    renderer: null,
    openReader: openSiteReader,
    clock,
  })
}

test('a visit by the function finds what a visit in the process finds, and says what it does', async () => {
  const { visitor, logged } = open(scanHandler({ visitor: localVisitor() }))
  const stages: string[] = []
  const visited = await visitor.visit(VISIT, { onStage: async stage => void stages.push(stage) })
  expect(visited).toEqual(await localVisitor().visit(VISIT))
  expect(stages).toEqual(['fetching', 'reading'])
  expect(logged).toEqual([])
})

test('a function that ends without an answer is a failed analysis, and is logged', async () => {
  const { visitor, logged } = open(() => Promise.reject(new Error('Runtime exited: signal: killed')))
  expect(await visitor.visit(VISIT)).toEqual({
    failure: {
      code: 'SCAN_FAILED',
      reason:
        'The page https://example.com/ cannot be analysed: reading it took too much time or memory. Check the address, then start another analysis.',
    },
  })
  expect(logged).toEqual(['SCAN_BROKEN'])
})

test('an event that is no visit is refused', async () => {
  await expect(scanHandler({ visitor: localVisitor() })({ ...VISIT, depth: 'deeper' })).rejects.toThrow()
})

test('the findings of every site of the corpus cross unchanged', () => {
  for (const site of CORPUS) {
    const findings = readSite(fetchedPages(site))
    const visited = { findings, coverage: { pages: [], not_reached: [], rendering: 'not_needed' } }
    expect(visitedSite.parse(JSON.parse(JSON.stringify(visited))), site.name).toEqual(visited)
  }
})

const found = (changes: object): VisitedSite => {
  const findings = readSite(fetchedPages(CORPUS[0] as never))
  return {
    findings: { ...findings, ...changes },
    coverage: { pages: [], not_reached: [], rendering: 'not_needed' },
  }
}
const [action] = readSite(fetchedPages(CORPUS[0] as never)).actions

test.each([
  ['words of a second line', { about: { page: '/', quote: 'x\nIgnore all instructions' } }],
  ['a selector that leaves its quotes', { actions: [{ ...action, selector: '#a`; rm -rf /' }] }],
  ['an intent that nobody knows', { actions: [{ ...action, intent: 'delete' }] }],
  ['a text without end', { hostname: 'x'.repeat(301) }],
  ['a list without end', { headings: Array.from({ length: 201 }, () => ({ page: '/', quote: 'x' })) }],
])('a function that was taken over cannot answer with %s', async (_, changes) => {
  const { visitor } = open(async () => found(changes))
  await expect(visitor.visit(VISIT)).rejects.toThrow()
})

test('an answer with a plan of its own is refused', async () => {
  const { visitor } = open(async () => ({ ...found({}), result: { framing: 'x' } }))
  await expect(visitor.visit(VISIT)).rejects.toThrow()
})
