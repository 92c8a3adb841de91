import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { runJourneys } from './journeys.ts'
import { createLedger, table } from './ledger.ts'
import { createClosers, openWorld } from './world.ts'

// npm run rehearse: the whole service on one machine, from the very code that is deployed to AWS.

const { values: options } = parseArgs({ options: { keep: { type: 'boolean' } } })
const ledger = createLedger()
const closers = createClosers()

let interrupted = false
process.on('SIGINT', () => {
  if (interrupted) process.exit(130)
  interrupted = true
  console.error('\nending … (Ctrl-C again: at once)')
  void closers.closeAll().then(() => process.exit(130))
})

try {
  const world = await openWorld(ledger, closers)
  if (options.keep) {
    console.log(JSON.stringify(world.file, null, 2), world.stack, world.ministack, world.folder)
    await sleep(2 ** 31 - 1)
  }
  await ledger.check('the journeys of npm start, through the deployed service', async () => {
    const count = await runJourneys(world.file, world.folder)
    return `${count} tests`
  })
} catch (error) {
  console.error(error)
} finally {
  await closers.closeAll()
}
console.log(`\n${table(ledger.entries)}`)
process.exitCode = ledger.entries.length > 0 && ledger.entries.every(({ passed }) => passed) ? 0 : 1
