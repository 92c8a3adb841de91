import { EventType, type RecordedEvent, type SnapshotNode, Source } from '#replay/masking/events'
import { type Fields, list, numbers } from '#replay/masking/fields'
import {
  type MutationContext,
  sanitizeAdopted,
  sanitizeDeclaration,
  sanitizeMutation,
  sanitizeRules,
} from './sanitize-mutation.ts'
import { isId, MAX_NODES, sanitizeNode } from './sanitize-nodes.ts'
import { nothingLeftOut } from './sanitize-styles.ts'

/** Sizes of a page that the viewer can show, CSS pixels. */
const MAX_SIZE = 16_384
const DEFAULT_SIZE = { width: 1280, height: 720 }
/** Positions of the pointer in one event: 100 ms apart, and an event has half a second. */
const MAX_POSITIONS = 1_000
/** rrweb's numbers of what the pointer does: 0 to 10. */
const LAST_INTERACTION = 10
const MAX_ADDRESS = 2_048
/** Nodes that all events of a replay together may add. */
const MAX_ADDED = 1_000_000

/**
 * Returns a function that makes each event of a recording safe to play, in their order. Anybody can upload a
 * recording, so nothing in it is sure. Every event is built anew from fields that are known, and so is every
 * node (sanitize-nodes.ts). The function returns null for an event that is left out.
 */
export function createSanitizer() {
  const leftOut = nothingLeftOut()
  let nodes = 0
  let added = 0
  let context: MutationContext = {
    roles: new Map(),
    parents: new Map(),
    leftOut,
    missingSheets: new Set(),
    count: () => ++nodes <= MAX_NODES && ++added <= MAX_ADDED,
  }

  const sources: Record<number, (data: Fields) => Fields | null> = {
    [Source.Mutation]: data => sanitizeMutation(data, context),
    [Source.MouseMove]: pointer,
    [Source.TouchMove]: pointer,
    [Source.Drag]: pointer,
    [Source.MouseInteraction]({ type, id, x, y, pointerType }) {
      const isKnown = Number.isInteger(type) && (type as number) >= 0 && (type as number) <= LAST_INTERACTION
      return isKnown && isId(id) ? { type, id, ...numbers({ x, y, pointerType }) } : null
    },
    [Source.Scroll]: ({ id, x, y }) =>
      isId(id) && Number.isFinite(x) && Number.isFinite(y) ? { id, x, y } : null,
    [Source.ViewportResize]: data => sizeOf(data),
    [Source.Input]: ({ id, text, isChecked }) =>
      isId(id) ? { id, text: String(text ?? '').slice(0, 10_000), isChecked: isChecked === true } : null,
    [Source.StyleSheetRule]: data => sanitizeRules(data, context),
    [Source.StyleDeclaration]: data => sanitizeDeclaration(data, context),
    [Source.AdoptedStyleSheet]: data => sanitizeAdopted(data, context),
  }

  /** What was known of the page before ends with the snapshot, if the snapshot can be shown. */
  function sanitizeSnapshot({ node, initialOffset }: Fields): Fields | null {
    nodes = 0
    const next = { ...context, roles: new Map(), parents: new Map(), missingSheets: new Set<number>() }
    if (typeof node !== 'object' || node === null) return null
    const clean = sanitizeNode(node as SnapshotNode, '', 0, next)
    if (clean === null) return null
    noteParents(clean, next)
    context = next
    const { left = 0, top = 0 } = numbers(initialOffset)
    return { node: clean, initialOffset: { left, top } }
  }

  function sanitize(event: unknown): RecordedEvent | null {
    if (typeof event !== 'object' || event === null) return null
    const { type, timestamp, data } = event as { type: unknown; timestamp: unknown; data: unknown }
    if (typeof timestamp !== 'number' || !Number.isFinite(timestamp)) return null
    if (typeof data !== 'object' || data === null) return null
    const clean = sanitizeData(type, data as Fields)
    return clean && { type: type as number, timestamp, data: clean }
  }

  function sanitizeData(type: unknown, data: Fields): Fields | null {
    if (type === EventType.FullSnapshot) return sanitizeSnapshot(data)
    if (type === EventType.Meta) {
      return { href: String(data.href ?? '').slice(0, MAX_ADDRESS), ...sizeOf(data) }
    }
    if (type === EventType.Custom) {
      return { tag: String(data.tag ?? '').slice(0, 100), payload: numbersAndTexts(data.payload) }
    }
    if (type !== EventType.Incremental) return null
    const clean = sources[data.source as number]?.(data)
    return clean ? { ...clean, source: data.source } : null
  }

  /** What was left out so far. Style sheets are those of the page as it is now. */
  const countLeftOut = () => ({ ...leftOut, sheets: context.missingSheets.size })

  return { sanitize, countLeftOut }
}

function pointer({ positions }: Fields): Fields | null {
  const clean = list(positions)
    .slice(0, MAX_POSITIONS)
    .map(position => numbers(position))
    .filter(({ x, y, id, timeOffset }) => [x, y, id, timeOffset].every(Number.isFinite))
    // A position is of the half second before its event.
    .map(position => ({
      ...position,
      timeOffset: Math.min(0, Math.max(-60_000, position.timeOffset as number)),
    }))
  return clean.length > 0 ? { positions: clean } : null
}

function sizeOf({ width, height }: Fields): { width: number; height: number } {
  const isSize = (size: unknown): size is number => typeof size === 'number' && size >= 1 && size <= MAX_SIZE
  return isSize(width) && isSize(height) ? { width, height } : DEFAULT_SIZE
}

function numbersAndTexts(payload: unknown): Fields {
  if (typeof payload !== 'object' || payload === null) return {}
  return Object.fromEntries(
    Object.entries(payload)
      .slice(0, 20)
      .filter(
        ([, value]) => typeof value === 'number' || typeof value === 'boolean' || typeof value === 'string',
      )
      .map(([name, value]) => [name, typeof value === 'string' ? value.slice(0, MAX_ADDRESS) : value]),
  )
}

function noteParents({ id, childNodes = [] }: SnapshotNode, context: MutationContext): void {
  for (const child of childNodes) {
    context.parents.set(child.id, id)
    noteParents(child, context)
  }
}
