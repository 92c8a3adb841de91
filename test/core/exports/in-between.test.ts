import { afterEach, expect, test } from 'vitest'
import { exportEntity } from '#core/exports/entities'
import type { Export, ExportJob } from '#core/exports/export'
import { utcDate } from '#core/time'
import { NOW } from '#test/support/random-history'
import { fakeWriter, oneEvent } from './fake-events.ts'
import { type Opened, openEmpty } from './opened-exports.ts'

/** What happens while a run is between the read of its events and their file. */

const DAYS = { [utcDate(NOW)]: 1 }

const open: Opened[] = []
afterEach(async () => {
  for (const each of open.splice(0)) await each.close()
})

/** An export whose first run does `meanwhile` before its file. */
async function runWith(meanwhile: (opened: Opened, job: ExportJob) => Promise<unknown>) {
  let isFirst = true
  const beforeFile = async () => {
    if (!isFirst) return
    isFirst = false
    await meanwhile(opened, job)
  }
  const opened = await openEmpty({ engine: oneEvent(DAYS), writer: fakeWriter(DAYS, 4, beforeFile) })
  open.push(opened)
  const { id } = await opened.exports.start(opened.project, opened.account, { datasets: ['events'] })
  const job = opened.jobs.shift() as ExportJob
  await opened.worker.run(job)
  await opened.runAll()
  const made = await opened.store.find({ account_id: 'acc_1', id })
  const stored = (await opened.objects.list('exports/')).map(({ key }) => key)
  return { opened, made, stored }
}

const start = ({ exports, project, account }: Opened) => exports.start(project, account, {})

test('of two runs at once the one that began last writes, and the other leaves nothing', async () => {
  const { made, stored } = await runWith(async ({ worker, runAll }, job) => {
    await worker.run({ ...job, takesOver: true })
    await runAll()
  })
  expect([made?.status, made?.files.map(({ rows }) => rows)]).toEqual(['done', [1]])
  expect(stored).toEqual([expect.stringContaining(String(made?.files[0]?.object))])
})

test('a second job of a run that is alive does nothing', async () => {
  const { made, stored } = await runWith(({ worker }, job) => worker.run(job))
  expect([made?.status, made?.files.length, stored.length]).toEqual(['done', 1, 1])
})

test('an export that is deleted while it runs leaves nothing, also no place and no entry of the list', async () => {
  const { opened, made, stored } = await runWith(async ({ exports, account }, { id }) =>
    exports.remove(await exports.read(id, account)),
  )
  expect([made, stored]).toEqual([null, []])
  expect((await opened.exports.list(opened.project, { limit: 1 })).exports).toEqual([])
  expect((await start(opened)).status).toBe('queued')
})

test('an export whose project is deleted while it runs has failed, and leaves no file', async () => {
  const { opened, made, stored } = await runWith(async ({ project }) =>
    Object.assign(project, { deleted_at: '2026-11-18' }),
  )
  expect([made?.status, made?.reason, made?.files, stored]).toEqual([
    ...['failed', 'The project was deleted.', [], []],
  ])
  expect((await opened.exports.list(opened.project, { limit: 1 })).exports).toMatchObject([
    { status: 'failed', bytes: 0 },
  ])
})

test('an export that is begun after another one has failed by an erasure is whole', async () => {
  const { opened, made, stored } = await runWith(async ({ erased }) => erased.push(NOW))
  expect([made?.status, stored]).toEqual(['failed', []])
  opened.clock.advance(10_000)
  const { id } = await start(opened)
  await opened.runAll()
  const again = (await opened.store.find({ account_id: 'acc_1', id })) as Export
  expect([again.status, again.reason]).toEqual(['done', undefined])
})

test('a place whose process was killed before it stored the export is free a minute later, and not before', async () => {
  const opened = await openEmpty()
  open.push(opened)
  const { id } = await start(opened)
  await opened.store.remove({ account_id: 'acc_1', id })
  await opened.upkeep.resumeAll()
  await expect(start(opened)).rejects.toMatchObject({ code: 'RATE_LIMITED' })
  opened.clock.advance(60_000)
  await opened.upkeep.resumeAll()
  expect((await start(opened)).status).toBe('queued')
})

test('the list has the end of an export whose run was killed before it wrote the summary, after maintenance', async () => {
  const opened = await openEmpty()
  open.push(opened)
  const { id } = await start(opened)
  const key = { account_id: 'acc_1', id }
  const done = { status: 'done', finished_at: NOW, days: '2026-11-17:3' } as const
  await exportEntity(opened.state).patch(key).set(done).go()
  const shown = async () => (await opened.exports.list(opened.project, { limit: 1 })).exports[0]
  expect((await shown())?.status).toBe('queued')
  await opened.upkeep.resumeAll()
  expect(await shown()).toMatchObject({ status: 'done', events: 3, first: '2026-11-17', last: '2026-11-17' })
  expect((await start(opened)).status).toBe('queued')
})
