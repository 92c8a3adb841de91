import type { Clock, Lake } from '#core/ports'
import { type Item, scanPages } from '#core/state/query-all'
import type { StateTable } from '#core/state/state-table'
import { createMarks, type Marks, type PromotionMark } from './mark.ts'
import { mirrorItems } from './mirror-items.ts'
import { countDifferentObjects, isPromoted, mirrorObjects } from './mirror-objects.ts'
import type { CopiedObjects, ObjectSource, TargetStack } from './ports.ts'

/** The promotion cannot go on. The message is for the operator. */
export class PromotionError extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'PromotionError'
  }
}

/**
 * The folder while it is copied. `isSettled`: its service is stopped, the lake has all records of the log,
 * and no service starts on it until `close`. Otherwise the service runs, and changes what is copied.
 */
export type OpenedSource = {
  isSettled: boolean
  state: StateTable
  close(): Promise<void>
}

/** Epochs, both included. */
export type EpochSpan = { first: number; last: number }

/** The folder that is promoted. */
export type PromotionSource = {
  /** Random, and the same in each run. */
  id: string
  emailKey: string
  objects: ObjectSource
  copied: CopiedObjects
  /** The lowest epoch that may have hot files, and the one that is open. */
  epochs(): Promise<EpochSpan>
  /** Settles the folder, unless its service runs. */
  open(): Promise<OpenedSource>
  /** From now on no service starts on the folder. */
  retire(): void
}

export type PromotionTarget = {
  state: StateTable
  lake: Lake
  stack: TargetStack
  /** The epochs whose hot files reports of the target can read. */
  catalog: EpochSpan
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
 * Moves all that a folder has into an empty target: objects and items as they are, and the key of the e-mail
 * index. It may be killed anywhere; the same call continues. Until the source is retired, it can be started
 * again, and the next call copies what has changed. Throws PromotionError when the operator must act, and
 * ApiError UNAVAILABLE when the target cannot be reached.
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
  if (mark === null || mark.step === 'begun') assertCatalog(await source.epochs(), target.catalog)
  if (mark === null) {
    await assertEmpty(target)
    await marks.begin(source.id)
    mark = await marks.read()
  }
  if (mark?.source === source.id) return mark
  throw new PromotionError(
    'Another data folder is promoted into this stack, or was. Name that folder with --data, or a new stack with --stack.',
  )
}

const HAS_OWNER = / \$(account|project)_\d+(#|$)/

async function assertEmpty({ state, lake }: PromotionTarget): Promise<void> {
  const isTaken = ({ pk, sk }: Item) => HAS_OWNER.test(`${pk} ${sk}`)
  for await (const page of scanPages(state, { ProjectionExpression: 'pk, sk' })) {
    if (page.some(isTaken))
      throw new PromotionError(
        'The stack has accounts or projects, and a promotion replaces everything. Deploy a new stack, and promote into it before anybody signs in there.',
      )
  }
  const [found] = (await lake.list('')).filter(({ key }) => isPromoted(key))
  if (found !== undefined)
    throw new PromotionError(
      `The bucket of the stack has data (${found.key}), and a promotion replaces everything. Deploy a new stack, and promote into it.`,
    )
}

async function copyEmailKey({ source, target: { stack }, print }: PromotionServices): Promise<void> {
  if ((await stack.readEmailKey()) === source.emailKey) return
  await stack.writeEmailKey(source.emailKey)
  print('The stack has the key of the e-mail index.')
}

async function stopTarget(
  { target: { stack }, print }: PromotionServices,
  marks: Marks,
  mark: PromotionMark,
) {
  if (mark.areStopped && (await stack.areStopped())) return
  await stack.stopWriters()
  await marks.note({ ...mark, areStopped: true })
  print('Everything that writes in the stack has stopped.')
}

/**
 * Returns false if the service runs: then the target is ready for the last copy, and knows projects and their
 * tokens, so that it can take their events into its stream.
 */
async function copyAll(services: PromotionServices): Promise<boolean> {
  const folder = await services.source.open()
  try {
    await mirror(services, folder)
    if (!folder.isSettled) return false
    await assertSame(services, folder.state)
    services.source.retire()
    return true
  } finally {
    await folder.close()
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

/** Throws PromotionError when the target has not become what the folder is. */
async function assertSame({ source, target, clock }: PromotionServices, state: StateTable): Promise<void> {
  const { written, deleted } = await mirrorItems(state, target.state, { clock, isTrial: true })
  const different = written + deleted + (await countDifferentObjects(source.objects, target.lake))
  if (different > 0)
    throw new PromotionError(
      `${different} items or objects of the stack are not as in the folder: something else has written to the stack. Run the command again.`,
    )
}

async function startTarget({ target: { stack }, print }: PromotionServices): Promise<void> {
  const lost = Object.entries(await stack.reconcile()).filter(([, count]) => count > 0)
  if (lost.length > 0)
    throw new PromotionError(
      `The stack misses data that was copied (${lost.map(([kind, count]) => `${kind} ${count}`).join(', ')}). Do not point the name at it. Look at the log of the function restore.`,
    )
  await stack.startWriters()
  print('Table and lake agree, and the stack runs.')
}
