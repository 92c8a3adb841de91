import { expect, test } from 'vitest'
import type { BotRecord } from '#core/ingest/record'
import { countRecords } from '#core/lake/consume/counts'

test('requests of a bot are counted by the UTC date and the quarter of an hour of their arrival', () => {
  const at = (time: string): BotRecord => ({
    kind: 'bots',
    project_id: 'p',
    account_id: 'a',
    received_at: Date.parse(`2026-11-${time}Z`),
    category: 'ai_agent',
    actor: 'GPTBot',
    dropped: 3,
    rules_version: '1',
  })
  const { bots } = countRecords(
    ['20T23:59:59.999', '21T00:00', '21T00:14:59.999', '21T00:15', '21T23:45'].map(at),
  )
  expect(bots.map(({ day, quarter, requests, dropped }) => [day, quarter, requests, dropped])).toEqual([
    ['2026-11-20', 95, 1, 3],
    ['2026-11-21', 0, 2, 6],
    ['2026-11-21', 1, 1, 3],
    ['2026-11-21', 95, 1, 3],
  ])
})
