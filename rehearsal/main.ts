import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { KNOWN_GAPS } from './known-gaps.ts'
import { createLedger, table } from './ledger.ts'
import { rehearse } from './rehearse.ts'
import { upgrade } from './upgrade.ts'
import { createClosers, openWorld } from './world.ts'

// `npm run rehearse` deploys the whole service to an emulator of AWS on this machine and checks it. With `--
// --keep` it only deploys, prints the addresses, and keeps the service running until Ctrl-C. With `-- --only
// TEXT` (several times) it runs the checks whose names have the text. Some need an earlier one: compaction
// needs the short epochs, adoption needs cdk destroy, and the restoration needs both and the erasure. With
// `-- --patience 5` all deadlines are five times as long, for a machine that is busy with other work.

const { values: options } = parseArgs({
  options: {
    keep: { type: 'boolean' },
    only: { type: 'string', multiple: true },
    upgrade: { type: 'boolean', default: false },
    patience: { type: 'string', default: '1' },
  },
})
const patience = Number(options.patience)
if (!Number.isInteger(patience) || patience < 1 || patience > 20)
  throw new Error('--patience takes a whole number from 1 to 20.')
const startMs = performance.now()
const ledger = createLedger(options.only)
const closers = createClosers()

let isEnding = false
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    if (isEnding) process.exit(130)
    isEnding = true
    console.error('\nStopping. Press Ctrl-C again to stop at once.')
    void closers.closeAll().then(() => process.exit(130))
  })
}

try {
  const world = await openWorld(ledger, closers, { patience, isUpgrade: options.upgrade })
  if (options.keep) {
    console.log(
      'The service runs until Ctrl-C. For the journeys, put this into a file and set FOOTFALL_DEPLOYMENT:\n',
    )
    console.log(JSON.stringify(world.file, null, 2))
    console.log(`\n${JSON.stringify(world.stack, null, 2)}\nLog file: ${world.ministack.logFile}`)
    await sleep(2 ** 31 - 1)
  }
  await (options.upgrade ? upgrade : rehearse)(world, ledger)
} catch (error) {
  // The table shows the error of a failed step.
  if (ledger.entries.every(({ passed }) => passed)) throw error
} finally {
  await closers.closeAll()
}
console.log(`\n${table(ledger.entries)} in ${Math.round((performance.now() - startMs) / 1_000)} s`)
console.log(`\nThe rehearsal does not test:\n${KNOWN_GAPS.map(line => `  - ${line}`).join('\n')}`)
process.exitCode = ledger.entries.every(({ passed }) => passed) ? 0 : 1
