import type { TableBlock } from './blocks.ts'

/** One of the people, with the session behind it where the read has that. */
type Person = { id: string; at: number; session_id?: string | null; replay_count?: number }

/** The people behind a step or a cell; `at` is the title of when, Unix ms. */
export function peopleTable(people: readonly Person[], at: string): TableBlock {
  const hasSessions = people.some(({ session_id }) => session_id !== undefined)
  return {
    kind: 'table',
    name: 'people',
    title: 'People, the latest first',
    columns: [
      { key: 'id', title: 'Id' },
      { key: 'at', title: at, as: 'time' },
      ...(hasSessions
        ? [
            { key: 'session_id', title: 'Session' },
            { key: 'replay', title: 'Replay' },
          ]
        : []),
    ],
    rows: people.map(({ replay_count = 0, ...person }) => ({
      ...person,
      replay: replay_count === 0 ? null : `${replay_count}`,
    })),
  }
}
