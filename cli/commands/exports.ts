import { createHash, type Hash } from 'node:crypto'
import { createReadStream, createWriteStream, existsSync, mkdirSync, renameSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { type Argument, type Command, callCommand, type Flag, NAME, type RunCommand } from '#cli/command'
import { CommandError } from '#cli/errors'
import type { Answer } from '#cli/http/endpoint'
import { advice, type Block, line } from '#cli/print/blocks'
import type { Session } from '#cli/run-context'

type Export = Answer<'GET /exports/{id}'>
type File = Export['files'][number]

const ID: Argument = { name: 'ID', help: 'id of the export: exp_…' }
const EXAMPLE_ID = 'exp_0123456789abcdef01234567'

const CREATE: readonly Flag[] = [
  { flags: '--since <date>', help: 'the first day in UTC: 7d, or 2026-11-01 (default: all events)' },
  { flags: '--until <date>', help: 'the last day (default: today)' },
  { flags: '--datasets <names>', help: 'some of events,sessions,people,views,context (default: all)' },
]

const create = callCommand<'POST /exports'>({
  name: 'exports create',
  group: 'Tools',
  effect: 'changes',
  args: [NAME],
  flags: CREATE,
  summary:
    'Lets the service make files of Parquet of a project: events, sessions and people; and JSON of the rest',
  example: 'exports create shop --since 30d --dry-run',
  call: ({ args, options: { since, until, datasets } }) => ({
    endpoint: 'POST /exports',
    body: { project: args.NAME, since, until, datasets },
  }),
  print: answer => [factsOf(answer), advice(`When it is done: footfall exports download ${answer.id}`)],
})

const list = callCommand<'GET /exports'>({
  name: 'exports list',
  group: 'Tools',
  args: [NAME],
  flags: [
    { flags: '--before <id>', parameter: 'before', help: 'the next page: the next_before of the last one' },
  ],
  summary: 'The exports of a project, which are kept for seven days',
  example: 'exports list shop',
  call: ({ args, options: { before } }) => ({
    endpoint: 'GET /exports',
    query: { project: args.NAME, before },
  }),
  print: ({ exports, next_before }) => [
    {
      kind: 'table',
      name: 'exports',
      columns: [
        { key: 'id', title: 'Id', as: 'id' },
        { key: 'status', title: 'Status' },
        { key: 'events', title: 'Events', as: 'count' },
        { key: 'bytes', title: 'Bytes', as: 'count' },
        { key: 'created_at', title: 'Begun (UTC)', as: 'time' },
      ],
      rows: exports,
    },
    ...(next_before === null ? [] : [line(`More: --before ${next_before}`)]),
  ],
})

const get = callCommand<'GET /exports/{id}'>({
  name: 'exports get',
  group: 'Tools',
  args: [ID],
  flags: [],
  summary: 'How far an export is, and its files',
  example: `exports get ${EXAMPLE_ID}`,
  call: ({ args }) => ({ endpoint: 'GET /exports/{id}', path: { id: args.ID as string } }),
  print: answer => [
    factsOf(answer),
    {
      kind: 'table',
      name: 'files',
      columns: [
        { key: 'name', title: 'File' },
        { key: 'rows', title: 'Rows', as: 'count' },
        { key: 'bytes', title: 'Bytes', as: 'count' },
      ],
      rows: answer.files,
    },
  ],
})

const remove = callCommand<'DELETE /exports/{id}'>({
  name: 'exports delete',
  group: 'Tools',
  effect: 'deletes',
  args: [ID],
  flags: [],
  summary: 'Deletes an export, or stops one that runs',
  example: `exports delete ${EXAMPLE_ID} --dry-run`,
  call: ({ args }) => ({ endpoint: 'DELETE /exports/{id}', path: { id: args.ID as string } }),
  print: ({ deleted }) => [{ kind: 'facts', facts: [['Deleted', deleted]] }],
})

const download: RunCommand = {
  name: 'exports download',
  group: 'Tools',
  effect: 'local',
  args: [ID],
  flags: [{ flags: '--into <folder>', required: true, help: 'the folder of the files, which may exist' }],
  summary: 'Downloads the files of an export that is done, and checks each by its SHA-256',
  example: `exports download ${EXAMPLE_ID} --into /tmp/shop-parquet`,
  async run({ args, options }, session) {
    const id = args.ID as string
    const into = resolve(String(options.into))
    const { answer, text } = await session.client({ endpoint: 'GET /exports/{id}', path: { id } })
    if (answer.status !== 'done') throw notDone(answer)
    mkdirSync(into, { recursive: true, mode: 0o700 })
    for (const file of answer.files)
      await session.during(`Downloading ${file.name}`, () => fetchFile(session, file, join(into, file.name)))
    session.print([factsOf(answer), { kind: 'facts', facts: [['Files are in', into]] }], text)
  },
}

/** Exports of events as Parquet. */
export const exportCommands: readonly Command[] = [create, list, get, download, remove]

function factsOf({ id, project, status, message, period, events, bytes }: Export): Block {
  return {
    kind: 'facts',
    facts: [
      ['Export', id],
      ['Project', project],
      ['Status', status],
      ...(message === null ? [] : [['Why', message] as const]),
      ...(period === null ? [] : [['Days (UTC)', `${period.from} to ${period.to}`] as const]),
      ['Events', events, 'count'],
      ['Bytes', bytes, 'count'],
    ],
  }
}

function notDone({ id, status, message }: Export): CommandError {
  return new CommandError({
    error: 'EXPORT_NOT_DONE',
    message: message ?? `The export is ${status}.`,
    suggested_action:
      status === 'failed'
        ? 'Make another one: footfall exports create NAME'
        : `Look again in some seconds: footfall exports get ${id}`,
  })
}

/**
 * Downloads a file, unless it is there already. It gets its name when it is whole. Throws CommandError when
 * it cannot be downloaded, or is not the file of the export.
 */
async function fetchFile({ io, ...session }: Session, file: File, path: string): Promise<void> {
  if (existsSync(path) && (await hashOf(path)) === file.sha256) return
  // An address that expires has its right in itself; its server must not see the credential.
  const token = file.url_expires_at === null ? await session.credential().token() : null
  const response = await io.fetch(file.url, {
    headers: token === null ? {} : { Authorization: `Bearer ${token}` },
    redirect: 'manual',
  })
  if (!response.ok || response.body === null) throw failed(file, `The answer was ${response.status}.`)
  const unfinished = `${path}.unfinished`
  const hash = createHash('sha256')
  await pipeline(
    Readable.fromWeb(response.body as Parameters<typeof Readable.fromWeb>[0]),
    hashing(hash),
    createWriteStream(unfinished, { mode: 0o600 }),
  )
  if (hash.digest('hex') !== file.sha256) throw failed(file, 'It is not the file that the service has made.')
  renameSync(unfinished, path)
}

function hashing(hash: Hash): Transform {
  return new Transform({
    transform(chunk, _, done) {
      hash.update(chunk)
      done(null, chunk)
    },
  })
}

async function hashOf(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const chunk of createReadStream(path)) hash.update(chunk)
  return hash.digest('hex')
}

function failed({ name }: File, why: string): CommandError {
  return new CommandError({
    error: 'DOWNLOAD_FAILED',
    message: `The file ${name} could not be downloaded. ${why}`,
    suggested_action: 'Run it again: files that are whole are not downloaded again.',
    retryable: true,
  })
}
