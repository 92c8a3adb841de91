import QuickLRU from 'quick-lru'
import type { AccountStore } from '#core/accounts/store'
import { createInTurn } from '#core/async/in-turn'
import { ApiError } from '#core/errors'
import { unknownTokenError } from '#core/ingest/track-request'
import { type Limits, limitError } from '#core/limits/limit-state'
import { limitExtras } from '#core/plans/rate-limited'
import type { Lake, Now } from '#core/ports'
import { isAllowedOrigin } from '#core/projects/origins'
import type { Project, ProjectDirectory } from '#core/projects/project'
import {
  type FinishReplay,
  REPLAY_LIMITS,
  type ReplaySettings,
  type StartReplay,
  type UploadChunk,
} from '#schemas/replays'
import { type PackedChunk, packChunk } from './chunk.ts'
import type { ReplayQuota } from './quota.ts'
import { objectsPrefix, type Replay, replayIdOf } from './replay.ts'
import type { ReplaySettingsStore } from './settings.ts'
import type { ReplayStarts } from './starts.ts'
import { MAX_OF_SESSION, type ReplayStore } from './store.ts'

export type UploadServices = {
  projects: Pick<ProjectDirectory, 'byToken'>
  accounts: Pick<AccountStore, 'byId'>
  settings: Pick<ReplaySettingsStore, 'known'>
  replays: Pick<ReplayStore, 'create' | 'ofProject' | 'addChunk' | 'finish' | 'leave'>
  quota: Pick<ReplayQuota, 'reserve' | 'commit' | 'settle' | 'release'>
  starts: ReplayStarts
  objects: Pick<Lake, 'put' | 'delete'>
  limits: Pick<Limits, 'checkToken'>
  clock: Now
  /** Default: packChunk. */
  packChunk?: typeof packChunk
}

/** The page that sends: its token, and the header Origin, which only browsers send. */
type Sender = { token: string; session_id: string; origin: string | undefined }

/** A clock of a page that is further off than this is not believed, ms. */
const CLOCK_ERROR_MS = 5 * 60_000
/**
 * Users of one replay. A tab has an anonymous user who signs in, seldom a second one. Each has an item in the
 * state for 30 days, and a stranger could name another one in each of 400 chunks.
 */
const MAX_USERS = 20
/**
 * Chunks of a replay that may be refused for what is in them. A recorder sends none: so one that is refused
 * three times is a foreign program, or its page has a wrong clock.
 */
const MAX_REFUSED_CHUNKS = 3
/** Replays whose refused chunks a process remembers: as many as 60 addresses start in an hour. */
const MAX_REFUSED_REPLAYS = 3_600
/** Uploads of a replay are taken for this time after its start, ms: a page may have been offline. */
const UPLOAD_MS = 24 * 3_600_000

/**
 * What a recorder sends (docs/api/replays.md). Everything may come twice and in any order. A chunk is on
 * disk before the response, and its record names it after that: so a crash loses at most a chunk that was
 * not acknowledged.
 */
