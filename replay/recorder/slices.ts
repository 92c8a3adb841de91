import { record } from '@rrweb/record'
import { guard } from './guard.ts'

/**
 * Nodes that one task records. The number follows the time that a task takes. The first ones take the
 * longest, as the browser has not compiled the code yet.
 */
const FIRST_NODES = 5
const MIN_NODES = 5
const MAX_NODES = 1_000
/** A task takes about this time, ms, and leaves time to the page. */
const TASK_MS = 12
/** How often all nodes are looked at again, because the page changes while they are recorded. */
const MAX_PASSES = 50

type Buffer = (typeof record.buffers)[number]

/** Kinds of nodes that a recording has: elements, texts, comments, document types. */
const RECORDED = new Set([1, 3, 4, 8, 10])

/**
 * Records large pages in many short tasks. rrweb would record a page, and what a page adds at once, in one
 * task. Here a task records some nodes, and the others are unknown to rrweb, as if they were not there: it
 * ignores their changes. `run` looks for unknown nodes whose parent is known, and lets rrweb add them, until
 * there are none. So the nodes that are known are at all times a part of the page as it is. `onWhole` is
 * called when a snapshot has all its parts.
 */
export function createSlices(isBlocked: (node: Node) => boolean, onWhole: () => void) {
  let nodesPerTask = FIRST_NODES
  let taken = 0
  let isCounting = false
  let timer: ReturnType<typeof setTimeout> | null = null
  let pass: Pass | null = null
  let passes = 0
  let isRunning = false
  /** From a snapshot until the page is known for the first time. */
  let isFirst = false
  let isAdding = false

  record.slices.take = node => {
    if (taken < nodesPerTask || cannotComeLater(node)) {
      taken++
      if (!isCounting) {
        isCounting = true
        setTimeout(() => {
          isCounting = false
          taken = 0
        })
      }
      return true
    }
    schedule()
    return false
  }

  function schedule(): void {
    // The node may be behind the walker: a frame has loaded, or the page has changed what was looked at.
    if (pass !== null) pass.isWhole = false
    if (timer !== null || isRunning) return
    passes = 0
    timer = setTimeout(guard(run))
  }

  function run(): void {
    isRunning = true
    timer = null
    try {
      if (!hasFinished()) timer = setTimeout(guard(run))
    } finally {
      isRunning = false
    }
  }

  /** Records some nodes. Returns whether the page is known, or passes go on without end. */
  function hasFinished(): boolean {
    taken = 0
    const begunAt = performance.now()
    const buffers = new Set<Buffer>()
    const added: Node[] = []
    pass ??= beginPass()
    while (taken < nodesPerTask && performance.now() - begunAt < TASK_MS) {
      const node = nextOf(pass)
      if (node === null) break
      const buffer = add(node)
      if (!buffer) continue
      buffers.add(buffer)
      added.push(node)
    }
    isAdding = isFirst
    for (const buffer of buffers) buffer.emit()
    isAdding = false
    // What was written may have begun a gap, and `stop` has ended this pass.
    if (pass === null) return true
    // rrweb may refuse a node, which must not be tried for ever.
    pass.hasAdded ||= added.some(isKnown)
    adapt(performance.now() - begunAt)
    if (!pass.isDone) return false
    const isComplete = !pass.hasAdded && pass.isWhole
    pass = null
    if (!isComplete && ++passes <= MAX_PASSES) return false
    if (isFirst) onWhole()
    isFirst = false
    return true
  }

  /** Lets rrweb add a node and what is below it. Returns its buffer, or null if the node is not added. */
  function add(node: Node): Buffer | null {
    if (!RECORDED.has(node.nodeType) || isKnown(node)) return null
    const parent = node.parentNode!
    const holder = 'host' in parent ? (parent as ShadowRoot).host : parent
    if (!isKnown(holder) || record.mirror.getId(holder) < 0) return null
    if (holder.nodeName === 'TEXTAREA' || isBlocked(holder)) return null
    const buffer = record.buffers.findLast(({ doc }) => doc === (node.ownerDocument ?? node))
    if (!buffer || buffer.addedSet.has(node) || buffer.movedSet.has(node)) return null
    buffer.genAdds(node, parent)
    return buffer
  }

  /** Follows what the last task took, so that the next one takes about TASK_MS. */
  function adapt(ms: number): void {
    if (ms > TASK_MS * 1.5) nodesPerTask = Math.max(MIN_NODES, nodesPerTask >> 1)
    else if (ms < TASK_MS / 2) nodesPerTask = Math.min(MAX_NODES, Math.ceil(nodesPerTask * 1.5))
  }

  function stop(): void {
    if (timer !== null) clearTimeout(timer)
    timer = null
    pass = null
  }

  return {
    stop,
    /** Call it before each snapshot. rrweb forgets what it knows of the page. */
    begin(): void {
      stop()
      record.mirror.reset()
      isFirst = true
      taken = 0
      schedule()
    },
    /** Whether rrweb emits now what belongs to the last snapshot. */
    isOfSnapshot: () => isAdding,
    /** Whether parts of the last snapshot are missing. */
    isPartial: () => isFirst,
  }
}

/** A node that rrweb has recorded, or leaves out for ever. */
function isKnown(node: Node): boolean {
  const id = record.mirror.getId(node)
  return id === -2 || (id !== -1 && record.mirror.getNode(id) === node)
}

/** The text of a style sheet belongs to it, and rrweb refuses to add a child to a document. */
function cannotComeLater({ parentNode }: Node): boolean {
  return parentNode !== null && /^(style|#document)$/i.test(parentNode.nodeName)
}

type Pass = {
  /** Documents and shadow trees that are not looked at yet. */
  roots: Node[]
  walker: TreeWalker
  hasAdded: boolean
  /** No node was taken away under the walker, which then ends too early, and none was left out behind it. */
  isWhole: boolean
  isDone: boolean
}

function beginPass(): Pass {
  const walker = document.createTreeWalker(document)
  return { roots: [], walker, hasAdded: false, isWhole: true, isDone: false }
}

/** Returns the next node of the page, also in open shadow trees and frames of its origin. Null: no more. */
function nextOf(pass: Pass): Node | null {
  for (;;) {
    const { walker } = pass
    const node = walker.nextNode()
    if (node) {
      pass.roots.push(...rootsBelow(node))
      return node
    }
    pass.isWhole &&= walker.currentNode.isConnected
    const root = pass.roots.shift()
    if (!root) {
      pass.isDone = true
      return null
    }
    pass.walker = (root.ownerDocument ?? (root as Document)).createTreeWalker(root)
  }
}

function rootsBelow(node: Node): Node[] {
  const { shadowRoot, contentDocument } = node as HTMLIFrameElement
  const roots: (Node | null | undefined)[] = [shadowRoot, node.nodeName === 'IFRAME' ? contentDocument : null]
  return roots.filter(root => !!root)
}
