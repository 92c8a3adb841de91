import type { World } from '#rehearsal/world'
import { expectEqual } from './check.ts'
import { readRetainedData } from './retained-data.ts'

/** `cdk destroy` deletes the stack, and the retained data stays unchanged. */
export async function destroy({ aws, stack, cdk, consumer, service }: World): Promise<string> {
  await consumer.stop()
  const before = await readRetainedData(aws, stack)
  await cdk.destroy()
  const after = await readRetainedData(aws, stack)
  expectEqual(after.records, before.records, 'records of the stream')
  // Maintenance may have added objects and items until the end.
  const remainingObjects = new Set(after.objects)
  expectEqual(
    before.objects.filter(object => !remainingObjects.has(object)),
    [],
    'missing objects',
  )
  if (after.items < before.items) throw new Error(`Only ${after.items} of ${before.items} items are left.`)
  const response = await service.call('/projects')
  if (response.status < 400) throw new Error(`The deleted service still answers ${response.status}.`)
  return `${after.objects.length} objects, ${after.items} items and ${after.records.length} records of the stream stay`
}