export function createReplayUploads({
  projects,
  accounts,
  settings,
  replays,
  quota,
  starts,
  objects,
  limits,
  clock,
  packChunk: packOne = packChunk,
}: UploadServices) {
  const refused = new QuickLRU<string, number>({ maxSize: MAX_REFUSED_REPLAYS })
  const inTurnOfReplay = createInTurn()
  const inTurnOfProject = createInTurn()

  /** The project of a token, and the settings of its replays; null: it is off, or the plan has none. */
  async function recordingOf(token: string): Promise<{ project: Project; recording: ReplaySettings | null }> {
    const project = await projects.byToken(token)
    if (project === null) throw unknownTokenError()
    const known = await settings.known(project.id)
    if (known?.enabled !== true) return { project, recording: null }
    const account = await accounts.byId(project.account_id)
    return { project, recording: account?.tier === 'pro' ? known : null }
  }

  /** Counts the request toward the limit of the token, as a chunk may take long to read. */
  async function admit({ token, origin }: Sender): Promise<Project> {
    const { project, recording } = await recordingOf(token)
    if (!isAllowedOrigin(project, origin)) {
      throw new ApiError(
        'FORBIDDEN',
        'The project does not accept replays from this origin. Add the origin to `allowed_origins` of the project.',
      )
    }
    if (recording === null) {
      throw new ApiError(
        'FORBIDDEN',
        'Session replay is off for this project. Send PUT /replays/settings with `enabled: true` to turn it on.',
      )
    }
    const state = limits.checkToken(project.id)
    const error = state && limitError(state)
    if (error) throw error
    return project
  }

  /** Begins a replay and reserves its bytes. The same start again returns the same id. */
  async function start(request: StartReplay & Sender): Promise<string> {
    const project = await admit(request)
    const now = clock.now()
    const { started_at } = request
    checkStart(started_at, now)
    const id = replayIdOf(project.id, request)
    if ((await replays.ofProject(project.id, id)) !== null) return id
    await starts.count(project)
    const own = { account_id: project.account_id, started_at }
    await quota.reserve(own)
    const isCreated = await replays
      .create({
        id,
        project_id: project.id,
        account_id: project.account_id,
        session_id: request.session_id,
        user_id: request.user_id ?? null,
        page: pathOf(request.url),
        started_at,
        created_at: now,
      })
      .catch(async error => {
        await quota.release(own, 0, false)
        throw error
      })
    if (isCreated) return id
    await quota.release(own, 0, false)
    if ((await replays.ofProject(project.id, id)) !== null) return id
    throw new ApiError(
      'RATE_LIMITED',
      'The session has too many replays. Start the next one in another session.',
      // The reason of a full account, because then a recorder ends its recording and does not try again.
      limitExtras({ limit: MAX_OF_SESSION, remaining: 0, resetAt: now + UPLOAD_MS }, now, {
        reason: 'replay_quota',
      }),
    )
  }

  /**
   * Stores a chunk. Returns false if the replay has one of its index already. Chunks of a replay are taken
   * one after the other: of those that come at once, each finds what those before it have stored, and how
   * many were refused.
   */
  async function addChunk(id: string, upload: UploadChunk & Sender): Promise<boolean> {
    return inTurnOfReplay(id, () => storeChunk(id, upload))
  }

  async function storeChunk(id: string, upload: UploadChunk & Sender): Promise<boolean> {
    const replay = await find(id, upload)
    const { index } = upload
    if (replay.chunks.some(chunk => chunk.index === index)) return false
    checkUser(replay, upload.user_id)
    const { bytes, size, hash, ...packed } = await pack(replay, upload)
    const object = `${index}-${hash}`
    const key = objectsPrefix(id) + object
    await objects.put(key, bytes)
    const chunk = { index, bytes: size, object, ...packed }
    if (await replays.addChunk(replay, chunk, { userId: upload.user_id, now: clock.now() })) {
      await quota.commit(replay, size, replay.finished_chunks !== null)
      return true
    }
    const now = await replays.ofProject(replay.project_id, id)
    // The objects of a removed replay are deleted, also those that its record still names.
    const open = now?.is_removed === false ? now : null
    const stored = open?.chunks.find(each => each.index === index)
    if (stored?.object === object) return false
    await objects.delete([key])
    if (open === null) throw unknownReplay()
    checkRoom(open, size)
    return false
  }

  /**
   * Unpacking takes far more work than sending, and a refused chunk counts no bytes. So a replay is over for
   * this process once it has sent several. Whoever has the token starts many replays: so a project unpacks
   * one chunk at a time, and holds the memory of one.
   */
  async function pack(replay: Replay, upload: UploadChunk): Promise<PackedChunk> {
    const refusals = refused.get(replay.id) ?? 0
    if (refusals >= MAX_REFUSED_CHUNKS) {
      throw new ApiError(
        'FORBIDDEN',
        `This replay takes no more: ${refusals} of its chunks could not be read. Start another one.`,
      )
    }
    try {
      const packed = await inTurnOfProject(replay.project_id, () =>
        packOne(upload, (from, to) => checkTimes(replay, { from, to })),
      )
      checkRoom(replay, packed.size)
      return packed
    } catch (error) {
      refused.set(replay.id, (refused.get(replay.id) ?? 0) + 1)
      throw error
    }
  }

  async function finish(id: string, request: FinishReplay & Sender): Promise<void> {
    const replay = await find(id, request)
    // The bytes stay reserved, because another page of the tab may go on.
    if (request.left) return replays.leave(replay, request.chunks)
    if (!(await replays.finish(replay, request.chunks))) return
    const finished = await replays.ofProject(replay.project_id, id)
    await quota.settle(replay, (finished ?? replay).committed_bytes)
  }

  /**
   * The replay that the sender has begun. Throws NOT_FOUND, also for one of another project or session, and
   * for one that is being deleted.
   */
  async function find(id: string, sender: Sender): Promise<Replay> {
    const project = await admit(sender)
    const replay = await replays.ofProject(project.id, id)
    const isOpen = replay?.is_removed === false && replay.session_id === sender.session_id
    if (!isOpen || clock.now() > replay.created_at + UPLOAD_MS) throw unknownReplay()
    return replay
  }

  return { recordingOf, start, addChunk, finish }
}

export type ReplayUploads = ReturnType<typeof createReplayUploads>

/** The id of a replay has its start, so a repetition must name the same time. */
function checkStart(startedAt: number, now: number): void {
  if (startedAt > now - UPLOAD_MS && startedAt < now + CLOCK_ERROR_MS) return
  throw new ApiError(
    'INVALID_TIMESTAMP',
    'Field `started_at` must be within the last 24 hours. Send the time in Unix milliseconds when recording began.',
  )
}

function checkRoom({ committed_bytes }: Replay, bytes: number): void {
  if (committed_bytes + bytes <= REPLAY_LIMITS.max_bytes) return
  throw new ApiError(
    'PAYLOAD_TOO_LARGE',
    `A replay has at most ${REPLAY_LIMITS.max_bytes} bytes. Send POST /replay/{id}/finish, and start another one.`,
  )
}

/** A chunk without its user would stay when that person is erased, so it is refused. */
function checkUser({ user_ids }: Replay, userId: string | undefined): void {
  if (userId === undefined || user_ids.includes(userId) || user_ids.length < MAX_USERS) return
  throw new ApiError(
    'INVALID_BODY',
    `A replay has at most ${MAX_USERS} users. End this replay, then start another one.`,
  )
}

/** The recorder ends by itself, so only a wrong clock or a foreign program sends later events. */
function checkTimes({ started_at }: Replay, { from, to }: { from: number; to: number }): void {
  const last = started_at + REPLAY_LIMITS.max_duration_ms + CLOCK_ERROR_MS
  if (from >= started_at - CLOCK_ERROR_MS && to <= last) return
  throw new ApiError(
    'INVALID_BODY',
    `The chunk has events outside the ${REPLAY_LIMITS.max_duration_ms / 60_000} minutes of its replay. End this replay, then start another one.`,
  )
}

/** The path of a page without its query and fragment, which may hold secrets. */
function pathOf(url: string | undefined): string | null {
  return url !== undefined && URL.canParse(url) ? new URL(url).pathname.slice(0, 1_024) : null
}

function unknownReplay(): ApiError {
  return new ApiError(
    'NOT_FOUND',
    'The session has no such replay that takes uploads. Start one with POST /replay/start.',
  )
}
