import { setTimeout as sleep } from 'node:timers/promises'
import {
  GetFunctionConfigurationCommand,
  type LambdaClient,
  ListEventSourceMappingsCommand,
} from '@aws-sdk/client-lambda'
import { readProfile } from '#core/plans/profile'
import type { Stack } from '#rehearsal/stack'
import { eventually } from '#test/support/eventually'
import { startTrackingClient } from '#test/support/tracking-client'
import { type Check, expectEqual } from './check.ts'

/** A new account of AWS has this many. The deployment before this check has the option `concurrency=10`. */
const EXECUTIONS = 10
/** Streams that the owner tries to open. */
const STREAMS = 10
/** The two consumers and the scheduler. */
const BACKGROUND = 3
/** More senders than executions are left, so that some requests find none. */
const CLIENTS = 8

export const smallAccount: Check = {
  name: 'in an account with ten executions, ten streams and all workers leave room for tracking, and it loses no event',
  async act({ service, aws, stack, gate, patience }) {
    const { streams, workers } = await readShares(aws.lambda, stack)
    const left = EXECUTIONS - Math.min(STREAMS, streams) - workers - BACKGROUND
    if (left < 3) throw new Error(`Only ${left} executions are left for requests.`)
    const project = await service.createProject('small')
    const credentials = { base_url: service.baseUrl, project_token: project.project_token }
    gate.executions.leave(left)
    const clients = Array.from({ length: CLIENTS }, (_, i) =>
      startTrackingClient({ credentials, prefix: `small-${i}`, pauseMs: 5 }),
    )
    const countAcknowledged = () => clients.reduce((sum, { acknowledged }) => sum + acknowledged.size, 0)
    try {
      await eventually(() => expectEqual(countAcknowledged() > 300, true, 'tracking with few executions'), {
        timeoutMs: 120_000 * patience,
      })
      const refused = gate.executions.refused()
      if (refused === 0) throw new Error('No request has found all executions taken.')
      // Without the option ten streams would take all of them.
      gate.executions.leave(0)
      await sleep(1_000)
      const before = countAcknowledged()
      await sleep(2_000)
      expectEqual(countAcknowledged(), before, 'acknowledged events while no execution is left')
      gate.executions.leave(left)
      await Promise.all(clients.map(client => client.stop()))
      return async () => {
        const acknowledged = clients.flatMap(client => [...client.acknowledged]).toSorted()
        const stored = await service.waitForEvents(project, acknowledged.length)
        expectEqual(stored.map(({ event_id = '' }) => event_id).toSorted(), acknowledged, 'stored events')
        return `${left} of ${EXECUTIONS} executions for requests; ${acknowledged.length} events, ${refused} requests refused at first`
      }
    } finally {
      gate.executions.leave(Number.POSITIVE_INFINITY)
      await Promise.all(clients.map(client => client.stop()))
    }
  },
}

/** How many streams an account may open, and how many workers run at the same time, as deployed. */
async function readShares(
  lambda: LambdaClient,
  { functions }: Stack,
): Promise<{ streams: number; workers: number }> {
  const { Environment } = await lambda.send(
    new GetFunctionConfigurationCommand({ FunctionName: functions.stream.name }),
  )
  const { PROFILE, LIMITS = '' } = Environment?.Variables ?? {}
  const { EventSourceMappings: [mapping] = [] } = await lambda.send(
    new ListEventSourceMappingsCommand({ FunctionName: functions.jobs.name }),
  )
  return {
    streams: readProfile(PROFILE as 'own', LIMITS).open_streams,
    workers: mapping?.ScalingConfig?.MaximumConcurrency ?? EXECUTIONS,
  }
}
