import type { DayCounts } from '#core/exports/export'
import type { ExportWriter } from '#core/exports/export-writer'
import { eventColumns } from '#schemas/columns'
import { NOW } from '#test/support/random-history'

const ROW = Object.fromEntries(eventColumns.map(({ name }) => [name, null]))

/** An engine that counts these days, and has one event, of now, for each read of events. */
export function oneEvent(days: DayCounts) {
  return {
    rows: async ({ text }: { text: string }) =>
      text.includes('AS counted GROUP BY date')
        ? Object.entries(days).map(([day, events]) => ({ day, events }))
        : [{ ...ROW, event: 'signup', sent_at: NOW, lag_s: 0, seq: 1 }],
  }
}

/**
 * A writer of files of so many bytes, whose events have these days. `beforeFile`: what each file waits for.
 */
export function fakeWriter(days: DayCounts, bytes: number, beforeFile = async () => {}): ExportWriter {
  return {
    withFolder(work) {
      let rows = 0
      return work({
        async add(events) {
          rows += events.length
        },
        added: () => ({ rows, bytes: rows }),
        async takeEvents() {
          await beforeFile()
          return { rows, bytes: new Uint8Array(bytes) }
        },
        keepEvents: async () => {},
        countDays: async () => days,
        async *filesOf() {},
      })
    },
  }
}
