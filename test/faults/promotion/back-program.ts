import { createDynamoClient, createKinesisClient, createS3Client } from '#aws/clients'
import { openStackSource } from '#aws/promoted-stack'
import { createKinesisStream } from '#aws/stream'
import { promote } from '#core/promote/promote'
import { openArrival } from '#local/promote/arrival'
import { openTarget } from '#local/promote/target'
import { systemClock } from '#providers/system-clock'
import { act, changeStack, counted, noteActions, readStack } from './counted-actions.ts'

/**
 * Moves a stack into a folder in a process of its own, from a table, an S3 bucket and a stream of emulators
 * and a stack that is a file (counted-actions.ts). Its actions are requests to the folder's state and lake,
 * reads of the stream, calls of the stack, and notes in the folder. Prints how it ended.
 */

const { DATA = '', TABLE = '', BUCKET = '', STREAM_ARN = '', IS_LAST } = process.env

const id = `table ${TABLE}`
const opened = openArrival(DATA, id)
const arrival = {
  ...opened,
  copied: counted(opened.copied),
  change: (changes: Parameters<typeof opened.change>[0]) => {
    act()
    opened.change(changes)
    act()
  },
}
const source = await openStackSource({
  ...{ id, state: { client: createDynamoClient(), table: TABLE }, s3: createS3Client(), bucket: BUCKET },
  stack: counted({
    readEmailKey: async () => readStack().emailKey,
    stopWriters: async () => changeStack('stop', { isStopped: true }),
    areStopped: async () => readStack().isStopped === true,
  }),
  ...{ copied: arrival.copied, isLast: IS_LAST === 'true', print: () => {} },
  stops: { wereSeen: () => arrival.note().is_stopped, note: () => arrival.change({ is_stopped: true }) },
})
const stream = createKinesisStream({ client: createKinesisClient(), streamArn: STREAM_ARN, log: () => {} })
const target = await openTarget({
  ...{ dataDir: DATA, arrival, stream: counted(stream), compactionMemoryMb: 256 },
  ...{ clock: systemClock, log: () => {} },
})
const ending = await promote({
  source,
  target: {
    ...target,
    state: { ...target.state, client: counted(target.state.client) },
    lake: counted(target.lake),
    service: counted(target.service),
  },
  clock: systemClock,
  print: () => {},
})
await target.close()
arrival.close()
noteActions()
console.log(ending)
