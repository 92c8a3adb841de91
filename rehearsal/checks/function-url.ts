import { GetFunctionUrlConfigCommand } from '@aws-sdk/client-lambda'
import { COUNTRY } from '#rehearsal/world'
import { eventually } from '#test/support/eventually'
import { startTrackingClient } from '#test/support/tracking-client'
import { HUMAN_USER_AGENT } from '#test/support/user-agents'
import { type Check, expectEqual } from './check.ts'
import { NEW_OPTIONS } from './deploy-under-load.ts'

const ORIGIN = 'https://www.example.com'
/** CloudFront calls the function that takes events by its own address (docs/aws.md). */
const BY_URL = { ...NEW_OPTIONS, ingestion: 'function-url', concurrency: '1000' }

export const functionUrl: Check = {
  name: 'with ingestion=function-url events do not need API Gateway, browsers may send them, and calls past CloudFront are refused',
  async act({ service, aws, stack, gate, patience, redeploy }) {
    const project = await service.createProject('by-url')
    const credentials = { base_url: service.baseUrl, project_token: project.project_token }
    const client = startTrackingClient({ credentials, prefix: 'by-url', pauseMs: 20 })
    try {
      await redeploy(BY_URL)
      // Reads and API Gateway have no execution left: events reach their function all the same.
      gate.executions.leave(0)
      expectEqual((await service.call('/projects')).status, 503, 'status of a read without executions')
      const before = client.acknowledged.size
      await eventually(
        () => expectEqual(client.acknowledged.size > before + 100, true, 'tracking without the API'),
        { timeoutMs: 60_000 * patience },
      )
    } finally {
      gate.executions.leave(Number.POSITIVE_INFINITY)
      await client.stop()
    }
    const preflight = await service.call('/track', {
      method: 'OPTIONS',
      headers: {
        Origin: ORIGIN,
        'Access-Control-Request-Method': 'POST',
        'Access-Control-Request-Headers': 'content-type',
      },
    })
    expectEqual(
      [preflight.ok, preflight.headers.get('access-control-allow-origin') !== null],
      [true, true],
      'response to the question of a browser whether it may send',
    )
    const sent = await service.send(project, [{ event: 'beacon' }], {
      'Content-Type': 'text/plain',
      Origin: ORIGIN,
    })
    expectEqual(
      [sent.status, sent.headers.get('access-control-allow-origin') !== null],
      [202, true],
      'response to a beacon',
    )
    const { FunctionUrl = '' } = await aws.lambda.send(
      new GetFunctionUrlConfigCommand({ FunctionName: stack.functions.track.name }),
    )
    const id = new URL(FunctionUrl).hostname.split('.')[0]
    for (const key of [null, 'a'.repeat(48)]) {
      const response = await fetch(`${gate.endpoint}/_aws/lambda-url/${id}/track`, {
        method: 'POST',
        body: JSON.stringify({ token: project.project_token, event: 'past' }),
        headers: { 'User-Agent': HUMAN_USER_AGENT, ...(key !== null && { 'X-Footfall-Edge': key }) },
      })
      const { error } = (await response.json()) as { error: string }
      expectEqual([response.status, error], [403, 'FORBIDDEN'], 'response of the function past CloudFront')
    }
    return async () => {
      const count = client.acknowledged.size + 1
      const stored = await service.waitForEvents(project, count)
      expectEqual(
        stored.flatMap(({ event_id }) => event_id ?? []).toSorted(),
        [...client.acknowledged].toSorted(),
        'stored events',
      )
      expectEqual([...new Set(stored.map(({ country }) => country))], [COUNTRY], 'countries of the events')
      return `${count} events, also from before and during the deployment`
    }
  },
}
