import { readFileSync, writeFileSync } from 'node:fs'
import { createDynamoClient, createS3Client } from '#aws/clients'
import { createS3Lake } from '#aws/lake'
import { promote } from '#core/promote/promote'
import { promotionTexts } from '#core/promote/texts'
import { openSource } from '#local/promote/source'
import { systemClock } from '#providers/system-clock'

/**
 * Promotes a folder in a process of its own, into a table and a bucket of emulators and a stack that is a
 * file. With KILL_AT it is killed with SIGKILL before its action of that number: a request to the target, or
 * a note in the folder. Prints how it ended, and writes the number of its actions to the file ACTIONS.
 */

const { DATA, TABLE = '', BUCKET = '', STACK = '', KILL_AT, ACTIONS = '' } = process.env
let actions = 0

function act(): void {
  actions += 1
  if (actions === Number(KILL_AT)) process.kill(process.pid, 'SIGKILL')
}

/** Counts each call of a method. */
function counted<T extends object>(target: T): T {
  return new Proxy(target, {
    get(object, name) {
      const value = Reflect.get(object, name)
      if (typeof value !== 'function') return value
      return (...args: unknown[]) => {
        act()
        return value.apply(object, args)
      }
    },
  })
}

const readStack = () => JSON.parse(readFileSync(STACK, 'utf8')) as { emailKey: string; calls: string[] }
function changeStack(call: string, changes: object = {}): void {
  const stack = readStack()
  writeFileSync(STACK, JSON.stringify({ ...stack, ...changes, calls: [...stack.calls, call] }))
}

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
      areStopped: async () => (readStack() as { isStopped?: boolean }).isStopped === true,
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
writeFileSync(ACTIONS, String(actions))
console.log(ending)
