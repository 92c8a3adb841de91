import { conditionHeld } from '#core/state-table'
import { openState } from '#local/state/state'

/**
 * A process that writes items until it is killed. Arguments: folder, number n, size in bytes. It writes the items k<n+1>,
 * k<n+2> … of that size. It prints the number of each acknowledged item, and `failed` for each refused one. Fourth argument: so
 * many readers query without a pause meanwhile.
 */
const [, , folder = '', from = '0', bytes = '0', readers = '0'] = process.argv
const { client, table } = await openState(folder)
const content = 'x'.repeat(Number(bytes))
for (let reader = 0; reader < Number(readers); reader++) void readForever()
for (let n = Number(from) + 1; ; n++) {
  const isWritten = await conditionHeld(
    client.put({ TableName: table, Item: { pk: `k${n}`, sk: '-', n, content } }),
  ).catch(error => (error.code === 'UNAVAILABLE' ? false : Promise.reject(error)))
  process.stdout.write(isWritten ? `${n}\n` : 'failed\n')
}

/** A read may fail while the store closes a file. It must not end the process. */
async function readForever(): Promise<never> {
  const query = { KeyConditionExpression: 'pk = :pk', ExpressionAttributeValues: { ':pk': 'k1' } }
  for (;;) await client.query({ TableName: table, ...query }).catch(() => {})
}
