import { createDynamoClient, createS3Client } from '#aws/clients'
import { createS3Lake } from '#aws/lake'
import { promote } from '#core/promote/promote'
import { promotionTexts } from '#core/promote/texts'
import { openSource } from '#local/promote/source'
import { systemClock } from '#providers/system-clock'
import { act, changeStack, counted, noteActions, readStack } from './counted-actions.ts'

/**
 * Promotes a folder in a process of its own, into a table and a bucket of emulators and a stack that is a
 * file (counted-actions.ts). Its actions are requests to the target and notes in the folder. Prints how it
 * ended.
 */

const { DATA, TABLE = '', BUCKET = '' } = process.env

const source = openSource({
  ...{ dataDir: DATA ?? '', target: TABLE, compactionMemoryMb: 256, clock: systemClock, log: () => {} },
})
const ending = await promote({
  source: {
    ...source,
    copied: counted(source.copied),
    retire: () => {
      act()
      source.retire()
      act()
    },
  },
  target: {
    state: { client: counted(createDynamoClient()), table: TABLE },
    lake: counted(createS3Lake({ client: createS3Client(), bucket: BUCKET })),
    catalog: { first: 1, last: 20_000 },
    texts: promotionTexts.stack,
    service: counted({
      readEmailKey: async () => readStack().emailKey,
      writeEmailKey: async (emailKey: string) => changeStack('key', { emailKey }),
      stopWriters: async () => changeStack('stop', { isStopped: true }),
      areStopped: async () => readStack().isStopped === true,
      reconcile: async () => {
        changeStack('reconcile')
        return { events: 0 }
      },
      startWriters: async () => changeStack('start', { isStopped: false }),
    }),
  },
  clock: systemClock,
  print: () => {},
})
source.close()
noteActions()
console.log(ending)
