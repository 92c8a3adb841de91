import type { Clock, Lake } from '#core/ports'
import { type Item, scanPages } from '#core/state/query-all'
import type { StateTable } from '#core/state/state-table'
import { createMarks, type Marks, type PromotionMark } from './mark.ts'
import { mirrorItems } from './mirror-items.ts'
import { countDifferentObjects, isPromoted, mirrorObjects } from './mirror-objects.ts'
import type { CopiedObjects, ObjectSource, TargetService } from './ports.ts'
import type { PromotionTexts } from './texts.ts'

/** The promotion cannot go on. The message is for the operator. */
export class PromotionError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'PromotionError'
  }
}

/**
 * The source while it is copied. `isSettled`: nothing writes to its table and its lake until `close`.
 * Otherwise its service runs, and changes what is copied.
 */
export type OpenedSource = {
  isSettled: boolean
  state: StateTable
  close(): Promise<void>
}

/** Epochs, both included. */
export type EpochSpan = { first: number; last: number }

/** The deployment that is promoted. */
export type PromotionSource = {
  /** The same in each run, and no other source has it. */
  id: string
  emailKey: string
  objects: ObjectSource
  copied: CopiedObjects
  /** The lowest epoch that may have hot files, and the one that is open. */
  epochs(): Promise<EpochSpan>
  /** Settles the source, unless its service is to run on. */
  open(): Promise<OpenedSource>
  /** From now on its service does not start any more. */
  retire(): void
}

export type PromotionTarget = {
  state: StateTable
  lake: Lake
  service: TargetService
  /** The epochs whose hot files reports of the target can read. Null: all. */
  catalog: EpochSpan | null
  /** What the operator reads of it. */
  texts: PromotionTexts
}

export type PromotionServices = {
  source: PromotionSource
  target: PromotionTarget
  clock: Clock
  /** Tells the operator what was done. */
  print(line: string): void
}

/**
 * `ahead`: the service runs, so what was copied is of now, and the same call finishes after a stop. `done`:
 * the target runs. `unchanged`: it did so before this call.
 */
export type Promotion = 'ahead' | 'done' | 'unchanged'

/**
 * Moves all that a deployment has into an empty one: objects and items as they are, and the key of the e-mail
 * index. It does not know which of them is on AWS. It may be killed anywhere; the same call continues. Until
 * the source is retired, it can be started again, and the next call copies what has changed. Throws
 * PromotionError when the operator must act, and ApiError UNAVAILABLE when AWS cannot be reached.
 */
export async function promote(services: PromotionServices): Promise<Promotion> {
  const marks = createMarks(services.target.state)
  const mark = await claimTarget(services, marks)
  if (mark.step === 'done') return 'unchanged'
  if (mark.step === 'begun') {
    // The functions keep a key for five minutes, and the stop takes longer.
    await copyEmailKey(services)
    await stopTarget(services, marks, mark)
    if (!(await copyAll(services))) return 'ahead'
    await marks.note({ ...mark, step: 'copied', areStopped: true })
  }
  await startTarget(services)
  await marks.note({ ...mark, step: 'done', areStopped: true })
  return 'done'
}

/** The alarm LastEpoch sounds when the catalog has so many epochs left, so a target begins with more. */
const LEFT_SHARE = 0.1

/** Throws PromotionError when reports of the target would miss hot files, now or soon. */
function assertCatalog(epochs: EpochSpan, catalog: EpochSpan): void {
  const isEarly = epochs.first < catalog.first
  const isLate = epochs.last > catalog.last - LEFT_SHARE * (catalog.last - catalog.first)
  if (!isEarly && !isLate) return
  throw new PromotionError(
    `The catalog of the stack has the epochs ${catalog.first} to ${catalog.last}, and the folder those from ${epochs.first} to ${epochs.last}. Deploy the stack once more with the option firstEpoch=${epochs.first}, then run the command again.`,
  )
}

/**
 * The mark of this source. Throws PromotionError when the target is another one's, or has data, or when its
 * catalog does not fit.
 */
async function claimTarget({ source, target }: PromotionServices, marks: Marks): Promise<PromotionMark> {
  let mark = await marks.read()
  if (target.catalog !== null && (mark === null || mark.step === 'begun'))
    assertCatalog(await source.epochs(), target.catalog)
  if (mark === null) {
    await assertEmpty(target)
    await marks.begin(source.id)
    mark = await marks.read()
  }
  if (mark?.source === source.id) return mark
  throw new PromotionError(target.texts.isOfAnother)
}

const HAS_OWNER = / \$(account|project)_\d+(#|$)/

async function assertEmpty({ state, lake, texts }: PromotionTarget): Promise<void> {
  const isTaken = ({ pk, sk }: Item) => HAS_OWNER.test(`${pk} ${sk}`)
  for await (const page of scanPages(state, { ProjectionExpression: 'pk, sk' })) {
    if (page.some(isTaken)) throw new PromotionError(texts.hasOwners)
  }
  const [found] = (await lake.list('')).filter(({ key }) => isPromoted(key))
  if (found !== undefined) throw new PromotionError(texts.hasObject(found.key))
}

async function copyEmailKey({ source, target, print }: PromotionServices): Promise<void> {
  if ((await target.service.readEmailKey()) === source.emailKey) return
  await target.service.writeEmailKey(source.emailKey)
  print(target.texts.hasKey)
}

async function stopTarget(
  { target: { service, texts }, print }: PromotionServices,
  marks: Marks,
  mark: PromotionMark,
) {
  if (mark.areStopped && (await service.areStopped())) return
  await service.stopWriters()
  await marks.note({ ...mark, areStopped: true })
  print(texts.isStopped)
}

/**
 * Returns false if the service of the source runs: then the target is ready for the last copy, and knows
 * projects and their tokens, so that a stack can take their events into its stream.
 */
async function copyAll(services: PromotionServices): Promise<boolean> {
  const opened = await services.source.open()
  try {
    await mirror(services, opened)
    if (!opened.isSettled) return false
    await assertSame(services, opened.state)
    services.source.retire()
    return true
  } finally {
    await opened.close()
  }
}

async function mirror(services: PromotionServices, { state, isSettled }: OpenedSource): Promise<void> {
  const { source, target, clock, print } = services
  const options = { copied: source.copied, isLast: isSettled }
  const objects = await mirrorObjects(source.objects, target.lake, options)
  print(
    `Objects: ${objects.copied} of ${objects.objects} were copied (${(objects.bytes / 1e6).toFixed(1)} MB), ${objects.deleted} deleted.`,
  )
  const { items, written, deleted } = await mirrorItems(state, target.state, { clock })
  print(`Items: ${written} of ${items} were written, ${deleted} deleted.`)
}

/** Throws PromotionError when the target has not become what the source is. */
async function assertSame({ source, target, clock }: PromotionServices, state: StateTable): Promise<void> {
  const { written, deleted } = await mirrorItems(state, target.state, { clock, isTrial: true })
  const different = written + deleted + (await countDifferentObjects(source.objects, target.lake))
  if (different > 0) throw new PromotionError(target.texts.differs(different))
}

async function startTarget({ target: { service, texts }, print }: PromotionServices): Promise<void> {
  const lost = Object.entries(await service.reconcile()).filter(([, count]) => count > 0)
  if (lost.length > 0)
    throw new PromotionError(texts.misses(lost.map(([kind, count]) => `${kind} ${count}`).join(', ')))
  await service.startWriters()
  print(texts.runs)
}
