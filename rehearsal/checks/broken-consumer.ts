import {
  GetFunctionConfigurationCommand,
  type LambdaClient,
  UpdateFunctionConfigurationCommand,
} from '@aws-sdk/client-lambda'
import { REGION } from '#rehearsal/cdk'
import { eventually } from '#test/support/eventually'
import { type Check, expectEqual } from './check.ts'

/**
 * The S3 bucket of `cdk bootstrap`. It exists, but the role of the function has no right to it, so writes
 * fail. This also shows that the emulator evaluates rights.
 */
const FORBIDDEN = `cdk-hnb659fds-assets-000000000000-${REGION}`
/** Failed calls to wait for. By then the poller has retried the batch in halves. */
const FAILURES = 4

export const brokenConsumer: Check = {
  name: 'a consumer without the right to write to its S3 bucket for a while loses no event',
  async act({ service, aws, stack, consumer, patience }) {
    const project = await service.createProject('broken')
    const { name } = stack.functions.lake
    const failedBefore = consumer.calls.failed + consumer.calls.partial
    const restore = await withVariable(aws.lambda, name, 'BUCKET_NAME', FORBIDDEN)
    try {
      for (let i = 0; i < 5; i++) {
        const events = Array.from({ length: 3 }, (_, n) => ({ event: 'kept', event_id: `kept-${i}-${n}` }))
        expectEqual((await service.send(project, events)).status, 202, 'the status')
      }
      await eventually(
        () => {
          const failures = consumer.calls.failed + consumer.calls.partial - failedBefore
          if (failures < FAILURES) throw new Error(`Only ${failures} calls have failed so far.`)
        },
        { timeoutMs: 240_000 * patience, everyMs: 500 },
      )
    } finally {
      await restore()
    }
    return async () => {
      const stored = await service.waitForEvents(project, 15)
      expectEqual(new Set(stored.map(({ event_id }) => event_id)).size, 15, 'different event ids')
      expectEqual(consumer.discardedRecords(), 0, 'discarded records')
      return `after ${consumer.calls.failed + consumer.calls.partial - failedBefore} failed calls`
    }
  },
}

/** Sets one variable of a function. The returned function restores the old value. */
async function withVariable(client: LambdaClient, FunctionName: string, name: string, value: string) {
  const { Environment } = await client.send(new GetFunctionConfigurationCommand({ FunctionName }))
  const Variables = Environment?.Variables ?? {}
  const set = async (variables: Record<string, string>) => {
    await client.send(
      new UpdateFunctionConfigurationCommand({ FunctionName, Environment: { Variables: variables } }),
    )
    await eventually(async () => {
      const { LastUpdateStatus } = await client.send(new GetFunctionConfigurationCommand({ FunctionName }))
      if (LastUpdateStatus !== 'Successful')
        throw new Error(`The update of the function has status ${LastUpdateStatus}.`)
    })
  }
  await set({ ...Variables, [name]: value })
  return () => set(Variables)
}
