import type { TableBlock } from './blocks.ts'

/** The people behind a step or a cell; `at` is the title of when, Unix ms. */
export function peopleTable(people: readonly { id: string; at: number }[], at: string): TableBlock {
  return {
    kind: 'table',
    name: 'people',
    title: 'People, the latest first',
    columns: [
      { key: 'id', title: 'Id' },
      { key: 'at', title: at, as: 'time' },
    ],
    rows: people,
  }
}
