import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { KNOWN_GAPS } from './known-gaps.ts'
import { createLedger, table } from './ledger.ts'
import { rehearse } from './rehearse.ts'
import { createClosers, openWorld } from './world.ts'

// npm run rehearse: the whole service on one machine, from the very code that is deployed to AWS.
//   -- --keep   brings it up, prints how it is reached, and leaves it up until Ctrl-C

const { values: options } = parseArgs({ options: { keep: { type: 'boolean' } } })
const started = performance.now()
const ledger = createLedger()
const closers = createClosers()

let interrupted = false
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    if (interrupted) process.exit(130)
    interrupted = true
    console.error('\nending … (Ctrl-C again: at once)')
    void closers.closeAll().then(() => process.exit(130))
  })
}

try {
  const world = await openWorld(ledger, closers)
  if (options.keep) {
    console.log(`It is up, until Ctrl-C. A file for FOOTFALL_DEPLOYMENT, by which the journeys find it:\n`)
    console.log(JSON.stringify(world.file, null, 2))
    console.log(`\n${JSON.stringify(world.stack, null, 2)}\nIts log: ${world.ministack.logFile}`)
    await sleep(2 ** 31 - 1)
  }
  await rehearse(world, ledger)
} catch (error) {
  // A step that failed stands in the table.
  if (ledger.entries.every(({ passed }) => passed)) throw error
} finally {
  await closers.closeAll()
}
console.log(`\n${table(ledger.entries)} in ${Math.round((performance.now() - started) / 1_000)} s`)
console.log(`\nNot shown by this:\n${KNOWN_GAPS.map(line => `  - ${line}`).join('\n')}`)
process.exitCode = ledger.entries.every(({ passed }) => passed) ? 0 : 1
