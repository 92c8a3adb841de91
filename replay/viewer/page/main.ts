import type { Mark } from '#replay/viewer/stage/recording'
import type { SessionEvent } from '#schemas/replays'
import { createChunkLoader, type Loaded } from './chunk-loader.ts'
import { createControls } from './controls.ts'
import { byId, make } from './elements.ts'
import { createEventList, toPath } from './event-list.ts'
import { createNotices } from './notices.ts'
import { createPlayback } from './playback.ts'
import { idleRanges, type Range } from './ranges.ts'
import { createScreen } from './screen.ts'
import { takeSecret } from './take-secret.ts'
import { createTimeline } from './timeline.ts'
import { createViewerApi, GoneError, type ViewedReplay, type ViewerApi } from './viewer-api.ts'

/** How often the page asks whether the replay may still be seen, ms. */
const CHECK_MS = 60_000
/** How often it looks for the document of the recording, 20 ms apart. */
const MAX_TRIES = 1_500

const SENTENCES = {
  noSecret: [
    'This address opens no replay',
    'The part after # is missing. Open the replay again where you found it, and use the whole address.',
  ],
  gone: [
    'This address is not good any more',
    'It has expired after an hour, or the replay was deleted, or the connection that opened it was ended. Open the replay again to get a new address.',
  ],
  unreachable: [
    'The replay could not be read',
    'The service cannot be reached, or is busy. Check your connection, then reload this page.',
  ],
  empty: [
    'This replay has nothing to show',
    'No picture of the page has arrived. If the session has only begun, open the replay again in a minute.',
  ],
} as const

/** Shows a sentence instead of the replay, and removes what was shown of it. */
function stop(reason: keyof typeof SENTENCES): void {
  const [title, text] = SENTENCES[reason]
  byId('stage').remove()
  byId('viewer').remove()
  const message = byId('message')
  message.replaceChildren(make('h2', '', title), make('p', '', text))
  message.hidden = false
  message.focus()
  isStopped = true
}
let isStopped = false

async function start(): Promise<void> {
  const secret = takeSecret()
  if (secret === null) return stop('noSecret')
  const api = createViewerApi(secret)
  try {
    const viewed = await api.view()
    if (viewed.replay.chunks.length === 0) return stop('empty')
    await stageIsThere()
    play(viewed, api)
    setInterval(() => void check(api), CHECK_MS)
  } catch (error) {
    stop(error instanceof GoneError ? 'gone' : 'unreachable')
  }
}

function play({ replay }: ViewedReplay, api: ViewerApi): void {
  const range = {
    from: Math.min(...replay.chunks.map(({ from }) => from)),
    to: Math.max(...replay.chunks.map(({ to }) => to)),
  }
  let events: SessionEvent[] = []
  let areEventsMissing = false
  let marks: readonly Mark[] = []
  let idle: Range[] = []
  const screen = createScreen()
  const stage = screen.stage.contentWindow!.openStage!({ onSize: screen.resize })
  const notices = createNotices(range, replay.status)
  const timeline = createTimeline(range, { onSeek: at => playback.seek(at) })
  const list = createEventList(range, { onSeek: at => playback.seek(at) })
  const loader = createChunkLoader(replay.chunks, { api, stage }, { onLoaded, onError })
  const playback = createPlayback({ ...range, stage, loader, idle: () => idle, onChange: show })
  const controls = createControls(playback, { canSeek: () => !isStopped })
  describe(replay)

  function show(state: ReturnType<typeof playback.state>): void {
    timeline.show(state)
    list.show(state)
    controls.show(state)
    notices.show(state, marks)
    const page = marks.findLast(mark => mark.kind === 'page' && mark.at <= state.at)
    byId('address').textContent = page?.kind === 'page' ? page.address : (replay.entry_page ?? '')
  }

  function draw(): void {
    list.draw(events, marks)
    timeline.draw(
      marks,
      events.map(({ timestamp }) => timestamp),
      idle,
    )
    byId('none').hidden = list.count() > 0 && !areEventsMissing
  }

  let isFirst = true
  function onLoaded(loaded: Loaded): void {
    if (isStopped) return
    const isWhole = loaded.until === Number.POSITIVE_INFINITY
    if (!loaded.isReady) {
      if (isWhole) stop('empty')
      return
    }
    marks = loaded.marks
    const known = { from: range.from, to: isWhole ? range.to : (loaded.activity.at(-1) ?? range.from) }
    const gaps = marks.flatMap(mark =>
      mark.kind === 'gap' ? { from: mark.from, to: mark.to ?? range.to } : [],
    )
    idle = [...idleRanges(loaded.activity, known), ...gaps].sort((a, b) => a.from - b.from)
    notices.list(loaded, stage.broken())
    draw()
    if (!isFirst) return
    isFirst = false
    controls.enable()
    // The time line works before the first picture is there: who has used it stays where they went.
    const { at } = playback.state()
    const isStill = matchMedia('(prefers-reduced-motion: reduce)').matches
    if (isStill || at >= range.to) playback.seek(at)
    else playback.play()
  }

  function onError(error: unknown): void {
    if (!isStopped) stop(error instanceof GoneError ? 'gone' : 'unreachable')
  }

  function frame(): void {
    if (isStopped) return
    playback.tick()
    requestAnimationFrame(frame)
  }

  show(playback.state())
  loader.need(range.from)
  requestAnimationFrame(frame)
  void readEvents()

  async function readEvents(): Promise<void> {
    const none = byId('none')
    try {
      events = await api.events()
      none.textContent = 'The tracker has sent no events in this time.'
    } catch {
      // Also beside the pages of the recording, which are in the list anyway.
      areEventsMissing = true
      none.textContent = 'The events of the tracker could not be read. Reload this page to try again.'
    }
    if (!isStopped) draw()
  }
}

/** Says which session this is. */
function describe({ started_at, duration_ms, user_id, entry_page }: ViewedReplay['replay']): void {
  const begin = new Date(started_at)
  const facts: [string, string][] = [
    ['Recorded', begin.toLocaleString([], { dateStyle: 'medium', timeStyle: 'short' })],
    ['Length', `${Math.max(1, Math.round(duration_ms / 1000))} s`],
    ['Visitor', user_id ?? 'unknown'],
  ]
  byId('facts').replaceChildren(
    ...facts.map(([name, value]) => {
      const fact = make('div', '')
      fact.append(make('dt', '', name), make('dd', '', value))
      return fact
    }),
  )
  if (entry_page !== null) document.title = `Replay of ${toPath(entry_page) || entry_page} · Footfall`
}

/** A replay that was deleted meanwhile disappears. */
async function check(api: ViewerApi): Promise<void> {
  if (isStopped) return
  try {
    await api.view()
  } catch (error) {
    if (error instanceof GoneError && !isStopped) stop('gone')
  }
}

/** Resolves when the document of the recording can be called. */
async function stageIsThere(): Promise<void> {
  const frame = byId<HTMLIFrameElement>('stage')
  for (let tries = 0; !frame.contentWindow?.openStage; tries++) {
    if (tries > MAX_TRIES) throw new Error('The document of the recording does not load.')
    await new Promise(resolve => setTimeout(resolve, 20))
  }
}

void start()
