import { expect, test } from 'vitest'
import type { CallCommand } from '#cli/command'
import { scan } from '#cli/commands/scan'

const call = (args: Record<string, string>, options: Record<string, unknown>) =>
  (scan as CallCommand).call({ args, options })

test('an address begins an analysis, and --resume shows one or makes it a full one', () => {
  expect(call({ URL: 'https://example.com' }, { project: 'shop', full: true })).toEqual({
    endpoint: 'POST /cli/website-scans',
    body: { url: 'https://example.com', project: 'shop', full: true, focus: undefined },
  })
  const resume = 'scan_1'
  expect(call({}, { resume, resumeToken: 'rst_1' })).toEqual({
    endpoint: 'GET /website-scans/{id}',
    path: { id: 'scan_1' },
    query: { resume_token: 'rst_1' },
  })
  expect(call({}, { resume, full: true, project: 'shop' })).toEqual({
    endpoint: 'POST /website-scans/{id}/upgrade',
    path: { id: 'scan_1' },
    body: { resume_token: undefined, project: 'shop' },
  })
})

test.each([
  [{}, {}],
  [{ URL: 'https://example.com' }, { resume: 'scan_1' }],
])('neither or both of them are an error that says what to do', (args, options) => {
  expect(() => call(args as never, options)).toThrow('Give the address of a website, or --resume')
})

test('a site whose events the project does not take is named, and one that it takes is not', () => {
  const answer = (change: object | null) =>
    ({
      ...{ analysis_id: 'scan_1', normalized_url: 'https://example.com/', status: 'running', mode: 'full' },
      agent_handoff: { prompt: 'Wait.' },
      site_origin: { origin: 'https://www.example.com', is_allowed: change === null, change },
    }) as never
  const change = { body: { allowed_origins: 'https://example.com,https://www.example.com' } }
  const text = (of: object | null) =>
    JSON.stringify((scan as CallCommand).print?.(answer(of) as never, {} as never) ?? '')
  expect(text(change)).toContain('The project takes no events from https://www.example.com')
  expect(text(null)).not.toContain('takes no events')
})
