import {
  GetFunctionConfigurationCommand,
  type LambdaClient,
  UpdateFunctionConfigurationCommand,
} from '@aws-sdk/client-lambda'
import { eventually } from '#test/support/eventually'
import { REGION } from '../cdk.ts'
import { type Check, expectEqual } from './check.ts'

/** That of cdk bootstrap, which is there. The functions' roles have no right to it: that they fail shows that rights count. */
const FORBIDDEN = `cdk-hnb659fds-assets-000000000000-${REGION}`
/** Failures that are waited for: the batch is cut in halves and tried again by then. */
const FAILURES = 4

export const brokenConsumer: Check = {
  name: 'a consumer that may not write to its bucket for a while loses nothing',
  async act({ service, aws, stack, consumer }) {
    const project = await service.newProject('broken')
    const { name } = stack.functions.lake
    const failedBefore = consumer.calls.failed + consumer.calls.partial
    const restore = await withVariable(aws.lambda, name, 'BUCKET_NAME', FORBIDDEN)
    try {
      for (let i = 0; i < 5; i++) {
        const events = Array.from({ length: 3 }, (_, n) => ({ event: 'kept', event_id: `kept-${i}-${n}` }))
        expectEqual((await service.send(project, events)).status, 202, 'the answer')
      }
      await eventually(
        () => {
          const failures = consumer.calls.failed + consumer.calls.partial - failedBefore
          if (failures < FAILURES) throw new Error(`${failures} failures until now`)
        },
        { timeoutMs: 240_000, everyMs: 500 },
      )
    } finally {
      await restore()
    }
    return async () => {
      const stored = await service.untilStored(project, 15)
      expectEqual(new Set(stored.map(({ event_id }) => event_id)).size, 15, 'different events')
      expectEqual(consumer.givenUp(), 0, 'records that were given up')
      return `after ${consumer.calls.failed + consumer.calls.partial - failedBefore} failed calls`
    }
  },
}

/** Sets one variable of a function; the returned function sets it back. */
async function withVariable(client: LambdaClient, FunctionName: string, name: string, value: string) {
  const { Environment } = await client.send(new GetFunctionConfigurationCommand({ FunctionName }))
  const Variables = Environment?.Variables ?? {}
  const set = async (variables: Record<string, string>) => {
    await client.send(
      new UpdateFunctionConfigurationCommand({ FunctionName, Environment: { Variables: variables } }),
    )
    await eventually(async () => {
      const { LastUpdateStatus } = await client.send(new GetFunctionConfigurationCommand({ FunctionName }))
      if (LastUpdateStatus !== 'Successful') throw new Error(`the function's update is ${LastUpdateStatus}`)
    })
  }
  await set({ ...Variables, [name]: value })
  return () => set(Variables)
}
