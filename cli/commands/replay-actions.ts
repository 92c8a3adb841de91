import type { Flag, Input, RunCommand } from '#cli/command'
import { CommandError, usage } from '#cli/errors'
import type { Answer } from '#cli/http/endpoint'
import { printCall } from '#cli/print/dry-run'
import type { Session } from '#cli/run-context'
import { webPage } from '#cli/session/sign-in'
import { PROJECT } from './replays.ts'

type Replay = Answer<'GET /replays'>['replays'][number]

/** What the service wants to read before it deletes all replays (schemas/replays.ts). */
const DELETE_ALL = 'delete_replay_data'
/** Replays of a session that are looked through for one that can be played. */
const SEARCHED = 50

/** Opens one replay by its id, or the newest one of a session that can be played. */
const open: RunCommand = {
  name: 'replays open',
  group: 'Replays',
  effect: 'local',
  args: [{ name: 'ID', help: 'id of the replay: rpl_…', optional: true }],
  flags: [PROJECT, { flags: '--session <id>', help: 'the newest replay of this session that can be played' }],
  summary: 'An address to watch a replay, for an hour',
  example: 'replays open rpl_0123456789abcdef0123456789abcdef',
  async run({ args, options }: Input, session: Session) {
    if ((args.ID === undefined) === (options.session === undefined)) {
      throw usage('Name a replay or a session, one of them.', 'Write replays open ID, or --session ID.')
    }
    const id = args.ID ?? (await newestOf(String(options.session), options.project, session))
    const opened = await session.client({ endpoint: 'POST /replays/{id}/open', path: { id } })
    const facts = [
      ['Replay', id],
      ['Watch at', webPage(opened.answer.viewer_url, 'viewer'), 'address'],
      ['Until (UTC)', opened.answer.expires_at, 'time'],
    ] as const
    session.print([{ kind: 'facts', facts: [...facts] }], opened.text)
    session.say('The address is a secret: who has it can watch this replay.')
  },
}

async function newestOf(sessionId: string, project: unknown, { client, say }: Session): Promise<string> {
  const query = { session_id: sessionId, limit: SEARCHED, ...(project !== undefined && { project }) }
  const { answer } = await client({ endpoint: 'GET /replays', query })
  const newest = answer.replays.find(isPlayable)
  if (newest === undefined) {
    throw new CommandError({
      error: 'NOT_FOUND',
      message: 'The session has no replay that can be played.',
      suggested_action: 'List its replays: footfall replays list --session ID',
    })
  }
  if (answer.replays.length > 1) say(`The session has ${answer.replays.length} replays. This is the newest.`)
  return newest.id
}

function isPlayable({ status, has_full_snapshot }: Replay): boolean {
  return has_full_snapshot && status !== 'recording'
}

const DELETE: readonly Flag[] = [
  PROJECT,
  { flags: '--all', as: 'switch', help: 'all replays of the project or account; also stops recording' },
  { flags: '--dry-run', as: 'switch', help: 'prints what would be sent, and sends nothing' },
  { flags: '--confirm [what]', help: `deletes it; with --all: --confirm ${DELETE_ALL}` },
]

const remove: RunCommand = {
  name: 'replays delete',
  group: 'Replays',
  effect: 'deletes',
  args: [{ name: 'ID', help: 'id of the replay: rpl_…', optional: true }],
  flags: DELETE,
  summary: 'Deletes a replay, or all of them',
  example: 'replays delete rpl_0123456789abcdef0123456789abcdef --dry-run',
  async run({ args, options }: Input, session: Session) {
    if ((args.ID === undefined) !== (options.all === true)) {
      throw usage('Name a replay or --all, one of them.', 'Write replays delete ID, or --all.')
    }
    if (args.ID !== undefined) {
      const call = { endpoint: 'DELETE /replays/{id}' as const, path: { id: args.ID } }
      if (options.dryRun === true) return printCall(call, session)
      const { answer, text } = await session.client(call)
      return session.print([{ kind: 'facts', facts: [['Deleted', answer.deleted]] }], text)
    }
    if (options.dryRun !== true && options.confirm !== DELETE_ALL) {
      throw usage(
        'All replays are deleted for ever only with their confirmation.',
        `Add --confirm ${DELETE_ALL}.`,
      )
    }
    const body = { confirm: DELETE_ALL, ...(options.project !== undefined && { project: options.project }) }
    const call = { endpoint: 'DELETE /replays' as const, body }
    if (options.dryRun === true) return printCall(call, session)
    const { answer, text } = await session.client(call)
    session.print([{ kind: 'facts', facts: [['Deleted', answer.deleted]] }], text)
  },
}

export const replayActions = [open, remove]
