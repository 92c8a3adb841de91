import { setTimeout as sleep } from 'node:timers/promises'
import { conditionHeld } from '#core/state/state-table'
import { connectState } from '#local/state/state'

/**
 * A process or thread that writes items until it is ended. Arguments: path, number n, size in bytes. It
 * writes the items k<n+1>, k<n+2> … of that size. It prints the number of each acknowledged item, and
 * `failed` for each refused one.
 */
const [, , path = '', from = '0', bytes = '0'] = process.argv
const { client, table, deleteExpired } = connectState(path)
const content = 'x'.repeat(Number(bytes))
for (let n = Number(from) + 1; ; n++) {
  const isWritten = await conditionHeld(
    client.put({ TableName: table, Item: { pk: `k${n}`, sk: '-', n, content } }),
  ).catch(error => (error.code === 'UNAVAILABLE' ? false : Promise.reject(error)))
  process.stdout.write(isWritten ? `${n}\n` : 'failed\n')
  // As the pipeline does: what is in the log moves to the file, and the log begins again.
  if (!isWritten) await deleteExpired(0).catch(() => sleep(1))
}
