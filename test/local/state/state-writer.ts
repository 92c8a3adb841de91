import { conditionHeld } from '#core/state-table'
import { openState } from '#local/state/state'

/**
 * A process of its own: writes k<n> with so many bytes for n above the given number, prints each n once it is
 * acknowledged, and `failed` for each that was refused.
 */
const [, , folder = '', from = '0', bytes = '0'] = process.argv
const { client, table } = await openState(folder)
const filling = 'x'.repeat(Number(bytes))
for (let n = Number(from) + 1; ; n++) {
  const written = await conditionHeld(
    client.put({ TableName: table, Item: { pk: `k${n}`, sk: '-', n, filling } }),
  ).catch(error => (error.code === 'UNAVAILABLE' ? false : Promise.reject(error)))
  process.stdout.write(written ? `${n}\n` : 'failed\n')
}
