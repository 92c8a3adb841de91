import type { Lake } from '#core/ports'

/** The simulated compactor writes no rollups, so the listing adds them to the files of events. */
export function withRollups(lake: Lake): Lake {
  return {
    ...lake,
    async list(prefix) {
      const eventsPrefix = prefix.replace(/^segments\/(sessions|activity)\//, 'segments/events/')
      const objects = await lake.list(eventsPrefix)
      return objects.map(({ key, size }) => ({ key: key.replace(eventsPrefix, prefix), size }))
    },
  }
}
