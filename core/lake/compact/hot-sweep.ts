import { hotPrefix, parseHotKey, parseIdentityKey, supersededJobName } from '#core/lake/model/keys'
import { compactedByAll } from '#core/lake/model/manifest'
import { endPass, type HotNotes, type Sweep } from '#core/lake/model/sweep'
import { LIST_PAGE } from '#core/ports'
import { tables } from '#schemas/columns'
import type { SweepServices, SweepSettings } from './sweep-settings.ts'

/** In the order of their keys. */
const PREFIXES = [`${tables.identity_hot.prefix}/`, `${tables.events_hot.prefix}/`]
/** Stands for a place in the listing: the files are listed, and are being deleted. */
const DELETING = 'deleting'

/**
 * One slice of the sweep of hot files. A pass lists them all, and finds the first epoch that has any. Then it
 * deletes, from that epoch on, those that all buckets have had in segments for a day. The age of the files
 * does not count, because they may already be old when they are superseded.
 */
export async function sweepHot(
  services: SweepServices,
  settings: SweepSettings,
  saved: Sweep,
): Promise<Sweep> {
  const sweep = saved.beganAt === null ? await beginPass(services, settings, saved) : saved
  return sweep.after === DELETING
    ? deleteSuperseded(services, settings, sweep)
    : findFirst(services, settings, sweep)
}

async function beginPass(
  { state, clock }: SweepServices,
  { keepSupersededMs }: SweepSettings,
  sweep: Sweep,
): Promise<Sweep> {
  // By their saved watermarks: without the item of the empty epochs, none must wait at an epoch whose hot
  // files are gone.
  const compacted = compactedByAll(await state.saveSkippedEpochs())
  const { epoch } = await state.lake()
  // Not the start of the pass, which may be long ago: at that time the watermarks may have been lower.
  const now = clock.now()
  const superseded = noteSuperseded(
    sweep.hot.superseded,
    { epoch: compacted, at: now },
    now - keepSupersededMs,
  )
  const hot = { ...sweep.hot, superseded, firstHot: null, firstFile: epoch }
  return { ...sweep, beganAt: now, after: null, hot }
}

/**
 * Adds what is superseded now. Of the older notes it keeps the newest one of `expiredAt` or before, and those
 * after it. What a clock has noted that was ahead is forgotten.
 */
function noteSuperseded(
  notes: HotNotes['superseded'],
  added: HotNotes['superseded'][number],
  expiredAt: number,
): HotNotes['superseded'] {
  const known = notes.filter(({ at, epoch }) => at <= added.at && epoch <= added.epoch)
  const newest = known.findLastIndex(({ at }) => at <= expiredAt)
  return [...known.slice(Math.max(0, newest)), added]
}

/** Lists all files, and those of identify requests. */
async function findFirst(services: SweepServices, settings: SweepSettings, sweep: Sweep): Promise<Sweep> {
  let { after, hot } = sweep
  for (let pages = 0; pages < settings.slicePages; pages++) {
    const prefix = PREFIXES.find(each => after === null || after.startsWith(each)) as string
    const { objects, next } = await services.lake.listPage(prefix, after)
    for (const { key } of objects) {
      const hotEpoch = parseHotKey(key)?.claim.epoch
      const epoch = hotEpoch ?? parseIdentityKey(key)?.claim.epoch
      if (epoch !== undefined) hot = { ...hot, firstFile: Math.min(hot.firstFile, epoch) }
      if (hotEpoch !== undefined) hot = { ...hot, firstHot: Math.min(hot.firstHot ?? hotEpoch, hotEpoch) }
    }
    // A listing after the next prefix itself begins with its first key.
    after = next ?? PREFIXES[PREFIXES.indexOf(prefix) + 1] ?? DELETING
    if (after === DELETING) return deleteSuperseded(services, settings, { ...sweep, after, hot }, pages + 1)
  }
  return { ...sweep, after, hot }
}

/**
 * Deletes the hot files of superseded epochs. The oldest first: a start takes the lowest epoch with hot files
 * for the first one that has all of them. The pass ends at an epoch without files. Those behind a gap, which
 * only a file of long ago makes, are for the next pass.
 */
async function deleteSuperseded(
  { state, lake }: SweepServices,
  { keepSupersededMs, slicePages }: SweepSettings,
  sweep: Sweep,
  pagesBefore = 0,
): Promise<Sweep> {
  const { beganAt, hot } = sweep
  const keptUntil = (beganAt ?? 0) - keepSupersededMs
  const until = hot.superseded.findLast(({ at }) => at <= keptUntil)?.epoch ?? 0
  let pages = pagesBefore
  for (let epoch = hot.firstHot ?? until; epoch < until; epoch++) {
    if (pages >= slicePages) return { ...sweep, hot: { ...hot, firstHot: epoch } }
    // Noted before the first delete, because a repair must not use an epoch that is partly deleted.
    await state.finishJob(supersededJobName(epoch))
    const objects = await lake.list(hotPrefix(epoch))
    if (objects.length === 0) break
    await lake.delete(objects.map(({ key }) => key))
    pages += 1 + Math.floor(objects.length / LIST_PAGE)
  }
  return endPass(sweep)
}
