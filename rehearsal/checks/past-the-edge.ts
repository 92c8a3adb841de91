import { type Check, expectEqual } from './check.ts'

const BROWSER = 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/140.0.0.0'

export const pastTheEdge: Check = {
  name: 'calls of the API past CloudFront are refused, with and without credentials and with a guessed key',
  async act({ gate, stack, service, file }) {
    const project = await service.createProject('past')
    const api = `${gate.endpoint}/_aws/execute-api/${stack.apiId}/$default`
    const headers = { 'X-API-Key': file.api_key, 'User-Agent': BROWSER }
    const body = JSON.stringify({ token: project.project_token, event: 'past' })
    const calls: [path: string, init: RequestInit][] = [
      ['/health', {}],
      ['/projects', { headers }],
      ['/projects', { headers: { ...headers, 'X-Footfall-Edge': 'a'.repeat(48) } }],
      ['/track', { method: 'POST', body, headers }],
      ['/nothing', {}],
    ]
    for (const [path, init] of calls) {
      const response = await fetch(api + path, init)
      const { error } = (await response.json()) as { error: string }
      expectEqual([response.status, error], [403, 'FORBIDDEN'], `response of ${path} past CloudFront`)
    }
    return async () => {
      expectEqual(await service.events(project), [], 'events that were sent past CloudFront')
      return `${calls.length} calls`
    }
  },
}
