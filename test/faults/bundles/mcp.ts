import { describe, expect, test } from 'vitest'
import type { HttpEvent, HttpResult } from '#test/support/lambda-events'
import type { Deployed } from './deployed.ts'
import { parseBody, statsEvent } from './http-functions.ts'

/** The tools of the Model Context Protocol, in the function that AWS runs. */
export function mcp(deployed: () => Deployed): void {
  describe('the function of MCP', () => {
    const call = (method: string, params: object, key?: string) => {
      const event = statsEvent(deployed(), (event: HttpEvent) => {
        Object.assign(event, { routeKey: 'POST /mcp', rawPath: '/mcp', rawQueryString: '' })
        event.requestContext.http.method = 'POST'
        event.body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params })
        if (key !== undefined) event.headers['x-api-key'] = key
      })
      return deployed().service.invoke<HttpResult>('mcp', event)
    }

    test('lists its tools', async () => {
      const response = await call('tools/list', {})
      expect(response.statusCode).toBe(200)
      // An API key only reads, so it does not see the two that write.
      expect(parseBody(response).result.tools).toHaveLength(6)
    })

    test('has the page of charts', async () => {
      const { result } = parseBody(await call('resources/read', { uri: 'ui://footfall/report.html' }))
      expect(result.contents[0].text).toContain('<main id="view">')
    })

    test('answers a report from the lake', async () => {
      const args = { project: 'website', since: '1d' }
      const { result } = parseBody(await call('tools/call', { name: 'query', arguments: args }))
      expect(result).toMatchObject({
        content: [{ text: expect.stringMatching(/people|person/) }],
        structuredContent: { receipt: { cost_usd: expect.any(Number) } },
      })
      expect(result.isError).toBeUndefined()
    })

    test('refuses an unknown key, with the address of its metadata in the body', async () => {
      const response = await call('tools/list', {}, `aak_${'0'.repeat(80)}`)
      expect([response.statusCode, parseBody(response).resource_metadata]).toEqual([
        401,
        expect.stringContaining('/.well-known/oauth-protected-resource/mcp'),
      ])
    })
  })
}
