import { setTimeout as sleep } from 'node:timers/promises'
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { GetEventSourceMappingCommand, GetFunctionConcurrencyCommand } from '@aws-sdk/client-lambda'
import { DeleteObjectCommand, HeadObjectCommand } from '@aws-sdk/client-s3'
import { createS3Lake } from '#aws/lake'
import { restoreService } from '#lib/restore/restore-service'
import { readServiceResources } from '#lib/restore/service-resources'
import { createWait } from '#lib/restore/wait'
import { REGION } from '#rehearsal/cdk'
import type { Stack } from '#rehearsal/stack'
import type { World } from '#rehearsal/world'
import { tables } from '#schemas/columns'
import { eventually } from '#test/support/eventually'
import { callsOf } from './adopt.ts'
import { expectEqual } from './check.ts'

/** Nothing takes minutes here, so no wait does. */
const LONGEST_WAIT_MS = 2_000

/** An event waits for the consumer, and for Trino on two cores. */
const VISIBLE_MS = 5 * 60_000

/**
 * Erases a user, deletes segments and the list of erased users, and restores the service to the moment
 * between the two: the events of the user do not come back, though the files that have them do. The
 * emulator's point-in-time recovery copies the table as it is, so this shows the steps and the rights, and
 * not how the table was earlier: test/docs/restore.test.ts does that.
 */
export async function restoreMoment(world: World, stack: Stack): Promise<string> {
  const { aws, gate, patience } = world
  const resources = await readServiceResources(aws.cloudFormation, stack.name)
  const { bucket: Bucket } = resources
  const call = callsOf(world, stack)
  const usersOf = async (project: string) => {
    const { body } = await call(`/events?project=${project}&since=1d`)
    return (body.events as { user_id: string }[]).map(({ user_id }) => user_id).toSorted()
  }
  const project = await eraseOneOfTwo(call, usersOf, patience)
  const erasedBefore = await projectWithErasure(call)
  // The consumer of the new stack has read the whole stream again, after the erasure was complete.
  const remaining = ['bob']
  expectEqual(await usersOf(erasedBefore), remaining, 'users of the project of an earlier erasure')

  const lake = createS3Lake({ client: aws.s3, bucket: Bucket })
  const segments = (await lake.list('segments/')).map(({ key }) => key).slice(0, 8)
  if (segments.length === 0) throw new Error('There is no segment to delete.')
  const tombstones = (await lake.list(`${tables.tombstones.prefix}/`)).map(({ key }) => key)
  if (tombstones.length === 0) throw new Error('There is no list of erased users to delete.')
  const keys = [...segments, ...tombstones]
  // S3 keeps whole seconds.
  const moment = new Date()
  await sleep(1_100)
  for (const Key of keys) await aws.s3.send(new DeleteObjectCommand({ Bucket, Key }))
  const { stoppedSeconds, seconds, found } = await restoreService(
    {
      ...aws,
      // The client of the service converts items, and its scans have no pages.
      dynamo: new DynamoDBClient({
        endpoint: gate.endpoint,
        region: REGION,
        credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
      }),
      wait: createWait(ms => sleep(Math.min(ms, LONGEST_WAIT_MS))),
      now: Date.now,
      print: () => {},
    },
    resources,
    moment,
  )
  for (const Key of keys) await aws.s3.send(new HeadObjectCommand({ Bucket, Key }))
  for (const UUID of resources.mappings) {
    const { State } = await aws.lambda.send(new GetEventSourceMappingCommand({ UUID }))
    expectEqual(State, 'Enabled', `state of the mapping ${UUID}`)
  }
  const { ReservedConcurrentExecutions } = await aws.lambda.send(
    new GetFunctionConcurrencyCommand({ FunctionName: resources.scheduler }),
  )
  expectEqual(ReservedConcurrentExecutions, undefined, 'reserved executions of the scheduler')
  expectEqual(found.lost.segments, 0, 'lost segments')
  expectEqual(await usersOf(project), ['stays'], 'users of the project whose other user was erased')
  expectEqual(await usersOf(erasedBefore), remaining, 'users of that project after the restoration')
  return `${segments.length} segments and ${tombstones.length} lists of erased users; ${Math.round(seconds)} s, of which everything stood still for ${Math.round(stoppedSeconds)} s`
}

type Call = ReturnType<typeof callsOf>

/** Creates a project with two users, erases one of them, and returns its id. */
async function eraseOneOfTwo(
  call: Call,
  usersOf: (project: string) => Promise<string[]>,
  patience: number,
): Promise<string> {
  const post = (path: string, body: unknown) => call(path, { method: 'POST', body: JSON.stringify(body) })
  const { body } = await post('/projects', { name: 'restored' })
  const { id, project_token: token } = body as { id: string; project_token: string }
  for (const user_id of ['gone', 'stays'])
    expectEqual((await post('/track', { token, event: 'seen', user_id })).status, 202, 'status of an event')
  await eventually(async () => expectEqual(await usersOf(id), ['gone', 'stays'], 'users'), {
    timeoutMs: VISIBLE_MS * patience,
    everyMs: 2_000,
  })
  const erased = await call(`/users/gone?project=${id}`, { method: 'DELETE' })
  expectEqual(erased.status, 202, 'status of the erasure')
  expectEqual(await usersOf(id), ['stays'], 'users after the erasure')
  return id
}

/** The project of live-person-erased.ts, whose erasure is complete. */
async function projectWithErasure(call: Call): Promise<string> {
  const { body } = await call('/projects')
  const found = (body.projects as { id: string; name: string }[]).find(({ name }) =>
    name.startsWith('person-'),
  )
  if (found === undefined) throw new Error('There is no project with an earlier erasure.')
  return found.id
}
