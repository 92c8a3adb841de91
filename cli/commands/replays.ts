import { type Argument, type Command, callCommand, type Flag, limit, NAME, parametersOf } from '#cli/command'
import type { Answer } from '#cli/http/endpoint'
import { type Block, line } from '#cli/print/blocks'

export const REPLAY: Argument = { name: 'ID', help: 'id of the replay: rpl_…' }
export const PROJECT: Flag = {
  flags: '--project <name>',
  parameter: 'project',
  help: 'only of this project (default: all)',
}

const LIST: readonly Flag[] = [
  PROJECT,
  { flags: '--session <id>', parameter: 'session_id', help: 'only of this session' },
  limit(20, 'replays'),
  { flags: '--before <cursor>', parameter: 'before', help: 'the next page: the next_before of the last one' },
]

const listReplays = callCommand<'GET /replays'>({
  name: 'replays list',
  group: 'Replays',
  args: [],
  flags: LIST,
  summary: 'Replays, newest first',
  example: 'replays list --limit 5',
  call: input => ({ endpoint: 'GET /replays', query: parametersOf(LIST, input) }),
  print: ({ replays, next_before }) => [
    {
      kind: 'table',
      name: 'replays',
      columns: [
        { key: 'started_at', title: 'Start', as: 'time' },
        { key: 'id', title: 'Id', as: 'id' },
        { key: 'status', title: 'Status' },
        { key: 'duration_ms', title: 'Length', as: 'duration' },
        { key: 'entry_page', title: 'Page' },
        { key: 'analytics_session_id', title: 'Session' },
        { key: 'committed_bytes', title: 'Bytes', as: 'count' },
      ],
      none: 'No replay. Recording begins with: footfall replays enable NAME',
      rows: replays,
    },
    ...(next_before === null ? [] : [line(`More: --before ${next_before}`)]),
  ],
})

const getReplay = callCommand<'GET /replays/{id}'>({
  name: 'replays get',
  group: 'Replays',
  args: [REPLAY],
  flags: [],
  summary: 'One replay and its chunks',
  example: 'replays get rpl_0123456789abcdef0123456789abcdef',
  call: ({ args }) => ({ endpoint: 'GET /replays/{id}', path: { id: args.ID as string } }),
  print: ({ chunks, ...replay }) => [
    {
      kind: 'facts',
      facts: [
        ['Id', replay.id],
        ['Status', replay.status],
        ['Session', replay.analytics_session_id],
        ['User', replay.user_id],
        ['Page', replay.entry_page],
        ['Start (UTC)', replay.started_at, 'time'],
        ['Can be played', replay.has_full_snapshot ? 'yes' : 'no: it has no full snapshot'],
      ],
    },
    {
      kind: 'table',
      name: 'chunks',
      columns: [
        { key: 'index', title: 'Chunk' },
        { key: 'event_count', title: 'Events', as: 'count' },
        { key: 'bytes', title: 'Bytes', as: 'count' },
      ],
      rows: chunks,
    },
  ],
})

const readSettings = callCommand<'GET /replays/settings'>({
  name: 'replays settings',
  group: 'Replays',
  args: [NAME],
  flags: [],
  summary: 'Whether and how a project records replays',
  example: 'replays settings demo',
  call: ({ args }) => ({ endpoint: 'GET /replays/settings', query: { project: args.NAME } }),
  print: answer => [settingsFacts(answer)],
})

const selectors = (name: 'mask' | 'block' | 'ignore', help: string): Flag => ({
  flags: `--${name} <selectors>`,
  parameter: `${name}_selectors`,
  as: 'list',
  help,
})

const ENABLE: readonly Flag[] = [
  {
    flags: '--recording-start <when>',
    parameter: 'recording_start',
    choices: ['immediate', 'after_consent'],
    help: 'at once, or when the page calls aaReplay.consent()',
  },
  selectors('mask', 'CSS selectors of texts that are masked: .name,.address'),
  selectors('block', 'CSS selectors of elements that are left out'),
  selectors('ignore', 'CSS selectors of fields whose input is left out'),
]

const enable = callCommand<'PUT /replays/settings'>({
  name: 'replays enable',
  group: 'Replays',
  effect: 'changes',
  args: [NAME],
  flags: ENABLE,
  summary: 'Allows a project to record replays',
  example: 'replays enable shop --recording-start after_consent --dry-run',
  call: input => ({
    endpoint: 'PUT /replays/settings',
    body: { project: input.args.NAME, enabled: true, ...parametersOf(ENABLE, input) },
  }),
  print: answer => [
    settingsFacts(answer),
    {
      kind: 'advice',
      text: 'Replays need a script of their own in the page, beside the tracker: /replay.js.',
    },
  ],
})

const disable = callCommand<'PUT /replays/settings'>({
  name: 'replays disable',
  group: 'Replays',
  effect: 'changes',
  args: [NAME],
  flags: [],
  summary: 'Stops recording; stored replays stay until they expire',
  example: 'replays disable shop --dry-run',
  call: ({ args }) => ({ endpoint: 'PUT /replays/settings', body: { project: args.NAME, enabled: false } }),
  print: answer => [settingsFacts(answer)],
})

const readUsage = callCommand<'GET /replays/usage'>({
  name: 'replays usage',
  group: 'Replays',
  args: [],
  flags: [],
  summary: 'Bytes of replays, and their limits',
  example: 'replays usage',
  call: () => ({ endpoint: 'GET /replays/usage' }),
  print: ({ storage, rolling_30d_ingestion: received }) => [
    {
      kind: 'table',
      name: 'usage',
      columns: [
        { key: 'what', title: 'What' },
        { key: 'bytes', title: 'Bytes', as: 'count' },
        { key: 'limit', title: 'Limit' },
      ],
      rows: [
        { what: 'stored', bytes: storage.committed_bytes, limit: limitWords(storage.limit_bytes) },
        { what: 'reserved by open recordings', bytes: storage.reserved_bytes, limit: null },
        {
          what: 'received in 30 days',
          bytes: received.observed_bytes,
          limit: limitWords(received.limit_bytes),
        },
      ],
    },
  ],
})

export const replayCommands: readonly Command[] = [
  readSettings,
  enable,
  disable,
  listReplays,
  getReplay,
  readUsage,
]

function settingsFacts({ project, settings }: Omit<Answer<'GET /replays/settings'>, 'limits'>): Block {
  const listOf = (texts: readonly string[]) => (texts.length === 0 ? null : texts.join(', '))
  return {
    kind: 'facts',
    facts: [
      ['Project', project],
      ['Recording', settings.enabled ? 'on' : 'off'],
      ['Starts', settings.recording_start === 'immediate' ? 'at once' : 'after consent'],
      ['Masked texts', settings.mask_text ? 'all' : listOf(settings.mask_selectors)],
      ['Left out', listOf(settings.block_selectors)],
      ['Ignored fields', listOf(settings.ignore_selectors)],
    ],
  }
}

function limitWords(bytes: number): string {
  return bytes === -1 ? 'none' : String(bytes)
}
